"""Sums too close for fixed point, decided by the model's own float arithmetic.

Where the product ends at the label *unresolved*, the sums of a constraint lie within the rounding error of the
model's own summation. Below such nodes every tree is followed down to its leaf, and the leaves' values are added in
the model's order. Elsewhere the diagram stays as it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.circuit.diagram_kernel import reaching
from xylogic.circuit.graph import Graph
from xylogic.circuit.ordered_kernel import Ordered
from xylogic.compile.trees import Trees
from xylogic.compile.votes import Question
from xylogic.model.sums import Scores

__all__ = ["resolved"]

_CHECK_EVERY = 256  # states

State = tuple[int, tuple[int, ...]]  # a node of the product's graph, and of each tree


class _Edges:
    """The edges of a graph's nodes as lists, made when first asked for."""

    def __init__(self, graph: Graph, level_of: NDArray[np.int32]) -> None:
        self._graph, self._level_of = graph, level_of
        self._known: dict[int, tuple[int, list[int], list[int]]] = {}

    def __call__(self, node: int) -> tuple[int, list[int], list[int]]:
        """(level, last states, children) of a node; leaves are behind all levels."""
        if node not in self._known:
            graph = self._graph
            part = slice(int(graph.edge_at[node]), int(graph.edge_at[node + 1]))
            level = len(self._level_of) if node < graph.n_labels else int(self._level_of[graph.feature[node]])
            self._known[node] = (level, graph.hi[part].tolist(), graph.child[part].tolist())
        return self._known[node]


def resolved(trees: Trees, scores: Scores, question: Question, product: Graph, budget: Budget) -> Graph:
    """``product``'s graph (its last label is *unresolved*) with every row at a label of ``question``.

    A product of the graph with all trees, below the nodes that reach *unresolved*: exponential in the worst case, and
    of a few rows where sums seldom tie.
    """
    n_states, order = product.n_states, trees.order
    level_of = np.zeros(len(n_states), np.int32)
    level_of[list(order)] = np.arange(len(order), dtype=np.int32)
    marks = np.zeros(product.n_nodes, np.int32)
    marks[question.n_labels] = 1
    reaching(product.feature, product.edge_at, product.child, marks)
    out = Ordered([n_states[f] for f in order], question.n_labels, budget)
    places = out.add(product, [*range(question.n_labels), 0], level_of)
    # The trees' nodes, as a graph that all of them are roots of.
    forest = trees.graph()
    of_product, of_tree = _Edges(product, level_of), _Edges(forest, level_of)
    values = scores.values[trees.forest.leaf]

    def settled(state: State) -> int:
        """The node of a state that takes no walk, else -1."""
        node, leaves = state
        if not marks[node]:
            return int(places[node])
        if max(leaves) < forest.n_labels:
            sums = np.add.accumulate(np.vstack([scores.base, values[list(leaves)]]), axis=0)[-1] / scores.divisor
            return question.label(sums.tolist())
        return -1

    start: State = (product.root, tuple(trees.roots.tolist()))
    known: dict[State, int] = {}
    # (state, level, its children still to come as (last state, child), those done)
    frames: list[tuple[State, int, list[tuple[int, State]], list[int], list[int]]] = []
    result, pending = settled(start), start
    steps = 0
    while True:
        if result < 0:
            steps += 1
            if steps % _CHECK_EVERY == 0:
                budget.check(steps, out.n_bytes)
            level, children = _children(pending, of_product, of_tree)
            frames.append((pending, level, children[::-1], [], []))
        elif not frames:
            found: Graph = out.graph(result, order, n_states)
            return found
        else:
            frames[-1][3].append(frames[-1][2].pop()[0])
            frames[-1][4].append(result)
        state, level, waiting, hi, child = frames[-1]
        if not waiting:
            result = known[state] = out.node(level, hi, child)
            frames.pop()
            continue
        pending = waiting[-1][1]
        result = settled(pending)
        if result < 0:
            result = known.get(pending, -1)


def _children(state: State, of_product: Any, of_tree: Any) -> tuple[int, list[tuple[int, State]]]:
    """The least level that a state tests, and (last state, child) for the runs of states that no part tells apart."""
    node, roots = state
    parts = [of_product(node), *(of_tree(root) for root in roots)]
    level = min(part[0] for part in parts)
    testing = {position: part for position, part in enumerate(parts) if part[0] == level}
    ends = sorted({end for _, hi, _ in testing.values() for end in hi})
    cursor = dict.fromkeys(testing, 0)
    now = [node, *roots]
    children: list[tuple[int, State]] = []
    for end in ends:
        for position, (_, hi, child) in testing.items():
            while hi[cursor[position]] < end:
                cursor[position] += 1
            now[position] = child[cursor[position]]
        children.append((end, (now[0], tuple(now[1:]))))
    return level, children
