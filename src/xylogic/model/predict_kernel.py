"""Walks rows down all trees of a forest, and sums what their leaves answer.

The arrays are those of ``model.flat.Flat``; ``values`` is float64 (n_rows, n_features), already cast and checked.
"""

# mypy: ignore-errors
# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

BLOCK = cython.declare(cython.Py_ssize_t, 32)  # rows on their way at a time
CACHED = cython.declare(cython.Py_ssize_t, 65536)  # values of the rows that all trees answer before others


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
@cython.nogil
@cython.exceptval(check=False)
def _descend(
    values: cython.const[cython.double][:, ::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    feature: cython.const[cython.int][::1],
    cut: cython.const[cython.double][::1],
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    missing: cython.const[cython.schar][::1],
    set_ptr: cython.const[cython.int][::1],
    set_items: cython.const[cython.int][::1],
    root: cython.int,
    on_way: cython.int[:, ::1],
    found: cython.int[::1],
) -> cython.void:
    """Fill ``found`` with the leaves that the rows from ``first`` up to ``last`` reach.

    A block's rows that are still on their way, ``on_way[0]`` at the nodes ``on_way[1]``, go on by one step in turn, as
    one row's steps wait for each other; where a jump would be taken at random there is none.
    """
    with_sets: cython.bint = set_items.shape[0] > 0
    start: cython.Py_ssize_t = first
    n: cython.Py_ssize_t
    i: cython.Py_ssize_t
    row: cython.int
    node: cython.int
    below: cython.int
    above: cython.int
    x: cython.double
    while start < last:
        n = min(BLOCK, last - start)
        for i in range(n):
            on_way[0, i], on_way[1, i] = cython.cast(cython.int, start - first + i), root
        start += n
        while n > 0:
            i = 0
            while i < n:
                row, node = on_way[0, i], on_way[1, i]
                below, above = left[node], right[node]
                if below < 0:
                    found[row] = node
                    n -= 1
                    on_way[0, i], on_way[1, i] = on_way[0, n], on_way[1, n]
                    continue
                x = values[first + row, feature[node]]
                if x != x:
                    node = below if missing[node] == 1 else above
                elif with_sets and set_ptr[node] < set_ptr[node + 1]:
                    node = below if _holds(set_items, set_ptr[node], set_ptr[node + 1], x) else above
                else:
                    node = above + (below - above) * cython.cast(cython.int, x <= cut[node])
                on_way[1, i] = node
                i += 1


@cython.cfunc
def _rows_at_once(n_features: cython.Py_ssize_t) -> cython.Py_ssize_t:
    return BLOCK + CACHED // (n_features + 1)


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
    step: cython.Py_ssize_t = _rows_at_once(values.shape[1])
    on_way: cython.int[:, ::1] = np.empty((2, BLOCK), np.int32)
    found: cython.int[::1] = np.empty(min(step, n_rows), np.int32)
    tree: cython.Py_ssize_t
    first: cython.Py_ssize_t = 0
    last: cython.Py_ssize_t
    i: cython.Py_ssize_t
    with cython.nogil:
        while first < n_rows:
            last = min(n_rows, first + step)
            for tree in range(n_trees):
                _descend(
                    values, first, last, feature, cut, left, right, missing, set_ptr, set_items, roots[tree],
                    on_way, found,
                )  # fmt: skip
                for i in range(last - first):
                    leaves[first + i, tree] = found[i] - roots[tree]
            first = last


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
    step: cython.Py_ssize_t = _rows_at_once(values.shape[1])
    on_way: cython.int[:, ::1] = np.empty((2, BLOCK), np.int32)
    found: cython.int[::1] = np.empty(min(step, n_rows), np.int32)
    tree: cython.Py_ssize_t
    first: cython.Py_ssize_t = 0
    last: cython.Py_ssize_t
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    with cython.nogil:
        while first < n_rows:
            last = min(n_rows, first + step)
            for tree in range(n_trees):
                _descend(
                    values, first, last, feature, cut, left, right, missing, set_ptr, set_items, roots[tree],
                    on_way, found,
                )  # fmt: skip
                for i in range(last - first):
                    for k in range(n_outputs):
                        scores[first + i, k] = scores[first + i, k] + answer[found[i], k]
            first = last
