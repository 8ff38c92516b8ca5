cimport cython

from xylogic.search.dive_kernel cimport Search


cdef class Shallow(Search):
    cdef object keep
    cdef int width
    cdef long long level_room
    # tables, see search/masks.py
    cdef int *row_at
    cdef unsigned short *whole
    cdef unsigned short *down
    cdef unsigned short *up
    cdef unsigned char *meet
    cdef unsigned short *all_gain
    cdef unsigned short *all_hold
    cdef unsigned short *all_lose
    cdef unsigned short *all_drop
    # per feature, the leaves that agree with the instance's state
    cdef unsigned short *own
    # the leaves still reachable, a row for each narrowing so far
    cdef unsigned short *levels

    cdef _grow_levels(self)
    @cython.final
    cdef void lay_out_own(self) noexcept nogil
    @cython.final
    cdef void start_masks(self, unsigned long long *free) noexcept nogil
    @cython.final
    cdef void sweep(self, Py_ssize_t level, unsigned short *table, Py_ssize_t row) noexcept nogil
    @cython.final
    cdef int count(self, Py_ssize_t level) noexcept nogil
    @cython.final
    cdef int split(self, Py_ssize_t level) noexcept nogil
    @cython.final
    cdef void tell(self, Py_ssize_t depth) noexcept nogil
    @cython.final
    cdef int search_masks(self) except -1 nogil
    cdef int flip(self, unsigned long long *free) except -1 nogil
