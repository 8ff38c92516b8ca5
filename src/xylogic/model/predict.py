"""What a model computes: a plain reference, and the same numbers from the kernel.

All functions take ``values``, float64 (n_rows, n_features), from ``Ensemble.encode``.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from xylogic.model import predict_kernel

if TYPE_CHECKING:
    from xylogic.model.ensemble import Ensemble
    from xylogic.model.tree import Tree

__all__ = ["apply", "decide", "probabilities", "reference_apply", "reference_scores", "scores"]

Values = NDArray[np.float64]


def reference_leaf(tree: Tree, row: Values) -> int:
    """The leaf that one row reaches, one test at a time."""
    node = 0
    while tree.left[node] >= 0:
        x = row[tree.feature[node]]
        if math.isnan(x):
            goes_left = tree.missing[node] == 1
        elif tree.is_categorical(node):
            goes_left = x in tree.left_codes(node)
        else:
            goes_left = x <= tree.cut[node]
        node = int(tree.left[node] if goes_left else tree.right[node])
    return node


def reference_apply(model: Ensemble, values: Values) -> NDArray[np.int32]:
    """Each tree's leaf: int32 (n_rows, n_trees). Slow and plain; what the kernel is tested against."""
    leaves = [[reference_leaf(tree, row) for tree in model.trees] for row in values]
    return np.array(leaves, dtype=np.int32).reshape(len(values), model.n_trees)


def reference_scores(model: Ensemble, values: Values) -> Values:
    """The scores: float64 (n_rows, n_outputs), summed in tree order. Slow and plain."""
    table = []
    for row in values:
        total = list(model.base)
        for tree in model.trees:
            answer = [float(v) for v in tree.value[reference_leaf(tree, row)]]
            if model.voting == "majority":
                winner = answer.index(max(answer))
                answer = [float(k == winner) for k in range(len(answer))]
            total = [a + b for a, b in zip(total, answer, strict=True)]
        if model.voting == "average":
            total = [score / model.n_trees for score in total]
        table.append(total)
    return np.array(table, dtype=np.float64).reshape(len(values), model.n_outputs)


def apply(model: Ensemble, values: Values) -> NDArray[np.int32]:
    """Each tree's leaf, by its source's node id: int32 (n_rows, n_trees)."""
    leaves = np.empty((len(values), model.n_trees), dtype=np.int32)
    predict_kernel.apply(values, *model.flat.routing, leaves)
    return leaves


def scores(model: Ensemble, values: Values) -> Values:
    """The scores: float64 (n_rows, n_outputs); bit for bit ``reference_scores``."""
    total = np.empty((len(values), model.n_outputs))
    total[:] = model.base
    answer = model.votes if model.voting == "majority" else model.flat.value
    predict_kernel.add_scores(values, *model.flat.routing, answer, total)
    if model.voting == "average":
        total /= model.n_trees
    return total


def decide(model: Ensemble, score: Values) -> NDArray[np.intp]:
    """The position in ``model.classes`` of each row's class, from ``scores``."""
    last = model.tie == "last"
    if model.is_binary_sum:
        raw = score[:, 0]
        return (raw >= 0 if last else raw > 0).astype(np.intp)
    if last:
        return score.shape[1] - 1 - score[:, ::-1].argmax(axis=1)
    return score.argmax(axis=1)


def probabilities(model: Ensemble, score: Values) -> Values:
    """Class probabilities: float64 (n_rows, n_classes), from ``scores``; a sum needs a link."""
    if model.voting == "average":
        return score
    if model.voting == "majority":
        return score / model.n_trees
    if model.link == "logistic":
        with np.errstate(over="ignore"):
            positive = 1 / (1 + np.exp(-score[:, 0]))
        return np.column_stack([1 - positive, positive])
    share: Any = np.exp(score - score.max(axis=1, keepdims=True))
    return share / share.sum(axis=1, keepdims=True)
