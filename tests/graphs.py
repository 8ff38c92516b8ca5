"""Decision graphs in tests: reading them state by state, and random ones."""

from __future__ import annotations

import random

import numpy as np

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
