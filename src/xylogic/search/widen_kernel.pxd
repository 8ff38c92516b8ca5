cimport cython

from xylogic.search.goals_kernel cimport Goals


cdef class Widest(Goals):
    cdef unsigned long long *own
    cdef unsigned long long *boxes
    cdef unsigned long long *spare
    cdef int *avoids
    cdef readonly long long n_done, n_boxes
    cdef long long room, work

    cdef _grow(self, long long room)
    @cython.final
    cdef bint contains(
        self, unsigned long long *outer, Py_ssize_t i, unsigned long long *inner, Py_ssize_t j
    ) noexcept nogil
    @cython.final
    cdef Py_ssize_t cut(self, Py_ssize_t box, int x, Py_ssize_t n_new, Py_ssize_t group) except -1 nogil
    @cython.final
    cdef int multiply(self) except -1 nogil
    @cython.final
    cdef int advance(self) except -1 nogil
