"""The nearest row about which the model decides differently."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from xylogic.budget import Budget
from xylogic.domain.cells import Cells
from xylogic.reason.decision import Decision
from xylogic.search.dive_kernel import Search
from xylogic.search.engine import Goal
from xylogic.search.reason_kernel import Reasons
from xylogic.search.sets import bit_set
from xylogic.search.work import Work

__all__ = ["Counterfactual"]

_TOO_MUCH = 1e299  # what a forbidden change costs in the search is more than this
_GROWTH = 1.25


class Counterfactual:
    """The row that reaches ``goal`` at the least cost, sum of cost * |change| / scale over the mutable features.

    Costs are measured to the nearest allowed number of each cell, so the optimum over rows is one over cells, found
    by branch and bound. At equal costs the first row of states in column order is taken.
    """

    def __init__(self, decision: Decision, goal: Goal) -> None:
        self._decision, self._goal = decision, goal
        self._numbers: dict[tuple[int, int], float] = {}  # feature and state -> its nearest number
        self.row: dict[str, Any] | None = None
        self.cost = math.inf
        self.lower = 0.0

    def find(self, budget: Budget) -> None:
        """Set ``row`` (``None``: there is none) and ``cost``; ``lower`` is a bound on it at every moment.

        Raises BudgetExceeded or KeyboardInterrupt; ``row`` then is a changed row, though perhaps not the nearest.
        """
        decision = self._decision
        engine = decision.engine
        forest = engine.forest
        movable = [f for f, c in enumerate(forest.cells) if c.feature.mutable and c.n_states > 1]
        with engine.search(self._goal, decision.states, budget) as (search, work):
            for f in range(forest.n_features):
                self._price(f, forest.cells[f], work)
            free = bit_set(movable, engine.width)
            kernel = Reasons(free)
            kernel.use(search)
            if not kernel.necessary(free):
                self.lower = math.inf
                return
            try:
                # A few features that can reach the goal give a good row soon.
                search.cheapest(kernel.found, _TOO_MUCH, 0.0)
                self._take(search, work)
                # Ever larger bounds: one that is too small is refuted fast, and a large one prunes little.
                bound = max(float(work.step[: forest.n_features].min(initial=1.0)), 1e-3)
                while self.lower < self.cost:
                    bound = min(bound * _GROWTH, self.cost, _TOO_MUCH)
                    if search.cheapest(free, bound, 0.0):
                        self._take(search, work)
                        self.lower = self.cost
                    else:
                        self.lower = bound if bound < _TOO_MUCH else math.inf
            finally:
                self._take(search, work)

    def _take(self, search: Search, work: Work) -> None:
        """Keep the search's witness if it is better, or as good (then it comes first in column order)."""
        if search.found and search.best <= self.cost:
            self.cost = search.best
            self.row = self._decision.changed_row(work.witness.copy(), self._numbers)

    def _price(self, f: int, cells: Cells, work: Work) -> None:
        """The cost of moving feature f to each of its states; forbidden states are skipped by ``next_up/down``."""
        decision, feature = self._decision, cells.feature
        at = int(decision.engine.forest.state_at[f])
        own = int(decision.states[f])
        origin = float(decision.values[decision.columns[f]])
        cuts = feature.cuts or (0.0,)
        scale = feature.scale or cuts[-1] - cuts[0] or 1.0
        costs = np.full(cells.n_states, feature.cost)
        allowed = np.ones(cells.n_states, dtype=bool)
        if not cells.is_set:
            for state in range(cells.n_values):
                number = cells.closest(state, origin)
                if number is None:
                    allowed[state] = state == own
                    continue
                self._numbers[f, state] = number
                if not math.isnan(origin):
                    costs[state] = feature.cost * abs(number - origin) / scale
        costs[own], allowed[own] = 0.0, True
        values = np.arange(cells.n_states, dtype=np.int32)
        up = np.where(allowed, values, cells.n_states + 1)
        up[: cells.n_values] = np.minimum.accumulate(up[: cells.n_values][::-1])[::-1]
        down = np.where(allowed, values, -1)
        down[: cells.n_values] = np.maximum.accumulate(down[: cells.n_values])
        work.cost[at : at + cells.n_states] = costs
        work.next_up[at : at + cells.n_states] = up
        work.next_down[at : at + cells.n_states] = down
        others = np.where(allowed & (values != own), costs, np.inf)
        work.step[f] = others.min(initial=np.inf)
