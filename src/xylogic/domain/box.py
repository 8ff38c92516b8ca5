"""Boxes, terms and clauses: one set of states per feature. Every reason is one of these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from xylogic.domain.cells import StateSet
from xylogic.errors import InvalidInputError

__all__ = ["Box", "Clause", "Term"]


class Box(Mapping[str, StateSet]):
    """Some features' allowed values: a mapping from feature name to :class:`StateSet`, in column order.

    Equal content makes equal boxes with equal strings.
    """

    _joint = " and "
    _empty = "(always)"

    def __init__(self, sets: Mapping[str, StateSet]) -> None:
        self._sets = dict(sets)
        self._content = (type(self).__name__, frozenset(self._sets.items()))

    def __getitem__(self, name: str) -> StateSet:
        return self._sets[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sets)

    def __len__(self) -> int:
        return len(self._sets)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Box) and self._content == other._content

    def __hash__(self) -> int:
        return hash(self._content)

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features, in column order."""
        return tuple(self._sets)

    @property
    def size(self) -> int:
        """The number of features."""
        return len(self._sets)

    @property
    def box(self) -> Box:
        """The allowed values as a plain box."""
        return Box(self._sets)

    def matches(self, row: Mapping[str, Any]) -> bool:
        """Whether a row (a mapping from feature name to value) satisfies it."""
        return all(self._checks(row))

    def _checks(self, row: Mapping[str, Any]) -> Iterator[bool]:
        for name, allowed in self._sets.items():
            if name not in row:
                raise InvalidInputError(f"the row has no {name!r}; a value for {', '.join(self.features)} is accepted")
            yield row[name] in allowed

    def __str__(self) -> str:
        return self._joint.join(self._words()) or self._empty

    def _words(self) -> Iterator[str]:
        for allowed in self._sets.values():
            text = str(allowed)
            yield f"({text})" if " or " in text and self._joint == " and " and len(self) > 1 else text

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: feature name to its set."""
        return {name: allowed.to_dict() for name, allowed in self._sets.items()}


class Term(Box):
    """A conjunction: all its conditions hold. The empty term is always true."""


class Clause(Box):
    """A disjunction: one of its conditions holds. The empty clause is never true."""

    _joint = " or "
    _empty = "(never)"

    def matches(self, row: Mapping[str, Any]) -> bool:
        """Whether a row satisfies one of the conditions."""
        return any(self._checks(row))
