"""The paths of a forest's trees that some row takes, leaf by leaf, with what each leaves of every feature."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.reason.implicates import bits_of
from xylogic.search.engine import States
from xylogic.search.forest import Forest

__all__ = ["Paths"]


Allowed = int | tuple[int, int, bool]  # categories as bits; ordered states from .. to, and whether "missing" is one


class Paths:
    """Walks all trees of a forest, seen from a row of ``states``; iteration gives the leaves that some row reaches.

    At a leaf, ``narrowed`` holds the features that the path leaves not all of their states, and ``differs`` those to
    which it does not leave the row's: bit sets. O(nodes) steps in all, whatever the depth.
    """

    def __init__(self, forest: Forest, states: States, budget: Budget) -> None:
        self._forest, self._budget = forest, budget
        self._own = states[: forest.n_features].tolist()
        self._allowed: list[Allowed] = [
            (1 << cells.n_states) - 1 if cells.is_set else (0, cells.n_values - 1, cells.missing)
            for cells in forest.cells
        ]
        self.narrowed = self.differs = 0

    def __iter__(self) -> Iterator[int]:
        forest, now = self._forest, self._allowed
        feature, left, right, end = (
            getattr(forest, f"node_{name}").tolist() for name in ("feature", "left", "right", "end")
        )
        undo: list[tuple[int, int, Allowed, int, int]] = []
        arriving: dict[int, tuple[int, Allowed]] = {}  # child -> the feature tested above it, what its side allows
        n = 0
        while n < forest.n_nodes:
            while undo and undo[-1][0] <= n:
                _, f, now[f], self.narrowed, self.differs = undo.pop()
            if n in arriving:
                f, allowed = arriving.pop(n)
                undo.append((end[n], f, now[f], self.narrowed, self.differs))
                if allowed != now[f]:
                    self.narrowed |= 1 << f
                now[f] = allowed
                if _is_empty(allowed):
                    n = end[n]
                    continue
                if not self._holds(f, self._own[f]):
                    self.differs |= 1 << f
            f = feature[n]
            if f < 0:
                yield n
            else:
                sides = self._sides(n, f)
                arriving[left[n]], arriving[right[n]] = (f, sides[0]), (f, sides[1])
            if n % 4096 == 0:
                self._budget.check()
            n += 1

    def chance(self, f: int, weight: NDArray[np.float64]) -> float:
        """The probability of the states that the path leaves to a feature, each having its ``weight``."""
        allowed = self._allowed[f]
        if isinstance(allowed, int):
            return float(weight[list(bits_of(allowed))].sum())
        first, last, missing = allowed
        return float(weight[first : last + 1].sum() + (weight[-1] if missing else 0.0))

    def _sides(self, n: int, f: int) -> tuple[Allowed, Allowed]:
        """What is left of a feature's states to the left and to the right of the test at a node."""
        forest, allowed = self._forest, self._allowed[f]
        if isinstance(allowed, int):
            at = int(forest.node_set[n])
            words = forest.set_words[at : at + int(forest.n_set_words[f])].tolist()
            goes_left = sum(word << 64 * i for i, word in enumerate(words))
            return allowed & goes_left, allowed & ~goes_left
        first, last, missing = allowed
        cut, way = int(forest.node_cut[n]), int(forest.node_missing[n])
        return (first, min(last, cut), missing and way == 1), (max(first, cut + 1), last, missing and way != 1)

    def _holds(self, f: int, state: int) -> bool:
        allowed = self._allowed[f]
        if isinstance(allowed, int):
            return bool(allowed >> state & 1)
        first, last, missing = allowed
        return missing if state == self._forest.cells[f].n_values else first <= state <= last


def _is_empty(allowed: Allowed) -> bool:
    return not allowed if isinstance(allowed, int) else allowed[0] > allowed[1] and not allowed[2]
