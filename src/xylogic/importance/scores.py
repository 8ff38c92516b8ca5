"""``Importance``: the scores of one row's features, and how far they are proven."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from xylogic.errors import InvalidInputError

__all__ = ["Importance"]


class Importance(dict[str, float]):
    """Feature name -> score, for every feature of the model in its order.

    ``status`` : ``"exact"`` or ``"partial"``.
    ``index`` : which score.
    ``fractions`` : the scores as exact fractions, which the floats are the nearest numbers to; ``None`` where they were
        integrated in floats (Shapley and Banzhaf of many features: within 1e-12) or estimated.
    ``intervals`` : name -> (low, high), which holds the true score; of an estimate, with probability 95 % at least.
    """

    def __init__(
        self,
        scores: Mapping[str, Fraction | float],
        index: str,
        status: str,
        intervals: Mapping[str, tuple[float, float]] | None = None,
    ) -> None:
        super().__init__({name: _rounded(score, index) for name, score in scores.items()})
        self.index, self.status = index, status
        exact = all(isinstance(score, Fraction) for score in scores.values())
        self.fractions = {name: Fraction(score) for name, score in scores.items()} if exact else None
        self.intervals = dict(intervals) if intervals else {name: (score, score) for name, score in self.items()}

    def __reduce__(self) -> Any:
        given = self.fractions if self.fractions is not None else dict(self)
        return Importance, (given, self.index, self.status, self.intervals)

    def __repr__(self) -> str:
        return f"<{self.index} importance, {self.status}: {dict(self)!r}>"

    def normalised(self) -> Importance:
        """The scores, and their intervals, divided by the sum of the scores; all zeros stay so."""
        if self.fractions is not None:
            total = sum(self.fractions.values())
            return Importance(
                {k: v / total if total else v for k, v in self.fractions.items()}, self.index, self.status
            )
        sum_of_all = sum(self.values()) or 1.0
        intervals = {name: (low / sum_of_all, high / sum_of_all) for name, (low, high) in self.intervals.items()}
        return Importance({k: v / sum_of_all for k, v in self.items()}, self.index, self.status, intervals)


def _rounded(score: Fraction | float, index: str) -> float:
    try:
        return float(score)
    except OverflowError:
        raise InvalidInputError(
            f"the {index} scores, which double with each feature that decides nothing, exceed what floats hold; "
            "normalised=True is accepted"
        ) from None
