cimport cython

from xylogic.grow.frontier_kernel cimport Frontier
from xylogic.grow.splitter_kernel cimport Splitter


cdef class Grower(Splitter):
    cdef object budget
    cdef readonly Frontier nodes
    cdef int max_depth, n_values, n_sorted
    cdef Py_ssize_t min_split
    cdef double min_gain, root_weight
    cdef bint bounded
    cdef long long work
    cdef unsigned char *side
    cdef int *moved

    cdef check(self)
    @cython.final
    cdef bint open(self, int node, int parent) noexcept nogil
    @cython.final
    cdef int decide(self, int node) except -1 nogil
    cdef void settle(self, int node, Py_ssize_t at, Py_ssize_t n) noexcept nogil
    @cython.final
    cdef Py_ssize_t mark(self, int node) noexcept nogil
    @cython.final
    cdef Py_ssize_t mark_known(self, int node, Py_ssize_t column, int last) noexcept nogil
    @cython.final
    cdef bint fill_set(self, int node, Py_ssize_t chosen, int n_levels, Py_ssize_t at, Py_ssize_t n) noexcept nogil
    @cython.final
    cdef void divide(self, int *items, Py_ssize_t at, Py_ssize_t n) noexcept nogil
    @cython.final
    cdef void divide_sorted(self, Py_ssize_t at, Py_ssize_t n, bint keep_left, bint keep_right) noexcept nogil
    @cython.final
    cdef void bound(self, int node, int left, int right) noexcept nogil
    @cython.final
    cdef int split(self, int node) except -1 nogil
    @cython.final
    cdef double value_of(self, int node) noexcept nogil
