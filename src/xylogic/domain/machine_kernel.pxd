cdef extern from *:
    """
    #define xy_bit(k) (1ULL << (k))
    #if defined(_MSC_VER)
    #include <intrin.h>
    #define xy_ahead(array, i) ((void)0)
    static __inline int xy_lowest_bit(unsigned long long x) { unsigned long i; _BitScanForward64(&i, x); return (int)i; }
    static __inline int xy_highest_bit(unsigned long long x) { unsigned long i; _BitScanReverse64(&i, x); return (int)i; }
    #else
    #define xy_ahead(array, i) __builtin_prefetch((array) + (i))
    #define xy_lowest_bit(x) __builtin_ctzll(x)
    #define xy_highest_bit(x) (63 - __builtin_clzll(x))
    #endif
    #ifndef XY_MIXED
    #define XY_MIXED
    static CYTHON_INLINE unsigned long long xy_mixed(unsigned long long code, unsigned long long item) {
        code = (code ^ item) * 0x9E3779B97F4A7C15ULL;
        return code ^ (code >> 29);
    }
    #endif
    """
    unsigned long long bit "xy_bit"(int k) noexcept nogil
    int lowest_bit "xy_lowest_bit"(unsigned long long x) noexcept nogil
    int highest_bit "xy_highest_bit"(unsigned long long x) noexcept nogil
    void ahead "xy_ahead"(unsigned char *array, Py_ssize_t i) noexcept nogil
    unsigned long long mixed "xy_mixed"(unsigned long long code, unsigned long long item) noexcept nogil

cdef int *ints(int[::1] array)
cdef long long *longs(long long[::1] array)
cdef unsigned long long *bits(unsigned long long[::1] array)
cdef double *doubles(double[::1] array)
cdef unsigned short *shorts(unsigned short[::1] array)
cdef unsigned char *small(unsigned char[::1] array)
