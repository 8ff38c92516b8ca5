"""What the columns of a training table are: numbers, whole numbers, truth values or categories."""

from __future__ import annotations

import datetime
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.feature import Feature
from xylogic.domain.levels import is_missing, refusal
from xylogic.domain.sheet import Sheet, open_sheet
from xylogic.domain.table import read_column
from xylogic.errors import InvalidInputError, InvalidTypeError

__all__ = ["Inferred", "infer_features", "infer_table", "other_level"]

_EXACT_IN_FLOAT32 = ("b1", "i1", "i2", "u1", "u2", "f2", "f4")
_BASES = (bool, int, str, float, Decimal, datetime.datetime, datetime.date, datetime.timedelta)


@dataclass(frozen=True, eq=False, slots=True)
class Inferred:
    """A training table: its columns, and float32 or float64 (n, n_features) with category codes, NaN for missing."""

    features: tuple[Feature, ...]
    values: NDArray[Any]


def infer_table(X: Any, names: Sequence[str], categorical: Any = "from_dtype") -> Inferred:
    """The columns of a training table, and its values. O(cells), and sorting the levels.

    Categorical columns get one level more, ``Feature.other``, which stands for all that the table does not show. Their
    levels are those that a pandas categorical or an Enum lists, in its order, else the ones found, sorted. Values are
    float32 where the table has float32 columns and loses nothing by it, else float64. ``may_be_missing`` says whether
    the column has a missing value here.

    Parameters
    ----------
    X : what ``read_table`` takes.
    names : what the columns are called, in their order.
    categorical : ``"from_dtype"``: columns of a categorical data type and text are categorical. A list of names or
        positions, or a mask of bool: these are, and text elsewhere is refused; in a column of numbers whole numbers
        from 0 up are the levels and -1 is missing. ``None``: none are.

    Raises InvalidInputError, naming column and row, for cells that are neither numbers nor, where accepted, text.
    """
    sheet = open_sheet(X, len(names))
    if len(sheet.columns) != len(names):
        raise InvalidInputError(f"there are {len(sheet.columns)} columns; {len(names)} are accepted")
    marked = marked_columns(names, categorical)
    features = tuple(_feature(sheet, place, name, marked) for place, name in enumerate(names))
    narrow = [_is_exact(cells, f.kind) for cells, f in zip(sheet.columns, features, strict=True)]
    floats = any(getattr(cells, "dtype", None) in (np.float32, np.float16) for cells in sheet.columns)
    values = np.empty((sheet.n_rows, len(names)), dtype=np.float32 if floats and all(narrow) else np.float64)
    for place, feature in enumerate(features):
        values[:, place] = read_column(sheet.columns[place], feature)
    return Inferred(_with_missing(features, values), values)


def infer_features(values: NDArray[Any], kind: str, names: Sequence[str]) -> tuple[Feature, ...]:
    """The features of a table of numbers: float (n, n_features), all of one ``Feature.kind``."""
    return _with_missing(_alike(tuple(names), kind), values)


@lru_cache(maxsize=8)
def _alike(names: tuple[str, ...], kind: str) -> tuple[Feature, ...]:
    """Kept for the next table: folds, grids and forests read one again and again."""
    return tuple(Feature(name, kind) for name in names)


def _with_missing(features: tuple[Feature, ...], values: NDArray[Any]) -> tuple[Feature, ...]:
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isnan(values.sum()):  # infinite numbers of both signs are looked at again
            return features
    absent = np.isnan(values).any(axis=0).tolist()
    return tuple(replace(f, may_be_missing=True) if gone else f for f, gone in zip(features, absent, strict=True))


def marked_columns(names: Sequence[str], categorical: Any) -> NDArray[np.bool_] | None:
    """Which columns the user calls categorical, bool (n_features,); ``None`` where their data types tell."""
    if isinstance(categorical, str):
        if categorical != "from_dtype":
            raise _not_columns(categorical)
        return None
    marked = np.zeros(len(names), dtype=bool)
    if categorical is None:
        return marked
    if not isinstance(categorical, Iterable) or isinstance(categorical, Mapping):
        raise _not_columns(categorical)
    given = list(categorical)
    if given and all(isinstance(one, bool | np.bool_) for one in given):
        if len(given) != len(names):
            raise InvalidInputError(f"categorical_features is a mask of {len(given)} for {len(names)} columns")
        return np.array(given, dtype=bool)
    places = {name: place for place, name in enumerate(names)}
    for one in given:
        if isinstance(one, str):
            if one not in places:
                raise InvalidInputError(f"categorical_features names {one!r}; there are {', '.join(names)}")
            marked[places[one]] = True
        elif _kind_of_type(type(one)) == "integer":
            if not 0 <= one < len(names):
                raise InvalidInputError(f"categorical_features has position {one}; 0 to {len(names) - 1} are accepted")
            marked[int(one)] = True
        else:
            raise _not_columns(categorical)
    return marked


def _not_columns(given: Any) -> InvalidInputError:
    return InvalidInputError(
        f"categorical_features is {str(given)[:80]!r}; 'from_dtype', None, names, positions or a mask are accepted"
    )


def _feature(sheet: Sheet, place: int, name: str, marked: NDArray[np.bool_] | None) -> Feature:
    cells = sheet.columns[place]
    told = sheet.kinds[place] if sheet.kinds else ""
    listed = sheet.levels[place] if sheet.levels else None
    if marked is not None and marked[place]:
        if told in ("numeric", "integer") or (not told and _kinds(cells) <= {"numeric", "integer"}):
            return _with_levels(name, _whole_levels(cells, name))
        return _with_levels(name, _found(cells, name) if listed is None else listed)
    if told == "categorical" and marked is None:
        return _with_levels(name, _found(cells, name) if listed is None else listed)
    kind = told if told not in ("", "categorical") else _kind_of_cells(cells, name)
    if kind == "categorical":
        if marked is None:
            return _with_levels(name, _found(cells, name))
        row = next(row for row, cell in enumerate(cells) if not is_missing(cell))
        wanted = "a number; list the column in categorical_features if its values are categories"
        raise refusal(Feature(name), row, cells[row], wanted)
    return Feature(name, kind)


def _kind_of_cells(cells: Any, name: str) -> str:
    """``Feature.kind`` of cells that no data type describes; text is categorical."""
    kinds = _kinds(cells)
    if kinds <= {"boolean"}:
        return "boolean" if kinds else "numeric"
    if kinds in ({"integer"}, {"categorical"}):
        return kinds.pop()
    if kinds <= {"numeric", "integer", "boolean"}:
        return "numeric"
    seen = ""
    for row, cell in enumerate(cells):
        kind = "missing" if is_missing(cell) else _kind_of_type(type(cell))
        if kind == "":
            raise _no_cell(name, row, cell)
        if kind != "missing":
            if seen and (seen == "categorical") != (kind == "categorical"):
                words = "text, as the column's cells above are" if seen == "categorical" else "a number"
                raise refusal(Feature(name), row, cell, words)
            seen = seen or kind
    return seen or "numeric"


def _no_cell(name: str, row: int, cell: Any) -> InvalidTypeError:
    is_time = isinstance(cell, datetime.date | datetime.timedelta | np.datetime64 | np.timedelta64)
    advice = ": the days since some date, say" if is_time else ""
    # scikit-learn's checks of estimators ask for the words in brackets.
    return InvalidTypeError(
        f"column {name!r}, row {row}: {repr(cell)[:80]} is a {type(cell).__name__}; numbers and text are accepted"
        f"{advice} (the argument must be a string or a real number)"
    )


def _kinds(cells: Any) -> set[str]:
    """The kinds of the cells that are not missing, "" for those that no column holds."""
    types = set(map(type, cells))
    with_nan = {kind for kind in types if issubclass(kind, float | np.floating | Decimal)}
    if with_nan and not any(cell == cell for cell in cells if type(cell) in with_nan):
        types -= with_nan
    return {_kind_of_type(kind) for kind in types} - {"missing"}


def _kind_of_type(kind: type) -> str:
    if kind is type(None) or kind.__name__ in ("NAType", "NaTType"):
        return "missing"
    if issubclass(kind, bool | np.bool_):
        return "boolean"
    if issubclass(kind, Integral):
        return "integer"
    if issubclass(kind, Real | Decimal):
        return "numeric"
    return "categorical" if issubclass(kind, str) else ""


def _found(cells: Any, name: str) -> list[Any]:
    """The distinct cells that are there, sorted; those of several types type by type."""
    given = cells.tolist() if isinstance(cells, np.ndarray) else cells
    try:
        levels = set(given)
    except TypeError:
        row = next(row for row, cell in enumerate(given) if not isinstance(cell, Hashable))
        raise _no_cell(name, row, given[row]) from None
    present = [level for level in levels if not is_missing(level)]
    try:
        return sorted(present)
    except TypeError:
        return sorted(present, key=lambda level: (type(level).__name__, _sortable(level)))


def _sortable(level: Any) -> Any:
    return level if isinstance(level, _BASES) else repr(level)


def _whole_levels(cells: Any, name: str) -> list[int]:
    """The levels in a column of numbers that is marked categorical."""
    numbers = read_column(cells, Feature(name))
    bad = ~(np.isnan(numbers) | ((numbers >= -1) & (numbers == np.floor(numbers)) & np.isfinite(numbers)))
    if bad.any():
        row = int(np.argmax(bad))
        raise refusal(
            Feature(name),
            row,
            cells[row],
            "a category; a whole number from 0 up, or -1 or None for missing, is accepted",
        )
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "iu":
        return [int(level) for level in np.unique(cells[numbers >= 0]).tolist()]  # those above 2^53 stay apart
    given = cells.tolist() if isinstance(cells, np.ndarray) else cells
    return sorted({int(cell) for cell, number in zip(given, numbers.tolist(), strict=True) if number >= 0})


def _with_levels(name: str, levels: Sequence[Any]) -> Feature:
    other = other_level(levels)
    return Feature(name, "categorical", (*levels, other), other=other)


def other_level(levels: Sequence[Any]) -> str:
    """A name for all levels not listed: ``"<other>"``, in as many brackets as keep it apart from ``levels``."""
    name = "<other>"
    while name in levels:
        name = f"<{name}>"
    return name


def _is_exact(cells: Any, kind: str) -> bool:
    """Whether float32 holds every value that such a column can have."""
    return kind in ("boolean", "categorical") or (
        isinstance(cells, np.ndarray) and cells.dtype.str[1:] in _EXACT_IN_FLOAT32
    )
