cimport cython

from xylogic.grow.numbers_kernel cimport Numbers


cdef class Poisson(Numbers):
    @cython.final
    cdef double deviance(self, double total, double weight, double mean) noexcept nogil
    @cython.final
    cdef double gained(self, double left_sum, double left, double total, double weight) noexcept nogil
