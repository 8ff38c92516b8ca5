"""Reads DATA for growing: what each column of a file holds is told by its cells.

In a csv file a column of numbers (``true`` and ``false`` are truth values) is one of numbers, any other is text; the
words that ``data.MISSING`` lists are missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xylogic.cli.data import MISSING, TRUTH, as_number, open_table, quoted
from xylogic.errors import InvalidInputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Training", "read_training"]

FEW = 10  # up to as many whole numbers in the target are classes


@dataclass(frozen=True)
class Training:
    """A file's columns: ``table`` object (n, n_columns) of scalars and None, and the target's values, none missing.

    ``named``: whether the names are the file's own.
    """

    names: list[str]
    table: NDArray[Any]
    target: list[Any]
    named: bool = True

    @property
    def is_classes(self) -> bool:
        """Whether the target looks like classes: text, truth values, or a few whole numbers."""
        distinct = set(self.target)
        return any(isinstance(value, str | bool) for value in distinct) or (
            len(distinct) <= FEW and all(isinstance(value, int) for value in distinct)
        )

    def numbers(self) -> NDArray[np.float64]:
        """The target as numbers; raises InvalidInputError where it is text."""
        import numpy as np

        try:
            return np.array(self.target, dtype=np.float64)
        except ValueError as error:
            raise InvalidInputError(f"the target is text ({error}); grow classes") from error


def read_training(path: Path, target: str, *, header: bool = True) -> Training:
    """Every row of a file; without ``header`` columns are called x0, x1, ...

    Raises InvalidInputError, naming column and row, for what cannot be read, and where the target is missing.
    """
    import numpy as np

    names, lines = open_table(path, header)
    rows = list(lines)
    if not rows:
        raise InvalidInputError(f"{path} has no rows")
    named = names is not None
    if names is None:
        names = [f"x{place}" for place in range(len(rows[0]))]
    places = [place for place, name in enumerate(names) if name == target]
    if len(places) != 1:
        raise InvalidInputError(f"{path} has {len(places)} columns called {target!r}; there are {quoted(names)}")
    twice = next((name for name in names if list(names).count(name) > 1), None)
    if twice is not None:
        raise InvalidInputError(f"{path} has two columns called {twice!r}")
    if len(names) == 1:
        raise InvalidInputError(f"{path} has no column but the target")
    for number, row in enumerate(rows):
        if len(row) != len(names):
            raise InvalidInputError(f"row {number} has {len(row)} columns; {len(names)} are expected")
    columns = [as_values(column) for column in zip(*rows, strict=True)]
    labels = columns.pop(places[0])
    for number, label in enumerate(labels):
        if label is None:
            raise InvalidInputError(f"column {target!r}, row {number}: the target is missing")
    table = np.empty((len(rows), len(columns)), dtype=object)
    for place, column in enumerate(columns):
        table[:, place] = column
    return Training([name for name in names if name != target], table, labels, named)


def as_values(column: Sequence[Any]) -> list[Any]:
    """The cells of one column as scalars of one kind, ``None`` where missing."""
    cells = [None if cell is None or (isinstance(cell, str) and cell.strip() in MISSING) else cell for cell in column]
    known = [cell for cell in cells if cell is not None]
    if not known or not all(isinstance(cell, str) for cell in known):
        return [None if cell != cell else cell for cell in cells]  # parquet has types of its own
    words = {cell.strip() for cell in known}
    if {word.lower() for word in words} <= TRUTH.keys():
        values: dict[str, Any] = {word: bool(TRUTH[word.lower()]) for word in words}
    else:
        values = {word: as_whole(word) for word in words}
        if None in values.values():
            values = {word: as_number(word) for word in words}
        if None in values.values():
            return cells
    return [None if cell is None else values[cell.strip()] for cell in cells]


def as_whole(text: str) -> int | None:
    try:
        return None if "_" in text else int(text)
    except ValueError:
        return None
