cimport cython

from xylogic.grow.linked_kernel cimport Linked
from xylogic.grow.medians_kernel cimport Medians


cdef class Absolute(Linked):
    cdef Medians medians

    @cython.final
    cdef double bucket_costs(self, int *order, int *ends, int n_groups, int way) noexcept nogil
