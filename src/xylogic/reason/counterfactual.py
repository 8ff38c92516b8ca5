"""The nearest row about which the model decides differently."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from xylogic.budget import Budget
from xylogic.domain.cells import Cells
from xylogic.reason.decision import Decision
from xylogic.search.engine import Goal
from xylogic.search.sets import bit_set
from xylogic.search.work import Work

__all__ = ["Counterfactual"]

_TOO_MUCH = 1e299  # what a forbidden change costs in the search is more than this


class Counterfactual:
    """The row that reaches ``goal`` at the least cost, sum of cost * |change| / scale over the mutable features.

    Costs are measured to the nearest allowed number of each cell, so the optimum over rows is one over cells, found
    by branch and bound. At equal costs the first row of states in column order is taken.
    """

    def __init__(self, decision: Decision, goal: Goal) -> None:
        self._decision, self._goal = decision, goal
        self._numbers: dict[tuple[int, int], float] = {}
        self.row: dict[str, Any] | None = None
        self.cost = math.inf

    def find(self, budget: Budget) -> None:
        """Set ``row`` (``None``: there is none) and ``cost``.

        Raises BudgetExceeded or KeyboardInterrupt; ``row`` then is a changed row, though perhaps not the nearest.
        """
        decision = self._decision
        engine = decision.engine
        forest = engine.forest
        movable = [f for f, c in enumerate(forest.cells) if c.feature.mutable and c.n_states > 1]
        with engine.search(self._goal, decision.states, budget) as (search, work):
            for f in range(forest.n_features):
                self._price(f, forest.cells[f], work)
            try:
                search.cheapest(bit_set(movable, engine.width), _TOO_MUCH, 0.0)
            finally:
                if search.found:
                    self.cost = search.best
                    states = work.witness.copy()
                    numbers = {f: self._numbers.get((f, int(states[f])), math.nan) for f in movable}
                    self.row = decision.changed_row(states, numbers)

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
