"""Rows and boxes in the user's words as state numbers, for circuits and diagrams alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.box import Clause
from xylogic.domain.cells import Cells, StateSet
from xylogic.domain.table import check_whole, read_table, read_values
from xylogic.errors import InvalidInputError

__all__ = ["read_box", "read_states"]


def read_states(X: Any, cells: Sequence[Cells]) -> NDArray[np.int32]:
    """The states of every row of a table (see ``read_table``): int32 (n, n_features).

    Raises InvalidInputError, naming column and row, for what is in no state.
    """
    features = [c.feature for c in cells]
    table = read_table(X, features, named=_is_named(cells))
    check_whole(table, features)
    states = np.empty(table.values.shape, dtype=np.int32)
    for position, c in enumerate(cells):
        column = table.values[:, position]
        _check_limits(c, column)
        states[:, position] = c.states(column)
    return states


def read_box(box: Mapping[str, Any], cells: Sequence[Cells]) -> dict[int, tuple[int, ...]]:
    """Feature position -> states, for a mapping from name to a value, a set of values, or (low, high), a closed
    interval; ``Term`` and ``Box`` are such mappings. NaN and ``None`` are "missing".

    An interval takes in every state it touches. Raises InvalidInputError, naming the feature, for anything else.
    """
    if isinstance(box, Clause):
        raise InvalidInputError(
            "a clause is no box: one of its conditions may hold without the others; a dict, a Term or a Box is accepted"
        )
    if not isinstance(box, Mapping):
        raise InvalidInputError(f"a restriction is a dict from feature name to value; got a {type(box).__name__}")
    position = {c.name: p for p, c in enumerate(cells)}
    found: dict[int, tuple[int, ...]] = {}
    for name, entry in box.items():
        if name not in position:
            raise InvalidInputError(f"there is no feature {name!r}; accepted: {', '.join(position)}")
        states = _allowed(cells[position[name]], entry)
        if not states:
            raise InvalidInputError(f"feature {name!r}: {entry!r} allows no value")
        found[position[name]] = states
    return found


def _allowed(cells: Cells, entry: Any) -> tuple[int, ...]:
    if isinstance(entry, StateSet):
        if entry.cells != cells:
            raise InvalidInputError(f"feature {cells.name!r}: the set is of another model's states")
        return tuple(sorted(entry.states))
    if isinstance(entry, tuple) and not cells.is_set:
        try:
            low, high = (float(end) for end in entry)
        except (TypeError, ValueError):
            raise InvalidInputError(
                f"feature {cells.name!r}: an interval is (low, high), two numbers; got {entry!r}"
            ) from None
        return tuple(cells.touched(low, high))
    values = list(entry) if isinstance(entry, set | frozenset) else [entry]
    column = np.array(read_values(values, cells.feature), dtype=np.float64)
    _check_limits(cells, column)
    return tuple(sorted(set(cells.states(column).tolist())))


def _check_limits(cells: Cells, column: NDArray[np.float64]) -> None:
    bad = (column < cells.limits[0]) | (column > cells.limits[1])
    if not cells.is_set and bad.any():
        row = int(np.argmax(bad))
        raise InvalidInputError(
            f"column {cells.name!r}, row {row}: {float(column[row])!r} is infinite or too large; numbers from "
            f"{cells.limits[0]!r} to {cells.limits[1]!r} are accepted"
        )


def _is_named(cells: Sequence[Cells]) -> bool:
    """Whether the names are the source's own: columns without names are called x0, x1, ..."""
    return any(c.name != f"x{position}" for position, c in enumerate(cells))
