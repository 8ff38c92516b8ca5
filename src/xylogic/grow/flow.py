"""Rows in parts: what reaches each leaf where a missing value sends a row to both sides of a test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from xylogic.model.tree import Tree

__all__ = ["Parts", "Shares"]

_Floats = NDArray[np.float64]


class Parts(NamedTuple):
    """Part i of the rows: ``part[i]`` (float64, above 0) of row ``row[i]`` (int64) is at leaf ``leaf[i]`` (int64)."""

    row: NDArray[np.int64]
    leaf: NDArray[np.int64]
    part: _Floats

    def answers(self, value: _Floats, n_rows: int) -> _Floats:
        """The mean of the leaves' answers by part: float64 (n_rows, n_outputs), from ``value`` (n_nodes, n_outputs)."""
        answers = np.empty((n_rows, value.shape[1]))
        for k in range(value.shape[1]):
            answers[:, k] = np.bincount(self.row, weights=self.part * value[self.leaf, k], minlength=n_rows)
        return answers


@dataclass(frozen=True, eq=False, slots=True)
class Shares:
    """Fractional rows: at node t, ``left[t]`` of a row whose value is missing goes left, the rest right.

    ``left``: float64 (n_nodes,); 0 at leaves.
    """

    left: _Floats

    def subtree(self, kept: NDArray[np.int64], is_leaf: NDArray[np.bool_]) -> Shares:
        """Those of the tree of the nodes ``kept``."""
        return Shares(np.where(is_leaf, 0.0, self.left[kept]))

    def flow(self, tree: Tree, values: _Floats) -> Parts:
        """Where the parts of each row end; ``values``: float64 (n, n_features), encoded.

        The parts of a row add up to 1. O(n * depth) without missing values; at most O(n * n_nodes).
        """
        row, node, part = np.arange(len(values)), np.zeros(len(values), np.int64), np.ones(len(values))
        done: list[Parts] = []
        while len(row):
            ended = tree.left[node] < 0
            if ended.any():
                done.append(Parts(row[ended], node[ended], part[ended]))
                row, node, part = row[~ended], node[~ended], part[~ended]
            x = values[row, tree.feature[node]]
            known = x == x
            left = known & _goes_left(tree, node, x)
            share = self.left[node]
            entered = []
            for here, weight, children in ((left, share, tree.left), (known & ~left, 1 - share, tree.right)):
                weight = np.where(here, part, np.where(known, 0.0, weight * part))
                enters = weight > 0
                entered.append(Parts(row[enters], children[node[enters]].astype(np.int64), weight[enters]))
            row, node, part = _joined(entered)
        joined = _joined([*done, Parts(row, node, part)])
        order = np.lexsort((joined.leaf, joined.row))
        return Parts(joined.row[order], joined.leaf[order], joined.part[order])


def _goes_left(tree: Tree, node: NDArray[np.int64], x: _Floats) -> NDArray[np.bool_]:
    left = x <= tree.cut[node]
    with_set = np.flatnonzero(tree.set_ptr[node + 1] > tree.set_ptr[node])
    for test in np.unique(node[with_set]).tolist():
        here = with_set[node[with_set] == test]
        left[here] = np.isin(x[here], tree.left_codes(test))
    return np.asarray(left)


def _joined(parts: list[Parts]) -> Parts:
    row, leaf, part = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return Parts(row, leaf, part)
