"""``update_forest``: a forest whose trees keep to the explanations of an old forest's trees."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from xylogic.convert.read import read_model
from xylogic.errors import InvalidInputError, UnsupportedModelError
from xylogic.grow.base import Sample
from xylogic.grow.columns import Columns
from xylogic.grow.forest_base import Forest
from xylogic.grow.recipe import Aim
from xylogic.grow.target import Target, Weights
from xylogic.model.build import feature_cuts
from xylogic.model.ensemble import Ensemble
from xylogic.update.against import AgainstOld, read_against, warn_unrelied
from xylogic.update.dissimilarity import check_jlu, check_kind
from xylogic.update.estimators import STRENGTH
from xylogic.update.gain import compatible_target
from xylogic.update.reading import finite_values, read_tree
from xylogic.update.relied import check_tolerance, relied_rows

__all__ = ["single_trees", "update_forest"]

# What plain forests may be told besides, and these may not.
_ACCEPTED: dict[str, tuple[Any, ...]] = {
    "splitter": ("best",),
    "monotonic_cst": (None,),
    "warm_start": (False,),
    "criterion": ("gini", "entropy", "log_loss", "misclassification", "squared_error"),
    "priors": (None,),
    "loss_matrix": (None,),
}


def update_forest(
    est: Any,
    old: Any,
    X: Any,
    y: Any,
    *,
    dissimilarity: str = "mse",
    strength: float = 0.005,
    tolerance: float = 0.0,
    jlu: str = "pooled",
    max_features: int | float | str | None = None,
    sample_weight: ArrayLike | None = None,
    relied: ArrayLike | None = None,
) -> Any:
    """Grow a forest that replaces an old one, each tree against a tree of the old forest.

    Tree t is grown, on its own draws, for its loss and for keeping to the explanations of old tree t (modulo the number
    of old trees). Nothing makes trees of one position alike beforehand; growth does. Rows count where the old *forest*
    answers right, for every tree.

    Parameters
    ----------
    est : a ``RandomForestClassifier`` or ``RandomForestRegressor`` of xylogic's, fitted or not, whose parameters the
        new forest has but for ``max_features`` and ``zero_gain="refuse"``; it is not changed.
    old : the old forest, anything ``read_model`` takes whose trees vote or are averaged, over columns of numbers.
    X, y, sample_weight : the new data, as in ``fit``; finite numbers.
    dissimilarity, strength, tolerance, jlu : as of ``CompatibleTreeClassifier`` and ``CompatibleTreeRegressor``.
    max_features : columns looked at for a split, in place of those of ``est``: all, so that a tree can always use the
        columns of its old tree. Where they are drawn, few splits may gain, and trees end early. The new trees are as
        unlike each other as the old ones are, and their draws.
    relied : n numbers from 0 up, in place of "the old forest is right".

    Returns
    -------
    A fitted forest of the kind of ``est``. With ``strength=0`` it is ``est`` with ``max_features``
    and ``zero_gain="refuse"``.

    Raises InvalidInputError (parameters, columns and classes that are not the old forest's, missing and infinite
    values) and UnsupportedModelError (an old model whose trees are added up, categorical columns). Warns where nobody
    relies on any row.

    Notes
    -----
    A heuristic of xylogic's: "Backward Compatibility in Tree-Based Explanations and Enhanced CART Algorithm" is about
    single trees. A forest explains by no interval, so that what is kept are the explanations of its trees.
    """
    from sklearn.base import clone

    if not isinstance(est, Forest) or isinstance(est, type):
        raise InvalidInputError(f"est is {est!r}; a RandomForestClassifier or RandomForestRegressor is accepted")
    if getattr(est, "class_weight", None) == "balanced_subsample":
        raise InvalidInputError("class_weight is 'balanced_subsample'; with an old forest, 'balanced' is accepted")
    check_kind(dissimilarity)
    check_jlu(jlu)
    check_tolerance(tolerance)
    if not STRENGTH.holds(strength):
        raise InvalidInputError(f"strength is {strength!r}; {STRENGTH.words} is accepted")
    for name, accepted in _ACCEPTED.items():
        value = getattr(est, name, None)
        if not any(value is one or (isinstance(value, str | bool) and value == one) for one in accepted):
            raise InvalidInputError(
                f"{name} is {value!r}; with an old forest, {' or '.join(map(repr, accepted))} is accepted"
            )
    model = read_model(old)
    trees = single_trees(model)
    counts = relied_rows(model, finite_values(model, X), y, tolerance, relied)
    against = _Against(trees, counts, bool(est.bootstrap), dissimilarity, float(strength), jlu)
    unfitted = clone(est).set_params(zero_gain="refuse", max_features=max_features)
    made = _grown(unfitted, X, y, sample_weight, against)
    if strength and not counts.any():
        warn_unrelied(model, relied, stacklevel=3)
    return made


def single_trees(model: Ensemble) -> list[Ensemble]:
    """Each tree of a forest as a model of its own; raises UnsupportedModelError where trees are added up."""
    if model.voting == "sum" and model.n_trees > 1:
        raise UnsupportedModelError(
            "the old model adds its trees up, and one of them alone answers nothing; forests that vote or average are "
            "accepted"
        )
    m = len(model.features)
    found = []
    for tree in model.trees:
        cuts = feature_cuts([tree], m)
        features = tuple(replace(feature, cuts=own) for feature, own in zip(model.features, cuts, strict=True))
        found.append(read_tree(replace(model, trees=(tree,), features=features), "the old forest"))
    return found


class _Against:
    """The trees of the old forest, and how much keeping to them counts."""

    def __init__(
        self, trees: list[Ensemble], relied: ArrayLike, drawn: bool, kind: str, strength: float, jlu: str
    ) -> None:
        self.trees, self.relied, self.drawn = trees, relied, drawn
        self.kind, self.strength, self.jlu = kind, strength, jlu

    def aim(self, sample: Sample, columns: Columns, named: bool) -> Aim:
        """What each tree of the new forest is grown for."""
        known: list[AgainstOld] = [read_against(tree, sample, named, 0.0, self.relied) for tree in self.trees]

        def aim(
            position: int, target: Target, rows: NDArray[np.int32] | None, weight: NDArray[np.float64] | None
        ) -> Target:
            against = known[position % len(known)]
            if self.drawn and rows is not None and weight is not None:  # weights: how often rows were drawn
                against = replace(against, weight=weight)
                target = replace(target, weights=Weights.of(weight[rows]).among(rows, len(weight)))
            return compatible_target(
                target, against, columns, rows, kind=self.kind, jlu=self.jlu, strength=self.strength
            )

        return aim


def _grown(made: Any, X: Any, y: Any, sample_weight: ArrayLike | None, against: _Against) -> Any:
    """The forest ``made``, fitted."""

    def aim(sample: Sample, columns: Columns | None) -> Aim:
        if columns is None:
            raise InvalidInputError("missing is 'fractional'; with an old forest, any other rule is accepted")
        return against.aim(sample, columns, hasattr(made, "feature_names_in_"))

    made._aim, made._keeps_classes = aim, lambda: True  # of this forest alone, while it is grown
    try:
        return made.fit(X, y, sample_weight)
    finally:
        del made._aim, made._keeps_classes
