"""The rows of a label as disjoint boxes, one for each path of a decision graph, and one row of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from xylogic.circuit.diagram_kernel import reaching
from xylogic.circuit.graph import Graph
from xylogic.domain.box import Box
from xylogic.domain.cells import Cells, StateSet

__all__ = ["a_row", "boxes"]


def boxes(graph: Graph, label: int, cells: Sequence[Cells]) -> Iterator[Box]:
    """Disjoint boxes that together hold the rows of ``label``; by ascending states along the graph's tests.

    Each takes time linear in the edges of the nodes on its path; their number may be exponential.
    """
    marks = _marks(graph, label)
    if not marks[graph.root]:
        return
    chosen: dict[int, tuple[int, ...]] = {}
    # (node, feature to set on the way, its states before): nodes to visit; node -1 only restores the feature
    stack: list[tuple[int, int, tuple[int, ...] | None]] = [(graph.root, -1, None)]
    while stack:
        node, feature, states = stack.pop()
        if feature >= 0:
            if states is None:
                del chosen[feature]
            else:
                chosen[feature] = states
        if node < 0:
            continue
        if node < graph.n_labels:
            yield Box({cells[f].name: StateSet(cells[f], chosen[f]) for f in sorted(chosen)})
            continue
        tested = int(graph.feature[node])
        ways: dict[int, list[int]] = {}
        for k in range(int(graph.edge_at[node]), int(graph.edge_at[node + 1])):
            if marks[graph.child[k]]:
                ways.setdefault(int(graph.child[k]), []).extend(range(int(graph.lo[k]), int(graph.hi[k]) + 1))
        stack.append((-1, tested, chosen.get(tested)))
        stack += [(child, tested, tuple(ways[child])) for child in reversed(ways)]


def a_row(graph: Graph, label: int, cells: Sequence[Cells]) -> dict[str, Any] | None:
    """A row of ``label`` as Python scalars, the first one by states along its path; ``None`` if there is none."""
    marks = _marks(graph, label)
    if not marks[graph.root]:
        return None
    states = [0] * len(cells)
    node = graph.root
    while node >= graph.n_labels:
        start, stop = int(graph.edge_at[node]), int(graph.edge_at[node + 1])
        k = next(k for k in range(start, stop) if marks[graph.child[k]])
        states[int(graph.feature[node])] = int(graph.lo[k])
        node = int(graph.child[k])
    return {
        c.name: math.nan if state == c.n_values else c.simple(state, math.nan)
        for c, state in zip(cells, states, strict=True)
    }


def _marks(graph: Graph, label: int) -> Any:
    marks = np.zeros(graph.n_nodes, np.int32)
    marks[label] = 1
    reaching(graph.feature, graph.edge_at, graph.child, marks)
    return marks
