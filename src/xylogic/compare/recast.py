"""A model rewritten, exactly, over another list of columns: moved, re-coded, and compared in double precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.feature import Feature
from xylogic.model.build import feature_cuts
from xylogic.model.ensemble import Ensemble
from xylogic.model.tree import Tree

__all__ = ["highest", "recast", "widened"]


def recast(
    model: Ensemble, columns: Sequence[Feature], place: Sequence[int], codes: Sequence[Sequence[int]], cast: str
) -> Ensemble:
    """The same function over ``columns``. O(n_nodes + category codes listed).

    Parameters
    ----------
    columns : the new features; ``cuts`` are set here.
    place : the new position of each of the model's features.
    codes : for each of the model's features, the code it gives to each category of the new one; empty for numbers.
    cast : the new precision: the model's own, or float64.
    """
    widen = cast != model.cast
    trees = [_moved(tree, np.array(place, np.int32), codes, widen) for tree in model.trees]
    cuts = feature_cuts(trees, len(columns))
    features = tuple(replace(column, cuts=own) for column, own in zip(columns, cuts, strict=True))
    return replace(model, trees=tuple(trees), features=features, cast=cast, limits=None)


def _moved(tree: Tree, place: NDArray[np.int32], codes: Sequence[Sequence[int]], widen: bool) -> Tree:
    inner = tree.left >= 0
    cut = np.where(inner, widened(tree.cut), 0.0) if widen else tree.cut
    left, right, missing = tree.left.copy(), tree.right.copy(), tree.missing.copy()
    sizes, items = np.zeros(tree.n_nodes, np.int64), [np.zeros(0, np.int32)]
    for node in np.flatnonzero(np.diff(tree.set_ptr)).tolist():
        given = codes[tree.feature[node]]
        chosen = np.flatnonzero(np.isin(given, tree.left_codes(node))).astype(np.int32)
        if not len(chosen):  # a set may not be empty: the sides change places
            left[node], right[node] = right[node], left[node]
            missing[node] = (0, 2, 1)[missing[node]]
            chosen = np.arange(len(given), dtype=np.int32)
        sizes[node] = len(chosen)
        items.append(chosen)
    return Tree(
        feature=np.where(inner, place[np.where(inner, tree.feature, 0)], -1).astype(np.int32),
        cut=cut,
        left=left,
        right=right,
        missing=missing,
        set_ptr=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
        set_items=np.concatenate(items),
        value=tree.value,
    )


def widened(cuts: NDArray[np.float64]) -> NDArray[np.float64]:
    """For float32 cuts, the largest float64 that rounds to a float32 <= the cut."""
    with np.errstate(over="ignore", invalid="ignore"):
        narrow = cuts.astype(np.float32)
        above = np.nextafter(narrow, np.float32(np.inf)).astype(np.float64)
        above = np.where(np.isinf(above) & np.isfinite(cuts), 2.0**128, above)
        middle = cuts + (above - cuts) / 2  # exact: float32 numbers have bits to spare in a float64
        down = middle.astype(np.float32) <= narrow  # ties go to the even one
    return np.where(np.isfinite(cuts), np.where(down, middle, np.nextafter(middle, -np.inf)), cuts) + 0.0


def highest(model: Ensemble, cast: str) -> float:
    """The largest finite number that the model's own precision has, as ``cast`` writes it."""
    top = float(np.finfo(model.cast).max)
    return top if cast == model.cast else float(widened(np.array([top]))[0])
