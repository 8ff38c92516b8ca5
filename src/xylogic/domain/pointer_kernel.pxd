cdef int *ints(int[::1] array)
cdef long long *longs(long long[::1] array)
cdef unsigned long long *bits(unsigned long long[::1] array)
