"""Diagrams as versioned JSON, and as drawings in the DOT language."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.circuit.diagram import Diagram
from xylogic.circuit.graph import Graph
from xylogic.circuit.records import cells_of, cells_records, read_json, write_json
from xylogic.circuit.text import quoted
from xylogic.domain.cells import Cells
from xylogic.errors import InvalidInputError

__all__ = ["graph_dot", "load", "save", "to_dict"]

FORMAT, VERSION = "xylogic diagram", 1


def to_dict(diagram: Diagram) -> dict[str, Any]:
    """JSON-ready: features, and the graph's arrays (see :class:`Graph`)."""
    graph = diagram.graph
    return {
        "format": FORMAT,
        "version": VERSION,
        "cells": cells_records(diagram.cells),
        "order": None if graph.order is None else list(graph.order),
        "root": graph.root,
        **{name: getattr(graph, name).tolist() for name in ("feature", "edge_at", "lo", "hi", "child")},
    }


def save(diagram: Diagram, path: str | PathLike[str]) -> None:
    """See ``Diagram.save``. O(edges)."""
    write_json(to_dict(diagram), path)


def load(path: str | PathLike[str]) -> Diagram:
    """See ``Diagram.load``. O(edges)."""
    record = read_json(path, FORMAT, VERSION)
    try:
        cells = cells_of(record["cells"])
        arrays = {name: _whole(record, name, np.int32) for name in ("feature", "lo", "hi", "child")}
        order = record["order"]
        graph = Graph(
            n_states=tuple(c.n_states for c in cells),
            n_labels=2,
            edge_at=_whole(record, "edge_at", np.int64),
            root=int(record["root"]),
            order=None if order is None else tuple(int(f) for f in order),
            **arrays,
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise InvalidInputError(f"the file holds no diagram: {error}") from error
    fault = _fault(graph)
    if fault:
        raise InvalidInputError(f"the file holds no diagram: {fault}")
    return Diagram(graph, cells)


def _whole(record: dict[str, Any], name: str, kind: type) -> NDArray[Any]:
    items = record[name]
    if not isinstance(items, list) or any(type(item) is not int for item in items):
        raise ValueError(f"{name} is no list of whole numbers")
    return np.array(items, dtype=kind)


def _fault(graph: Graph) -> str:
    """What is wrong with the arrays, if anything; whether paths test features weakly once is not looked at."""
    n, m, features = graph.n_nodes, graph.n_edges, len(graph.n_states)
    if n < 2 or not 0 <= graph.root < n or len(graph.lo) != m or len(graph.hi) != m or len(graph.edge_at) != n + 1:
        return "its arrays do not fit"
    sizes = np.diff(graph.edge_at)
    inner = np.arange(n) >= 2
    if graph.edge_at[0] != 0 or graph.edge_at[-1] != m or (sizes[inner] < 1).any() or sizes[~inner].any():
        return "its edges do not fit its nodes"
    if (graph.feature[:2] != -1).any() or ((graph.feature < 0) | (graph.feature >= features))[inner].any():
        return "a node tests no feature"
    node = np.repeat(np.arange(n), sizes)
    if (graph.child < 0).any() or (graph.child >= node).any():
        return "a child does not come before its parent"
    last = np.array([*graph.n_states, 0], np.int64)[graph.feature[node]] - 1
    starts = np.append(node[1:] != node[:-1], True)
    if (graph.lo < 0).any() or (graph.lo > graph.hi).any() or (graph.hi > last).any():
        return "an edge has no states of its feature"
    if (~starts[:-1] & (graph.lo[1:] <= graph.hi[:-1])).any():
        return "a node's edges overlap"
    if graph.order is not None:
        first = np.append(True, starts[:-1])[:m]
        whole = np.where(first, graph.lo == 0, graph.lo == np.roll(graph.hi, 1) + 1) & (
            ~starts[:m] | (graph.hi == last)
        )
        if not whole.all():
            return "a node's edges leave out states"
        level = np.full(features + 1, -1)
        if len(set(graph.order)) != len(graph.order) or not set(graph.order) <= set(range(features)):
            return "its order names no features"
        level[list(graph.order)] = np.arange(len(graph.order))
        below = np.where(graph.child < 2, features, level[graph.feature[graph.child]])
        if (level[graph.feature[inner]] < 0).any() or (below <= level[graph.feature[node]]).any():
            return "its tests do not keep to its order"
    return ""


def graph_dot(graph: Graph, cells: Sequence[Cells], labels: Sequence[str]) -> str:
    """A decision graph in the DOT language, leaves called by ``labels``, edges by their states in the user's units."""
    lines = ["digraph diagram {", "  node [shape=ellipse];"]
    lines += [f"  n{leaf} [label={quoted(name)}, shape=box];" for leaf, name in enumerate(labels)]
    for node in range(graph.n_labels, graph.n_nodes):
        c = cells[int(graph.feature[node])]
        lines.append(f"  n{node} [label={quoted(c.name)}];")
        ways: dict[int, list[int]] = {}
        for k in range(int(graph.edge_at[node]), int(graph.edge_at[node + 1])):
            ways.setdefault(int(graph.child[k]), []).extend(range(int(graph.lo[k]), int(graph.hi[k]) + 1))
        lines += [f"  n{node} -> n{way} [label={quoted(c.describe(states))}];" for way, states in ways.items()]
    return "\n".join([*lines, "}"]) + "\n"
