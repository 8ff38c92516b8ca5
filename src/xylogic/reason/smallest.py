"""A smallest sufficient reason by implicit hitting sets.

A smallest set that hits all necessary reasons is a smallest sufficient reason (R. Reiter, A theory of diagnosis from
first principles, 1987); the necessary reasons are found as they are needed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.errors import BudgetExceeded
from xylogic.search.engine import Engine, Goal, States
from xylogic.search.reason_kernel import Reasons
from xylogic.search.sets import members
from xylogic.search.smallest_kernel import Smallest

__all__ = ["SmallestSufficient"]

Sets = NDArray[np.uint64]


class SmallestSufficient:
    """Finds the smallest sufficient set, the first one by column order among equally small ones.

    ``lower`` and ``upper`` enclose its size at every moment, also after a limit.
    """

    def __init__(self, engine: Engine, goal: Goal, states: States) -> None:
        self._engine, self._goal, self._states = engine, goal, states
        self.lower = 0
        self.upper = len(members(engine.varying))

    def find(self, budget: Budget) -> Sets:
        """The set, uint64 (width,). Raises BudgetExceeded or KeyboardInterrupt before its size is proven; a limit
        that is reached later leaves a smallest set that may not be the first one."""
        engine = self._engine
        nothing = np.zeros(engine.width, np.uint64)
        with engine.search(self._goal, self._states, budget) as (search, _):
            reasons = Reasons(engine.varying)
            reasons.use(search)
            reasons.sufficient(engine.order)
            found: Sets = reasons.found
            self.upper = len(members(found))
            kernel = Smallest(reasons, engine.varying)
            while self.lower < self.upper:
                smaller: Sets | None = kernel.find(self.lower, nothing, engine.varying)
                if smaller is not None:
                    found, self.upper = smaller, self.lower
                else:
                    self.lower += 1
            try:
                return self._first(kernel, found)
            except (BudgetExceeded, KeyboardInterrupt):
                return found

    def _first(self, kernel: Smallest, found: Sets) -> Sets:
        """The first set of the proven size by column order, ``found`` being one."""
        prefix, rest = np.zeros_like(found), self._engine.varying.copy()
        for f in members(rest):
            if (prefix == found).all():
                break
            word, bit = f >> 6, np.uint64(1) << np.uint64(f & 63)
            rest[word] &= ~bit
            prefix[word] |= bit
            if not found[word] & bit:
                better: Sets | None = kernel.find(self.upper, prefix, rest)
                if better is None:
                    prefix[word] &= ~bit
                else:
                    found = better
        return found
