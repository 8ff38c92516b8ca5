"""Compatible cost-complexity pruning: the price of a leaf, chosen by cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from xylogic.checks import check_choice
from xylogic.errors import InvalidInputError
from xylogic.grow.base import Sample
from xylogic.grow.growing import sample_columns
from xylogic.grow.prune import (
    CANDIDATES,
    RULES,
    Folds,
    PruningResult,
    candidate_alphas,
    chosen_place,
    fold_rows,
    standard_errors,
    unfitted,
)
from xylogic.grow.pruning import pruning_path
from xylogic.grow.scoring import path_sums
from xylogic.grow.single import grow_single
from xylogic.update.against import AgainstOld
from xylogic.update.estimators import CompatibleTree
from xylogic.update.objective import RISKS, Way, held_out_objectives, training_risks

__all__ = ["prune_compatible", "prune_compatible_by_folds"]

SCORES = ("objective", "loss")


def prune_compatible(
    est: Any,
    X: Any,
    y: ArrayLike,
    cv: Any = 5,
    rule: str = "best",
    candidates: str = "midpoints",
    *,
    risk: str = "loss",
    score: str = "objective",
    sample_weight: ArrayLike | None = None,
    relied: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> PruningResult:
    """Choose by cross-validation how far a compatible tree is pruned.

    For alpha >= 0 the pruned tree of least objective + alpha * leaves is taken, the smallest of equal ones, where the
    objective is the loss plus ``est.strength`` times the mean dissimilarity of old and new explanations.

    Parameters
    ----------
    est : a ``CompatibleTreeClassifier`` or ``CompatibleTreeRegressor`` with an old tree, fitted or not; it is not
        changed, and its ``ccp_alpha`` not used.
    X, y, sample_weight, relied : the new data, as in ``fit``. Each fold finds anew, from its training part, by which
        ranges and deviations bounds are measured.
    cv, rule, groups : as in ``prune_cv``.
    candidates : ``"midpoints"``, the geometric means of neighbouring alphas of the path of all rows (Breiman et al.,
        1984, 3.4.2), the last one standing for itself; ``"path"``, these alphas.
    risk : what the objective counts besides dissimilarity in pruning: ``"loss"``, the error rate or mean squared
        error; ``"impurity"``, that of growth.
    score : what held-out rows are scored by: ``"objective"``, with the statistics of the training part, or ``"loss"``.

    Returns
    -------
    PruningResult; scores are objectives or losses with a minus sign, so that the greatest is the best.

    Raises
    ------
    InvalidInputError, for other estimators and values, as ``fit`` does, and for a fold without rows.

    Warns
    -----
    UserWarning, as ``fit`` does, where nobody relies on any row.

    Notes
    -----
    "Backward Compatibility in Tree-Based Explanations and Enhanced CART Algorithm", cost complexity pruning under
    Eq. (4). The objective is a sum over leaves, so that pruning by weakest links is exact. As many fits as there are
    folds, and one.
    """
    for name, value, accepted in (
        ("rule", rule, RULES),
        ("candidates", candidates, CANDIDATES),
        ("risk", risk, RISKS),
        ("score", score, SCORES),
    ):
        check_choice(name, value, accepted)
    if not isinstance(est, CompatibleTree) or est.old is None:
        raise InvalidInputError(
            f"est is {repr(est)[:80]}; "
            "a CompatibleTreeClassifier or CompatibleTreeRegressor with an old tree is accepted"
        )
    whole = unfitted(est)
    with whole.relying_on(relied):
        sample = whole._begin(X, y, sample_weight)
    folds = fold_rows(whole, cv, y, sample, groups)
    return prune_compatible_by_folds(whole, sample, folds, rule, candidates, risk, score)


def prune_compatible_by_folds(
    whole: Any,
    sample: Sample,
    folds: Folds,
    rule: str = "best",
    candidates: str = "midpoints",
    risk: str = "loss",
    score: str = "objective",
) -> PruningResult:
    """``prune_compatible`` of an unfitted tree that has read ``sample``, which it is changed by.

    ``folds``: as of ``fold_rows``; their trees have the classes of the whole sample.
    """
    assert isinstance(sample, AgainstOld)
    way = Way.of(whole)
    scored = way if score == "objective" else Way(way.kind, way.jlu, 0.0)
    columns, seed = sample_columns(whole, sample), whole._seed()
    grown, costs = grow_single(whole, sample, columns=columns, seed=seed)
    path = pruning_path(grown, training_risks(grown, sample, way, risk))
    alphas = candidate_alphas(path, candidates)
    decide = None if sample.classes is None else costs.decide
    by_fold = []
    for train, test in folds:
        part = sample.part(train)
        fold = grow_single(whole, sample, rows=train, columns=columns, seed=seed).grown
        fold_path = pruning_path(fold, training_risks(fold, part, way, risk))
        by_node = held_out_objectives(fold, sample.part(test), scored, part.reference(), decide)
        by_fold.append(-path_sums(fold_path, by_node)[fold_path.places(alphas)])
    fold_scores = np.array(by_fold).T
    scores, errors = fold_scores.mean(axis=1), standard_errors(fold_scores)
    best = chosen_place(scores, errors, rule)
    whole._keep(grown, costs, sample)
    chosen = whole._pruned_to(path.kept(path.place(alphas[best])))
    if risk == "loss":
        chosen.ccp_alpha = float(alphas[best])
    return PruningResult(
        alphas, path.leaves[path.places(alphas)], scores, errors, fold_scores, float(alphas[best]), risk, rule, chosen
    )
