cimport cython


cdef class Circuit:
    cdef readonly tuple n_states
    cdef dict keep  # the arrays below, by name
    cdef readonly object budget
    cdef readonly int n_features
    cdef int *state_count  # states of each feature
    # nodes
    cdef Py_ssize_t n, room, most
    cdef int *kinds  # 0 false, 1 true, 2 literal, 3 conjunction, 4 disjunction
    cdef int *size  # its number of items
    cdef long long *at  # where they begin
    cdef unsigned long long *code  # its hash
    cdef int *items
    cdef Py_ssize_t n_items, n_links, item_room
    # the table of nodes: 0 where empty
    cdef int *slots
    cdef unsigned long long slot_mask
    cdef int *scratch
    cdef Py_ssize_t scratch_room
    cdef int unchecked

    cdef _resized(self, str name, object dtype, Py_ssize_t used, Py_ssize_t room)
    cdef _afford(self, Py_ssize_t more)
    cdef _grow_nodes(self)
    cdef void _rehash(self) noexcept nogil
    cdef _grow_items(self, Py_ssize_t n)
    cdef _grow_scratch(self, Py_ssize_t n)
    @cython.final
    cdef int spend(self) except -1 nogil
    @cython.final
    cdef int literal_runs(self, int feature, int *runs, Py_ssize_t at, Py_ssize_t n) except -1 nogil
    @cython.final
    cdef int literal_at(self, int feature, unsigned long long *words, Py_ssize_t at) except -1 nogil
    @cython.final
    cdef void sort_scratch(self, Py_ssize_t n) noexcept nogil
    @cython.final
    cdef int gate(self, int kind, int *children, Py_ssize_t at, Py_ssize_t n) except -1 nogil
    @cython.final
    cdef int find(self, int kind, int size) except -1 nogil
    cdef object _gate_of(self, int kind, object ids)
    cdef object _items(self, int node)
    cdef object _known(self, int node)
