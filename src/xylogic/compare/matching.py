"""Which columns and which classes of two sides are the same ones: by name, by label; what is left over is refused."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from xylogic.domain.labels import label_key
from xylogic.domain.sheet import some
from xylogic.errors import InvalidInputError
from xylogic.model.ensemble import Ensemble

__all__ = ["Side", "differing", "match_classes", "match_columns"]


class Side(NamedTuple):
    """A model, or a table with its targets.

    word : what errors call it.
    names : of its columns; ``named``: they are real, not made up.
    classes : its labels, ``None`` for numbers.
    """

    word: str
    names: Sequence[str]
    named: bool
    classes: Sequence[Hashable] | None

    @classmethod
    def of(cls, model: Ensemble, word: str) -> Side:
        return cls(word, model.feature_names, model.named, model.classes)


def match_columns(a: Side, b: Side) -> list[int]:
    """Where b has each of a's columns: by name, or by position where one of them has no names of its own.

    Raises InvalidInputError, naming the columns that one side lacks, or the numbers of columns.
    """
    where = {name: position for position, name in enumerate(b.names)}
    known = set(a.names)
    if not (a.named and b.named) and where.keys() != known:
        if len(a.names) == len(b.names):
            return list(range(len(a.names)))
        raise InvalidInputError(
            f"there are other features: {a.word} has {len(a.names)} columns and {b.word} has {len(b.names)}; as many "
            "are accepted"
        )
    only = [repr(n) for n in a.names if n not in where], [repr(n) for n in b.names if n not in known]
    if any(only):
        apart = differing(only, "features", (a.word, b.word))
        raise InvalidInputError(f"there are other features: {apart}; equal names, in any order, are accepted")
    return [where[name] for name in a.names]


def match_classes(a: Side, b: Side, advice: str = "") -> list[int]:
    """The position among a's classes of each of b's; none where both answer with numbers.

    Raises InvalidInputError for labels that one side lacks, and for labels against numbers. ``advice``: what to do
    where b merely lacks some.
    """
    if (a.classes is None) != (b.classes is None):
        kinds = ["numbers" if s.classes is None else f"classes {some(list(map(repr, s.classes)))}" for s in (a, b)]
        raise InvalidInputError(
            f"{a.word} answers with {kinds[0]}, {b.word} with {kinds[1]}; classes or numbers on both are accepted"
        )
    if a.classes is None or b.classes is None:
        return []
    where = {label_key(label): position for position, label in enumerate(a.classes)}
    own = {label_key(label) for label in b.classes}
    only = (
        [repr(label) for label in a.classes if label_key(label) not in own],
        [repr(label) for label in b.classes if label_key(label) not in where],
    )
    if any(only):
        apart = differing(only, "classes", (a.word, b.word))
        more = f"; {advice}" if advice and not only[1] else ""
        raise InvalidInputError(f"there are other classes: {apart}; the same labels, in any order, are accepted{more}")
    return [where[label_key(label)] for label in b.classes]


def differing(only: Sequence[Sequence[str]], what: str, sides: Sequence[str]) -> str:
    """In words, what either of ``sides`` has ``only`` for itself."""
    parts = [f"{some(names)} only in {side}" for names, side in zip(only, sides, strict=True) if names]
    return f"{what} {' and '.join(parts)}"
