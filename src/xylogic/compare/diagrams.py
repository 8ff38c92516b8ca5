"""Where two classifiers differ, by decision diagrams of both over the same cells and in the same order of columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from xylogic.budget import Budget
from xylogic.circuit.combine import relabelled, together
from xylogic.circuit.counting import share
from xylogic.circuit.graph import Graph
from xylogic.circuit.meeting import Meeting, differing_boxes, meet
from xylogic.compare.question import Question
from xylogic.compare.rows import States
from xylogic.compile.compiling import compile_ensemble
from xylogic.domain.cells import Cells
from xylogic.model.ensemble import Ensemble
from xylogic.model.flat import feature_weights

__all__ = ["Diagrams", "class_shares"]


class Diagrams:
    """The graphs of two models that predict at least two classes. Raises BudgetExceeded."""

    def __init__(self, question: Question, budget: Budget) -> None:
        pair = question.pair
        self._budget = budget
        weight = sum(feature_weights(model.flat, len(pair.cells)) for model in (pair.left, pair.right))
        self._order = tuple(np.argsort(-np.asarray(weight), kind="stable").tolist())
        self._left = _graph(pair.left, self._order, pair.cells, budget)
        right = _graph(pair.right, self._order, pair.cells, budget)
        self._right = relabelled(right, pair.class_of, len(pair.class_of), budget)

    def meeting(self, budget: Budget) -> Meeting:
        """The share of all cells for each pair of classes, equal ones too; a limit leaves some undecided."""
        return meet(self._left, self._right, self._order, budget)

    def boxes(self) -> Iterator[tuple[tuple[int, int], States]]:
        """Disjoint boxes of all cells in which the models differ, with both classes: see ``differing_boxes``."""
        joint, (u, v) = together([self._left, self._right], self._order, self._budget)
        yield from differing_boxes(joint, u, v, self._budget)


def class_shares(question: Question, budget: Budget) -> dict[int, Fraction]:
    """The share of the cells of each class that the first model predicts. Raises BudgetExceeded."""
    graph = _graph(question.pair.left, (), question.pair.cells, budget)
    return {p: share(graph, p) for p in range(graph.n_labels)}


def _graph(model: Ensemble, order: Sequence[int], cells: Sequence[Cells], budget: Budget) -> Graph:
    formulas = compile_ensemble(
        model, order=[cells[f].name for f in order] or None, cells=cells, time_limit=budget.remaining,
        node_limit=budget.node_limit, memory_limit=budget.memory_limit,
    )  # fmt: skip
    assert formulas.joint is not None
    return formulas.joint
