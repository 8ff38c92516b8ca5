"""What is known of one input column."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from xylogic.errors import InvalidInputError

__all__ = ["KINDS", "Feature"]

KINDS = ("numeric", "integer", "categorical", "boolean")


@dataclass(frozen=True)
class Feature:
    """One input column of a model, and what the user says of changing it.

    Parameters
    ----------
    name : column name.
    kind : ``"numeric"``, ``"integer"``, ``"categorical"`` or ``"boolean"``.
    categories : the levels of a categorical feature, in code order; any hashable scalars.
    cuts : the model's distinct cuts ``x <= cut``, ascending, in the precision it compares in.
    may_be_missing : whether "missing" is one of the feature's states.
    mutable : whether a counterfactual may change it.
    cost, scale : a change from a to b costs ``cost * |a - b| / scale`` (a changed category: ``cost``);
        ``scale=None`` is the range of the cuts, or 1.
    lower, upper : bounds on changed values, inclusive; ``None`` is no bound.
    other : the category that stands for every level not listed; ``None``: such levels are refused.
    """

    name: str
    kind: str = "numeric"
    categories: tuple[Hashable, ...] = ()
    cuts: tuple[float, ...] = ()
    may_be_missing: bool = False
    mutable: bool = True
    cost: float = 1.0
    scale: float | None = None
    lower: float | None = None
    upper: float | None = None
    other: Hashable | None = None

    def __post_init__(self) -> None:
        def refuse(what: str) -> InvalidInputError:
            return InvalidInputError(f"feature {self.name!r}: {what}")

        if not isinstance(self.name, str):
            raise InvalidInputError(f"feature name {self.name!r} is not a str")
        if self.kind not in KINDS:
            raise refuse(f"kind {self.kind!r} is unknown; accepted: {', '.join(KINDS)}")
        given: Any = self.categories
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise refuse(f"categories are {given!r}; a sequence is accepted")
        levels = tuple(level.item() if isinstance(level, np.generic) else level for level in given)
        object.__setattr__(self, "categories", levels)
        for level in levels:
            if not isinstance(level, Hashable) or level is None or level != level:
                raise refuse(f"category {level!r} is no hashable scalar; None and NaN stand for a missing value")
        if (self.kind == "categorical") != bool(levels):
            raise refuse("categories belong to kind 'categorical', which needs at least one")
        if len(set(levels)) != len(levels):
            raise refuse("a category is listed twice")
        if self.other is not None and not (isinstance(self.other, Hashable) and self.other in levels):
            raise refuse(f"other is {self.other!r}, which is not one of its categories")
        for flag in ("mutable", "may_be_missing"):
            if not isinstance(getattr(self, flag), bool | np.bool_):
                raise refuse(f"{flag} is {getattr(self, flag)!r}; True or False is accepted")
        if not (_is_finite(self.cost) and self.cost >= 0):
            raise refuse(f"cost is {self.cost!r}; a finite number >= 0 is accepted")
        if self.scale is not None and not (_is_finite(self.scale) and self.scale > 0):
            raise refuse(f"scale is {self.scale!r}; a finite number > 0, or None, is accepted")
        for bound in (self.lower, self.upper):
            if bound is not None and (self.kind == "categorical" or not _is_ordered(bound)):
                raise refuse("lower and upper are numbers and need a numeric feature")
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise refuse(f"lower {self.lower!r} is above upper {self.upper!r}")


def _is_ordered(number: object) -> bool:
    return isinstance(number, Real) and number == number


def _is_finite(number: object) -> bool:
    try:
        return isinstance(number, Real) and math.isfinite(number)
    except OverflowError:  # an int beyond all floats
        return False
