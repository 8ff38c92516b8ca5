"""Robustness, and all shortest ways to flip a decision."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from xylogic.budget import Budget
from xylogic.domain.box import Box
from xylogic.domain.cells import StateSet
from xylogic.reason.decision import Decision
from xylogic.search.reason_kernel import Reasons as Kernel
from xylogic.search.sets import bit_set, members
from xylogic.search.work import Work

__all__ = ["Robustness", "changed_states", "count_changes", "flip_rows", "shortest_flips"]


class Robustness:
    """The least number of features whose change can flip the decision.

    The value of Algorithm 5 of "Circuit Representations of Random Forests with Applications to XAI", without circuits.
    ``lower`` and ``upper`` enclose it at every moment, also after a limit. Branch and bound on the number of changed
    features, level by level.
    """

    def __init__(self, decision: Decision) -> None:
        self._decision = decision
        self.lower: float = 1
        self.upper: float = math.inf

    def find(self, budget: Budget) -> float:
        """The robustness; ``math.inf`` where no change flips. Raises BudgetExceeded or KeyboardInterrupt."""
        engine = self._decision.engine
        with engine.search(self._decision.flip, self._decision.states, budget) as (search, work):
            if self.lower == 1 and any(search.can_flip(bit_set([f], engine.width)) for f in members(engine.varying)):
                self.upper = 1
                return 1
            self.lower = max(self.lower, 2)
            kernel = Kernel(engine.varying)
            kernel.use(search)
            if not kernel.necessary(engine.varying):
                self.lower = math.inf
                return math.inf
            self.upper = min(self.upper, float(np.bitwise_count(kernel.found).sum()))
            count_changes(work)
            while self.lower < self.upper:
                if search.cheapest(engine.varying, self.lower, 1.0):
                    self.upper = self.lower
                else:
                    self.lower += 1
        return self.upper


def count_changes(work: Work) -> None:
    """Let every change cost 1."""
    work.cost[:] = 1.0
    work.step[:] = 1.0
    work.next_up[:] = work.own_state
    work.next_down[:] = work.own_state


class _Enough(Exception):
    """As many boxes as were asked for."""


def shortest_flips(
    decision: Decision, robustness: int, limit: int | None, budget: Budget
) -> tuple[list[Box], BaseException | None]:
    """Disjoint boxes of all flips that change ``robustness`` features, each listing the changed features' states.

    Stopped early, the boxes found so far come with what stopped it.
    """
    found: list[Box] = []
    with decision.engine.search(decision.partition, decision.states, budget) as (search, work):
        count_changes(work)

        def sink() -> None:
            if limit is not None and len(found) >= limit:
                raise _Enough
            found.append(_changed_box(decision, work))

        try:
            search.every(decision.engine.varying, float(robustness), sink)
        except (_Enough, RuntimeError, KeyboardInterrupt) as stop:
            return found, stop
    return found, None


def changed_states(decision: Decision, work: Work) -> Iterator[tuple[int, list[int]]]:
    """The features of which the search's current box excludes the instance's state, and the states that it holds."""
    forest = decision.engine.forest
    for f, cells in enumerate(forest.cells):
        if cells.is_set:
            states = members(work.words[forest.word_at[f] : forest.word_at[f] + forest.n_set_words[f]])
        else:
            states = list(range(int(work.lo[f]), int(work.hi[f]) + 1)) + [cells.n_values] * int(work.missing[f])
        if int(decision.states[f]) not in states:
            yield f, states


def _changed_box(decision: Decision, work: Work) -> Box:
    cells = decision.engine.forest.cells
    return Box({cells[f].name: StateSet(cells[f], tuple(states)) for f, states in changed_states(decision, work)})


def flip_rows(decision: Decision, box: Box) -> Iterator[dict[str, Any]]:
    """One concrete row for each cell of a flip box, each predicted again."""
    position = {cells.name: f for f, cells in enumerate(decision.engine.forest.cells)}
    for choice in itertools.product(*(allowed.states for allowed in box.values())):
        states = decision.states.copy()
        for name, state in zip(box, choice, strict=True):
            states[position[name]] = state
        yield decision.confirmed(decision.changed_row(states), decision.flip)
