cimport cython

from xylogic.update.old_leaves_kernel cimport OldLeaves


cdef class Drift(OldLeaves):
    @cython.final
    cdef void trace(
        self, int f, int *order, Py_ssize_t at, int *places, double *cuts, Py_ssize_t n_cuts, double *gains
    ) noexcept nogil
    @cython.final
    cdef void trace_sets(
        self, int f, int *order, Py_ssize_t at, int *places, Py_ssize_t n_cuts, double *gains
    ) noexcept nogil
    @cython.final
    cdef void trace_squares(
        self, int f, int *order, Py_ssize_t at, int *places, double *cuts, Py_ssize_t n_cuts, double *gains
    ) noexcept nogil
    @cython.final
    cdef void trace_distances(
        self, int f, int *order, Py_ssize_t at, int *places, double *cuts, Py_ssize_t n_cuts, double *gains
    ) noexcept nogil
    @cython.final
    cdef int list_edges(self, int f, int *edge_of, int *edges, double *weights) noexcept nogil
