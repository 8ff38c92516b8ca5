"""Where two models differ, by branch and bound over the forest of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.compare.claims import Claim, Claims
from xylogic.compare.clash_kernel import Clash
from xylogic.compare.joint import Joint
from xylogic.compare.question import Question
from xylogic.compare.rows import States, cell_in, share_of
from xylogic.errors import BudgetExceeded
from xylogic.search.dive_kernel import Search
from xylogic.search.forest import Forest
from xylogic.search.games import OneGame
from xylogic.search.sets import bit_set, members
from xylogic.search.work import Work

__all__ = ["ClashSearch"]

_FIRST_SLICE = 2000  # nodes that each claim is searched for at first


class ClashSearch:
    """The search of one question. ``joint``: see there."""

    def __init__(self, question: Question, joint: Joint) -> None:
        self.question, self.joint = question, joint
        self._claims = Claims(question, joint)

    @cached_property
    def _forest(self) -> Forest:
        return Forest(self.joint.model, self.question.pair.cells)

    @cached_property
    def _open(self) -> list[Claim]:
        """The claims that single leaves do not refute."""
        roots = self.joint.model.flat.roots
        return [claim for claim in self._claims if not claim.is_hopeless(roots)]

    def first(self, budget: Budget) -> NDArray[np.int32] | None:
        """The states of a cell in which the models differ, (n_features,); ``None``: there is none.

        Claims are searched in turn, each a little at first, then ever more. Raises BudgetExceeded; of labels, its bound
        ``margin`` is one on the first model's margin (per tree, where trees vote) on every row where they differ.
        """
        waiting = list(self._open)
        nodes = _FIRST_SLICE
        try:
            return self._first(waiting, nodes, budget)
        except BudgetExceeded as stop:
            if self.question.kind == "label":
                stop.bounds["margin"] = max(map(self._claims.margin, waiting))
            raise

    def _first(self, waiting: list[Claim], nodes: int, budget: Budget) -> NDArray[np.int32] | None:
        """``waiting`` keeps the claims that are not refuted yet."""
        while waiting:
            left = []
            for claim in waiting:
                search = _ClaimSearch(self, claim, budget, nodes if len(waiting) > 1 else None)
                try:
                    found = search.first()
                except _Slice:
                    left.append(claim)
                    continue
                if found is not None:
                    return np.array(cell_in(found, self.question.pair.cells), np.int32)
            waiting[:], nodes = left, 4 * nodes
        return None

    def boxes(self, take: Callable[[Claim, States], bool], whole: bool, budget: Budget) -> Fraction:
        """Call ``take(claim, box)`` at disjoint boxes that hold all cells in which the models differ; it may end that
        by answering true. Returns the share of cells that was left undecided, 0 at the end.

        ``whole``: in each box both models answer the same all over. Claim after claim, each by ascending states along
        its tests. A limit that is reached, or Ctrl-C, leaves cells undecided.
        """
        undecided = Fraction(0)
        for position, claim in enumerate(self._open):
            left = len(self._open) - position
            if budget.remaining == 0.0:
                return min(undecided + left, Fraction(1))
            seconds = None if budget.remaining is None else budget.remaining / left
            search = _ClaimSearch(self, claim, Budget(seconds, budget.node_limit, budget.memory_limit), None)
            undecided += search.every(take, whole)
            if search.ended:
                return min(undecided, Fraction(1))
            if search.interrupted:
                return min(undecided + left - 1, Fraction(1))
        return min(undecided, Fraction(1))


class _Slice(Exception):
    """A claim's slice of nodes is used up."""


class _Watch(Budget):
    """The question's budget, and one claim's slice of nodes."""

    def __init__(self, budget: Budget, nodes: int | None) -> None:
        super().__init__(budget.remaining, budget.node_limit, budget.memory_limit)
        self._slice = nodes

    def check(self, nodes: int = 0, memory: int = 0) -> None:
        super().check(nodes, memory)
        if self._slice is not None and nodes > self._slice:
            raise _Slice


class _ClaimSearch:
    """One claim's search."""

    def __init__(self, owner: ClashSearch, claim: Claim, budget: Budget, nodes: int | None) -> None:
        self._owner, self._claim, self._forest = owner, claim, owner._forest
        self._budget = _Watch(budget, nodes)
        worths = [np.ascontiguousarray(worth[self._forest.order]) for worth in claim.worths]
        self._game = OneGame(self._forest, worths, claim.sure, claim.never, budget)
        self._work = Work(self._forest, self._game)
        self._search = Search(self._forest, self._game, self._work, self._budget)
        self._search.set_instance(np.zeros(self._forest.n_features + 1, np.int32))
        self._free = bit_set(range(self._forest.n_features), max(1, (self._forest.n_features + 63) // 64))
        self.ended = self.interrupted = False

    def first(self) -> States | None:
        return self._box() if self._clash(False, lambda: True).run(self._free) else None

    def every(self, take: Callable[[Claim, States], bool], whole: bool) -> Fraction:
        cells = self._owner.question.pair.cells
        undecided = Fraction(0)

        def sink() -> bool:
            self.ended = take(self._claim, self._box())
            return self.ended

        def count() -> None:
            nonlocal undecided
            undecided += share_of(self._box(), cells)

        clash = self._clash(whole, sink)
        try:
            if clash.run(self._free):
                clash.left_over(count)
        except (BudgetExceeded, KeyboardInterrupt) as stop:
            self.interrupted = isinstance(stop, KeyboardInterrupt) or stop.interrupted
            clash.left_over(count)
        return undecided

    def _clash(self, whole: bool, sink: Callable[[], bool]) -> Clash:
        claim = self._claim
        first_rule = len(claim.worths) - claim.n_rules
        return Clash(self._search, claim.n_needed, claim.lead, first_rule, claim.n_rules, whole, self._decide, sink)

    def _decide(self) -> bool:
        """What both models say of the search's box, in which each tree is down to one leaf."""
        question = self._owner.question
        cell = np.array([cell_in(self._box(), question.pair.cells)], np.int32)
        a, b = question.both(cell)
        return self._owner._claims.holds(self._claim, a[0], b[0])

    def _box(self) -> States:
        """The states that the search's box allows, of the columns that it limits."""
        return dict(self._limited())

    def _limited(self) -> Iterator[tuple[int, list[int]]]:
        forest, work = self._forest, self._work
        for f, c in enumerate(forest.cells):
            if c.is_set:
                states = members(work.words[forest.word_at[f] : forest.word_at[f] + forest.n_set_words[f]])
            else:
                states = list(range(int(work.lo[f]), int(work.hi[f]) + 1)) + [c.n_values] * int(work.missing[f])
            if len(states) < c.n_states:
                yield int(forest.columns[f]), states
