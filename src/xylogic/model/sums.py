"""Which scores win, in whole numbers: a model's leaf values in fixed point, and how far to trust their sums.

A constraint compares two of the model's scores (or one with a number): "score plus beats score minus". Each tree
contributes the difference of its two leaf values, as an integer in fixed point. ``sure`` and ``never`` enclose the
sums that leave the answer to the model's own float arithmetic: the fixed point loses less than 1 per leaf value, and a
float sum of n numbers is off by at most (n - 1) u times the sum of their sizes (N. J. Higham, Accuracy and Stability
of Numerical Algorithms, 2002, sec. 4.2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from xylogic.errors import InvalidModelError
from xylogic.model.ensemble import Ensemble

__all__ = ["Constraint", "Scores", "beats", "needs"]

_UNIT_ROUNDOFF = 2.0**-53
_LARGEST = 1e300
_FAR = 2**61  # beyond any sum of fixed-point values


@dataclass(frozen=True)
class Constraint:
    """Score ``plus`` beats score ``minus``; -1 stands for the number ``level``. ``strict``: equality does not do."""

    plus: int
    minus: int
    strict: bool
    level: float = 0.0


class Scores:
    """The leaf values of a model as fixed-point integers.

    ``order``: the nodes of ``model.flat`` in the order in which values are wanted; ``None`` is their own.

    Attributes
    ----------
    values : float64 (n_nodes, n_scores), what each leaf, in that order, adds to the scores; zeros at other nodes.
    fixed : int64 (n_nodes, n_scores), the same in fixed point.
    exact : whether the integers, and the model's float sums, carry no rounding at all.
    scale : fixed-point numbers per unit, a power of two.
    """

    def __init__(self, model: Ensemble, order: NDArray[np.int32] | None = None) -> None:
        flat = model.flat
        values = model.votes if model.voting == "majority" else flat.value
        values = np.where((flat.left < 0)[:, None], values, 0.0)
        self.values = np.ascontiguousarray(values if order is None else values[order])
        self.base = np.array(model.base, dtype=np.float64)
        self.divisor = float(model.n_trees) if model.voting == "average" else 1.0
        self.n_trees = model.n_trees
        sizes = np.zeros(model.n_trees)
        tree = np.searchsorted(flat.roots, np.arange(len(values)), side="right") - 1
        np.maximum.at(sizes, tree, np.abs(values).max(axis=1))
        with np.errstate(over="ignore"):
            self.size = float(sizes.sum() + np.abs(self.base).max()) or 1.0
        if self.size > _LARGEST:
            raise InvalidModelError(
                f"the leaf values add up to {self.size:g}; up to {_LARGEST:g} can be reasoned about"
            )
        exponent = self._exact_exponent()
        self.exact = exponent is not None
        self.scale = math.ldexp(1.0, 58 - math.frexp(self.size)[1] if exponent is None else exponent)
        self.fixed = np.floor(self.values * self.scale).astype(np.int64)

    def _exact_exponent(self) -> int | None:
        """The scale, as a power of two, at which every value is a whole number and every sum below 2^50."""
        for exponent in (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 40):
            if math.ldexp(self.size, exponent) >= 2.0**50:
                return None
            if all((np.floor(v) == v).all() for v in (np.ldexp(self.values, exponent), np.ldexp(self.base, exponent))):
                return exponent
        return None


def beats(model: Ensemble, a: int, b: int, strict: bool | None) -> Constraint:
    """Class a is chosen over class b; at equal scores if not ``strict``, or (None) by the model's tie rule."""
    if strict is None:
        strict = (b < a) == (model.tie == "first")
    if model.is_binary_sum:
        return Constraint(0, -1, strict) if a == 1 else Constraint(-1, 0, strict)
    return Constraint(a, b, strict)


def needs(constraint: Constraint, scores: Scores) -> tuple[int, int]:
    """(sure, never): a fixed-point sum >= sure holds, one < never fails, between them the float sums decide."""
    offset = Fraction(0)
    for side, sign in ((constraint.plus, 1), (constraint.minus, -1)):
        if side >= 0:
            offset += sign * Fraction(float(scores.base[side]))
        else:
            offset += sign * Fraction(constraint.level) * int(scores.divisor)
    scaled = -offset * int(scores.scale) if scores.scale >= 1 else -offset * Fraction(scores.scale)
    whole = math.ceil(scaled)
    if scores.exact and ((constraint.plus >= 0 and constraint.minus >= 0) or constraint.level == 0.0):
        need = min(max(whole + int(constraint.strict and whole == scaled), -_FAR), _FAR)
        return need, need
    size = 2.0 * (scores.size + abs(constraint.level) * scores.divisor)
    rounding = 1.01 * (scores.n_trees + 8) * _UNIT_ROUNDOFF * size * scores.scale
    slack = 2 * (scores.n_trees + 2) + math.ceil(rounding)
    return max(min(whole + slack, _FAR), -_FAR), max(min(whole - slack, _FAR), -_FAR)
