"""The states of one feature: the cells that a model's cuts make of its domain, and values inside them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.feature import Feature
from xylogic.domain.levels import Levels, is_missing
from xylogic.errors import InvalidInputError

__all__ = ["Cells", "StateSet", "is_missing", "make_cells", "runs"]


@dataclass(frozen=True)
class Cells:
    """The states 0 .. n_states - 1 of one feature.

    Ordered features: state s holds the numbers ``cuts[s - 1] < x <= cuts[s]`` of the precision ``cast``, within
    the ``limits`` that the model accepts. Categories: state s is category s. The state behind the last value, where
    ``missing`` says so, is "missing".
    """

    feature: Feature
    cuts: tuple[float, ...]
    cast: str
    missing: bool
    limits: tuple[float, float] = (-math.inf, math.inf)

    @property
    def name(self) -> str:
        return self.feature.name

    @property
    def word(self) -> str:
        """The name as texts show it."""
        return shown(self.feature.name)

    @property
    def is_set(self) -> bool:
        """Whether the states have no order."""
        return self.feature.kind == "categorical"

    @property
    def n_values(self) -> int:
        return len(self.feature.categories) if self.is_set else len(self.cuts) + 1

    @property
    def n_states(self) -> int:
        return self.n_values + self.missing

    @cached_property
    def _cuts(self) -> NDArray[np.float64]:
        return np.array(self.cuts, dtype=np.float64)

    def states(self, values: NDArray[np.float64]) -> NDArray[np.int32]:
        """The state of each number or category code; NaN is "missing" and needs that state. O(n log cuts)."""
        absent = np.isnan(values)
        if absent.any() and not self.missing:
            raise InvalidInputError(
                f"column {self.name!r}: a missing value, where 'missing' is no state of the feature"
            )
        if self.is_set:
            return np.where(absent, self.n_values, values).astype(np.int32)
        states = np.searchsorted(self._cuts, self.round(values), side="left").astype(np.int32)
        states[absent] = self.n_values
        return states

    def cut_indices(self, cuts: NDArray[np.float64]) -> NDArray[np.int32]:
        """Of each cut, the last state whose numbers are all <= it (-1: none): int32 (n,). O(n log cuts)."""
        last = np.searchsorted(self._cuts, cuts, side="right").astype(np.int32) - np.int32(1)
        return np.where(cuts >= self.top, np.int32(self.n_values - 1), last)

    @property
    def top(self) -> float:
        """The greatest number that the model accepts."""
        return min(self.limits[1], 1.0) if self.feature.kind == "boolean" else self.limits[1]

    def touched(self, low: float, high: float) -> list[int]:
        """The ordered states that a closed interval touches, its ends rounded as the model sees them."""
        low, high = self.round(np.array([low, high])).tolist()
        ends = [self.ends(s) for s in range(self.n_values)]
        return [s for s, (a, b) in enumerate(ends) if max(a, low) <= min(b, high)]

    def round(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Numbers as the model sees them."""
        return values.astype(np.float32).astype(np.float64) if self.cast == "float32" else values

    def ends(self, state: int) -> tuple[float, float]:
        """The least and the greatest number of an ordered state; infinite where it is open."""
        whole = self.feature.kind in ("integer", "boolean")
        if self.feature.kind == "boolean" and len(self.cuts) == 1:
            return float(state), float(state)
        low, high = -math.inf, math.inf
        if state > 0:
            low = self._above(self.cuts[state - 1])
            low = float(math.ceil(low)) if whole else low
        if state < len(self.cuts):
            high = self.cuts[state]
        if self.feature.kind == "boolean":
            low, high = max(low, 0.0), min(high, 1.0)
        return low, high

    def _above(self, number: float) -> float:
        if self.cast == "float32":
            return float(np.nextafter(np.float32(number), np.float32(np.inf)))
        return math.nextafter(number, math.inf)

    def allowed(self, state: int) -> tuple[float, float] | None:
        """The ends of what of an ordered state lies within the feature's bounds; ``None`` if nothing does."""
        low, high = self.ends(state)
        lower, upper = self._bounds()
        if self.feature.kind != "numeric":
            lower = math.ceil(lower) if math.isfinite(lower) else lower
            upper = math.floor(upper) if math.isfinite(upper) else upper
        low, high = max(low, float(lower)), min(high, float(upper))
        return (low, high) if low <= high else None

    def closest(self, state: int, origin: float) -> float | None:
        """The allowed number of an ordered state that is nearest to ``origin``; ``None`` if the bounds forbid all."""
        ends = self.allowed(state)
        if ends is None:
            return None
        low, high = ends
        if math.isnan(origin):
            origin = 0.0
        return min(max(origin, low), high)

    def scalar(self, state: int, number: float) -> Any:
        """``number`` as the Python scalar of the feature's kind, as the shortest decimal of the cast precision."""
        kind = self.feature.kind
        if self.is_set:
            return self.feature.categories[state]
        if kind == "boolean":
            return bool(number)
        if kind == "integer":
            return int(number)
        short = float(self.decimal(number))
        lower, upper = self._bounds()
        return short if lower <= short <= upper and self.states(np.array([short]))[0] == state else number

    def _bounds(self) -> tuple[float, float]:
        """The user's bounds on changed values."""
        lower, upper = self.feature.lower, self.feature.upper
        return (-math.inf if lower is None else lower), (math.inf if upper is None else upper)

    def simple(self, state: int, origin: float) -> Any:
        """A number of the state, on the side of ``origin``, with as few decimals as the state has room for."""
        if self.is_set or self.feature.kind != "numeric":
            return self.scalar(state, state if self.is_set else self._whole(state, origin))
        low, high = self.ends(state)
        if low == -math.inf and high == math.inf:
            return 0.0
        upward = high == math.inf or (low > -math.inf and not origin > high)
        edge = low if upward else high
        # Multiples of ever smaller powers of ten: one as large as the cell is wide lies in it, but for rounding.
        room = Decimal(high) - Decimal(low) if math.isfinite(low) and math.isfinite(high) else Decimal(edge) / 10
        top = room.adjusted() if room else 0
        for exponent in range(top, top - 40, -1):
            step = Decimal((0, (1,), exponent))
            multiple = (Decimal(edge) / step).to_integral_value(ROUND_CEILING if upward else ROUND_FLOOR)
            number = float(multiple * step)
            if math.isfinite(number) and self.states(np.array([number]))[0] == state:
                return number
        return self.scalar(state, edge)

    def _whole(self, state: int, origin: float) -> float:
        low, high = self.ends(state)
        return min(max(0.0 if math.isnan(origin) else origin, low), high)

    def decimal(self, number: float) -> str:
        """The shortest decimal that the cast precision reads as ``number``; whole numbers without a point."""
        if abs(number) < 1e15 and number == int(number):
            return str(int(number))
        return str(np.float32(number)) if self.cast == "float32" else repr(float(number))

    def describe(self, states: Iterable[int]) -> str:
        """The set of states as a condition in the user's words; runs of ordered states become intervals."""
        chosen = sorted(states)
        if self.missing and chosen == list(range(self.n_values)):
            return f"{self.word} is not missing"
        parts = []
        if self.is_set:
            named = [shown(self.feature.categories[s]) for s in chosen if s < self.n_values]
            if len(named) == 1:
                parts.append(f"{self.word} = {named[0]}")
            elif named:
                parts.append(f"{self.word} in {{{', '.join(named)}}}")
        else:
            parts += [self._interval(first, last) for first, last in runs([s for s in chosen if s < self.n_values])]
        if self.missing and self.n_values in chosen:
            parts.append(f"{self.word} is missing")
        return " or ".join(part for part in parts if part) or f"{self.word} is anything"

    def describe_range(self, first: int, last: int, missing: bool) -> str:
        """``describe`` of the ordered states ``first`` to ``last``, with or without "missing", in constant time."""
        if self.missing and not missing and (first, last) == (0, self.n_values - 1):
            return f"{self.word} is not missing"
        parts = [self._interval(first, last)] if first <= last else []
        parts += [f"{self.word} is missing"] if missing else []
        return " or ".join(part for part in parts if part) or f"{self.word} is anything"

    def _interval(self, first: int, last: int) -> str:
        whole = self.feature.kind in ("integer", "boolean")
        low, high = self.ends(first)[0], self.ends(last)[1]
        if whole and low == high:
            return f"{self.word} = {bool(low) if self.feature.kind == 'boolean' else int(low)}"
        left = right = ""
        if low > -math.inf and first > 0:
            left = f"{self.decimal(low)} <= " if whole else f"{self.decimal(self.cuts[first - 1])} < "
        if high < math.inf and last < self.n_values - 1:
            right = f" <= {self.decimal(high)}"
        if left and not right:
            return (
                f"{self.word} >= {self.decimal(low)}"
                if whole
                else f"{self.word} > {self.decimal(self.cuts[first - 1])}"
            )
        return f"{left}{self.word}{right}" if left or right else ""


def runs(states: Sequence[int]) -> list[tuple[int, int]]:
    """The maximal runs (first, last) of consecutive numbers in an ascending sequence."""
    found: list[tuple[int, int]] = []
    for state in states:
        if found and found[-1][1] == state - 1:
            found[-1] = (found[-1][0], state)
        else:
            found.append((state, state))
    return found


def shown(label: Hashable) -> str:
    """A name or category in a line of text: as it is, in quotes where that would not show what it is."""
    text = str(label)
    return text if text.isprintable() and text.strip() == text != "" else repr(text)


def make_cells(feature: Feature, cast: str, limits: tuple[float, float], *, missing: bool) -> Cells:
    """The cells of ``feature`` by its own cuts, none of them empty.

    Cuts with no accepted number on one side separate nothing; integers make cuts whole; booleans keep those between
    0 and 1.
    """
    cuts: Iterable[float] = [cut for cut in feature.cuts if limits[0] <= cut < limits[1]]
    if feature.kind == "integer":
        cuts = {float(math.floor(cut)) for cut in cuts}
    elif feature.kind == "boolean":
        cuts = {0.0 for cut in cuts if 0.0 <= cut < 1.0}
    elif feature.kind == "categorical":
        cuts = ()
    return Cells(feature, tuple(sorted(cuts)), cast, missing, limits)


@dataclass(frozen=True)
class StateSet:
    """A set of states of one feature. ``value in set`` asks of raw values, ``states`` are the state numbers."""

    cells: Cells
    states: tuple[int, ...]

    def __contains__(self, value: Hashable) -> bool:
        code = _code(self.cells, value)
        if code is None or (math.isnan(code) and not self.cells.missing):
            return False
        return int(self.cells.states(np.array([code], dtype=np.float64))[0]) in self.states

    def __iter__(self) -> Any:
        """The categories of a categorical feature."""
        if not self.cells.is_set:
            raise TypeError(f"{self} is a set of numbers and cannot be listed; ask `value in set`")
        return iter(self.cells.feature.categories[s] for s in self.states if s < self.cells.n_values)

    @property
    def intervals(self) -> tuple[tuple[float, float], ...]:
        """The numbers of the set as closed intervals (least, greatest); infinite where open."""
        found = runs([s for s in self.states if s < self.cells.n_values])
        return tuple((self.cells.ends(first)[0], self.cells.ends(last)[1]) for first, last in found)

    @property
    def has_missing(self) -> bool:
        return self.cells.missing and self.cells.n_values in self.states

    def __str__(self) -> str:
        return self.cells.describe(self.states)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: the condition in words, and its intervals (``None`` where open) or categories."""
        answer: dict[str, Any] = {"text": str(self), "missing": self.has_missing}
        if self.cells.is_set:
            answer["categories"] = list(self)
        else:
            answer["intervals"] = [
                [end if math.isfinite(end) else None for end in interval] for interval in self.intervals
            ]
        return answer


def _code(cells: Cells, value: Any) -> float | None:
    """A raw value as a number or category code; ``None`` where it is neither, NaN where it is missing."""
    if is_missing(value):
        return math.nan
    if cells.is_set:
        return Levels(cells.feature).code(value)
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
