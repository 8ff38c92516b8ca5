"""Sufficient and necessary reasons of a decision: one, all of them, streamed."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.search.engine import Engine, Goal, States
from xylogic.search.reason_kernel import Reasons as Kernel

__all__ = ["Enumeration", "one_sufficient"]

Sets = NDArray[np.uint64]


class Enumeration:
    """All minimal sets of features that keep a goal out of reach, and all minimal sets that reach it.

    The two kinds are found together, one by one, and kept; a limit that stops the work loses nothing.
    Exponential in the number of reasons at worst (search/reason_kernel.py).
    """

    def __init__(self, engine: Engine, goal: Goal, states: States) -> None:
        self._engine, self._goal, self._states = engine, goal, states
        self._kernel: Kernel | None = engine.idle_reasons.pop() if engine.idle_reasons else Kernel(engine.varying)
        self._found: dict[str, Sets] = {}
        self._lock = threading.Lock()

    @property
    def complete(self) -> bool:
        """Whether all are found."""
        return self._kernel is None

    def sets(self, kind: str) -> Sets:
        """The sets of a kind, "sufficient" or "necessary", found so far, in that order: uint64 (n, width)."""
        with self._lock:
            if self._kernel is None:
                return self._found[kind]
            return self._kernel.sufficient_sets if kind == "sufficient" else self._kernel.necessary_sets

    def count(self, kind: str) -> int:
        """How many of a kind are found."""
        with self._lock:
            if self._kernel is None:
                return len(self._found[kind])
            return int(self._kernel.n_done if kind == "sufficient" else self._kernel.n_edges)

    def run(self, budget: Budget, count: int = 2**62) -> None:
        """Find up to ``count`` more. Raises BudgetExceeded or KeyboardInterrupt; what was found is kept."""
        with self._lock:
            if self._kernel is not None:
                self._run(self._kernel, budget, count)

    def _run(self, kernel: Kernel, budget: Budget, count: int) -> None:
        with self._engine.search(self._goal, self._states, budget) as (search, _):
            kernel.use(search)
            more = kernel.run(count)
        if not more:
            self._found = {"sufficient": kernel.sufficient_sets, "necessary": kernel.necessary_sets}
            self._kernel = None
            kernel.reset()
            self._engine.idle_reasons.append(kernel)

    def run_until(self, kind: str, count: int | None, budget: Budget) -> None:
        """Go on until ``count`` of a kind are found (``None``: all)."""
        if count is None:
            self.run(budget)
        while not self.complete and count is not None and self.count(kind) < count:
            self.run(budget, 1)

    def stream(self, kind: str, budget: Budget) -> Iterator[Sets]:
        """The sets of a kind one by one, as they are found, those found before first."""
        given = 0
        while True:
            while given < self.count(kind):
                yield self.sets(kind)[given]
                given += 1
            if self.complete:
                return
            self.run(budget, 1)


def one_sufficient(engine: Engine, goal: Goal, states: States, budget: Budget) -> tuple[Sets, BaseException | None]:
    """One minimal sufficient set by deletion, the least tested features first, one call of the search a feature.

    Stopped early, it is sufficient though perhaps not minimal, and comes with what stopped it.
    """
    kernel = Kernel(engine.varying)
    begun = False
    try:
        with engine.search(goal, states, budget) as (search, _):
            kernel.use(search)
            begun = True
            kernel.sufficient(engine.order)
    except (RuntimeError, KeyboardInterrupt) as stop:
        return kernel.found if begun else engine.varying, stop
    return kernel.found, None
