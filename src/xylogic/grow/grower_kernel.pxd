cimport cython

from xylogic.grow.divider_kernel cimport Divider


cdef class Grower(Divider):
    cdef object budget
    cdef int max_depth
    cdef Py_ssize_t min_split
    cdef double min_gain, root_weight
    cdef bint bounded
    cdef long long work

    cdef check(self)
    @cython.final
    cdef bint open(self, int node, int parent) noexcept nogil
    @cython.final
    cdef int decide(self, int node) except -1 nogil
    @cython.final
    cdef void bound(self, int node, int left, int right) noexcept nogil
    @cython.final
    cdef int split(self, int node) except -1 nogil
    @cython.final
    cdef double value_of(self, int node) noexcept nogil
