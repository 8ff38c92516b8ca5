cimport cython

from xylogic.circuit.lists_kernel cimport Lists


cdef class Graphs(Lists):
    """Kinds: 0 false, 1 true, 2 node, 3 raw node."""

    cdef readonly tuple n_states
    cdef readonly int n_features
    cdef int width  # words of a set of features
    cdef int *last  # the last state of each feature
    # the path that is being followed: first and last state of each feature, and which features it limits
    cdef int *lo
    cdef int *hi
    cdef unsigned long long *tight
    cdef unsigned long long *joint  # scratch
    cdef readonly Lists paths
    # per node: the features tested from it on, and what paths to it allow of them
    cdef unsigned long long *tested
    cdef int *context
    cdef Py_ssize_t about_room

    cdef _grow_about(self)
    @cython.final
    cdef void open_path(self) noexcept nogil
    @cython.final
    cdef void allow(self, int f, int lo, int hi) noexcept nogil
    @cython.final
    cdef int joint_path(self) except -1 nogil
    @cython.final
    cdef Py_ssize_t edge_of(self, int n, int state) noexcept nogil
    @cython.final
    cdef int descend(self, int n) noexcept nogil
    @cython.final
    cdef bint is_root(self, int n) noexcept nogil
    @cython.final
    cdef int node(self, int kind, int size, int context) except -1 nogil
