cimport cython

from xylogic.grow.frontier_kernel cimport Frontier
from xylogic.grow.splitter_kernel cimport Splitter


cdef class Divider(Splitter):
    cdef readonly Frontier nodes
    cdef int n_sorted
    cdef unsigned char *side
    cdef int *moved

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
