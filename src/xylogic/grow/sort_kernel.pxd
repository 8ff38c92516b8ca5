cimport cython


cdef void sort_keys(unsigned long long *keys, unsigned long long *spare, Py_ssize_t n, int n_bits) noexcept nogil


cdef class Ranker:
    cdef readonly dict keep
    cdef Py_ssize_t n, n_known
    cdef int few
    cdef unsigned long long *whole
    cdef unsigned long long *keys
    cdef unsigned long long *spare
    cdef unsigned long long *found
    cdef int *rows
    cdef int *place
    cdef int *number

    @cython.final
    cdef void read_single(self, Py_ssize_t i, unsigned long long x) noexcept nogil
    @cython.final
    cdef void read_double(self, Py_ssize_t i, unsigned long long x) noexcept nogil
    @cython.final
    cdef int rank(self, bint wide, int *order, int *codes, int *first) noexcept nogil
    @cython.final
    cdef bint part_ties(self) noexcept nogil
    @cython.final
    cdef void sort_halves(self) noexcept nogil
    @cython.final
    cdef bint sort_some(self, int shift) noexcept nogil
    @cython.final
    cdef int all_codes(self, bint wide, int *order, int *codes) noexcept nogil
    @cython.final
    cdef int few_codes(self, int *codes, int *first) noexcept nogil
