"""Reads a scikit-learn Pipeline of monotone scalers and one tree model, as a model of the original columns.

Each scaler maps a column by itself and never turns an order around (its float operations round monotonically), so
every test ``scaled <= threshold`` is a test ``x <= cut`` of the original number. The cut is found by bisection over
the float64 numbers with the scalers' own ``transform``, and checked on both sides.

Exact for input that reaches the pipeline as float64 (or integers): on float32 input the scalers compute in float32
and may answer differently.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic import errors
from xylogic.convert.own import is_own
from xylogic.convert.sklearn import column_names, is_tree_model, made_up_names, read_trees, unwrap_search
from xylogic.domain.feature import Feature
from xylogic.errors import InvalidModelError, UnsupportedModelError
from xylogic.model.build import make_ensemble, make_tree
from xylogic.model.ensemble import Ensemble
from xylogic.model.tree import Tree

__all__ = ["is_pipeline", "read_pipeline"]

Values = NDArray[np.float64]

SCALERS = ("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler")
_LARGEST = float(np.finfo(np.float64).max)


def is_pipeline(source: Any) -> bool:
    from sklearn.pipeline import Pipeline

    return isinstance(source, Pipeline)


def read_pipeline(source: Any) -> Ensemble:
    """A fitted Pipeline as an Ensemble over its original columns, with ``cast="float64"``.

    Allowed steps are ``"passthrough"``, ``None`` and the scalers named in ``SCALERS``, then a model that
    ``read_trees`` takes, or one of ours. Raises UnsupportedModelError, naming the step, for any other, and
    NotFittedError. O(cuts * 64) scaler evaluations.
    """
    *steps, (last_name, last) = source.steps
    last = unwrap_search(last)
    if not (is_own(last) or is_tree_model(last)):
        raise UnsupportedModelError(
            f"step {last_name!r} of the pipeline is a {type(last).__name__}; its last step has to be a scikit-learn "
            "DecisionTree, ExtraTree, RandomForest or ExtraTrees model, or an xylogic estimator"
        )
    scalers = [_checked_scaler(name, step) for name, step in steps if step is not None and step != "passthrough"]
    inner = last.to_model() if is_own(last) else read_trees(last)
    if not scalers:
        return inner
    n_features = len(inner.features)
    for scaler in scalers:
        if scaler.n_features_in_ != n_features:
            raise InvalidModelError(
                f"{type(scaler).__name__} has {scaler.n_features_in_} columns, the model {n_features}"
            )
    names = column_names(scalers[0])
    limits = _limits(scalers, inner)
    cuts = _original_cuts(scalers, inner, *limits)
    return make_ensemble(
        [_with_cuts(tree, inner, cuts) for tree in inner.trees],
        [Feature(name) for name in names or made_up_names(n_features)],
        inner.classes,
        voting=inner.voting,
        cast="float64",
        accepts_missing=inner.accepts_missing,
        named=names is not None,
        source=f"scikit-learn Pipeline ({', '.join(type(step).__name__ for step in [*scalers, last])})",
        limits=None if inner.accepts_infinite else tuple(zip(limits[0].tolist(), limits[1].tolist(), strict=True)),
    )


def _checked_scaler(name: str, step: Any) -> Any:
    from sklearn import preprocessing

    for known in SCALERS:
        base = getattr(preprocessing, known)
        if isinstance(step, base) and type(step).transform is base.transform:
            if not hasattr(step, "n_features_in_"):
                raise errors.NotFittedError(f"step {name!r} of the pipeline is not fitted; call fit first")
            return step
    raise UnsupportedModelError(
        f"step {name!r} of the pipeline is a {type(step).__name__}; allowed before the model are 'passthrough', None, "
        f"{', '.join(SCALERS)}; or transform the data yourself and pass the last step alone"
    )


class _Chain:
    """The scalers, applied to many numbers at once, each as if it stood in a column of its own choosing."""

    def __init__(self, scalers: list[Any], columns: NDArray[np.intp], cast: str) -> None:
        self.cast = cast
        self.scalers = [self._spread(scaler, columns) for scaler in scalers]

    @staticmethod
    def _spread(scaler: Any, columns: NDArray[np.intp]) -> Any:
        """A copy of ``scaler`` whose column i is the original's column ``columns[i]``; it takes plain arrays."""
        made = copy.copy(scaler)
        vars(made).pop("feature_names_in_", None)
        vars(made).pop("_sklearn_output_config", None)
        for name, value in list(vars(made).items()):
            if isinstance(value, np.ndarray) and value.shape == (scaler.n_features_in_,):
                setattr(made, name, value[columns])
        made.n_features_in_ = len(columns)
        return made

    def __call__(self, x: Values) -> Values:
        """What the trees see, rounded as they round; the shape of ``x``. What the pipeline refuses becomes +-inf."""
        for scaler in self.scalers:
            known = np.isfinite(x)
            with np.errstate(all="ignore"):
                scaled = np.asarray(scaler.transform(np.where(known, x, 0.0)[np.newaxis]))[0]
            x = np.where(known, scaled, x)
        with np.errstate(over="ignore", under="ignore"):
            return x.astype(self.cast).astype(np.float64)


def _limits(scalers: list[Any], inner: Ensemble) -> tuple[Values, Values]:
    """Per column the lowest and highest float64 that the pipeline accepts."""
    columns = np.arange(len(inner.features))
    chain = _Chain(scalers, columns, inner.cast)
    nothing = np.isnan(chain(np.zeros(len(columns))))  # a scaler that saw NaN only answers NaN to everything
    for column in np.flatnonzero(nothing):
        if inner.features[column].cuts or not inner.accepts_missing:
            raise UnsupportedModelError(f"the pipeline's scalers turn every number in column {column} into NaN")
    if inner.accepts_infinite:  # and scalers refuse infinite numbers only before they scale
        return np.full(len(columns), -_LARGEST), np.full(len(columns), _LARGEST)
    high = _largest(lambda x: chain(x) < np.inf, len(columns))
    below = _largest(lambda x: chain(x) == -np.inf, len(columns))  # -inf where no number is too low
    low = np.where(below == -np.inf, -_LARGEST, np.nextafter(below, np.inf))
    return np.where(nothing, -_LARGEST, low), np.where(nothing, _LARGEST, np.minimum(high, _LARGEST))


def _original_cuts(scalers: list[Any], inner: Ensemble, low: Values, high: Values) -> list[Values]:
    """Per column, for each of the model's cuts the largest original number that goes left; -inf none, +inf all do."""
    counts = [len(feature.cuts) for feature in inner.features]
    columns = np.repeat(np.arange(len(counts)), counts)
    cuts = np.array([cut for feature in inner.features for cut in feature.cuts], dtype=np.float64)
    chain = _Chain(scalers, columns, inner.cast)
    found = _largest(lambda x: chain(x) <= cuts, len(columns))
    found = np.where(found >= high[columns], np.inf, np.where(found < low[columns], -np.inf, found))
    parts = np.split(found, np.cumsum(counts)[:-1])
    if any((part[1:] < part[:-1]).any() for part in parts):
        raise UnsupportedModelError("a scaler in the pipeline does not keep the order of numbers")
    return parts


def _largest(holds: Callable[[Values], NDArray[np.bool_]], n: int) -> Values:
    """For n conditions that hold up to some number and not above: the largest float64 where each holds, -inf for none.

    Bisection over the ordered bit patterns; on return each condition was seen to hold there and to fail one ulp above.
    """
    if n == 0:
        return np.zeros(0)
    low, high = np.full(n, _ordinal(-_LARGEST)), np.full(n, _ordinal(_LARGEST))
    holds_low, holds_high = holds(_number(low)), holds(_number(high))
    if (holds_high & ~holds_low).any():
        raise UnsupportedModelError("a scaler in the pipeline turns the order of numbers around")
    for _ in range(64):
        middle = (low >> 1) + (high >> 1) + (low & high & 1)
        held = holds(_number(middle))
        low, high = np.where(held, middle, low), np.where(held, high, middle)
    return np.where(holds_high, np.inf, np.where(holds_low, _number(low), -np.inf))


def _ordinal(x: float) -> np.int64:
    """The place of ``x`` among all float64 numbers, in ascending order; -0.0 stands just before 0.0."""
    bits = np.float64(x).view(np.int64)
    return bits ^ ((bits >> 63) & np.int64(2**63 - 1))


def _number(ordinal: NDArray[np.int64]) -> Values:
    """The number at a place; the inverse of ``_ordinal``."""
    return (ordinal ^ ((ordinal >> 63) & np.int64(2**63 - 1))).view(np.float64)


def _with_cuts(tree: Tree, inner: Ensemble, cuts: list[Values]) -> Tree:
    """``tree`` with the cuts of ``inner.features`` replaced by ``cuts``, in float64."""
    threshold = tree.cut.copy()
    for column in np.unique(tree.feature[tree.left >= 0]):
        tested = (tree.feature == column) & np.isfinite(tree.cut)
        threshold[tested] = cuts[column][np.searchsorted(inner.features[column].cuts, tree.cut[tested])]
    return make_tree(
        tree.feature, threshold, tree.left, tree.right, tree.value,
        missing=tree.missing, cast="float64", n_features=len(inner.features),
    )  # fmt: skip
