"""How all trees of a pruning path answer held-out rows, by one sweep over the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.grow import climb_kernel
from xylogic.grow.answering import leaves_of
from xylogic.grow.flow import Shares
from xylogic.grow.grown import Grown
from xylogic.grow.pruning import PruningPath
from xylogic.model.tree import parents

__all__ = ["HeldOut", "node_losses", "path_scores", "path_sums"]

_Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class HeldOut:
    """Rows to be answered: float64 (n, n_features), encoded; int64 (n,) classes or float64 (n,) numbers; weights."""

    values: _Floats
    target: NDArray[Any]
    weight: _Floats

    @classmethod
    def of(cls, values: NDArray[Any], target: NDArray[Any], weight: _Floats | None) -> HeldOut:
        """From a training set's arrays."""
        return cls(values.astype(np.float64), target, np.ones(len(values)) if weight is None else weight)

    def part(self, rows: NDArray[np.intp]) -> HeldOut:
        return HeldOut(self.values[rows], self.target[rows], self.weight[rows])


Decide = Callable[[_Floats], NDArray[np.intp]]


def node_losses(grown: Grown, rows: HeldOut, decide: Decide | None) -> _Floats:
    """What the rows that pass each node would lose if it were a leaf: float64 (n_nodes,). O(n * depth).

    ``decide`` turns class shares, (n_nodes, n_classes), into classes, whose loss is the weight of wrong rows; without
    it, it is the weighted squared error.
    """
    loss = np.zeros(grown.tree.n_nodes)
    parent = parents(grown.tree.left, grown.tree.right).astype(np.int64)
    leaf = leaves_of(grown, rows.values)
    if decide is None:
        climb_kernel.add_squares(leaf, parent, grown.value[:, 0].copy(), rows.target, rows.weight, loss)
    else:
        answer = decide(grown.value).astype(np.int64)
        climb_kernel.add_mistakes(leaf, parent, answer, rows.target, rows.weight, loss)
    return loss


def path_scores(grown: Grown, path: PruningPath, rows: HeldOut, decide: Decide | None) -> _Floats:
    """The accuracy (with ``decide``) or R² of each tree of the path: float64 (n_trees,). O(n * depth + n_nodes).

    Of fractional rows, whose answers do not add up by node, O(n * n_trees).
    """
    if isinstance(grown.routes, Shares):
        loss = _flow_losses(grown, rows, decide, path)
    else:
        loss = path_sums(path, node_losses(grown, rows, decide))
    total = rows.weight.sum()
    if decide is not None:
        return np.asarray((total - loss) / total)
    spread = float((rows.weight * (rows.target - np.average(rows.target, weights=rows.weight)) ** 2).sum())
    if spread == 0:  # as scikit-learn's r2_score
        return np.where(np.abs(loss) <= 1e-12 * total, 1.0, 0.0)
    return np.asarray(1 - loss / spread)


def path_sums(path: PruningPath, by_node: _Floats) -> _Floats:
    """The sum over the leaves of each tree of the path of a number of each node: float64 (n_trees,). O(n_nodes)."""
    n_trees = len(path.alphas)
    change = np.bincount(path.until, weights=by_node, minlength=n_trees + 1)
    change -= np.bincount(_above(path), weights=by_node, minlength=n_trees + 1)
    return np.cumsum(change[:n_trees])


def _above(path: PruningPath) -> NDArray[np.int64]:
    """A node is a leaf of the trees from its own number, ``until``, to this one, its parent's."""
    above = path.until[parents(path.left, path.right)]
    above[0] = len(path.alphas)
    return above


def _flow_losses(grown: Grown, rows: HeldOut, decide: Decide | None, path: PruningPath) -> _Floats:
    assert isinstance(grown.routes, Shares)
    n_trees, above = len(path.alphas), _above(path)
    parent = parents(grown.tree.left, grown.tree.right)
    parts = grown.routes.flow(grown.tree, rows.values)
    at = parts.leaf.copy()
    loss = np.empty(n_trees)
    for place in range(n_trees):
        gone = above[at] <= place
        while gone.any():
            at[gone] = parent[at[gone]]
            gone = above[at] <= place
        answer = parts._replace(leaf=at).answers(grown.value, len(rows.values))
        if decide is None:
            loss[place] = (rows.weight * (rows.target - answer[:, 0]) ** 2).sum()
        else:
            loss[place] = rows.weight[decide(answer) != rows.target].sum()
    return loss
