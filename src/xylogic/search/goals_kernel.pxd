cimport cython

from xylogic.search.dive_kernel cimport Search


cdef class Goals:
    cdef Search search
    cdef object keep
    cdef int n, width, game
    cdef bint around
    cdef int *feature
    cdef int *at
    cdef unsigned long long *free
    cdef unsigned long long *loose
    # the box of goals: words; noted while it is widened: ends of intervals, "all its states", and one goal's states
    cdef unsigned long long *bad
    cdef int *lo
    cdef int *hi
    cdef int *missing
    cdef int *whole
    cdef int *cell

    @cython.final
    cdef void restrict(self, unsigned long long *boxes, Py_ssize_t box) noexcept nogil
    @cython.final
    cdef int tighten(self, int f) except -1 nogil
    @cython.final
    cdef int enter(self, int n, int side) except -1 nogil
    @cython.final
    cdef int dive(self) except -1 nogil
    @cython.final
    cdef int look(self) except -1 nogil
    @cython.final
    cdef int hit(self, unsigned long long *boxes, Py_ssize_t box) except -1 nogil
    @cython.final
    cdef void take_box(self) noexcept nogil
    @cython.final
    cdef int shrink(self) except -1 nogil
    @cython.final
    cdef void settle_others(self) noexcept nogil
    @cython.final
    cdef int narrow(self, int k) except -1 nogil
    @cython.final
    cdef int holds_when(self, int k) except -1 nogil
    @cython.final
    cdef bint spares(self, int k) noexcept nogil
    @cython.final
    cdef int relax(self) except -1 nogil
    @cython.final
    cdef int extend(self, int k) except -1 nogil
    @cython.final
    cdef void write_box(self) noexcept nogil
