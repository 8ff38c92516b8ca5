cimport cython

from xylogic.circuit.nodes_kernel cimport Nodes
from xylogic.compile.sums_kernel cimport Sums
from xylogic.compile.verdict_kernel cimport Verdict


cdef class Product(Verdict):
    cdef Sums sums
    cdef Nodes nodes
    cdef object budget
    cdef dict keep  # the arrays below, by name
    cdef readonly long long states
    cdef long long most_states
    cdef readonly int forgotten
    cdef long long unchecked
    # one frame a level: nodes that test it (by their current edge), other nodes, their greatest sums and hash
    cdef int n_groups
    cdef int *n_testing
    cdef long long *testing
    cdef int *n_other
    cdef int *other
    cdef int *frame_level
    cdef int *frame_out
    cdef unsigned long long *frame_key
    cdef unsigned long long *other_key
    cdef long long *other_top
    cdef long long *gained  # what the path added so far
    cdef long long *step  # what the current edges add
    cdef long long *least  # the sums for which the frame's node is right
    cdef long long *most
    cdef int *out_hi
    cdef int *out_child
    # the child at hand
    cdef int *ids
    cdef long long *child_top
    # what is known: per multiset of nodes a chain of (interval of sums, node)
    cdef unsigned long long *slot_key
    cdef int *slot_entry
    cdef unsigned long long slot_mask
    cdef Py_ssize_t n_slots, n_entries, entry_room
    cdef int *entry_next
    cdef int *entry_node
    cdef long long *entry_bounds

    cdef bint _forgets(self, Py_ssize_t more) except -1
    cdef _resized(self, str name, object dtype, Py_ssize_t room)
    cdef _grow_slots(self)
    cdef _grow_entries(self)
    @cython.final
    cdef void push(self, int d, int n) noexcept nogil
    @cython.final
    cdef long long find(self, unsigned long long a, unsigned long long b) noexcept nogil
    @cython.final
    cdef int store(self, int d, int node) except -1 nogil
    @cython.final
    cdef int search(self) except -1 nogil
