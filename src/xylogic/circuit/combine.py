"""Decision graphs made from decision graphs: joined, compared, relabelled, restricted, brought into an order.

The one place that chooses how. Ordered graphs are joined by the ordered product, in linear time if one of them is
small, in the product of their sizes at most. A graph of free order is brought into an order first, which may take
exponential time and room: ``budget`` bounds both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from xylogic.budget import Budget
from xylogic.circuit.graph import Graph
from xylogic.circuit.ordered_kernel import Ordered

__all__ = ["combined", "ordered", "relabelled", "restricted", "same", "together"]


def combined(operation: str, graphs: Sequence[Graph], budget: Budget) -> Graph:
    """The conjunction ("and"), disjunction ("or") or difference ("differ", of two) of graphs of two labels."""
    order = _common_order(graphs)
    nodes, level_of = _manager(graphs[0], order, 2, budget)
    roots = [int(nodes.add(g, np.arange(2), level_of)[g.root]) for g in graphs]
    root = roots[0]
    for other in roots[1:]:
        root = nodes.combine(operation, root, other)
    found: Graph = nodes.graph(root, order, graphs[0].n_states)
    return found


def same(a: Graph, b: Graph, budget: Budget) -> bool:
    """Whether two graphs of equal labels are the same function: in one order, equal functions are one node."""
    _, roots = together([a, b], _common_order([a, b]), budget)
    return roots[0] == roots[1]


def together(graphs: Sequence[Graph], order: tuple[int, ...], budget: Budget) -> tuple[Graph, list[int]]:
    """One graph in an order that holds all of these, of equal labels, and their roots; equal functions are one node."""
    nodes, level_of = _manager(graphs[0], order, graphs[0].n_labels, budget)
    roots = [int(nodes.add(g, np.arange(g.n_labels), level_of)[g.root]) for g in graphs]
    found: Graph = nodes.whole(roots[0], order, graphs[0].n_states)
    return found, roots


def relabelled(graph: Graph, labels: Sequence[int], n_labels: int, budget: Budget) -> Graph:
    """The ordered graph with label ``labels[l]`` for l, reduced. Linear."""
    return _rebuilt(graph, _common_order([graph]), labels, n_labels, budget)


def restricted(graph: Graph, box: Mapping[int, Sequence[int]], budget: Budget) -> Graph:
    """The graph of two labels for rows inside ``box``, feature -> its states.

    A feature of one state is tested no longer; where others have states outside the box, the answer is false. Linear
    for an ordered graph.
    """
    order = _common_order([graph])
    level = {feature: position for position, feature in enumerate(order)}
    inside = {level[feature]: states for feature, states in box.items() if feature in level}
    found = _rebuilt(graph, order, range(graph.n_labels), graph.n_labels, budget, inside)
    wide = {feature: states for feature, states in box.items() if 1 < len(states) < graph.n_states[feature]}
    return combined("and", [found, _box_graph(wide, graph.n_states, order)], budget) if wide else found


def _box_graph(box: Mapping[int, Sequence[int]], n_states: tuple[int, ...], order: Sequence[int]) -> Graph:
    """True inside the box: a chain of tests, in ``order`` and then ascending."""
    chain = [f for f in order if f in box] + sorted(set(box) - set(order))
    feature, edges, child = [-1, -1], [], 1
    for f in reversed(chain):
        inside = np.isin(np.arange(n_states[f]), list(box[f]))
        first = np.flatnonzero(np.append(True, inside[1:] != inside[:-1]))
        last = np.append(first[1:], n_states[f]) - 1
        edges.append([(int(a), int(b), child if inside[a] else 0) for a, b in zip(first, last, strict=True)])
        feature.append(f)
        child = len(feature) - 1
    sizes = [0, 0, *(len(out) for out in edges)]
    lo, hi, to = (np.array([edge[i] for out in edges for edge in out], np.int32) for i in range(3))
    at = np.cumsum([0, *sizes], dtype=np.int64)
    return Graph(n_states, 2, np.array(feature, np.int32), at, lo, hi, to, child, tuple(chain))


def ordered(graph: Graph, order: Sequence[int], budget: Budget) -> Graph:
    """The graph with its tests in another order, which names every feature that it tests."""
    return _rebuilt(graph, tuple(order), range(graph.n_labels), graph.n_labels, budget)


def _rebuilt(
    graph: Graph,
    order: tuple[int, ...],
    labels: Sequence[int],
    n_labels: int,
    budget: Budget,
    inside: Mapping[int, Sequence[int]] | None = None,
) -> Graph:
    nodes, level_of = _manager(graph, order, n_labels, budget)
    places = nodes.add(graph, np.array(labels, np.int32), level_of, inside)
    found: Graph = nodes.graph(int(places[graph.root]), order, graph.n_states)
    return found


def _manager(graph: Graph, order: Sequence[int], n_labels: int, budget: Budget) -> tuple[Ordered, np.ndarray]:
    level_of = np.zeros(len(graph.n_states), np.int32)
    level_of[list(order)] = np.arange(len(order), dtype=np.int32)
    return Ordered([graph.n_states[f] for f in order], n_labels, budget), level_of


def _common_order(graphs: Sequence[Graph]) -> tuple[int, ...]:
    """The first order that some graph has, and behind it, in their own order, features that only others test."""
    order: list[int] = []
    for graph in sorted(graphs, key=lambda g: g.order is None):
        tested = graph.order
        if tested is None:
            tested = tuple(np.unique(graph.feature[graph.feature >= 0]).tolist())
        order += [f for f in tested if f not in order]
    return tuple(order)
