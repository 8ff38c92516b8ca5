cimport cython

from xylogic.circuit.graphs_kernel cimport Graphs


cdef class Apply(Graphs):
    cdef int *rank  # place of each feature in the order
    cdef bint ordered
    # pairs (a, b) being worked on: states from .. to of the feature are left, those before `at` are done, and the
    # children of at .. end are being worked on; the edges made so far begin at edges[frame_edges]
    cdef int *frame_a
    cdef int *frame_b
    cdef int *frame_op
    cdef int *frame_path
    cdef int *frame_feature
    cdef int *frame_from
    cdef int *frame_at
    cdef int *frame_end
    cdef int *frame_to
    cdef int *frame_edges
    cdef Py_ssize_t top, frame_room
    cdef int *edges  # first state, last state, child
    cdef Py_ssize_t n_edge_items, edge_room
    # cache: a (0: empty), 2 b + (0 and, 1 or), path, result
    cdef int *cached_a
    cdef int *cached_b
    cdef int *cached_path
    cdef int *cached
    cdef Py_ssize_t n_cached, cache_room

    cdef _grow_frames(self)
    cdef _grow_edges(self)
    cdef _grow_cache(self)
    cdef forget(self)
    @cython.final
    cdef Py_ssize_t place(self, int a, int b, int op, int path) noexcept nogil
    @cython.final
    cdef void remember(self, int a, int b, int op, int path, int result) noexcept nogil
    @cython.final
    cdef int enter(self, int a, int b, int op) except -2 nogil
    @cython.final
    cdef bint goes_before(self, int b, int a) noexcept nogil
    @cython.final
    cdef int follow(self, Py_ssize_t k) except -2 nogil
    @cython.final
    cdef int take(self, Py_ssize_t k, int child) except -2 nogil
    @cython.final
    cdef int close(self, Py_ssize_t k) except -2 nogil
    @cython.final
    cdef int join(self, int a, int b, int op) except -2 nogil
    cdef _joined(self, int a, int b, int op)
