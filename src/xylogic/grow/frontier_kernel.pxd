cimport cython

cdef int FEATURE, LEFT_CHILD, RIGHT_CHILD, DEPTH, START, N_ROWS, CODE, BELOW, ABOVE, WAY, SET_AT, TABLE, N_INTS
cdef int WEIGHT, LOSS, GAIN, CUT, LOWER, UPPER, N_DOUBLES


cdef class Frontier:
    cdef readonly dict arrays
    cdef readonly Py_ssize_t n_nodes, width
    cdef Py_ssize_t room, n_waiting, n_set_codes, set_room, most_levels, max_nodes
    cdef bint best_first
    cdef int *ints
    cdef double *doubles
    cdef int *waiting
    cdef unsigned char *set_codes

    cdef enlarge(self)
    cdef enlarge_sets(self)
    @cython.final
    cdef bint ahead(self, int a, int b) noexcept nogil
    @cython.final
    cdef void wait(self, int node) noexcept nogil
    @cython.final
    cdef int take(self) noexcept nogil
