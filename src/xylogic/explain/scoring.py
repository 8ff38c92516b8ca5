"""The question "how much does each feature count": exact, estimated where a limit is reached, or by expected values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from xylogic.budget import Budget
from xylogic.checks import check_choice
from xylogic.circuit.diagram import distribution
from xylogic.errors import BudgetExceeded, InvalidInputError
from xylogic.explain.engines import Reasoner
from xylogic.importance.expected import expected_value_scores
from xylogic.importance.indices import INDICES, exact_scores
from xylogic.importance.sampling import sample_pivots
from xylogic.importance.scores import Importance
from xylogic.model.ensemble import Ensemble
from xylogic.reason.answers import EXACT, PARTIAL
from xylogic.reason.decision import Decision

__all__ = ["EXPECTED_VALUE", "SCORES", "Question"]

EXPECTED_VALUE = "expected-value"
SCORES = (*INDICES, EXPECTED_VALUE)
Answer = tuple[Importance, BaseException | None, dict[str, Any]]


@dataclass(frozen=True, eq=False)
class Question:
    """What :meth:`Explanation.importance` was asked; see there."""

    index: str
    normalised: bool
    marginals: Mapping[str, ArrayLike] | None
    samples: int
    random_state: int | None

    def __post_init__(self) -> None:
        check_choice("index", self.index, SCORES)
        if self.marginals is not None and self.index != EXPECTED_VALUE:
            raise InvalidInputError(f"marginals go with index={EXPECTED_VALUE!r}; {self.index!r} asks for none")
        if not isinstance(self.normalised, bool | np.bool_):
            raise InvalidInputError(f"normalised is {self.normalised!r}; True or False is accepted")
        if not isinstance(self.marginals, Mapping | None):
            raise InvalidInputError(
                f"marginals is {str(self.marginals)[:80]!r}; a dict feature name -> probabilities of states is accepted"
            )
        if not (isinstance(self.samples, int | np.integer) and self.samples >= 1):
            raise InvalidInputError(f"samples is {self.samples!r}; a whole number >= 1 is accepted")
        if self.random_state is not None and not (
            isinstance(self.random_state, int | np.integer) and self.random_state >= 0
        ):
            raise InvalidInputError(f"random_state is {self.random_state!r}; a whole number >= 0, or None, is accepted")

    @property
    def name(self) -> str:
        """The question among an explanation's answers."""
        return f"{'normalised_' * self.normalised}{self.index.replace('-', '_')}_importance"

    def answer(self, model: Ensemble, position: int, decision: Decision, work: Reasoner, budget: Budget) -> Answer:
        """The scores, what stopped the exact ones, bounds. Raises BudgetExceeded and KeyboardInterrupt."""
        if self.index == EXPECTED_VALUE:
            return self._finished(self._expected(model, position, decision, budget)), None, {}
        half = None if budget.remaining is None else budget.remaining / 2
        exact = Budget(half, budget.node_limit, budget.memory_limit) if self.index == "shapley" else budget
        try:
            game = work.game(exact)
            given = exact_scores(game, self.index, exact)
        except BudgetExceeded as stop:
            if stop.interrupted or self.index != "shapley":
                raise
            return self._estimated(decision, work, budget, stop)
        scores: dict[str, Fraction | float] = {cells.name: Fraction() for cells in decision.cells}
        unit = Fraction(2 ** (len(scores) - game.n_players) if self.index == "johnston" and not self.normalised else 1)
        scores |= {name: score * unit if unit != 1 else score for name, score in zip(game.players, given, strict=True)}
        return self._finished(Importance(scores, self.index, EXACT)), None, {"relevant": game.n_players}

    def _finished(self, scores: Importance) -> Importance:
        return scores.normalised() if self.normalised else scores

    def _estimated(self, decision: Decision, work: Reasoner, budget: Budget, stop: BudgetExceeded) -> Answer:
        engine = decision.engine
        if budget.node_limit is not None:
            budget = Budget(budget.remaining, None, budget.memory_limit)  # each search of the estimate is a small one
        found = sample_pivots(
            engine, decision.flip, decision.states, work.conflicts(), self.samples, self.random_state, budget
        )
        scores: dict[str, float] = {cells.name: 0.0 for cells in decision.cells}
        intervals = dict.fromkeys(scores, (0.0, 0.0))
        for f, cells in enumerate(engine.forest.cells):
            if cells.n_states > 1:
                scores[cells.name] = float(found.values[f])
                intervals[cells.name] = (float(found.low[f]), float(found.high[f]))
        made = self._finished(Importance(scores, self.index, PARTIAL, intervals))
        widest = max((high - low for low, high in made.intervals.values()), default=0.0)
        bounds = {"orders": found.orders, "unknown": found.unknown, "widest interval": widest, "confidence": 0.95}
        return made, stop, bounds

    def _expected(self, model: Ensemble, position: int, decision: Decision, budget: Budget) -> Importance:
        engine = decision.engine
        given = dict(self.marginals or {})
        weights = {cells.name: distribution(cells, given.pop(cells.name, None)) for cells in decision.cells}
        if given:
            raise InvalidInputError(
                f"marginals: there is no feature {next(iter(given))!r}; accepted: {', '.join(weights)}"
            )
        values = engine.scores.values / engine.scores.divisor
        if model.classes is not None and model.is_binary_sum:
            value = values[:, 0] if position == 1 else -values[:, 0]
        else:
            value = values[:, 0 if model.classes is None else position]
        by_feature = [weights[cells.name] for cells in engine.forest.cells]
        found = expected_value_scores(engine, value, decision.states, by_feature, budget)
        scores = dict.fromkeys(weights, 0.0)
        scores |= {cells.name: float(s) for cells, s in zip(engine.forest.cells, found, strict=True)}
        return Importance(scores, self.index, EXACT)
