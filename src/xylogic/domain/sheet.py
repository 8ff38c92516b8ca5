"""Any 2-D table, opened by columns; nothing is judged yet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.errors import InvalidInputError

__all__ = ["ACCEPTED", "Sheet", "duplicates", "open_sheet", "some"]

ACCEPTED = "a 2-D numpy array, a pandas, polars or pyarrow table, a list of dicts or a list of rows"
_KIND_OF = {"f": "numeric", "i": "integer", "u": "integer", "b": "boolean"}


@dataclass(frozen=True, eq=False, slots=True)
class Sheet:
    """Unchecked input by columns.

    columns : each an array or a sequence of ``n_rows`` cells.
    names : ``None`` without a header.
    by_name : whether positions mean nothing, as in a dict.
    kinds : of each column the ``Feature.kind`` that its data type tells, "" where it tells none.
    levels : of each column the categories that its data type lists, in their order, or ``None``.
    """

    columns: Sequence[Any]
    n_rows: int
    names: Sequence[Any] | None = None
    by_name: bool = False
    kinds: Sequence[str] = ()
    levels: Sequence[Sequence[Any] | None] = ()


def open_sheet(X: Any, n_features: int = 0) -> Sheet:
    """The columns of a table, or of one opened before; ``n_features`` is the width of a list without rows.

    Raises InvalidInputError for what is no table, for rows of different widths, duplicate names and sparse input.
    """
    if isinstance(X, Sheet):
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


def _open_array(X: NDArray[Any]) -> Sheet:
    if X.ndim != 2:
        hint = "; for one row pass x.reshape(1, -1)" if X.ndim == 1 else ""
        raise InvalidInputError(f"X has {X.ndim} dimensions; a 2-D table is accepted{hint}")
    if isinstance(X, np.ma.MaskedArray):
        cells = np.array(X, dtype=object)
        cells[np.ma.getmaskarray(X)] = None
        X = cells
    width = X.shape[1]
    return Sheet([X[:, j] for j in range(width)], len(X), kinds=[_KIND_OF.get(X.dtype.kind, "")] * width)


def _open_list(X: Sequence[Any], n_features: int) -> Sheet:
    if not X:
        return Sheet([[] for _ in range(n_features)], 0)
    if all(isinstance(row, Mapping) for row in X):
        names = list(X[0])
        for position, row in enumerate(X):
            if row.keys() != X[0].keys():
                odd = sorted(map(repr, row.keys() ^ X[0].keys()))
                raise InvalidInputError(f"rows 0 and {position} differ in their columns: {some(odd)}")
        return Sheet([[row[name] for row in X] for name in names], len(X), names, by_name=True)
    rows = []
    for position, row in enumerate(X):
        if isinstance(row, str | bytes | Mapping) or not hasattr(row, "__len__"):
            raise InvalidInputError(f"row {position} of X is a {type(row).__name__}; {ACCEPTED} is accepted")
        rows.append(list(row))
        if len(rows[-1]) != len(rows[0]):
            raise InvalidInputError(f"row {position} of X has {len(rows[-1])} cells where row 0 has {len(rows[0])}")
    return Sheet(list(zip(*rows, strict=True)), len(rows))


def _open_frame(X: Any) -> Sheet | None:
    """The columns of a data frame of any kind that narwhals knows, else ``None``."""
    import narwhals as nw

    names = [*getattr(X, "column_names", getattr(X, "columns", ()))] if hasattr(X, "shape") else []
    twice = duplicates(names)
    if twice:
        raise InvalidInputError(f"the columns do not fit: duplicated {some(twice)}")
    try:
        frame = nw.from_native(X, pass_through=True)
    except TypeError:
        return None
    if isinstance(frame, nw.LazyFrame):
        raise InvalidInputError(f"X is a lazy table; collect it first ({ACCEPTED} is accepted)")
    if not isinstance(frame, nw.DataFrame):
        return None
    columns, kinds, levels = list[Any](), list[str](), list[Sequence[Any] | None]()
    for series in frame.iter_columns():
        kind, listed = _declared(series)
        cells = series.to_numpy() if kind != "categorical" else np.zeros(0, dtype=object)
        columns.append(cells if cells.dtype.kind in "fiub" else series.to_list())
        kinds.append(kind)
        levels.append(listed)
    return Sheet(columns, len(frame), names, kinds=kinds, levels=levels)


def _declared(series: Any) -> tuple[str, Sequence[Any] | None]:
    """What the data type of a narwhals column tells: ``Feature.kind`` or "", and the categories it lists."""
    import narwhals as nw

    dtype = series.dtype
    if dtype in (nw.Categorical, nw.Enum):
        native = getattr(series.to_native(), "cat", None)
        listed = getattr(native, "categories", getattr(dtype, "categories", None))  # of pandas, of an Enum
        return "categorical", None if listed is None else list(listed)
    if dtype == nw.Boolean:
        return "boolean", None
    if dtype.is_integer():
        return "integer", None
    return ("numeric" if dtype.is_numeric() else ""), None


def duplicates(names: Iterable[Any]) -> list[str]:
    places: dict[Any, list[int]] = {}
    for position, name in enumerate(names):
        places.setdefault(name, []).append(position)
    return [f"{name!r} (columns {', '.join(map(str, at))})" for name, at in places.items() if len(at) > 1]


def some(words: Iterable[str]) -> str:
    """At most ten of the words, and how many more there are."""
    words = list(words)
    rest = f" and {len(words) - 10} more" if len(words) > 10 else ""
    return ", ".join(words[:10]) + rest
