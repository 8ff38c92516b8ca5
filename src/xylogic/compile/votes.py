"""What a diagram is to say about the sums of a forest's leaf values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from xylogic.model.ensemble import Ensemble
from xylogic.model.sums import Constraint, Scores, beats, needs

__all__ = ["Question", "band_of", "election", "wins", "wins_against"]


@dataclass(frozen=True, eq=False)
class Question:
    """Constraints, and the labels they lead to.

    Attributes
    ----------
    constraints : as asked of the model's float sums.
    n_classes : k > 0: constraint p says that class ``plus[p]`` beats ``minus[p]``, for every pair; labels are the
        classes. 0: labels are 0 (some constraint fails) and 1 (all hold).
    sure, never : int64 (n_constraints,); a sum >= sure holds, a sum < never fails, between them floats decide.
    """

    constraints: tuple[Constraint, ...]
    n_classes: int
    plus: NDArray[np.int32]
    minus: NDArray[np.int32]
    sure: NDArray[np.int64]
    never: NDArray[np.int64]

    @property
    def n_labels(self) -> int:
        return self.n_classes or 2

    def scaled(self, share: float) -> Question:
        """The question for a share of the trees: what a sum must reach, scaled down."""
        sure, never = ((bound * share).astype(np.int64) for bound in (self.sure, self.never))
        return replace(self, sure=sure, never=np.minimum(sure, never))

    def worth(self, fixed: NDArray[np.int64]) -> NDArray[np.int64]:
        """What leaf values, in fixed point (n, n_scores), add to the constraints' sums: (n, n_constraints)."""
        columns = []
        for c in self.constraints:
            column = np.zeros(len(fixed), np.int64)
            if c.plus >= 0:
                column += fixed[:, c.plus]
            if c.minus >= 0:
                column -= fixed[:, c.minus]
            columns.append(column)
        return np.ascontiguousarray(np.column_stack(columns))


def _question(scores: Scores, constraints: Sequence[Constraint], pairs: Sequence[tuple[int, int]] = ()) -> Question:
    bounds = np.array([needs(c, scores) for c in constraints], np.int64)
    bounds = bounds.reshape(-1, 2)
    sides = np.array(pairs or [(0, 0)] * len(constraints), np.int32).reshape(-1, 2)
    return Question(
        tuple(constraints),
        len(set(sides.ravel().tolist())) if pairs else 0,
        np.ascontiguousarray(sides[:, 0]),
        np.ascontiguousarray(sides[:, 1]),
        np.ascontiguousarray(bounds[:, 0]),
        np.ascontiguousarray(bounds[:, 1]),
    )


def election(model: Ensemble, scores: Scores) -> Question:
    """Which class the model predicts; it has at least two."""
    pairs = list(combinations(range(len(model.classes or ())), 2))
    return _question(scores, [beats(model, a, b, None) for a, b in pairs], pairs)


def wins(model: Ensemble, scores: Scores, winner: int, strict: bool | None) -> Question:
    """Whether a class beats every other: by the model's tie rule (``strict=None``), or tied classes win as well."""
    others = [c for c in range(len(model.classes or ())) if c != winner]
    return _question(scores, [beats(model, winner, c, strict) for c in others])


def wins_against(model: Ensemble, scores: Scores, winner: int, other: int, strict: bool | None) -> Question:
    """Whether one class beats another."""
    return _question(scores, [beats(model, winner, other, strict)])


def band_of(scores: Scores, low: float, high: float) -> Question:
    """Whether a regression stays in the closed interval; an end may be infinite, not both."""
    ends = [Constraint(0, -1, False, low)] if np.isfinite(low) else []
    ends += [Constraint(-1, 0, False, high)] if np.isfinite(high) else []
    return _question(scores, ends)
