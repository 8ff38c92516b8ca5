"""A grown tree with what its training rows said at every node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.grow.flow import Shares
from xylogic.grow.surrogates import Surrogates
from xylogic.model.tree import Tree, node_depths, parents

__all__ = ["Grown"]


@dataclass(frozen=True, eq=False, slots=True)
class Grown:
    """A ``Tree`` and the statistics of its nodes, the root first, every parent before its children.

    Attributes
    ----------
    tree : the tree; its leaves answer ``value``.
    n_rows : int64 (n_nodes,), training rows of positive weight at the node.
    weight : float64 (n_nodes,), their weight in the user's units.
    impurity : float64 (n_nodes,), the criterion's loss of the best constant, per unit of weight.
    value : float64 (n_nodes, n_outputs), that constant at every node: class shares, mean or median.
    gain : float64 (n_nodes,), how much the node's split lowers impurity * weight; 0 at leaves.
    routes : where rows go whose tested value is missing, if not as the tree itself says.
    """

    tree: Tree
    n_rows: NDArray[np.int64]
    weight: NDArray[np.float64]
    impurity: NDArray[np.float64]
    value: NDArray[np.float64]
    gain: NDArray[np.float64]
    routes: Shares | Surrogates | None = None

    def __post_init__(self) -> None:
        for array in (self.n_rows, self.weight, self.impurity, self.value, self.gain):
            array.setflags(write=False)

    def __reduce__(self) -> tuple[type[Grown], tuple[Any, ...]]:
        return Grown, (self.tree, self.n_rows, self.weight, self.impurity, self.value, self.gain, self.routes)

    @property
    def depths(self) -> NDArray[np.intp]:
        """Edges from the root to each node; O(n_nodes log depth)."""
        return node_depths(parents(self.tree.left, self.tree.right))
