cimport cython

from xylogic.circuit.nodes_kernel cimport Nodes


cdef class Resolver:
    cdef Nodes nodes
    cdef object budget
    cdef dict keep  # the arrays below, by name
    cdef int n_parts, n_columns, n_constraints, n_classes, n_levels
    cdef readonly long long states
    cdef long long unchecked
    # graphs: part 0 is the product's, the others are trees; nodes of both in one numbering, the product's first
    cdef Py_ssize_t n_product
    cdef int *level
    cdef long long *edge_at
    cdef int *hi
    cdef int *child
    cdef int *place  # of product nodes in ``nodes``; -1 where floats must decide below
    # the model's arithmetic
    cdef double[::1] value
    cdef double[::1] base
    cdef double[::1] sums
    cdef double[::1] number
    cdef double divisor
    cdef int *plus
    cdef int *minus
    cdef int *strict
    cdef int *winner
    cdef int *loser
    cdef int *beaten
    # frames
    cdef int *part
    cdef long long *edge
    cdef int *frame_level
    cdef int *frame_out
    cdef unsigned long long *frame_key
    cdef int *out_hi
    cdef int *out_child
    # what is known
    cdef unsigned long long *slot_key
    cdef int *slot_node
    cdef unsigned long long slot_mask
    cdef Py_ssize_t n_slots

    cdef _grow_slots(self)
    @cython.final
    cdef long long find(self, unsigned long long a, unsigned long long b) noexcept nogil
    @cython.final
    cdef int label(self, Py_ssize_t at) noexcept nogil
    @cython.final
    cdef int settled(self, Py_ssize_t at) noexcept nogil
    @cython.final
    cdef void open(self, int d) noexcept nogil
    @cython.final
    cdef int search(self) except -1 nogil
