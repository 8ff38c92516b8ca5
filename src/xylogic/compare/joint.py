"""The trees of two models as one forest, in which trees that are alike are one tree with the answers of both.

What both models share then cancels in bounds on the difference of their scores.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.compare.align import Aligned
from xylogic.compare.plain_trees import PlainTree, overlay, plain_trees
from xylogic.domain.cells import Cells
from xylogic.model.build import make_ensemble, make_tree
from xylogic.model.ensemble import Ensemble
from xylogic.model.tree import Tree

__all__ = ["Joint"]

_TRIED = 3  # trees of the same first test that a tree is laid over


class Joint:
    """Both models' trees.

    Attributes
    ----------
    model : the joint trees, a made-up ensemble whose outputs are the first model's and behind them the second's.
    values : what the leaves of ``model.flat`` add to the scores of each: float64 (n_nodes, n_outputs), twice.
    in_order : whether the t-th joint tree is the t-th tree of both models, for all t.
    """

    def __init__(self, pair: Aligned, budget: Budget) -> None:
        self.cells = pair.cells
        ours, theirs = (plain_trees(model, pair.cells) for model in (pair.left, pair.right))
        widths = pair.left.n_outputs, pair.right.n_outputs
        merged = _matched(ours, theirs, pair.cells, budget)
        trees = []
        for t, tree in enumerate(ours):
            if t not in merged:
                trees.append(_tree(pair.left, pair.cells, tree, np.hstack([tree.worth, _zeros(tree, widths[1])])))
                continue
            other, joined = merged[t]
            trees.append(_joined(pair, tree, theirs[other], joined))
        taken = {other for other, _ in merged.values()}
        trees += [
            _tree(pair.right, pair.cells, tree, np.hstack([_zeros(tree, widths[0]), tree.worth]))
            for t, tree in enumerate(theirs)
            if t not in taken
        ]
        self.model = make_ensemble(
            trees, pair.left.features, range(sum(widths)), voting="sum", cast=pair.left.cast, accepts_infinite=True
        )
        value = self.model.flat.value
        self.values = np.ascontiguousarray(value[:, : widths[0]]), np.ascontiguousarray(value[:, widths[0] :])
        self.in_order = len(ours) == len(theirs) == len(merged) and all(t == u for t, (u, _) in merged.items())

    def is_same(self, class_of: Sequence[int]) -> bool:
        """Whether tree by tree the models' leaves are worth the same, on every row."""
        left, right = self.values
        if not self.in_order or left.shape != right.shape:
            return False
        leaf = self.model.flat.left < 0
        order = np.argsort(class_of) if len(class_of) == right.shape[1] else np.arange(right.shape[1])
        return bool((left == right[:, order])[leaf].all())


Matched = dict[int, tuple[int, tuple[list[tuple[int, int]], list[int], list[tuple[int, int]]] | None]]


def _matched(ours: Sequence[PlainTree], theirs: Sequence[PlainTree], cells: Sequence[Cells], budget: Budget) -> Matched:
    """Pairs of trees that make one: of the same shape, or small when laid over each other; the same place first."""
    merged: Matched = {}
    by_shape = defaultdict(list)
    for u, tree in enumerate(theirs):
        by_shape[tree.shape].append(u)
    taken: set[int] = set()
    for t, tree in enumerate(ours):
        if t < len(theirs) and t in by_shape[tree.shape]:
            merged[t] = (t, None)
            taken.add(t)
    for t, tree in enumerate(ours):
        free = [u for u in by_shape[tree.shape] if u not in taken] if t not in merged else []
        if free and not (t < len(theirs) and t not in taken and _fits(ours, theirs, t, t, cells)):
            merged[t] = (free[0], None)
            taken.add(free[0])
    for t, tree in enumerate(ours):
        if t in merged:
            continue
        budget.check()
        start = int(tree.feature[0]), int(tree.test[0])
        near = [u for u, o in enumerate(theirs) if u not in taken and (int(o.feature[0]), int(o.test[0])) == start]
        same = [t] if t < len(theirs) and t not in taken else []
        for u in [*same, *(u for u in near if u != t)][:_TRIED]:
            joined = overlay(tree, theirs[u], cells, len(tree.feature) + len(theirs[u].feature))
            if joined is not None:
                merged[t] = (u, joined)
                taken.add(u)
                break
    return merged


def _fits(ours: Sequence[PlainTree], theirs: Sequence[PlainTree], t: int, u: int, cells: Sequence[Cells]) -> bool:
    most = len(ours[t].feature) + len(theirs[u].feature)
    return overlay(ours[t], theirs[u], cells, most) is not None


def _zeros(tree: PlainTree, width: int) -> NDArray[np.float64]:
    return np.zeros((len(tree.feature), width))


def _tree(model: Ensemble, cells: Sequence[Cells], tree: PlainTree, value: NDArray[np.float64]) -> Tree:
    n = len(tree.feature)
    inner = tree.feature >= 0
    return _made([model, model], cells, np.where(inner, 0, -1), tree.node, tree.right, value, np.arange(n))


def _joined(
    pair: Aligned,
    a: PlainTree,
    b: PlainTree,
    joined: tuple[list[tuple[int, int]], list[int], list[tuple[int, int]]] | None,
) -> Tree:
    if joined is None:
        return _tree(pair.left, pair.cells, a, np.hstack([a.worth, b.worth]))
    nodes, right, pairs = joined
    side = np.array([s for s, _ in nodes])
    at = np.array([n for _, n in nodes])
    source = np.zeros(len(nodes), np.int64)
    for s, tree in enumerate((a, b)):
        source[side == s] = tree.node[at[side == s]]
    value = np.zeros((len(nodes), a.worth.shape[1] + b.worth.shape[1]))
    leaves = np.array(pairs)
    value[side < 0] = np.hstack([a.worth[leaves[:, 0]], b.worth[leaves[:, 1]]])
    return _made([pair.left, pair.right], pair.cells, side, source, np.array(right), value, np.arange(len(nodes)))


def _made(
    models: Sequence[Ensemble],
    cells: Sequence[Cells],
    side: NDArray[Any],
    source: NDArray[Any],
    right: NDArray[Any],
    value: NDArray[np.float64],
    own: NDArray[Any],
) -> Tree:
    """A tree whose tests are those of nodes ``source`` of the models ``side``; leaves have side -1."""
    inner = side >= 0
    feature, cut, missing = np.full(len(side), -1), np.zeros(len(side)), np.zeros(len(side), np.int8)
    sets = {}
    for s, model in enumerate(models):
        here = np.flatnonzero(side == s)
        flat, nodes = model.flat, source[here]
        feature[here], cut[here], missing[here] = flat.feature[nodes], flat.cut[nodes], flat.missing[nodes]
        for k in np.flatnonzero(flat.set_ptr[nodes] < flat.set_ptr[nodes + 1]).tolist():
            sets[int(here[k])] = flat.set_items[flat.set_ptr[nodes[k]] : flat.set_ptr[nodes[k] + 1]]
    return make_tree(
        feature,
        cut,
        np.where(inner, own + 1, -1),
        right,
        value,
        missing=missing,
        cast="float64",
        n_features=len(cells),
        sets=sets,
        infinite=True,
    )
