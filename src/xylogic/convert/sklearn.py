"""Reads scikit-learn's decision trees and forests; seen in the sources of scikit-learn 1.9.

It rounds every input to float32, compares ``x <= threshold`` with the float64 threshold, and takes the float64 mean
of the leaf values, added in tree order. With ``n_jobs`` above 1 it adds in any order: compare with ``n_jobs=1``.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic import errors
from xylogic.domain.feature import Feature
from xylogic.errors import InvalidModelError, UnsupportedModelError
from xylogic.model.build import make_ensemble, make_tree
from xylogic.model.ensemble import Ensemble
from xylogic.model.tree import Tree

__all__ = [
    "class_shares",
    "column_names",
    "is_known_version",
    "is_tree_model",
    "made_up_names",
    "read_trees",
    "single_threaded",
    "unwrap_search",
]


NEWEST_KNOWN = (1, 9)


def unwrap_search(source: Any) -> Any:
    """The best estimator inside a fitted GridSearchCV or the like; anything else as it is."""
    while hasattr(source, "best_estimator_"):
        source = source.best_estimator_
    if hasattr(source, "param_grid") or hasattr(source, "param_distributions"):
        if getattr(source, "refit", True) is False:
            raise UnsupportedModelError(
                f"this {type(source).__name__} has refit=False and so no best_estimator_ to read"
            )
        raise errors.NotFittedError(f"this {type(source).__name__} is not fitted; call fit first")
    return source


def is_known_version() -> bool:
    """Whether the scikit-learn in use is one that this reader was tested with."""
    import sklearn

    major, minor = sklearn.__version__.split(".")[:2]
    return (int(major), int(minor)) <= NEWEST_KNOWN


def single_threaded(estimator: Any) -> Any:
    """A shallow copy that predicts with ``n_jobs=1``, so that sums run in tree order; a Pipeline's last step too."""
    made = copy.copy(estimator)
    if hasattr(made, "steps"):
        name, last = made.steps[-1]
        made.steps = [*made.steps[:-1], (name, single_threaded(unwrap_search(last)))]
    elif hasattr(made, "n_jobs"):
        made.n_jobs = 1
    return made


def is_tree_model(estimator: Any) -> bool:
    """Whether ``estimator`` is one of the tree models read here, or of a class derived from one."""
    from sklearn import ensemble, tree

    forests = ("RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor")
    kinds = (tree.DecisionTreeClassifier, tree.DecisionTreeRegressor, *(getattr(ensemble, name) for name in forests))
    return isinstance(estimator, kinds)  # the ExtraTree classes derive from the DecisionTree ones


def read_trees(estimator: Any) -> Ensemble:
    """A fitted DecisionTree, ExtraTree, RandomForest or ExtraTrees model, classifier or regressor, as an Ensemble.

    Raises NotFittedError before ``fit``, UnsupportedModelError for several outputs, InvalidModelError where the trees
    do not fit together. O(n_nodes log n_nodes).
    """
    members = tree_estimators(estimator)
    labels = class_labels(estimator)
    n_features = int(estimator.n_features_in_)
    takes_nan = accepts_missing(members[0])
    trees = [
        _read_tree(
            member.tree_, n_features, None if labels is None else len(labels), takes_nan, where=f"tree {position}"
        )
        for position, member in enumerate(members)
    ]
    names = column_names(estimator)
    return make_ensemble(
        trees,
        [Feature(name) for name in names or made_up_names(n_features)],
        labels,
        voting="average",
        cast="float32",
        accepts_missing=takes_nan,
        named=names is not None,
        source=f"scikit-learn {type(estimator).__name__}",
    )


def tree_estimators(estimator: Any) -> list[Any]:
    """The fitted single trees in ``estimator``, itself if it is one."""
    members = list(estimator.estimators_) if hasattr(estimator, "estimators_") else [estimator]
    if not all(hasattr(member, "tree_") for member in members):
        raise errors.NotFittedError(f"this {type(estimator).__name__} is not fitted; call fit first")
    if not members:
        raise InvalidModelError(f"this {type(estimator).__name__} has no trees; at least one is needed")
    if estimator.n_outputs_ != 1:
        raise UnsupportedModelError(
            f"this {type(estimator).__name__} has {estimator.n_outputs_} outputs; models of one output are accepted"
        )
    return members


def accepts_missing(member: Any) -> bool:
    """Whether the source's ``predict`` takes NaN; scikit-learn asks this of a forest's first tree."""
    supports = getattr(member, "_support_missing_values", None)
    return bool(supports is not None and supports(np.zeros((1, 1), dtype=np.float32)))


def column_names(estimator: Any) -> list[str] | None:
    """The column names seen by ``fit``, or ``None``."""
    names = getattr(estimator, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def made_up_names(n_features: int) -> list[str]:
    return [f"x{position}" for position in range(n_features)]


def class_labels(estimator: Any) -> list[Any] | None:
    """The class labels as Python scalars, or ``None`` for a regressor."""
    if not hasattr(estimator, "classes_"):
        return None
    labels = np.asarray(estimator.classes_)
    if labels.dtype.kind not in "biufUO":
        raise UnsupportedModelError(
            f"class labels of dtype {labels.dtype}; numbers, text, booleans and objects are accepted"
        )
    return [label.item() if isinstance(label, np.generic) else label for label in labels.tolist()]


def _read_tree(source: Any, n_features: int, n_classes: int | None, takes_nan: bool, *, where: str) -> Tree:
    if source.n_features != n_features:
        raise InvalidModelError(f"{where} was fitted on {source.n_features} columns, the model on {n_features}")
    value: NDArray[np.float64] = source.value[:, 0, :]
    if n_classes is not None:
        if source.n_classes[0] != n_classes:
            raise InvalidModelError(f"{where} knows {source.n_classes[0]} classes, the model {n_classes}")
        value = class_shares(value)
    left = source.children_left
    missing = np.where(source.missing_go_to_left, 1, 2) if takes_nan else np.zeros(len(left), dtype=np.int64)
    return make_tree(
        source.feature, source.threshold, left, source.children_right, value,
        missing=missing, cast="float32", n_features=n_features, where=where,
    )  # fmt: skip


def class_shares(value: NDArray[np.float64]) -> NDArray[np.float64]:
    """Class probabilities per node from ``tree_.value``, (n_nodes, n_classes), bit for bit as ``predict_proba``.

    Since 1.3 the rows are shares and are answered as they are; before, they were weighted counts, which
    ``predict_proba`` divided by their sum.
    """
    total = value.sum(axis=1)
    if np.allclose(total, 1.0, rtol=0.0, atol=1e-6):
        return value
    total[total == 0.0] = 1.0
    return value / total[:, np.newaxis]
