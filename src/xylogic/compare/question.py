"""What of two models is compared, and whether they differ on given cells."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.checks import check_choice
from xylogic.compare.align import Aligned
from xylogic.domain.cells import Cells
from xylogic.errors import InvalidInputError
from xylogic.model import predict
from xylogic.model.ensemble import Ensemble

__all__ = ["OUTPUTS", "Question"]

Values = NDArray[np.float64]
OUTPUTS = ("label", "probability")


class Question:
    """Do two aligned models give the same answers: labels, class probabilities, or the numbers of a regression?

    Numbers are the same if they differ by no more than ``tolerance``, as float64 subtracts them.

    Attributes
    ----------
    pair : the models.
    kind : ``"label"``, ``"probability"`` or ``"number"``.
    """

    def __init__(self, pair: Aligned, output: str, tolerance: float) -> None:
        check_choice("output", output, OUTPUTS)
        given: Any = tolerance
        if not (isinstance(given, Real) and 0 <= float(given) < np.inf):
            raise InvalidInputError(f"tolerance is {tolerance!r}; a finite number that is not negative is accepted")
        self.pair: Aligned = pair
        self.tolerance: float = float(tolerance)
        self.kind: str = "number" if pair.classes is None else output
        if pair.classes is None and output == "probability":
            raise InvalidInputError("regression models have no class probabilities; output='label' compares numbers")
        if self.kind == "label" and tolerance:
            raise InvalidInputError("a tolerance is for numbers and probabilities; labels are equal or they differ")
        if self.kind == "probability":
            for side, model in zip(("first", "second"), pair.models, strict=True):
                if not model.has_probabilities:
                    raise InvalidInputError(f"the {side} model sums scores without a link and has no probabilities")
        self._order: NDArray[np.intp] = np.argsort(np.array(pair.class_of, np.intp))

    @cached_property
    def _values(self) -> list[Values]:
        """Per state a number of it, category code or NaN, as both models see it: one array a column."""
        return [_numbers(c) for c in self.pair.cells]

    def values(self, states: NDArray[np.int32]) -> Values:
        """Rows of states as the models see them: float64 (n, n_features)."""
        columns = [own[states[:, f]] for f, own in enumerate(self._values)]
        return np.column_stack(columns) if columns else np.zeros((len(states), 0))

    def scores(self, values: Values) -> tuple[Values, Values]:
        """Both models' scores."""
        return predict.scores(self.pair.left, values), predict.scores(self.pair.right, values)

    def answers(self, model: Ensemble, score: Values) -> NDArray[Any]:
        """What is compared of one model: positions in ``pair.classes`` (n,), or numbers (n, k)."""
        if self.kind == "number":
            return score
        right = model is self.pair.right
        if self.kind == "label":
            label = predict.decide(model, score)
            return np.array(self.pair.class_of)[label] if right else label
        share = predict.probabilities(model, score)
        return share[:, self._order] if right else share

    def both(self, states: NDArray[np.int32]) -> tuple[NDArray[Any], NDArray[Any]]:
        """What both models answer for rows of states, (n, n_features)."""
        left, right = self.scores(self.values(states))
        return self.answers(self.pair.left, left), self.answers(self.pair.right, right)

    def differ(self, a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
        """Where answers, of one or many rows, are not the same."""
        if self.kind == "label":
            return np.asarray(a != b)
        return np.asarray((np.abs(a - b) > self.tolerance).any(axis=-1))

    def ways(self) -> list[tuple[int, int]]:
        """The ways of differing: of labels (p, q), positions of what the models say; of numbers (column, sign), the
        first column that differs, sign 1 where the first model's number is the greater one, else -1."""
        n = len(self.pair.classes or (0,))
        if self.kind == "label":
            return [(p, q) for p in range(n) for q in range(n) if p != q]
        return [(column, sign) for column in range(n) for sign in (1, -1)]

    def earlier(self, column: int) -> range:
        """The columns that are not to differ where ``column`` is the first one."""
        return range(column)

    def holds(self, way: tuple[int, int], a: Any, b: Any) -> bool:
        """Whether two answers differ in this way."""
        if self.kind == "label":
            return (int(a), int(b)) == way
        column, sign = way
        differs = np.abs(a - b) > self.tolerance
        return bool(not differs[:column].any() and differs[column] and (a[column] > b[column]) == (sign > 0))

    def shown(self, answer: Any) -> Any:
        """One answer as the user reads it: a label, a number, or a dict label -> probability."""
        classes = self.pair.classes
        if classes is None:
            return float(answer[0])
        if self.kind == "label":
            return classes[int(answer)]
        return dict(zip(classes, np.asarray(answer).tolist(), strict=True))

    def asked(self, side: int, rows: Any) -> NDArray[Any]:
        """What one of the models itself answers for a table in its own names; as :meth:`answers`."""
        original = self.pair.models[side]
        score = predict.scores(original, original.encode(rows))
        return self.answers((self.pair.left, self.pair.right)[side], score)

    def confirmed(self, row: dict[str, Any]) -> tuple[Any, Any]:
        """What both models themselves say of a row on which they were found to differ."""
        a, b = (self.asked(side, [self.pair.row_for(side, row)])[0] for side in (0, 1))
        if not self.differ(a, b):
            raise AssertionError(f"the models do not differ on {row!r} as was found; please report this")
        return self.shown(a), self.shown(b)


def _numbers(c: Cells) -> Values:
    """A number of every state of a column."""
    if c.is_set:
        found: Sequence[float] = range(c.n_values)
    else:
        found = [_number_in(c, state) for state in range(c.n_values)]
    return np.array([*found, *([np.nan] if c.missing else [])], np.float64)


def _number_in(c: Cells, state: int) -> float:
    """A number of an ordered state, as the model sees it: an end of the cell."""
    low, high = c.ends(state)
    low, high = max(low, c.limits[0]), min(high, c.limits[1])
    for end in (high, low):
        if np.isfinite(end):
            return float(end)
    return 0.0 if low <= 0.0 <= high else float(low)
