"""Nodes of trees in order of depth."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython


def breadth_first(
    left: cython.int[::1], right: cython.int[::1], order: cython.int[::1], depth: cython.int[::1], n: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Write the nodes of trees, whose ``n`` roots ``order`` begins with, into ``order``, and the depth of each place.

    Linear; how many nodes there are.
    """
    k: cython.Py_ssize_t = 0
    node: cython.int
    with cython.nogil:
        for k in range(n):
            depth[k] = 0
        k = 0
        while k < n:
            node = order[k]
            if left[node] >= 0:
                order[n] = left[node]
                order[n + 1] = right[node]
                depth[n] = depth[n + 1] = depth[k] + 1
                n += 2
            k += 1
    return n
