cimport cython

from xylogic.grow.criterion_kernel cimport Criterion


cdef class Levels:
    cdef readonly dict keep
    cdef Criterion criterion
    cdef int stride, n_orders, most_subsets
    cdef bint as_level, ordered_best
    cdef double *table
    cdef double *total
    cdef double *side
    cdef double *key
    cdef int *present
    cdef int *by_group
    cdef int *group
    cdef int *start
    cdef unsigned char *chosen
    cdef int n_present
    cdef double bar, gain
    cdef int best_left, way

    @cython.final
    cdef int tabulate(
        self, int *rows, Py_ssize_t at, Py_ssize_t n, int *codes, Py_ssize_t column, int n_levels, bint apart
    ) noexcept nogil
    @cython.final
    cdef void sort_present(self, int k) noexcept nogil
    @cython.final
    cdef bint prefixes(self, int missing, int way) noexcept nogil
    @cython.final
    cdef bint swept(
        self, int *rows, Py_ssize_t at, Py_ssize_t n, int *codes, Py_ssize_t column, int n_groups, int missing, bint apart
    ) noexcept nogil
    @cython.final
    cdef bint subset(
        self, int *rows, Py_ssize_t at, Py_ssize_t n, int *codes, Py_ssize_t column, int members
    ) noexcept nogil
    @cython.final
    cdef void choose(self, int n_left, int missing) noexcept nogil
    @cython.final
    cdef bint in_order(
        self, int *rows, Py_ssize_t at, Py_ssize_t n, int *codes, Py_ssize_t column, int missing, bint apart
    ) noexcept nogil
    @cython.final
    cdef bint search(
        self, int *rows, Py_ssize_t at, Py_ssize_t n, int *codes, Py_ssize_t column, int n_levels, bint categories, bint apart, double bar
    ) noexcept nogil
    @cython.final
    cdef bint searched(
        self, int *rows, Py_ssize_t at, Py_ssize_t n, int *codes, Py_ssize_t column, int n_levels, int missing, bint categories, bint apart
    ) noexcept nogil
    @cython.final
    cdef bint few(self, int more) noexcept nogil
    @cython.final
    cdef void climb(self, int missing) noexcept nogil
