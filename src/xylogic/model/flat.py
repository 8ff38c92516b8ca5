"""All trees of a forest end to end in one set of arrays, as the prediction kernel wants them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.errors import InvalidModelError
from xylogic.model.tree import Tree

__all__ = ["Flat", "feature_weights", "flatten"]

_Array = NDArray[Any]


@dataclass(frozen=True, eq=False, slots=True)
class Flat:
    """``Tree``'s fields, joined; child links are positions in the joined arrays, and ``roots[t]`` is tree t's root."""

    roots: NDArray[np.int32]
    feature: NDArray[np.int32]
    cut: NDArray[np.float64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    missing: NDArray[np.int8]
    set_ptr: NDArray[np.int32]
    set_items: NDArray[np.int32]
    value: NDArray[np.float64]

    @property
    def routing(self) -> tuple[_Array, _Array, _Array, _Array, _Array, _Array, _Array, _Array]:
        """The arguments between ``values`` and the output of both kernel functions."""
        return (
            self.feature, self.cut, self.left, self.right, self.missing, self.set_ptr, self.set_items, self.roots,
        )  # fmt: skip


def feature_weights(flat: Flat, n_features: int) -> NDArray[np.float64]:
    """How much each feature is tested: the sum over its tests of 2^-depth, float64 (n_features,). O(n_nodes)."""
    weight = np.zeros(n_features)
    level, scale = flat.roots, 1.0
    while len(level):
        level = level[flat.left[level] >= 0]
        weight += np.bincount(flat.feature[level], minlength=n_features) * scale
        level = np.concatenate([flat.left[level], flat.right[level]])
        scale /= 2
    return weight


def flatten(trees: Sequence[Tree]) -> Flat:
    """Join ``trees``; O(nodes). Raises InvalidModelError from 2^31 nodes on."""
    sizes = [tree.n_nodes for tree in trees]
    n_items = [len(tree.set_items) for tree in trees]
    if max(sum(sizes), sum(n_items)) >= 2**31 - 1:
        raise InvalidModelError(f"the trees have {sum(sizes)} nodes in all; fewer than 2^31 are accepted")
    roots = np.cumsum([0, *sizes[:-1]], dtype=np.int32)
    first_item = np.cumsum([0, *n_items[:-1]], dtype=np.int32)

    def links(children: str) -> NDArray[np.int32]:
        return np.concatenate(
            [
                np.where(getattr(tree, children) >= 0, getattr(tree, children) + root, np.int32(-1))
                for tree, root in zip(trees, roots, strict=True)
            ]
        )

    ends = [tree.set_ptr[1:] + first for tree, first in zip(trees, first_item, strict=True)]
    return Flat(
        roots=roots,
        feature=np.concatenate([tree.feature for tree in trees]),
        cut=np.concatenate([tree.cut for tree in trees]),
        left=links("left"),
        right=links("right"),
        missing=np.concatenate([tree.missing for tree in trees]),
        set_ptr=np.concatenate([np.zeros(1, np.int32), *ends]),
        set_items=np.concatenate([tree.set_items for tree in trees]),
        value=np.concatenate([tree.value for tree in trees]),
    )
