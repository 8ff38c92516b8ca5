cimport cython

from xylogic.search.box_kernel cimport Box


cdef class Reach(Box):
    cdef double bound, total
    cdef int n_noted

    @cython.final
    cdef int own_side(self, int n) noexcept nogil
    @cython.final
    cdef int affordable(self) except -1 nogil
    @cython.final
    cdef int far_state(self, int n, int own) noexcept nogil
    @cython.final
    cdef long long own_value(self, int t, int i) noexcept nogil
    @cython.final
    cdef void rate(self, int f) noexcept nogil
    @cython.final
    cdef bint within_reach(self, int i) noexcept nogil
