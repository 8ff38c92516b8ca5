"""Two models over one list of columns, categories and classes; what cannot be aligned is refused by name."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from xylogic.compare.recast import highest, recast
from xylogic.convert.read import read_model
from xylogic.domain.cells import Cells, make_cells
from xylogic.domain.feature import Feature
from xylogic.domain.levels import Levels
from xylogic.domain.sheet import some
from xylogic.errors import InvalidInputError
from xylogic.model.ensemble import Ensemble

__all__ = ["Aligned", "align"]

_NARROWER = ("numeric", "integer", "boolean")  # each takes fewer numbers than the one before


@dataclass(frozen=True, eq=False)
class Aligned:
    """Two models that can be compared.

    Attributes
    ----------
    models : as they were given; rows are put to them by their own names.
    names : each model's own name of every column, in the order of ``cells``.
    left, right : the same functions over the common columns, in one precision.
    cells : the states that the cuts of both make of every column.
    classes : the labels, in the order of the first model; ``None`` for regression models.
    class_of : per class of the second model, its position in ``classes``.
    """

    models: tuple[Ensemble, Ensemble]
    names: tuple[tuple[str, ...], tuple[str, ...]]
    left: Ensemble
    right: Ensemble
    cells: tuple[Cells, ...]
    classes: tuple[Hashable, ...] | None
    class_of: tuple[int, ...]

    def row_for(self, side: int, row: dict[str, Any]) -> dict[str, Any]:
        """A row in the names of one of the models."""
        return dict(zip(self.names[side], (row[c.name] for c in self.cells), strict=True))


def align(a: Any, b: Any, missing: Collection[str] | None = None) -> Aligned:
    """Align whatever two models ``read_model`` takes. O(nodes of both).

    Columns are matched by name; a model without names of its own takes the other's, by position. Rows are those that
    both accept: of a column that one takes as numbers and the other as integers, the integers; of categories, those
    that both take, where ``Feature.other`` stands for the levels that a model does not list. Models of different
    precision are both written in double precision, exactly. "Missing" is a state where one of them declares it, or
    exactly where ``missing`` names it.

    Raises InvalidInputError, naming what differs: columns that one of them lacks, categories against numbers, other
    categories, classes against numbers, other classes, and missing values that one of them refuses.
    """
    models = read_model(a), read_model(b)
    place, names = _columns(*models)
    own, other = models[0].features, [models[1].features[p] for p in place]
    cast = models[0].cast if models[0].cast == models[1].cast else "float64"
    if _are_alike(models, place):
        columns, (left, right) = list(own), models
    else:
        merged = [_feature(name, x, y) for name, x, y in zip(names, own, other, strict=True)]
        columns = [column for column, *_ in merged]
        back = np.argsort(place).tolist()
        left = recast(models[0], columns, range(len(columns)), [codes for _, codes, _ in merged], cast)
        right = recast(models[1], columns, back, [merged[p][2] for p in back], cast)
    absent = _missing(models, place, names, missing)
    classes, class_of = _classes(*models)
    return Aligned(
        models=models,
        names=(models[0].feature_names, tuple(feature.name for feature in other)),
        left=left,
        right=right,
        cells=_cells(models, (left, right), place, cast, absent),
        classes=classes,
        class_of=class_of,
    )


def _are_alike(models: tuple[Ensemble, Ensemble], place: Sequence[int]) -> bool:
    """Whether both models have the same columns as they are."""
    if models[0].cast != models[1].cast or list(place) != list(range(len(place))):
        return False
    pairs = zip(models[0].features, models[1].features, strict=True)
    return all(
        x is y or (x.name, x.kind, x.categories, x.other) == (y.name, y.kind, y.categories, y.other) for x, y in pairs
    )


def _columns(a: Ensemble, b: Ensemble) -> tuple[list[int], tuple[str, ...]]:
    """Where b has each of a's columns, and the common names."""
    where = {name: position for position, name in enumerate(b.feature_names)}
    names = a.feature_names
    known = set(names)
    if a.named != b.named and len(names) == len(where) and where.keys() != known:
        return list(range(len(names))), names if a.named else b.feature_names
    only = [repr(n) for n in names if n not in where], [repr(n) for n in where if n not in known]
    if any(only):
        raise InvalidInputError(
            "the models have other features: "
            + _differing(only, "features")
            + "; equal names, in any order, are accepted"
        )
    return [where[name] for name in names], names


def _differing(only: Sequence[Sequence[str]], what: str) -> str:
    sides = [f"{some(list(names))} only in the {side}" for names, side in zip(only, ("first", "second")) if names]  # noqa: B905
    return f"{what} {' and '.join(sides)}"


def _feature(name: str, a: Feature, b: Feature) -> tuple[Feature, Sequence[int], Sequence[int]]:
    """The common feature, and the code that each model gives to each of its categories."""
    if (a.kind == "categorical") != (b.kind == "categorical"):
        raise InvalidInputError(
            f"feature {name!r} is {a.kind} in the first model and {b.kind} in the second; "
            "categories on both sides, or numbers on both, are accepted"
        )
    if a.kind != "categorical":
        return Feature(name, max(a.kind, b.kind, key=_NARROWER.index)), (), ()
    levels = [*a.categories, *(level for level in b.categories if level not in set(a.categories))]
    codes_of = Levels(a).code, Levels(b).code
    only = (
        [repr(x) for x in a.categories if x != a.other and codes_of[1](x) is None],
        [repr(x) for x in b.categories if x != b.other and codes_of[0](x) is None],
    )
    if any(only):
        raise InvalidInputError(
            f"feature {name!r} has other categories: {_differing(only, 'categories')}; the same ones, in any order, "
            "are accepted, and others where Feature.other stands for them"
        )
    found: dict[tuple[int, int], Hashable] = {}
    for level in [*levels, *_unlisted(a, b, levels)]:
        pair = codes_of[0](level), codes_of[1](level)
        if pair[0] is not None and pair[1] is not None:
            found.setdefault((int(pair[0]), int(pair[1])), level)
    if not found:
        raise InvalidInputError(f"feature {name!r} has no category that both models take")
    rest = None
    if a.other is not None and b.other is not None:
        rest = found.get((a.categories.index(a.other), b.categories.index(b.other)))
    return (
        Feature(name, "categorical", tuple(found.values()), other=rest),
        [x for x, _ in found],
        [y for _, y in found],
    )


def _unlisted(a: Feature, b: Feature, levels: Sequence[Hashable]) -> list[Hashable]:
    """A level that neither lists, where both take one."""
    if a.other is None or b.other is None:
        return []
    level = Levels(Feature(a.name, "categorical", tuple(levels), other=a.other)).unlisted()
    return [level]


def _missing(
    models: tuple[Ensemble, Ensemble], place: Sequence[int], names: Sequence[str], wanted: Collection[str] | None
) -> set[str]:
    """The columns in which a value may be missing."""
    sides = [(models[0], list(range(len(names)))), (models[1], list(place))]
    if wanted is not None:
        chosen = {wanted} if isinstance(wanted, str) else set(wanted)
        unknown = sorted(map(repr, chosen - set(names)))
        if unknown:
            raise InvalidInputError(f"missing names {some(unknown)}; accepted: {', '.join(names)}")
    else:
        chosen = {n for m, at in sides for n, p in zip(names, at, strict=True) if m.features[p].may_be_missing}
    for side, (model, at) in zip(("first", "second"), sides, strict=True):
        refused = [
            repr(name)
            for name, p in zip(names, at, strict=True)
            if name in chosen and (not model.accepts_missing or model.routeless[p])
        ]
        if refused:
            raise InvalidInputError(
                f"features {some(refused)} may be missing, but the {side} model refuses a missing value there; "
                "missing=() compares them on complete rows, missing=[names] where only these may be missing"
            )
    return chosen


def _classes(a: Ensemble, b: Ensemble) -> tuple[tuple[Hashable, ...] | None, tuple[int, ...]]:
    if (a.classes is None) != (b.classes is None):
        kinds = ["numbers" if m.classes is None else f"classes {some(list(map(repr, m.classes)))}" for m in (a, b)]
        raise InvalidInputError(
            f"the first model predicts {kinds[0]}, the second {kinds[1]}; classes or numbers on both are accepted"
        )
    if a.classes is None or b.classes is None:
        return None, ()
    where = {_identity(label): position for position, label in enumerate(a.classes)}
    own = {_identity(label) for label in b.classes}
    only = (
        [repr(label) for label in a.classes if _identity(label) not in own],
        [repr(label) for label in b.classes if _identity(label) not in where],
    )
    if any(only):
        raise InvalidInputError(
            f"the models have other classes: {_differing(only, 'classes')}; the same labels, in any order, are accepted"
        )
    return a.classes, tuple(where[_identity(label)] for label in b.classes)


def _identity(label: Hashable) -> tuple[bool, Hashable]:
    return isinstance(label, bool | np.bool_), label  # True is not 1


def _cells(
    models: tuple[Ensemble, Ensemble],
    rewritten: tuple[Ensemble, Ensemble],
    place: Sequence[int],
    cast: str,
    absent: Collection[str],
) -> tuple[Cells, ...]:
    left, right = rewritten
    cells = []
    for position, (x, y) in enumerate(zip(left.features, right.features, strict=True)):
        ends = [_limits(models[0], position, cast), _limits(models[1], place[position], cast)]
        limits = max(low for low, _ in ends), min(high for _, high in ends)
        if limits[0] > limits[1]:
            raise InvalidInputError(
                f"feature {x.name!r}: the models take no number in common, {ends[0]} and {ends[1]}; ranges that meet "
                "are accepted"
            )
        if x.cuts != y.cuts:
            x = replace(x, cuts=tuple(sorted({*x.cuts, *y.cuts})))
        cells.append(make_cells(x, cast, limits, missing=x.name in absent))
    return tuple(cells)


def _limits(model: Ensemble, position: int, cast: str) -> tuple[float, float]:
    """The lowest and the highest number that a model takes in a column."""
    top = math.inf if model.accepts_infinite else highest(model, cast)
    low, high = (-top, top) if model.limits is None else model.limits[position]
    return max(low, -top), min(high, top)
