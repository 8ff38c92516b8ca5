cimport cython


cdef class Lists:
    cdef dict keep  # the arrays below, by name
    cdef readonly object budget
    cdef Py_ssize_t n, room, most
    cdef int *kinds
    cdef int *size  # the number of items
    cdef long long *at  # where they begin
    cdef unsigned long long *code  # a hash of kind and items
    cdef int *items
    cdef Py_ssize_t n_items, item_room
    # the table of lists: 0 where empty
    cdef int *slots
    cdef unsigned long long slot_mask
    cdef int *scratch  # where a list is put together
    cdef Py_ssize_t scratch_room
    cdef int unchecked

    cdef _resized(self, str name, object dtype, Py_ssize_t used, Py_ssize_t room)
    cdef _afford(self, Py_ssize_t more)
    cdef _grow_nodes(self)
    cdef void _rehash(self) noexcept nogil
    cdef _grow_items(self, Py_ssize_t n)
    cdef _grow_scratch(self, Py_ssize_t n)
    cdef compact(self, object kept, object image)
    @cython.final
    cdef unsigned long long hashed(self, int kind, int *items, Py_ssize_t at, Py_ssize_t size) noexcept nogil
    @cython.final
    cdef int spend(self) except -1 nogil
    @cython.final
    cdef int find(self, int kind, int size) except -1 nogil
