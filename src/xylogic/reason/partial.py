"""Partial rows: which classes can a row that is known in part still get?"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from xylogic.budget import Budget
from xylogic.domain.cells import Cells, is_missing, runs
from xylogic.domain.table import read_values
from xylogic.errors import InvalidInputError
from xylogic.search.engine import Engine, Goal

__all__ = ["PartialRow", "mentions_missing"]


def mentions_missing(value: Any) -> bool:
    """Whether one entry of a partial row allows a missing value."""
    return any(is_missing(item) for item in value) if isinstance(value, set | frozenset) else is_missing(value)


class PartialRow:
    """What a partial row allows: for every model feature the states, and how to make a value of each.

    ``partial``: name -> a value, a set of values, or (low, high), a closed interval; names left out may be anything.
    Raises InvalidInputError, naming the feature, for anything else.
    """

    def __init__(self, partial: Mapping[str, Any], cells: Sequence[Cells]) -> None:
        self._cells = {c.name: c for c in cells}
        self._entries: dict[str, Any] = {}
        self.allowed: dict[str, list[int]] = {}
        if not isinstance(partial, Mapping):
            raise InvalidInputError(
                f"a partial row is a dict from feature name to value; got a {type(partial).__name__}"
            )
        for name, entry in partial.items():
            if name not in self._cells:
                raise InvalidInputError(f"there is no feature {name!r}; accepted: {', '.join(self._cells)}")
            self._read(self._cells[name], entry)

    def _read(self, cells: Cells, entry: Any) -> None:
        if isinstance(entry, tuple) and not cells.is_set:
            low, high = self._interval(cells, entry)
            self._entries[cells.name] = (low, high)
            states = cells.touched(low, high)
        else:
            values = list(entry) if isinstance(entry, set | frozenset) else [entry]
            codes = read_values(values, cells.feature)
            for code, value in zip(codes, values, strict=True):
                if not cells.limits[0] <= code <= cells.limits[1] and not math.isnan(code):
                    raise InvalidInputError(f"feature {cells.name!r}: {value!r} is infinite or too large for the model")
            rounded = codes if cells.is_set else cells.round(np.array(codes))
            places = cells.states(np.array(rounded, dtype=np.float64)).tolist() if codes else []
            self._entries[cells.name] = dict(zip(places[::-1], values[::-1], strict=True))
            states = sorted(set(places))
        if not states:
            raise InvalidInputError(f"feature {cells.name!r}: {entry!r} allows no value")
        self.allowed[cells.name] = states

    @staticmethod
    def _interval(cells: Cells, entry: tuple[Any, ...]) -> tuple[float, float]:
        try:
            low, high = (float(end) for end in entry)
        except (TypeError, ValueError):
            raise InvalidInputError(
                f"feature {cells.name!r}: an interval is (low, high), two numbers; got {entry!r}"
            ) from None
        if not low <= high:
            raise InvalidInputError(f"feature {cells.name!r}: the interval {entry!r} is empty; low <= high is accepted")
        return low, high

    def witness(self, engine: Engine, goal: Goal, budget: Budget) -> dict[str, Any] | None:
        """A complete row that the partial one allows and that reaches ``goal``; ``None`` if there is none."""
        forest = engine.forest
        choices = []
        for cells in forest.cells:
            allowed = self.allowed.get(cells.name) or list(range(cells.n_states))
            choices.append([tuple(allowed)] if cells.is_set else self._pieces(cells, allowed))
        states = np.array([choice[0][0] for choice in choices] + [0], dtype=np.int32)
        every = np.full(engine.width, 2**64 - 1, np.uint64)
        with engine.search(goal, states, budget) as (search, work):
            for box in itertools.product(*choices):
                work.restrict(forest, box)
                if search.can_flip(every):
                    return self.row({c.name: int(work.witness[f]) for f, c in enumerate(forest.cells)})
        return None

    @staticmethod
    def _pieces(cells: Cells, states: Sequence[int]) -> list[tuple[int, ...]]:
        """Ordered states as runs; "missing" goes with the first."""
        found = [tuple(range(a, b + 1)) for a, b in runs([s for s in states if s < cells.n_values])]
        if cells.missing and cells.n_values in states:
            found = [(*(found[0] if found else ()), cells.n_values), *found[1:]]
        return found

    def row(self, place: Mapping[str, int]) -> dict[str, Any]:
        """A complete row: a value of each named state, which the partial row allows, and any value of the rest."""
        row = {}
        for name, cells in self._cells.items():
            entry = self._entries.get(name)
            state = place.get(name, self.allowed.get(name, [0])[0])
            if isinstance(entry, dict):
                row[name] = entry[state]
            elif state == cells.n_values and cells.missing:
                row[name] = math.nan
            elif isinstance(entry, tuple):
                row[name] = self._within(cells, state, entry)
            else:
                row[name] = cells.simple(state, math.nan)
        return row

    @staticmethod
    def _within(cells: Cells, state: int, interval: tuple[float, float]) -> Any:
        """A value of the state in the closed interval."""
        low, high = (f(pair) for f, pair in zip((max, min), zip(cells.ends(state), interval, strict=True), strict=True))
        # An end of the interval may belong to the cell by rounding to the cast alone.
        numbers = [n for n in (low, high, 0.0, *interval) if math.isfinite(n) and interval[0] <= n <= interval[1]]
        for number in numbers:
            if cells.states(np.array([number]))[0] == state:
                short = cells.scalar(state, number)
                return short if interval[0] <= short <= interval[1] else number
        raise AssertionError(f"no number of {interval!r} in state {state} of {cells.name!r}")
