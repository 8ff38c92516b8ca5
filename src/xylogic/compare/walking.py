"""Where two single trees differ, by walking both together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.compare.question import Question
from xylogic.compare.rows import States, share_of
from xylogic.model.ensemble import Ensemble
from xylogic.search.pair import Difference, Pair
from xylogic.search.single import Single

__all__ = ["class_shares", "differences", "is_walked"]


def is_walked(question: Question) -> bool:
    """Whether both models are single trees."""
    return question.pair.left.n_trees == question.pair.right.n_trees == 1


def differences(question: Question, budget: Budget) -> Iterator[tuple[Any, Any, States]]:
    """The boxes in which two single trees differ, disjoint, each with both answers (as of ``Question.answers``).

    O(pairs of leaves that meet). Raises BudgetExceeded.
    """
    pair = question.pair
    a, b = _single(pair.left, question), _single(pair.right, question)
    ours: NDArray[Any]
    theirs: NDArray[Any]
    if question.kind == "label":
        ours, theirs = a.answers, np.array(pair.class_of)[b.answers]
    elif question.kind == "number":
        ours, theirs = a.answers[:, None], b.answers[:, None]
    else:
        ours, theirs = question.answers(pair.left, a.answers), question.answers(pair.right, b.answers)
    worth = [answers.reshape(len(answers), -1)[:, 0] for answers in (ours, theirs)]
    tolerance = question.tolerance
    if question.kind == "probability":  # all columns count: distinct rows get a number each
        tolerance = 0.0
        code = np.unique(np.concatenate([ours, theirs]), axis=0, return_inverse=True)[1].reshape(-1)
        worth = [code[: len(ours)], code[len(ours) :]]
    for one in Pair(a, b, *worth, tolerance=tolerance, budget=budget):
        answers = ours[one.label_a], theirs[one.label_b]
        if question.differ(*answers):
            yield *answers, _states(one, question)


def class_shares(question: Question, budget: Budget) -> dict[int, Fraction]:
    """The share of the cells of each class that the first model, a single tree, predicts. O(nodes). Raises
    BudgetExceeded."""
    tree = _single(question.pair.left, question)
    labels = np.arange(len(tree.answers))
    found: dict[int, Fraction] = defaultdict(Fraction)
    for leaf in Pair(tree, tree, labels, labels + len(labels), budget=budget):  # beside itself: every leaf
        found[int(tree.answers[leaf.label_a])] += share_of(_states(leaf, question), question.pair.cells)
    return found


def _single(model: Ensemble, question: Question) -> Single:
    return Single(model, question.pair.cells, by="score" if question.kind == "probability" else "label")


def _states(found: Difference, question: Question) -> States:
    """The states of a difference's box, of the columns that it limits."""
    box = {}
    at = 0
    for f, c in enumerate(question.pair.cells):
        if c.is_set:
            width = (c.n_values + 63) // 64
            words = found.words[at : at + width]
            bits = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), bitorder="little")[: c.n_values]
            states = np.flatnonzero(bits).tolist()
            at += width
        elif found.low[f] == -np.inf and found.high[f] == np.inf and bool(found.missing[f]) == c.missing:
            continue
        else:
            first, last = c.cut_indices(np.array([found.low[f], found.high[f]])).tolist()
            states = list(range(first + 1, last + 1))
        states += [c.n_values] * int(found.missing[f])
        if len(states) < c.n_states:
            box[f] = states
    return box
