cimport cython

from xylogic.grow.numbers_kernel cimport Numbers


cdef class Squares(Numbers):
    cdef bint binary
    cdef double *by_level
