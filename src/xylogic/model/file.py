"""Our own file format: a model as versioned JSON, with every float exact.

One object with the keys of ``_MODEL``. Arrays are flat lists in node order; ``value`` holds the leaves only, leaf by
leaf. Floats are written so that they read back equal (``repr``); ``"inf"`` and ``"-inf"`` are strings. The features'
cuts are not stored: they are the trees' own.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import secrets
import zlib
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.feature import Feature
from xylogic.errors import InvalidInputError, InvalidModelError
from xylogic.model.build import make_ensemble, make_tree
from xylogic.model.ensemble import Ensemble
from xylogic.model.tree import Tree

__all__ = ["check_path", "load", "save"]

FORMAT, VERSION = "xylogic model", 2  # 1 had no "other" in its features
MAX_BYTES = 2**30
_SMALL, _MOST_COMPRESSED = 2**26, 50  # no model of more than 64 MB is compressed 50-fold: 10-fold is much
_GZIP_MAGIC = b"\x1f\x8b"

_NUMBER = (int, float)
_MODEL: dict[str, tuple[type, ...]] = {
    "source": (str,),
    "cast": (str,),
    "voting": (str,),
    "base": (list,),
    "link": (str,),
    "tie": (str,),
    "accepts_missing": (bool,),
    "accepts_infinite": (bool,),
    "named": (bool,),
    "limits": (list, type(None)),
    "classes": (list, type(None)),
    "features": (list,),
    "trees": (list,),
}
_FEATURE: dict[str, tuple[type, ...]] = {
    "name": (str,),
    "kind": (str,),
    "categories": (list,),
    "may_be_missing": (bool,),
    "mutable": (bool,),
    "cost": _NUMBER,
    "scale": (*_NUMBER, type(None)),
    "lower": (*_NUMBER, str, type(None)),
    "upper": (*_NUMBER, str, type(None)),
    "other": (bool, int, float, str, type(None)),
}
_FEATURE_NUMBERS = ("cost", "scale", "lower", "upper")
_TREE: dict[str, tuple[type, ...]] = {
    "feature": (list,),
    "cut": (list,),
    "left": (list,),
    "right": (list,),
    "missing": (list,),
    "sets": (list,),
    "value": (list,),
}


def check_path(path: str | PathLike[str]) -> str:
    """The lower-case name of the file at ``path``; raises InvalidInputError for one that no model is saved in."""
    name = Path(os.path.realpath(path)).name.lower()
    if not name.endswith((".json", ".json.gz")):
        raise InvalidInputError(f"the path is {str(path)!r}; one that ends in .json or .json.gz is accepted")
    return name


def save(model: Ensemble, path: str | PathLike[str]) -> None:
    """Write ``model`` to ``path``, ``.json`` or ``.json.gz``; see ``Ensemble.save``.

    A temporary file beside it takes its place once it is complete, so a failure leaves what was there. O(n_nodes).
    """
    target = Path(os.path.realpath(path))
    name = check_path(path)
    head = json.dumps(_head(model), allow_nan=False)  # before a file is opened: labels may be refused
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as file:
            if name.endswith(".gz"):
                with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
                    _write(packed, head, model)
            else:
                _write(file, head, model)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def _write(file: IO[bytes] | gzip.GzipFile, head: str, model: Ensemble) -> None:
    file.write(f'{head[:-1]},\n"trees": ['.encode())
    for position, tree in enumerate(model.trees):
        record = json.dumps(_tree_record(tree), allow_nan=False, separators=(",", ":"))
        file.write(f"{',' if position else ''}\n{record}".encode())
    file.write(b"\n]}\n")


def _head(model: Ensemble) -> dict[str, Any]:
    limits = model.limits
    plain = ("source", "cast", "voting", "link", "tie", "accepts_missing", "accepts_infinite", "named")
    return {
        "format": FORMAT,
        "version": VERSION,
        **{name: getattr(model, name) for name in plain},
        "base": list(model.base),
        "limits": None if limits is None else [_float_out(bound) for pair in limits for bound in pair],
        "classes": None if model.classes is None else [_label_out(label, "class") for label in model.classes],
        "features": [_feature_record(feature) for feature in model.features],
    }


def _feature_record(feature: Feature) -> dict[str, Any]:
    record = {name: getattr(feature, name) for name in _FEATURE}
    if feature.other is not None:
        record["other"] = _label_out(feature.other, f"feature {feature.name!r}: category")
    record["categories"] = [_label_out(label, f"feature {feature.name!r}: category") for label in feature.categories]
    for number in _FEATURE_NUMBERS:
        record[number] = None if record[number] is None else _float_out(float(record[number]))
    return record


def _tree_record(tree: Tree) -> dict[str, Any]:
    tests = [node for node in range(tree.n_nodes) if tree.is_categorical(node)] if len(tree.set_items) else []
    return {
        "feature": tree.feature.tolist(),
        "cut": [_float_out(cut) for cut in tree.cut.tolist()],
        "left": tree.left.tolist(),
        "right": tree.right.tolist(),
        "missing": tree.missing.tolist(),
        "sets": [[node, *tree.left_codes(node).tolist()] for node in tests],
        "value": tree.value[tree.left < 0].ravel().tolist(),
    }


def _float_out(x: float) -> float | str:
    return x if math.isfinite(x) else repr(float(x))


def _label_out(label: Any, what: str) -> Any:
    label = label.item() if isinstance(label, np.generic) else label
    if type(label) not in (bool, int, float, str) or (type(label) is float and not math.isfinite(label)):
        raise InvalidInputError(f"{what} {label!r} cannot be saved; str, int, bool and finite float are accepted")
    return label


def load(path: str | PathLike[str], *, max_bytes: int = MAX_BYTES) -> Ensemble:
    """Read a model that ``Ensemble.save`` wrote; the result equals it in every array, float and label. O(n_nodes).

    ``max_bytes`` bounds what is read, after decompression; the memory used is within about 30 times that.

    Raises InvalidModelError, naming tree and node where there is one, for any other content: not JSON, cut short,
    of a newer version, with missing, unknown or wrong fields, or with trees that are none. OSError as ``open`` does.
    """
    text = _read_text(path, max_bytes)
    try:
        found = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:  # RecursionError: lists within lists within lists
        raise InvalidModelError(f"{os.fspath(path)!r} is not JSON: {error}") from error
    del text
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise InvalidModelError(f"{os.fspath(path)!r} is not a saved xylogic model")
    version = found.get("version")
    if type(version) is not int or version < 1:
        raise InvalidModelError(f"version is {version!r}; {VERSION} is accepted")
    if version > VERSION:
        raise InvalidModelError(f"version is {version}; this xylogic reads up to {VERSION}, a newer one is needed")
    if version == 1 and isinstance(found.get("features"), list):
        found["features"] = [{**f, "other": None} if isinstance(f, dict) else f for f in found["features"]]
    return _model(_checked({k: v for k, v in found.items() if k not in ("format", "version")}, _MODEL, "the model"))


def _read_text(path: str | PathLike[str], max_bytes: int) -> str:
    with open(path, "rb") as file:
        packed = file.read(2) == _GZIP_MAGIC
        file.seek(0)
        try:
            if packed:
                size = os.fstat(file.fileno()).st_size
                max_bytes = min(max_bytes, max(_SMALL, _MOST_COMPRESSED * size))
                with gzip.GzipFile(fileobj=file) as unpacked:
                    data = _read_up_to(unpacked, max_bytes)
            else:
                data = _read_up_to(file, max_bytes)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise InvalidModelError(f"{os.fspath(path)!r} is a damaged gzip file: {error}") from error
    if len(data) > max_bytes:
        raise InvalidModelError(f"{os.fspath(path)!r} holds more than {max_bytes} bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidModelError(f"{os.fspath(path)!r} is not JSON: {error}") from error


def _read_up_to(file: IO[bytes] | gzip.GzipFile, max_bytes: int) -> bytearray:
    """The whole file, or its beginning, longer than ``max_bytes``; in pieces, as ``read(n)`` sets n bytes aside."""
    data = bytearray()
    while len(data) <= max_bytes and (part := file.read(2**20)):
        data += part
    return data


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return record


def _checked(record: Any, fields: dict[str, tuple[type, ...]], where: str) -> dict[str, Any]:
    """``record`` if it has just these fields, each of one of its types (exactly: True is no int)."""
    if not isinstance(record, dict):
        raise InvalidModelError(f"{where} is a {type(record).__name__}; an object is accepted")
    odd = sorted(fields.keys() ^ record.keys())
    if odd:
        raise InvalidModelError(f"{where}: field {odd[0][:80]!r} is {'missing' if odd[0] in fields else 'unknown'}")
    for name, kinds in fields.items():
        if type(record[name]) not in kinds:
            accepted = " or ".join(kind.__name__ for kind in kinds)
            raise InvalidModelError(
                f"{where}: field {name!r} is a {type(record[name]).__name__}; {accepted} is accepted"
            )
    return record


def _model(record: dict[str, Any]) -> Ensemble:
    try:
        features = [_feature(item, f"feature {position}") for position, item in enumerate(record["features"])]
    except InvalidInputError as error:
        raise InvalidModelError(str(error)) from error
    base = _floats(record["base"], "base").tolist()
    n_codes = [len(feature.categories) for feature in features]
    trees = [
        _tree(item, n_codes, len(base), record, f"tree {position}") for position, item in enumerate(record["trees"])
    ]
    limits = record["limits"]
    if limits is not None:
        bounds = _floats(limits, "limits").tolist()
        if len(bounds) != 2 * len(features):
            raise InvalidModelError(f"limits has {len(bounds)} numbers; two per feature are accepted")
        limits = tuple(zip(bounds[::2], bounds[1::2], strict=True))
    classes = record["classes"]
    options = {name: record[name] for name in ("link", "tie", "accepts_missing", "accepts_infinite", "named", "source")}
    return make_ensemble(
        trees,
        features,
        None if classes is None else _labels(classes, "classes"),
        voting=record["voting"],
        cast=record["cast"],
        base=base,
        limits=limits,
        **options,
    )


def _feature(item: Any, where: str) -> Feature:
    fields = dict(_checked(item, _FEATURE, where))
    fields["categories"] = tuple(_labels(fields["categories"], f"{where}: categories"))
    for number in _FEATURE_NUMBERS:
        if fields[number] is not None:
            fields[number] = float(_floats([fields[number]], f"{where}: {number}")[0])
    return Feature(**fields)


def _tree(item: Any, n_codes: Sequence[int], n_outputs: int, model: dict[str, Any], where: str) -> Tree:
    fields = _checked(item, _TREE, where)
    left = _integers(fields["left"], f"{where}: left")
    leaves = left < 0
    flat = _floats(fields["value"], f"{where}: value")
    if len(flat) != leaves.sum() * n_outputs:
        raise InvalidModelError(
            f"{where}: value has {len(flat)} numbers for {leaves.sum()} leaves of {n_outputs} outputs"
        )
    value = np.zeros((len(left), n_outputs))
    value[leaves] = flat.reshape(-1, n_outputs)
    sets: dict[int, list[int]] = {}
    for position, entry in enumerate(fields["sets"]):
        if type(entry) is not list:
            raise InvalidModelError(f"{where}: sets[{position}] is a {type(entry).__name__}; a list is accepted")
        node, *codes = _integers(entry, f"{where}: sets[{position}]").tolist() or [-1]
        if node in sets:
            raise InvalidModelError(f"{where}, node {node}: it has two category sets")
        sets[node] = codes
    if model["cast"] not in ("float32", "float64"):
        raise InvalidModelError(f"cast is {model['cast'][:80]!r}; float32 or float64 is accepted")
    return make_tree(
        _integers(fields["feature"], f"{where}: feature"),
        _floats(fields["cut"], f"{where}: cut"),
        left,
        _integers(fields["right"], f"{where}: right"),
        value,
        missing=_integers(fields["missing"], f"{where}: missing"),
        sets=sets,
        n_codes=n_codes,
        cast=model["cast"],
        infinite=model["accepts_infinite"],
        n_features=len(n_codes),
        where=where,
    )


def _integers(items: list[Any], where: str) -> NDArray[np.int64]:
    _check_types(items, {int}, where)
    try:
        return np.array(items, dtype=np.int64)
    except OverflowError as error:
        raise InvalidModelError(f"{where} holds a number that no node can have") from error


def _floats(items: list[Any], where: str) -> NDArray[np.float64]:
    _check_types(items, {int, float, str}, where)
    if any(type(item) is str and item not in ("inf", "-inf") for item in items):
        raise InvalidModelError(f"{where} holds text; numbers, 'inf' and '-inf' are accepted")
    try:
        return np.array([float(item) for item in items], dtype=np.float64)
    except OverflowError as error:
        raise InvalidModelError(f"{where} holds an integer too large for a float") from error


def _labels(items: list[Any], where: str) -> list[Any]:
    _check_types(items, {bool, int, float, str}, where)
    return items


def _check_types(items: Iterable[Any], kinds: set[type], where: str) -> None:
    odd = next(_odd_ones(items, kinds), None)
    if odd is not None:
        raise InvalidModelError(f"{where}[{odd[0]}] is a {odd[1].__name__}")


def _odd_ones(items: Iterable[Any], kinds: set[type]) -> Iterator[tuple[int, type]]:
    return ((position, type(item)) for position, item in enumerate(items) if type(item) not in kinds)
