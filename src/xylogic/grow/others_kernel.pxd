cimport cython

from xylogic.grow.criterion_kernel cimport Criterion

cdef Py_ssize_t MOST_ROWS


cdef class Others:
    cdef readonly dict keep
    cdef Criterion criterion
    cdef Py_ssize_t n_all, room, n_words
    cdef unsigned long long *other
    cdef unsigned long long *near
    cdef unsigned long long *some
    cdef unsigned char *is_near
    cdef bint varied
    cdef unsigned short *short
    cdef int *common
    cdef int *n_codes
    cdef unsigned int *keys
    cdef unsigned int *spare
    cdef double gain
    cdef int below, above, code

    @cython.final
    cdef void turn(self) noexcept nogil
    @cython.final
    cdef void gather(self, int *rows, Py_ssize_t at, Py_ssize_t n, Py_ssize_t word) noexcept nogil
    @cython.final
    cdef bint search(self, int *rows, Py_ssize_t at, Py_ssize_t n, int column, double bar) noexcept nogil
    @cython.final
    cdef int row_at(
        self, int *rows, Py_ssize_t at, Py_ssize_t n, int column, Py_ssize_t place, Py_ssize_t n_lower, Py_ssize_t m
    ) noexcept nogil
