"""Decision graphs in tests: reading them state by state, random ones, and ones made from tables of labels."""

from __future__ import annotations

import random
from itertools import groupby

import numpy as np

from models import Draws
from xylogic.circuit.graph import Graph


def labels(graph: Graph, worlds: np.ndarray) -> np.ndarray:
    """The leaf that each row of states leads to."""
    found = np.empty(len(worlds), np.int64)
    for row, world in enumerate(worlds):
        node = graph.root
        while node >= graph.n_labels:
            state = world[graph.feature[node]]
            edges = range(graph.edge_at[node], graph.edge_at[node + 1])
            (node,) = (int(graph.child[e]) for e in edges if graph.lo[e] <= state <= graph.hi[e])
        found[row] = node
    return found


def random_graph(rng: random.Random, n_states: tuple[int, ...], size: int = 8) -> Graph:
    """A graph with leaves false and true whose tests cover all states, and repeat on paths (not weak test-once)."""
    feature, edges = [-1, -1], [[], []]
    for node in range(2, 2 + size):
        f = rng.randrange(len(n_states))
        cuts = sorted(rng.sample(range(1, n_states[f]), rng.randint(1, n_states[f] - 1)))
        out: list[tuple[int, int, int]] = []
        for lo, end in zip([0, *cuts], [*cuts, n_states[f]], strict=True):
            child = rng.randrange(node) if rng.random() < 0.5 else rng.randrange(max(0, node - 3), node)
            if out and out[-1][2] == child:
                out[-1] = (out[-1][0], end - 1, child)
            else:
                out.append((lo, end - 1, child))
        feature.append(f)
        edges.append(out)
    at = np.cumsum([0, *(len(out) for out in edges)]).astype(np.int64)
    lo, hi, child = (np.array([edge[i] for out in edges for edge in out], np.int32) for i in range(3))
    return Graph(n_states, 2, np.array(feature, np.int32), at, lo, hi, child, size + 1)


class Maker:
    """Hash-consed nodes; leaves are the labels."""

    def __init__(self, n_states, n_labels: int) -> None:
        self.n_states, self.n_labels = tuple(n_states), n_labels
        self.nodes: list[tuple] = []
        self.known: dict[tuple, int] = {}

    def node(self, feature: int, child_of: dict[int, int]) -> int:
        """The node that leads each given state to a child; a child that all states share needs none."""
        if len(set(child_of.values())) == 1:
            return next(iter(child_of.values()))
        edges: list[tuple[int, int, int]] = []
        for state in sorted(child_of):
            if edges and edges[-1][1] == state - 1 and edges[-1][2] == child_of[state]:
                edges[-1] = (edges[-1][0], state, child_of[state])
            else:
                edges.append((state, state, child_of[state]))
        key = (feature, tuple(edges))
        if key not in self.known:
            self.known[key] = self.n_labels + len(self.nodes)
            self.nodes.append(key)
        return self.known[key]

    def graph(self, root: int, order=None) -> Graph:
        """The graph below a root, which must be the last node made."""
        feature = [-1] * self.n_labels + [f for f, _ in self.nodes]
        sizes = [0] * self.n_labels + [len(edges) for _, edges in self.nodes]
        edges = np.array([edge for _, edges in self.nodes for edge in edges], dtype=np.int32).reshape(-1, 3)
        columns = (np.ascontiguousarray(edges[:, i]) for i in range(3))
        return Graph(
            self.n_states,
            self.n_labels,
            np.array(feature, dtype=np.int32),
            np.cumsum([0, *sizes], dtype=np.int64),
            *columns,
            root,
            order,
        )


def ordered_graph(labels: np.ndarray, n_labels: int, order) -> Graph:
    """The ordered, test-once graph of a table of labels with one axis a feature."""
    maker = Maker(labels.shape, n_labels)
    levels = [labels.transpose(order)]
    n = labels.ndim
    # from the last tested feature up: tables of nodes instead of labels
    table = levels[0]
    for level in range(n - 1, -1, -1):
        flat = table.reshape(-1, table.shape[level])
        nodes = [maker.node(order[level], dict(enumerate(row.tolist()))) for row in flat]
        table = np.array(nodes, dtype=np.int64).reshape(table.shape[:level])
    return maker.graph(int(table), tuple(order))


def free_graph(d: Draws, labels: np.ndarray, n_labels: int) -> Graph:
    """A weak-test-once graph that tests features in any order, also again on one path."""
    maker = Maker(labels.shape, n_labels)

    def build(box: list[list[int]]) -> int:
        here = labels[np.ix_(*box)]
        if (here == here.flat[0]).all():
            return int(here.flat[0])
        f = d.pick([i for i, states in enumerate(box) if len(states) > 1])
        colour = {state: d.whole(0, 2) for state in box[f]}
        colour[box[f][0]], colour[box[f][-1]] = 0, 1
        child = {}
        for _, group in groupby(sorted(box[f], key=lambda s: (colour[s], s)), key=colour.get):
            states = list(group)
            child.update(dict.fromkeys(states, build([states if i == f else kept for i, kept in enumerate(box)])))
        return maker.node(f, child)

    root = build([list(range(n)) for n in labels.shape])
    return maker.graph(root)
