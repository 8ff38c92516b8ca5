cimport cython

cdef long long FAR


cdef class Verdict:
    cdef dict given  # the arrays below, by name
    cdef readonly int width, n_classes, unresolved
    # per constraint (see compile/votes.py)
    cdef int *plus
    cdef int *minus
    cdef long long *sure
    cdef long long *never
    # per class: the constraint that rules it out, or -1, and how clearly
    cdef int *loser
    cdef long long *clear
    # the sums, per constraint, that the latest label is right for
    cdef long long *child_least
    cdef long long *child_most

    @cython.final
    cdef int decide(self, long long *top, long long *gained, Py_ssize_t at) noexcept nogil
    @cython.final
    cdef int decide_one(self, long long top, long long gained) noexcept nogil
    @cython.final
    cdef int elect(self, long long *top, long long *gained, Py_ssize_t at) noexcept nogil
    @cython.final
    cdef int hold_all(self, long long *top, long long *gained, Py_ssize_t at) noexcept nogil
