"""Trees to compare: the gadgets of the paper, and large trees rewritten into other trees of the same function.

A tree is a label, or (feature, cut, left, right): numbers <= cut go left.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from xylogic import Ensemble, Feature
from xylogic.model.build import make_ensemble, make_tree


def model(tree: Any, n_features: int, kind: str = "numeric") -> Ensemble:
    """A tree as a model of two classes."""
    feature, cut, left, right, label = [], [], [], [], []
    stack = [(tree, -1, False)]
    while stack:
        node, above, is_right = stack.pop()
        n = len(feature)
        if above >= 0:
            (right if is_right else left)[above] = n
        inner = isinstance(node, tuple)
        feature.append(node[0] if inner else 0)
        cut.append(node[1] if inner else 0.0)
        label.append(0 if inner else node)
        left.append(-1)
        right.append(-1)
        if inner:
            stack += [(node[3], n, True), (node[2], n, False)]
    made = make_tree(
        feature, cut, left, right, np.eye(2)[label], missing=np.zeros(len(left), int), cast="float64",
        n_features=n_features,
    )  # fmt: skip
    features = [Feature(f"x{f}", kind) for f in range(n_features)]
    return make_ensemble([made], features, (0, 1), voting="average", cast="float64")


def gadget(r: int, last: tuple[int, int] = (0, 1)) -> Ensemble:
    """6r + 3 nodes over 2r + 1 booleans (Theorem 1); ``last``: the labels of the final gadget."""
    tree: Any = (2 * r, 0.5, *last)
    for k in range(2 * r - 2, -1, -2):
        tree = (k, 0.5, (k + 1, 0.5, 0, 1), (k + 1, 0.5, 1, tree))
    return model(tree, 2 * r + 1, "boolean")


def size(tree: Any) -> int:
    return 1 + size(tree[2]) + size(tree[3]) if isinstance(tree, tuple) else 1


def grown(draw: random.Random, n_leaves: int, n_features: int, box: dict[int, tuple[float, float]]) -> Any:
    """A random tree without contradictions."""
    if n_leaves == 1:
        return draw.randrange(2)
    f = draw.randrange(n_features)
    low, high = box.get(f, (0.0, 1.0))
    cut = draw.uniform(low, high)
    first = max(1, min(n_leaves - 1, round(n_leaves * draw.uniform(0.3, 0.7))))
    return (
        f, cut,
        grown(draw, first, n_features, {**box, f: (low, cut)}),
        grown(draw, n_leaves - first, n_features, {**box, f: (cut, high)}),
    )  # fmt: skip


def restricted(tree: Any, f: int, cut: float, is_left: bool) -> Any:
    """What a tree is on one side of a test."""
    if not isinstance(tree, tuple):
        return tree
    if tree[0] == f and is_left and tree[1] >= cut:
        return restricted(tree[2], f, cut, is_left)
    if tree[0] == f and not is_left and tree[1] <= cut:
        return restricted(tree[3], f, cut, is_left)
    return (*tree[:2], restricted(tree[2], f, cut, is_left), restricted(tree[3], f, cut, is_left))


def tests(tree: Any) -> list[tuple[int, float]]:
    return [tree[:2], *tests(tree[2]), *tests(tree[3])] if isinstance(tree, tuple) else []


def reordered(draw: random.Random, tree: Any, largest: int = 12) -> Any:
    """Every subtree of at most so many nodes with its tests in another order."""
    if not isinstance(tree, tuple):
        return tree
    if size(tree) > largest:
        return (*tree[:2], reordered(draw, tree[2], largest), reordered(draw, tree[3], largest))
    f, cut = draw.choice(tests(tree))
    sides = (restricted(tree, f, cut, is_left) for is_left in (True, False))
    return (f, cut, *(reordered(draw, side, largest) for side in sides))


def with_leaves_split(draw: random.Random, tree: Any, n_features: int, share: float) -> Any:
    if isinstance(tree, tuple):
        return (*tree[:2], *(with_leaves_split(draw, side, n_features, share) for side in tree[2:]))
    return (draw.randrange(n_features), draw.random(), tree, tree) if draw.random() < share else tree


def with_subtrees_doubled(draw: random.Random, tree: Any, n_features: int, share: float) -> Any:
    if not isinstance(tree, tuple):
        return tree
    tree = (*tree[:2], *(with_subtrees_doubled(draw, side, n_features, share) for side in tree[2:]))
    if draw.random() >= share or size(tree) > 60:
        return tree
    f, cut = draw.randrange(n_features), draw.random()
    return (f, cut, restricted(tree, f, cut, True), restricted(tree, f, cut, False))


def grid(draw: random.Random, n: int, first: int) -> Any:
    """n by n cells of random labels, by column and row or by row and column."""
    labels = [[draw.randrange(2) for _ in range(n)] for _ in range(n)]
    rows = labels if first == 0 else [list(column) for column in zip(*labels, strict=True)]
    return stripes(first, [stripes(1 - first, list(row)) for row in rows])


def stripes(f: int, parts: list[Any], start: int = 0) -> Any:
    """The parts side by side along a feature."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    sides = stripes(f, parts[:middle], start), stripes(f, parts[middle:], start + middle)
    return (f, float(start + middle), *sides)


def striped(f: int, n: int) -> Any:
    """A function of feature 2, written in two ways in turn along feature f: nothing is the same tree twice in a row,
    and every stripe along one feature meets every stripe along another."""
    ways = ((2, 0.0, 1, (2, 1.0, 0, 1)), (2, 1.0, (2, 0.0, 1, 0), 1))
    return stripes(f, [ways[k % 2] for k in range(n)])


def equivalent_pairs(draw: random.Random, n_nodes: int) -> dict[str, tuple[Ensemble, Ensemble]]:
    """Two trees of about so many nodes that are the same function, by how the second was made."""
    m = 40
    base = grown(draw, n_nodes // 2, m, {})
    every = with_subtrees_doubled(draw, reordered(draw, base), m, 0.05)
    found: dict[str, tuple[Any, Any, int]] = {
        "tests reordered": (base, reordered(draw, base), m),
        "leaves split": (base, with_leaves_split(draw, base, m, 0.5), m),
        "subtrees doubled": (base, with_subtrees_doubled(draw, base, m, 0.1), m),
        "all three": (base, with_leaves_split(draw, every, m, 0.3), m),
    }
    side = int((n_nodes / 2) ** 0.5)
    seed = draw.randrange(2**30)
    found["columns before rows"] = (grid(random.Random(seed), side, 0), grid(random.Random(seed), side, 1), 2)
    found["stripes that all meet"] = (striped(0, n_nodes // 6), striped(1, n_nodes // 6), 3)
    return {name: (model(a, n), model(b, n)) for name, (a, b, n) in found.items()}
