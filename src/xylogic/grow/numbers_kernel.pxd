cimport cython

from xylogic.grow.criterion_kernel cimport Criterion

cdef double WHOLE


cdef class Numbers(Criterion):
    cdef double *target
    cdef double *grid
    cdef double *near
    cdef double *near_weight
    cdef bint is_near, heavy
    cdef double mean, least, most, step, shift, origin, offset, squares, total, held_total

    @cython.final
    cdef void place(self, int *rows, Py_ssize_t at, Py_ssize_t n, bint centred) noexcept nogil
    @cython.final
    cdef double on_grid(self, int row) noexcept nogil
    @cython.final
    cdef void gather(self, int *rows, Py_ssize_t at, Py_ssize_t n) noexcept nogil
    @cython.final
    cdef bint orderly(self, double left, double left_weight, double right, double right_weight) noexcept nogil
