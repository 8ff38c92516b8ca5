cimport cython


cdef class Circuit:
    cdef readonly tuple n_states
    cdef dict keep  # the arrays below, by name
    cdef readonly object budget
    cdef readonly int n_features
    cdef int *state_count  # states of each feature
    cdef int *width  # words of its bit sets
    cdef unsigned long long *literal_words
    # nodes
    cdef Py_ssize_t n, room, most
    cdef int *kinds  # 0 false, 1 true, 2 literal, 3 conjunction, 4 disjunction
    cdef int *size  # a gate's number of children, a literal's feature
    cdef long long *at  # where its children (in items) or words begin
    cdef unsigned long long *code  # its hash
    cdef int *items
    cdef Py_ssize_t n_items, item_room
    cdef unsigned long long *words
    cdef Py_ssize_t n_words, word_room
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
    cdef _grow_words(self, Py_ssize_t n)
    cdef _grow_scratch(self, Py_ssize_t n)
    @cython.final
    cdef int spend(self) except -1 nogil
    @cython.final
    cdef int put(self, int kind, int size, Py_ssize_t at, unsigned long long code, Py_ssize_t slot) noexcept nogil
    @cython.final
    cdef int literal_at(self, int feature, unsigned long long *states, Py_ssize_t at) except -1 nogil
    @cython.final
    cdef void sort_scratch(self, Py_ssize_t n) noexcept nogil
    @cython.final
    cdef int gate(self, int kind, int *children, Py_ssize_t at, Py_ssize_t n) except -1 nogil
    @cython.final
    cdef int find_gate(self, int kind, int size) except -1 nogil
    cdef object _gate_of(self, int kind, object ids)
    cdef object _known(self, int node)
