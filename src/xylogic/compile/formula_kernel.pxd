from xylogic.circuit.nnf_kernel cimport Circuit


cdef class TreeBuilder:
    cdef Circuit circuit
    cdef dict keep  # the arrays below, by name
    # per tree node: its formula where kind is 0, else the unfinished gate's kind and its first item
    cdef int *value
    cdef int *kind
    cdef int *head
    # chains of children; 0 ends them
    cdef int *item
    cdef int *next
    cdef int n_items
    cdef int *gathered
    cdef void push(self, int n, int item) noexcept nogil
    cdef int finished(self, int n, int kind, int literal) except -1 nogil
    cdef int extend(self, int n, int child, int kind, int literal) except -1 nogil
    cdef int join(self, int n, int left, int right, int left_literal, int right_literal) except -1 nogil
