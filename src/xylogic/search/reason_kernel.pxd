cimport cython

from xylogic.search.dive_kernel cimport Search


cdef class Reasons:
    cdef Search search
    cdef object keep
    cdef int n_features, width
    cdef unsigned long long *every
    cdef unsigned long long *free
    cdef unsigned long long *edge
    cdef unsigned long long *needed
    cdef readonly long long n_done, n_sets, n_edges
    cdef long long room, edge_room
    cdef unsigned long long *edges
    cdef unsigned long long *sets
    cdef unsigned long long *spare
    cdef int *missing
    cdef int *single
    cdef Py_ssize_t n_missing
    cdef long long *bucket_at
    cdef unsigned long long *bucket
    cdef long long work

    cdef _grow(self, long long room)
    cdef _grow_edges(self)
    @cython.final
    cdef void difference(self) noexcept nogil
    @cython.final
    cdef void find_needed(self) noexcept nogil
    @cython.final
    cdef void sort_out(self) noexcept nogil
    @cython.final
    cdef int met(self, Py_ssize_t k) noexcept nogil
    @cython.final
    cdef bint holds_part(self, Py_ssize_t k, int b) noexcept nogil
    @cython.final
    cdef int shrink(self) except -1 nogil
    @cython.final
    cdef int reduce(self, unsigned long long *free) except -1 nogil
    @cython.final
    cdef int multiply(self) except -1 nogil
    @cython.final
    cdef int advance(self) except -1 nogil
