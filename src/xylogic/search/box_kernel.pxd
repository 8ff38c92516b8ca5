cimport cython

from xylogic.search.leaves_kernel cimport Leaves


cdef class Box(Leaves):
    @cython.final
    cdef bint holds_x(self, int f) noexcept nogil
    @cython.final
    cdef int nearest(self, int f) noexcept nogil
    @cython.final
    cdef void price(self, int f) noexcept nogil
    @cython.final
    cdef int prepare(self) except -1 nogil
    @cython.final
    cdef void remember(self, int f) noexcept nogil
    @cython.final
    cdef void narrow(self, int f, int lo, int hi, int missing) noexcept nogil
    @cython.final
    cdef void narrow_set(self, int f, unsigned long long *allowed, int at) noexcept nogil
    @cython.final
    cdef int enter(self, int n, int side) except -1 nogil
    @cython.final
    cdef void fix(self, int f) noexcept nogil
    @cython.final
    cdef bint is_fixed(self, int f) noexcept nogil
    @cython.final
    cdef void undo(self, long long trail, long long box) noexcept nogil
    @cython.final
    cdef void lay_out_kept(self) noexcept nogil
    @cython.final
    cdef int begin(self, int game, unsigned long long *free) except -1 nogil
