cimport cython


cdef class Sums:
    cdef readonly tuple sizes
    cdef readonly int n_levels, width
    cdef readonly object budget
    cdef dict keep  # the arrays below, by name
    cdef int *level_size
    # per node: its level, where its edges begin, its hash, two random words, the greatest sums below it (width each)
    cdef Py_ssize_t n, room
    cdef int *level
    cdef long long *edge_at
    cdef unsigned long long *code
    cdef unsigned long long *first_word
    cdef unsigned long long *second_word
    cdef long long *top
    # per edge: its last state, where it leads, what it adds (width numbers)
    cdef Py_ssize_t n_items, item_room
    cdef int *hi
    cdef int *child
    cdef long long *worth
    # the table of nodes: 0 where empty
    cdef int *slots
    cdef unsigned long long slot_mask
    # results of the current sum, by pair of nodes; valid where ``stamp`` is ``epoch``
    cdef unsigned long long *pair
    cdef int *value
    cdef int *stamp
    cdef long long *pair_worth
    cdef unsigned long long pair_mask
    cdef Py_ssize_t n_pairs
    cdef int epoch
    # one frame a level
    cdef int *frame_u
    cdef int *frame_v
    cdef long long *frame_i
    cdef long long *frame_j
    cdef long long *frame_out
    cdef int *out_hi
    cdef int *out_child
    cdef long long *out_worth
    cdef long long *low  # what ``make`` took off
    cdef long long unchecked

    cdef _resized(self, str name, object dtype, Py_ssize_t room)
    cdef _grow_nodes(self)
    cdef _grow_items(self, Py_ssize_t more)
    cdef _grow_pairs(self)
    cdef void _rehash(self) noexcept nogil
    cdef int make(self, int level, Py_ssize_t at, Py_ssize_t n) except -1 nogil
    @cython.final
    cdef long long recall(self, int u, int v) noexcept nogil
    @cython.final
    cdef long long remember(self, int u, int v, int value) except -1 nogil
    @cython.final
    cdef int sum(self, int u, int v, Py_ssize_t most) except -2 nogil
