"""Reads DATA: csv, csv.gz or parquet, matched to a model's columns.

Rules for the text of a csv file. Encoding UTF-8, with or without a byte-order mark; any line ends; blank lines are
skipped. Numbers are what Python's ``float`` reads (without underscores), true and false are 1 and 0, and the words of
``MISSING`` are missing. For a categorical feature a known category wins over those words; anything else is an error.
"""

from __future__ import annotations

import csv
import gzip
import math
import zlib
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xylogic.cli.output import say
from xylogic.errors import InvalidInputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from xylogic.domain.feature import Feature
    from xylogic.model.ensemble import Ensemble

__all__ = ["MISSING", "read_one", "read_rows"]

# The words that pandas takes for missing, so that both readers give one table.
MISSING = frozenset(
    ["", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>"],
).union(
    ["N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"],
)
TRUTH = {"true": 1.0, "false": 0.0}
PARQUET_READERS = (("pyarrow.parquet", "read_table"), ("polars", "read_parquet"))

Lines = Iterator[Sequence[Any]]


def read_one(path: Path, model: Ensemble, row: int, *, header: bool = True) -> dict[str, Any]:
    """Row ``row`` (the first is 0) as a dict feature name -> value; NaN is missing. Rows after it are not read.

    Raises InvalidInputError, naming column and row, for what cannot be read, and for a row that is not there.
    """
    names, lines = open_table(path, header)
    places = match(path, names, model)
    line = next(islice(lines, row, None), None)
    if line is None:
        counted = sum(1 for _ in open_table(path, header)[1])
        has = f"rows 0 to {counted - 1}" if counted else "no rows"
        raise InvalidInputError(f"{path} has no row {row}; it has {has}")
    width = len(places if names is None else names)
    return dict(zip(model.feature_names, cells(line, width, places, model.features, row), strict=True))


def read_rows(path: Path, model: Ensemble, *, header: bool = True) -> NDArray[np.float64] | list[list[Any]]:
    """Every row, in the model's column order: float64 (n, features), or lists where there are categories.

    Raises InvalidInputError, naming column and row, for what cannot be read, and for a file without rows.
    """
    import numpy as np

    names, lines = open_table(path, header)
    places = match(path, names, model)
    width = len(places if names is None else names)
    rows = (cells(line, width, places, model.features, n) for n, line in enumerate(lines))
    if any(feature.kind == "categorical" for feature in model.features):
        table = list(rows)
        if not table:
            raise InvalidInputError(f"{path} has no rows")
        return table
    numbers = array("d")
    for row in rows:
        numbers.extend(row)
    if not numbers:
        raise InvalidInputError(f"{path} has no rows")
    return np.frombuffer(numbers).reshape(-1, len(places))


def open_table(path: Path, header: bool) -> tuple[Sequence[str] | None, Lines]:
    """The column names (``None`` without a header) and the rows to come."""
    if path.suffix.lower() == ".parquet":
        return open_parquet(path)
    lines = csv_lines(path)
    if not header:
        return None, lines
    names = next(lines, None)
    if names is None:
        raise InvalidInputError(f"{path} is empty; a line of column names is needed")
    return names, lines


def csv_lines(path: Path) -> Lines:
    unpack: Callable[..., Any] = gzip.open if path.suffix.lower() == ".gz" else open
    with unpack(path, "rt", encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, strict=True)
        try:
            yield from filter(None, reader)
        except UnicodeDecodeError as error:
            raise InvalidInputError(f"{path}, after line {reader.line_num}: not UTF-8 text ({error.reason})") from error
        except csv.Error as error:
            raise InvalidInputError(f"{path}, line {reader.line_num}: {error}") from error
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise InvalidInputError(f"{path} is not a whole gzip file: {error}") from error


def open_parquet(path: Path) -> tuple[Sequence[str], Lines]:
    import narwhals

    for library, reader in PARQUET_READERS:
        try:
            read = getattr(import_module(library), reader)
        except ImportError:
            continue
        try:
            frame = narwhals.from_native(read(path), eager_only=True)
        except Exception as error:  # each library has its own kinds
            raise InvalidInputError(f"{path} cannot be read as parquet: {error}") from error
        return frame.columns, frame.iter_rows()
    raise InvalidInputError("reading parquet needs pyarrow or polars; neither is installed")


def match(path: Path, names: Sequence[str] | None, model: Ensemble) -> list[int]:
    """The place in the file of each of the model's columns: by name where both have names, else by position."""
    wanted = list(model.feature_names)
    if names is None:
        say(f"{path} is read without names: its columns are taken by position")
        return list(range(len(wanted)))  # the rows' own count is checked
    if model.named or set(wanted) <= set(names):
        return match_names(path, names, wanted)
    if numeric(names) and names != [str(i) for i in range(len(names))]:
        raise InvalidInputError(f"the first line of {path} is all numbers; if it is a row, give --no-header")
    if len(names) != len(wanted):
        raise InvalidInputError(
            f"{path} has {len(names)} columns; the model, which has no column names, takes {len(wanted)}"
        )
    say(f"the model has no column names: the columns of {path} are taken by position")
    return list(range(len(wanted)))


def match_names(path: Path, names: Sequence[str], wanted: list[str]) -> list[int]:
    known = set(wanted)
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        places.setdefault(name, []).append(place)
    missing = [name for name in wanted if name not in places]
    extra = [name for name in places if name not in known]
    double = {name: at for name, at in places.items() if name in known and len(at) > 1}
    if missing or double:
        faults = [f"missing {quoted(missing)}"] if missing else []
        faults += [f"extra {quoted(extra)}"] if extra else []
        faults += [f"column {name!r} at positions {' and '.join(map(str, at))}" for name, at in double.items()]
        hint = "; if the file has no header, give --no-header" if numeric(names) else ""
        raise InvalidInputError(f"columns of {path}: {'; '.join(faults)}{hint}")
    if extra:
        say(f"columns that the model does not use are left out: {quoted(extra)}")
    return [places[name][0] for name in wanted]


def quoted(names: Sequence[str], most: int = 10) -> str:
    text = ", ".join(map(repr, names[:most]))
    return text if len(names) <= most else f"{text} and {len(names) - most} more"


def numeric(texts: Iterable[str]) -> bool:
    return all(as_number(text) is not None for text in texts)


def as_number(text: str) -> float | None:
    """The text as a number, or ``None``."""
    text = text.strip()
    if text.lower() in TRUTH:
        return TRUTH[text.lower()]
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def cells(line: Sequence[Any], width: int, places: Sequence[int], features: Sequence[Feature], row: int) -> list[Any]:
    """The model's columns of one line of the file."""
    if len(line) != width:
        raise InvalidInputError(f"row {row} has {len(line)} columns; {width} are expected")
    return [cell(line[place], feature, row) for place, feature in zip(places, features, strict=True)]


def cell(value: Any, feature: Feature, row: int) -> Any:
    """One cell as a float or a category; NaN where it is missing."""
    if feature.kind == "categorical":
        return category(value, feature, row)
    if value is None:
        return math.nan
    if not isinstance(value, str):
        try:
            return float(value)
        except (OverflowError, TypeError, ValueError):
            raise InvalidInputError(f"column {feature.name!r}, row {row}: {value!r} is not a number") from None
    if value.strip() in MISSING:
        return math.nan
    found = as_number(value)
    if found is None:
        raise InvalidInputError(f"column {feature.name!r}, row {row}: {value!r} is not a number")
    return found


def category(value: Any, feature: Feature, row: int) -> Hashable:
    known = feature.categories
    if value in known:
        return value
    by_text = {str(one): one for one in known}
    if isinstance(value, str) and value in by_text:
        return by_text[value]
    if value is None or value != value or (isinstance(value, str) and value.strip() in MISSING):
        return math.nan
    number = as_number(value) if isinstance(value, str) else None
    if number is not None and number in known:
        return known[known.index(number)]
    if feature.other is not None:
        from xylogic.domain.levels import Levels

        levels = Levels(feature)
        given = int(number) if levels.whole and number is not None and number == math.floor(number) else value
        if levels.code(given) is not None:
            return given
    raise InvalidInputError(
        f"column {feature.name!r}, row {row}: unknown category {value!r}; known: {quoted(list(by_text))}"
    )
