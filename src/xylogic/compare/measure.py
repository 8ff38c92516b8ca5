"""All cells on which two models differ: counted, and as boxes; by the engine that fits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from xylogic.budget import Budget
from xylogic.compare import diagrams, walking
from xylogic.compare.claims import Claim
from xylogic.compare.joint import Joint
from xylogic.compare.question import Question
from xylogic.compare.rows import States, cell_in, share_of
from xylogic.compare.searching import ClashSearch
from xylogic.compare.walking import differences, is_walked
from xylogic.errors import BudgetExceeded

__all__ = ["Measure", "Piece", "measured", "pieces", "with_equal_classes"]

Way = tuple[int, int]
Piece = tuple[Any, Any, States]  # both answers, and the box that gets them
_ATTEMPT = 60.0  # seconds for diagrams, where there is no limit; else half of it
_MEETING_MEMORY = 2**31  # bytes for the pairs of their nodes
_DIAGONAL = 2.0  # seconds for the shares of equal classes, which nothing else needs
_MEMORY = 2**30  # bytes for diagrams


@dataclass(frozen=True)
class Measure:
    """Shares of all cells.

    ``shares``: by the two classes that differ; of numbers (1, -1) where the first one is greater, else (-1, 1).
    ``same``: by class, twice, where both answer it, if that was counted. ``undecided``: what is not known.
    """

    shares: dict[Way, Fraction]
    same: dict[Way, Fraction]
    undecided: Fraction
    engine: str


def measured(question: Question, engine: str, budget: Budget) -> Measure:
    """The shares; a limit that is reached, or Ctrl-C, leaves some undecided."""
    if engine in ("auto", "walk") and is_walked(question):
        return _by_walk(question, budget)
    if question.kind == "label" and engine in ("auto", "diagram"):
        try:
            both = diagrams.Diagrams(question, _part(budget) if engine == "auto" else budget)
            found = both.meeting(Budget(budget.remaining, budget.node_limit, budget.memory_limit or _MEETING_MEMORY))
            same = {way: part for way, part in found.shares.items() if way[0] == way[1]}
            shares = {way: part for way, part in found.shares.items() if way[0] != way[1]}
            return Measure(shares, same, found.undecided, "diagram")
        except KeyboardInterrupt:
            return Measure({}, {}, Fraction(1), "diagram")
        except BudgetExceeded as stop:
            if stop.interrupted or engine == "diagram":
                return Measure({}, {}, Fraction(1), "diagram")
    return _by_search(question, budget)


def with_equal_classes(found: Measure, question: Question, budget: Budget) -> Measure:
    """The shares with those of equal classes, from what the first model predicts alone; as they are if a limit comes
    first."""
    if found.same or found.undecided or question.kind != "label" or len(question.pair.classes or ()) < 2:
        return found
    alone = walking.class_shares if question.pair.left.n_trees == 1 else diagrams.class_shares
    patience = _DIAGONAL if budget.remaining is None else min(_DIAGONAL, budget.remaining)
    try:
        own = alone(question, Budget(patience, budget.node_limit, budget.memory_limit))
    except BudgetExceeded as stop:
        if stop.interrupted:
            raise
        return found
    left = {(p, p): part - sum(of for (first, _), of in found.shares.items() if first == p) for p, part in own.items()}
    return replace(found, same={way: part for way, part in left.items() if part})


def _part(budget: Budget) -> Budget:
    """What diagrams may take before the search begins."""
    seconds = _ATTEMPT if budget.remaining is None else budget.remaining / 2
    return Budget(
        seconds, budget.node_limit, _MEMORY if budget.memory_limit is None else min(_MEMORY, budget.memory_limit)
    )


def _by_walk(question: Question, budget: Budget) -> Measure:
    shares: dict[Way, Fraction] = defaultdict(Fraction)
    undecided = Fraction(0)
    try:
        for a, b, box in differences(question, budget):
            shares[_way(question, a, b)] += share_of(box, question.pair.cells)
    except (BudgetExceeded, KeyboardInterrupt):
        undecided = 1 - sum(shares.values(), Fraction(0))
    return Measure(dict(shares), {}, undecided, "walk")


def _by_search(question: Question, budget: Budget) -> Measure:
    shares: dict[Way, Fraction] = defaultdict(Fraction)

    def take(claim: Claim, box: States) -> bool:
        way = claim.way
        if question.kind != "label":
            way = (way[1], -way[1]) if way[0] >= 0 else _way(question, *_answers(question, box))
        shares[way] += share_of(box, question.pair.cells)
        return False

    try:
        search = ClashSearch(question, Joint(question.pair, budget))
        undecided = search.boxes(take, _is_mixed(question), budget)
    except (BudgetExceeded, KeyboardInterrupt):
        undecided = 1 - sum(shares.values(), Fraction(0))
    return Measure(dict(shares), {}, undecided, "search")


def _is_mixed(question: Question) -> bool:
    """Whether a claim alone does not tell which number is greater: probabilities by a link."""
    return question.kind == "probability" and "sum" in (question.pair.left.voting, question.pair.right.voting)


def _way(question: Question, a: Any, b: Any) -> Way:
    if question.kind == "label":
        return int(a), int(b)
    column = int(np.argmax(np.abs(a - b) > question.tolerance))
    sign = 1 if a[column] > b[column] else -1
    return sign, -sign


def _answers(question: Question, box: States) -> tuple[Any, Any]:
    a, b = question.both(np.array([cell_in(box, question.pair.cells)], np.int32))
    return a[0], b[0]


def pieces(question: Question, engine: str, budget: Budget) -> Iterator[Piece]:
    """Disjoint boxes that hold all differences, streamed. Raises BudgetExceeded or KeyboardInterrupt on the way."""
    if engine in ("auto", "walk") and is_walked(question):
        yield from differences(question, budget)
        return
    if question.kind == "label" and engine in ("auto", "diagram"):
        try:
            found = diagrams.Diagrams(question, _part(budget) if engine == "auto" else budget).boxes()
            first = next(found, None)
        except BudgetExceeded as stop:
            if stop.interrupted or engine == "diagram":
                raise
        else:
            if first is not None:
                yield *first[0], first[1]
            for (p, q), box in found:
                budget.check()
                yield p, q, box
            return
    yield from _searched(question, budget)


_BATCH = 64  # boxes that a search is asked for at first; then ever more, from the start


def _searched(question: Question, budget: Budget) -> Iterator[Piece]:
    """By search, which hands its boxes to a function: it is started again for ever more of them."""
    search = ClashSearch(question, Joint(question.pair, budget))
    given, wanted = 0, _BATCH
    while True:
        found: list[States] = []
        undecided = search.boxes(_taking(found, wanted), True, budget)
        for box in found[given:]:
            yield *_answers(question, box), box
        if len(found) < wanted:
            if undecided:
                budget.check()
                raise BudgetExceeded("the search for differing rows was stopped")
            return
        given, wanted = len(found), 4 * wanted


def _taking(found: list[States], wanted: int) -> Callable[[Claim, States], bool]:
    def take(claim: Claim, box: States) -> bool:
        found.append(box)
        return len(found) >= wanted

    return take
