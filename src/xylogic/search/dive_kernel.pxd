cimport cython

from xylogic.search.reach_kernel cimport Reach


cdef class Search(Reach):
    cdef object sink
    cdef int mode, last_game
    cdef readonly bint found
    cdef double gap
    cdef readonly double best

    @cython.final
    cdef int judge(self) except -1 nogil
    @cython.final
    cdef int choose(self) noexcept nogil
    @cython.final
    cdef int crossing(self, int t, int i) noexcept nogil
    @cython.final
    cdef int resolve(self) noexcept nogil
    @cython.final
    cdef void clamp(self) noexcept nogil
    @cython.final
    cdef int accept(self) except -1 nogil
    @cython.final
    cdef int dive(self) except -1 nogil
    cdef int flip(self, unsigned long long *free) except -1 nogil
    @cython.final
    cdef int range_over(self, unsigned long long *free) except -1 nogil
    cdef _range(self, unsigned long long[::1] free)
