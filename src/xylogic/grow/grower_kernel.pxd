cimport cython

from xylogic.grow.splitter_kernel cimport Splitter

cdef int FEATURE, WAY, N_INTS


cdef class Grower(Splitter):
    cdef object budget
    cdef readonly dict nodes
    cdef readonly Py_ssize_t n_nodes
    cdef Py_ssize_t room, n_waiting, n_set_codes, set_room
    cdef int max_depth, n_values, n_sorted
    cdef Py_ssize_t max_nodes, min_split
    cdef double min_gain, root_weight
    cdef bint best_first, bounded
    cdef long long work
    cdef int *ints_at
    cdef double *doubles_at
    cdef int *waiting
    cdef unsigned char *set_codes
    cdef unsigned char *side
    cdef int *moved

    cdef enlarge(self)
    cdef enlarge_sets(self)
    cdef check(self)
    @cython.final
    cdef bint ahead(self, int a, int b) noexcept nogil
    @cython.final
    cdef void wait(self, int node) noexcept nogil
    @cython.final
    cdef int take(self) noexcept nogil
    @cython.final
    cdef bint open(self, int node) noexcept nogil
    @cython.final
    cdef int decide(self, int node) except -1 nogil
    cdef void settle(self, int node, Py_ssize_t at, Py_ssize_t n) noexcept nogil
    @cython.final
    cdef Py_ssize_t mark(self, int node) noexcept nogil
    @cython.final
    cdef Py_ssize_t mark_known(self, int node, Py_ssize_t column, int last) noexcept nogil
    @cython.final
    cdef void fill_set(self, int node, Py_ssize_t chosen, int n_levels, Py_ssize_t at, Py_ssize_t n) noexcept nogil
    @cython.final
    cdef void divide(self, int *items, Py_ssize_t at, Py_ssize_t n) noexcept nogil
    @cython.final
    cdef void bound(self, int node, int left, int right) noexcept nogil
    @cython.final
    cdef int split(self, int node) except -1 nogil
    @cython.final
    cdef double value_of(self, int node) noexcept nogil
