"""Quick attempts: rows on which the models' scores differ, moved towards another answer; most differences show soon."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.compare.joint import Joint
from xylogic.compare.question import Question
from xylogic.model.ensemble import Ensemble
from xylogic.model.tree import parents

__all__ = ["probe"]

_ROWS = 512  # at a time
_ROUNDS = 24
_KEPT = 64  # rows from which the next ones are made
_LEAVES = 64  # from which rows are drawn at first

States = NDArray[np.int32]


def probe(question: Question, joint: Joint, budget: Budget) -> States | None:
    """The states of a row on which the models differ, (n_features,), or ``None`` where none was found.

    Random cells at first, and cells in leaves of the joint trees that are worth different things to the models; then
    changes, in one to three columns, of those cells that are closest to a change of either model's answer. The draws
    are the same in every run.
    """
    draws = np.random.default_rng(0)
    sizes = np.array([c.n_states for c in question.pair.cells])
    if not len(sizes):
        return None
    rows = _uniform(draws, sizes, _ROWS)
    best, rank = rows[:0], np.zeros(0)
    for turn in range(_ROUNDS):
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
        rows = _in_leaves(draws, question, joint, sizes) if turn == 0 else _changed(draws, best, sizes)
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


def _in_leaves(draws: np.random.Generator, question: Question, joint: Joint, sizes: NDArray[np.int64]) -> States:
    """Random rows, most of them moved into random ones of the joint leaves that tell the models apart."""
    rows = _uniform(draws, sizes, _ROWS)
    flat = joint.model.flat
    above = parents(flat.left, flat.right)
    leaves = np.flatnonzero((flat.left < 0) & _tells_apart(question, joint))
    for leaf in draws.permutation(leaves)[:_LEAVES].tolist():
        inside: dict[int, NDArray[np.bool_]] = {}
        node = leaf
        while above[node] != node:
            child, node = node, int(above[node])
            f = int(flat.feature[node])
            to_left = _goes_left(question, joint, node)
            inside[f] = inside.get(f, True) & (to_left if flat.left[node] == child else ~to_left)
        own = draws.integers(len(rows), size=_ROWS // _LEAVES)
        for f, states in inside.items():
            if states.any():
                rows[own, f] = draws.choice(np.flatnonzero(states), len(own))
    return rows


def _tells_apart(question: Question, joint: Joint) -> NDArray[np.bool_]:
    """Which nodes of the joint forest are worth different things to the models."""
    a, b = joint.values
    of = np.argsort(np.array(question.pair.class_of, np.intp))
    if a.shape != b.shape:
        return np.ones(len(a), bool)
    norms = [m.n_trees if m.voting != "sum" else 1 for m in (question.pair.left, question.pair.right)]
    return np.asarray((a / norms[0] != (b[:, of] if b.shape[1] == len(of) else b) / norms[1]).any(axis=1))


def _goes_left(question: Question, joint: Joint, node: int) -> NDArray[np.bool_]:
    """Which states a test sends left: bool (n_states,)."""
    flat = joint.model.flat
    c = question.pair.cells[int(flat.feature[node])]
    states = np.arange(c.n_states)
    if c.is_set:
        found = np.isin(states, flat.set_items[flat.set_ptr[node] : flat.set_ptr[node + 1]])
    else:
        found = states <= c.cut_indices(flat.cut[node : node + 1])[0]
    if c.missing:
        found[-1] = flat.missing[node] == 1
    return np.asarray(found)


def _closeness(question: Question, left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """How close each row is to one on which the models differ: the greater, the closer."""
    if question.kind != "label":
        a, b = question.answers(question.pair.left, left), question.answers(question.pair.right, right)
        return np.asarray(np.abs(a - b).max(axis=1))
    near = np.maximum(_gap(question.pair.left, left), _gap(question.pair.right, right))
    if left.shape == right.shape:  # where all scores are equal, so are the labels, but for ties
        near -= 10.0 * (left == right).all(axis=1)
    return near


def _gap(model: Ensemble, score: NDArray[np.float64]) -> NDArray[np.float64]:
    """Minus the margin of the best class, as a share of the trees."""
    size = model.n_trees if model.voting != "average" else 1
    if score.shape[1] == 1:
        return -np.abs(score[:, 0]) / size
    top = np.sort(score, axis=1)[:, -2:]
    return (top[:, 0] - top[:, 1]) / size
