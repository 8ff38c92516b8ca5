"""A diagram over the cuts that it needs, so that equal functions have equal states whatever trees they came from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from xylogic.circuit.diagram import Diagram
from xylogic.circuit.graph import Graph
from xylogic.domain.cells import Cells, StateSet
from xylogic.errors import InvalidInputError

__all__ = ["over_needed_cuts", "read_set"]


def over_needed_cuts(diagram: Diagram) -> Diagram:
    """The same function with ordered states merged that no node of a reduced, ordered diagram tells apart.

    Categories and "missing" stay as they are. O(edges and states).
    """
    graph, cells = diagram.graph, diagram.cells
    starts = np.cumsum([0, *graph.n_states])
    at = starts[np.repeat(graph.feature, np.diff(graph.edge_at))]  # where the states of each edge's feature begin
    last = np.zeros(starts[-1], dtype=bool)  # whether the state behind is another one
    last[at + graph.hi] = True
    for f, c in enumerate(cells):
        if c.is_set:
            last[starts[f] : starts[f + 1]] = True
    values = np.array([c.n_values for c in cells], np.int64)
    last[starts[:-1] + values - 1] = True
    last[starts[1:] - 1] = True
    if last.all():
        return diagram
    place = np.concatenate([[0], np.cumsum(last)])
    new = tuple(_with_cuts(c, last[start : start + c.n_values - 1]) for c, start in zip(cells, starts, strict=False))
    coarse = Graph(
        tuple(c.n_states for c in new), graph.n_labels, graph.feature, graph.edge_at,
        (place[at + graph.lo] - place[at]).astype(np.int32), (place[at + graph.hi] - place[at]).astype(np.int32),
        graph.child, graph.root, graph.order,
    )  # fmt: skip
    return Diagram(coarse, new)


def _with_cuts(cells: Cells, kept: np.ndarray) -> Cells:
    if kept.all():
        return cells
    cuts = tuple(cut for cut, keep in zip(cells.cuts, kept.tolist(), strict=True) if keep)
    return replace(cells, cuts=cuts)


def read_set(allowed: StateSet, cells: Cells) -> int | None:
    """A set of a feature's states that may be cut otherwise, as the bits of ``cells``' states; ``None`` if it takes in
    a part of one only.

    Raises InvalidInputError for a feature of another kind or of other categories.
    """
    theirs, ours = allowed.cells.feature, cells.feature
    if (theirs.kind, set(theirs.categories)) != (ours.kind, set(ours.categories)):
        raise InvalidInputError(f"feature {cells.name!r}: the set is of another feature's states")
    inside = outside = 0
    for state in range(allowed.cells.n_states):
        touched = _touched(allowed.cells, state, cells)
        if state in allowed.states:
            inside |= touched
        else:
            outside |= touched
    return None if inside & outside else inside


def _touched(other: Cells, state: int, cells: Cells) -> int:
    """The states of ``cells`` that a state of the same feature in another cutting shares values with."""
    if state == other.n_values:
        return (1 << cells.n_values) if cells.missing else 0
    if cells.is_set:
        return 1 << cells.feature.categories.index(other.feature.categories[state])
    first, last = cells.states(np.array(other.ends(state))).tolist()
    return (1 << (last + 1)) - (1 << first)
