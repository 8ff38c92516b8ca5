"""One decision of one model: the row, its states, what was decided, and what would count as a change."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.box import Clause, Term
from xylogic.domain.cells import Cells, StateSet
from xylogic.search.engine import Engine, Goal, States
from xylogic.search.sets import members

__all__ = ["Decision"]


@dataclass(frozen=True, eq=False)
class Decision:
    """What all questions about one row start from.

    Attributes
    ----------
    engine : the model's engine over the cells in use.
    cells : the cells of every model feature.
    values : float64 (n_model_features,), the row before the cast; categories as codes, NaN missing.
    states : the row's states.
    flip, partition : the goals "the decision changes", the second by disjoint games.
    reaches : whether the model, asked again, decides about a row as a goal wants.
    """

    engine: Engine
    cells: Sequence[Cells]
    values: NDArray[np.float64]
    states: States
    flip: Goal
    partition: Goal
    reaches: Callable[[dict[str, Any], Goal], bool]

    @property
    def columns(self) -> NDArray[np.int32]:
        """The model feature of each of the engine's features."""
        return self.engine.forest.columns

    @cached_property
    def row(self) -> dict[str, Any]:
        """The row as Python scalars, by name."""
        return {c.name: _scalar(c, float(v)) for c, v in zip(self.cells, self.values, strict=True)}

    @cached_property
    def _own(self) -> list[StateSet]:
        cells = self.engine.forest.cells
        return [StateSet(c, (int(s),)) for c, s in zip(cells, self.states[:-1], strict=True)]

    def term(self, features: NDArray[np.uint64]) -> Term:
        """The instance's own cells of a bit set of features, all of them."""
        return Term({self._own[f].cells.name: self._own[f] for f in members(features)})

    def clause(self, features: NDArray[np.uint64]) -> Clause:
        """The instance's own cells of a bit set of features, one of them."""
        return Clause({self._own[f].cells.name: self._own[f] for f in members(features)})

    def names(self, features: NDArray[np.uint64]) -> tuple[str, ...]:
        return tuple(self._own[f].cells.name for f in members(features))

    def changed_row(
        self, states: NDArray[np.int32], numbers: dict[tuple[int, int], float] | None = None
    ) -> dict[str, Any]:
        """The row with the features whose state differs moved to ``states``; ``numbers`` holds
        the new ones by feature and state."""
        row = dict(self.row)
        for f in np.flatnonzero(states[: len(self.columns)] != self.states[:-1]):
            cells, state = self.engine.forest.cells[f], int(states[f])
            origin = float(self.values[self.columns[f]])
            if state == cells.n_values:
                row[cells.name] = float("nan")
            elif numbers is not None and not cells.is_set:
                row[cells.name] = cells.scalar(state, numbers[int(f), state])
            else:
                row[cells.name] = cells.simple(state, origin)
        return row

    def confirmed(self, row: dict[str, Any], goal: Goal) -> dict[str, Any]:
        """``row``, after the model was asked again whether it reaches ``goal``."""
        if not self.reaches(row, goal):
            raise AssertionError(f"the model does not decide about {row!r} as was found; please report this")
        return row


def _scalar(cells: Cells, value: float) -> Any:
    """A value of the row as the Python scalar of its feature."""
    if math.isnan(value):
        return value
    if cells.is_set:
        return cells.feature.categories[int(value)]
    return {"integer": int, "boolean": bool}.get(cells.feature.kind, float)(value)
