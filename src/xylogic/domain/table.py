"""The single border for input: any 2-D table, or one row, becomes checked float64 numbers."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.feature import Feature
from xylogic.errors import InvalidInputError

__all__ = ["Table", "check_whole", "plain_row", "read_row", "read_table", "read_values"]

ACCEPTED = "a 2-D numpy array, a pandas, polars or pyarrow table, a list of dicts or a list of rows"
_PLAIN = {bool, int, float, type(None)}


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    """Checked input: ``values`` is float64 (n, len(names)), C order; a category is its code, missing is NaN."""

    names: tuple[str, ...]
    values: NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class _Raw:
    """Unchecked input by columns (each an array or a list of n_rows cells); ``names`` is ``None`` without a header."""

    columns: Sequence[Any]
    n_rows: int
    names: Sequence[Any] | None = None
    by_name: bool = False  # whether positions mean nothing, as in a dict


def read_table(X: Any, features: Sequence[Feature], *, named: bool) -> Table:
    """Read a 2-D table: numpy, pandas, polars, pyarrow, a list of dicts or a list of rows. O(cells).

    Columns are matched by name where both sides have names (``named``: the features' names are real, not made up),
    and where the table's names are just the features'; else by position. ``None``, NaN and ``pd.NA`` are one
    missing value, integers become the nearest float64, booleans 0 and 1. Whether a model takes NaN and infinite
    numbers is not judged here.

    Raises InvalidInputError for a wrong shape; for missing, extra and duplicate columns (all in one message); for
    sparse input; and, naming column and row, for what is no number and for unknown categories.
    """
    raw = _open_table(X, len(features))
    places = _match(raw, features, named)
    values = np.empty((raw.n_rows, len(features)), dtype=np.float64)
    for position, (feature, place) in enumerate(zip(features, places, strict=True)):
        values[:, position] = _read_column(raw.columns[place], feature)
    return Table(tuple(feature.name for feature in features), values)


def plain_row(x: Any, names: tuple[str, ...]) -> Table | None:
    """:func:`read_row` for the usual case, a 1-D float array where all features are numeric; ``None`` for another."""
    if isinstance(x, np.ndarray) and x.shape == (len(names),) and x.dtype in (np.float64, np.float32):
        return Table(names, x.astype(np.float64).reshape(1, -1))
    return None


def read_row(x: Any, features: Sequence[Feature], *, named: bool) -> Table:
    """Read one row as a ``Table`` of one row: a 1-D array or list, a dict or Series by name, or a one-row table.

    Raises InvalidInputError as ``read_table`` does, and for any other number of rows.
    """
    if isinstance(x, Mapping):
        x = [x]
    elif isinstance(x, list | tuple):
        nested = x and all(isinstance(cell, Mapping | list | tuple | np.ndarray) for cell in x)
        x = x if nested else [x]
    elif getattr(x, "ndim", None) == 1 and hasattr(x, "index"):  # a pandas Series, by the names in its index
        x = _Raw([[cell] for cell in x.tolist()], 1, list(x.index))
    elif hasattr(x, "to_pylist") and not hasattr(x, "columns"):  # a pyarrow Array
        x = [x.to_pylist()]
    elif len(getattr(x, "shape", ())) == 1:
        x = [np.asarray(x).tolist()]
    table = read_table(x, features, named=named)
    if len(table.values) != 1:
        raise InvalidInputError(f"x has {len(table.values)} rows; one row is accepted")
    return table


def read_values(values: Sequence[Any], feature: Feature) -> list[float]:
    """Single values of one feature as numbers or category codes, NaN for missing; raises as ``read_row`` does."""
    plain = [Feature(feature.name, feature.kind, feature.categories)]  # whatever the model knows besides
    tables = [read_row({feature.name: value}, plain, named=True) for value in values]
    for table in tables:
        check_whole(table, plain)
    return [float(table.values[0, 0]) for table in tables]


def check_whole(table: Table, features: Sequence[Feature]) -> None:
    """Raise InvalidInputError, naming column and row, where an integer or boolean feature has another value."""
    for position, feature in enumerate(features):
        if feature.kind in ("integer", "boolean"):
            column = table.values[:, position]
            bad = ~(np.isnan(column) | (column == np.floor(column)))
            if feature.kind == "boolean":
                bad |= (column < 0) | (column > 1)
            if bad.any():
                row = int(np.argmax(bad))
                wanted = "True, False, 0 or 1" if feature.kind == "boolean" else "a whole number"
                raise _refusal(feature, row, float(column[row]), wanted)


def _open_table(X: Any, n_features: int) -> _Raw:
    if isinstance(X, _Raw):
        return X
    if isinstance(X, np.ndarray):
        return _open_array(X)
    if isinstance(X, list | tuple):
        return _open_list(X, n_features)
    if hasattr(X, "tocsr") or hasattr(X, "nnz"):
        raise InvalidInputError(
            "X is a sparse matrix, in which an absent cell may mean zero or missing; pass X.toarray() if it means zero"
        )
    frame = _open_frame(X)
    if frame is not None:
        return frame
    if hasattr(X, "__array__"):
        return _open_array(np.asarray(X))
    raise InvalidInputError(f"X is a {type(X).__name__}; accepted: {ACCEPTED}")


def _open_array(X: NDArray[Any]) -> _Raw:
    if X.ndim != 2:
        hint = "; for one row pass x.reshape(1, -1)" if X.ndim == 1 else ""
        raise InvalidInputError(f"X has {X.ndim} dimensions; a 2-D table is accepted{hint}")
    if isinstance(X, np.ma.MaskedArray):
        cells = np.array(X, dtype=object)
        cells[np.ma.getmaskarray(X)] = None
        X = cells
    return _Raw([X[:, j] for j in range(X.shape[1])], len(X))


def _open_list(X: Sequence[Any], n_features: int) -> _Raw:
    if not X:
        return _Raw([[] for _ in range(n_features)], 0)
    if all(isinstance(row, Mapping) for row in X):
        names = list(X[0])
        for position, row in enumerate(X):
            if row.keys() != X[0].keys():
                odd = sorted(map(repr, row.keys() ^ X[0].keys()))
                raise InvalidInputError(f"rows 0 and {position} differ in their columns: {_some(odd)}")
        return _Raw([[row[name] for row in X] for name in names], len(X), names, by_name=True)
    rows = []
    for position, row in enumerate(X):
        if isinstance(row, str | bytes | Mapping) or not hasattr(row, "__len__"):
            raise InvalidInputError(f"row {position} of X is a {type(row).__name__}; {ACCEPTED} is accepted")
        rows.append(list(row))
        if len(rows[-1]) != len(rows[0]):
            raise InvalidInputError(f"row {position} of X has {len(rows[-1])} cells where row 0 has {len(rows[0])}")
    return _Raw(list(zip(*rows, strict=True)), len(rows))


def _open_frame(X: Any) -> _Raw | None:
    """The columns of a data frame of any kind that narwhals knows, else ``None``."""
    import narwhals as nw

    names = [*getattr(X, "column_names", getattr(X, "columns", ()))] if hasattr(X, "shape") else []
    twice = _duplicates(names)
    if twice:
        raise InvalidInputError(f"the columns do not fit: duplicated {_some(twice)}")
    try:
        frame = nw.from_native(X, pass_through=True)
    except TypeError:
        return None
    if isinstance(frame, nw.LazyFrame):
        raise InvalidInputError(f"X is a lazy table; collect it first ({ACCEPTED} is accepted)")
    if not isinstance(frame, nw.DataFrame):
        return None
    columns: list[Any] = []
    for series in frame.iter_columns():
        cells = series.to_numpy()
        columns.append(cells if cells.dtype.kind in "fiub" else series.to_list())
    return _Raw(columns, len(frame), names)


def _match(raw: _Raw, features: Sequence[Feature], named: bool) -> list[int]:
    """Which column of ``raw`` each feature takes."""
    wanted = [feature.name for feature in features]
    given = list(raw.names or ())
    has_names = any(isinstance(name, str) for name in given)
    if raw.by_name or (has_names and (named or set(given) == set(wanted))):
        known, present = set(wanted), set(given)
        faults = [
            ("missing", [repr(name) for name in wanted if name not in present]),
            ("extra", [repr(name) for name in given if name not in known]),
            ("duplicated", _duplicates(given)),
        ]
        found = [f"{fault} {_some(names)}" for fault, names in faults if names]
        if found:
            raise InvalidInputError(f"the columns do not fit: {'; '.join(found)}")
        place = {name: position for position, name in enumerate(given)}
        return [place[name] for name in wanted]
    if len(raw.columns) != len(wanted):
        raise InvalidInputError(
            f"there are {len(raw.columns)} columns; {len(wanted)} are accepted: {_some(map(repr, wanted))}"
        )
    return list(range(len(wanted)))


def _duplicates(names: Iterable[Any]) -> list[str]:
    places: dict[Any, list[int]] = {}
    for position, name in enumerate(names):
        places.setdefault(name, []).append(position)
    return [f"{name!r} (columns {', '.join(map(str, at))})" for name, at in places.items() if len(at) > 1]


def _some(words: Iterable[str]) -> str:
    """At most ten of the words, and how many more there are."""
    words = list(words)
    rest = f" and {len(words) - 10} more" if len(words) > 10 else ""
    return ", ".join(words[:10]) + rest


def _read_column(cells: Any, feature: Feature) -> NDArray[np.float64]:
    """One column as float64 (n,)."""
    if feature.kind == "categorical":
        return _read_categories(cells, feature)
    numeric = isinstance(cells, np.ndarray) and cells.dtype.kind in "fiub"
    if numeric or set(map(type, cells)) <= _PLAIN:
        try:
            column = np.array(cells, dtype=np.float64)
        except OverflowError:  # an int that no float64 can hold
            numeric, column = False, np.array([_number(cell, feature, row) for row, cell in enumerate(cells)])
    else:
        column = np.array([_number(cell, feature, row) for row, cell in enumerate(cells)], dtype=np.float64)
    if feature.kind == "boolean":
        odd = ~((column == 0) | (column == 1) | np.isnan(column))
        if odd.any():
            row = int(np.argmax(odd))
            raise _refusal(feature, row, cells[row], "a boolean; True, False, 1 or 0, or None for missing, is accepted")
    return column


def _read_categories(cells: Any, feature: Feature) -> NDArray[np.float64]:
    codes: dict[Any, float] = {category: float(code) for code, category in enumerate(feature.categories)}
    column = np.empty(len(cells), dtype=np.float64)
    for row, cell in enumerate(cells.tolist() if isinstance(cells, np.ndarray) else cells):
        if _is_missing(cell):
            column[row] = np.nan
            continue
        try:
            column[row] = codes[cell]
        except (KeyError, TypeError):
            known = f"a known category; accepted: {_some(map(repr, feature.categories))}, or None for missing"
            raise _refusal(feature, row, cell, known) from None
    return column


def _number(cell: Any, feature: Feature, row: int) -> float:
    if _is_missing(cell):
        return np.nan
    if isinstance(cell, numbers.Real | Decimal | np.bool_):
        try:
            return float(cell)
        except OverflowError:
            pass
    raise _refusal(feature, row, cell, "a number; a finite number, or None for missing, is accepted")


def _is_missing(cell: Any) -> bool:
    if cell is None or cell is np.ma.masked or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, float | np.floating | Decimal) and cell != cell


def _refusal(feature: Feature, row: int, cell: Any, wanted: str) -> InvalidInputError:
    shown = repr(cell.item() if isinstance(cell, np.generic) else cell)
    return InvalidInputError(f"column {feature.name!r}, row {row}: {shown[:80]} is not {wanted}")
