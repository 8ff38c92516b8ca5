"""Walks rows down a tree whose nodes have surrogate tests for missing values."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython


def walk(
    values: cython.const[cython.double][:, ::1],
    feature: cython.const[cython.int][::1],
    cut: cython.const[cython.double][::1],
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    missing: cython.const[cython.schar][::1],
    set_ptr: cython.const[cython.int][::1],
    set_items: cython.const[cython.int][::1],
    first: cython.const[cython.int][::1],
    of: cython.const[cython.int][::1],
    upto: cython.const[cython.double][::1],
    flipped: cython.const[cython.schar][::1],
    sides_at: cython.const[cython.int][::1],
    sides: cython.const[cython.uchar][::1],
    leaves: cython.int[::1],
) -> None:
    """Fill in each row's leaf. The tree's arrays are ``Tree``'s, the others ``Surrogates``'. O(n_rows * depth).

    Where a value is missing, the first surrogate that knows a side decides, and ``missing`` if none does.
    """
    row: cython.Py_ssize_t
    node: cython.int
    k: cython.int
    x: cython.double
    side: cython.int
    with cython.nogil:
        for row in range(leaves.shape[0]):
            node = 0
            while left[node] >= 0:
                x = values[row, feature[node]]
                side = 2
                if x == x:
                    if set_ptr[node] < set_ptr[node + 1]:
                        side = 0
                        for k in range(set_ptr[node], set_ptr[node + 1]):
                            if set_items[k] == x:
                                side = 1
                                break
                    else:
                        side = 1 if x <= cut[node] else 0
                else:
                    for k in range(first[node], first[node + 1]):
                        x = values[row, of[k]]
                        if x != x:
                            continue
                        if sides_at[k] >= 0:
                            side = sides[sides_at[k] + cython.cast(cython.int, x)]
                        else:
                            side = 1 if (x <= upto[k]) != (flipped[k] != 0) else 0
                        if side != 2:
                            break
                    if side == 2:
                        side = 1 if missing[node] == 1 else 0
                node = left[node] if side == 1 else right[node]
            leaves[row] = node
