"""One frozen binary tree in parallel arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Tree", "node_depths", "parents"]


@dataclass(frozen=True, eq=False, slots=True)
class Tree:
    """A tree as ``model.build.make_tree`` checked it; node 0 is the root, ids are the source's own.

    A node is a leaf when it has no children, whatever its other fields hold.

    Attributes
    ----------
    feature : int32 (n_nodes,), the column tested; -1 at a leaf.
    cut : float64 (n_nodes,), a number goes left when ``x <= cut``. The cut is a number of the precision
        that the model compares in; +inf sends every number left, -inf none. 0.0 at leaves and category tests.
    left, right : int32 (n_nodes,), the children; -1 at a leaf.
    missing : int8 (n_nodes,), where NaN goes: 0 nowhere (it is refused), 1 left, 2 right.
    set_ptr, set_items : int32 (n_nodes + 1,) and int32; the codes ``set_items[set_ptr[i]:set_ptr[i + 1]]``,
        ascending, go left at category test ``i``, other codes right. Empty at every other node.
    value : float64 (n_nodes, n_outputs), what a leaf answers; zeros at inner nodes.
    """

    feature: NDArray[np.int32]
    cut: NDArray[np.float64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    missing: NDArray[np.int8]
    set_ptr: NDArray[np.int32]
    set_items: NDArray[np.int32]
    value: NDArray[np.float64]

    def __post_init__(self) -> None:
        for array in self._arrays():
            array.setflags(write=False)

    def _arrays(self) -> tuple[NDArray[Any], ...]:
        return (
            self.feature, self.cut, self.left, self.right,
            self.missing, self.set_ptr, self.set_items, self.value,
        )  # fmt: skip

    def __reduce__(self) -> tuple[type[Tree], tuple[NDArray[Any], ...]]:
        return Tree, self._arrays()  # through __init__, so that a copied tree is read-only too

    def __repr__(self) -> str:
        return f"Tree(n_nodes={self.n_nodes}, n_leaves={self.n_leaves}, depth={self.depth})"

    @property
    def n_nodes(self) -> int:
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        return int(np.count_nonzero(self.left < 0))

    @property
    def n_outputs(self) -> int:
        return self.value.shape[1]

    @property
    def depth(self) -> int:
        """Edges on the longest path from the root; O(n_nodes log depth)."""
        return int(node_depths(parents(self.left, self.right)).max())

    def is_categorical(self, node: int) -> bool:
        """Whether ``node`` tests membership in a set of category codes."""
        return bool(self.set_ptr[node] < self.set_ptr[node + 1])

    def left_codes(self, node: int) -> NDArray[np.int32]:
        """The category codes that go left at ``node``, ascending; empty unless it is a category test."""
        return self.set_items[self.set_ptr[node] : self.set_ptr[node + 1]]


def parents(left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.intp]:
    """The parent of each node; the root, and a node that nobody points to, is its own. Children must be in range."""
    parent = np.arange(len(left))
    inner = np.flatnonzero(left >= 0)
    parent[left[inner]] = inner
    parent[right[inner]] = inner
    return parent


def node_depths(parent: NDArray[np.intp]) -> NDArray[np.intp]:
    """Edges from the root (node 0) to each node; -1 where no path leads. O(n_nodes log depth), by doubling.

    Nodes on a cycle, and below one or below an orphan, have no path from the root.
    """
    n = len(parent)
    ancestor = parent.copy()
    depth = (ancestor != np.arange(n)).astype(np.intp)
    for _ in range(n.bit_length()):
        if not ancestor.any():
            break
        depth += depth[ancestor]
        ancestor = ancestor[ancestor]
    depth[ancestor != 0] = -1
    return depth
