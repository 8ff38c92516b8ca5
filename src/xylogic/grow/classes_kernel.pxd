cimport cython

from xylogic.grow.criterion_kernel cimport Criterion


cdef class Classes(Criterion):
    cdef int *y
    cdef int n_classes, rule
    cdef bint exact
    cdef double *count
    cdef double *held
    cdef double *total
    cdef double *left
    cdef double *price
    cdef bint priced
    cdef double *table
    cdef Py_ssize_t n_table
    cdef double grain
    # of the sweep under way
    cdef Py_ssize_t left_rows, known_rows
    cdef double left_weight, known_weight

    @cython.final
    cdef double scaled_log(self, double x) noexcept nogil
    @cython.final
    cdef double lost(self, double *count, Py_ssize_t at, double *part, Py_ssize_t of, double weight) noexcept nogil
    @cython.final
    cdef bint orderly(self, double *left, Py_ssize_t at, double weight, double *total, Py_ssize_t of, double whole) noexcept nogil
    @cython.final
    cdef double start(self, int way) noexcept nogil
    @cython.final
    cdef double gained(self, double loss, double left, double weight) noexcept nogil
