"""The other game, for comparison: what a set of features is worth is the expected score once they are fixed.

Its Shapley values are the usual SHAP scores. They may give a feature that decides nothing more than one that decides
(X. Huang and J. Marques-Silva, On the failings of Shapley values for explainability, 2024): see docs/importance.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.importance.paths import Paths
from xylogic.reason.implicates import bits_of
from xylogic.search.engine import Engine, States

__all__ = ["expected_value_scores"]

Floats = NDArray[np.float64]


def expected_value_scores(
    engine: Engine, values: Floats, states: States, weights: Sequence[Floats], budget: Budget
) -> Floats:
    """Shapley values of "the expected score, the features being independent, once these ones keep the row's states".

    Parameters
    ----------
    values : float64 (n_nodes,), what each leaf adds to the score, by the forest's node numbers.
    states : the row.
    weights : of each of the engine's features, the probability of each state.

    Returns float64 (n_features,); they add up to the row's score less the expected one. For each leaf, with a_j whether
    the row fits its path on feature j and b_j the probability that a row does, d features narrowed:
    value * (a_i - b_i) * integral over p in (0, 1) of the product over j != i of a_j p + b_j (1 - p), a polynomial for
    which ceil(d / 2) Gauss-Legendre points are exact. O(leaves * d^2); error some 1e-15 times the sum of the leaves'
    sizes. Raises BudgetExceeded.
    """
    scores = np.zeros(engine.forest.n_features)
    paths = Paths(engine.forest, states, budget)
    for leaf in paths:
        features = list(bits_of(paths.narrowed))
        if not features or not values[leaf]:
            continue
        fits = np.array([not paths.differs >> f & 1 for f in features], dtype=np.float64)
        chance = np.array([paths.chance(f, weights[f]) for f in features])
        points, shares = _points((len(features) + 1) // 2)
        factors = np.outer(fits, points) + np.outer(chance, 1 - points)
        ones = np.ones((1, len(points)))
        before = np.cumprod(np.vstack([ones, factors[:-1]]), axis=0)
        after = np.cumprod(np.vstack([ones, factors[:0:-1]]), axis=0)[::-1]
        scores[features] += values[leaf] * (fits - chance) * ((before * after) @ shares)
    return scores


@cache
def _points(n: int) -> tuple[Floats, Floats]:
    """Gauss-Legendre points and weights on (0, 1)."""
    from scipy.special import roots_legendre

    points, weights = roots_legendre(n)
    return (points + 1) / 2, weights / 2
