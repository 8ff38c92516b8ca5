cimport cython

from xylogic.search.dive_kernel cimport Search


cdef class Shallow(Search):
    cdef object keep
    cdef bint counts
    cdef Py_ssize_t width, lanes, n_rows, table
    cdef long long level_room
    # tables, see search/masks.py
    cdef int *row_at
    cdef unsigned short *whole
    cdef unsigned short *down
    cdef unsigned short *up
    cdef unsigned char *meet
    cdef unsigned short *positive
    cdef unsigned short *not_negative
    cdef unsigned short *negative
    cdef unsigned short *not_positive
    cdef long long *value
    # the leaves that agree with each of the instance's states
    cdef unsigned short *own
    # the features that may change
    cdef unsigned long long *free
    # the leaves still reachable, a row for each narrowing so far, and by how much the last one leaves each tree open
    cdef unsigned short *levels
    cdef unsigned short *spread
    cdef long long *slack

    cdef _grow_levels(self)
    @cython.final
    cdef void lay_out_own(self) noexcept nogil
    @cython.final
    cdef void open_game(self, int game, unsigned long long *free) noexcept nogil
    @cython.final
    cdef void sweep(self, Py_ssize_t level, int n, int side) noexcept nogil
    @cython.final
    cdef int weigh(self, Py_ssize_t level) noexcept nogil
    @cython.final
    cdef int count(self, Py_ssize_t level) noexcept nogil
    @cython.final
    cdef int add_up(self, Py_ssize_t level) noexcept nogil
    @cython.final
    cdef int split(self, Py_ssize_t level) noexcept nogil
    @cython.final
    cdef int unresolved(self, Py_ssize_t depth) noexcept nogil
    @cython.final
    cdef void enclose(self, Py_ssize_t depth) noexcept nogil
    @cython.final
    cdef int search_masks(self) except -1 nogil
    cdef int flip(self, unsigned long long *free) except -1 nogil
