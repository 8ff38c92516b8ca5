"""Where two classifiers differ, by decision diagrams of both over the same cells and in the same order of columns."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from xylogic.budget import Budget
from xylogic.circuit import paths
from xylogic.circuit.combine import combined, relabelled
from xylogic.circuit.counting import share
from xylogic.circuit.graph import Graph
from xylogic.compare.question import Question
from xylogic.compare.rows import States
from xylogic.compile.compiling import compile_ensemble
from xylogic.model.ensemble import Ensemble
from xylogic.model.flat import feature_weights

__all__ = ["Diagrams"]


class Diagrams:
    """The graphs of two models that predict at least two classes. Raises BudgetExceeded."""

    def __init__(self, question: Question, budget: Budget) -> None:
        pair = question.pair
        self._question, self._pair, self._budget = question, pair, budget
        self._n = len(pair.classes or ())
        weight = sum(feature_weights(model.flat, len(pair.cells)) for model in (pair.left, pair.right))
        self._order = [pair.cells[f].name for f in np.argsort(-np.asarray(weight), kind="stable")]
        self._left = self._graph(pair.left)
        self._right = relabelled(self._graph(pair.right), pair.class_of, self._n, budget)
        self._met: dict[tuple[int, int], Graph] = {}

    def _graph(self, model: Ensemble) -> Graph:
        budget = self._budget
        formulas = compile_ensemble(
            model, order=self._order, cells=self._pair.cells, time_limit=budget.remaining,
            node_limit=budget.node_limit, memory_limit=budget.memory_limit,
        )  # fmt: skip
        assert formulas.joint is not None
        return formulas.joint

    def meeting(self, p: int, q: int) -> Graph:
        """The cells in which the first model predicts class p and the second class q: a graph of two labels."""
        if (p, q) not in self._met:
            parts = [
                relabelled(graph, [int(label == wanted) for label in range(self._n)], 2, self._budget)
                for graph, wanted in ((self._left, p), (self._right, q))
            ]
            self._met[p, q] = combined("and", parts, self._budget)
        return self._met[p, q]

    def shares(self) -> dict[tuple[int, int], Fraction]:
        """The share of all cells for each pair of classes that occurs, equal ones too."""
        found = {(p, q): share(self.meeting(p, q), 1) for p in range(self._n) for q in range(self._n)}
        return {way: part for way, part in found.items() if part}

    def boxes(self) -> Iterator[tuple[tuple[int, int], States]]:
        """Disjoint boxes of all cells in which the models differ: way after way, by states along the tests."""
        where = {c.name: f for f, c in enumerate(self._pair.cells)}
        for way in self._question.ways():
            for box in paths.boxes(self.meeting(*way), 1, self._pair.cells):
                yield way, {where[name]: allowed.states for name, allowed in box.items()}
