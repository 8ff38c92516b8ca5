"""What the model says of a row, and which decisions count as another one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.domain.cells import Cells
from xylogic.domain.labels import label_position
from xylogic.errors import InvalidInputError
from xylogic.explain.engines import Route
from xylogic.model import predict
from xylogic.model.ensemble import Ensemble
from xylogic.reason.decision import Decision
from xylogic.search.engine import Engine, Goal

__all__ = ["Verdict", "Voice"]


@dataclass(frozen=True, eq=False)
class Voice:
    """What an explanation needs of its explainer."""

    model: Ensemble
    engine: Engine
    cells: Sequence[Cells]
    ties: str
    band: float | tuple[float, float] | None
    new_budget: Callable[[], Budget]
    route: Route


class Verdict:
    """The model's own answer about one row."""

    def __init__(self, voice: Voice, values: NDArray[np.float64], cast: NDArray[np.float64]) -> None:
        self._voice = voice
        self._scores = predict.scores(voice.model, cast)
        model = voice.model
        self._position = int(predict.decide(model, self._scores)[0])
        if model.classes is None:
            flip = partition = Goal("band", band=self._band())
        else:
            winners = _tied(voice.model, self._scores[0]) if voice.ties == "merged" else (self._position,)
            flip, partition = _goals(voice.ties, winners)
        self._decision = Decision(
            engine=voice.engine,
            cells=voice.cells,
            values=values,
            states=voice.engine.forest.states(cast[0]),
            flip=flip,
            partition=partition,
            reaches=partial(_reaches, voice.model),
        )

    @property
    def row(self) -> dict[str, Any]:
        """The row that is explained, by name."""
        return dict(self._decision.row)

    @property
    def prediction(self) -> Any:
        """The class, or number, that the model predicts."""
        model = self._voice.model
        return float(self._scores[0, 0]) if model.classes is None else model.classes[self._position]

    @property
    def scores(self) -> dict[Any, float]:
        """Each class's score; of a single score for two classes, 0 and that score. Regression: the prediction."""
        model = self._voice.model
        if model.classes is None:
            return {"prediction": float(self._scores[0, 0])}
        return dict(zip(model.classes, _by_class(model, self._scores[0]), strict=True))

    @property
    def margin(self) -> float:
        """The score of the class less the best other one's (0 at ties); regression: the way to the nearer band end."""
        model = self._voice.model
        if model.classes is None:
            low, high = self._band()
            return min(self.prediction - low, high - self.prediction)
        scores = _by_class(model, self._scores[0])
        others = scores[: self._position] + scores[self._position + 1 :]
        return scores[self._position] - max(others) if others else math.inf

    def _band(self) -> tuple[float, float]:
        band, value = self._voice.band, float(self._scores[0, 0])
        assert band is not None
        low, high = band if isinstance(band, tuple) else (value - band, value + band)
        if not low <= value <= high:
            raise InvalidInputError(
                f"the prediction {value!r} lies outside the band ({low!r}, {high!r}); a band around it is accepted"
            )
        return low, high

    def _targets(self) -> dict[int, Any]:
        """The classes that are not the decision's own."""
        model, ties = self._voice.model, self._voice.ties
        if model.classes is None:
            raise InvalidInputError("a regression model has no other classes; ask necessary_reasons() of the band")
        own = (self._position,) if ties == "model" else _tied(model, self._scores[0])
        return {c: label for c, label in enumerate(model.classes) if c not in own}

    def _target_goal(self, target: Any) -> Goal:
        possible = self._targets()
        position = label_position(target, self._voice.model.classes or ())
        if position in possible:
            return Goal("target", self._voice.ties, target=position)
        why = "is no class of the model" if position is None else "is the decision itself"
        raise InvalidInputError(
            f"{target!r} {why}; accepted: {', '.join(repr(c) for c in possible.values()) or 'none'}"
        )


def _by_class(model: Ensemble, score: NDArray[np.float64]) -> list[float]:
    return [0.0, float(score[0])] if model.is_binary_sum else [float(s) for s in score]


def _tied(model: Ensemble, score: NDArray[np.float64]) -> tuple[int, ...]:
    """The positions of the classes with the best score."""
    scores = _by_class(model, score)
    return tuple(c for c, s in enumerate(scores) if s == max(scores))


def _reaches(model: Ensemble, row: dict[str, Any], goal: Goal) -> bool:
    """Whether the model decides about a row as a goal wants."""
    score = predict.scores(model, model.encode([row]))
    if model.classes is None:
        return not goal.band[0] <= score[0, 0] <= goal.band[1]
    best = _tied(model, score[0]) if goal.ties != "model" else (int(predict.decide(model, score)[0]),)
    return goal.target in best if goal.kind == "target" else not set(best) & set(goal.winners)


@cache
def _goals(ties: str, winners: tuple[int, ...]) -> tuple[Goal, Goal]:
    return Goal("flip", ties, winners), Goal("partition", ties, winners)
