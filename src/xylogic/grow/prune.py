"""Pruning fitted trees: at a given alpha, at one chosen by cross-validation, or on a validation set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from xylogic.checks import check_choice
from xylogic.errors import InvalidInputError, NotFittedError
from xylogic.grow.base import Sample
from xylogic.grow.growing import sample_columns
from xylogic.grow.grown import Grown
from xylogic.grow.pruning import RISKS, PruningPath, collapsed, pruning_path
from xylogic.grow.scoring import HeldOut, node_losses, path_scores
from xylogic.grow.single import Single, grow_single

__all__ = [
    "CANDIDATES",
    "RULES",
    "PruningResult",
    "candidate_alphas",
    "chosen_place",
    "fold_rows",
    "prune",
    "prune_by_folds",
    "prune_cv",
    "prune_reduced_error",
    "standard_errors",
    "unfitted",
]

_Floats = NDArray[np.float64]
Folds = Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]]  # rows to grow on and to test on

RULES = ("best", "1se")
CANDIDATES = ("path", "midpoints")
_TIE = 1e-12  # mean scores closer than this are equal


@dataclass(frozen=True, eq=False, slots=True)
class PruningResult:
    """What ``prune_cv`` has found.

    Attributes
    ----------
    alphas : float64 (n,), the candidates, ascending.
    leaves : int64 (n,), of the tree of all rows at each.
    scores : float64 (n,), the mean held-out accuracy or R².
    errors : float64 (n,), the standard error of that mean over the folds.
    fold_scores : float64 (n, n_folds).
    best_alpha : the alpha chosen.
    risk, rule : as given.
    estimator : the tree of all rows, pruned at ``best_alpha``; its ``ccp_alpha`` is that where ``risk`` is "impurity".
    """

    alphas: _Floats
    leaves: NDArray[np.int64]
    scores: _Floats
    errors: _Floats
    fold_scores: _Floats
    best_alpha: float
    risk: str
    rule: str
    estimator: Any

    def __repr__(self) -> str:
        place = int(np.flatnonzero(self.alphas == self.best_alpha)[0])
        return (
            f"<PruningResult: best_alpha {self.best_alpha:.6g} of {len(self.alphas)}, {self.leaves[place]} leaves, "
            f"held-out score {self.scores[place]:.4f} +- {self.errors[place]:.4f}, risk {self.risk}, rule {self.rule}>"
        )


def prune(est: Any, alpha: float | None = None, *, nodes: Sequence[int] | None = None, risk: str = "impurity") -> Any:
    """A fitted copy of the tree ``est``, pruned; ``est`` itself, and its training set, are not touched.

    Parameters
    ----------
    est : a fitted ``DecisionTreeClassifier`` or ``DecisionTreeRegressor``.
    alpha : the price of a leaf, per unit of training weight as in scikit-learn: the smallest tree of least cost is
        taken, in which splits that do not lower the risk are gone even at 0.
    nodes : instead of ``alpha``, the nodes of ``tree_`` that become leaves.
    risk : what ``alpha`` is weighed against: ``"impurity"``, or ``"mistakes"``, the share of wrong training rows, or
        with a loss matrix what they cost.

    Raises
    ------
    InvalidInputError
        For an ``alpha`` that is negative or NaN, unknown nodes, both or neither of them, and other estimators.
    NotFittedError

    Notes
    -----
    O(n_nodes log n_nodes).
    """
    grown = _grown(est)
    if alpha is not None and nodes is None:
        path = Single(grown, est._costs).path(risk)
        return est._pruned_to(path.kept(path.place(alpha)))
    if nodes is not None and alpha is None:
        return est._pruned_to(collapsed(grown, nodes))
    raise InvalidInputError("one of alpha and nodes is needed, and not both")


def prune_reduced_error(est: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
    """A fitted copy of the tree ``est``, pruned by the errors on a validation set; ``est`` itself is not touched.

    A node becomes a leaf where that loses no more on these rows than the best pruning below it: of all pruned trees
    with the fewest mistakes (of numbers, the least squared error) this is the smallest one (J. R. Quinlan,
    "Simplifying decision trees", International Journal of Man-Machine Studies 27, 1987).

    Parameters
    ----------
    est : a fitted ``DecisionTreeClassifier`` or ``DecisionTreeRegressor``.
    X, y, sample_weight : rows that ``est`` was not fitted on; rows of weight 0 change nothing.

    Raises
    ------
    InvalidInputError
        For other estimators, for tables that ``est`` refuses, and for ``missing="fractional"``, where a row has no
        leaf of its own.
    NotFittedError

    Notes
    -----
    O(n * depth + n_nodes log n_nodes).
    """
    grown = _grown(est)
    rows = _validation_rows(est, X, y, sample_weight)
    path = pruning_path(grown, node_losses(grown, rows, est._costs.decide if hasattr(est, "classes_") else None))
    return est._pruned_to(path.kept(0))


def prune_cv(
    est: Any,
    X: Any,
    y: ArrayLike,
    cv: Any = 5,
    rule: str = "best",
    candidates: str = "path",
    *,
    risk: str = "impurity",
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> PruningResult:
    """Choose the alpha of cost-complexity pruning by cross-validation, in as many fits as there are folds and one.

    Parameters
    ----------
    est : a ``DecisionTreeClassifier`` or ``DecisionTreeRegressor``, fitted or not; it is not changed, and its
        ``ccp_alpha`` not used.
    X, y : the training set.
    cv : as in scikit-learn: a number of folds (stratified for classifiers, not shuffled), a splitter, or (train, test)
        pairs of row positions.
    rule : ``"best"``, the smallest alpha of the best mean score; ``"1se"``, the largest whose mean is at most one
        standard error (of the best one, over the folds) below it.
    candidates : ``"path"``, the alphas of the path of all rows; ``"midpoints"``, the geometric means of neighbours
        (Breiman et al., 1984, 3.4.2), the last alpha standing for itself.
    risk : as in ``prune``.
    sample_weight : float (n,); counts in growing, in the risk and in the held-out scores. Rows of weight 0 are left
        out before the folds are made.
    groups : for splitters that want them.

    Returns
    -------
    PruningResult; scores are accuracies, of regressors R².

    Raises
    ------
    InvalidInputError
        For other estimators and other values, and for a fold without rows of positive weight.

    Notes
    -----
    Each fold's tree is grown once; one sweep over its held-out rows scores all trees of its path, so that the cost
    does not depend on the number of candidates. The result is that of a grid search over ``ccp_alpha``.
    """
    for name, value, accepted in (("rule", rule, RULES), ("candidates", candidates, CANDIDATES), ("risk", risk, RISKS)):
        check_choice(name, value, accepted)
    whole = unfitted(est)
    sample = whole._begin(X, y, sample_weight)
    return prune_by_folds(whole, sample, fold_rows(whole, cv, y, sample, groups), rule, candidates, risk)


def prune_by_folds(
    whole: Any, sample: Sample, folds: Folds, rule: str = "best", candidates: str = "path", risk: str = "impurity"
) -> PruningResult:
    """``prune_cv`` of an unfitted tree that has read ``sample``, which it is changed by; ``folds`` as of ``fold_rows``.

    Trees of folds have the classes of the whole sample.
    """
    for number, (_, test) in enumerate(folds):
        if sample.classes is None and len(test) < 2:
            raise InvalidInputError(f"fold {number} of cv has one row to test on; R2 needs at least 2")
    columns = sample_columns(whole, sample)
    seed = whole._seed()
    grown, costs = single = grow_single(whole, sample, columns=columns, seed=seed)
    path = single.path(risk)
    alphas = candidate_alphas(path, candidates)
    held_out = HeldOut.of(sample.values, sample.target, sample.weight)
    decide = None if sample.classes is None else costs.decide
    by_fold = []
    for train, test in folds:
        fold = grow_single(whole, sample, rows=train, columns=columns, seed=seed)
        fold_path = fold.path(risk)
        scores = path_scores(fold.grown, fold_path, held_out.part(test), decide)
        by_fold.append(scores[fold_path.places(alphas)])
    fold_scores = np.array(by_fold).T
    scores, errors = fold_scores.mean(axis=1), standard_errors(fold_scores)
    best = chosen_place(scores, errors, rule)
    whole._keep(grown, costs, sample)
    chosen = whole._pruned_to(path.kept(path.place(alphas[best])))
    if risk == "impurity":
        chosen.ccp_alpha = float(alphas[best])
    return PruningResult(
        alphas, path.leaves[path.places(alphas)], scores, errors, fold_scores, float(alphas[best]), risk, rule, chosen
    )


def _grown(est: Any) -> Grown:
    """The tree of a fitted estimator; raises for others."""
    if not isinstance(getattr(est, "grown_", None), Grown):
        unfitted(est)  # which raises for what is no tree of ours
        raise NotFittedError(f"this {type(est).__name__} is not fitted; call fit first")
    return est.grown_


def unfitted(est: Any) -> Any:
    """A copy without what fitting has made, and with no pruning of its own."""
    from sklearn.base import clone

    if not hasattr(est, "_pruned_to") or isinstance(est, type):
        raise InvalidInputError(
            f"est is {repr(est)[:80]}; a xylogic DecisionTreeClassifier or DecisionTreeRegressor is accepted"
        )
    return clone(est).set_params(ccp_alpha=0.0)


def _validation_rows(est: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> HeldOut:
    values = est._values(X)
    given = np.asarray(y)
    if given.shape != (len(values),):
        raise InvalidInputError(f"y has shape {given.shape}; ({len(values)},), one target per row, is accepted")
    if hasattr(est, "classes_"):
        place = {label: code for code, label in enumerate(est.classes_.tolist())}
        target = np.array([place.get(label, -1) for label in given.tolist()], dtype=np.int64)  # -1: always a mistake
    else:
        target = given.astype(np.float64)
        if not np.isfinite(target).all():
            row = int(np.argmax(~np.isfinite(target)))
            raise InvalidInputError(f"y, row {row}: {float(target[row])} is not a finite number")
    weight = np.ones(len(values)) if sample_weight is None else np.array(sample_weight, dtype=np.float64)
    if weight.shape != target.shape or not (np.isfinite(weight) & (weight >= 0)).all():
        raise InvalidInputError(f"sample_weight has shape {weight.shape}; {target.shape} numbers >= 0 are accepted")
    if not weight.any():
        raise InvalidInputError("there are no rows of positive weight to prune by; at least one is accepted")
    return HeldOut(values, target, weight)


def candidate_alphas(path: PruningPath, which: str) -> _Floats:
    """The alphas of a path, or the geometric means of neighbours and the last one."""
    if which == "path":
        return path.alphas
    # No two are equal: each lies in its own interval of the path, whose ends are.
    return np.append(np.sqrt(path.alphas[:-1]) * np.sqrt(path.alphas[1:]), path.alphas[-1])


def fold_rows(
    est: Any, cv: Any, y: ArrayLike, sample: Sample, groups: ArrayLike | None
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Train and test rows of each fold, as positions in the sample, ascending; stratified where ``cv`` is a number."""
    from sklearn.model_selection import check_cv

    n_given = len(sample.target) if sample.rows is None else None
    listed = isinstance(cv, Iterable) and not hasattr(cv, "split")
    folds = []
    if listed:
        n_all = n_given if n_given is not None else len(np.asarray(y))
        place = np.full(n_all, -1, dtype=np.intp)
        place[slice(None) if sample.rows is None else sample.rows] = np.arange(sample.n_rows)
        for number, pair in enumerate(cv):
            parts = [_positions(part, n_all) for part in pair] if isinstance(pair, Iterable) else []
            if len(parts) != 2 or any(part is None for part in parts):
                raise InvalidInputError(f"fold {number} of cv is no pair of rows from 0 to {n_all - 1}")
            train, test = (place[part] for part in parts if part is not None)
            folds.append((np.sort(train[train >= 0]), np.sort(test[test >= 0])))
    else:
        # Labels that scikit-learn knows no type of, whole numbers as objects, are stratified by their places.
        classes = sample.classes
        target = sample.target if classes is None or classes.dtype.kind == "O" else classes[sample.target]
        if groups is not None and sample.rows is not None:
            groups = np.asarray(groups)[sample.rows]
        try:
            splitter = check_cv(cv, target, classifier=classes is not None)
            made = list(splitter.split(np.zeros((sample.n_rows, 1)), target, groups))
        except ValueError as error:
            raise InvalidInputError(
                f"cv is {repr(cv)[:80]}: {str(error).rstrip('.')}; a number of folds from 2 up to that of the rows, "
                "a splitter or (train, test) pairs of row positions are accepted"
            ) from error
        folds = [(np.sort(train), np.sort(test)) for train, test in made]
    for number, (train, test) in enumerate(folds):
        if not len(train) or not len(test):
            raise InvalidInputError(f"fold {number} of cv has {len(train)} rows to train on and {len(test)} to test on")
    if not folds:
        raise InvalidInputError("cv makes no folds; at least one is needed")
    return folds


def _positions(rows: Any, n: int) -> NDArray[np.intp] | None:
    """Positions from 0 to n - 1, given as such or as a mask of n; ``None`` for anything else."""
    try:
        given = np.asarray(rows)
    except ValueError:
        return None
    if given.dtype == bool:
        return np.flatnonzero(given) if given.shape == (n,) else None
    fits = given.ndim == 1 and (given.dtype.kind in "iu" or not len(given)) and ((given >= 0) & (given < n)).all()
    return given.astype(np.intp) if fits else None


def standard_errors(fold_scores: _Floats) -> _Floats:
    """Of the means over the folds, the columns; 0 for a single one."""
    n_folds = fold_scores.shape[1]
    if n_folds < 2:
        return np.zeros(len(fold_scores))
    return np.asarray(fold_scores.std(axis=1, ddof=1) / np.sqrt(n_folds))


def chosen_place(scores: _Floats, errors: _Floats, rule: str) -> int:
    """The first of the best scores, or with "1se" the last within a standard error of it."""
    best = int(np.argmax(scores >= scores.max() - _TIE))
    if rule == "best":
        return best
    return int(np.flatnonzero(scores >= scores[best] - errors[best] - _TIE)[-1])
