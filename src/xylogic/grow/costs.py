"""What classes weigh and what their mistakes cost: class weights, priors and loss matrices as factors of row weights.

Priors and losses are taken as rpart takes them (Therneau and Atkinson, "An introduction to recursive partitioning
using the RPART routines", sections 3.2 and 3.3): Gini and entropy see altered priors, by which a class counts in
proportion to its prior times the sum of its row of losses; misclassification sees the losses themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from xylogic.errors import InvalidInputError

__all__ = ["Costs", "class_factors", "class_weights", "read_costs"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class Costs:
    """How rows are weighed for growing, and how leaves answer.

    Attributes
    ----------
    factor : float64 (n_classes,), what the weight of each class's rows is multiplied by; ``None`` for 1 each.
    loss : float64 (n_classes, n_classes), the loss of answering column j to a row of class k; ``None`` for 0 or 1.
    altered : float64 (n_classes,), what of ``factor`` must not show in class shares; ``None`` for nothing.
    """

    factor: Floats | None = None
    loss: Floats | None = None
    altered: Floats | None = None

    def weigh(self, codes: NDArray[np.int64], weight: Floats | None) -> Floats | None:
        """The rows' weights, of rows with these classes."""
        if self.factor is None:
            return weight
        factors = self.factor[codes]
        return factors if weight is None else factors * weight

    def shares(self, grown: Floats) -> Floats:
        """Class shares from those of a tree grown on these weights: (n, n_classes)."""
        if self.altered is None:
            return grown
        plain = grown / self.altered
        return plain / plain.sum(axis=1, keepdims=True)

    def scores(self, shares: Floats) -> Floats:
        """What the answer is the first largest of: the shares, or the expected losses, negative."""
        return shares if self.loss is None else 0.0 - shares @ self.loss

    def losses(self, weight: Floats, shares: Floats) -> Floats:
        """What the mistakes at each node cost, (n_nodes,), where all its rows get its answer.

        ``weight``: of the nodes as grown, (n_nodes,), the root first; ``shares``: (n_nodes, n_classes), as answered.
        """
        if self.altered is not None:  # back to the weights that the shares are of
            scale = shares @ self.altered
            weight = weight * (scale[0] / scale)
        return np.asarray(-weight * self.scores(shares).max(axis=1))

    def decide(self, shares: Floats) -> NDArray[np.intp]:
        """The position of the class that is answered where these are the shares: (n,) from (n, n_classes)."""
        return np.asarray(self.scores(shares).argmax(axis=1))


def read_costs(
    criterion: str, priors: Any, loss_matrix: Any, class_weight: Any, totals: Floats, classes: NDArray[Any]
) -> Costs:
    """The costs that an estimator's parameters ask for; ``totals``: float64 (n_classes,), the weight of each class.

    ``priors``: (n_classes,) positive shares that add up to 1, or a dict from label to share. ``loss_matrix``:
    (n_classes, n_classes), zeros on the diagonal, no row all zeros.

    Raises InvalidInputError for other values, and for priors beside class weights.
    """
    factor = class_factors(class_weight, totals, classes)
    loss = None if loss_matrix is None else _loss(loss_matrix, len(classes))
    altered = None
    if priors is not None:
        if factor is not None:
            raise InvalidInputError("priors and class_weight are both given; priors set what the classes weigh alone")
        factor = _priors(priors, classes) * totals.sum() / totals
    if loss is not None and criterion != "misclassification" and len(classes) > 1:
        rows = loss.sum(axis=1)
        plain = np.ones(len(classes)) if factor is None else factor
        total = (plain * totals).sum()
        factor = plain * rows * (total / (plain * rows * totals).sum())
        altered = rows
    return Costs(factor, loss, altered)


def class_weights(codes: NDArray[np.int64], weight: Floats | None, n_classes: int) -> Floats:
    """The weight of each class's rows, float64 (n_classes,)."""
    return np.bincount(codes, weights=weight, minlength=n_classes).astype(np.float64)


def class_factors(given: Any, totals: Floats, classes: NDArray[Any]) -> Floats | None:
    """``class_weight`` as one factor per class, float64 (n_classes,); ``None`` where it is.

    ``given``: a dict from label to factor (1 where it has none), or ``"balanced"``: all classes weigh the same in all,
    so that a row of weight 2 counts as two rows.

    Raises InvalidInputError for other values, unknown labels and factors that are not positive.
    """
    if given is None:
        return None
    if isinstance(given, str) and given == "balanced":
        return totals.sum() / (len(totals) * totals)
    if not isinstance(given, Mapping):
        raise InvalidInputError(
            f"class_weight is {repr(given)[:80]}; a dict from label to number, 'balanced' or None is accepted"
        )
    return _by_class(given, classes, "class_weight", default=1.0)


def _by_class(given: Mapping[Any, Any], classes: NDArray[Any], what: str, default: float | None) -> Floats:
    places = {label: place for place, label in enumerate(classes.tolist())}
    values = np.full(len(classes), np.nan if default is None else default)
    for label, value in given.items():
        if label not in places:
            raise InvalidInputError(
                f"{what} has the class {label!r}, which is not in y; there are {', '.join(map(repr, places))}"
            )
        values[places[label]] = _positive(value, f"{what} of {label!r}")
    if np.isnan(values).any():
        raise InvalidInputError(
            f"{what} has no value for the class {classes.tolist()[int(np.isnan(values).argmax())]!r}"
        )
    return values


def _positive(value: Any, what: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not 0 < number < np.inf:
        raise InvalidInputError(f"{what} is {value!r}; a number above 0 is accepted")
    return number


def _priors(given: Any, classes: NDArray[Any]) -> Floats:
    if isinstance(given, Mapping):
        shares = _by_class(given, classes, "priors", default=None)
    else:
        shares = _table(given, "priors")
        if shares.shape != (len(classes),):
            raise InvalidInputError(f"priors has shape {shares.shape}; ({len(classes)},), one per class, is accepted")
        for label, share in zip(classes.tolist(), shares.tolist(), strict=True):
            _positive(share, f"the prior of {label!r}")
    if abs(shares.sum() - 1) > 1e-9:
        raise InvalidInputError(f"priors add up to {shares.sum():g}; 1 is accepted")
    return shares


def _loss(given: ArrayLike, n_classes: int) -> Floats:
    loss = _table(given, "loss_matrix")
    if loss.shape != (n_classes, n_classes):
        raise InvalidInputError(f"loss_matrix has shape {loss.shape}; ({n_classes}, {n_classes}) is accepted")
    if not np.isfinite(loss).all() or (loss < 0).any() or np.diag(loss).any():
        raise InvalidInputError("loss_matrix has numbers other than finite ones >= 0, with zeros on the diagonal")
    if n_classes > 1 and not loss.any(axis=1).all():
        place = int(loss.any(axis=1).argmin())
        raise InvalidInputError(f"loss_matrix has only zeros in row {place}: no mistake about that class would matter")
    return loss


def _table(given: Any, what: str) -> Floats:
    try:
        return np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{what} is {repr(given)[:80]}; numbers are accepted") from error
