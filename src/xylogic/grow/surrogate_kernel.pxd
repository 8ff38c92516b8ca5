cimport cython

from xylogic.grow.grower_kernel cimport Grower


cdef class SurrogateGrower(Grower):
    cdef readonly dict found
    cdef readonly Py_ssize_t n_found, n_sides
    cdef Py_ssize_t found_room, sides_room, widest
    cdef int most
    cdef bint lost
    cdef double on_left, on_right
    cdef int *found_at
    cdef double *doubles_found
    cdef double *table
    cdef double *lowest
    cdef unsigned char *sides_at
    cdef double *by_code
    cdef unsigned char *node_sides
    cdef int *best
    cdef double *score

    cdef make_room(self)
    @cython.final
    cdef unsigned char stand_in(self, int row, int n_best) noexcept nogil
    @cython.final
    cdef int rank(self, int f, Py_ssize_t at, Py_ssize_t n, int n_best) noexcept nogil
    @cython.final
    cdef void copy(self, int place, int to) noexcept nogil
    @cython.final
    cdef double by_row(self, int f, int *order, Py_ssize_t at, Py_ssize_t n) noexcept nogil
    @cython.final
    cdef double better(
        self, double found, double left, double right, double up_left, double up_right, double low, double high
    ) noexcept nogil
    @cython.final
    cdef Py_ssize_t tabulate(self, int f, Py_ssize_t at, Py_ssize_t n) noexcept nogil
    @cython.final
    cdef double by_value(self, int f, Py_ssize_t at, Py_ssize_t n) noexcept nogil
    @cython.final
    cdef double by_level(self, int f, Py_ssize_t at, Py_ssize_t n) noexcept nogil
    @cython.final
    cdef void keep_best(self, int node, int n_best) noexcept nogil
