"""Arguments that many questions take, checked in one place."""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable
from typing import Any

from xylogic.errors import InvalidInputError

__all__ = ["check_choice", "check_jobs", "check_limit", "listed", "names_in"]


def check_choice(argument: str, given: Any, accepted: Collection[str]) -> None:
    """One of some words."""
    if not (isinstance(given, str) and given in accepted):
        raise InvalidInputError(f"{argument} is {repr(given)[:80]}; accepted: {', '.join(accepted)}")


def check_limit(limit: Any) -> None:
    """How many answers are wanted: a whole number >= 0, or ``None``."""
    if limit is not None and not (_is_whole(limit) and limit >= 0):
        raise InvalidInputError(f"limit is {limit!r}; a whole number >= 0, or None, is accepted")


def check_jobs(n_jobs: Any) -> None:
    """How many workers are wanted, as joblib counts them: a whole number but 0, or ``None``."""
    if n_jobs is not None and not (_is_whole(n_jobs) and n_jobs != 0):
        raise InvalidInputError(
            f"n_jobs is {n_jobs!r}; a whole number but 0 (-1: one worker for each processor), or None, is accepted"
        )


def listed(argument: str, given: Any, wanted: str) -> list[Any]:
    """What is given, several of something, as a list. ``wanted``: what is accepted, in words."""
    if isinstance(given, Iterable) and not isinstance(given, str | bytes):
        return list(given)
    raise InvalidInputError(f"{argument} is {str(given)[:80]!r}; {wanted} is accepted")


def names_in(argument: str, given: Any, accepted: Collection[str]) -> set[str]:
    """The feature names that are given: one, or several."""
    names = [given] if isinstance(given, str) else listed(argument, given, "a list of feature names")
    unknown = sorted({repr(name) for name in names if not (isinstance(name, str) and name in accepted)})
    if unknown:
        raise InvalidInputError(f"{argument} names {', '.join(unknown)}; accepted: {', '.join(accepted)}")
    return set(names)


def _is_whole(number: Any) -> bool:
    try:
        operator.index(number)
    except TypeError:
        return False
    return not isinstance(number, bool)
