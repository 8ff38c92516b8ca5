cdef extern from *:
    """
    #ifndef XY_MODULAR
    #define XY_MODULAR
    #define XY_PRIME 0x1FFFFFFFFFFFFFFFLL
    /* Halves of 31 bits keep every sum below 2^63: 2^62 = 2, and m * 2^31 = (m >> 30) + (m mod 2^30) * 2^31. */
    static CYTHON_INLINE long long xy_times(long long a, long long b) {
        long long a1 = a >> 31, a0 = a & 0x7FFFFFFF, b1 = b >> 31, b0 = b & 0x7FFFFFFF;
        long long m = a1 * b0 + a0 * b1;
        long long s = 2 * a1 * b1 + (m >> 30) + ((m & 0x3FFFFFFF) << 31) + a0 * b0;
        s = (s & XY_PRIME) + (s >> 61);
        return s >= XY_PRIME ? s - XY_PRIME : s;
    }
    static CYTHON_INLINE long long xy_plus(long long a, long long b) {
        long long s = a + b;
        return s >= XY_PRIME ? s - XY_PRIME : s;
    }
    static CYTHON_INLINE long long xy_minus(long long a, long long b) {
        return a >= b ? a - b : a - b + XY_PRIME;
    }
    /* Fermat's little theorem. */
    static CYTHON_INLINE long long xy_inverse(long long a) {
        long long found = 1, rest = XY_PRIME - 2;
        for (; rest; rest >>= 1) {
            if (rest & 1) found = xy_times(found, a);
            a = xy_times(a, a);
        }
        return found;
    }
    #endif
    """
    long long times "xy_times"(long long a, long long b) noexcept nogil
    long long plus "xy_plus"(long long a, long long b) noexcept nogil
    long long minus "xy_minus"(long long a, long long b) noexcept nogil
    long long inverse "xy_inverse"(long long a) noexcept nogil
