"""A smallest sufficient reason by implicit hitting sets.

A smallest set that hits all necessary reasons is a smallest sufficient reason (M. Reiter, A theory of diagnosis from
first principles, 1987); the necessary reasons are found as they are needed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.search.engine import Engine, Goal, States
from xylogic.search.hitting_kernel import hitting_set
from xylogic.search.reason_kernel import Reasons as Kernel
from xylogic.search.sets import members

__all__ = ["SmallestSufficient"]

Sets = NDArray[np.uint64]
_STEPS = 200  # search nodes between two looks at the budget


class SmallestSufficient:
    """Finds the smallest sufficient set, the first one by column order among equally small ones.

    ``lower``: no sufficient set has fewer features; proven at every moment, also after a limit.
    """

    def __init__(self, engine: Engine, goal: Goal, states: States) -> None:
        self._engine, self._goal, self._states = engine, goal, states
        self._edges: list[Sets] = []
        self.lower = 0

    def find(self, budget: Budget) -> Sets:
        """The set, uint64 (width,). Raises BudgetExceeded or KeyboardInterrupt."""
        width = self._engine.width
        with self._engine.search(self._goal, self._states, budget) as (search, _):
            kernel = Kernel(self._engine.varying)
            kernel.use(search)
            while True:
                candidate = self._hit(self._engine.varying, budget)
                while candidate is None:
                    self.lower += 1
                    candidate = self._hit(self._engine.varying, budget)
                if not self._refute(kernel, candidate):
                    break
            # Its size is proven; now the first set of that size by column order.
            prefix = np.zeros(width, np.uint64)
            rest = self._engine.varying.copy()
            while True:
                first = self._first(prefix, rest, budget)
                if not self._refute(kernel, first):
                    return first

    def _refute(self, kernel: Kernel, candidate: Sets) -> bool:
        """Add necessary sets that ``candidate`` misses, disjoint ones; False if it misses none."""
        free = self._engine.varying & ~candidate
        refuted = False
        while kernel.necessary(free):
            self._edges.append(kernel.found)
            free = free & ~kernel.found
            refuted = True
        return refuted

    def _hit(self, allowed: Sets, budget: Budget, chosen: Sets | None = None) -> Sets | None:
        """A set of at most ``lower`` features, ``chosen`` ones among them and others from ``allowed``, that hits all."""
        width = self._engine.width
        have = 0 if chosen is None else int(np.bitwise_count(chosen).sum())
        size = self.lower - have
        edges = np.array(self._edges, dtype=np.uint64).reshape(-1, width)
        if chosen is not None:
            edges = edges[~(edges & chosen).any(axis=1)]
        if size < 0:
            return None
        memory = [np.zeros((size + 2, width), np.uint64) for _ in range(3)]
        memory[0][0] = allowed
        used = np.zeros(width, np.uint64)
        result = hitting_set(np.ascontiguousarray(edges), *memory, used, size, _STEPS, -1)
        while result <= -2:
            budget.check()
            result = hitting_set(np.ascontiguousarray(edges), *memory, used, size, _STEPS, -2 - result)
        if result < 0:
            return None
        found: Sets = memory[2][result] if chosen is None else memory[2][result] | chosen
        return found

    def _first(self, prefix: Sets, rest: Sets, budget: Budget) -> Sets:
        """The first hitting set of ``lower`` features by column order."""
        prefix, rest = prefix.copy(), rest.copy()
        for f in members(rest):
            if int(np.bitwise_count(prefix).sum()) == self.lower:
                break
            word, bit = f >> 6, np.uint64(1) << np.uint64(f & 63)
            rest[word] &= ~bit
            prefix[word] |= bit
            if self._hit(rest, budget, prefix) is None:
                prefix[word] &= ~bit
        return prefix
