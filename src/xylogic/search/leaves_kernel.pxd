cimport cython

from xylogic.search.state_kernel cimport State


cdef class Leaves(State):
    @cython.final
    cdef int tick(self) except -1 nogil
    @cython.final
    cdef int spend(self) except -1 nogil
    @cython.final
    cdef int sides(self, int n) noexcept nogil
    @cython.final
    cdef void touch(self, int t) noexcept nogil
    @cython.final
    cdef void drop(
        self, Py_ssize_t start, Py_ssize_t stop, unsigned long long *below, int kept_by
    ) noexcept nogil
    @cython.final
    cdef void walk(self, int t, int i) noexcept nogil
    @cython.final
    cdef int lowest(self, int t) noexcept nogil
    @cython.final
    cdef void measure(self, int t) noexcept nogil
    @cython.final
    cdef void settle(self) noexcept nogil
