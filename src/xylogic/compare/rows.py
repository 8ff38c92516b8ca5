"""Cells as rows and boxes in the user's terms."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from xylogic.domain.box import Box
from xylogic.domain.cells import Cells, StateSet, is_missing

__all__ = ["States", "box_of", "cell_in", "json_row", "row_of", "share_of"]

States = Mapping[int, Sequence[int]]  # column -> the states that a box allows, of those it limits


def row_of(states: Sequence[int], cells: Sequence[Cells]) -> dict[str, Any]:
    """A row in the given cell: short numbers that both models accept, as Python scalars by name."""
    return {c.name: _value(c, int(state)) for c, state in zip(cells, states, strict=True)}


def json_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row as JSON has it: ``None`` where a value is missing."""
    return {name: None if is_missing(value) else value for name, value in row.items()}


def _value(c: Cells, state: int) -> Any:
    if state == c.n_values:
        return math.nan
    found = c.simple(state, math.nan)
    low, high = c.limits
    if c.is_set or low <= found <= high:
        return found
    nearest = min(max(found, low), high)
    return c.scalar(state, nearest) if low <= c.scalar(state, nearest) <= high else nearest


def cell_in(box: States, cells: Sequence[Cells]) -> list[int]:
    """A cell of the box: of a column that it does not limit, the state in the middle."""
    return [int(box[f][0]) if f in box else (c.n_values - 1) // 2 for f, c in enumerate(cells)]


def box_of(box: States, cells: Sequence[Cells]) -> Box:
    """The box by name; columns of which it allows every state are left out."""
    chosen = {f: tuple(sorted(int(s) for s in box[f])) for f in sorted(box) if len(box[f]) < cells[f].n_states}
    return Box({cells[f].name: StateSet(cells[f], states) for f, states in chosen.items()})


def share_of(box: States, cells: Sequence[Cells]) -> Fraction:
    """The share of all cells that the box holds."""
    share = Fraction(1)
    for f, states in box.items():
        share *= Fraction(len(states), cells[f].n_states)
    return share
