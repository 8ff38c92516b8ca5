"""Two decision graphs side by side: how many rows get each pair of labels, and the boxes in which the labels differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.circuit.graph import Graph
from xylogic.circuit.meeting_kernel import Meetings
from xylogic.errors import BudgetExceeded

__all__ = ["Meeting", "differing_boxes", "meet"]

Pair = tuple[int, int]
_FEWEST = 1000  # pairs of nodes that go on at a level, however little time is left
_BREADTH = 8  # places in memory for each pair that goes on


@dataclass(frozen=True)
class Meeting:
    """``shares``: of all cells, by the labels of both graphs; ``undecided``: of which a limit left them unknown."""

    shares: dict[Pair, Fraction]
    undecided: Fraction


def meet(u: Graph, v: Graph, order: Sequence[int], budget: Budget) -> Meeting:
    """The share of all cells for each pair of labels that occurs: exact, O(pairs of nodes that meet).

    ``order``: of features, that both graphs keep to. The cells go down both graphs together, level by level. When half
    of the limits is spent, the pairs that most cells have come to go on alone, as many as the other half affords; the
    rest stays undecided. ``budget.node_limit`` counts pairs. Ctrl-C leaves undecided what is still on the way.
    """
    try:
        descent = _Descent(u, v, order, budget)
    except BudgetExceeded:  # of memory, for the first pairs
        return Meeting({}, Fraction(1))
    return descent.run()


class _Descent:
    def __init__(self, u: Graph, v: Graph, order: Sequence[int], budget: Budget) -> None:
        self._budget = budget
        self._n_labels, self._n_levels = u.n_labels, len(order)
        self._cells = math.prod(u.n_states[f] for f in order)
        level = np.full(len(u.n_states) + 1, len(order), np.int32)  # of feature -1, a leaf's: behind all others
        level[list(order)] = np.arange(len(order), dtype=np.int32)
        sizes = [u.n_states[f] for f in order]
        half = Budget(_half(budget.remaining), _half(budget.node_limit), _half(budget.memory_limit))
        self._kernel: Any = Meetings(u, v, level[u.feature], level[v.feature], sizes, self._cells, half)

    def run(self) -> Meeting:
        try:
            level = self._exact()
            self._kernel.limit(self._budget)
            for lower in range(level, self._n_levels):
                self._thin_out(lower)
                self._kernel.pass_on(lower)
        except (BudgetExceeded, KeyboardInterrupt):
            pass
        cells = [_whole(row) for row in self._kernel.tallied()]
        n = self._n_labels
        shares = {(k // n, k % n): Fraction(c, self._cells) for k, c in enumerate(cells) if c}
        return Meeting(shares, 1 - sum(shares.values(), Fraction(0)))

    def _exact(self) -> int:
        """Let all pairs pass their cells on, within half of the limits; the level that was reached."""
        for level in range(self._n_levels):
            try:
                self._kernel.pass_on(level)
            except BudgetExceeded as stop:
                if stop.interrupted:
                    raise
                return level
        return self._n_levels

    def _thin_out(self, level: int) -> None:
        """Leave only the heaviest pairs of a level."""
        places = self._kernel.waiting(level)
        most = self._affordable(self._n_levels - level)
        if len(places) <= most:
            return
        weights = self._kernel.weights(places)
        size = weights.astype(np.float64) @ np.ldexp(1.0, 32 * (np.arange(weights.shape[1]) - weights.shape[1]))
        by_size = np.argsort(-size, kind="stable")
        self._kernel.keep_only(level, places[by_size[:most]], places[by_size[most:]])

    def _affordable(self, levels: int) -> int:
        """How many pairs may go on at each of the levels that are left."""
        kernel, budget = self._kernel, self._budget
        most = max(_FEWEST, kernel.n_passed + kernel.n_waiting)
        if budget.remaining is not None:
            rate = kernel.n_passed / max(budget.seconds, 1e-3)
            most = min(most, int(rate * budget.remaining / levels))
        if budget.node_limit is not None:
            most = min(most, (budget.node_limit - kernel.n_passed) // levels)
        if budget.memory_limit is not None:
            most = min(most, budget.memory_limit * kernel.n_places // (_BREADTH * kernel.n_bytes))
        return max(_FEWEST, int(most))


def _half(limit: Any) -> Any:
    return None if limit is None else limit / 2


def _whole(limbs: NDArray[np.uint32]) -> int:
    """The number that little-endian limbs of 32 bits make."""
    return int.from_bytes(limbs.astype("<u4").tobytes(), "little")


def differing_boxes(graph: Graph, u: int, v: int, budget: Budget) -> Iterator[tuple[Pair, dict[int, list[int]]]]:
    """Disjoint boxes, feature -> states, that hold the cells for which two nodes have different labels, with these.

    ``graph``: ordered, equal functions being one node, so that of two nodes some cell tells them apart. Streamed, depth
    first, the widest branches first. A box takes time linear in the edges of the nodes on its path; there may be
    exponentially many. Raises BudgetExceeded.
    """
    order = graph.order or ()
    place = {feature: k for k, feature in enumerate(order)}
    level = [place.get(f, len(order)) for f in graph.feature.tolist()]
    chosen: dict[int, list[int]] = {}
    stack: list[tuple[int, Iterator[tuple[Pair, list[int]]]]] = []  # what a pair tests, and its branches to come
    pair = (u, v)
    while True:
        if pair[0] != pair[1]:
            budget.check()
            top = min(level[pair[0]], level[pair[1]])
            if top == len(order):
                yield pair, dict(chosen)
            else:
                stack.append((order[top], iter(_branches(graph, order[top], pair))))
        while stack:
            feature, branches = stack[-1]
            branch = next(branches, None)
            if branch is not None:
                pair, chosen[feature] = branch
                break
            chosen.pop(feature, None)
            stack.pop()
        else:
            return


def _branches(graph: Graph, feature: int, pair: Pair) -> list[tuple[Pair, list[int]]]:
    """The pairs that a pair leads to, and by which states of a feature: the most states first."""
    at = [int(graph.edge_at[n]) if graph.feature[n] == feature else -1 for n in pair]
    state, last = 0, graph.n_states[feature] - 1
    found: dict[Pair, list[int]] = {}
    while state <= last:
        ends = [int(graph.hi[k]) if k >= 0 else last for k in at]
        a, b = (int(graph.child[k]) if k >= 0 else n for k, n in zip(at, pair, strict=True))
        found.setdefault((a, b), []).extend(range(state, min(ends) + 1))
        state = min(ends) + 1
        at = [k + 1 if k >= 0 and end < state else k for k, end in zip(at, ends, strict=True)]
    return sorted(found.items(), key=lambda branch: -len(branch[1]))
