"""Walks rows down all trees of a forest, and sums what their leaves answer.

The arrays are those of ``model.flat.Flat``; ``values`` is float64 (n_rows, n_features), already cast and checked.
"""

# mypy: ignore-errors
# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _holds(
    items: cython.const[cython.int][::1], start: cython.int, stop: cython.int, code: cython.double
) -> cython.bint:
    """Whether the ascending ``items[start:stop]`` hold ``code``, by bisection."""
    middle: cython.int
    while start < stop:
        middle = start + ((stop - start) >> 1)
        if items[middle] < code:
            start = middle + 1
        elif items[middle] > code:
            stop = middle
        else:
            return True
    return False


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _leaf(
    values: cython.const[cython.double][:, ::1],
    row: cython.Py_ssize_t,
    feature: cython.const[cython.int][::1],
    cut: cython.const[cython.double][::1],
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    missing: cython.const[cython.schar][::1],
    set_ptr: cython.const[cython.int][::1],
    set_items: cython.const[cython.int][::1],
    node: cython.int,
    with_sets: cython.bint,
) -> cython.int:
    """The leaf that ``row`` reaches from ``node``."""
    x: cython.double
    goes_left: cython.bint
    while left[node] >= 0:
        x = values[row, feature[node]]
        if x != x:
            goes_left = missing[node] == 1
        elif with_sets and set_ptr[node] < set_ptr[node + 1]:
            goes_left = _holds(set_items, set_ptr[node], set_ptr[node + 1], x)
        else:
            goes_left = x <= cut[node]
        node = left[node] if goes_left else right[node]
    return node


def apply(
    values: cython.const[cython.double][:, ::1],
    feature: cython.const[cython.int][::1],
    cut: cython.const[cython.double][::1],
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    missing: cython.const[cython.schar][::1],
    set_ptr: cython.const[cython.int][::1],
    set_items: cython.const[cython.int][::1],
    roots: cython.const[cython.int][::1],
    leaves: cython.int[:, ::1],
) -> None:
    """Fill ``leaves``, int32 (n_rows, n_trees), with each tree's own node id. O(n_rows * n_trees * depth)."""
    n_rows: cython.Py_ssize_t = leaves.shape[0]
    n_trees: cython.Py_ssize_t = roots.shape[0]
    with_sets: cython.bint = set_items.shape[0] > 0
    tree: cython.Py_ssize_t
    row: cython.Py_ssize_t
    with cython.nogil:
        for tree in range(n_trees):
            for row in range(n_rows):
                leaves[row, tree] = (
                    _leaf(values, row, feature, cut, left, right, missing, set_ptr, set_items, roots[tree], with_sets)
                    - roots[tree]
                )


def add_scores(
    values: cython.const[cython.double][:, ::1],
    feature: cython.const[cython.int][::1],
    cut: cython.const[cython.double][::1],
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    missing: cython.const[cython.schar][::1],
    set_ptr: cython.const[cython.int][::1],
    set_items: cython.const[cython.int][::1],
    roots: cython.const[cython.int][::1],
    answer: cython.const[cython.double][:, ::1],
    scores: cython.double[:, ::1],
) -> None:
    """Add ``answer[leaf]``, float64 (n_nodes, n_outputs), to ``scores``, float64 (n_rows, n_outputs), tree by tree.

    O(n_rows * n_trees * (depth + n_outputs)).
    """
    n_rows: cython.Py_ssize_t = scores.shape[0]
    n_outputs: cython.Py_ssize_t = scores.shape[1]
    n_trees: cython.Py_ssize_t = roots.shape[0]
    with_sets: cython.bint = set_items.shape[0] > 0
    tree: cython.Py_ssize_t
    row: cython.Py_ssize_t
    k: cython.Py_ssize_t
    leaf: cython.int
    with cython.nogil:
        for tree in range(n_trees):
            for row in range(n_rows):
                leaf = _leaf(
                    values, row, feature, cut, left, right, missing, set_ptr, set_items, roots[tree], with_sets
                )
                for k in range(n_outputs):
                    scores[row, k] = scores[row, k] + answer[leaf, k]
