"""What is to be predicted, as the kernels want it: sums of it are exact, so the order of rows does not matter."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.errors import InvalidInputError
from xylogic.grow.absolute_kernel import Absolute
from xylogic.grow.classes_kernel import Classes
from xylogic.grow.columns import ranked
from xylogic.grow.gini_kernel import Gini
from xylogic.grow.poisson_kernel import Poisson
from xylogic.grow.squares_kernel import Squares

__all__ = ["Target", "Weights", "class_target", "number_target"]

CLASS_RULES = {"gini": 0, "entropy": 1, "misclassification": 2}
NUMBER_RULES = ("squared_error", "friedman_mse", "absolute_error", "poisson")
_MAX_TABLE = 2**20


@dataclass(frozen=True, eq=False, slots=True)
class Weights:
    """Row weights in units in which sums are exact: ``grid`` float64 (n,), ``None`` for all 1; ``unit`` is one of them.

    Where the weights are whole multiples of something, that is the unit, so that they count like repeated rows;
    otherwise they are rounded, relatively by less than n / 2^51. Either way a common factor does not matter.
    """

    grid: NDArray[np.float64] | None
    unit: float = 1.0
    whole: bool = True

    @classmethod
    def of(cls, weight: NDArray[np.float64] | None) -> Weights:
        """From positive weights in the user's units, or ``None``."""
        if weight is None or len(weight) == 0:
            return cls(None)
        least, most = float(weight.min()), float(weight.max())
        if least == most:
            return cls(None, least)
        if most < 2**31 and (weight == np.rint(weight)).all():
            if least == 1.0:
                return cls(weight)
            divisor = int(np.gcd.reduce(weight.astype(np.int64)))
            return cls(weight / divisor, float(divisor))
        ratio = weight / least
        near = np.rint(ratio)
        if ratio.max() < 2**31 and (np.abs(ratio - near) <= 1e-12 * near).all():
            return cls(near, least)
        unit = 2.0 ** math.ceil(math.log2(most) + math.log2(len(weight)) - 51)
        return cls(np.maximum(np.rint(weight / unit), 1.0), unit, whole=False)

    def among(self, rows: NDArray[Any], n: int) -> Weights:
        """These, of some ``rows``, as the weights of n rows of which only they take part."""
        if self.grid is None:
            return self
        grid = np.zeros(n)
        grid[rows] = self.grid
        return Weights(grid, self.unit, self.whole)


@dataclass(frozen=True, eq=False, slots=True)
class Target:
    """Targets of all rows: ``rule`` "gini" ... "poisson"; ``y`` int32 class codes or float64 numbers, (n,)."""

    rule: str
    y: NDArray[Any]
    weights: Weights
    n_classes: int = 0
    loss: NDArray[np.float64] | None = None

    @property
    def n_orders(self) -> int:
        """In how many orders categories are tried; see levels_kernel."""
        return self.n_classes if self.n_classes > 2 else 1

    @property
    def ordered_best(self) -> bool:
        """Whether some best split of categories respects the order of their shares or means (Breiman et al. 1984)."""
        return self.n_classes in (1, 2) or self.rule in ("squared_error", "friedman_mse")

    def criterion(self, min_rows: int, min_weight: float) -> Any:
        """The kernel; ``min_weight``, of a leaf, is in the user's units."""
        grid, least = self.weights.grid, min_weight / self.weights.unit * (1 - 1e-12)
        if self.n_classes == 2 and self.rule == "gini":
            return Squares(self.y.astype(np.float64), grid, min_rows, least, True)
        if self.n_classes:
            total = len(self.y) if grid is None else float(grid.sum())
            return (Gini if self.rule == "gini" else Classes)(
                self.y, self.n_classes, grid, min_rows, least, CLASS_RULES[self.rule], self.loss,
                _log_table(total if self.weights.whole and self.rule == "entropy" else 0),
                self.weights.whole and total * total < 2**53,
            )  # fmt: skip
        if self.rule == "absolute_error":
            return Absolute(self.y, ranked(self.y), grid, min_rows, least)
        if self.rule == "poisson":
            return Poisson(self.y, grid, min_rows, least)
        return Squares(self.y, grid, min_rows, least, False)


def class_target(
    codes: NDArray[np.int32],
    n_classes: int,
    weight: NDArray[np.float64] | None,
    criterion: str,
    loss: NDArray[np.float64] | None = None,
) -> Target:
    """Class codes 0 to ``n_classes`` - 1, shape (n,); ``loss`` (n_classes, n_classes) is for "misclassification" alone.

    ``loss[k, j]`` is what a row of class k costs where j is predicted. Raises InvalidInputError for another criterion.
    """
    if criterion not in CLASS_RULES:
        raise InvalidInputError(f"criterion is {criterion!r}; accepted for classes: {', '.join(CLASS_RULES)}")
    codes = np.array(codes, dtype=np.int32)
    return Target(criterion, codes, Weights.of(weight), max(n_classes, 1), loss)


def number_target(y: NDArray[np.float64], weight: NDArray[np.float64] | None, criterion: str) -> Target:
    """Finite numbers, shape (n,). Raises InvalidInputError for another criterion, and for targets it does not take."""
    if criterion not in NUMBER_RULES:
        raise InvalidInputError(f"criterion is {criterion!r}; accepted for numbers: {', '.join(NUMBER_RULES)}")
    y = np.array(y, dtype=np.float64)
    if criterion == "poisson" and len(y) and (y.min() < 0 or y.sum() <= 0):
        # The words "Some value(s) of y are negative" are those that scikit-learn's users know.
        raise InvalidInputError(
            "Some value(s) of y are negative, or all are 0; criterion 'poisson' takes targets >= 0, some of them above"
        )
    return Target(criterion, y, Weights.of(weight))


def _log_table(total: float) -> NDArray[np.float64]:
    """x * log2(x) of 0, 1, ... ``total``, on a grid where sums of it are exact; empty where it would be too long."""
    if not 2 <= total <= _MAX_TABLE:
        return np.zeros(1)
    x = np.arange(1, int(total) + 1, dtype=np.float64)
    exact = np.concatenate([[0.0], x * np.log2(x)])
    step = 2.0 ** (50 - math.ceil(math.log2(exact[-1])))
    return np.rint(exact * step) / step
