"""Orders of features for the product: a heuristic, and a search that tries it on part of the forest."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["by_weight", "sifted"]


def by_weight(weight: NDArray[np.float64], tested: NDArray[np.bool_]) -> tuple[int, ...]:
    """The tested features, the one of the greatest weight first; equal ones in column order."""
    order = np.argsort(-weight, kind="stable")
    return tuple(order[tested[order]].tolist())


def sifted(order: Sequence[int], cost: Callable[[tuple[int, ...], float], float], rounds: int = 2) -> tuple[int, ...]:
    """A better order by sifting: each feature in turn, the foremost first, moves to where the cost is least.

    ``cost(order, most)`` is the cost of an order, or anything above ``most`` where it is higher than that.
    At most ``rounds`` passes of n^2 costs each, fewer if one changes nothing.
    """
    best = tuple(order)
    least = cost(best, float("inf"))
    for _ in range(rounds):
        before = best
        for feature in before:
            rest = [f for f in best if f != feature]
            for position in range(len(best)):
                tried = (*rest[:position], feature, *rest[position:])
                if tried != best:
                    found = cost(tried, least)
                    if found < least:
                        best, least = tried, found
        if best == before:
            break
    return best
