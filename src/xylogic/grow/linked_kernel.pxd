cimport cython

from xylogic.grow.numbers_kernel cimport Numbers


cdef class Linked(Numbers):
    cdef int *ranks
    cdef unsigned long long *keys
    cdef unsigned long long *spare
    cdef int *row_at
    cdef int *place_of
    cdef int *before
    cdef int *after
    cdef int *other_before
    cdef int *other_after
    cdef int *aside
    cdef double *value
    cdef double *cost_left
    cdef double *cost_right
    cdef double *middle_left
    cdef double *middle_right
    cdef int middle, first_middle
    cdef Py_ssize_t n_linked
    cdef double below, above, sum_below, sum_above
    cdef double first_below, first_above, first_sum_below, first_sum_above

    @cython.final
    cdef double weight_at(self, int place) noexcept nogil
    @cython.final
    cdef double link(self, bint with_held) noexcept nogil
    @cython.final
    cdef double remaining(self) noexcept nogil
    @cython.final
    cdef double middle_value(self) noexcept nogil
    @cython.final
    cdef void drop(self, int row) noexcept nogil
    @cython.final
    cdef void peel(
        self, int *order, Py_ssize_t at, Py_ssize_t n, bint from_right, double *cost, double *median
    ) noexcept nogil
    @cython.final
    cdef double both_costs(self, int *order, Py_ssize_t at, Py_ssize_t n, int way) noexcept nogil
    @cython.final
    cdef void peel_plain(self, int *order, Py_ssize_t at, Py_ssize_t n, int way) noexcept nogil
    @cython.final
    cdef void peel_few(self, int *order, Py_ssize_t at, Py_ssize_t n) noexcept nogil
