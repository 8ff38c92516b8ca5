"""What forests answer whose trees have ways of their own for missing values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from xylogic.grow.answering import leaves_of
from xylogic.grow.grown import Grown
from xylogic.model import predict
from xylogic.model.ensemble import Ensemble

__all__ = ["routed_leaves", "routed_scores"]


def routed_leaves(model: Ensemble, trees: Sequence[Grown], values: NDArray[np.float64]) -> NDArray[np.int32]:
    """``predict.apply`` by the grown ``trees`` of ``model``: each row's leaf in each, int32 (n, n_trees)."""
    if trees[0].routes is None:
        return predict.apply(model, values)
    return np.column_stack([leaves_of(grown, values) for grown in trees])


def routed_scores(model: Ensemble, trees: Sequence[Grown], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """``predict.scores`` by the grown ``trees`` of ``model``: the scores of encoded rows, float64 (n, n_outputs)."""
    if trees[0].routes is None:
        return predict.scores(model, values)
    answers = np.split(model.votes if model.voting == "majority" else model.flat.value, model.flat.roots[1:])
    total = np.empty((len(values), model.n_outputs))
    total[:] = model.base
    for grown, answer in zip(trees, answers, strict=True):
        total += answer[leaves_of(grown, values)]
    if model.voting == "average":
        total /= model.n_trees
    return total
