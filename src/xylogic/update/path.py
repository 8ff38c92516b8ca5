"""``update_path``: what the strength of compatibility costs and brings, and which one to take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from xylogic.checks import listed
from xylogic.convert.read import read_model
from xylogic.errors import InvalidInputError
from xylogic.grow.growing import sample_columns
from xylogic.grow.parameters import number, plain
from xylogic.grow.prune import fold_rows
from xylogic.grow.single import fitted_on, read_sample
from xylogic.update.compatibility import Compatibility
from xylogic.update.dissimilarity import KINDS
from xylogic.update.estimators import STRENGTH, CompatibleTree, CompatibleTreeClassifier, CompatibleTreeRegressor

__all__ = ["UpdatePath", "update_path"]

_Floats = NDArray[np.float64]
_BUDGET = number(0)


@dataclass(frozen=True, eq=False)
class UpdatePath:
    """Trees of rising strength, measured on rows that they were not grown on. The first one is plain CART.

    Attributes
    ----------
    strengths : float64 (n,), ascending from 0.
    dissimilarity : what the trees were grown by.
    loss_name : ``"error rate"`` or ``"mean squared error"``.
    loss, bcp, jac, jlu, mae, mse : float64 (n,), means over the folds; NaN where no fold has a row that the old tree
        answers right. ``bcp``: of the rows that were right, the share that still is.
    leaves : float64 (n,), the mean number.
    old_loss : of the old tree on the same rows.
    by_fold : name -> float64 (n, n_folds), of all of these.
    estimator : an unfitted tree; ``fitted`` sets its strength.
    """

    strengths: _Floats
    dissimilarity: str
    loss_name: str
    old_loss: float
    by_fold: dict[str, _Floats]
    estimator: CompatibleTree

    def __getattr__(self, name: str) -> _Floats:
        if name in _MEASURES:
            return _means(self.by_fold[name])
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def best(self, max_loss_increase: float = 0.01) -> float:
        """The strength of the least mean dissimilarity among those whose loss is within a budget.

        ``max_loss_increase``: how much more than plain CART's the mean loss may be; error rates in their own units, of
        mean squared errors the part of CART's. Of equally dissimilar ones the lowest strength. Strength 0 is always
        within the budget.

        Raises InvalidInputError unless the budget is a number >= 0.
        """
        if not _BUDGET.holds(max_loss_increase):
            raise InvalidInputError(f"max_loss_increase is {max_loss_increase!r}; {_BUDGET.words} is accepted")
        loss, drift = self.loss, getattr(self, self.dissimilarity)
        unit = 1.0 if self.loss_name == "error rate" else float(loss[0])
        within = loss <= loss[0] + plain(max_loss_increase) * unit + 1e-12
        if np.isnan(drift).all():
            return float(self.strengths[0])
        return float(self.strengths[int(np.nanargmin(np.where(within, drift, np.inf)))])

    def fitted(self, X: Any, y: Any, *, max_loss_increase: float = 0.01) -> CompatibleTree:
        """The tree of the strength that ``best`` chooses, grown on all of X and y."""
        from sklearn.base import clone

        made: CompatibleTree = clone(self.estimator).set_params(strength=self.best(max_loss_increase)).fit(X, y)
        return made

    def __str__(self) -> str:
        head = (
            f"{'strength':>10} {self.loss_name:>20} {'bcp':>9} "
            + " ".join(f"{kind:>9}" for kind in KINDS)
            + "   leaves"
        )
        columns = [self.loss, self.bcp, *(getattr(self, kind) for kind in KINDS)]
        lines = [head]
        for place, strength in enumerate(self.strengths.tolist()):
            numbers = [column[place] for column in columns]
            cells = [f"{numbers[0]:20.6g}", *(f"{number:9.4g}" for number in numbers[1:])]
            lines.append(f"{strength:10.4g} " + " ".join(cells) + f" {self.leaves[place]:8.1f}")
        return "\n".join([*lines, f"old tree: {self.loss_name} {self.old_loss:.6g}"])

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        found = {name: [None if np.isnan(v) else float(v) for v in getattr(self, name)] for name in _MEASURES}
        return {
            "dissimilarity": self.dissimilarity,
            "loss_name": self.loss_name,
            "old_loss": self.old_loss,
            "strengths": self.strengths.tolist(),
            **found,
        }


_MEASURES = ("loss", "bcp", *KINDS, "leaves")


def _means(by_fold: _Floats) -> _Floats:
    """Over the folds that have a number."""
    known = ~np.isnan(by_fold)
    total = np.where(known, by_fold, 0.0).sum(axis=1)
    with np.errstate(invalid="ignore"):
        return np.asarray(total / known.sum(axis=1))


def update_path(
    old: Any,
    X: Any,
    y: ArrayLike,
    strengths: Sequence[float] = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0),
    *,
    cv: Any = 5,
    dissimilarity: str = "mse",
    tolerance: float = 0.0,
    groups: ArrayLike | None = None,
    **options: Any,
) -> UpdatePath:
    """Grow compatible trees of several strengths, and measure each on rows that it was not grown on.

    Parameters
    ----------
    old : the old tree, as of ``CompatibleTreeClassifier``.
    X, y : the new data, as ``CompatibleTreeClassifier`` takes them; for an old regression tree, as the regressor does.
    strengths : numbers >= 0, in units of the loss: the default ones fit error rates, and ``y`` of about unit variance.
        0, which is plain CART, is added. Trees grow larger with them, see ``leaves``.
    cv, groups : as in scikit-learn: a number of folds (stratified for classes, not shuffled), a splitter, or (train,
        test) pairs of row positions or masks. A training part may lack a class.
    dissimilarity, tolerance, options : of the trees; all four measures are reported.

    Raises
    ------
    InvalidInputError, and whatever ``fit`` and ``compatibility`` raise.

    Warns
    -----
    UserWarning, where nobody relies on any row: every tree is plain CART, and there is nothing to choose by.

    Notes
    -----
    The trajectories of Figures 2 to 4 of "Backward Compatibility in Tree-Based Explanations and Enhanced CART
    Algorithm"; bounds are measured by each training part. As many trees as folds times strengths, grown on parts of one
    training set that is read once, with one seed.
    """
    levels = _strengths(strengths)
    if "strength" in options:
        raise InvalidInputError(f"strength is {options['strength']!r}; here strengths, a sequence, is accepted")
    model = read_model(old)
    shared = {"dissimilarity": dissimilarity, "strength": float(levels[-1]), **options}
    tree: Any = (
        CompatibleTreeRegressor(model, tolerance=tolerance, **shared)
        if model.classes is None
        else CompatibleTreeClassifier(model, **shared)
    )
    found: list[list[Compatibility]] = []
    leaves: list[list[int]] = []
    reader, sample = read_sample(tree, X, y)
    rows = reader.rows_for_old(sample)
    truth = sample.target if sample.classes is None else sample.classes[sample.target]
    columns, seed = sample_columns(reader, sample), reader._seed()
    for train, test in fold_rows(reader, cv, y, sample, groups):
        found.append([])
        leaves.append([])
        for strength in levels.tolist():
            reader.set_params(strength=strength)
            grown = fitted_on(reader, sample, rows=train, columns=columns, seed=seed)
            found[-1].append(grown.compatibility(rows[test], truth[test], reference=rows[train]))
            leaves[-1].append(grown.get_n_leaves())
    by_fold = {
        name: np.array([[getattr(one, name) for one in fold] for fold in found], dtype=np.float64).T
        for name in ("loss", "bcp", *KINDS)
    }
    by_fold["leaves"] = np.array(leaves, dtype=np.float64).T
    old_loss = float(np.mean([fold[0].old_loss for fold in found]))
    from sklearn.base import clone

    return UpdatePath(levels, dissimilarity, found[0][0].loss_name, old_loss, by_fold, clone(tree))


def _strengths(given: Sequence[float]) -> _Floats:
    levels = listed("strengths", given, "a sequence of numbers")
    for level in levels:
        if not STRENGTH.holds(level):
            raise InvalidInputError(f"strengths is {repr(given)[:80]}: {level!r}; {STRENGTH.words} is accepted")
    return np.unique(np.array([*levels, 0.0], dtype=np.float64))
