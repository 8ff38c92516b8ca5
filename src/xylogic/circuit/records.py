"""What circuits and diagrams share on disk: JSON files, and the cells of features as JSON."""

from __future__ import annotations

import gzip
import json
import math
import os
import secrets
import zlib
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from xylogic.domain.cells import Cells
from xylogic.domain.feature import Feature
from xylogic.errors import InvalidInputError

__all__ = ["cells_of", "cells_records", "read_json", "write_json"]

MAX_BYTES = 2**31
_FEATURE = ("name", "kind", "categories", "cost", "scale", "lower", "upper", "mutable", "may_be_missing", "other")


def write_json(record: dict[str, Any], path: str | PathLike[str]) -> None:
    """Write to ``path``, ``.json`` or ``.json.gz``; a temporary file beside it takes its place once it is complete."""
    target = Path(os.path.realpath(path))
    name = target.name.lower()
    if not name.endswith((".json", ".json.gz")):
        raise InvalidInputError(f"the path is {str(path)!r}; one that ends in .json or .json.gz is accepted")
    data = json.dumps(record, allow_nan=False, separators=(",", ":")).encode()
    data = gzip.compress(data, 6, mtime=0) if name.endswith(".gz") else data
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    try:
        temporary.write_bytes(data)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def read_json(path: str | PathLike[str], kind: str, version: int) -> dict[str, Any]:
    """The record of ``kind`` in a file; raises InvalidInputError for other content, OSError as ``open`` does."""
    try:
        with open(path, "rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            text = (gzip.GzipFile(fileobj=file) if packed else file).read(MAX_BYTES + 1)
        if len(text) > MAX_BYTES:
            raise InvalidInputError(f"{os.fspath(path)!r} holds more than {MAX_BYTES} bytes")
        record = json.loads(text)
    except (ValueError, RecursionError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        if isinstance(error, InvalidInputError):
            raise
        raise InvalidInputError(f"{os.fspath(path)!r} is not JSON: {error}") from error
    if not isinstance(record, dict) or record.get("format") != kind:
        raise InvalidInputError(f"{os.fspath(path)!r} is not a saved {kind}")
    if record.get("version") != version:
        raise InvalidInputError(f"version is {record.get('version')!r}; {version} is accepted")
    return record


def cells_records(cells: Sequence[Cells]) -> list[dict[str, Any]]:
    """The cells of features, JSON-ready; infinite numbers are strings. Raises InvalidInputError for odd categories."""
    records = []
    for c in cells:
        feature = {name: getattr(c.feature, name) for name in _FEATURE}
        odd = [level for level in c.feature.categories if type(level) not in (bool, int, float, str)]
        if odd:
            raise InvalidInputError(
                f"feature {c.name!r}: category {odd[0]!r} cannot be saved; str, int, bool and float are accepted"
            )
        numbers = {name: _out(feature[name]) for name in ("cost", "scale", "lower", "upper")}
        records.append(
            {
                "feature": {**feature, **numbers, "categories": list(c.feature.categories)},
                "cuts": [_out(cut) for cut in c.cuts],
                "all_cuts": [_out(cut) for cut in c.feature.cuts],
                "cast": c.cast,
                "missing": c.missing,
                "limits": [_out(limit) for limit in c.limits],
            }
        )
    return records


def cells_of(records: Any) -> tuple[Cells, ...]:
    """The cells that ``cells_records`` wrote; raises InvalidInputError, naming the feature, for anything else."""
    found = []
    for position, record in enumerate(records if isinstance(records, list) else [records]):
        try:
            given = dict(record["feature"])
            for name in ("cost", "scale", "lower", "upper"):
                given[name] = None if given[name] is None else float(given[name])
            cuts = tuple(float(cut) for cut in record["all_cuts"])
            feature = Feature(**{**given, "categories": tuple(given["categories"]), "cuts": cuts})
            low, high = (float(limit) for limit in record["limits"])
            made = Cells(
                feature, tuple(float(c) for c in record["cuts"]), record["cast"], bool(record["missing"]), (low, high)
            )
            if made.cast not in ("float32", "float64") or np.any(np.diff(made.cuts) <= 0):
                raise ValueError(f"cast {made.cast!r}, cuts {made.cuts!r}")
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidInputError(f"feature {position} is no saved feature: {error}") from error
        found.append(made)
    return tuple(found)


def _out(number: float | None) -> float | str | None:
    return number if number is None or math.isfinite(number) else repr(float(number))
