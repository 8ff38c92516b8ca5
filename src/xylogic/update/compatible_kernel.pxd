cimport cython

from xylogic.update.candidates_kernel cimport Candidates
from xylogic.update.cuts_kernel cimport Cuts
from xylogic.update.drift_kernel cimport Drift


cdef class Compatible(Candidates):
    cdef Drift drift
    cdef double rate, total_weight
    cdef Cuts cutter
    cdef int *n_codes
    cdef int *order
    cdef int *start
    # of the node
    cdef int *rows
    cdef Py_ssize_t at, n
    cdef bint ready
    cdef double best, least, factor
    # of the feature, and of a sweep
    cdef double most
    cdef bint steady
    # the cuts of the candidates listed, and their gains in compatibility
    cdef double *cut_at
    cdef double *drifts

    @cython.final
    cdef void prepare(self) noexcept nogil
    @cython.final
    cdef bint hopeless(self, double bar) noexcept nogil
    @cython.final
    cdef Py_ssize_t trace(self, int *order, Py_ssize_t at, Py_ssize_t n, double bar) noexcept nogil
    @cython.final
    cdef void drift_of(self, int *order, Py_ssize_t at, Py_ssize_t n_listed) noexcept nogil
    @cython.final
    cdef int trace_codes(self, double bar) noexcept nogil
