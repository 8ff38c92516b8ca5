"""The bounded threshold product: a question about a forest's votes as an ordered diagram."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.circuit.graph import Graph
from xylogic.circuit.nodes_kernel import Nodes
from xylogic.compile.order import sifted
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
    """An order of features in which the diagram has fewer edges than in ``start``, by sifting.

    It is tried on the first trees alone, as many as take ``SEARCH_STATES`` states, with the question's bounds scaled
    down: seconds for 20 features. What is found must stand the test on half as many trees again.
    """
    n_trees = len(forest.roots)

    def cost(tried: tuple[int, ...], most: int = 4 * SEARCH_STATES) -> float:
        return _edges(forest, tried, scores, question, budget, most, n_trees)

    while n_trees > 2 and _edges(forest, start, scores, question, budget, SEARCH_STATES, n_trees) == float("inf"):
        n_trees = max(2, 5 * n_trees // 6)
    found = sifted(start, cost)
    n_trees = min(len(forest.roots), 3 * n_trees // 2)
    most = 20 * SEARCH_STATES
    return found if cost(found, most) < cost(start, most) else start


def _edges(
    forest: Forest, order: tuple[int, ...], scores: Scores, question: Question, budget: Budget, most: int, n_trees: int
) -> float:
    """How many edges the diagram of the first trees has; infinity where it takes clearly more than ``most`` states."""
    budget.check()
    limited = Budget(node_limit=most)
    try:
        part = question.scaled(n_trees / len(forest.roots))
        nodes, _ = _product(Trees(forest, order, limited, n_trees), scores, part, limited)
        return nodes.n_edges
    except BudgetExceeded:
        return float("inf")


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
