cdef class Entries:
    cdef dict keep  # the arrays below, by name
    cdef Py_ssize_t n, room, next_node, begin  # entries, room for them, the node at work, its first entry
    cdef Py_ssize_t split, left, right  # the pair at work
    cdef long long made
    cdef unsigned long long mask
    cdef int *slots
    cdef long long *at
    cdef long long *first
    cdef long long *second
    cdef long long *loss
    cdef long long *count
    cdef int *size
    cdef int *feature
    cdef int *no
    cdef int *yes

    cdef Py_ssize_t _slot(self, long long first, long long loss) noexcept nogil
    cdef int _add(
        self, long long first, long long second, long long loss, long long count,
        int size, int feature, int no, int yes
    ) noexcept nogil
    cdef int _fill(
        self, const int[::1] leaf_at, const int[::1] leaf_label, const long long[::1] leaf_loss,
        const int[::1] split_at, const int[::1] feature, const int[::1] no, const int[::1] yes, long long budget,
        const long long[:, ::1] code, const long long[:, ::1] weight,
        long long stop
    ) noexcept nogil
