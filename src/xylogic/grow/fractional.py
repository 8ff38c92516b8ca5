"""Trees of fractional rows: one whose tested value is missing goes to both sides with part of its weight.

The rules are C4.5's (J. R. Quinlan, "C4.5: Programs for Machine Learning", 1993, chapter 3), for two-way splits: a
split gains what it saves on the rows with a known value; a row without one enters each side with the share of the
known weight that goes there. Weight is preserved down the tree. Plain numpy; the other ways with missing values have
the fast grower.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.feature import Feature
from xylogic.grow.flow import Shares
from xylogic.grow.grown import Grown
from xylogic.grow.losses import Losses
from xylogic.grow.target import Weights
from xylogic.model.build import make_tree

__all__ = ["grow_fractional"]

_TIE = 1e-12  # gains closer than this part of the node's loss are equal
_FEW = 10  # levels of which all subsets are tried, where an order need not be optimal
_BLOCK = 2**22  # cells looked at together

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]


class _Split(NamedTuple):
    gain: float
    feature: int
    below: Any = 0.0  # the values beside the cut
    above: Any = 0.0
    codes: tuple[int, ...] = ()  # of the categories that go left; empty for a cut

    @property
    def cut(self) -> float:
        return 0.0 if self.codes else _between(self.below, self.above)


@dataclass(slots=True)
class _Node:
    rows: _Ints
    part: _Floats  # the rows' weight here
    depth: int
    n_rows: int
    sums: _Floats
    loss: float
    split: _Split | None = None
    share: float = 0.0  # of the known weight, what goes left
    children: tuple[int, int] = (-1, -1)


def grow_fractional(
    values: NDArray[Any],
    features: Sequence[Feature],
    losses: Losses,
    weight: _Floats | None,
    limits: Any,
    *,
    seed: int = 0,
) -> Grown:
    """A tree without routes of its own for missing values; ``routes`` are the shares of weight that go left.

    Parameters
    ----------
    values : float32 or float64 (n, n_features), category codes, NaN for missing.
    features : the columns.
    losses : criterion and targets.
    weight : float64 (n,), positive; ``None`` is 1 each.
    limits : as for the other grower, in numbers; a row counts at every node that part of it reaches. Monotone
        constraints are not known here.
    seed : for draws of features.

    Ties go to the lowest feature, then the lowest cut. Categories are put in the order of their means or class
    shares, one order for each class; up to ten levels are tried in all subsets where there are more than two classes.
    O(n * n_features * log n) a level, n counting the parts of rows.
    """
    weights = Weights.of(weight)
    limits = replace(limits, min_weight_leaf=limits.min_weight_leaf / weights.unit)
    grower = _Grower(values, features, losses, limits, seed)
    grown = grower.grow(np.ones(len(values)) if weights.grid is None else weights.grid)
    return replace(grown, weight=grown.weight * weights.unit, gain=grown.gain * weights.unit)


class _Grower:
    def __init__(
        self, values: NDArray[Any], features: Sequence[Feature], losses: Losses, limits: Any, seed: int
    ) -> None:
        self.values, self.features, self.losses, self.limits = values, features, losses, limits
        self.random = np.random.default_rng(seed)
        self.numbers = np.array([not feature.categories for feature in features])
        self.nodes: list[_Node] = []
        self.total = 0.0

    def grow(self, weight: _Floats) -> Grown:
        self.total = float(weight.sum())
        most = self.limits.max_leaf_nodes
        # Depth first from the left, or the greatest gain first where leaves are limited: (priority, node).
        waiting = [(0.0, self.add(np.arange(len(weight)), weight, 0))]
        n_leaves = 1
        while waiting and (most is None or n_leaves < most):
            _, at = heapq.heappop(waiting) if most is not None else waiting.pop()
            node = self.nodes[at]
            if node.split is None:
                continue
            sides = self.sides(node)
            pair = [self.add(rows, part, node.depth + 1) for rows, part in sides]
            node.children = (pair[0], pair[1])
            node.rows, node.part = node.rows[:0], node.part[:0]
            n_leaves += 1
            for child in pair[::-1]:
                split = self.nodes[child].split
                if split is not None and most is not None:
                    heapq.heappush(waiting, (-split.gain, child))
                elif split is not None:
                    waiting.append((0.0, child))
        return self.freeze()

    def add(self, rows: _Ints, part: _Floats, depth: int) -> int:
        """A new node, with the split it would have."""
        sums = part @ self.losses.of_rows[rows]
        node = _Node(rows, part, depth, len(rows), sums, float(self.losses.loss(sums)))
        limits = self.limits
        splits = (
            (limits.max_depth is None or depth < limits.max_depth)
            and len(rows) >= max(2, limits.min_samples_split)
            and node.loss > _TIE * part.sum()
        )
        if splits:
            node.split = self.best_split(node)
        self.nodes.append(node)
        return len(self.nodes) - 1

    def sides(self, node: _Node) -> list[tuple[_Ints, _Floats]]:
        """The rows and weights of both children; sets the share of the left one."""
        assert node.split is not None
        x = self.values[node.rows, node.split.feature]
        known = x == x
        left = np.isin(x, node.split.codes) if node.split.codes else x <= node.split.cut
        node.share = float(node.part[left].sum() / node.part[known].sum())
        if node.split.codes:
            node.split = self.with_absent(node, x[known])
        sides = []
        for here, share in ((left, node.share), (known & ~left, 1 - node.share)):
            part = np.where(here, node.part, np.where(known, 0.0, share * node.part))
            sides.append((node.rows[part > 0], part[part > 0]))
        return sides

    def with_absent(self, node: _Node, x: NDArray[Any]) -> _Split:
        """The split of ``node`` with the levels that it has not seen on the larger side."""
        assert node.split is not None
        if node.share < 0.5:
            return node.split
        absent = set(range(len(self.features[node.split.feature].categories))) - set(x.astype(int).tolist())
        return node.split._replace(codes=tuple(sorted(absent | set(node.split.codes))))

    def best_split(self, node: _Node) -> _Split | None:
        x = self.values[node.rows]
        low, high = np.fmin.reduce(x, axis=0), np.fmax.reduce(x, axis=0)  # NaN where nothing is known
        varied = np.flatnonzero(low < high)
        wanted = self.limits.max_features
        if wanted is not None and wanted < len(self.features):
            drawn = self.random.permutation(len(self.features))
            varied = np.sort(drawn[np.isin(drawn, varied)][:wanted])
        found = self.number_splits(node, x, varied[self.numbers[varied]])
        found += [self.category_split(node, x[:, f], int(f)) for f in varied[~self.numbers[varied]]]
        best = max((split.gain for split in found), default=-np.inf)
        tie = _TIE * node.loss
        least = self.limits.min_impurity_decrease
        if best < -tie or best < least * self.total - tie or (not self.limits.zero_gain and best <= tie):
            return None
        return min((split for split in found if split.gain >= best - tie), key=lambda split: split.feature)

    def number_splits(self, node: _Node, x: NDArray[Any], columns: _Ints) -> list[_Split]:
        """The best cut of each column, where it has one."""
        of_rows = self.losses.of_rows[node.rows] * node.part[:, np.newaxis]
        room = max(1, _BLOCK // of_rows.size)
        found = []
        for start in range(0, len(columns), room):
            block = columns[start : start + room]
            order = np.argsort(x[:, block], axis=0, kind="stable")  # NaN last
            ordered = np.take_along_axis(x[:, block], order, axis=0)
            known = (ordered == ordered).sum(axis=0)
            left = np.cumsum(of_rows[order], axis=0)
            total = left[known - 1, np.arange(len(block))]
            gains = self.gains(node, left[:-1], total, np.arange(1, len(x))[:, np.newaxis], known)
            gains[~(ordered[:-1] < ordered[1:])] = -np.inf
            best = gains.max(axis=0)
            first = (gains >= best - _TIE * node.loss).argmax(axis=0)
            for place, column in enumerate(block.tolist()):
                if best[place] > -np.inf:
                    below, above = ordered[first[place], place], ordered[first[place] + 1, place]
                    gain = max(0.0, float(gains[first[place], place]))
                    found.append(_Split(gain, column, below, above))
        return found

    def category_split(self, node: _Node, x: NDArray[Any], column: int) -> _Split:
        known = x == x
        levels, level = np.unique(x[known].astype(np.int64), return_inverse=True)
        sums = np.zeros((len(levels), self.losses.of_rows.shape[1]))
        np.add.at(sums, level, self.losses.of_rows[node.rows[known]] * node.part[known, np.newaxis])
        rows = np.bincount(level)
        chosen = self.subsets(sums)
        gains = self.gains(node, chosen @ sums, sums.sum(axis=0), chosen @ rows, len(level))
        first = int((gains >= gains.max() - _TIE * node.loss).argmax())
        codes = tuple(levels[chosen[first] > 0].tolist())
        gain = float(gains[first])
        return _Split(max(gain, 0.0) if gain > -np.inf else gain, column, codes=codes)

    def subsets(self, sums: _Floats) -> _Floats:
        """Candidates for the left side as rows of 0 and 1, (n_candidates, n_levels)."""
        n = len(sums)
        keys = self.losses.keys(sums)
        if len(keys) > 1 and n <= _FEW:
            chosen = [subset for size in range(1, n) for subset in combinations(range(n), size) if subset[0] == 0]
        else:
            orders = np.argsort(keys, axis=1, kind="stable")
            chosen = [tuple(order[:size]) for order in orders.tolist() for size in range(1, n)]
        found = np.zeros((len(chosen), n))
        for place, subset in enumerate(chosen):
            found[place, list(subset)] = 1.0
        return found

    def gains(self, node: _Node, left: _Floats, total: _Floats, n_left: Any, n_known: Any) -> _Floats:
        """What splits save on the rows with a known value, which sum up to ``total``; -inf where a limit forbids it."""
        losses, limits = self.losses, self.limits
        right = total - left
        if losses.has_classes:
            right = np.maximum(right, 0.0)
        with np.errstate(invalid="ignore"):
            gains = losses.loss(total) - losses.loss(left) - losses.loss(right)
        n_missing = len(node.rows) - n_known
        grown = losses.weight(node.sums) / losses.weight(total)  # the sides take their share of the missing rows
        fits = (n_left + n_missing >= limits.min_samples_leaf) & (
            n_known - n_left + n_missing >= limits.min_samples_leaf
        )
        least = limits.min_weight_leaf * (1 - _TIE)
        fits = fits & (losses.weight(left) * grown >= least) & (losses.weight(right) * grown >= least)
        return np.where(fits, gains, -np.inf)

    def freeze(self) -> Grown:
        nodes, losses = self.nodes, self.losses
        value = np.stack([losses.constant(node.sums) for node in nodes])
        weight = np.array([losses.weight(node.sums) for node in nodes])
        splits = [node.split if node.children[0] >= 0 else None for node in nodes]
        tree = make_tree(
            [-1 if split is None else split.feature for split in splits],
            [0.0 if split is None else split.cut for split in splits],
            [node.children[0] for node in nodes],
            [node.children[1] for node in nodes],
            value,
            missing=np.zeros(len(nodes), np.int8),
            cast=str(self.values.dtype),
            n_features=len(self.features),
            sets={at: split.codes for at, split in enumerate(splits) if split is not None and split.codes},
            infinite=True,
        )
        return Grown(
            tree=tree,
            n_rows=np.array([node.n_rows for node in nodes]),
            weight=weight,
            impurity=np.array([node.loss for node in nodes]) / weight,
            value=value,
            gain=np.array([0.0 if split is None else split.gain for split in splits]),
            routes=Shares(np.array([node.share if split else 0.0 for node, split in zip(nodes, splits, strict=True)])),
        )


def _between(below: Any, above: Any) -> float:
    """A cut with below <= cut < above, in their own precision: the middle, or the finite one of them."""
    with np.errstate(over="ignore", invalid="ignore"):
        middle = below + (above - below) / 2
        if np.isinf(middle):
            middle = below / 2 + above / 2
    return float(middle if below <= middle < above else below)
