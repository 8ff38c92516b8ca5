"""What bounds are measured by: the range and the spread of the columns in the new data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from xylogic.errors import InvalidInputError
from xylogic.update.bounds import Bounds
from xylogic.update.spread_kernel import spread

__all__ = ["Reference"]

_ORDINARY = 1e-250
_LEAST = 5e-324  # so that a column that varies is never divided by 0


@dataclass(frozen=True, eq=False, slots=True)
class Reference:
    """The columns' statistics over the new data D2, float64 (m,) each.

    Attributes
    ----------
    lowest, highest : the least and the greatest value.
    scale : the population standard deviation (divided by n), 0 in constant columns.
    """

    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]
    scale: NDArray[np.float64]

    @classmethod
    def of(cls, values: NDArray[np.float64], weight: NDArray[np.float64] | None = None) -> Reference:
        """The statistics of finite values (n, m); raises InvalidInputError for no rows.

        ``weight``, positive (n,): a row of weight 2 counts as two rows.
        """
        if not len(values):
            raise InvalidInputError("the table has no rows; bounds are measured by the columns' range and deviation")
        if weight is None and (found := cls._ordinary(values)) is not None:
            return found
        lowest, highest = values.min(axis=0), values.max(axis=0)
        # Counted from the least value, lest the mean lose digits; in powers of two, lest squares overflow or vanish.
        exponent = np.frexp(np.maximum(np.abs(lowest), np.abs(highest)))[1]
        scaled = np.ldexp(values, -exponent) - np.ldexp(lowest, -exponent)
        deviation = scaled.std(axis=0) if weight is None else _deviation(scaled, weight)
        scale = np.ldexp(deviation, exponent)
        return cls(lowest, highest, np.where(lowest < highest, np.maximum(scale, _LEAST), 0.0))

    @classmethod
    def _ordinary(cls, values: NDArray[np.float64]) -> Reference | None:
        """The same, unless squares overflow or vanish."""
        lowest, highest, mean, squares = np.empty((4, values.shape[1]))
        spread(np.ascontiguousarray(values), lowest, highest, mean, squares)
        varies = lowest < highest
        if not (np.isfinite(squares).all() and (squares[varies] > _ORDINARY).all()):
            return None
        return cls(lowest, highest, np.where(varies, np.sqrt(squares / len(values)), 0.0))

    @property
    def is_constant(self) -> NDArray[np.bool_]:
        """The columns with one value only, whose differences count 0: bool (m,)."""
        return self.lowest == self.highest

    def clip(self, bounds: Bounds) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The finite bounds l' = max(l, lowest) and u' = min(u, highest): float64 (n, m) each.

        For a row of D2, lowest <= l' <= x <= u' <= highest; of other rows they are merely finite.
        """
        return np.maximum(bounds.lower, self.lowest), np.minimum(bounds.upper, self.highest)

    def in_deviations(self, differences: NDArray[np.float64]) -> NDArray[np.float64]:
        """Differences of bounds (n, m) divided by the deviations; 0 in constant columns."""
        return np.divide(differences, self.scale, out=np.zeros_like(differences), where=~self.is_constant)


def _deviation(values: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    share = weight / weight.sum()
    spread: NDArray[np.float64] = np.sqrt(share @ np.square(values - share @ values))
    return spread
