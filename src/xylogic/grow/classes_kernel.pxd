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

    @cython.final
    cdef double scaled_log(self, double x) noexcept nogil
    @cython.final
    cdef double lost(self, double *count, Py_ssize_t at, double *part, Py_ssize_t of, double weight) noexcept nogil
    @cython.final
    cdef bint orderly(self, double *left, Py_ssize_t at, double weight, double *total, Py_ssize_t of, double whole) noexcept nogil
    @cython.final
    cdef Py_ssize_t sweep_gini(
        self, int *order, Py_ssize_t at, Py_ssize_t first, Py_ssize_t last, int *codes, Py_ssize_t column, double weight, double bar
    ) noexcept nogil
