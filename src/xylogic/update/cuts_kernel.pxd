cimport cython


cdef class Cuts:
    cdef readonly dict keep
    cdef const float[:, :] single
    cdef const double[:, :] wide
    cdef bint is_single
    cdef Py_ssize_t n_rows
    cdef int *codes
    cdef int *kind
    cdef long long *value_at
    cdef double *highest_with
    cdef double *lowest_with
    cdef double *lowest
    cdef double *scale

    @cython.final
    cdef double between_rows(self, int f, int below, int above) noexcept nogil
    @cython.final
    cdef double between(self, int f, int below, int above) noexcept nogil
