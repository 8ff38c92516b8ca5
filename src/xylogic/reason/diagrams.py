"""Reasons from compiled models: the same questions as by search, answered by circuits."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.circuit.diagram import Diagram
from xylogic.circuit.formula import Formula
from xylogic.compile.compiling import compile_ensemble
from xylogic.compile.formulas import ClassFormulas
from xylogic.domain.cells import Cells
from xylogic.model.ensemble import Ensemble
from xylogic.reason.circuits import ClassGraph, MinimalSets, closed_reason, robustness
from xylogic.reason.decision import Decision
from xylogic.reason.general import Wide
from xylogic.reason.implicates import StateBits, bits_of, general_necessary, general_sufficient
from xylogic.search.engine import Goal
from xylogic.search.sets import bit_set, members

__all__ = ["CircuitEnumeration", "CircuitGeneral", "Diagrams"]

Sets = NDArray[np.uint64]


class Diagrams:
    """The decision graphs of one model over one list of cells, compiled when first needed, and kept.

    Safe to share between threads. A budget that stops a compilation leaves what was compiled before.
    """

    def __init__(self, model: Ensemble, cells: Sequence[Cells]) -> None:
        self._model, self._cells = model, cells
        self._formulas: dict[tuple[str, Any], ClassFormulas] = {}
        self._parts: dict[Goal, list[ClassGraph]] = {}
        self._lock = threading.Lock()

    def parts(self, goal: Goal, budget: Budget) -> list[ClassGraph]:
        """Graphs whose conjunction says that a row does not reach ``goal``. Raises BudgetExceeded."""
        with self._lock:
            if goal not in self._parts:
                self._parts[goal] = self._made(goal, budget)
            return self._parts[goal]

    def _made(self, goal: Goal, budget: Budget) -> list[ClassGraph]:
        if goal.kind == "band":
            return [(self._formula(self._compiled("model", goal.band, budget), True).graph, (False, True))]
        formulas = self._compiled("model" if goal.ties == "model" else "winners", None, budget)
        labels = self._model.classes or ()
        if formulas.joint is not None:
            if goal.kind == "target":
                return [(formulas.joint, [c != goal.target for c in range(len(labels))])]
            return [(formulas.joint, [c in goal.winners for c in range(len(labels))])]
        if goal.kind == "target":
            return [(self._formula(formulas, labels[goal.target]).graph, (True, False))]
        first, *others = [self._formula(formulas, labels[w]) for w in goal.winners]
        merged = first.joined("or", others, budget) if others else first
        return [(merged.graph, (False, True))]

    @staticmethod
    def _formula(formulas: ClassFormulas, label: Hashable) -> Diagram:
        formula = formulas[label]
        assert isinstance(formula, Diagram)
        return formula

    def _compiled(self, ties: str, band: tuple[float, float] | None, budget: Budget) -> ClassFormulas:
        if (ties, band) not in self._formulas:
            left = None if budget.time_limit is None else max(budget.time_limit - budget.seconds, 0.0)
            self._formulas[ties, band] = compile_ensemble(
                self._model,
                ties=ties,
                band=band,
                cells=self._cells,
                time_limit=left,
                node_limit=budget.node_limit,
                memory_limit=budget.memory_limit,
            )
        return self._formulas[ties, band]


class CircuitEnumeration:
    """What :class:`~xylogic.reason.enumeration.Enumeration` answers, from the complete reason's circuit."""

    def __init__(self, decision: Decision, goal: Goal, diagrams: Diagrams) -> None:
        self._decision, self._goal, self._diagrams = decision, goal, diagrams
        columns = decision.columns
        self._states = np.zeros(len(decision.cells), np.int32)
        self._states[columns] = decision.states[:-1]
        self._features = np.zeros(len(decision.cells), np.int32)
        self._features[columns] = np.arange(len(columns), dtype=np.int32)
        self._formulas: dict[bool, Formula] = {}
        self._minimal: MinimalSets | None = None
        self._found = {kind: np.zeros((0, decision.engine.width), np.uint64) for kind in ("sufficient", "necessary")}
        self.complete = False
        self._lock = threading.RLock()

    def formula(self, general: bool, budget: Budget) -> Formula:
        """The complete or ``general`` reason. Raises BudgetExceeded."""
        with self._lock:
            if general not in self._formulas:
                parts = self._diagrams.parts(self._goal, budget)
                made = closed_reason(parts, self._states, self._decision.cells, general, budget)
                made.circuit.limit(Budget())  # who goes on with it is not under this question's limits
                self._formulas[general] = made
            return self._formulas[general]

    def minimal(self, budget: Budget) -> MinimalSets:
        """The families of sets. Raises BudgetExceeded."""
        with self._lock:
            if self._minimal is None:
                reason = self.formula(False, budget)
                graph = self._diagrams.parts(self._goal, budget)[0][0]
                width = self._decision.engine.width
                self._minimal = MinimalSets(reason, budget, self._features, width, graph.order)
            self._minimal.limit(budget)
            return self._minimal

    def order(self, budget: Budget) -> tuple[int, ...] | None:
        """The order in which the first of the graphs tests features; ``None``: there is none. Raises BudgetExceeded."""
        return self._diagrams.parts(self._goal, budget)[0][0].order

    def n_edges(self, budget: Budget) -> int:
        """Edges of the graphs. Raises BudgetExceeded."""
        return sum(graph.n_edges for graph, _ in self._diagrams.parts(self._goal, budget))

    def test_once(self, budget: Budget) -> bool:
        """Whether no path of the graphs tests a feature twice, as far as is known."""
        return all(graph.order is not None for graph, _ in self._diagrams.parts(self._goal, budget))

    def robustness(self, budget: Budget) -> float:
        """Algorithm 5; ``math.inf`` where nothing changes the decision."""
        return robustness(self.formula(False, budget), sets=False)[0]

    def shortest_sets(self, budget: Budget) -> Sets:
        """The features of all shortest necessary reasons, V of Algorithm 5: uint64 (n, width)."""
        engine = self._decision.engine
        position = self._features.tolist()
        _, sets = robustness(self.formula(False, budget))
        found = [bit_set([position[f] for f in bits_of(features)], engine.width) for features in sets]
        return np.array(found, dtype=np.uint64).reshape(-1, engine.width)

    def sets(self, kind: str) -> Sets:
        """Those of a kind, "sufficient" or "necessary", that were asked for so far: uint64 (n, width)."""
        return self._found[kind]

    def count(self, kind: str) -> int:
        return len(self._found[kind])

    def run(self, budget: Budget, count: int = 2**62) -> None:
        """Find all. Raises BudgetExceeded or KeyboardInterrupt."""
        with self._lock:
            if not self.complete:
                minimal = self.minimal(budget)
                for kind in self._found:
                    self._found[kind] = minimal.sets(kind)
                self.complete = True

    def run_until(self, kind: str, count: int | None, budget: Budget) -> None:
        """Find ``count`` of a kind (``None``: all)."""
        with self._lock:
            if self.complete or (count is not None and count <= self.count(kind)):
                return
            if count is None or self.minimal(budget).count(kind) < count:
                self.run(budget)
            else:
                # Twice as many as before, so that one more at a time stays linear.
                self._found[kind] = self.minimal(budget).sets(kind, max(count, 2 * self.count(kind)))

    def stream(self, kind: str, budget: Budget) -> Iterator[Sets]:
        """The sets of a kind one by one."""
        given = 0
        while True:
            self.run_until(kind, given + 1, budget)
            if self.count(kind) <= given:
                return
            yield self.sets(kind)[given]
            given += 1


class CircuitGeneral:
    """What :class:`~xylogic.reason.general.GeneralEnumeration` answers, from the general reason's circuit.

    A limit that stops the work keeps what was found; the rest begins anew.
    """

    def __init__(self, decision: Decision, kind: str, circuits: CircuitEnumeration, given: Sets | None = None) -> None:
        self._decision, self._kind, self._circuits, self._given = decision, kind, circuits, given
        self._stream: Iterator[Wide] | None = None
        self._budget = Budget()
        self.found: list[Wide] = []
        self.complete = False

    def check(self, nodes: int = 0, memory: int = 0) -> None:
        """The limits of whoever asked last."""
        self._budget.check(nodes, memory)

    def run_until(self, count: int | None, budget: Budget) -> None:
        """Go on until ``count`` are found (``None``: all). Raises BudgetExceeded or KeyboardInterrupt."""
        self._budget = budget
        try:
            while not self.complete and (count is None or len(self.found) < count):
                if self._stream is None:
                    self._stream = self._begin()
                    for _ in self.found:
                        next(self._stream)
                wide = next(self._stream, None)
                if wide is None:
                    self.complete = True
                else:
                    self.found.append(wide)
        except BaseException:
            self._stream = None
            raise

    def _begin(self) -> Iterator[Wide]:
        budget = self._budget
        if self._given is None:
            self._circuits.run_until(self._kind, None, budget)
        sets = self._circuits.sets(self._kind) if self._given is None else self._given
        general = self._circuits.formula(True, budget)
        columns = self._decision.columns.tolist()
        numbers = [sum(1 << columns[f] for f in members(words)) for words in sets]
        bits = StateBits(general.circuit.n_states)
        limits: Any = self
        once = self._circuits.test_once(budget)
        if self._kind == "necessary":
            found = general_necessary(general.circuit, general.root, bits, numbers, limits)
        else:
            found = (
                wide
                for features in numbers
                for wide in general_sufficient(general.circuit, general.root, bits, features, once, limits)
            )
        position = {f: i for i, f in enumerate(columns)}
        return ((tuple(position[f] for f in features), states) for features, states in found)
