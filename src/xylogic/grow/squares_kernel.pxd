cimport cython

from xylogic.grow.numbers_kernel cimport Numbers


cdef class Squares(Numbers):
    cdef bint binary
    cdef double *weight_at
    cdef double *total_at
