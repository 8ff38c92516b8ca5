cdef extern from *:
    """
    #if defined(_MSC_VER)
    #include <intrin.h>
    static __inline int xy_first_bit(unsigned long long x) { unsigned long i; _BitScanForward64(&i, x); return (int)i; }
    #else
    #define xy_first_bit(x) __builtin_ctzll(x)
    #endif
    """
    int first_bit "xy_first_bit"(unsigned long long x) noexcept nogil

cdef int *ints(int[::1] array)
cdef long long *longs(long long[::1] array)
cdef unsigned long long *bits(unsigned long long[::1] array)
