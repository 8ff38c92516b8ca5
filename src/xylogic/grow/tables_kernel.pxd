cimport cython


cdef class Tables:
    cdef readonly dict keep
    cdef Py_ssize_t size
    cdef int n_free
    cdef double *numbers
    cdef int *free

    @cython.final
    cdef double *at(self, int table) noexcept nogil
    @cython.final
    cdef int borrow(self) noexcept nogil
    @cython.final
    cdef void give_back(self, int table) noexcept nogil
    @cython.final
    cdef void subtract(self, int whole, int part, Py_ssize_t n) noexcept nogil
