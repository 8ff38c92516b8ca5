"""The paths of a forest's trees that some row takes, leaf by leaf, with what each leaves of every feature."""

from __future__ import annotations

from collections.abc import Iterator

from xylogic.budget import Budget
from xylogic.search.engine import States
from xylogic.search.forest import Forest

__all__ = ["Paths"]


class Paths:
    """Walks all trees of a forest, seen from a row of ``states``; iteration gives the leaves that some row reaches.

    At a leaf, ``possible`` holds the states that the path leaves to each feature, as a bit set; ``narrowed`` the
    features that it leaves not all of them, ``differs`` those to which it does not leave the row's: bit sets too.
    O(nodes) steps in all.
    """

    def __init__(self, forest: Forest, states: States, budget: Budget) -> None:
        self._forest, self._budget = forest, budget
        self._own = [1 << int(state) for state in states[: forest.n_features]]
        self.possible = [(1 << cells.n_states) - 1 for cells in forest.cells]
        self.narrowed = self.differs = 0

    def __iter__(self) -> Iterator[int]:
        forest, possible = self._forest, self.possible
        feature, left, right, end = (
            getattr(forest, f"node_{name}").tolist() for name in ("feature", "left", "right", "end")
        )
        undo: list[tuple[int, int, int, int, int]] = []
        arriving: dict[int, tuple[int, int]] = {}  # child -> the feature tested above it, what its side allows
        n = 0
        while n < forest.n_nodes:
            while undo and undo[-1][0] <= n:
                _, f, possible[f], self.narrowed, self.differs = undo.pop()
            if n in arriving:
                f, allowed = arriving.pop(n)
                undo.append((end[n], f, possible[f], self.narrowed, self.differs))
                if allowed != possible[f]:
                    self.narrowed |= 1 << f
                possible[f] = allowed
                if not allowed:
                    n = end[n]
                    continue
                if not allowed & self._own[f]:
                    self.differs |= 1 << f
            f = feature[n]
            if f < 0:
                yield n
            else:
                goes_left = self._goes_left(n, f)
                arriving[left[n]] = f, possible[f] & goes_left
                arriving[right[n]] = f, possible[f] & ~goes_left
            if n % 4096 == 0:
                self._budget.check()
            n += 1

    def _goes_left(self, n: int, f: int) -> int:
        """The states that the test at a node sends left, whatever the path to it."""
        forest = self._forest
        cells = forest.cells[f]
        if cells.is_set:
            at = int(forest.node_set[n])
            words = forest.set_words[at : at + int(forest.n_set_words[f])].tolist()
            return sum(word << 64 * i for i, word in enumerate(words))
        states = (1 << int(forest.node_cut[n]) + 1) - 1
        return states | (1 << cells.n_values if cells.missing and forest.node_missing[n] == 1 else 0)
