"""Shapley values by sampling, where the game is too large: an estimate with an interval for each player.

In a random order of the players, the pivot is the one whose coming turns those before it into a winning coalition; a
Shapley value is the chance to be the pivot. The game of the conflict sets that are known, an upper bound of the true
one, serves as a control variate: its values are exact, and only the orders whose true pivot is another one are left to
chance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from xylogic.search.reason_kernel import Reasons
from xylogic.search.sets import members
from xylogic.search.work import Work

__all__ = ["Sample", "sample_pivots"]

_DOUBT = 0.05  # of each interval
_ROUNDING = 1e-12  # of the control's values
_CONTROL_NODES = 300_000
_CONTROL_SETS = (20_000, 2_000, 200)  # shortest conflict sets that the control is made of, the first that fit


@dataclass(frozen=True)
class Sample:
    """``values``, ``low``, ``high``: float64 (n_features,), estimates, and the ends of intervals that hold a true value
    with probability 95 % at least. ``orders``: how many were drawn; ``changed``: how often the control was wrong."""

    values: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    orders: int
    changed: int


class _Orders:
    """Random orders of the features that can matter, and their pivots, by search."""

    def __init__(self, engine: Engine, search: Search, work: Work, random: np.random.Generator) -> None:
        self._search, self._width = search, engine.width
        self._n = engine.forest.n_features
        self._own, self._witness = work.x[: self._n], work.witness[: self._n]
        self._players = np.array(members(engine.varying), dtype=np.int64)
        self._random = random
        self._place = np.zeros(self._n + 1, np.int64)
        self._place[self._n] = self._n  # what fills up tables of sets comes last
        self.order = self._players

    def draw(self, conflicts: NDArray[np.int64]) -> int:
        """Draw an order; the place of its pivot if these conflict sets were all (-1: every coalition wins)."""
        self.order = self._random.permutation(self._players)
        self._place[self.order] = np.arange(len(self.order))
        return int(self._place[conflicts].min(axis=1).max(initial=-1))

    def pivot(self, supposed: int, missed: Callable[[NDArray[np.uint64]], None] | None = None) -> int:
        """The place of the order's true pivot, which is not before ``supposed``; ``missed`` is called with features
        whose change can flip the decision, though no known conflict set says so."""
        pivot = supposed
        while self._search.can_flip(free := _bits(self.order[pivot + 1 :], self._width)):
            # No coalition that misses what the witness changes wins.
            pivot = int(self._place[:-1][self._witness != self._own].min())
            if missed is not None:
                missed(free)
        return pivot


def sample_pivots(
    engine: Engine, goal: Goal, states: States, conflicts: Sequence[int], orders: int, seed: int | None, budget: Budget
) -> Sample:
    """Estimate the Shapley values of all features; up to ``orders`` orders, fewer if the time ends before.

    ``conflicts``: some necessary reasons, bit sets of the engine's features. A third of the time, or of as many orders
    more, goes into finding those that matter in random orders; the estimate uses none of these orders. About one search
    an order, one more each time the control is wrong. Raises BudgetExceeded if not one order was drawn.
    """
    n = engine.forest.n_features
    gained, lost = np.zeros(n, np.int64), np.zeros(n, np.int64)
    drawn = 0
    try:
        random = np.random.default_rng(seed)
        known = _learnt(engine, goal, states, conflicts, orders // 3, random, budget)
        control, base = _control(known, n, budget)
        table = _padded(control, n)
        with engine.search(goal, states, budget) as (search, work):
            draws = _Orders(engine, search, work, random)
            while drawn < orders:
                supposed = draws.draw(table)
                pivot = draws.pivot(supposed)
                drawn += 1
                if pivot != supposed:
                    gained[draws.order[pivot]] += 1
                    if supposed >= 0:
                        lost[draws.order[supposed]] += 1
                if drawn % 64 == 0:
                    budget.check()
    except (BudgetExceeded, KeyboardInterrupt):
        if drawn == 0:
            raise
    low, high = _bounds(gained, lost, drawn, two_sided=bool(control))
    values = np.clip(base + (gained - lost) / drawn, 0, 1)
    rounding = _ROUNDING if control else 0.0
    ends = np.clip(base + low - rounding, 0, 1), np.clip(base + high + rounding, 0, 1)
    return Sample(values, *ends, drawn, int(gained.sum()))


def _learnt(
    engine: Engine,
    goal: Goal,
    states: States,
    conflicts: Sequence[int],
    orders: int,
    random: np.random.Generator,
    budget: Budget,
) -> list[int]:
    """The conflict sets, and those found missing in up to ``orders`` random orders or a third of the time."""
    limits = Budget(None if budget.remaining is None else budget.remaining / 3)
    reducer = Reasons(engine.varying)
    known = dict.fromkeys(conflicts)
    table, size = _padded(list(known), engine.forest.n_features), len(known)

    def learn(free: NDArray[np.uint64]) -> None:
        if reducer.necessary(free):
            known[int.from_bytes(reducer.found.astype("<u8").tobytes(), "little")] = None

    try:
        with engine.search(goal, states, limits) as (search, work):
            reducer.use(search)
            draws = _Orders(engine, search, work, random)
            for _ in range(orders):
                draws.pivot(draws.draw(table), learn)
                if len(known) > size + size // 16:
                    table, size = _padded(list(known), engine.forest.n_features), len(known)
                limits.check()
    except BudgetExceeded as stop:
        if stop.interrupted:
            raise
    return list(known)


def _control(conflicts: Sequence[int], n: int, budget: Budget) -> tuple[list[int], NDArray[np.float64]]:
    """The shortest conflict sets whose game fits, and that game's Shapley values."""
    shortest = sorted(set(conflicts), key=lambda s: (s.bit_count(), s))
    for most in _CONTROL_SETS if shortest else ():
        left = None if budget.remaining is None else budget.remaining / 4
        try:
            limits = Budget(left, _CONTROL_NODES, budget.memory_limit)
            game = game_of_conflicts(shortest[:most], range(n), limits)
            base = np.zeros(n)
            base[list(game.players)] = [float(score) for score in exact_scores(game, "shapley", limits)]
        except BudgetExceeded as stop:
            if stop.interrupted:
                raise
        else:
            return shortest[:most], base
    return [], np.zeros(n)


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
