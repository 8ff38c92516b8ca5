cimport cython

from xylogic.grow.criterion_kernel cimport Criterion
from xylogic.grow.tables_kernel cimport Tables


cdef class Binned:
    cdef readonly dict keep
    cdef Criterion criterion
    cdef int stride, n_columns
    cdef bint single
    cdef unsigned char *codes
    cdef int *n_levels
    cdef int *first
    cdef Tables tables
    cdef double *table  # of the node at hand
    cdef double *total
    cdef unsigned char *near
    cdef int *order
    cdef int *present
    cdef int *end
    cdef int *ends
    cdef unsigned long long *mask
    cdef Py_ssize_t at, n
    cdef int n_present, n_summed, way, below, above
    cdef int held, held_left, held_right
    cdef double gain

    @cython.final
    cdef void turn(self, Py_ssize_t at, Py_ssize_t n, int held) noexcept nogil
    @cython.final
    cdef int n_many(self) noexcept nogil
    @cython.final
    cdef void hand_on(
        self, int *rows, int held, Py_ssize_t at, Py_ssize_t n_left, Py_ssize_t n, bint left_open, bint right_open
    ) noexcept nogil
    @cython.final
    cdef bint many(self, int column) noexcept nogil
    @cython.final
    cdef void sum_up(self, int *rows, int column) noexcept nogil
    @cython.final
    cdef void fill(self, int *rows, int from_column, int to_column) noexcept nogil
    @cython.final
    cdef bint list_summed(self, int column) noexcept nogil
    @cython.final
    cdef bint look(self, int *rows, int column) noexcept nogil
    @cython.final
    cdef void sum_few(self, int *rows, int column, bint missing) noexcept nogil
    @cython.final
    cdef Py_ssize_t group(self, int *rows, bint missing) noexcept nogil
    @cython.final
    cdef bint search_few(self, int *rows, int column, double bar) noexcept nogil
    @cython.final
    cdef bint search(self, int *rows, int column, bint has_missing, bint apart, double bar) noexcept nogil
