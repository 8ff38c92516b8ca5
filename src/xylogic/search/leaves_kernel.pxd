cimport cython

from xylogic.search.state_kernel cimport State


cdef extern from *:
    """
    #define xy_bit(k) (1ULL << (k))
    #if defined(_MSC_VER)
    #include <intrin.h>
    static __inline int xy_lowest_bit(unsigned long long x) { unsigned long i; _BitScanForward64(&i, x); return (int)i; }
    static __inline int xy_highest_bit(unsigned long long x) { unsigned long i; _BitScanReverse64(&i, x); return (int)i; }
    #else
    #define xy_lowest_bit(x) __builtin_ctzll(x)
    #define xy_highest_bit(x) (63 - __builtin_clzll(x))
    #endif
    """
    unsigned long long bit "xy_bit"(int k) noexcept nogil
    int lowest_bit "xy_lowest_bit"(unsigned long long x) noexcept nogil
    int highest_bit "xy_highest_bit"(unsigned long long x) noexcept nogil


cdef class Leaves(State):
    @cython.final
    cdef int tick(self) except -1 nogil
    @cython.final
    cdef int spend(self) except -1 nogil
    @cython.final
    cdef int sides(self, int n) noexcept nogil
    @cython.final
    cdef void touch(self, int t) noexcept nogil
    @cython.final
    cdef void drop(
        self, Py_ssize_t start, Py_ssize_t stop, unsigned long long *below, int kept_by
    ) noexcept nogil
    @cython.final
    cdef void walk(self, int t, int i) noexcept nogil
    @cython.final
    cdef int lowest(self, int t) noexcept nogil
    @cython.final
    cdef void measure(self, int t) noexcept nogil
    @cython.final
    cdef void settle(self) noexcept nogil
