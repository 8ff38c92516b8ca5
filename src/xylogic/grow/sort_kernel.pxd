cdef void sort_keys(unsigned long long *keys, unsigned long long *spare, Py_ssize_t n, int n_bits) noexcept nogil
