"""Quick attempts: rows near the cuts of both models, put to both; most differences show at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.compare.question import Question
from xylogic.model.ensemble import Ensemble

__all__ = ["probe"]

_ROWS = 512  # at a time
_ROUNDS = 24
_KEPT = 64  # rows from which the next ones are made

States = NDArray[np.int32]


def probe(question: Question, budget: Budget) -> States | None:
    """The states of a row on which the models differ, (n_features,), or ``None`` where none was found.

    Random cells at first, and cells of random leaves; then changes, in one to three columns, of those cells that are
    closest to a change of either model's answer. The draws are the same in every run.
    """
    draws = np.random.default_rng(0)
    sizes = np.array([c.n_states for c in question.pair.cells])
    if not len(sizes):
        return None
    rows = np.concatenate([_uniform(draws, sizes, _ROWS), _in_leaves(draws, question, sizes)])
    best, rank = rows[:0], np.zeros(0)
    for _ in range(_ROUNDS):
        budget.check()
        left, right = question.scores(question.values(rows))
        a, b = question.answers(question.pair.left, left), question.answers(question.pair.right, right)
        found = np.flatnonzero(question.differ(a, b))
        if len(found):
            return np.asarray(rows[found[0]])
        near = _closeness(question, left, right)
        rows, near = np.concatenate([best, rows]), np.concatenate([rank, near])
        order = np.argsort(-near, kind="stable")[:_KEPT]
        best, rank = rows[order], near[order]
        rows = _changed(draws, best, sizes)
    return None


def _uniform(draws: np.random.Generator, sizes: NDArray[np.int64], n: int) -> States:
    return np.asarray((draws.random((n, len(sizes))) * sizes).astype(np.int32))


def _changed(draws: np.random.Generator, rows: States, sizes: NDArray[np.int64]) -> States:
    """New rows, each from one of ``rows`` by new states in a few columns, half of them neighbours of the old ones."""
    made = rows[draws.integers(len(rows), size=_ROWS)].copy()
    for changes in range(3):
        at = np.flatnonzero(draws.random(_ROWS) < 0.5**changes)
        column = draws.integers(len(sizes), size=len(at))
        step = made[at, column] + draws.choice([-1, 1], size=len(at))
        jump = (draws.random(len(at)) * sizes[column]).astype(np.int64)
        made[at, column] = np.clip(np.where(draws.random(len(at)) < 0.5, step, jump), 0, sizes[column] - 1)
    return made


def _in_leaves(draws: np.random.Generator, question: Question, sizes: NDArray[np.int64]) -> States:
    """Random rows, each moved into a random leaf of a random tree of either model."""
    rows = _uniform(draws, sizes, _ROWS)
    for position, row in enumerate(rows):
        model = question.pair.left if position % 2 else question.pair.right
        _enter(draws, model, question, row)
    return rows


def _enter(draws: np.random.Generator, model: Ensemble, question: Question, row: States) -> None:
    tree = model.trees[draws.integers(model.n_trees)]
    node = 0
    low: dict[int, int] = {}
    high: dict[int, int] = {}
    while tree.left[node] >= 0:
        f = int(tree.feature[node])
        c = question.pair.cells[f]
        goes_left = bool(draws.integers(2))
        if c.is_set:
            inside = np.isin(np.arange(c.n_values), tree.left_codes(node)) == goes_left
            if inside.any():
                row[f] = draws.choice(np.flatnonzero(inside))
            goes_left = int(row[f]) in tree.left_codes(node)
        else:
            cut = int(c.cut_indices(tree.cut[node : node + 1])[0])
            first, last = low.get(f, 0), high.get(f, c.n_values - 1)
            goes_left = (goes_left or cut >= last) and cut >= first
            low[f], high[f] = (first, min(cut, last)) if goes_left else (max(cut + 1, first), last)
            row[f] = draws.integers(low[f], high[f] + 1)
        node = int(tree.left[node] if goes_left else tree.right[node])


def _closeness(question: Question, left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """How close each row is to one on which the models differ: the greater, the closer."""
    if question.kind != "label":
        a, b = question.answers(question.pair.left, left), question.answers(question.pair.right, right)
        return np.asarray(np.abs(a - b).max(axis=1))
    return np.maximum(_gap(question.pair.left, left), _gap(question.pair.right, right))


def _gap(model: Ensemble, score: NDArray[np.float64]) -> NDArray[np.float64]:
    """Minus the margin of the best class, as a share of the trees."""
    size = model.n_trees if model.voting != "average" else 1
    if score.shape[1] == 1:
        return -np.abs(score[:, 0]) / size
    top = np.sort(score, axis=1)[:, -2:]
    return (top[:, 0] - top[:, 1]) / size
