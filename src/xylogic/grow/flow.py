"""Rows in parts: what reaches each leaf where a missing value sends a row to both sides of a test."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from xylogic.model.tree import Tree

__all__ = ["Flow", "flow", "flow_answers"]

_Floats = NDArray[np.float64]


class Flow(NamedTuple):
    """Part i of the rows: ``part[i]`` (float64, above 0) of row ``row[i]`` (int64) is at leaf ``leaf[i]`` (int64)."""

    row: NDArray[np.int64]
    leaf: NDArray[np.int64]
    part: _Floats


def flow(tree: Tree, share: _Floats, values: _Floats) -> Flow:
    """Where the parts of each row end. ``share``: what goes left at each node of a row whose value is missing there.

    ``values``: float64 (n, n_features), encoded. The parts of a row sum up to 1. O(n * depth) without missing values;
    at most O(n * n_nodes).
    """
    row, node, part = np.arange(len(values)), np.zeros(len(values), np.int64), np.ones(len(values))
    done: list[Flow] = []
    is_set = np.diff(tree.set_ptr) > 0
    left_code = _left_codes(tree)
    while len(row):
        ended = tree.left[node] < 0
        if ended.any():
            done.append(Flow(row[ended], node[ended], part[ended]))
            row, node, part = row[~ended], node[~ended], part[~ended]
        x = values[row, tree.feature[node]]
        left = x <= tree.cut[node]
        for at in np.flatnonzero(is_set[node]):
            left[at] = x[at] in left_code[int(node[at])]
        unknown = x != x
        to_left, to_right = share[node] * part, (1 - share[node]) * part
        goes = [(left & ~unknown, part, tree.left), (unknown, to_left, tree.left)]
        goes += [(~left & ~unknown, part, tree.right), (unknown, to_right, tree.right)]
        picked = [(which & (weight > 0), weight, child) for which, weight, child in goes]
        row, node, part = (
            np.concatenate([row[which] for which, _, _ in picked]),
            np.concatenate([child[node[which]].astype(np.int64) for which, _, child in picked]),
            np.concatenate([weight[which] for which, weight, _ in picked]),
        )
    if not done:
        return Flow(row, node, part)
    joined = Flow(*(np.concatenate(arrays) for arrays in zip(*done, strict=True)))
    order = np.lexsort((joined.leaf, joined.row))
    return Flow(joined.row[order], joined.leaf[order], joined.part[order])


def flow_answers(parts: Flow, value: _Floats, n_rows: int) -> _Floats:
    """The mean of the leaves' answers by part: float64 (n_rows, n_outputs), from ``value`` (n_nodes, n_outputs)."""
    answers = np.empty((n_rows, value.shape[1]))
    for k in range(value.shape[1]):
        answers[:, k] = np.bincount(parts.row, weights=parts.part * value[parts.leaf, k], minlength=n_rows)
    return answers


def _left_codes(tree: Tree) -> dict[int, frozenset[float]]:
    sets = np.flatnonzero(np.diff(tree.set_ptr))
    return {int(node): frozenset(map(float, tree.left_codes(int(node)))) for node in sets}
