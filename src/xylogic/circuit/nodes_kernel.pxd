cimport cython


cdef class Nodes:
    cdef readonly tuple sizes
    cdef readonly int n_levels, n_labels
    cdef readonly object budget
    cdef dict keep  # the arrays below, by name
    cdef int *level_size
    # per node: its level (n_levels at leaves), where its edges begin, its hash
    cdef Py_ssize_t n, room
    cdef int *level
    cdef long long *edge_at
    cdef unsigned long long *code
    # per edge: its last state and where it leads
    cdef Py_ssize_t n_items, item_room
    cdef int *hi
    cdef int *child
    # the table of nodes: 0 where empty
    cdef int *slots
    cdef unsigned long long slot_mask

    cdef _resized(self, str name, object dtype, Py_ssize_t room)
    cdef _grow_nodes(self)
    cdef _grow_items(self, Py_ssize_t more)
    cdef _reach(self, int *mark, Py_ssize_t root)
    cdef void _rehash(self) noexcept nogil
    @cython.final
    cdef int make(self, int level, int *hi, int *child, Py_ssize_t at, Py_ssize_t n) except -1 nogil
