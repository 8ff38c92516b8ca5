cdef double between(double low, double high) noexcept nogil
cdef double single_below(double cut) noexcept nogil
