cimport cython

from xylogic.grow.classes_kernel cimport Classes
from xylogic.grow.criterion_kernel cimport Criterion
from xylogic.grow.squares_kernel cimport Squares
from xylogic.update.drift_kernel cimport Drift


cdef class Compatible(Criterion):
    cdef Criterion inner
    cdef Squares squares
    cdef Classes classes
    cdef Drift drift
    cdef double rate, total_weight
    cdef const float[:, :] single
    cdef const double[:, :] wide
    cdef bint is_single
    cdef Py_ssize_t n_all
    cdef int *codes
    cdef int *kind
    cdef int *n_codes
    cdef long long *value_at
    cdef double *highest_with
    cdef double *lowest_with
    cdef double *lowest
    cdef double *scale
    cdef int *order
    cdef int *start
    # of the node
    cdef int *rows
    cdef Py_ssize_t at, n
    cdef bint ready, single_class
    cdef double best, least, factor
    # of the feature, and of a sweep
    cdef double most
    # the candidates listed, their gains in loss, cuts and gains in compatibility
    cdef int *places
    cdef double *listed
    cdef double *cut_at
    cdef double *drifts

    @cython.final
    cdef double cut_between(self, int f, int below, int above) noexcept nogil
    @cython.final
    cdef double measured(self, int f, double x) noexcept nogil
    @cython.final
    cdef void prepare(self) noexcept nogil
    @cython.final
    cdef bint hopeless(self, double bar) noexcept nogil
    @cython.final
    cdef Py_ssize_t trace(self, int *order, Py_ssize_t at, Py_ssize_t n, double bar) noexcept nogil
    @cython.final
    cdef Py_ssize_t list_squares(self, int *order, Py_ssize_t at, Py_ssize_t n, double bar) noexcept nogil
    @cython.final
    cdef Py_ssize_t list_classes(self, int *order, Py_ssize_t at, Py_ssize_t n, double bar) noexcept nogil
    @cython.final
    cdef int trace_codes(self, double bar) noexcept nogil
