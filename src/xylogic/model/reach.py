"""Which rows reach a node: one walk down a tree that keeps what each column may still be."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from xylogic.domain.feature import Feature
from xylogic.errors import InvalidModelError
from xylogic.model.tree import Tree, parents

__all__ = ["Open", "check_reachable", "open_column", "walk"]


class Open(NamedTuple):
    """What one column may be at a node: a number in (low, high], one of ``codes``, or, with ``missing``, NaN."""

    low: float
    high: float
    codes: frozenset[int]
    missing: bool

    @property
    def is_empty(self) -> bool:
        return self.low >= self.high and not self.codes and not self.missing


def open_column(feature: Feature, missing: bool) -> Open:
    """All that a feature can be, NaN if ``missing``."""
    if feature.categories:
        return Open(0.0, 0.0, frozenset(range(len(feature.categories))), missing)
    return Open(-math.inf, math.inf, frozenset(), missing)


def walk(tree: Tree, start: Sequence[Open]) -> Iterator[tuple[int, list[Open]]]:
    """Each node that some row reaches, in preorder, with what each column is there.

    The list is the walk's own and changes with the next node. O(n_nodes), times the categories tested.
    """
    state = list(start)
    feature, cut, left, right = tree.feature.tolist(), tree.cut.tolist(), tree.left.tolist(), tree.right.tolist()
    missing, has_set = tree.missing.tolist(), np.diff(tree.set_ptr).astype(bool).tolist()
    # (node, column to set on the way, to what); node -1 only restores the column
    stack: list[tuple[int, int, Open | None]] = [(0, -1, None)]
    while stack:
        node, column, now = stack.pop()
        if now is not None:
            state[column] = now
        if node < 0 or (now is not None and now.is_empty):
            continue
        yield node, state
        if left[node] >= 0:
            tested = feature[node]
            before = state[tested]
            codes = frozenset(tree.left_codes(node).tolist()) if has_set[node] else None
            to_left, to_right = _split(before, cut[node], missing[node], codes)
            stack += [(-1, tested, before), (right[node], tested, to_right), (left[node], tested, to_left)]


def _split(before: Open, cut: float, way: int, codes: frozenset[int] | None) -> tuple[Open, Open]:
    """What the tested column is on the left and on the right; ``codes`` go left, or numbers up to the cut."""
    low, high, known, missing = before
    nan_left, nan_right = missing and way == 1, missing and way == 2
    if codes is not None:
        return Open(low, high, known & codes, nan_left), Open(low, high, known - codes, nan_right)
    return Open(low, min(high, cut), known, nan_left), Open(max(low, cut), high, known, nan_right)


def check_reachable(tree: Tree, features: Sequence[Feature], names: Sequence[str]) -> None:
    """Raise InvalidModelError if a node's tests contradict each other; ``names`` is how errors call the nodes."""
    reached = np.zeros(tree.n_nodes, dtype=bool)
    for node, _ in walk(tree, [open_column(feature, missing=True) for feature in features]):
        reached[node] = True
    parent = parents(tree.left, tree.right)
    lost = np.flatnonzero(~reached & reached[parent])
    if len(lost):
        node, above = int(lost[0]), int(parent[lost[0]])
        side = "left" if tree.left[above] == node else "right"
        raise InvalidModelError(
            f"{names[node]}, on the {side} of {names[above]}, is never reached: its tests of "
            f"{features[tree.feature[above]].name!r} contradict those above it"
        )
