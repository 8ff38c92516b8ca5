"""Two models over one list of columns, categories and classes; what cannot be aligned is refused by name."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from xylogic.checks import names_in
from xylogic.compare.matching import Side, differing, match_classes, match_columns
from xylogic.compare.recast import highest, recast
from xylogic.convert.read import read_model
from xylogic.domain.cells import Cells, make_cells
from xylogic.domain.feature import Feature
from xylogic.domain.levels import Levels
from xylogic.domain.sheet import some
from xylogic.errors import InvalidInputError
from xylogic.model.ensemble import Ensemble

__all__ = ["Aligned", "align", "narrowed"]

_FIRST, _SECOND = "the first", "the second"
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
    sides = Side.of(models[0], _FIRST), Side.of(models[1], _SECOND)
    place = match_columns(*sides)
    names = models[0].feature_names
    if models[1].named and not models[0].named:
        names = tuple(models[1].feature_names[p] for p in place)
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
    class_of = match_classes(*sides)
    return Aligned(
        models=models,
        names=(models[0].feature_names, tuple(feature.name for feature in other)),
        left=left,
        right=right,
        cells=_cells(models, (left, right), place, cast, absent),
        classes=models[0].classes,
        class_of=tuple(class_of),
    )


def narrowed(models: Sequence[Ensemble]) -> list[Ensemble]:
    """The models on the rows that all of them accept, so that being equal there carries over from pair to pair.

    Of each column of one name the narrowest kind and range, and "missing" where one declares it. Categories, and
    columns that are not in all models, stay as they are.
    """
    cast = models[0].cast if len({model.cast for model in models}) == 1 else "float64"
    kinds: dict[str, str] = {}
    limits: dict[str, tuple[float, float]] = {}
    absent: set[str] = set()
    for model in models:
        top = math.inf if model.accepts_infinite else highest(model, cast)
        for position, feature in enumerate(model.features):
            low, high = _limits(model, position, top)
            known = limits.get(feature.name, (low, high))
            limits[feature.name] = max(low, known[0]), min(high, known[1])
            if feature.kind in _NARROWER:
                kind = kinds.get(feature.name, feature.kind)
                kinds[feature.name] = max(kind, feature.kind, key=_NARROWER.index)
            if feature.may_be_missing:
                absent.add(feature.name)
    return [
        replace(
            model,
            features=tuple(
                replace(
                    f,
                    kind=f.kind if f.categories else kinds[f.name],
                    may_be_missing=f.name in absent and model.accepts_missing,
                )
                for f in model.features
            ),
            limits=tuple(limits[f.name] for f in model.features),
        )
        for model in models
    ]


def _are_alike(models: tuple[Ensemble, Ensemble], place: Sequence[int]) -> bool:
    """Whether both models have the same columns as they are."""
    if models[0].cast != models[1].cast or list(place) != list(range(len(place))):
        return False
    pairs = zip(models[0].features, models[1].features, strict=True)
    return all(
        x is y or (x.name, x.kind, x.categories, x.other) == (y.name, y.kind, y.categories, y.other) for x, y in pairs
    )


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
        apart = differing(only, "categories", (_FIRST, _SECOND))
        raise InvalidInputError(
            f"feature {name!r} has other categories: {apart}; the same ones, in any order, "
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
        chosen = names_in("missing", wanted, names)
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


def _cells(
    models: tuple[Ensemble, Ensemble],
    rewritten: tuple[Ensemble, Ensemble],
    place: Sequence[int],
    cast: str,
    absent: Collection[str],
) -> tuple[Cells, ...]:
    left, right = rewritten
    tops = [math.inf if model.accepts_infinite else highest(model, cast) for model in models]
    cells = []
    for position, (x, y) in enumerate(zip(left.features, right.features, strict=True)):
        ends = [_limits(models[0], position, tops[0]), _limits(models[1], place[position], tops[1])]
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


def _limits(model: Ensemble, position: int, top: float) -> tuple[float, float]:
    """The lowest and the highest number that a model takes in a column, ``top`` being the highest of all."""
    low, high = (-top, top) if model.limits is None else model.limits[position]
    return max(low, -top), min(high, top)
