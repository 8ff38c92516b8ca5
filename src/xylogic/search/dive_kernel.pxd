from xylogic.search.box_kernel cimport Box


cdef class Search(Box):
    cdef object sink
    cdef int mode, last_game
    cdef readonly bint found
    cdef double bound, total, gap
    cdef readonly double best
    cdef long long slack

    cdef int judge(self) except -1 nogil
    cdef bint is_fixed(self, int f) noexcept nogil
    cdef int choose(self) noexcept nogil
    cdef int resolve(self) noexcept nogil
    cdef void clamp(self) noexcept nogil
    cdef int accept(self) except -1 nogil
    cdef int dive(self) except -1 nogil
    cdef int flip(self, unsigned long long *free) except -1 nogil
    cdef int range_over(self, unsigned long long *free) except -1 nogil
    cdef _range(self, unsigned long long[::1] free)
