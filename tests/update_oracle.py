"""Updating a tree straight from the definitions: explanations, dissimilarities, objective, gains, growth, prunings.

Numbers are Fractions wherever nothing irrational occurs (all but MAE and entropy). Nothing here is fast, and nothing is
taken from the package but the shape of its trees.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

Row = Sequence[float]
KINDS = [("jac", "pooled"), ("jlu", "pooled"), ("jlu", "mean"), ("mae", "pooled"), ("mse", "pooled")]


@dataclass(eq=False)
class Node:
    """A test ``x[feature] <= cut`` (true: left), or, without children, a leaf. ``rows``: of the new data, if grown."""

    answer: Any = None
    feature: int = -1
    cut: float = 0.0
    left: Node | None = None
    right: Node | None = None
    rows: list[int] = field(default_factory=list)

    @property
    def is_leaf(self) -> bool:
        return self.left is None

    def leaf_of(self, x: Row) -> Node:
        node = self
        while not node.is_leaf:
            node = node.left if x[node.feature] <= node.cut else node.right
        return node

    def leaves(self) -> list[Node]:
        return [self] if self.is_leaf else self.left.leaves() + self.right.leaves()

    def nodes(self) -> list[Node]:
        return [self] if self.is_leaf else [self, *self.left.nodes(), *self.right.nodes()]

    def shape(self) -> Any:
        """The tree as nested tuples, to be compared."""
        return self.answer if self.is_leaf else (self.feature, self.cut, self.left.shape(), self.right.shape())


def plain(model: Any) -> Node:
    """The one tree of a model of ours, over numbers."""
    tree, answers = model.trees[0], model.labels(model.trees[0].value).tolist()

    def copy(node: int) -> Node:
        if tree.left[node] < 0:
            return Node(answers[node])
        parts = copy(int(tree.left[node])), copy(int(tree.right[node]))
        return Node(answers[node], int(tree.feature[node]), float(tree.cut[node]), *parts)

    return copy(0)


@dataclass(frozen=True)
class Interval:
    """``low < x <= high``; ``None`` where there is no bound."""

    low: float | None = None
    high: float | None = None

    def below(self, cut: float) -> Interval:
        return Interval(self.low, cut if self.high is None else min(self.high, cut))

    def above(self, cut: float) -> Interval:
        return Interval(cut if self.low is None else max(self.low, cut), self.high)


Explanation = tuple[Interval, ...]


def explain(tree: Node, x: Row) -> Explanation:
    """Algorithm 1."""
    box = [Interval()] * len(x)
    node = tree
    while not node.is_leaf:
        goes_left, j = x[node.feature] <= node.cut, node.feature
        box[j] = box[j].below(node.cut) if goes_left else box[j].above(node.cut)
        node = node.left if goes_left else node.right
    return tuple(box)


def bounded_below(box: Explanation) -> set[int]:
    return {j for j, side in enumerate(box) if side.low is not None}


def bounded_above(box: Explanation) -> set[int]:
    return {j for j, side in enumerate(box) if side.high is not None}


def jaccard(a: set, b: set) -> Fraction:
    return Fraction(len(a ^ b), len(a | b)) if a | b else Fraction(0)


@dataclass
class Statistics:
    """Least and greatest value and population variance of each column, exactly."""

    lowest: list[Fraction]
    highest: list[Fraction]
    variance: list[Fraction]

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Statistics:
        columns = [[Fraction(v) for v in column] for column in zip(*rows, strict=True)]
        means = [sum(column) / len(column) for column in columns]
        variance = [sum((v - mean) ** 2 for v in c) / len(c) for c, mean in zip(columns, means, strict=True)]
        return cls([min(c) for c in columns], [max(c) for c in columns], variance)

    def clip(self, j: int, side: Interval) -> tuple[Fraction, Fraction]:
        low = self.lowest[j] if side.low is None else max(Fraction(side.low), self.lowest[j])
        high = self.highest[j] if side.high is None else min(Fraction(side.high), self.highest[j])
        return low, high


def dissimilarity(kind: str, jlu: str, a: Explanation, b: Explanation, statistics: Statistics) -> Any:
    """Delta of two explanations of one row."""
    lower, upper = (bounded_below(a), bounded_below(b)), (bounded_above(a), bounded_above(b))
    if kind == "jac":
        return jaccard(lower[0] | upper[0], lower[1] | upper[1])
    if kind == "jlu" and jlu == "mean":
        return (jaccard(*lower) + jaccard(*upper)) / 2
    if kind == "jlu":
        labelled = [{(j, "l") for j in low} | {(j, "u") for j in up} for low, up in zip(lower, upper, strict=True)]
        return jaccard(*labelled)
    total: Any = 0
    for j, (ours, theirs) in enumerate(zip(a, b, strict=True)):
        if statistics.lowest[j] == statistics.highest[j]:
            continue
        for one, other in zip(statistics.clip(j, ours), statistics.clip(j, theirs), strict=True):
            if kind == "mse":
                total += (one - other) ** 2 / statistics.variance[j]
            else:
                total += float(abs(one - other)) / math.sqrt(statistics.variance[j])
    return total / (2 * len(a))


def midpoint(a: float, b: float) -> float:
    v = a + (b - a) / 2 if math.isfinite(b - a) else a / 2 + b / 2
    return v if a <= v < b else a


class Update:
    """An old tree, new data, and what is to be made small.

    ``weights`` takes the place of membership in D_s; ``sample_weight`` weighs the loss. ``criterion``, of growth:
    "gini", "entropy", "misclassification" or "squared_error".
    """

    def __init__(
        self,
        old: Node,
        X: Sequence[Row],
        y: Sequence[Any],
        *,
        kind: str = "mse",
        jlu: str = "pooled",
        strength: float = 0.0,
        criterion: str = "gini",
        tolerance: float = 0.0,
        weights: Sequence[float] | None = None,
        sample_weight: Sequence[float] | None = None,
    ) -> None:
        self.old, self.X, self.y = old, [[float(v) for v in row] for row in X], list(y)
        self.kind, self.jlu, self.strength = kind, jlu, Fraction(strength)
        self.criterion, self.is_regression, self.tolerance = criterion, criterion == "squared_error", tolerance
        self.statistics = Statistics.of(self.X)
        self.old_boxes = [explain(old, x) for x in self.X]
        self.right = [self.is_right(old, i) for i in range(len(self.X))]
        self.relied = [Fraction(w) for w in (self.right if weights is None else weights)]
        self.loss_weight = [Fraction(w) for w in (sample_weight or [1] * len(self.X))]

    def is_right(self, tree: Node, i: int) -> bool:
        answer = tree.leaf_of(self.X[i]).answer
        return abs(answer - self.y[i]) <= self.tolerance if self.is_regression else answer == self.y[i]

    # The objective

    def loss(self, answer: Any, i: int) -> Fraction:
        if self.is_regression:
            return (Fraction(answer) - Fraction(self.y[i])) ** 2
        return Fraction(answer != self.y[i])

    def delta(self, box: Explanation, i: int) -> Any:
        return dissimilarity(self.kind, self.jlu, self.old_boxes[i], box, self.statistics)

    def mean_loss(self, tree: Node) -> Fraction:
        total = sum(w * self.loss(tree.leaf_of(x).answer, i) for i, (x, w) in enumerate(self._weighted()))
        return total / sum(self.loss_weight)

    def mean_delta(self, tree: Node) -> Any:
        """``None`` where nobody relies on any row."""
        if not sum(self.relied):
            return None
        return sum(w * self.delta(explain(tree, self.X[i]), i) for i, w in enumerate(self.relied)) / sum(self.relied)

    def objective(self, tree: Node) -> Any:
        """Equation (4)."""
        return self.mean_loss(tree) + self.strength * (self.mean_delta(tree) or 0)

    def compatibility_of_predictions(self, new: Node) -> Fraction | None:
        both = sum(right and self.is_right(new, i) for i, right in enumerate(self.right))
        return Fraction(both, sum(self.right)) if any(self.right) else None

    def _weighted(self) -> Iterator[tuple[Row, Fraction]]:
        return zip(self.X, self.loss_weight, strict=True)

    # Growth

    def sides(self, rows: Sequence[int], j: int, cut: float) -> tuple[list[int], list[int]]:
        return [i for i in rows if self.X[i][j] <= cut], [i for i in rows if self.X[i][j] > cut]

    def delta_gain(self, rows: Sequence[int], box: Explanation, j: int, cut: float) -> Any:
        """Sum over the rows of weight times (delta before - delta after) a split of the node with this box."""
        after = {
            i: (*box[:j], box[j].below(cut) if self.X[i][j] <= cut else box[j].above(cut), *box[j + 1 :]) for i in rows
        }
        return sum(self.relied[i] * (self.delta(box, i) - self.delta(after[i], i)) for i in rows if self.relied[i])

    def impurity(self, rows: Sequence[int]) -> Any:
        """Weight of the rows times their impurity."""
        total = sum(self.loss_weight[i] for i in rows)
        if not total:
            return Fraction(0)
        if self.is_regression:
            mean = sum(self.loss_weight[i] * Fraction(self.y[i]) for i in rows) / total
            return sum(self.loss_weight[i] * (Fraction(self.y[i]) - mean) ** 2 for i in rows)
        counts: Counter = Counter()
        for i in rows:
            counts[self.y[i]] += self.loss_weight[i]
        if self.criterion == "misclassification":
            return total - max(counts.values())
        if self.criterion == "gini":
            return total - sum(c**2 for c in counts.values()) / total
        return -sum(float(c) * math.log2(c / total) for c in counts.values() if c)

    def loss_gain(self, rows: Sequence[int], j: int, cut: float) -> Any:
        return self.impurity(rows) - sum(self.impurity(side) for side in self.sides(rows, j, cut))

    def gain(self, rows: Sequence[int], box: Explanation, j: int, cut: float) -> Any:
        """The total gain of a split, per unit of weight."""
        total = self.loss_gain(rows, j, cut) / sum(self.loss_weight)
        if sum(self.relied):
            total += self.strength * self.delta_gain(rows, box, j, cut) / sum(self.relied)
        return total

    def cuts(self, rows: Sequence[int], j: int) -> list[float]:
        values = sorted({self.X[i][j] for i in rows})
        return [midpoint(a, b) for a, b in pairwise(values)]

    def answer(self, rows: Sequence[int]) -> Any:
        """Mean, or the class of most weight, the least of equals."""
        if self.is_regression:
            total = sum(self.loss_weight[i] for i in rows)
            return float(sum(self.loss_weight[i] * Fraction(self.y[i]) for i in rows) / total)
        labels = sorted({self.y[i] for i in rows})
        return max(labels, key=lambda label: sum(self.loss_weight[i] for i in rows if self.y[i] == label))

    def splits(self, rows: Sequence[int], box: Explanation, min_samples_leaf: int = 1) -> list[tuple[Any, int, float]]:
        """All candidates (gain, column, cut), in the order in which ties are broken."""
        return [
            (self.gain(rows, box, j, cut), j, cut)
            for j in range(len(box))
            for cut in self.cuts(rows, j)
            if min(map(len, self.sides(rows, j, cut))) >= min_samples_leaf
        ]

    def grow(self, *, max_depth: float = math.inf, min_samples_split: int = 2, min_samples_leaf: int = 1) -> Node:
        """CART-BCTX by trying everything; a split has to gain more than 1e-12, and than an earlier candidate."""

        def grow(rows: list[int], box: Explanation, depth: int) -> Node:
            node = Node(self.answer(rows), rows=rows)
            if depth >= max_depth or len(rows) < min_samples_split:
                return node
            best: tuple[Any, int, float] = (Fraction(0), -1, 0.0)
            for candidate in self.splits(rows, box, min_samples_leaf):
                if candidate[0] > best[0] + Fraction(1, 10**12):
                    best = candidate
            if best[1] >= 0:
                _, j, cut = best
                node.feature, node.cut = j, cut
                left, right = self.sides(rows, j, cut)
                node.left = grow(left, (*box[:j], box[j].below(cut), *box[j + 1 :]), depth + 1)
                node.right = grow(right, (*box[:j], box[j].above(cut), *box[j + 1 :]), depth + 1)
            return node

        return grow(list(range(len(self.X))), (Interval(),) * len(self.X[0]), 0)


def prunings(tree: Node) -> Iterator[Node]:
    """Every tree that collapsing nodes into leaves makes of ``tree``, itself among them; at most 8 leaves."""
    yield Node(tree.answer, rows=tree.rows)
    if not tree.is_leaf:
        rights = list(prunings(tree.right))
        for left in prunings(tree.left):
            for right in rights:
                yield Node(tree.answer, tree.feature, tree.cut, left, right, tree.rows)


def best_prunings(update: Update, tree: Node, alpha: Fraction) -> list[Node]:
    """All prunings that make objective + alpha * leaves least, exactly where the measure allows."""
    scored = [(update.objective(pruned) + alpha * len(pruned.leaves()), pruned) for pruned in prunings(tree)]
    least = min(score for score, _ in scored)
    return [pruned for score, pruned in scored if score <= least + Fraction(1, 10**12)]
