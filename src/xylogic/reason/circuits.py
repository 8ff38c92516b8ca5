"""Reasons of one row from decision graphs of its class formula."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.circuit.formula import Formula
from xylogic.circuit.graph import Graph
from xylogic.circuit.nnf_kernel import Circuit
from xylogic.domain.cells import Cells
from xylogic.errors import InvalidInputError
from xylogic.reason.closed_kernel import closed_form
from xylogic.reason.monotone_kernel import Monotone
from xylogic.reason.robust_kernel import NEVER, least_changes

__all__ = ["ClassGraph", "MinimalSets", "closed_reason", "robustness"]

ClassGraph = tuple[Graph, Sequence[bool]]  # a weak-test-once graph, and which of its labels count as true


def closed_reason(
    parts: Sequence[ClassGraph], states: NDArray[np.int32], cells: Sequence[Cells], general: bool, budget: Budget
) -> Formula:
    """The complete or ``general`` reason for a row, ``states`` (one per feature of the graphs), to be in the class
    whose formula is the conjunction of ``parts``. O(edges).

    Raises BudgetExceeded, and InvalidInputError if the row is not in the class.
    """
    circuit = Circuit([c.n_states for c in cells], budget)
    forms = []
    for graph, accepted in parts:
        forms.append(closed_form(circuit, graph, np.asarray(accepted, dtype=bool), states, general))
    formula = Formula(circuit, circuit.conjunction(forms), cells)
    if formula.root == 0:
        raise InvalidInputError("the row is not in the class that the reason is asked for")
    return formula


def robustness(reason: Formula, sets: bool = True) -> tuple[float, list[int]]:
    """How few features must change to leave a complete reason's class, and the sets of so many that can, as bit sets.

    Algorithm 5 of "Circuit Representations of Random Forests with Applications to XAI": the number in one pass, the
    sets, perhaps exponentially many, only where the least number is kept (and if ``sets``). ``math.inf`` and no set if
    none can.
    """
    circuit = reason.circuit
    least = least_changes(circuit, reason.root)
    if least[reason.root] >= NEVER:
        return math.inf, []
    if not sets:
        return int(least[reason.root]), []
    found: dict[int, set[int]] = {0: {0}}
    waiting = [reason.root]
    while waiting:
        n = waiting[-1]
        if n in found:
            waiting.pop()
            continue
        kind, children = circuit.kind(n), circuit.children(n)
        if kind == "and":
            children = [c for c in children if least[c] == least[n]]
        open_children = [c for c in children if c not in found]
        if open_children:
            waiting += open_children
        elif kind == "literal":
            found[n] = {1 << circuit.feature(n)}
        elif kind == "and":
            found[n] = set().union(*(found[c] for c in children))
        else:
            joined = {0}
            for c in children:
                joined = {a | b for a in joined for b in found[c]}
            found[n] = joined
    return int(least[reason.root]), sorted(found[reason.root])


class MinimalSets:
    """All sufficient and all necessary reasons of a complete reason, as families of sets of features.

    ``features`` : number of each of the circuit's features in the answers' bit sets of ``width`` words; ``order``: the
    features in the order in which the diagrams test them.
    """

    def __init__(
        self, reason: Formula, budget: Budget, features: NDArray[np.int32], width: int, order: Sequence[int] | None
    ) -> None:
        n = len(reason.cells)
        tested = list(order) if order is not None else []
        tested += sorted(set(range(n)) - set(tested))
        levels = np.empty(n, dtype=np.int32)
        levels[tested] = np.arange(n, dtype=np.int32)
        self._features = np.asarray(features, dtype=np.int32)[tested]
        self._width = width
        self._kernel = Monotone(n, budget)
        self._root = self._kernel.read(reason.circuit, reason.root, levels)
        self._families: dict[str, int] = {}

    def family(self, kind: str) -> int:
        if kind not in self._families:
            self._families[kind] = self._kernel.minimal(self._root, kind == "necessary")
        return self._families[kind]

    def limit(self, budget: Budget) -> None:
        """Let ``budget`` bound what is done from now on."""
        self._kernel.limit(budget)

    def count(self, kind: str) -> int:
        """How many there are of a kind, "sufficient" or "necessary". O(nodes)."""
        return int(self._kernel.count(self.family(kind)))

    def sets(self, kind: str, limit: int | None = None) -> NDArray[np.uint64]:
        """Those of a kind, at most ``limit``: uint64 (n, width)."""
        total = self.count(kind)
        out = np.zeros((total if limit is None else min(limit, total), self._width), np.uint64)
        self._kernel.sets(self.family(kind), self._features, out)
        return out
