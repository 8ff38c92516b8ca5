"""Games: what a search is after, as constraints on sums of leaf values.

A constraint compares two of the model's scores (or one with a number): "score plus beats score minus". Each tree
contributes the difference of its two leaf values, as an integer in fixed point; the goal of a game is a cell where
all its constraints hold. ``sure`` and ``never`` enclose the sums that leave the answer to the model's own float
arithmetic: the fixed point loses less than 1 per leaf value, and a float sum of n numbers is off by at most
(n - 1) u times the sum of their sizes (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2002, sec. 4.2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.errors import InvalidModelError
from xylogic.model.ensemble import Ensemble
from xylogic.search.forest import Forest
from xylogic.search.layout_kernel import accumulate

__all__ = ["Constraint", "Games", "Scores"]

_UNIT_ROUNDOFF = 2.0**-53
_LARGEST = 1e300
_FAR = 2**61  # beyond any sum of fixed-point values


@dataclass(frozen=True)
class Constraint:
    """Score ``plus`` beats score ``minus``; -1 stands for the number ``level``. ``strict``: equality does not do."""

    plus: int
    minus: int
    strict: bool
    level: float = 0.0


class Scores:
    """The leaf values of a forest as fixed-point integers; shared by all games.

    Attributes
    ----------
    values : float64 (n_nodes, n_scores), what each leaf (in the forest's order) adds to the scores.
    exact : whether the integers, and the model's float sums, carry no rounding at all.
    scale : fixed-point numbers per unit, a power of two.
    """

    def __init__(self, model: Ensemble, forest: Forest) -> None:
        values = model.votes if model.voting == "majority" else model.flat.value
        leaf = forest.node_feature < 0
        self.values = np.ascontiguousarray(np.where(leaf[:, None], values[forest.order], 0.0))
        self.base = np.array(model.base, dtype=np.float64)
        self.divisor = float(model.n_trees) if model.voting == "average" else 1.0
        self.n_trees = model.n_trees
        sizes = np.zeros(model.n_trees)
        np.maximum.at(sizes, forest.node_tree, np.abs(self.values).max(axis=1))
        with np.errstate(over="ignore"):
            self.size = float(sizes.sum() + np.abs(self.base).max()) or 1.0
        if self.size > _LARGEST:
            raise InvalidModelError(
                f"the leaf values add up to {self.size:g}; up to {_LARGEST:g} can be reasoned about"
            )
        exponent = self._exact_exponent()
        self.exact = exponent is not None
        self.scale = math.ldexp(1.0, 58 - math.frexp(self.size)[1] if exponent is None else exponent)
        self.fixed = np.floor(self.values * self.scale).astype(np.int64)

    def _exact_exponent(self) -> int | None:
        """The scale, as a power of two, at which every value is a whole number and every sum below 2^50."""
        for exponent in (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 40):
            if math.ldexp(self.size, exponent) >= 2.0**50:
                return None
            if all((np.floor(v) == v).all() for v in (np.ldexp(self.values, exponent), np.ldexp(self.base, exponent))):
                return exponent
        return None


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
        needs = np.array([_needs(c, scores) for c in listed], dtype=np.int64)
        self.sure, self.never = np.ascontiguousarray(needs[:, 0]), np.ascontiguousarray(needs[:, 1])
        tables = []
        for constraint in listed:
            budget.check()
            tables.append(_tables(constraint, scores, forest))
        self.leaves, self.all_leaves, self.ranked, self.low_below, self.high_below = (
            np.concatenate(table) for table in zip(*tables, strict=True)
        )
        self.left_of = np.concatenate([leaves[forest.node_left[forest.listed]] for leaves, *_ in tables])
        self.right_of = np.concatenate([leaves[forest.node_right[forest.listed]] for leaves, *_ in tables])


def _needs(constraint: Constraint, scores: Scores) -> tuple[int, int]:
    """(sure, never) of one constraint."""
    offset = Fraction(0)
    for side, sign in ((constraint.plus, 1), (constraint.minus, -1)):
        if side >= 0:
            offset += sign * Fraction(float(scores.base[side]))
        else:
            offset += sign * Fraction(constraint.level) * int(scores.divisor)
    scaled = -offset * int(scores.scale) if scores.scale >= 1 else -offset * Fraction(scores.scale)
    whole = math.ceil(scaled)
    if scores.exact and ((constraint.plus >= 0 and constraint.minus >= 0) or constraint.level == 0.0):
        need = min(max(whole + int(constraint.strict and whole == scaled), -_FAR), _FAR)
        return need, need
    size = 2.0 * (scores.size + abs(constraint.level) * scores.divisor)
    rounding = 1.01 * (scores.n_trees + 8) * _UNIT_ROUNDOFF * size * scores.scale
    slack = 2 * (scores.n_trees + 2) + math.ceil(rounding)
    return max(min(whole + slack, _FAR), -_FAR), max(min(whole - slack, _FAR), -_FAR)


def _tables(
    constraint: Constraint, scores: Scores, forest: Forest
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    worth = np.zeros(forest.n_nodes, np.int64)
    if constraint.plus >= 0:
        worth += scores.fixed[:, constraint.plus]
    if constraint.minus >= 0:
        worth -= scores.fixed[:, constraint.minus]
    leaf = np.flatnonzero(forest.node_feature < 0)
    by_value = leaf[np.lexsort((worth[leaf], forest.node_tree[leaf]))]
    rank = np.arange(len(leaf)) - forest.leaf_at[forest.node_tree[by_value]]
    leaves = np.zeros(forest.n_nodes, np.uint64)
    leaves[by_value] = np.left_shift(np.uint64(1), (rank % 64).astype(np.uint64))
    reachable, low, high = leaves.copy(), worth.copy(), worth.copy()
    accumulate(forest.node_left, forest.node_right, forest.sides(), leaves, reachable, low, high)
    return leaves, reachable[forest.root], worth[by_value], low, high
