"""Grown trees for the tests of pruning: random ones by hand, and scikit-learn's."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np

from xylogic.grow.grown import Grown
from xylogic.model.build import make_tree


def random_grown(rng: random.Random, n_inner: int, n_classes: int = 2, most: int = 5) -> Grown:
    """A random shape with class counts 0..most at its leaves, none empty, Gini impurity; few distinct gains."""
    left, right = [-1], [-1]
    leaves = [0]
    for _ in range(n_inner):
        node = leaves.pop(rng.randrange(len(leaves)))
        left[node], right[node] = len(left), len(left) + 1
        leaves += [len(left), len(left) + 1]
        left += [-1, -1]
        right += [-1, -1]
    counts = np.zeros((len(left), n_classes), np.int64)
    for leaf in leaves:
        while not counts[leaf].any():
            counts[leaf] = [rng.randint(0, most) for _ in range(n_classes)]
    return from_counts(left, right, counts)


def from_counts(left, right, counts) -> Grown:
    """A tree with these class counts at its leaves, in a single feature's cuts, Gini impurity."""
    left, right, counts = np.array(left), np.array(right), np.array(counts, dtype=np.int64)
    for node in range(len(left) - 1, -1, -1):
        if left[node] >= 0:
            counts[node] = counts[left[node]] + counts[right[node]]
    weight = counts.sum(axis=1).astype(float)
    value = counts / weight[:, None]
    tree = make_tree(
        np.zeros(len(left), np.int64), np.arange(len(left)) * 1.0, left, right, value,
        missing=np.full(len(left), 2), cast="float64", n_features=1,
    )  # fmt: skip
    impurity = 1 - (value**2).sum(axis=1)
    return Grown(tree, counts.sum(axis=1), weight, impurity, value, gains(tree, weight * impurity))


def gains(tree, risk):
    gain = np.zeros(tree.n_nodes)
    inner = tree.left >= 0
    gain[inner] = risk[inner] - risk[tree.left[inner]] - risk[tree.right[inner]]
    return gain


def from_sklearn(fitted) -> Grown:
    t = fitted.tree_
    leaf = t.children_left < 0
    value = t.value[:, 0, :]
    tree = make_tree(
        np.where(leaf, 0, t.feature), np.where(leaf, 0.0, t.threshold), t.children_left, t.children_right, value,
        missing=np.full(t.node_count, 2), cast="float32", n_features=t.n_features,
    )  # fmt: skip
    weight = t.weighted_n_node_samples
    return Grown(tree, t.n_node_samples.astype(np.int64), weight, t.impurity, value, gains(tree, weight * t.impurity))


def gini_risk(grown: Grown, node: int) -> Fraction:
    weight = int(grown.weight[node])
    counts = [round(share * weight) for share in grown.value[node]]
    return weight - Fraction(sum(c * c for c in counts), weight)


def mistakes(grown: Grown, node: int) -> Fraction:
    weight = int(grown.weight[node])
    return Fraction(weight - max(round(share * weight) for share in grown.value[node]))


def prunings(grown: Grown, node: int = 0) -> list[frozenset[int]]:
    """All pruned trees below ``node``, each as its leaves."""
    left, right = int(grown.tree.left[node]), int(grown.tree.right[node])
    found = [frozenset([node])]
    if left >= 0:
        found += [a | b for a in prunings(grown, left) for b in prunings(grown, right)]
    return found


def least_cost(grown: Grown, alpha: Fraction, risk) -> frozenset[int]:
    """The leaves of the smallest pruned tree of least R + alpha * leaves; risks exact, alpha per unit of weight."""
    scale = alpha * int(grown.weight[0])

    def cost(leaves):
        return sum(risk(grown, leaf) for leaf in leaves) + scale * len(leaves)

    return min(prunings(grown), key=lambda leaves: (cost(leaves), len(leaves)))


def exact_path(grown: Grown, risk) -> list[tuple[Fraction, int]]:
    """(alpha, leaves) of the path by weakest links in fractions, as in the book, one step at a time; per weight."""
    n = grown.tree.n_nodes
    left, right = grown.tree.left.tolist(), grown.tree.right.tolist()
    own = [risk(grown, node) for node in range(n)]
    leaf = [child < 0 for child in left]
    path: list[tuple[Fraction, int]] = []
    alpha = Fraction(0)
    while True:
        below, count = list(own), [1] * n
        alive = [True] + [False] * (n - 1)
        for node in range(n):
            if alive[node] and not leaf[node]:
                alive[left[node]] = alive[right[node]] = True
        for node in range(n - 1, -1, -1):
            if not leaf[node]:
                below[node] = below[left[node]] + below[right[node]]
                count[node] = count[left[node]] + count[right[node]]
        links = {t: (own[t] - below[t]) / (count[t] - 1) for t in range(n) if alive[t] and not leaf[t]}
        weak = [t for t, g in links.items() if g <= alpha]
        if weak:
            for t in weak:
                leaf[t] = True
            continue
        path.append((alpha / int(grown.weight[0]), count[0]))
        if not links:
            return path
        alpha = min(links.values())
