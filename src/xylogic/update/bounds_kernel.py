"""The bounds that the tests above them put on the nodes of a tree."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np


def bound_nodes(
    feature: cython.const[cython.int][::1],
    cut: cython.const[cython.double][::1],
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    place: cython.const[cython.int][::1],
    lower: cython.double[:, ::1],
    upper: cython.double[:, ::1],
) -> None:
    """Fill the rows ``place[node]``, where that is not negative, of ``lower`` and ``upper``, infinite so far.

    "Backward Compatibility in Tree-Based Explanations and Enhanced CART Algorithm", Algorithm 1, for all nodes in one
    walk. O(n_nodes + places * features).
    """
    m: cython.Py_ssize_t = lower.shape[1]
    f: cython.Py_ssize_t
    node: cython.int
    side: cython.int
    top: cython.Py_ssize_t = 1
    bound: cython.double
    # A node to enter, or -1 to leave one; either way a bound to set first, on this side of this column.
    entries: cython.int[:, ::1] = np.zeros((2 * len(left) + 2, 3), np.int32)
    bounds: cython.double[::1] = np.full(2 * len(left) + 2, -np.inf)
    box: cython.double[:, ::1] = np.array([[-np.inf] * m, [np.inf] * m])
    with cython.nogil:
        while top:
            top -= 1
            node, side, f = entries[top, 0], entries[top, 1], entries[top, 2]
            if m:
                box[side, f] = bounds[top]
            if node < 0:
                continue
            if place[node] >= 0:
                for f in range(m):
                    lower[place[node], f] = box[0, f]
                    upper[place[node], f] = box[1, f]
            if left[node] < 0:
                continue
            f = feature[node]
            for side in range(2):
                bound = box[side, f]
                entries[top, 0], entries[top, 1], entries[top, 2] = -1, side, cython.cast(cython.int, f)
                bounds[top] = bound
                top += 1
                entries[top, 0], entries[top, 1], entries[top, 2] = (
                    left[node] if side else right[node],
                    side,
                    cython.cast(cython.int, f),
                )
                bounds[top] = min(bound, cut[node]) if side else max(bound, cut[node])
                top += 1
