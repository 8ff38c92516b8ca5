cimport cython


cdef class Medians:
    cdef readonly dict keep
    cdef int *group_at
    cdef double *counts
    cdef double *sums
    cdef double *count
    cdef double *sum
    cdef int shift
    cdef Py_ssize_t n_buckets

    @cython.final
    cdef bint pays(self, Py_ssize_t n, int n_groups) noexcept nogil
    @cython.final
    cdef void summed(self, double *value, Py_ssize_t n, int n_groups) noexcept nogil
    @cython.final
    cdef double loss(self, double *value, Py_ssize_t n, int group, bint right) noexcept nogil
    @cython.final
    cdef void move(self, int group) noexcept nogil
