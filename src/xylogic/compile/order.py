"""Orders of features for the product: a heuristic, and a search that tries orders on part of the forest."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["by_weight", "sifted"]

Cost = Callable[[tuple[int, ...]], float]


def by_weight(weight: NDArray[np.float64], tested: NDArray[np.bool_]) -> tuple[int, ...]:
    """The tested features, the one of the greatest weight first; equal ones in column order."""
    order = np.argsort(-weight, kind="stable")
    return tuple(order[tested[order]].tolist())


def sifted(order: Sequence[int], cost: Cost, rounds: int = 2) -> tuple[int, ...]:
    """A better order by sifting: each feature in turn, the foremost first, moves to where the cost is least.

    At most ``rounds`` passes of n^2 costs each, fewer if one changes nothing (R. Rudell, Dynamic variable ordering for
    ordered binary decision diagrams, ICCAD 1993, by rebuilding instead of swapping).
    """
    best = tuple(order)
    least = cost(best)
    for _ in range(rounds):
        before = best
        for feature in before:
            rest = [f for f in best if f != feature]
            for position in range(len(best)):
                tried = (*rest[:position], feature, *rest[position:])
                if tried != best:
                    found = cost(tried)
                    if found < least:
                        best, least = tried, found
        if best == before:
            break
    return best
