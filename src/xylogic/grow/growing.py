"""From an estimator's parameters to what the grower takes, and from grown trees to a model."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.errors import InvalidInputError
from xylogic.grow.base import Sample
from xylogic.grow.columns import Columns, read_columns
from xylogic.grow.grower import Limits
from xylogic.grow.grown import Grown
from xylogic.grow.parameters import monotone_signs, number_of_features, number_of_rows, plain
from xylogic.model.build import make_ensemble
from xylogic.model.ensemble import Ensemble
from xylogic.model.tree import Tree

__all__ = ["estimator_model", "growth_limits", "importances", "sample_columns", "with_values"]

_MODES = {"best": "exact", "random": "random", "hist": "hist"}


def sample_columns(estimator: Any, sample: Sample) -> Columns:
    """The sample's columns, ranked as ``splitter`` wants them."""
    return read_columns(
        sample.values,
        sample.features,
        mode=_MODES[estimator.splitter],
        max_bins=estimator.max_bins,
        max_features=number_of_features(estimator.max_features, len(sample.features)),
    )


def growth_limits(estimator: Any, sample: Sample, weight: float) -> Limits:
    """The limits of growth that the parameters stand for; ``weight``: of the rows that the tree is grown on."""
    n_classes = None if sample.classes is None else len(sample.classes)
    signs = monotone_signs(estimator.monotonic_cst, sample.features, n_classes)
    if signs is not None and estimator.missing == "surrogate":
        raise InvalidInputError(
            f"monotonic_cst is {str(estimator.monotonic_cst)[:80]}; with missing='surrogate', where rows with missing "
            "values come to a child after the split is chosen, None is accepted"
        )
    leaf = number_of_rows(estimator.min_samples_leaf, sample.n_rows)
    return Limits(
        max_depth=estimator.max_depth,
        min_samples_split=max(2, number_of_rows(estimator.min_samples_split, sample.n_rows), 2 * leaf),
        min_samples_leaf=leaf,
        min_weight_leaf=plain(estimator.min_weight_fraction_leaf) * weight,
        min_impurity_decrease=plain(estimator.min_impurity_decrease),
        max_leaf_nodes=estimator.max_leaf_nodes,
        max_features=number_of_features(estimator.max_features, len(sample.features)),
        zero_gain=estimator.zero_gain == "accept",
        monotone=signs,
        missing=estimator.missing,
        max_surrogates=estimator.max_surrogates,
    )


def with_values(grown: Grown, value: NDArray[np.float64]) -> Grown:
    """The same tree with other constants: float64 (n_nodes, n_outputs)."""
    leaves = (grown.tree.left < 0)[:, np.newaxis]
    return replace(grown, tree=replace(grown.tree, value=np.where(leaves, value, 0.0)), value=value)


def importances(grown: Grown, n_features: int) -> NDArray[np.float64]:
    """Each feature's part of the impurity that all splits remove: float64 (n_features,), of sum 1 or all zero."""
    tree = grown.tree
    inner = tree.left >= 0
    gain = np.bincount(tree.feature[inner], weights=grown.gain[inner], minlength=n_features)
    total = float(gain.sum())
    return np.asarray(gain / total if total > 0 else gain)


def estimator_model(estimator: Any, trees: Iterable[Tree], classes: Iterable[Hashable] | None, voting: str) -> Ensemble:
    """A fitted estimator's trees as an ``Ensemble``."""
    return make_ensemble(
        list(trees),
        estimator.features_,
        None if classes is None else [label.item() if isinstance(label, np.generic) else label for label in classes],
        voting=voting,
        cast=estimator._cast,
        accepts_missing=True,
        accepts_infinite=True,
        named=hasattr(estimator, "feature_names_in_"),
        source=f"xylogic {type(estimator).__name__}",
    )
