cimport cython

from xylogic.circuit.lists_kernel cimport Lists


cdef class Circuit(Lists):
    """Kinds: 0 false, 1 true, 2 literal, 3 conjunction, 4 disjunction."""

    cdef readonly tuple n_states
    cdef readonly int n_features
    cdef int *state_count  # states of each feature

    @cython.final
    cdef int literal_runs(self, int feature, int *runs, Py_ssize_t at, Py_ssize_t n) except -1 nogil
    @cython.final
    cdef int literal_at(self, int feature, unsigned long long *words, Py_ssize_t at) except -1 nogil
    @cython.final
    cdef void sort_scratch(self, Py_ssize_t n) noexcept nogil
    @cython.final
    cdef int gate(self, int kind, int *children, Py_ssize_t at, Py_ssize_t n) except -1 nogil
    @cython.final
    cdef int flat_gate(self, int kind, int a, int b) except -1 nogil
    @cython.final
    cdef int gathered(self, int kind, Py_ssize_t n) except -1 nogil
    cdef object _gate_of(self, int kind, object ids)
    cdef object _items(self, int node)
    cdef object _known(self, int node)
