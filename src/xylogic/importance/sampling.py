"""Shapley values by sampling, where the game is too large: an estimate with an interval for each player.

In a random order of the players, the pivot is the one whose coming turns those before it into a winning coalition; a
Shapley value is the chance to be the pivot. The game of the conflict sets that are known, an upper bound of the true
one, serves as a control variate: its values are exact, and only the orders whose true pivot is another one are left to
chance.
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
from xylogic.search.engine import Engine, Goal, States
from xylogic.search.sets import members

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


def sample_pivots(
    engine: Engine, goal: Goal, states: States, conflicts: Sequence[int], orders: int, seed: int | None, budget: Budget
) -> Sample:
    """Estimate the Shapley values of all features; up to ``orders`` orders, fewer if the time ends before.

    ``conflicts``: some necessary reasons, bit sets of the engine's features. About one search an order, one more each
    time the control is wrong. Raises BudgetExceeded if not one order was drawn.
    """
    n = engine.forest.n_features
    control, base = _control(conflicts, n, budget)
    table = _padded(control, n)
    players = np.array(members(engine.varying), dtype=np.int64)
    random = np.random.default_rng(seed)
    gained, lost = np.zeros(n, np.int64), np.zeros(n, np.int64)
    place = np.zeros(n + 1, np.int64)
    place[n] = n  # what pads the table comes last
    drawn = 0
    try:
        with engine.search(goal, states, budget) as (search, work):
            own = work.x[:n]
            while drawn < orders:
                order = random.permutation(players)
                place[order] = np.arange(len(order))
                supposed = int(place[table].min(axis=1).max(initial=-1))
                pivot = supposed
                while True:
                    free = _bits(order[pivot + 1 :], engine.width)
                    if not search.can_flip(free):
                        break
                    # No coalition that misses these features wins.
                    pivot = int(place[:n][work.witness[:n] != own].min())
                drawn += 1
                if pivot != supposed:
                    gained[order[pivot]] += 1
                    if supposed >= 0:
                        lost[order[supposed]] += 1
                if drawn % 64 == 0:
                    budget.check()
    except (BudgetExceeded, KeyboardInterrupt):
        if drawn == 0:
            raise
    low, high = _bounds(gained, lost, drawn, two_sided=bool(control))
    values = np.clip(base + (gained - lost) / drawn, 0, 1)
    rounding = _ROUNDING if control else 0.0
    return Sample(
        values, np.clip(base + low - rounding, 0, 1), np.clip(base + high + rounding, 0, 1), drawn, int(gained.sum())
    )


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
