"""How impure a node is, and what a split gains, from counts or targets: the definitions, for teaching and for tests.

The impurity of a node is the loss, per unit of weight, of the best constant prediction in it (Breiman et al., 1984).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from xylogic.errors import InvalidInputError

__all__ = ["CLASS_CRITERIA", "NUMBER_CRITERIA", "best_constant", "impurity", "split_gain"]

CLASS_CRITERIA = ("gini", "entropy", "log_loss", "misclassification")
NUMBER_CRITERIA = ("squared_error", "friedman_mse", "absolute_error", "poisson")

Floats = NDArray[np.float64]


def impurity(
    counts: ArrayLike,
    criterion: str = "gini",
    *,
    weights: ArrayLike | None = None,
    priors: ArrayLike | None = None,
    totals: ArrayLike | None = None,
    loss_matrix: ArrayLike | None = None,
) -> float:
    """The loss of the best constant prediction in a node, per unit of weight; 0.0 where the node is pure.

    ==================================== ======================================= ==================================
    criterion                            loss                                    impurity
    ==================================== ======================================= ==================================
    ``gini``                             squared error of one-hot labels         1 - sum of p_k²
    ``entropy``, ``log_loss``            -log2 of the label's probability        -sum of p_k log2 p_k, in bits
    ``misclassification``                0 or 1, or the loss matrix              1 - max p_k, or the least expected loss
    ``squared_error``, ``friedman_mse``  (y - c)²                                variance
    ``absolute_error``                   absolute value of y - c                 mean distance from the median
    ``poisson``                          y log(y / c) - y + c                    mean of y log(y / mean)
    ==================================== ======================================= ==================================

    The gain that Friedman (2001) prints is that of the squared error, so the two names mean one criterion.

    Parameters
    ----------
    counts : (n_classes,), rows or weight of each class in the node; for the criteria of numbers, (n,) the targets.
    criterion : one of the above.
    weights : one weight for each class, or for each target; all 1 where not given.
    priors : (n_classes,), the classes' shares at the root, in place of those of ``totals``.
    totals : (n_classes,), the counts at the root, which priors need; the node itself where not given.
    loss_matrix : (n_classes, n_classes), the loss of answering column j to a row of class k; zeros on the diagonal.
        Gini and entropy take it as altered priors: class k counts in proportion to the sum of its row (rpart's way).

    Raises
    ------
    InvalidInputError
        For counts or weights that are negative or not finite, a node without weight, sizes that differ, an unknown
        criterion, options that belong to the other kind of criterion, and targets so large that their sums overflow.

    Notes
    -----
    O(n_classes²), for numbers O(n log n). Sums are correctly rounded, whatever the order.
    """
    if _of_classes(criterion):
        held = _numbers(counts, "counts", least=0.0)
        scale, loss = _class_scale(held, criterion, weights, priors, totals, loss_matrix)
        return _class_loss(held * scale, criterion, loss) / _weight(held * scale)
    _refuse_class_options(priors, totals, loss_matrix, criterion)
    targets, weight = _targets(counts, weights, criterion)
    return _number_loss(targets, weight, criterion) / _weight(weight)


def split_gain(
    parent: ArrayLike,
    children: Sequence[ArrayLike],
    criterion: str = "gini",
    *,
    weights: Any = None,
    priors: ArrayLike | None = None,
    totals: ArrayLike | None = None,
    loss_matrix: ArrayLike | None = None,
) -> float:
    """How much a split lowers the impurity: the parent's less that of the children, weighted by their size.

    Parameters
    ----------
    parent, children : class counts, or targets, of the node and of each side of the split, as in ``impurity``.
    criterion, priors, loss_matrix : as in ``impurity``.
    weights : one weight for each class; for the criteria of numbers a list like ``children``, one for each target.
    totals : as in ``impurity``; the parent where not given.

    Raises
    ------
    InvalidInputError
        As ``impurity``, and where the children are not the parent's rows.

    Notes
    -----
    Never negative but for the last bits, for any criterion here; 0 for Gini and entropy only where all children have
    the parent's shares. O(n log n).
    """
    if len(children) < 2:
        raise InvalidInputError(f"a split has {len(children)} children; at least 2 are accepted")
    if not _of_classes(criterion):
        _refuse_class_options(priors, totals, loss_matrix, criterion)
        return _number_gain(parent, children, criterion, weights)
    whole = _numbers(parent, "parent", least=0.0)
    parts = [_numbers(child, f"children[{place}]", least=0.0) for place, child in enumerate(children)]
    for place, part in enumerate(parts):
        if len(part) != len(whole):
            raise InvalidInputError(f"children[{place}] counts {len(part)} classes, the parent {len(whole)}")
    together = np.sum(parts, axis=0)
    if not np.allclose(together, whole, rtol=1e-9, atol=0.0):
        raise InvalidInputError(f"the children count {together.tolist()} together, the parent {whole.tolist()}")
    root = whole if totals is None else totals
    scale, loss = _class_scale(whole, criterion, weights, priors, root, loss_matrix)
    after = math.fsum(_class_loss(part * scale, criterion, loss) for part in parts if part.any())
    return (_class_loss(whole * scale, criterion, loss) - after) / _weight(whole * scale)


def best_constant(
    counts: ArrayLike,
    criterion: str = "gini",
    *,
    weights: ArrayLike | None = None,
    priors: ArrayLike | None = None,
    totals: ArrayLike | None = None,
    loss_matrix: ArrayLike | None = None,
) -> Floats | int | float:
    """The constant whose loss ``impurity`` is; parameters, errors and cost as there.

    The class shares for Gini and entropy; the position of the class to answer (the first of equal ones) for
    misclassification; the mean; the median, halfway between the two middle targets where half the weight lies below.
    """
    if _of_classes(criterion):
        held = _numbers(counts, "counts", least=0.0)
        scale, loss = _class_scale(held, criterion, weights, priors, totals, loss_matrix)
        _weight(held * scale)
        if criterion == "misclassification":
            return int(np.argmin((held * scale) @ loss))
        return held * scale / _weight(held * scale)
    _refuse_class_options(priors, totals, loss_matrix, criterion)
    targets, weight = _targets(counts, weights, criterion)
    _weight(weight)
    return _median(targets, weight) if criterion == "absolute_error" else _mean(targets, weight)


# ---- classes ----------------------------------------------------------------------------------------------------


def _class_scale(
    counts: Floats,
    criterion: str,
    weights: ArrayLike | None,
    priors: ArrayLike | None,
    totals: ArrayLike | None,
    loss_matrix: ArrayLike | None,
) -> tuple[Floats, Floats]:
    """What a count of each class weighs, and the loss matrix of misclassification."""
    n_classes = len(counts)

    def per_class(given: ArrayLike, name: str) -> Floats:
        read = _numbers(given, name, least=0.0)
        if len(read) != n_classes:
            raise InvalidInputError(f"{name} has {len(read)} entries for {n_classes} classes")
        return read

    scale = np.ones(n_classes) if weights is None else per_class(weights, "weights")
    if priors is not None:
        share = per_class(priors, "priors")
        root = counts if totals is None else per_class(totals, "totals")
        unseen = (root == 0) & (share > 0)
        if unseen.any():
            raise InvalidInputError(f"priors[{int(np.argmax(unseen))}] is given for a class without rows at the root")
        scale = np.divide(share * math.fsum(root) / _weight(share), root, out=np.zeros(n_classes), where=root > 0)
    loss = 1.0 - np.eye(n_classes)
    if loss_matrix is not None:
        loss = np.asarray(loss_matrix, dtype=np.float64)
        if loss.shape != (n_classes, n_classes) or not np.isfinite(loss).all() or (loss < 0).any():
            raise InvalidInputError(
                f"loss_matrix has shape {loss.shape}; finite numbers >= 0, {n_classes} by {n_classes}, are accepted"
            )
        if np.diagonal(loss).any():
            raise InvalidInputError("loss_matrix has a loss on its diagonal; a right answer costs 0")
        if criterion != "misclassification":
            scale = scale * loss.sum(axis=1)
    return scale, loss


def _class_loss(weight: Floats, criterion: str, loss: Floats) -> float:
    total = _weight(weight)
    if criterion == "misclassification":
        return float(np.min(weight @ loss))
    shares = (weight[weight > 0] / total).tolist()
    if criterion == "gini":
        return total * math.fsum(share * (1.0 - share) for share in shares)
    return total * math.fsum(-share * math.log2(share) for share in shares)


# ---- numbers ----------------------------------------------------------------------------------------------------


def _number_loss(targets: Floats, weight: Floats, criterion: str) -> float:
    if criterion == "absolute_error":
        return _sum(weight * np.abs(targets - _median(targets, weight)))
    mean = _mean(targets, weight)
    if criterion == "poisson":
        some = targets > 0
        return _sum(weight[some] * targets[some] * np.log(targets[some] / mean))
    with np.errstate(over="ignore"):
        return _sum(weight * (targets - mean) ** 2)


def _number_gain(parent: ArrayLike, children: Sequence[ArrayLike], criterion: str, weights: Any) -> float:
    if weights is not None and len(weights) != len(children):
        raise InvalidInputError(f"weights are {len(weights)} lists for {len(children)} children")
    held = [None] * len(children) if weights is None else weights
    read = [_targets(child, own, criterion) for child, own in zip(children, held, strict=True)]
    targets, weight = (np.concatenate(parts) for parts in zip(*read, strict=True))
    if not np.array_equal(np.sort(_targets(parent, None, criterion)[0]), np.sort(targets)):
        raise InvalidInputError("the children's targets are not those of the parent")
    after = math.fsum(_number_loss(*part, criterion) for part in read if part[1].any())
    return (_number_loss(targets, weight, criterion) - after) / _weight(weight)


def _targets(given: ArrayLike, weights: ArrayLike | None, criterion: str) -> tuple[Floats, Floats]:
    targets = _numbers(given, "targets", least=0.0 if criterion == "poisson" else -math.inf)
    weight = np.ones(len(targets)) if weights is None else _numbers(weights, "weights", least=0.0)
    if len(weight) != len(targets):
        raise InvalidInputError(f"weights has {len(weight)} entries for {len(targets)} targets")
    return targets, weight


def _mean(targets: Floats, weight: Floats) -> float:
    return _sum(weight * targets) / _weight(weight)


def _median(targets: Floats, weight: Floats) -> float:
    order = np.argsort(targets, kind="stable")
    order = order[weight[order] > 0]
    below = np.cumsum(weight[order])
    half = below[-1] / 2
    at = int(np.searchsorted(below, half))
    value = float(targets[order[at]])
    return value / 2 + float(targets[order[at + 1]]) / 2 if below[at] == half else value


# ---- checks -----------------------------------------------------------------------------------------------------


def _of_classes(criterion: str) -> bool:
    if criterion not in CLASS_CRITERIA + NUMBER_CRITERIA:
        accepted = ", ".join(CLASS_CRITERIA + NUMBER_CRITERIA)
        raise InvalidInputError(f"criterion {criterion!r} is unknown; accepted: {accepted}")
    return criterion in CLASS_CRITERIA


def _refuse_class_options(priors: Any, totals: Any, loss_matrix: Any, criterion: str) -> None:
    for name, given in (("priors", priors), ("totals", totals), ("loss_matrix", loss_matrix)):
        if given is not None:
            raise InvalidInputError(f"{name} belong to classes; criterion {criterion!r} is one of numbers")


def _numbers(given: ArrayLike, name: str, least: float) -> Floats:
    try:
        read = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{name} is no list of numbers ({error})") from error
    if read.ndim != 1 or not len(read):
        raise InvalidInputError(f"{name} has shape {read.shape}; one dimension and at least one entry are accepted")
    bad = ~np.isfinite(read) | (read < least)
    if bad.any():
        place = int(np.argmax(bad))
        accepted = "a finite number" if math.isinf(least) else "a finite number >= 0"
        raise InvalidInputError(f"{name}[{place}] is {read[place]}; {accepted} is accepted")
    return read


def _sum(numbers: Floats) -> float:
    try:
        total = math.fsum(numbers)
    except OverflowError:
        total = math.inf
    if math.isinf(total):
        raise InvalidInputError("the targets are so large that their sums overflow; divide them by a constant")
    return total


def _weight(weight: Floats) -> float:
    total = math.fsum(weight)
    if not 0 < total < math.inf:
        raise InvalidInputError(f"the node has weight {total:g}; a finite positive weight is accepted")
    return total
