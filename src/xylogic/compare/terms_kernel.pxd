cimport cython

from xylogic.circuit.lists_kernel cimport Lists


cdef class TermSets(Lists):
    cdef readonly int n_levels
    cdef int *has_empty  # per set: whether the empty term is in it
    cdef Py_ssize_t empty_room
    # differences known so far, by pair of sets; the table is empty where ``pair`` is 0
    cdef unsigned long long *pair
    cdef int *value
    cdef unsigned long long pair_mask
    cdef Py_ssize_t n_pairs
    # one frame a level
    cdef int *frame_u
    cdef int *frame_v
    cdef long long *frame_i
    cdef long long *frame_j
    cdef long long *frame_out
    cdef int *out  # labels and sets of the frames' results so far
    cdef Py_ssize_t out_room

    cdef _grow_pairs(self)
    cdef _grow_out(self, Py_ssize_t room)
    cdef _grow_empty(self)
    @cython.final
    cdef int level(self, int n) noexcept nogil
    @cython.final
    cdef int without(self, int n) noexcept nogil
    @cython.final
    cdef int known(self, int u, int v) noexcept nogil
    @cython.final
    cdef int recall(self, int u, int v) noexcept nogil
    @cython.final
    cdef int remember(self, int u, int v, int result) except -1 nogil
    @cython.final
    cdef int node(self, int level, int *edges, Py_ssize_t at, Py_ssize_t n) except -1 nogil
    @cython.final
    cdef int difference(self, int u, int v) except -1 nogil
