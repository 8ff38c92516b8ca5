cimport cython

cdef int NONE, LEFT, RIGHT, APART


cdef class Criterion:
    cdef readonly dict keep
    cdef double *w
    cdef double *side
    cdef bint weighted
    cdef readonly int width, n_outputs
    # of the node
    cdef readonly Py_ssize_t n_rows
    cdef readonly double weight, loss, unit
    cdef readonly bint pure
    cdef readonly bint additive
    # of the rows set aside, and of the boundary found last
    cdef Py_ssize_t held_rows
    cdef double held_weight
    cdef double gain
    # limits
    cdef readonly Py_ssize_t min_rows
    cdef readonly double min_weight
    cdef bint bounded, loose, capped
    cdef int feature
    cdef readonly bint cuts_few, cuts_others, lasting
    cdef unsigned long long levels
    cdef int sign
    cdef double lower, upper

    @cython.final
    cdef double weigh(self, int *rows, Py_ssize_t at, Py_ssize_t n) noexcept nogil
    @cython.final
    cdef bint roomy(self, double n_left, double left, double n_right, double right) noexcept nogil
    @cython.final
    cdef bint ranked(self, double left, double right) noexcept nogil
    cdef void enter(self, int *nodes, int node, int parent) noexcept nogil
    cdef void begin(self, int *rows, Py_ssize_t at, Py_ssize_t n) noexcept nogil
    cdef void hold(self, int *rows, Py_ssize_t at, Py_ssize_t n) noexcept nogil
    cdef Py_ssize_t sweep(
        self, int *order, Py_ssize_t at, Py_ssize_t n, int *codes, Py_ssize_t column, int way, double bar
    ) noexcept nogil
    cdef void collect(
        self,
        int *rows,
        Py_ssize_t at,
        Py_ssize_t n,
        int *codes,
        Py_ssize_t column,
        double *table,
    ) noexcept nogil
    cdef void tally(
        self,
        int *rows,
        Py_ssize_t at,
        Py_ssize_t n,
        unsigned char *codes,
        Py_ssize_t n_columns,
        int begin,
        int end,
        int *first,
        double *table,
    ) noexcept nogil
    cdef int cut_few(
        self, int *rows, Py_ssize_t at, Py_ssize_t n, unsigned char *codes, Py_ssize_t n_columns, int column, double bar
    ) noexcept nogil
    cdef Py_ssize_t cut_others(
        self, int *rows, Py_ssize_t at, Py_ssize_t n, unsigned int *keys, Py_ssize_t m, unsigned int common, double bar
    ) noexcept nogil
    cdef int sweep_groups(self, int *order, int *ends, int n_groups, int way, double bar) noexcept nogil
    cdef void beyond(
        self, int *rows, Py_ssize_t at, Py_ssize_t n, int *codes, Py_ssize_t column, int last, double *side
    ) noexcept nogil
    cdef void sum_up(self, double *side) noexcept nogil
    cdef double worth(self, double *left, Py_ssize_t at, double *total, Py_ssize_t of) noexcept nogil
    cdef int cuts(
        self, double *table, Py_ssize_t at, int *present, int n_present, int missing, double *total, int way, double bar
    ) noexcept nogil
    cdef double share(self, double *level, Py_ssize_t at) noexcept nogil
    cdef void constant(self, double *out, Py_ssize_t at) noexcept nogil
