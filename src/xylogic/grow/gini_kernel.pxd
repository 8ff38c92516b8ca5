cimport cython

from xylogic.grow.classes_kernel cimport Classes


cdef class Gini(Classes):
    cdef double squares_left, squares_right, before

    @cython.final
    cdef void square(self) noexcept nogil
