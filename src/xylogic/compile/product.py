"""The bounded threshold product: a question about a forest's votes as an ordered diagram."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.circuit.nodes_kernel import Nodes
from xylogic.compile.product_kernel import Product
from xylogic.compile.sums_kernel import Sums
from xylogic.compile.trees import Trees
from xylogic.compile.votes import Question
from xylogic.model.sums import Scores

__all__ = ["GROUP_CAP", "merged", "product"]

GROUP_CAP = 2000  # pairs of nodes that the sum of two groups of trees may meet


def product(
    trees: Trees, scores: Scores, question: Question, budget: Budget, *, cap: int = GROUP_CAP
) -> tuple[Nodes, int]:
    """The diagram of ``question``: (its nodes, its root). Label ``question.n_labels`` marks what floats must decide."""
    sizes = trees.nodes.sizes
    sums = Sums(sizes, len(question.constraints), budget)
    groups, constants = sums.convert(trees.nodes, question.worth(scores.fixed[trees.forest.leaf]), trees.roots)
    kept, constant = merged(sums, [int(g) for g in groups if g], constants.sum(axis=0), cap)
    nodes = Nodes(sizes, question.n_labels + 1, budget)
    return nodes, Product(sums, nodes, question, budget).run(kept, constant)


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
