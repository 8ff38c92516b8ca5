cimport cython

from xylogic.circuit.nodes_kernel cimport Nodes


cdef class Ordered(Nodes):
    # results of the current operation, by pair of nodes; valid where ``stamp`` is ``epoch``. ``lasting``: of all
    # operations so far, for a manager that is asked for a single one of "and", "or", "differ" from then on
    cdef bint lasting
    cdef unsigned long long *pair
    cdef int *value
    cdef int *stamp
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
    cdef int *fold_hi
    cdef int *fold_child
    cdef Py_ssize_t fold_at
    cdef long long steps, unchecked

    cdef _grow_pairs(self)
    @cython.final
    cdef int spend(self) except -1 nogil
    @cython.final
    cdef int known(self, int op, int level, int u, int v) noexcept nogil
    @cython.final
    cdef int recall(self, int u, int v) noexcept nogil
    @cython.final
    cdef int remember(self, int u, int v, int value) except -1 nogil
    @cython.final
    cdef int spliced(self, int level, int cut, int u, int v) except -1 nogil
    @cython.final
    cdef int apply(self, int op, int level, int cut, int u, int v) except -1 nogil
    @cython.final
    cdef int fold(self, int level, int n) except -1 nogil
    @cython.final
    cdef int place(
        self, int *level_of, int *feature, long long *edge_at, int *lo, int *hi, int *child, Py_ssize_t n_nodes,
        int *allowed_at, int *allowed, int *where
    ) except -1 nogil
