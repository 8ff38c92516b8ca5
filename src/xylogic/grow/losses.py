"""The criteria as functions of sums: what a set of rows loses with its best constant, many sets at a time.

A set of weighted rows is a row of sums, float64 (width,): the weight of each class; or, for numbers, the weight, the
weighted targets, and their squares (for Poisson, y log y).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Losses", "class_losses", "number_losses"]

_Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class Losses:
    """Sums and losses for one criterion; ``of_rows``, float64 (n, width), are each row's sums at weight 1."""

    criterion: str
    of_rows: _Floats
    matrix: _Floats | None = None  # what answering column j to a row of class k costs
    centre: float = 0.0  # taken off the targets, so that sums of squares keep their digits

    @property
    def has_classes(self) -> bool:
        return self.criterion in ("gini", "entropy", "log_loss", "misclassification")

    def weight(self, sums: _Floats) -> _Floats:
        """The weight of each set: (...,) from (..., width)."""
        return np.asarray(sums.sum(axis=-1) if self.has_classes else sums[..., 0])

    def loss(self, sums: _Floats) -> _Floats:
        """Weight times impurity of each set, (...,) from (..., width); inf where no constant is allowed."""
        weight = self.weight(sums)
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.criterion == "gini":
                found = weight - (sums**2).sum(axis=-1) / weight
            elif self.criterion in ("entropy", "log_loss"):
                found = _times_log(weight) - _times_log(sums).sum(axis=-1)
            elif self.criterion == "misclassification":
                found = weight - sums.max(axis=-1) if self.matrix is None else (sums @ self.matrix).min(axis=-1)
            elif self.criterion == "poisson":
                total = sums[..., 1]
                found = np.where(total > 0, sums[..., 2] - total * np.log(total / weight), np.inf)
            else:
                found = sums[..., 2] - sums[..., 1] ** 2 / weight
        return np.where(weight > 0, np.maximum(found, 0.0), 0.0)

    def constant(self, sums: _Floats) -> _Floats:
        """The best constant of one set: class shares, or the mean; float64 (n_outputs,)."""
        if self.has_classes:
            return sums / sums.sum()
        return np.array([self.centre + sums[1] / sums[0]])

    def keys(self, sums: _Floats) -> _Floats:
        """What to order categories by, (n_orders, n) from (n, width): the mean, or the share of each class."""
        if not self.has_classes:
            return (sums[:, 1] / sums[:, 0])[np.newaxis]
        shares = (sums / sums.sum(axis=1, keepdims=True)).T
        return shares[1:] if len(shares) == 2 else shares


def class_losses(codes: NDArray[np.int64], n_classes: int, criterion: str, matrix: Any = None) -> Losses:
    """For targets that are classes, int64 (n,)."""
    return Losses(criterion, np.eye(n_classes)[codes], matrix)


def number_losses(target: _Floats, criterion: str) -> Losses:
    """For targets that are numbers, float64 (n,)."""
    if criterion == "poisson":
        third = target * np.log(np.where(target > 0, target, 1.0))
        return Losses(criterion, np.column_stack([np.ones(len(target)), target, third]))
    centre = float(target.mean())
    off = target - centre
    return Losses(criterion, np.column_stack([np.ones(len(target)), off, off**2]), centre=centre)


def _times_log(sums: _Floats) -> _Floats:
    return sums * np.log2(np.where(sums > 0, sums, 1.0))
