cimport cython

from xylogic.grow.numbers_kernel cimport Numbers


cdef class Absolute(Numbers):
    cdef int *ranks
    cdef unsigned long long *keys
    cdef unsigned long long *spare
    cdef int *row_at
    cdef int *place_of
    cdef int *before
    cdef int *after
    cdef int *aside
    cdef double *value
    cdef double *cost
    cdef double *middle_at
    cdef int middle
    cdef double below, above, sum_below, sum_above

    @cython.final
    cdef double listed(self, bint with_held) noexcept nogil
    @cython.final
    cdef double remaining(self) noexcept nogil
    @cython.final
    cdef double middle_value(self) noexcept nogil
    @cython.final
    cdef void drop(self, int row) noexcept nogil
    @cython.final
    cdef void balance(self) noexcept nogil
