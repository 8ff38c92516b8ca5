cimport cython

from xylogic.grow.classes_kernel cimport Classes


cdef class Gini(Classes):
    cdef double squares_left, squares_right, before, squares
    # where there are few rows and levels
    cdef bint is_near
    cdef int *near
    cdef int *near_level
    cdef int *by_level
    cdef int *end

    @cython.final
    cdef void square(self) noexcept nogil
