cimport cython

from xylogic.grow.classes_kernel cimport Classes
from xylogic.grow.criterion_kernel cimport Criterion
from xylogic.grow.squares_kernel cimport Squares


cdef class Candidates(Criterion):
    cdef Criterion inner
    cdef Squares squares
    cdef Classes classes
    cdef Py_ssize_t n_all
    cdef int *codes
    # of the node: whether its rows are alike
    cdef bint single_class
    # the boundaries, as numbers of rows to their left, and their gains
    cdef int *places
    cdef double *listed

    @cython.final
    cdef Py_ssize_t list_squares(self, int *order, Py_ssize_t at, Py_ssize_t n, double bar) noexcept nogil
    @cython.final
    cdef Py_ssize_t list_classes(self, int *order, Py_ssize_t at, Py_ssize_t n, double bar) noexcept nogil
