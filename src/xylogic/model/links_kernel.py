"""Whether arrays are a tree."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython

if cython.compiled:
    from cython.cimports.libc.math import copysign, isfinite
else:
    from math import copysign, isfinite


def is_tree(
    feature: cython.const[cython.int][::1],
    cut: cython.const[cython.double][::1],
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    missing: cython.const[cython.schar][::1],
    value: cython.const[cython.double][:, ::1],
    is_single: cython.bint,
    n_features: cython.int,
    seen: cython.uchar[::1],
) -> cython.bint:
    """Whether these are fields of a ``Tree`` without category tests, parents before children.

    Cuts are of single precision where ``is_single``, which compiled code alone can tell. All have as many entries as
    ``left``; ``seen`` is zeros and gets the number of each node's parents. O(n_nodes).
    """
    node: cython.Py_ssize_t
    k: cython.Py_ssize_t
    n: cython.Py_ssize_t = left.shape[0]
    good: cython.bint = n > 0
    with cython.nogil:
        for node in range(n):
            for k in range(value.shape[1]):
                good = good and (isfinite(value[node, k]) if left[node] < 0 else value[node, k] == 0.0)
            good = good and (cut[node] != 0.0 or copysign(1.0, cut[node]) > 0.0)
            if left[node] < 0:
                good = good and left[node] == -1 and right[node] == -1 and feature[node] == -1
                good = good and missing[node] == 0 and cut[node] == 0.0
            else:
                good = good and node < left[node] and left[node] < n and node < right[node] and right[node] < n
                good = good and 0 <= feature[node] and feature[node] < n_features
                good = good and cut[node] == cut[node]
                good = good and (not is_single or cython.cast(cython.float, cut[node]) == cut[node])
                good = good and 0 <= missing[node] and missing[node] <= 2
                if good:
                    seen[left[node]] += 1
                    good = seen[left[node]] == 1
                    seen[right[node]] += 1
                    good = good and seen[right[node]] == 1
            good = good and (node == 0 or seen[node] == 1)
            if not good:
                break
    return good
