"""A model's trees in preorder over states, ready to be recognised and laid over each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.cells import Cells
from xylogic.model.ensemble import Ensemble
from xylogic.search.layout_kernel import preorder

__all__ = ["PlainTree", "overlay", "plain_trees"]

_Box = dict[int, int]  # column -> its states as bits, where some test has limited them


@dataclass(frozen=True, eq=False)
class PlainTree:
    """One tree. Arrays are by node, in preorder.

    Attributes
    ----------
    feature : -1 at leaves; right : the right child (the left one is the next node).
    test : the last state that goes left; -2 - k for the k-th set of ``sets``, bits of the states that go left.
    missing : 1 left, 2 right; 0 where "missing" is no state.
    node : the node of ``model.flat``.
    worth : float64 (n_nodes, n_outputs), what leaves add to the scores.
    """

    feature: NDArray[np.int32]
    test: NDArray[np.int32]
    right: NDArray[np.int32]
    missing: NDArray[np.int8]
    node: NDArray[np.int32]
    worth: NDArray[np.float64]
    sets: tuple[int, ...]

    @property
    def shape(self) -> Any:
        """Equal for trees of the same tests in the same places."""
        return self.feature.tobytes(), self.test.tobytes(), self.right.tobytes(), self.missing.tobytes(), self.sets


def plain_trees(model: Ensemble, cells: Sequence[Cells]) -> list[PlainTree]:
    """The trees of a model. O(n_nodes log cuts)."""
    flat = model.flat
    n = len(flat.feature)
    order, place, end = (np.empty(n, np.int32) for _ in range(3))
    preorder(flat.left, flat.right, flat.roots, order, place, end)
    inner = flat.left[order] >= 0
    feature = np.where(inner, flat.feature[order], -1).astype(np.int32)
    test = np.zeros(n, np.int32)
    missing = np.where(inner, flat.missing[order], 0).astype(np.int8)
    sets: dict[int, int] = {}
    for f, c in enumerate(cells):
        nodes = np.flatnonzero(feature == f)
        if not c.missing:
            missing[nodes] = 0
        if not c.is_set:
            test[nodes] = c.cut_indices(flat.cut[order[nodes]])
            continue
        for at in nodes.tolist():
            source = order[at]
            codes = flat.set_items[flat.set_ptr[source] : flat.set_ptr[source + 1]].tolist()
            sets[at] = sum(1 << code for code in codes)
    worth = model.votes if model.voting == "majority" else flat.value
    worth = np.where(inner[:, None], 0.0, worth[order])
    right = np.where(inner, place[flat.right[order]], -1).astype(np.int32)
    made = []
    starts = [*place[flat.roots].tolist(), n]
    for first, last in pairwise(starts):
        own = [at for at in sets if first <= at < last] if sets else []
        tests = test[first:last].copy()
        for k, at in enumerate(sorted(own)):
            tests[at - first] = -2 - k
        made.append(
            PlainTree(
                feature[first:last],
                tests,
                np.where(inner[first:last], right[first:last] - first, -1).astype(np.int32),
                missing[first:last],
                order[first:last],
                worth[first:last],
                tuple(sets[at] for at in sorted(own)),
            )
        )
    return made


Joined = tuple[list[tuple[int, int]], list[int], list[tuple[int, int]]]


def overlay(a: PlainTree, b: PlainTree, cells: Sequence[Cells], most: int) -> Joined | None:
    """One tree that reaches a leaf of both; ``None`` where it needs more than ``most`` nodes.

    Nodes in preorder: (0 or 1, node) is a test of a or of b, (-1, k) the k-th pair of leaves; right children; pairs.
    """
    trees = [(t.feature.tolist(), t.right.tolist()) for t in (a, b)]
    nodes: list[tuple[int, int]] = []
    right: list[int] = []
    pairs: list[tuple[int, int]] = []
    stack: list[tuple[int, int, _Box, int]] = [(0, 0, {}, -1)]
    while stack:
        at_a, at_b, box, parent = stack.pop()
        at = [at_a, at_b]
        tested = -1
        for side, (tree, (feature, rights)) in enumerate(zip((a, b), trees, strict=True)):
            while feature[at[side]] >= 0:
                inside, to_left = _split(tree, at[side], cells[feature[at[side]]], box)
                if inside & to_left and inside & ~to_left:
                    tested = side if tested < 0 else tested
                    break
                at[side] = at[side] + 1 if inside & to_left else rights[at[side]]
        if len(nodes) >= most:
            return None
        if parent >= 0:
            right[parent] = len(nodes)
        right.append(-1)
        if tested < 0:
            nodes.append((-1, len(pairs)))
            pairs.append((at[0], at[1]))
            continue
        tree, (feature, rights) = (a, b)[tested], trees[tested]
        node = at[tested]
        f = feature[node]
        inside, to_left = _split(tree, node, cells[f], box)
        nodes.append((tested, node))
        for child, states, parent in (
            (rights[node], inside & ~to_left, len(nodes) - 1),
            (node + 1, inside & to_left, -1),
        ):
            to = list(at)
            to[tested] = child
            stack.append((to[0], to[1], {**box, f: states}, parent))
    return nodes, right, pairs


def _split(tree: PlainTree, node: int, c: Cells, box: _Box) -> tuple[int, int]:
    """The states that a box allows at a test, and those that the test sends left."""
    f = int(tree.feature[node])
    inside = box.get(f)
    if inside is None:
        inside = (1 << c.n_states) - 1
    test = int(tree.test[node])
    to_left = tree.sets[-2 - test] if test <= -2 else (1 << (test + 1)) - 1
    if c.missing and tree.missing[node] == 1:
        to_left |= 1 << c.n_values
    elif c.missing:
        to_left &= ~(1 << c.n_values)
    return inside, to_left
