"""Games: what a search is after, as constraints on sums of leaf values (see ``model/sums.py``).

The goal of a game is a cell where all its constraints hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.model.sums import Constraint, Scores, needs
from xylogic.search.forest import Forest
from xylogic.search.layout_kernel import accumulate

__all__ = ["Games", "OneGame"]


class Games:
    """The tables of some games over one forest; read only, shared by all searches of that kind.

    Attributes
    ----------
    game_at : int32 (n_games + 1,), where each game's constraints begin.
    leaves : uint64 (n_constraints, n_nodes), for small trees, the leaves below each node as bits by ascending value.
    all_leaves : uint64 (n_constraints, n_trees), the leaves that some input reaches.
    left_of, right_of : uint64 (n_constraints, n_listed), ``leaves`` of the children of each listed node.
    ranked : int64 (n_constraints, n_leaves), each tree's leaf values ascending.
    low_below, high_below : int64 (n_constraints, n_nodes), least and greatest leaf value below each node.
    sure, never : int64 (n_constraints,); a sum >= sure holds, a sum < never fails, between them ``score`` decides.
    plus, minus, strict : int32, level : float64 (n_constraints,), as in :class:`Constraint`.
    """

    def __init__(self, forest: Forest, scores: Scores, games: Sequence[Sequence[Constraint]], budget: Budget) -> None:
        constraints = [constraint for game in games for constraint in game]
        self.n_games = len(games)
        self.n_constraints = len(constraints)
        self.max_constraints = max((len(game) for game in games), default=1)
        self.n_scores = scores.values.shape[1]
        self.game_at = np.cumsum([0, *(len(game) for game in games)], dtype=np.int32)
        self.score, self.base, self.divisor = scores.values.reshape(-1), scores.base, scores.divisor
        spare = Constraint(-1, -1, False)
        listed = constraints or [spare]
        self.plus = np.array([c.plus for c in listed], dtype=np.int32)
        self.minus = np.array([c.minus for c in listed], dtype=np.int32)
        self.strict = np.array([c.strict for c in listed], dtype=np.int32)
        self.level = np.array([c.level for c in listed], dtype=np.float64)
        bounds = np.array([needs(c, scores) for c in listed], dtype=np.int64)
        self.sure, self.never = np.ascontiguousarray(bounds[:, 0]), np.ascontiguousarray(bounds[:, 1])
        self._lay_out(forest, (_worth(constraint, scores, forest) for constraint in listed), budget)

    def _lay_out(self, forest: Forest, worths: Iterable[NDArray[np.int64]], budget: Budget) -> None:
        tables = []
        for worth in worths:
            budget.check()
            tables.append(_tables(worth, forest))
        self.leaves, self.all_leaves, self.ranked, self.low_below, self.high_below = (
            np.concatenate(table) for table in zip(*tables, strict=True)
        )
        self.left_of = np.concatenate([leaves[forest.node_left[forest.listed]] for leaves, *_ in tables])
        self.right_of = np.concatenate([leaves[forest.node_right[forest.listed]] for leaves, *_ in tables])


class OneGame(Games):
    """One game whose constraints weigh leaves freely: ``worths`` are int64 (n_nodes,), zero at inner nodes, their sums
    are judged by ``sure`` and ``never``, and what these leave open somebody else decides: there are no scores."""

    def __init__(
        self,
        forest: Forest,
        worths: Sequence[NDArray[np.int64]],
        sure: Sequence[int],
        never: Sequence[int],
        budget: Budget,
    ) -> None:
        rows = len(worths)
        self.n_games, self.n_constraints, self.max_constraints, self.n_scores = 1, rows, rows, 1
        self.game_at = np.array([0, rows], np.int32)
        self.score, self.base, self.divisor = np.zeros(1), np.zeros(1), 1.0
        self.plus = self.minus = np.full(rows, -1, np.int32)
        self.strict, self.level = np.zeros(rows, np.int32), np.zeros(rows)
        self.sure, self.never = np.array(sure, np.int64), np.array(never, np.int64)
        self._lay_out(forest, worths, budget)


def _worth(constraint: Constraint, scores: Scores, forest: Forest) -> NDArray[np.int64]:
    """What each leaf adds to a constraint's sum."""
    worth = np.zeros(forest.n_nodes, np.int64)
    if constraint.plus >= 0:
        worth += scores.fixed[:, constraint.plus]
    if constraint.minus >= 0:
        worth -= scores.fixed[:, constraint.minus]
    return worth


def _tables(
    worth: NDArray[np.int64], forest: Forest
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    leaf = np.flatnonzero(forest.node_feature < 0)
    by_value = leaf[np.lexsort((worth[leaf], forest.node_tree[leaf]))]
    rank = np.arange(len(leaf)) - forest.leaf_at[forest.node_tree[by_value]]
    leaves = np.zeros(forest.n_nodes, np.uint64)
    leaves[by_value] = np.left_shift(np.uint64(1), (rank % 64).astype(np.uint64))
    reachable, low, high = leaves.copy(), worth.copy(), worth.copy()
    accumulate(forest.node_left, forest.node_right, forest.sides(), leaves, reachable, low, high)
    return leaves, reachable[forest.root], worth[by_value], low, high
