"""Which engine answers: the search, compiled diagrams, or whichever a model's rows have shown to be cheaper."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from typing import Any

from xylogic.budget import Budget
from xylogic.circuit.formula import Formula
from xylogic.domain.cells import Cells
from xylogic.errors import BudgetExceeded
from xylogic.importance.conflicts import tree_conflicts
from xylogic.importance.game import Game, game_of_conflicts, game_of_reason
from xylogic.model.ensemble import Ensemble
from xylogic.reason.decision import Decision
from xylogic.reason.diagrams import CircuitEnumeration, CircuitGeneral, Diagrams, Sets
from xylogic.reason.enumeration import Enumeration
from xylogic.reason.general import GeneralEnumeration, searched_reason, shortest_sets
from xylogic.reason.one_tree import OneTree
from xylogic.search.engine import Goal

__all__ = ["ENGINES", "Reasoner", "Route"]

ENGINES = ("auto", "search", "diagram")
_PATIENCE = 1.0  # seconds of search before a model is worth an attempt to compile
_ATTEMPT = 10.0  # seconds of compiling for a general reason, which search finds but slowly
_MEMORY = 2**30  # bytes that an attempt may take
_TRIALS = 3  # rows that show what the diagram costs
_FEW_EDGES = 5000  # of graphs whose clauses and terms are quicker than the search at finding wide boxes


class Route:
    """How the questions about one model over one list of cells are answered.

    ``"auto"`` searches until that has taken a second; then it tries to compile, for at most a quarter of the time that
    the search took, and again whenever that has doubled. Once there is a diagram, three rows are answered by it, the
    others by the engine that took less time a row. What is polynomial on a single tree is read off that: ``tree``. All
    engines give the same answers.
    """

    def __init__(self, engine: str, model: Ensemble, cells: Sequence[Cells], tree: OneTree | None) -> None:
        self.engine = engine
        self.tree = tree
        self.diagrams = Diagrams(model, cells)
        self._seconds = {"search": 0.0, "diagram": 0.0}
        self._rows = {"search": 0, "diagram": 0}
        self._patience = _PATIENCE
        self._compiled: set[Goal] = set()

    def choose(self, goal: Goal, budget: Budget) -> str:
        """The engine for all reasons of one row."""
        if self.engine != "auto":
            return self.engine
        spent = self._seconds["search"]
        if goal not in self._compiled and (spent < self._patience or not self.compiles(goal, budget, spent / 4)):
            return "search"
        if self._rows["diagram"] < _TRIALS:
            return "diagram"
        return min(self._rows, key=lambda name: self._seconds[name] / max(self._rows[name], 1))

    def compiles(self, goal: Goal, budget: Budget, seconds: float) -> bool:
        """Whether the graphs for a goal exist, or can be made in so many seconds."""
        if goal not in self._compiled:
            left = seconds if budget.time_limit is None else min(seconds, (budget.time_limit - budget.seconds) / 4)
            memory = _MEMORY if budget.memory_limit is None else min(_MEMORY, budget.memory_limit)
            try:
                self.diagrams.parts(goal, Budget(max(left, 0.0), None, memory))
            except BudgetExceeded as stop:
                if stop.interrupted:
                    raise
                self._patience = max(2 * self._seconds["search"], self._patience)
                return False
            self._compiled.add(goal)
        return True

    def note(self, engine: str, seconds: float, fresh: bool) -> None:
        """Note what a row took; ``fresh``: it is a new one."""
        self._seconds[engine] += seconds
        self._rows[engine] += fresh


class Reasoner:
    """The sufficient and necessary reasons of one row for one goal, by the engine of its route.

    Where the route is free to choose, all reasons at once are worth the choice; the first few, and what is streamed,
    are searched, so that they are the same ones every time.
    """

    def __init__(self, route: Route, decision: Decision, goal: Goal) -> None:
        self._route, self._decision, self._goal = route, decision, goal
        self._begun: set[str] = set()
        self.by_search: Enumeration | None = None
        self.by_circuit: CircuitEnumeration | None = None
        self.by_tree: Sets | None = None  # all necessary sets
        self._game: Game | None = None

    def _searching(self) -> Enumeration:
        if self.by_search is None:
            decision = self._decision
            self.by_search = Enumeration(decision.engine, self._goal, decision.states)
        return self.by_search

    def circuit(self) -> CircuitEnumeration:
        """The row's circuits."""
        if self.by_circuit is None:
            self.by_circuit = CircuitEnumeration(self._decision, self._goal, self._route.diagrams)
        return self.by_circuit

    @property
    def circuits_only(self) -> bool:
        """Whether circuits were asked for."""
        return self._route.engine == "diagram"

    @property
    def work(self) -> Enumeration | CircuitEnumeration:
        """What has found most."""
        if self.circuits_only or (self.by_circuit is not None and self.by_circuit.complete):
            return self.circuit()
        return self._searching()

    @property
    def complete(self) -> bool:
        """Whether all reasons are found."""
        search, circuit = self.by_search, self.by_circuit
        return (search is not None and search.complete) or (circuit is not None and circuit.complete)

    def has_all(self, kind: str) -> bool:
        """Whether all of a kind are found."""
        return self.complete or (kind == "necessary" and self.by_tree is not None)

    def sets(self, kind: str) -> Sets:
        if kind == "necessary" and self.by_tree is not None:
            return self.by_tree
        return self.work.sets(kind)

    def count(self, kind: str) -> int:
        return len(self.sets(kind)) if self.by_tree is not None else self.work.count(kind)

    def run(self, budget: Budget, count: int = 2**62) -> None:
        self._run("diagram" if self.circuits_only else "search", lambda work: work.run(budget, count))

    def run_until(self, kind: str, count: int | None, budget: Budget) -> None:
        """See :class:`~xylogic.reason.enumeration.Enumeration`."""
        if self.has_all(kind):
            return
        if self._route.tree is not None and kind == "necessary" and count is None:
            self.by_tree = self._route.tree.necessary(self._decision, self._goal, budget)
            if self.by_tree is not None:
                return
        engine = "diagram" if self.circuits_only else "search"
        if count is None and self.by_search is None:
            engine = self._route.choose(self._goal, budget)
        self._run(engine, lambda work: work.run_until(kind, count, budget))

    def _run(self, engine: str, ask: Any) -> None:
        fresh = engine not in self._begun
        self._begun.add(engine)
        start = time.perf_counter()
        try:
            ask(self.circuit() if engine == "diagram" else self._searching())
        finally:
            self._route.note(engine, time.perf_counter() - start, fresh)

    def stream(self, kind: str, budget: Budget) -> Iterator[Sets]:
        return self.work.stream(kind, budget)

    def general(self, kind: str, shortest: Sets | None, budget: Budget) -> GeneralEnumeration | CircuitGeneral:
        """The general reasons, over all sets of features of a kind or (``shortest``) some of them.

        The sets come from the engine of the route; the boxes over them from circuits only where those are small.
        """
        if self.circuits_only and self.circuit().n_edges(budget) <= _FEW_EDGES:
            return CircuitGeneral(self._decision, kind, self.circuit(), shortest)
        return GeneralEnumeration(self._decision, kind, self, shortest)

    def shortest_sets(self, robustness: float, budget: Budget) -> Sets:
        """The features of all shortest necessary reasons."""
        if self.circuits_only:
            return self.circuit().shortest_sets(budget)
        return shortest_sets(self._decision, robustness, budget)

    def formula(self, general: bool, budget: Budget) -> Formula:
        """The complete or ``general`` reason. Raises BudgetExceeded."""
        route = self._route
        if general and route.engine == "auto":
            by_circuit = route.compiles(self._goal, budget, _ATTEMPT)
        else:
            by_circuit = route.choose(self._goal, budget) == "diagram"
        if by_circuit:
            return self.circuit().formula(general, budget)
        return searched_reason(self._decision, self, general, budget)

    def game(self, budget: Budget) -> Game:
        """The game "is this set of features sufficient", its players' names those of features. Raises BudgetExceeded.

        A single tree's conflict sets are read off its leaves; an ensemble's are searched for, all of them, unless a
        diagram of the model gives the game without listing any.
        """
        if self._game is None:
            self._game = self._made_game(budget)
        return self._game

    def _made_game(self, budget: Budget) -> Game:
        decision, route = self._decision, self._route
        engine = decision.engine
        names = [cells.name for cells in engine.forest.cells]
        if engine.forest.n_trees == 1 and not self.circuits_only:
            conflicts = tree_conflicts(engine, self._goal, decision.states, budget)
            return game_of_conflicts(conflicts, names, budget)
        by_circuit = self.circuits_only
        seconds = _PATIENCE
        while not by_circuit and not self._finds(seconds if route.engine == "auto" else math.inf, budget):
            by_circuit = route.compiles(self._goal, budget, seconds)
            seconds *= 4
        if by_circuit:
            circuit = self.circuit()
            return game_of_reason(circuit.formula(False, budget), circuit.order(budget), budget)
        return game_of_conflicts(self.conflicts(), names, budget)

    def _finds(self, seconds: float, budget: Budget) -> bool:
        """Whether the search finds all reasons in so much more time. Raises BudgetExceeded."""
        left = seconds if budget.remaining is None else min(seconds, budget.remaining)
        limits = Budget(None if left == math.inf else left, budget.node_limit, budget.memory_limit)
        try:
            self.run(limits)
        except BudgetExceeded as stop:
            if stop.interrupted or limits.remaining != 0:
                raise
            budget.check()
        return self.complete

    def conflicts(self) -> list[int]:
        """The necessary reasons found so far, as bit sets of the engine's features."""
        return [int.from_bytes(words.astype("<u8").tobytes(), "little") for words in self.sets("necessary")]
