"""Decision graphs over states as frozen arrays: the shape that every compiler makes and every query reads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Graph"]


@dataclass(frozen=True, eq=False)
class Graph:
    """A rooted acyclic graph of tests. Children have smaller numbers than their parents.

    Nodes 0 .. n_labels - 1 are leaves, node n being the leaf of label n; in a graph with two labels these are *false*
    and *true*. Every other node n tests ``feature[n]``: its edges ``edge_at[n] : edge_at[n + 1]`` lead the states
    ``lo .. hi`` (both included) of that feature to ``child``. Edges of a node are disjoint and ascending; neighbours
    with the same child are one edge, so several edges of a node lead to one child only where the states between them
    go elsewhere, or nowhere since no path allows them.

    Weak test-once: at every node that tests X, and for every path to it, the states that the path still allows for X
    are exactly those of the node's edges. Test-once (no path tests a feature twice) implies it.

    Attributes
    ----------
    n_states : number of states per feature; features are positions in the model's feature list.
    n_labels : number of leaves.
    feature : int32 (n_nodes,), -1 at leaves.
    edge_at : int64 (n_nodes + 1,).
    lo, hi, child : int32 (n_edges,).
    root : the node that reading starts from.
    order : the order in which every path tests features (test-once, then); ``None``: paths differ.
    """

    n_states: tuple[int, ...]
    n_labels: int
    feature: NDArray[np.int32]
    edge_at: NDArray[np.int64]
    lo: NDArray[np.int32]
    hi: NDArray[np.int32]
    child: NDArray[np.int32]
    root: int
    order: tuple[int, ...] | None = None

    @property
    def n_nodes(self) -> int:
        return len(self.feature)

    @property
    def n_edges(self) -> int:
        return len(self.child)
