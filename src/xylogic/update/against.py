"""What growth asks of the old tree: its leaf and its explanation of each row of a training set."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from xylogic.compare.matching import Side, match_classes, match_columns
from xylogic.domain.table import Table, read_table
from xylogic.errors import InvalidInputError
from xylogic.grow.base import Sample
from xylogic.model.ensemble import Ensemble
from xylogic.model.predict import apply
from xylogic.update.bounds import Bounds, leaf_bounds
from xylogic.update.pairing import in_float64
from xylogic.update.reading import refuse_infinite
from xylogic.update.reference import Reference
from xylogic.update.relied import answers, is_right, row_weights, scaled

__all__ = ["AgainstOld", "place_columns", "read_against", "warn_unrelied"]

_OLD = "the old tree"
_OF_VANISHED = "a class without rows is declared by a row of sample_weight 0, and gets probability 0"


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class AgainstOld(Sample):
    """A training set of numbers, and what an old tree says of its rows.

    Attributes
    ----------
    leaf : int32 (n,), which of the old tree's leaves below the row reaches.
    bounds : of the leaves, columns in the order of the training set.
    relied : float64 (n,), how much the old explanation of the row counts, ``weight`` left aside, at most 2.
    """

    leaf: NDArray[np.int32]
    bounds: Bounds
    relied: NDArray[np.float64]

    def part(self, rows: NDArray[np.intp]) -> AgainstOld:
        """The sample of some of the rows, by position."""
        return _against(Sample.part(self, rows), self.leaf[rows], self.bounds, self.relied[rows])

    @property
    def relied_weight(self) -> NDArray[np.float64]:
        """``relied`` times the row's weight, ``scaled``: a row of weight 2 counts as two rows, here too."""
        return self.relied if self.weight is None else scaled(self.relied * self.weight)

    def reference(self) -> Reference:
        """What bounds are measured by."""
        return Reference.of(self.values.astype(np.float64, copy=False), self.weight)


def _against(sample: Sample, leaf: NDArray[np.int32], bounds: Bounds, relied: NDArray[np.float64]) -> AgainstOld:
    return AgainstOld(
        features=sample.features,
        values=sample.values,
        target=sample.target,
        weight=sample.weight,
        classes=sample.classes,
        rows=sample.rows,
        n_given=sample.n_given,
        leaf=leaf,
        bounds=bounds,
        relied=relied,
    )


def read_against(old: Ensemble, sample: Sample, named: bool, tolerance: float, relied: ArrayLike | None) -> AgainstOld:
    """Put the rows of a training set to the old tree. O(n * (depth + n_features) + n_nodes).

    Parameters
    ----------
    old : a model of one tree, see ``read_tree``.
    named : whether the sample's columns have real names.
    relied : of the ``n_given`` rows that the sample was taken from, in place of "the old tree is right".

    Raises InvalidInputError for columns and classes that differ, categories, and values that are not finite.
    """
    for feature in sample.features:
        if feature.kind == "categorical":
            raise InvalidInputError(
                f"column {feature.name!r} is categorical, and an interval has no categories; numbers are accepted"
            )
    class_place = np.array(match_classes(Side.of(old, _OLD), _side(sample, named), _OF_VANISHED), np.intp)
    place = place_columns(old, sample, named)
    values = _seen_by(old, sample, place)
    leaf, leaves, first = _numbered(apply(old, values)[:, 0], old.trees[0].n_nodes)
    if relied is None:
        given = answers(old, values[first])[leaf]
        targets = sample.target if old.classes is None else class_place[sample.target]
        right = is_right(given, targets, tolerance).astype(np.float64)
    else:
        right = scaled(row_weights(relied, sample.n_given, "relied"))
        right = right if sample.rows is None else right[sample.rows]
    single = sample.values.dtype == np.float32
    exact = old if single and old.cast == "float32" else in_float64(old)
    found = leaf_bounds(exact.trees[0], leaves, len(place))
    bounds = Bounds(*(_by(part, place) for part in (found.lower, found.upper, found.has_lower, found.has_upper)))
    return _against(sample, leaf, bounds, right)


def place_columns(old: Ensemble, sample: Sample, named: bool) -> NDArray[np.intp]:
    """The old tree's column that each of the sample's columns is; raises InvalidInputError for others."""
    return np.array(match_columns(_side(sample, named), Side.of(old, _OLD)), np.intp)


def _side(sample: Sample, named: bool) -> Side:
    names = [feature.name for feature in sample.features]
    return Side("the new data", names, named, None if sample.classes is None else sample.classes.tolist())


def warn_unrelied(old: Ensemble, relied: ArrayLike | None, stacklevel: int) -> None:
    """Say that there is no explanation to keep to, as is easily so where numbers have to be met exactly."""
    if relied is not None:
        why = "relied is 0 everywhere; pass numbers above 0"
    elif old.classes is None:
        why = "the old model is off by more than the tolerance everywhere; pass a greater tolerance, or relied"
    else:
        why = "the old model answers no row right; pass relied"
    warnings.warn(f"no row is relied on, and what is grown is plain CART: {why}", UserWarning, stacklevel=stacklevel)


def _seen_by(old: Ensemble, sample: Sample, place: NDArray[np.intp]) -> NDArray[np.float64]:
    """The rows as the old tree takes them; raises InvalidInputError for others."""
    given = sample.values.astype(np.float64, copy=False)
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isfinite(given.sum()):  # the sum itself may have been too large
            refuse_infinite(Table(tuple(feature.name for feature in sample.features), given))
    values = _by(given, np.argsort(place))
    if any(feature.kind != "numeric" for feature in old.features):
        values = read_table(values, old.features, named=False, missing=False).values
    if old.limits is None and old.cast == "float64":
        return np.ascontiguousarray(values)
    return old.admit(Table(old.feature_names, values))


def _numbered(node: NDArray[np.int32], n_nodes: int) -> tuple[NDArray[np.int32], NDArray[np.intp], NDArray[np.intp]]:
    """Each row's place among the distinct nodes, these, ascending, and a row of each. O(n + n_nodes)."""
    row = np.full(n_nodes, -1, np.intp)
    row[node] = np.arange(len(node))
    there = row >= 0
    place = np.cumsum(there, dtype=np.int32) - np.int32(1)
    return place[node], np.flatnonzero(there), row[there]


def _by(table: NDArray[Any], place: NDArray[np.intp]) -> NDArray[Any]:
    return table if (place == np.arange(len(place))).all() else np.ascontiguousarray(table[:, place])
