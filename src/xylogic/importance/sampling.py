"""Shapley values by sampling, where the game is too large: an estimate with an interval for each player.

In a random order of the players, the pivot is the one whose coming turns those before it into a winning coalition; a
Shapley value is the chance to be the pivot. The game of the conflict sets that are known, an upper bound of the true
one, may serve as a control variate: its values are exact, and only the orders whose true pivot is another one are left
to chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.errors import BudgetExceeded
from xylogic.importance.game import game_of_conflicts
from xylogic.importance.indices import exact_scores
from xylogic.reason.implicates import bits_of
from xylogic.search.dive_kernel import Search
from xylogic.search.engine import Engine, Goal, States
from xylogic.search.sets import members
from xylogic.search.work import Work

__all__ = ["Sample", "sample_pivots"]

_DOUBT = 0.05  # of each interval
_ROUNDING = 1e-12  # of the control's values
_CONTROL_NODES = 300_000
_TRIAL = 100  # orders that show whether the control is of use:
_WRONG = 1 / 6  # above this share, the two chances that remain are less certain than the one without it
_CONTROL_SETS = (20_000, 2_000, 200)  # shortest conflict sets that the control is made of, the first that fit


@dataclass(frozen=True)
class Sample:
    """``values``, ``low``, ``high``: float64 (n_features,), estimates, and the ends of intervals that hold a true value
    with probability 95 % at least. ``orders``: how many were drawn; ``controlled``: whether a control was used."""

    values: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    orders: int
    controlled: bool


class _Orders:
    """Random orders of the features that can matter, and their pivots, by search."""

    def __init__(self, engine: Engine, search: Search, work: Work, seed: int | None) -> None:
        self._search, self._width = search, engine.width
        self._n = engine.forest.n_features
        self._own, self._witness = work.x[: self._n], work.witness[: self._n]
        self._players = np.array(members(engine.varying), dtype=np.int64)
        self._random = np.random.default_rng(seed)
        self._place = np.zeros(self._n + 1, np.int64)
        self._place[self._n] = self._n  # what fills up tables of sets comes last
        self.order = self._players

    def draw(self, conflicts: NDArray[np.int64]) -> int:
        """Draw an order; the place of its pivot if these conflict sets were all (-1: every coalition wins)."""
        self.order = self._random.permutation(self._players)
        self._place[self.order] = np.arange(len(self.order))
        return int(self._place[conflicts].min(axis=1).max(initial=-1))

    def pivot(self, supposed: int) -> int:
        """The place of the order's true pivot, which is not before ``supposed``."""
        pivot = supposed
        while self._search.can_flip(_bits(self.order[pivot + 1 :], self._width)):
            # No coalition that misses what the witness changes wins.
            pivot = int(self._place[:-1][self._witness != self._own].min())
        return pivot

    def share_wrong(self, conflicts: NDArray[np.int64], orders: int, budget: Budget) -> float:
        """In which share of so many orders these conflict sets give another pivot than the true one; 1 if a quarter of
        the time does not do for them."""
        limits = Budget(None if budget.remaining is None else budget.remaining / 4)
        wrong = 0
        for _ in range(orders):
            supposed = self.draw(conflicts)
            wrong += self.pivot(supposed) != supposed
            if limits.remaining == 0:
                return 1.0
        return wrong / orders


def sample_pivots(
    engine: Engine, goal: Goal, states: States, conflicts: Sequence[int], orders: int, seed: int | None, budget: Budget
) -> Sample:
    """Estimate the Shapley values of all features; up to ``orders`` orders, fewer if the time ends before.

    ``conflicts``: some necessary reasons, bit sets of the engine's features. Their game is the control if that is right
    in most of some orders that are drawn for this and then forgotten. About one search an order, one more each time the
    known conflict sets give another pivot. Raises BudgetExceeded if not one order was drawn.
    """
    n = engine.forest.n_features
    gained, lost, base = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n)
    drawn = 0
    try:
        shortest = sorted(set(conflicts), key=lambda s: (s.bit_count(), s))
        table = _padded(shortest[: _CONTROL_SETS[0]], n)
        controlled = False
        with engine.search(goal, states, budget) as (search, work):
            draws = _Orders(engine, search, work, seed)
            if shortest and draws.share_wrong(table, min(_TRIAL, 1 + orders // 4), budget) <= _WRONG:
                known, base = _control(shortest, n, budget)
                if known:
                    controlled, table = True, _padded(known, n)
            while drawn < orders:
                supposed = draws.draw(table)
                pivot = draws.pivot(supposed)
                drawn += 1
                if not controlled:
                    gained[draws.order[pivot]] += 1
                elif pivot != supposed:
                    gained[draws.order[pivot]] += 1
                    lost[draws.order[supposed]] += 1
                if drawn % 64 == 0:
                    budget.check()
    except (BudgetExceeded, KeyboardInterrupt):
        if drawn == 0:
            raise
    low, high = _bounds(gained, lost, drawn, two_sided=controlled)
    if controlled:
        low, high = base + low - _ROUNDING, base + high + _ROUNDING
    values = base + (gained - lost) / drawn
    return Sample(np.clip(values, 0, 1), np.clip(low, 0, 1), np.clip(high, 0, 1), drawn, controlled)


def _control(shortest: Sequence[int], n: int, budget: Budget) -> tuple[Sequence[int], NDArray[np.float64]]:
    """As many conflict sets, of those given from the shortest on, as make a game that fits, and its Shapley values."""
    base = np.zeros(n)
    for most in _CONTROL_SETS:
        left = None if budget.remaining is None else budget.remaining / 4
        limits = Budget(left, _CONTROL_NODES, budget.memory_limit)
        try:
            game = game_of_conflicts(shortest[:most], range(n), limits)
            base[list(game.players)] = [float(score) for score in exact_scores(game, "shapley", limits)]
            return shortest[:most], base
        except BudgetExceeded as stop:
            if stop.interrupted:
                raise
    return [], base


def _padded(sets: Sequence[int], n: int) -> NDArray[np.int64]:
    """The members of each set, a row each, filled up with ``n``."""
    width = max((s.bit_count() for s in sets), default=1)
    table = np.full((len(sets), width), n, np.int64)
    for row, one in zip(table, sets, strict=True):
        row[: one.bit_count()] = list(bits_of(one))
    return table


def _bits(features: NDArray[np.int64], width: int) -> NDArray[np.uint64]:
    words = np.zeros(width, np.uint64)
    np.bitwise_or.at(words, features >> 6, np.left_shift(np.uint64(1), (features & 63).astype(np.uint64)))
    return words


def _bounds(
    gained: NDArray[np.int64], lost: NDArray[np.int64], n: int, *, two_sided: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ends of intervals for the chance of a gain less that of a loss (C. Clopper and E. Pearson, 1934)."""
    from scipy.special import betaincinv

    tail = _DOUBT / 4 if two_sided else _DOUBT / 2

    def lower(k: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, tail), 0.0)

    def upper(k: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.where(k < n, betaincinv(k + 1, np.maximum(n - k, 1), 1 - tail), 1.0)

    if not two_sided:
        return lower(gained), upper(gained)
    return lower(gained) - upper(lost), upper(gained) - lower(lost)
