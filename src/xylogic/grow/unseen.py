"""Levels that no training row had where they are asked about: such a row follows the larger child."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.feature import Feature
from xylogic.grow.reading import paths
from xylogic.model.tree import Tree

__all__ = ["SeenLevels", "seen_levels"]


@dataclass(frozen=True, eq=False, slots=True)
class SeenLevels:
    """For each categorical column that a tree tests: which leaf had which level in training.

    ``leaf``, ``code``: by column, int64 arrays of one length, one entry for each pair there is.
    """

    leaf: dict[int, NDArray[np.int64]]
    code: dict[int, NDArray[np.int64]]

    def unseen(self, tree: Tree, values: NDArray[np.float64], leaves: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which cells hold a level that was at none of the rows of some node that tests it on the row's way.

        ``values``: float64 (n, n_features), encoded; ``leaves``: where the rows end, (n,). O(n * depth + n_nodes).
        """
        found = np.zeros(values.shape, dtype=bool)
        passed = paths(tree, leaves)
        row = np.repeat(np.arange(len(values)), np.diff(passed.indptr))
        node = passed.indices
        for column, leaf in self.leaf.items():
            n_codes = int(self.code[column].max(initial=-1)) + 1
            there = self._at_nodes(tree, leaf, self.code[column], n_codes)
            tests = (tree.feature[node] == column) & ~np.isnan(values[row, column])
            cell, at = values[row[tests], column].astype(np.int64), node[tests]
            known = cell < n_codes
            known[known] = there[at[known], cell[known]]
            found[row[tests][~known], column] = True
        return found

    def moved(self, place: NDArray[np.int64]) -> SeenLevels:
        """The same for a pruned tree, in which ``place``, (n_nodes,), says where the rows of each old leaf end."""
        return SeenLevels({column: place[leaf] for column, leaf in self.leaf.items()}, self.code)

    def _at_nodes(
        self, tree: Tree, leaf: NDArray[np.int64], code: NDArray[np.int64], n_codes: int
    ) -> NDArray[np.bool_]:
        """Which levels the rows of each node had, (n_nodes, n_codes): those of its leaves. Parents come first."""
        there = np.zeros((tree.n_nodes, n_codes), dtype=bool)
        there[leaf, code] = True
        for node in np.flatnonzero(tree.left >= 0)[::-1].tolist():
            there[node] = there[tree.left[node]] | there[tree.right[node]]
        return there


def seen_levels(tree: Tree, features: Sequence[Feature], values: NDArray[Any], leaves: NDArray[np.int64]) -> SeenLevels:
    """From the training table, (n, n_features), and where its rows end, (n,). O(n log n) a column."""
    tested = set(tree.feature[tree.left >= 0].tolist())
    by_leaf, by_code = {}, {}
    for column in sorted(tested):
        if features[column].categories:
            known = ~np.isnan(values[:, column])
            n_codes = len(features[column].categories)
            pairs = np.unique(leaves[known] * n_codes + values[known, column].astype(np.int64))
            by_leaf[column], by_code[column] = np.divmod(pairs, n_codes)
    return SeenLevels(by_leaf, by_code)
