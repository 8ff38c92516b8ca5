cimport cython

from xylogic.search.reason_kernel cimport Reasons


cdef class Smallest:
    cdef Reasons reasons
    cdef dict keep
    cdef int width, n_features
    cdef readonly long long n_edges
    cdef long long room
    cdef unsigned long long *edges
    cdef unsigned long long *allowed
    cdef unsigned long long *pending
    cdef unsigned long long *chosen
    cdef unsigned long long *used
    cdef long long *degree

    cdef _grow(self)
    @cython.final
    cdef int insert(self) except -1 nogil
    @cython.final
    cdef int refute(self, int depth) except -1 nogil
    @cython.final
    cdef int branch(self, int depth, int size) noexcept nogil
    @cython.final
    cdef int descend(self, int depth) noexcept nogil
    @cython.final
    cdef int dive(self, int size) except -1 nogil
