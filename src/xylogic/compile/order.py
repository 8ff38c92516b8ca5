"""Orders of features for the product: a heuristic, and a search that tries orders on part of the forest."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["annealed", "by_weight"]

Cost = Callable[[tuple[int, ...], float], float]

_HEAT = 0.2  # how much worse, in proportion, an order taken at first tends to be
_COLD = 0.002


def by_weight(
    weight: NDArray[np.float64], tested: NDArray[np.bool_], first: NDArray[np.int32] | None = None
) -> tuple[int, ...]:
    """The tested features, the one of the greatest weight first; of equal ones (deep down all are 0) the one that is
    tested ``first``, at the least depth, and then in column order.
    """
    order = np.lexsort((np.zeros(len(weight)) if first is None else first, -weight))
    return tuple(order[tested[order]].tolist())


def annealed(order: Sequence[int], cost: Cost, moves: int, heat: float = _HEAT) -> tuple[int, ...]:
    """A better order: ``moves`` times a feature, drawn at random, moves to another place; orders somewhat worse than
    the last one are taken as well, ever less of them (simulated annealing: S. Kirkpatrick et al., Science, 1983).

    ``cost(order, most)`` may be infinite where it is above ``most``. The draws are the same in every run.
    """
    draws = random.Random(0)
    now = best = tuple(order)
    here = least = cost(best, float("inf"))
    for move in range(moves if len(best) > 1 else 0):
        rest = list(now)
        feature = rest.pop(draws.randrange(len(rest)))
        rest.insert(draws.randrange(len(rest) + 1), feature)
        tried = tuple(rest)
        most = here * (1 + (heat * (1 - move / moves) ** 2 + _COLD) * draws.expovariate(1))
        found = cost(tried, most) if tried != now else here
        if found <= most:
            now, here = tried, found
            if here < least:
                best, least = now, here
    return best
