"""Power indices of a game: what each player is worth.

L. Shapley and M. Shubik 1954, J. Banzhaf 1965, R. Johnston 1978, J. Deegan and E. Packel 1978, M. Holler and E. Packel
1983, and the degree of responsibility (H. Chockler and J. Halpern 2004), as O. Letoffe and others carry them over to
explanations ("From SHAP scores to feature importance scores", 2024).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import comb

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.errors import BudgetExceeded
from xylogic.importance.counts import critical_by_size, reasons_by_size
from xylogic.importance.game import Game, Layers
from xylogic.importance.power_kernel import slopes

__all__ = ["ENUMERATED", "INDICES", "exact_scores", "pivot_scores", "reason_scores"]

INDICES = ("shapley", "banzhaf", "johnston", "deegan-packel", "holler-packel", "responsibility")
ENUMERATED = 20  # players up to which all coalitions are looked at
_COUNTED = 64  # players, and
_COUNTED_NODES = 50_000  # nodes up to which counting is quick


def exact_scores(game: Game, index: str, budget: Budget) -> list[Fraction] | NDArray[np.float64]:
    """Each player's score: exact fractions, or floats by quadrature (error below 1e-12) for Shapley and Banzhaf values
    of many players. Raises BudgetExceeded.
    """
    if game.n_players == 0:
        return []
    if index == "johnston":
        return johnston(game.diagram, game.n_players, budget)
    if index in ("shapley", "banzhaf"):
        if game.n_players <= _COUNTED and game.diagram.n_nodes <= _COUNTED_NODES:
            return counted_scores(game.diagram, game.n_players, index, budget)
        return pivot_scores(game.diagram, game.n_players, index, budget)
    game.limit(budget)
    return reason_scores(index, *reasons_by_size(game.reasons, game.n_players, budget))


def counted_scores(diagram: Layers, m: int, index: str, budget: Budget) -> list[Fraction]:
    """Shapley or Banzhaf values from exact counts of the coalitions that need a player."""
    critical = critical_by_size(diagram, m, budget)
    if index == "banzhaf":
        return [Fraction(sum(by_size), 2 ** (m - 1)) for by_size in critical]
    # k! (m - k - 1)! / m! = 1 / (m * binomial(m - 1, k))
    return [sum((Fraction(c, m * comb(m - 1, k)) for k, c in enumerate(by_size)), Fraction()) for by_size in critical]


def pivot_scores(diagram: Layers, m: int, index: str, budget: Budget) -> NDArray[np.float64]:
    """Shapley or Banzhaf values in floats: ceil(m / 2) Gauss-Legendre points are exact for degree m - 1."""
    points, weights = np.array([0.5]), np.array([1.0])
    if index == "shapley":
        from scipy.special import roots_legendre

        points, weights = roots_legendre((m + 1) // 2)
        points, weights = (points + 1) / 2, weights / 2
    return np.asarray(slopes(diagram.level, diagram.low, diagram.high, diagram.root, points, weights, budget))


def johnston(diagram: Layers, m: int, budget: Budget) -> list[Fraction]:
    """Johnston scores by looking at all coalitions. Raises BudgetExceeded beyond 20 players."""
    if m > ENUMERATED:
        raise BudgetExceeded(
            f"Johnston scores look at every set of relevant features: {m} are relevant, at most {ENUMERATED} accepted",
            {"relevant": m},
        )
    coalition = np.arange(1 << m)
    # The winning coalitions, all at once: each walks down the diagram.
    node = np.full(1 << m, diagram.root, np.int32)
    for _ in range(m):
        budget.check()
        present = (coalition >> np.minimum(diagram.level[node], m)) & 1
        step = np.where(present == 1, diagram.high[node], diagram.low[node])
        node = np.where(node > 1, step, node)
    wins = node == 1
    critical = [wins & ~wins[coalition & ~(1 << i)] for i in range(m)]
    sharing = np.sum(critical, axis=0)
    scores = []
    for needs in critical:
        by_number = np.bincount(sharing[needs], minlength=1)
        scores.append(sum((Fraction(int(c), k) for k, c in enumerate(by_number) if c), Fraction()))
    return scores


def reason_scores(index: str, sizes: Counter[int], holding: Sequence[Counter[int]]) -> list[Fraction]:
    """Deegan-Packel, Holler-Packel or responsibility: how many minimal winning coalitions of each size there are, in
    all (``sizes``) and with each player (``holding``)."""
    total = sum(sizes.values())
    if index == "holler-packel":
        return [Fraction(sum(mine.values()), total) for mine in holding]
    if index == "deegan-packel":
        return [sum((Fraction(c, size * total) for size, c in mine.items()), Fraction()) for mine in holding]
    return [Fraction(1, min(size for size, c in mine.items() if c)) for mine in holding]
