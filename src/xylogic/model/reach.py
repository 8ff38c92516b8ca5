"""Refuses nodes of a handmade tree that no row can reach."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from xylogic.domain.feature import Feature
from xylogic.errors import InvalidModelError
from xylogic.model.tree import Tree

__all__ = ["check_reachable"]


class _Open(NamedTuple):
    """What one feature may still be: a number in (low, high], one of ``codes``, or, with ``missing``, NaN."""

    low: float
    high: float
    codes: frozenset[int]
    missing: bool

    @property
    def is_empty(self) -> bool:
        return self.low >= self.high and not self.codes and not self.missing


def check_reachable(tree: Tree, features: Sequence[Feature], names: Sequence[str]) -> None:
    """Raise InvalidModelError if a node's tests contradict each other; ``names`` is how errors call the nodes.

    One walk down the tree that keeps what each feature may still be. O(n_nodes), times the categories tested.
    """
    state = [
        _Open(-math.inf, math.inf, frozenset(), True)
        if not feature.categories
        else _Open(0.0, 0.0, frozenset(range(len(feature.categories))), True)
        for feature in features
    ]
    feature, left, right = tree.feature.tolist(), tree.left.tolist(), tree.right.tolist()
    # (node, feature to set on the way, its state); node -1 only restores the state
    stack: list[tuple[int, int, _Open | None]] = [(0, -1, None)]
    while stack:
        node, column, now = stack.pop()
        if now is not None:
            state[column] = now
        if node < 0 or left[node] < 0:
            continue
        tested = feature[node]
        before = state[tested]
        sides = _split(tree, node, before)
        for side, child, after in zip(("left", "right"), (left[node], right[node]), sides, strict=True):
            if after.is_empty:
                raise InvalidModelError(
                    f"{names[child]}, on the {side} of {names[node]}, is never reached: its tests of "
                    f"{features[tested].name!r} contradict those above it"
                )
        stack += [(-1, tested, before), (right[node], tested, sides[1]), (left[node], tested, sides[0])]


def _split(tree: Tree, node: int, before: _Open) -> tuple[_Open, _Open]:
    """The state of the tested feature on the left and on the right."""
    to_left = before.missing and tree.missing[node] == 1
    to_right = before.missing and tree.missing[node] == 2
    if tree.is_categorical(node):
        codes = frozenset(tree.left_codes(node).tolist())
        return (
            before._replace(codes=before.codes & codes, missing=to_left),
            before._replace(codes=before.codes - codes, missing=to_right),
        )
    cut = float(tree.cut[node])
    return (
        before._replace(high=min(before.high, cut), missing=to_left),
        before._replace(low=max(before.low, cut), missing=to_right),
    )
