"""The bounded threshold product: a question about a forest's votes as an ordered diagram."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.circuit.graph import Graph
from xylogic.circuit.nodes_kernel import Nodes
from xylogic.compile.order import annealed
from xylogic.compile.product_kernel import Product
from xylogic.compile.resolve import resolved
from xylogic.compile.sums_kernel import Sums
from xylogic.compile.trees import Forest, Trees
from xylogic.compile.votes import Question
from xylogic.errors import BudgetExceeded
from xylogic.model.sums import Scores

__all__ = ["product_graph", "searched_order"]

# Pairs of nodes that the sum of two groups of trees may meet: larger groups decide earlier, but take time to make. So
# they are made where the product turns out to be heavy.
LIGHT_CAP, LIGHT_STATES, HEAVY_CAP = 2000, 60_000, 10_000
SEARCH_STATES = 20_000  # of the products that the search for an order tries
SEARCH_MOVES = (1500, 1000, 1000)  # in each of its stages
SEARCH_EFFORT = 40_000_000  # edges in all: some seconds, half a minute at most


def product_graph(trees: Trees, scores: Scores, question: Question, budget: Budget) -> Graph:
    """The answer to ``question`` as an ordered decision graph of ``question.n_labels`` labels.

    Raises BudgetExceeded; ``trees`` stays as it was.
    """
    order, n_states = trees.order, trees.forest.graph.n_states
    if not question.constraints:
        return Nodes((), 2).graph(1, (), n_states)
    nodes, root = _product(trees, scores, question, budget)
    if not nodes.reaches(root, question.n_labels):
        return nodes.graph(root, order, n_states, question.n_labels)
    return resolved(trees, scores, question, nodes.graph(root, order, n_states), budget)


def searched_order(
    forest: Forest, start: tuple[int, ...], scores: Scores, question: Question, budget: Budget
) -> tuple[int, ...]:
    """An order of features in which the diagram has fewer edges than in ``start``, by simulated annealing.

    Orders are tried on the first trees alone, with the question's bounds scaled down: as many trees as take
    ``SEARCH_STATES`` states, and more of them once the order is better. What is found must then stand the test on the
    whole forest, or on as many trees as take 50 times as many states.
    """
    whole = len(forest.roots)
    trial = _Trial(forest, scores, question, budget)
    found, n_trees = start, trial.affordable(start, min(2, whole))
    for stage, moves in enumerate(SEARCH_MOVES):
        found = annealed(found, partial(trial.edges, n_trees=n_trees), moves, 0.2 / (stage + 1))
        n_trees = trial.affordable(found, n_trees)
    trial.left = SEARCH_EFFORT
    last = whole
    while last > 1:
        edges = [trial.edges(order, float("inf"), last, 50 * SEARCH_STATES) for order in (found, start)]
        if min(edges) < float("inf"):
            return found if edges[0] < edges[1] else start
        last = 5 * last // 6
    return start


class _Trial:
    """How large the diagram of some trees gets in an order; ``left`` counts down the edges that may still be made."""

    def __init__(self, forest: Forest, scores: Scores, question: Question, budget: Budget) -> None:
        self.left = SEARCH_EFFORT
        self._forest, self._scores, self._question, self._budget = forest, scores, question, budget

    def edges(self, order: tuple[int, ...], most: float, n_trees: int, states: int = 4 * SEARCH_STATES) -> float:
        """The edges; infinity where there are more than ``most``, or where it takes clearly more than ``states``."""
        self._budget.check()
        if self.left <= 0:
            return float("inf")
        limited = Budget(self._budget.remaining, states)
        self.left -= 300 * n_trees * len(self._question.constraints)  # what the trees' own diagrams take
        try:
            part = self._question.scaled(n_trees / len(self._forest.roots))
            trees = Trees(self._forest, order, limited, n_trees)
            nodes, _ = _product(trees, self._scores, part, limited)
        except BudgetExceeded:
            self.left -= 3 * states
            return float("inf")
        self.left -= nodes.n_edges
        return nodes.n_edges if nodes.n_edges <= most else float("inf")

    def affordable(self, order: tuple[int, ...], n_trees: int) -> int:
        """How many trees, ``n_trees`` at least, take no more than ``SEARCH_STATES`` states."""
        while n_trees < len(self._forest.roots):
            if self.edges(order, float("inf"), n_trees + 1, SEARCH_STATES) == float("inf"):
                break
            n_trees += 1
        return n_trees


def _product(trees: Trees, scores: Scores, question: Question, budget: Budget) -> tuple[Any, int]:
    """(nodes, root); label ``question.n_labels`` marks what floats must decide."""
    sizes = trees.nodes.sizes
    sums = Sums(sizes, len(question.constraints), budget)
    groups, constants = sums.convert(trees.nodes, question.worth(scores.fixed[trees.forest.leaf]), trees.roots)
    kept, constant = merged(sums, [int(g) for g in groups if g], constants.sum(axis=0), LIGHT_CAP)
    nodes = Nodes(sizes, question.n_labels + 1, budget)
    run = Product(sums, nodes, question, budget)
    try:
        root = run.run(kept, constant, LIGHT_STATES if len(kept) > 1 else 0)
        if root is None:
            kept, constant = merged(sums, kept, constant, HEAVY_CAP)
            run = Product(sums, nodes, question, budget)
            root = run.run(kept, constant)
        return nodes, root
    except BudgetExceeded as stop:
        stop.bounds |= {"states": run.states, "nodes": nodes.n_nodes, "groups of trees": len(kept)}
        raise


def merged(sums: Any, groups: list[int], constant: NDArray[np.int64], cap: int) -> tuple[list[int], NDArray[np.int64]]:
    """Fewer groups of the same sum: neighbours are added, in rounds, while that meets at most ``cap`` pairs."""
    while len(groups) > 1:
        following = []
        for left, right in zip(groups[::2], groups[1::2], strict=False):
            found = sums.add(left, right, cap)
            if found is None:
                following += [left, right]
                continue
            node, offset = found
            constant = constant + offset
            following += [node] if node else []
        following += groups[len(groups) - len(groups) % 2 :]
        if len(following) == len(groups):
            break
        groups = following
    return groups, constant
