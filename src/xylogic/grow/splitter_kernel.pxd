cimport cython

from xylogic.grow.column_kernel cimport ColumnSearch


cdef class Splitter(ColumnSearch):
    @cython.final
    cdef bint two_sided(self, int f, Py_ssize_t at, Py_ssize_t n, int last, double cut, double bar) noexcept nogil
    @cython.final
    cdef bint random_column(self, int f, Py_ssize_t at, Py_ssize_t n, double bar) noexcept nogil
    @cython.final
    cdef bint varies(self, int f, Py_ssize_t at, Py_ssize_t n) noexcept nogil
    @cython.final
    cdef bint by_others(self, int f, Py_ssize_t n) noexcept nogil
    @cython.final
    cdef bint column(self, int f, Py_ssize_t at, Py_ssize_t n, double bar) noexcept nogil
    @cython.final
    cdef bint seek(self, Py_ssize_t at, Py_ssize_t n) noexcept nogil
