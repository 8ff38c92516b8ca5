cimport cython

from xylogic.grow.binned_kernel cimport Binned
from xylogic.grow.criterion_kernel cimport Criterion
from xylogic.grow.levels_kernel cimport Levels
from xylogic.grow.others_kernel cimport Others

cdef int SORTED, BINNED, RANKED, CATEGORY, FEW_ROWS


cdef class ColumnSearch:
    cdef readonly dict arrays
    cdef readonly Criterion criterion
    cdef Levels levels
    cdef Binned binned
    cdef Others others
    cdef Py_ssize_t n_rows, n_all
    cdef int n_features, max_features, brief
    cdef bint varied, random, apart, sampled, refuse_zero
    cdef unsigned long long state
    cdef int *rows
    cdef int *codes
    cdef int *n_codes
    cdef int *kind
    cdef int *slot
    cdef int *has_missing
    cdef int *order
    cdef int *sign
    cdef int *drawn
    cdef int *scratch
    cdef int *held
    cdef int *half
    cdef int *halves
    cdef unsigned long long *keys
    cdef unsigned long long *spare
    cdef long long *value_at
    cdef double *values
    # the best split of the node
    cdef double gain, cut
    cdef int feature, code, way, below, above
    cdef unsigned char *chosen

    @cython.final
    cdef unsigned long long draw(self) noexcept nogil
    @cython.final
    cdef double uniform(self) noexcept nogil
    @cython.final
    cdef bint sorted_column(self, int f, int *order, Py_ssize_t at, Py_ssize_t n, double bar) noexcept nogil
    @cython.final
    cdef void sort_rows(self, int f, Py_ssize_t at, Py_ssize_t n) noexcept nogil
    @cython.final
    cdef bint binned_column(self, int f, double bar) noexcept nogil
    @cython.final
    cdef bint others_column(self, int f, Py_ssize_t at, Py_ssize_t n, double bar) noexcept nogil
    @cython.final
    cdef bint summed_column(self, int f, Py_ssize_t at, Py_ssize_t n, double bar) noexcept nogil
    @cython.final
    cdef bint category_column(self, int f, Py_ssize_t at, Py_ssize_t n, double bar) noexcept nogil
