cdef class Nodes:
    cdef readonly object keep
    cdef readonly int n_nodes
    cdef int *feature
    cdef int *left
    cdef int *right
    cdef int *way
    cdef int *set_at
    cdef int *label
    cdef double *cut
    cdef unsigned long long *words

cdef class Path:
    cdef readonly object keep
    cdef readonly int n_saved
    cdef long long n_saved_words
    cdef int *is_set
    cdef int *width
    cdef int *word_at
    cdef double *low
    cdef double *high
    cdef int *missing
    cdef unsigned long long *word
    cdef int *saved_column
    cdef double *saved_low
    cdef double *saved_high
    cdef int *saved_missing
    cdef unsigned long long *saved_word

    cdef int sides(self, Nodes tree, int node) noexcept nogil
    cdef void narrow(self, Nodes tree, int node, int side) noexcept nogil
    cdef void undo(self) noexcept nogil

cdef bint same_tests(Nodes one, int a, Nodes two, int b, Path path, int *stack_a, int *stack_b) noexcept nogil
