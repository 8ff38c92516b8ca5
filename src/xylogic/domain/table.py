"""The single border for input: any 2-D table, or one row, becomes checked float64 numbers."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.feature import Feature
from xylogic.domain.levels import is_missing, read_levels, refusal
from xylogic.domain.sheet import Sheet, duplicates, open_sheet, some
from xylogic.errors import InvalidInputError

__all__ = ["Table", "check_whole", "plain_row", "read_row", "read_table", "read_values"]

_PLAIN = {bool, int, float, type(None)}


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    """Checked input: ``values`` is float64 (n, len(names)), C order; a category is its code, missing is NaN."""

    names: tuple[str, ...]
    values: NDArray[np.float64]


def read_table(X: Any, features: Sequence[Feature], *, named: bool, missing: bool = True) -> Table:
    """Read a 2-D table: numpy, pandas, polars, pyarrow, a list of dicts or a list of rows. O(cells).

    Columns are matched by name where both sides have names (``named``: the features' names are real, not made up),
    and where the table's names are just the features'; else by position. ``None``, NaN and ``pd.NA`` are one
    missing value, integers become the nearest float64, booleans 0 and 1. Whether a model takes NaN and infinite
    numbers is not judged here; ``missing``: whether errors are to name ``None`` among what is accepted.

    Raises InvalidInputError for a wrong shape; for missing, extra and duplicate columns (all in one message); for
    sparse input; and, naming column and row, for what is no number and for unknown categories.
    """
    sheet = open_sheet(X, len(features))
    places = _match(sheet, features, named)
    values = np.empty((sheet.n_rows, len(features)), dtype=np.float64)
    for position, (feature, place) in enumerate(zip(features, places, strict=True)):
        values[:, position] = read_column(sheet.columns[place], feature, missing)
    return Table(tuple(feature.name for feature in features), values)


def plain_row(x: Any, names: tuple[str, ...]) -> Table | None:
    """:func:`read_row` for the usual case, a 1-D float array where no feature is categorical; ``None`` for another."""
    if isinstance(x, np.ndarray) and x.shape == (len(names),) and x.dtype in (np.float64, np.float32):
        return Table(names, x.astype(np.float64).reshape(1, -1))
    return None


def read_row(x: Any, features: Sequence[Feature], *, named: bool, missing: bool = True) -> Table:
    """Read one row as a ``Table`` of one row: a 1-D array or list, a dict or Series by name, or a one-row table.

    Raises InvalidInputError as ``read_table`` does, and for any other number of rows.
    """
    if isinstance(x, Mapping):
        x = [x]
    elif isinstance(x, list | tuple):
        nested = x and all(isinstance(cell, Mapping | list | tuple | np.ndarray) for cell in x)
        x = x if nested else [x]
    elif getattr(x, "ndim", None) == 1 and hasattr(x, "index"):  # a pandas Series, by the names in its index
        x = Sheet([[cell] for cell in x.tolist()], 1, list(x.index))
    elif hasattr(x, "to_pylist") and not hasattr(x, "columns"):  # a pyarrow Array
        x = [x.to_pylist()]
    elif len(getattr(x, "shape", ())) == 1:
        x = [np.asarray(x).tolist()]
    table = read_table(x, features, named=named, missing=missing)
    if len(table.values) != 1:
        raise InvalidInputError(f"x has {len(table.values)} rows; one row is accepted")
    return table


def read_values(values: Sequence[Any], feature: Feature) -> list[float]:
    """Single values of one feature as numbers or category codes, NaN for missing; raises as ``read_row`` does."""
    plain = [
        Feature(feature.name, feature.kind, feature.categories, other=feature.other)
    ]  # whatever the model knows besides
    tables = [read_row({feature.name: value}, plain, named=True) for value in values]
    for table in tables:
        check_whole(table, plain)
    return [float(table.values[0, 0]) for table in tables]


def check_whole(table: Table, features: Sequence[Feature]) -> None:
    """Raise InvalidInputError, naming column and row, where an integer or boolean feature has another value."""
    kinds = np.array([feature.kind for feature in features])
    for kind, wanted in (("integer", "a whole number"), ("boolean", "True, False, 0 or 1")):
        columns = np.flatnonzero(kinds == kind)
        values = table.values[:, columns]
        bad = ~(np.isnan(values) | (values == np.floor(values)))
        if kind == "boolean":
            bad |= (values < 0) | (values > 1)
        if bad.any():
            column, row = np.argwhere(bad.T)[0]
            raise refusal(features[columns[column]], int(row), float(values[row, column]), wanted)


def _match(sheet: Sheet, features: Sequence[Feature], named: bool) -> list[int]:
    """Which column of ``raw`` each feature takes."""
    wanted = [feature.name for feature in features]
    given = list(sheet.names or ())
    has_names = any(isinstance(name, str) for name in given)
    if sheet.by_name or (has_names and (named or set(given) == set(wanted))):
        known, present = set(wanted), set(given)
        faults = [
            ("missing", [repr(name) for name in wanted if name not in present]),
            ("extra", [repr(name) for name in given if name not in known]),
            ("duplicated", duplicates(given)),
        ]
        found = [f"{fault} {some(names)}" for fault, names in faults if names]
        if found:
            raise InvalidInputError(f"the columns do not fit: {'; '.join(found)}")
        place = {name: position for position, name in enumerate(given)}
        return [place[name] for name in wanted]
    if len(sheet.columns) != len(wanted):
        raise InvalidInputError(
            f"there are {len(sheet.columns)} columns; {len(wanted)} are accepted: {some(map(repr, wanted))}"
        )
    return list(range(len(wanted)))


def read_column(cells: Any, feature: Feature, missing: bool = True) -> NDArray[np.float64]:
    """One column as float64 (n,); ``missing`` as in ``read_table``."""
    if feature.kind == "categorical":
        return read_levels(cells, feature)
    numeric = isinstance(cells, np.ndarray) and cells.dtype.kind in "fiub"
    if numeric or set(map(type, cells)) <= _PLAIN:
        try:
            column = np.array(cells, dtype=np.float64)
        except OverflowError:  # an int that no float64 can hold
            numeric, column = False, np.array([_number(cell, feature, row, missing) for row, cell in enumerate(cells)])
    else:
        column = np.array([_number(cell, feature, row, missing) for row, cell in enumerate(cells)], dtype=np.float64)
    if feature.kind == "boolean":
        odd = ~((column == 0) | (column == 1) | np.isnan(column))
        if odd.any():
            row = int(np.argmax(odd))
            raise refusal(feature, row, cells[row], f"a boolean; True, False, 1 or 0{_or_none(missing)} is accepted")
    return column


def _number(cell: Any, feature: Feature, row: int, missing: bool) -> float:
    if is_missing(cell):
        return np.nan
    if isinstance(cell, numbers.Real | Decimal | np.bool_):
        try:
            return float(cell)
        except OverflowError:
            pass
    raise refusal(feature, row, cell, f"a number; a finite number{_or_none(missing)} is accepted")


def _or_none(missing: bool) -> str:
    return ", or None for missing," if missing else ""
