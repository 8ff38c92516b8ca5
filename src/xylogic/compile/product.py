"""The bounded threshold product: a question about a forest's votes as an ordered diagram."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.circuit.graph import Graph
from xylogic.circuit.nodes_kernel import Nodes
from xylogic.compile.product_kernel import Product
from xylogic.compile.resolve import resolved
from xylogic.compile.sums_kernel import Sums
from xylogic.compile.trees import Forest, Trees
from xylogic.compile.votes import Question
from xylogic.errors import BudgetExceeded
from xylogic.model.sums import Scores

__all__ = ["GROUP_CAP", "product_graph", "product_states"]

GROUP_CAP = 8000  # pairs of nodes that the sum of two groups of trees may meet


def product_graph(trees: Trees, scores: Scores, question: Question, budget: Budget, *, cap: int = GROUP_CAP) -> Graph:
    """The answer to ``question`` as an ordered decision graph of ``question.n_labels`` labels.

    Raises BudgetExceeded; ``trees`` stays as it was.
    """
    order, n_states = trees.order, trees.forest.graph.n_states
    if not question.constraints:
        return Nodes((), 2).graph(1, (), n_states)
    nodes, root, _ = _product(trees, scores, question, budget, cap)
    if not nodes.reaches(root, question.n_labels):
        return nodes.graph(root, order, n_states, question.n_labels)
    return resolved(trees, scores, question, nodes.graph(root, order, n_states), budget)


def product_states(
    forest: Forest, order: tuple[int, ...], scores: Scores, question: Question, budget: Budget, most: float
) -> float:
    """How many states the product has with an order of features; infinity where they are clearly more than ``most``."""
    budget.check()
    limited = budget if most == float("inf") else Budget(node_limit=int(most))
    try:
        return _product(Trees(forest, order, limited), scores, question, limited, GROUP_CAP)[2]
    except BudgetExceeded:
        if limited is budget:
            raise
        return float("inf")


def _product(trees: Trees, scores: Scores, question: Question, budget: Budget, cap: int) -> tuple[Any, int, int]:
    """(nodes, root, states visited); label ``question.n_labels`` marks what floats must decide."""
    sizes = trees.nodes.sizes
    sums = Sums(sizes, len(question.constraints), budget)
    groups, constants = sums.convert(trees.nodes, question.worth(scores.fixed[trees.forest.leaf]), trees.roots)
    kept, constant = merged(sums, [int(g) for g in groups if g], constants.sum(axis=0), cap)
    nodes = Nodes(sizes, question.n_labels + 1, budget)
    run = Product(sums, nodes, question, budget)
    try:
        return nodes, run.run(kept, constant), run.states
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
