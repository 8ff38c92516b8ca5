cimport cython

from xylogic.search.dive_kernel cimport Search


cdef class Widest:
    cdef Search search
    cdef object keep
    cdef int n, width
    cdef int *feature
    cdef int *at
    cdef unsigned long long *own
    cdef unsigned long long *free
    cdef unsigned long long *bad
    cdef unsigned long long *boxes
    cdef unsigned long long *spare
    cdef int *avoids
    cdef readonly long long n_done, n_boxes
    cdef long long room, work
    cdef int away

    cdef _grow(self, long long room)
    @cython.final
    cdef void restrict(self, Py_ssize_t box) noexcept nogil
    @cython.final
    cdef int tighten(self, int f) except -1 nogil
    @cython.final
    cdef int enter(self, int n, int side) except -1 nogil
    @cython.final
    cdef int dive(self) except -1 nogil
    @cython.final
    cdef int hit(self, Py_ssize_t box) except -1 nogil
    @cython.final
    cdef void take_box(self) noexcept nogil
    @cython.final
    cdef bint contains(self, unsigned long long *outer, Py_ssize_t i, unsigned long long *inner, Py_ssize_t j) noexcept nogil
    @cython.final
    cdef Py_ssize_t cut(self, Py_ssize_t box, int x, Py_ssize_t n_new, Py_ssize_t group) except -1 nogil
    @cython.final
    cdef int multiply(self) except -1 nogil
    @cython.final
    cdef int advance(self) except -1 nogil
