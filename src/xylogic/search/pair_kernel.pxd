from xylogic.search.path_kernel cimport Nodes, Path

cdef class Walk:
    cdef readonly object keep
    cdef Nodes a
    cdef Nodes b
    cdef Path path
    cdef double tolerance
    cdef double *low_a
    cdef double *high_a
    cdef double *low_b
    cdef double *high_b
    cdef int *end_a
    cdef int *end_b
    cdef int *frame_a
    cdef int *frame_b
    cdef int *frame_side  # bit 1: left is being walked, bit 2: right; 4: of tree b, 8: of both
    cdef bint alike
    cdef unsigned long long *code_a
    cdef unsigned long long *code_b
    cdef int *stack_a
    cdef int *stack_b
    cdef int n_frames
    cdef readonly int at_a
    cdef readonly int at_b
    cdef bint resting

    cdef int step(self, long long steps) noexcept nogil
    cdef bint same_test(self, int a, int b) noexcept nogil
