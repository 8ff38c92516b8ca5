from xylogic.search.path_kernel cimport Nodes

cdef class Question:
    cdef readonly object keep
    cdef Nodes tree
    cdef int n_columns
    cdef double *low
    cdef double *high
    cdef int *is_set
    cdef int *width
    cdef int *word_at
    cdef int *at
    cdef double *least
    cdef double *most
    cdef int *missing
    cdef unsigned long long *word
    cdef int *state
    cdef int *head
    cdef int *stack
    cdef int *mark
    cdef int *node
    cdef int *owner
    cdef int *link
    cdef int n_waiting

    cdef int sides(self, int n) noexcept nogil
    cdef int beyond(self, double number, int k, int stop) noexcept nogil
    cdef int next_leaf(self, int *group, int *passed) noexcept nogil
    cdef bint behind(self, int c, int *bad) noexcept nogil
    cdef bint explore(self, int n, int *bad) noexcept nogil
    cdef int changes(self, int *bad, int *ends, int *columns, bint listed, long long room) noexcept nogil
