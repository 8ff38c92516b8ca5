cimport cython

cdef int JAC, JLU, MAE, MSE, BELOW, ABOVE


cdef class OldLeaves:
    cdef readonly dict keep
    cdef int kind, n_features
    cdef bint pooled
    # of rows, and of the old leaves
    cdef int *leaf
    cdef double *relied
    cdef unsigned char *sides
    cdef int *n_below
    cdef int *n_above
    cdef int *n_any
    cdef double *lower
    cdef double *upper
    cdef double *edge
    cdef int *first_edge
    cdef int *lower_edge
    cdef int *upper_edge
    cdef double *top
    # of the growing tree's nodes
    cdef int *parent
    cdef int *tested
    cdef double *cut
    # of the node
    cdef int node, n_here, n_touched
    cdef int *here
    cdef double *held
    cdef int *touched
    cdef unsigned char *bounded
    cdef double *low
    cdef double *high
    cdef double *shared
    cdef double *most
    cdef unsigned char *steady
    # of a sweep
    cdef double *change
    cdef unsigned long long *met
    cdef double *at_edge
    cdef int *lowers
    cdef int *uppers
    cdef double *of_lowers
    cdef double *of_uppers

    @cython.final
    cdef void enter(self, int node, int parent, int f, bint on_left, double cut) noexcept nogil
    @cython.final
    cdef void turn(self, int *rows, Py_ssize_t at, Py_ssize_t n) noexcept nogil
    @cython.final
    cdef void find_box(self) noexcept nogil
    @cython.final
    cdef void weigh_sets(self) noexcept nogil
    @cython.final
    cdef void gain_of_element(self, Py_ssize_t at, int both, int either, double share) noexcept nogil
    @cython.final
    cdef void find_most(self) noexcept nogil
    @cython.final
    cdef double gain_below(self, int f, int k) noexcept nogil
    @cython.final
    cdef double gain_above(self, int f, int k) noexcept nogil
