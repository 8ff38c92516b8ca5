"""Rows of a model that is a single tree: the questions that one visit of each node answers.

The polynomial algorithms of "Efficient & Correct Predictive Equivalence for Decision Trees", made near-linear
(search/single_kernel.py); the answers are those of the general search.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.domain.cells import Cells
from xylogic.model import predict
from xylogic.model.admit import cast_values
from xylogic.model.ensemble import Ensemble
from xylogic.reason.decision import Decision
from xylogic.reason.partial import PartialRow
from xylogic.search.engine import Goal
from xylogic.search.given import given_row, given_states
from xylogic.search.single import Single
from xylogic.search.single_kernel import Question, least_sets

__all__ = ["OneTree"]

Sets = NDArray[np.uint64]
_ROOM = 2**27  # feature numbers that lists of changes may take
_BATCH = 2000  # sets between two looks at the budget


class OneTree:
    """The tree of ``model`` over ``cells``. Safe to share between threads."""

    def __init__(self, model: Ensemble, cells: Sequence[Cells]) -> None:
        self._model = model
        self._single = Single(model, cells, by="score")
        self._bad: dict[Goal, NDArray[np.int32]] = {}

    def _reaching(self, goal: Goal) -> NDArray[np.int32]:
        """Which labels reach a goal ("flip", "target" or "band")."""
        if goal not in self._bad:
            self._bad = {goal: _reaching(self._model, self._single.answers, goal).astype(np.int32)}
        return self._bad[goal]

    def _row(self, decision: Decision) -> Question:
        values = cast_values(self._model, decision.values)
        return Question(self._single.nodes, self._single.domain, given_row(self._single.domain, values))

    def sufficient(self, decision: Decision) -> Sets:
        """One minimal sufficient set of features by deletion, in the engine's order. O(n_nodes + n_features)."""
        columns = decision.columns
        order = columns[decision.engine.order]
        everything = np.ones(self._single.domain.n_columns + 1, np.int32)
        kept = self._row(decision).sufficient(self._reaching(decision.flip), order, everything)
        return _bit_sets(np.searchsorted(columns, np.flatnonzero(kept)), [0], decision.engine.width)[0]

    def fewest_changes(self, decision: Decision) -> float:
        """The robustness: the size of a smallest necessary set; ``math.inf`` where no change flips. O(n_nodes)."""
        size = self._row(decision).fewest_changes(self._reaching(decision.flip))
        return math.inf if size < 0 else size

    def necessary(self, decision: Decision, goal: Goal, budget: Budget) -> Sets | None:
        """All minimal sets of features of which some change reaches a goal: uint64 (n, width); ``None`` where the
        lists of changes, one per leaf, are too long. Raises BudgetExceeded."""
        room = _ROOM if budget.memory_limit is None else min(_ROOM, int(budget.memory_limit) // 8)
        found = self._row(decision).all_changes(self._reaching(goal), room)
        if found is None:
            return None
        ends, columns = found
        starts = np.concatenate([[0], ends]).astype(np.int32)
        features = np.searchsorted(decision.columns, columns).astype(np.int32)
        by_size = np.argsort(np.diff(starts), kind="stable").astype(np.int32)
        kept = np.zeros(len(by_size) + 1, np.int32)
        work = [np.full(n, -1, np.int32) for n in (len(decision.columns) + 1, len(by_size) + 1)]
        seen = np.zeros(len(decision.columns) + 1, np.int32)
        frequency = np.bincount(features, minlength=len(seen)).astype(np.int32)
        for first in range(0, len(by_size), _BATCH):
            budget.check()
            last = min(first + _BATCH, len(by_size))
            least_sets(starts, np.append(features, np.int32(0)), by_size, first, last, frequency, *work, seen, kept)
        chosen = np.flatnonzero(kept[:-1])
        sizes = np.diff(starts)[chosen]
        budget.check(memory=8 * decision.engine.width * len(chosen))
        members = np.concatenate([features[starts[i] : starts[i + 1]] for i in chosen] or [features[:0]])
        return _bit_sets(members, np.cumsum(sizes) - sizes, decision.engine.width)

    def possible(self, known: PartialRow, most: int | None) -> dict[int, dict[str, object]]:
        """Class position -> a row that a partial one allows and that gets it; the first ``most`` found. O(n_nodes)."""
        single = self._single
        given = given_states(single.domain, known.allowed)
        group = predict.decide(self._model, single.answers).astype(np.int32)
        classes = len(self._model.classes or ())
        question = Question(single.nodes, single.domain, given)
        leaves = question.leaves(group, np.zeros(classes, np.int32), classes if most is None else most)
        return {int(group[single.label[leaf]]): known.row(self._states(leaf, known)) for leaf in leaves}

    def _states(self, leaf: int, known: PartialRow) -> dict[str, int]:
        """A state that leads to a leaf of each feature tested on the path."""
        single, found = self._single, dict[str, int]()
        below, node = leaf, int(single.parent[leaf])
        while node >= 0:
            cells = single.domain.cells[single.feature[node]]
            if cells.name not in found:  # the last test of a column knows what all of them leave
                side = 1 if single.left[node] == below else 2
                allowed = known.allowed.get(cells.name, range(cells.n_states))
                found[cells.name] = next(s for s in self._open(cells, node, side) if _holds(allowed, s))
            below, node = node, int(single.parent[node])
        return found

    def _open(self, cells: Cells, node: int, side: int) -> list[int]:
        """The states that the path through one side of a test leaves."""
        single = self._single
        if cells.is_set:
            width = int(single.domain.width[single.feature[node]])
            at = int(single.set_at[node]) + (side - 1) * width
            words = single.words[at : at + width].tolist()
            states = [s for s in range(cells.n_values) if words[s // 64] >> s % 64 & 1]
        else:
            cut = float(single.cut[node])
            low, high = float(single.low[node]), float(single.high[node])
            low, high = (low, min(high, cut)) if side == 1 else (max(low, cut), high)
            first = 0 if low == -math.inf else bisect_left(cells.cuts, low) + 1
            last = cells.n_values - 1 if high == math.inf else bisect_left(cells.cuts, high)
            states = list(range(first, last + 1))
        return [*states, cells.n_values] if single.way[node] & side else states


def _holds(allowed: Sequence[int], state: int) -> bool:
    at = bisect_left(allowed, state)
    return at < len(allowed) and allowed[at] == state


def _reaching(model: Ensemble, scores: NDArray[np.float64], goal: Goal) -> NDArray[np.bool_]:
    """Whether rows of scores, float64 (n, n_outputs), decide as a goal wants."""
    if model.classes is None:
        inside: NDArray[np.bool_] = (goal.band[0] <= scores[:, 0]) & (scores[:, 0] <= goal.band[1])
        return ~inside
    by_class = np.column_stack([np.zeros(len(scores)), scores[:, 0]]) if model.is_binary_sum else scores
    if goal.ties == "model":
        best = np.equal.outer(predict.decide(model, scores), np.arange(len(model.classes)))
    else:
        best = by_class == by_class.max(axis=1, keepdims=True)
    wanted = [goal.target] if goal.kind == "target" else list(goal.winners)
    found = np.asarray(best[:, wanted]).any(axis=1)
    return np.asarray(found == (goal.kind == "target"))


def _bit_sets(members: NDArray[np.integer], starts: Sequence[int] | NDArray[np.integer], width: int) -> Sets:
    """The sets whose members begin at ``starts``, as bits: uint64 (n, width)."""
    words = np.zeros((len(starts), width), np.uint64)
    row = np.repeat(np.arange(len(starts)), np.diff([*starts, len(members)]))
    np.bitwise_or.at(words, (row, members // 64), np.left_shift(np.uint64(1), (members % 64).astype(np.uint64)))
    return words
