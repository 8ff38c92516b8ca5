"""A forest's trees as ordered diagrams over states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.circuit.graph import Graph
from xylogic.circuit.ordered_kernel import Ordered
from xylogic.compile.collapse_kernel import collapse
from xylogic.compile.levels_kernel import breadth_first
from xylogic.domain.cells import Cells
from xylogic.errors import InvalidInputError
from xylogic.model.ensemble import Ensemble
from xylogic.model.sums import Scores

__all__ = ["Forest", "Trees"]


class Forest:
    """All trees of ``model`` in one decision graph over the states of ``cells`` (one per model feature).

    Attributes
    ----------
    graph : its labels are the distinct leaf values; ``root`` is that of the last tree.
    roots : int32 (n_trees,), the node of each tree.
    leaf : int (n_labels,), a leaf (node of ``model.flat``) of each label.
    tested : bool (n_features,), which features some node tests.
    weight : float64 (n_features,), how much: the sum over its tests of 2^-depth.
    first : int32 (n_features,), the least depth of its tests.
    """

    def __init__(self, model: Ensemble, cells: Sequence[Cells], scores: Scores) -> None:
        flat = model.flat
        self.model, self.cells = model, cells
        order, depth = np.zeros((2, len(flat.feature)), np.int32)
        order[: len(flat.roots)] = flat.roots
        n_nodes = breadth_first(flat.left, flat.right, order, depth, len(flat.roots))
        order, depth = order[:n_nodes][::-1], depth[:n_nodes][::-1]  # children before parents
        inner = order[flat.left[order] >= 0]
        leaf = order[flat.left[order] < 0]
        _, first, label = np.unique(scores.values[leaf], axis=0, return_index=True, return_inverse=True)
        self.leaf = leaf[first]
        n_labels = len(first)
        place = np.empty(len(flat.feature), np.int32)
        place[leaf] = label.reshape(-1)
        place[inner] = np.arange(n_labels, n_labels + len(inner))
        self.roots = place[flat.roots]
        self.tested = np.zeros(len(cells), dtype=bool)
        self.tested[flat.feature[inner]] = True
        depth = depth[flat.left[order] >= 0]
        self.weight = np.bincount(flat.feature[inner], np.ldexp(1.0, -depth), len(cells)).astype(np.float64)
        self.first = np.zeros(len(cells), np.int32)
        self.first[flat.feature[inner]] = depth  # the last one is the least
        node, hi, child = self._edges(inner)
        edge_at = np.searchsorted(node, np.arange(len(inner) + 1)) if len(inner) else np.zeros(1, np.int64)
        feature = np.concatenate([np.full(n_labels, -1, np.int32), flat.feature[inner]])
        edge_at = np.concatenate([np.zeros(n_labels, np.int64), edge_at])
        edge_at, hi, child = _collapsed(feature, edge_at, hi, place[child], self.roots)
        lo = np.zeros(len(hi), np.int32)
        lo[1:] = hi[:-1] + 1
        lo[edge_at[:-1][np.diff(edge_at) > 0]] = 0
        self.graph = Graph(
            n_states=tuple(c.n_states for c in cells),
            n_labels=n_labels,
            feature=feature,
            edge_at=edge_at,
            lo=lo,
            hi=hi,
            child=child,
            root=int(self.roots[-1]),
        )

    def _edges(self, inner: NDArray[np.int32]) -> tuple[NDArray[Any], NDArray[np.int32], NDArray[np.int32]]:
        """The edges of the given nodes: (position in ``inner``, last state, child), ascending."""
        flat = self.model.flat
        feature = flat.feature[inner]
        cut = _cut_indices(self.cells, feature, flat.cut[inner])
        nodes_of = np.argsort(feature, kind="stable")
        bounds = np.searchsorted(feature[nodes_of], np.arange(len(self.cells) + 1))
        sets = []
        for f, cells in enumerate(self.cells):
            nodes = nodes_of[bounds[f] : bounds[f + 1]]
            if cells.missing and (flat.missing[inner[nodes]] == 0).any():
                raise InvalidInputError(f"feature {cells.name!r} may be missing, but the model has no rule for that")
            if cells.is_set:
                sets += [self._set_edges(inner, node, cells) for node in nodes.tolist()]
        last = np.array([c.n_values - 1 for c in self.cells], np.int32)[feature]
        ordered = np.array([not c.is_set for c in self.cells])[feature]
        missing = np.array([c.missing for c in self.cells])[feature]
        left, right = flat.left[inner], flat.right[inner]
        parts = [
            (ordered & (cut >= 0), np.minimum(cut, last), left),
            (ordered & (cut < last), last, right),
            (ordered & missing, last + np.int32(1), np.where(flat.missing[inner] == 1, left, right)),
        ]
        found = [(np.flatnonzero(where), hi[where], child[where]) for where, hi, child in parts] + sets
        node, hi, child = (np.concatenate(part) for part in zip(*found, strict=True))
        by_node = np.lexsort((hi, node))
        return node[by_node], hi[by_node].astype(np.int32), child[by_node].astype(np.int32)

    def _set_edges(self, inner: NDArray[np.int32], node: int, cells: Cells) -> tuple[NDArray[Any], ...]:
        flat, source = self.model.flat, inner[node]
        goes_left = np.zeros(cells.n_states, dtype=bool)
        goes_left[flat.set_items[flat.set_ptr[source] : flat.set_ptr[source + 1]]] = True
        if cells.missing:
            goes_left[-1] = flat.missing[source] == 1
        hi = np.flatnonzero(np.append(goes_left[1:] != goes_left[:-1], True))
        return np.full(len(hi), node), hi, np.where(goes_left[hi], flat.left[source], flat.right[source])


def _cut_indices(cells: Sequence[Cells], feature: NDArray[np.int32], cut: NDArray[np.float64]) -> NDArray[np.int32]:
    """``Cells.cut_indices`` of the cut of many features' nodes at once; of no meaning for categories. O(n log n)."""
    counts = np.array([len(c.cuts) for c in cells])
    bounds = np.array([bound for c in cells for bound in c.cuts], np.float64)
    features = np.concatenate([np.repeat(np.arange(len(cells)), counts), feature])
    asked = np.arange(len(features)) >= len(bounds)
    by_value = np.lexsort((asked, np.concatenate([bounds, cut]), features))
    last = np.empty(len(features), np.int64)
    last[by_value] = np.cumsum(~asked[by_value]) - 1
    top, most = np.array([c.top for c in cells]), np.array([c.n_values - 1 for c in cells])
    before = np.cumsum(counts) - counts
    return np.where(cut >= top[feature], most[feature], last[len(bounds) :] - before[feature]).astype(np.int32)


def _collapsed(
    feature: NDArray[np.int32],
    edge_at: NDArray[np.int64],
    hi: NDArray[np.int32],
    child: NDArray[np.int32],
    roots: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """The edges with every chain of tests of one feature made a single node; the nodes passed through have none."""
    parent = np.repeat(np.arange(len(feature)), np.diff(edge_at))
    wanted = np.zeros(len(feature), np.int32)
    wanted[child[feature[child] != feature[parent]]] = 1
    wanted[roots] = 1
    if wanted.all():
        return edge_at, hi, child
    made_at = np.zeros(len(feature) + 1, np.int64)
    stack = np.zeros((len(hi) + 1, 3), np.int32)
    room = len(hi)
    while True:
        made_hi, made_child = np.zeros(room, np.int32), np.zeros(room, np.int32)
        count = collapse(feature, edge_at, hi, child, wanted, stack, made_at, made_hi, made_child)
        if count <= room:
            return made_at, made_hi[:count].copy(), made_child[:count].copy()
        room = count


class Trees:
    """The trees of a forest, or its first ``n_trees``, as ordered diagrams, equal ones shared.

    Attributes
    ----------
    order : the features in the order of their levels.
    nodes : the manager; its labels are those of ``forest.graph``.
    roots : int32 (n_trees,), the diagram of each tree.
    """

    def __init__(self, forest: Forest, order: Sequence[int], budget: Budget, n_trees: int | None = None) -> None:
        self.forest, self.order = forest, tuple(order)
        n_states = forest.graph.n_states
        level_of = np.zeros(len(n_states), np.int32)
        level_of[list(self.order)] = np.arange(len(self.order), dtype=np.int32)
        self.nodes = Ordered([n_states[f] for f in self.order], forest.graph.n_labels, budget)
        places = self.nodes.add(forest.graph, np.arange(forest.graph.n_labels), level_of)
        self.roots = places[forest.roots[:n_trees]]

    def graph(self) -> Graph:
        """All nodes as one graph, numbered as in ``nodes``; ``root`` is that of the last tree."""
        return self.nodes.whole(int(self.roots[-1]), self.order, self.forest.graph.n_states)
