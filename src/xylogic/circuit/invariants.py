"""Checks of decision graphs, for tests and debugging: each raises AssertionError naming the node at fault."""

from __future__ import annotations

from collections.abc import Iterator

from xylogic.circuit.graph import Graph

__all__ = ["check_ordered", "check_structure", "check_test_once", "check_weak_test_once"]

_Path = tuple[tuple[int, int, int], ...]  # (feature, first state, last state), by feature


def check_structure(graph: Graph) -> None:
    """Arrays of one shape, leaves first, children before parents, every node in reach of the root; edges ascending,
    disjoint, within the feature's states, and no neighbours that lead to the same child. O(edges)"""
    n = graph.n_nodes
    edges = len(graph.lo)
    assert len(graph.edge_at) == n + 1 and len(graph.hi) == len(graph.child) == edges, "arrays of different lengths"
    assert graph.edge_at[0] == 0 and graph.edge_at[n] == edges, "edge_at does not span the edges"
    assert 0 <= graph.root < n, f"root {graph.root} is no node"
    reached = {graph.root}
    seen: dict[tuple[int, ...], int] = {}
    for node in range(n - 1, -1, -1):
        out = list(_edges(graph, node))
        if node < graph.n_labels:
            assert graph.feature[node] == -1 and not out, f"leaf {node} tests a feature"
            continue
        assert node in reached, f"node {node} is out of reach"
        feature = int(graph.feature[node])
        assert 0 <= feature < len(graph.n_states), f"node {node} tests feature {feature}"
        assert len({child for _, _, child in out}) > 1, f"node {node} decides nothing"
        last, before = -1, -1
        for lo, hi, child in out:
            assert last < lo <= hi < graph.n_states[feature], f"node {node}: edge {lo}..{hi} overlaps or is no run"
            assert child < node, f"node {node} has the greater child {child}"
            assert not (lo == last + 1 and child == before), f"node {node}: neighbours lead to node {child}"
            last, before = hi, child
            reached.add(child)
        key = (feature, *(part for edge in out for part in edge))
        assert key not in seen, f"nodes {node} and {seen[key]} are equal"
        seen[key] = node


def check_weak_test_once(graph: Graph) -> None:
    """At every node that tests X, the edges' states are those that any path to it allows for X. One pass over the
    pairs of a node and what paths to it allow (of the features tested from there on): small graphs only."""
    below = _tested_below(graph)
    waiting: list[tuple[int, _Path]] = [(graph.root, ())]
    seen = set(waiting)
    while waiting:
        node, path = waiting.pop()
        if node < graph.n_labels:
            continue
        feature = int(graph.feature[node])
        allowed = next(((lo, hi) for f, lo, hi in path if f == feature), (0, graph.n_states[feature] - 1))
        states = [s for lo, hi, _ in _edges(graph, node) for s in range(lo, hi + 1)]
        wanted = list(range(allowed[0], allowed[1] + 1))
        assert states == wanted, f"node {node}: paths allow the states {wanted} of feature {feature}, edges {states}"
        for lo, hi, child in _edges(graph, node):
            narrower = {f: (f, a, b) for f, a, b in path} | {feature: (feature, lo, hi)}
            step = child, tuple(narrower[f] for f in sorted(narrower) if below[child] >> f & 1)
            if step not in seen:
                seen.add(step)
                waiting.append(step)


def check_test_once(graph: Graph) -> None:
    """No path tests a feature twice, and every test has an edge for each state. O(edges)"""
    below = _tested_below(graph)
    for node in range(graph.n_labels, graph.n_nodes):
        feature = int(graph.feature[node])
        states = sum(hi - lo + 1 for lo, hi, _ in _edges(graph, node))
        assert states == graph.n_states[feature], f"node {node} leaves out states of feature {feature}"
        for _, _, child in _edges(graph, node):
            assert not below[child] >> feature & 1, f"feature {feature} is tested at node {node} and from {child} on"


def check_ordered(graph: Graph) -> None:
    """Every path tests features in the graph's order, each with an edge for each state. O(edges)"""
    assert graph.order is not None, "the graph has no order"
    tested = set(graph.feature[graph.n_labels :].tolist())
    assert len(set(graph.order)) == len(graph.order), f"order {graph.order} names a feature twice"
    assert tested <= set(graph.order), f"order {graph.order} leaves out features that are tested: {tested}"
    check_test_once(graph)
    place = {feature: position for position, feature in enumerate(graph.order)}
    for node in range(graph.n_labels, graph.n_nodes):
        for _, _, child in _edges(graph, node):
            inner = child >= graph.n_labels
            assert not inner or place[int(graph.feature[child])] > place[int(graph.feature[node])], (
                f"node {node} tests feature {graph.feature[node]} before node {child} tests {graph.feature[child]}"
            )


def _edges(graph: Graph, node: int) -> Iterator[tuple[int, int, int]]:
    span = slice(int(graph.edge_at[node]), int(graph.edge_at[node + 1]))
    return zip(graph.lo[span].tolist(), graph.hi[span].tolist(), graph.child[span].tolist(), strict=True)


def _tested_below(graph: Graph) -> list[int]:
    """Per node, the features tested from it on, as bits."""
    below = [0] * graph.n_nodes
    for node in range(graph.n_labels, graph.n_nodes):
        below[node] = 1 << int(graph.feature[node])
        for _, _, child in _edges(graph, node):
            below[node] |= below[child]
    return below
