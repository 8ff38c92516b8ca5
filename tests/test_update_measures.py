"""Explanations as bounds, and how far two of them are apart: against the definitions, and the worked example."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

import xylogic as xl
from update_oracle import KINDS, Node, Statistics, Update, best_prunings, dissimilarity, explain, plain, prunings
from xylogic.model.build import make_tree
from xylogic.update.bounds import Bounds, bounds_of, leaf_bounds
from xylogic.update.dissimilarity import dissimilarities
from xylogic.update.reference import Reference
from xylogic.update.relied import relied_rows

X = [(0, 0), (1, 3), (2, 1), (3, 2), (4, 4), (5, 2)]
Y = [0, 0, 1, 1, 0, 1]
OLD = Node(None, 0, 1.5, Node(0), Node(None, 1, 3.0, Node(1), Node(0)))
NEW = Node(None, 1, 1.5, Node(0), Node(None, 0, 2.5, Node(0), Node(1)))

PER_ROW = {
    ("jac", "pooled"): [1, 0.5, 0.5, 0, 0, 0],
    ("jlu", "pooled"): [1, 0.5, 0.5, 0.666667, 0, 0.666667],
    ("jlu", "mean"): [0.5, 0.5, 0.5, 0.75, 0, 0.75],
    ("mae", "pooled"): [0.996470, 0.436859, 0.510051, 0.630508, 0.436859, 0.630508],
    ("mse", "pooled"): [1.9875, 0.423214, 0.530357, 0.573214, 0.423214, 0.573214],
}
MEANS = [0.333333, 0.555556, 0.5, 0.606876, 0.751786]
ROOT_GAINS = {
    ("jac", "pooled"): ([4, 4, 4, 4, 4], [2, 2, 2, 2]),
    ("jlu", "pooled"): ([3, 4, 3.5, 3, 2.5], [0.5, 1, 2, 2]),
    ("jlu", "mean"): ([1.75, 2.75, 2.25, 1.75, 1], [-0.25, 0.25, 1.25, 1.75]),
    ("mae", "pooled"): (
        [0.585540, 1.903005, 0.585540, -0.146385, -0.292770],
        [-0.968246, -1.161895, 0, 0.580948],
    ),
    ("mse", "pooled"): ([1.371429, 2.871429, 1.714286, 0.728571, -0.085714], [-1.575, -1.125, 0.375, 1.575]),
}


def built(tree: Node, names: list[str], classes=None) -> xl.Ensemble:
    """An oracle's tree as a model."""

    def nodes(node: Node):
        if node.is_leaf:
            return {"value": node.answer} if classes is None else {"class": node.answer}
        return {
            "feature": names[node.feature], "cut": node.cut, "left": nodes(node.left), "right": nodes(node.right)
        }  # fmt: skip

    return xl.build_tree(nodes(tree), names, classes)


def random_tree(rng: random.Random, m: int, depth: int, low: float = -np.inf, high: float = np.inf) -> Node:
    """A tree over column values 0 to 5, some cuts beyond them; tests may repeat, none is vacuous."""

    def grow(depth: int, box: list[tuple[float, float]]) -> Node:
        j = rng.randrange(m)
        cuts = [c / 2 for c in range(-3, 14) if box[j][0] < c / 2 < box[j][1]]
        if depth == 0 or not cuts or rng.random() < 0.15:
            return Node(rng.randrange(2))
        cut = rng.choice(cuts)
        left, right = list(box), list(box)
        left[j], right[j] = (box[j][0], cut), (cut, box[j][1])
        return Node(None, j, cut, grow(depth - 1, left), grow(depth - 1, right))

    return grow(depth, [(low, high)] * m)


def random_rows(rng: random.Random, n: int, m: int) -> list[list[float]]:
    constant = rng.randrange(m + 2)
    return [[2.0 if j == constant else float(rng.randrange(6)) for j in range(m)] for _ in range(n)]


def measured(kind, jlu, a: xl.Ensemble, b: xl.Ensemble, values, reference=None):
    reference = Reference.of(values) if reference is None else reference
    return dissimilarities(kind, bounds_of(a, values), bounds_of(b, values), reference, jlu=jlu)


@pytest.mark.parametrize(("way", "mean"), list(zip(KINDS, MEANS, strict=True)))
def test_worked_example(way, mean):
    old, new = built(OLD, ["x1", "x2"], [0, 1]), built(NEW, ["x1", "x2"], [0, 1])
    found = measured(*way, old, new, np.array(X, dtype=float))
    assert found == pytest.approx(PER_ROW[way], abs=5e-7)
    assert found.mean() == pytest.approx(mean, abs=5e-7)
    update = Update(OLD, X, Y, kind=way[0], jlu=way[1])
    assert float(update.mean_delta(NEW)) == pytest.approx(mean, abs=5e-7)


@pytest.mark.parametrize("way", KINDS)
def test_worked_example_of_gains(way):
    update = Update(OLD, X, Y, kind=way[0], jlu=way[1])
    box = explain(Node(0), X[0])
    for j, gains in enumerate(ROOT_GAINS[way]):
        found = [float(update.delta_gain(range(6), box, j, cut)) for cut in update.cuts(range(6), j)]
        assert found == pytest.approx(gains, abs=5e-7)


@pytest.mark.parametrize(
    ("kind", "strength", "known"),
    [
        ("mse", 0, (0.25, 0.25)),
        ("mse", 0.1, (0.297857, 0.28)),
        ("mae", 0.1, (0.281717, 0.269365)),
        ("jac", 0.1, (0.316667, 0.283333)),
    ],
)
def test_worked_example_of_growth(kind, strength, known):
    """Gini growth finds the old tree again, and its gains are those printed."""
    update = Update(OLD, X, Y, kind=kind, strength=strength)
    grown = update.grow()
    assert [(grown.feature, grown.cut), (grown.right.feature, grown.right.cut)] == [(0, 1.5), (1, 3.0)]
    root = explain(Node(0), X[0])
    right = (root[0].above(1.5), root[1])
    gains = update.gain(grown.rows, root, 0, 1.5), update.gain(grown.right.rows, right, 1, 3.0)
    assert [float(g) for g in gains] == pytest.approx(known, abs=5e-7)


@pytest.mark.parametrize(
    ("kind", "root", "right"), [("mse", 0.577857, 0.196667), ("mae", 0.551082, 0.186032), ("jac", 0.6, 0.2)]
)
def test_worked_example_of_prunings(kind, root, right):
    """What the root and its right child cost as leaves; the sequence of the optimal prunings between."""
    update = Update(OLD, X, Y, kind=kind, strength=0.1)
    grown = update.grow()
    cost = {len(pruned.leaves()): update.objective(pruned) for pruned in prunings(grown)}
    assert [float(cost[leaves]) for leaves in (1, 2, 3)] == pytest.approx([root, right, 0], abs=5e-7)
    steps = [(0.0, 3), (right - 0.001, 3), (right + 0.001, 2), (root - right - 0.001, 2), (root - right + 0.001, 1)]
    for alpha, leaves in steps:
        best = best_prunings(update, grown, Fraction(alpha))
        assert [len(pruned.leaves()) for pruned in best] == [leaves]


@pytest.mark.parametrize("seed", range(40))
def test_bounds_and_measures_are_the_definitions(seed):
    rng = random.Random(seed)
    m = rng.randint(1, 4)
    names = [f"c{j}" for j in range(m)]
    rows, others = random_rows(rng, rng.randint(1, 9), m), [[rng.uniform(-4, 9) for _ in range(m)] for _ in range(3)]
    trees = [random_tree(rng, m, 4) for _ in range(3)]
    models = [built(tree, names, [0, 1]) for tree in trees]
    assert plain(models[0]).shape() == trees[0].shape()
    values = np.array(rows + others, dtype=float)
    reference, statistics = Reference.of(np.array(rows, dtype=float)), Statistics.of(rows)

    lower, upper = xl.tree_bounds(models[0], values)
    for i, x in enumerate(values.tolist()):
        box = explain(trees[0], x)
        assert lower[i].tolist() == [-np.inf if side.low is None else side.low for side in box]
        assert upper[i].tolist() == [np.inf if side.high is None else side.high for side in box]
    assert (lower < values).all() and (values <= upper).all()

    a, b, c = (bounds_of(model, values) for model in models)
    for kind, jlu in KINDS:
        found = dissimilarities(kind, a, b, reference, jlu=jlu)
        wanted = [
            dissimilarity(kind, jlu, explain(trees[0], x), explain(trees[1], x), statistics) for x in values.tolist()
        ]
        assert found == pytest.approx([float(w) for w in wanted], abs=1e-12)
        assert not dissimilarities(kind, a, a, reference, jlu=jlu).any()
        assert (found == dissimilarities(kind, b, a, reference, jlu=jlu)).all()
        through = [dissimilarities(kind, *pair, reference, jlu=jlu) for pair in ((a, c), (c, b))]
        if kind in ("jac", "jlu"):
            assert (found >= 0).all() and (found <= 1).all()
        if kind == "mse":
            assert (np.sqrt(found) <= np.sqrt(through[0]) + np.sqrt(through[1]) + 1e-12).all()
        else:
            assert (found <= through[0] + through[1] + 1e-12).all()


@pytest.mark.parametrize("seed", range(15))
def test_rows_of_the_new_data_lie_in_their_clipped_bounds(seed):
    rng = random.Random(seed)
    rows = np.array(random_rows(rng, 12, 3))
    reference = Reference.of(rows)
    bounds = bounds_of(built(random_tree(rng, 3, 4), ["a", "b", "c"], [0, 1]), rows)
    low, high = reference.clip(bounds)
    assert ((reference.lowest <= low) & (low <= rows) & (rows <= high) & (high <= reference.highest)).all()


@pytest.mark.parametrize("seed", range(15))
def test_measures_do_not_depend_on_units(seed):
    """MAE and MSE survive a change of unit and origin, the sets any change of scale that keeps the order."""
    rng = random.Random(seed)
    names = ["a", "b", "c"]
    trees = random_tree(rng, 3, 4), random_tree(rng, 3, 4)
    values = np.array(random_rows(rng, 10, 3))
    factors, offsets = [0.25, 1000.0, 3.0], [7.0, -1e5, 0.1]

    def mapped(node: Node, change) -> Node:
        if node.is_leaf:
            return node
        return Node(
            None, node.feature, change(node.feature, node.cut), mapped(node.left, change), mapped(node.right, change)
        )

    def linear(j, v):
        return factors[j] * v + offsets[j]

    def cubic(j, v):
        return v**3 + v if j else np.exp(v)

    for change, kinds in [(linear, KINDS), (cubic, KINDS[:3])]:
        changed = np.column_stack([change(j, values[:, j]) for j in range(3)])
        for way in kinds:
            before = measured(*way, *(built(tree, names, [0, 1]) for tree in trees), values)
            after = measured(*way, *(built(mapped(tree, change), names, [0, 1]) for tree in trees), changed)
            assert after == pytest.approx(before, abs=1e-9)


def test_a_bound_may_stand_on_the_end_of_the_data():
    """Whether a column is bounded is not read off the number: a cut may equal the least value."""
    on_edge = Bounds(*(np.array([[v]]) for v in (0.0, np.inf, True, False)))
    free = Bounds(*(np.array([[v]]) for v in (-np.inf, np.inf, False, False)))
    reference = Reference.of(np.array([[0.0], [1.0]]))
    found = {way: dissimilarities(way[0], on_edge, free, reference, jlu=way[1])[0] for way in KINDS}
    assert list(found.values()) == [1, 1, 0.5, 0, 0]


def test_extreme_columns_have_a_finite_scale():
    values = np.array([[1e308, 5e-324, 1e16], [-1e308, 0.0, 1e16 + 2]])
    reference = Reference.of(values)
    assert (reference.scale > 0).all() and np.isfinite(reference.scale).all()
    assert reference.scale[0] == 1e308 and reference.scale[2] == 1.0
    assert not reference.is_constant.any()
    assert Reference.of(np.full((7, 1), 0.1)).is_constant.all()


def test_tests_that_say_nothing_new_loosen_no_bound():
    """An imported tree may ask x <= 3 where x <= 1 is known, and x > 0 where x > 1 is."""
    tree = make_tree(
        [0, 0, -1, -1, 0, -1, -1], [1, 3, 0, 0, 0, 0, 0], [1, 2, -1, -1, 5, -1, -1], [4, 3, -1, -1, 6, -1, -1],
        np.zeros((7, 1)), missing=np.zeros(7, dtype=int), cast="float64", n_features=1,
    )  # fmt: skip
    bounds = leaf_bounds(tree, np.array([2, 6]), 1)
    assert bounds.lower.ravel().tolist() == [-np.inf, 1] and bounds.upper.ravel().tolist() == [1, np.inf]


def test_a_tree_100_000_deep():
    n = 100_000
    feature = np.tile([0, -1], n)
    left = np.where(feature >= 0, np.arange(2 * n) + 1, -1)
    right = np.where(feature >= 0, np.arange(2 * n) + 2, -1)
    cut = np.repeat(np.arange(n, dtype=float), 2)
    columns, left, right = np.append(feature, -1), np.append(left, -1), np.append(right, -1)
    tree = make_tree(
        columns, np.append(cut, 0.0), left, right, np.zeros((2 * n + 1, 1)), missing=0 * columns, cast="float64",
        n_features=2,
    )  # fmt: skip
    bounds = leaf_bounds(tree, np.array([1, 99_999, 2 * n]), 2)
    assert bounds.lower[:, 0].tolist() == [-np.inf, 49_998.0, 99_999.0]
    assert bounds.upper[:, 0].tolist() == [0.0, 49_999.0, np.inf]
    assert not bounds.has_any[:, 1].any()


@pytest.mark.parametrize("seed", range(10))
def test_relied_rows(seed):
    rng = random.Random(seed)
    rows = random_rows(rng, 9, 2)
    tree = random_tree(rng, 2, 3)
    y = [rng.choice(["0", 0, 1, "new"]) for _ in rows]
    model, values = built(tree, ["a", "b"], [0, 1]), np.array(rows)
    assert relied_rows(model, values, y).tolist() == [
        float(tree.leaf_of(x).answer == t) for x, t in zip(rows, y, strict=True)
    ]
    numbers = [float(rng.randrange(4)) / 2 for _ in rows]
    found = relied_rows(built(tree, ["a", "b"]), values, numbers, tolerance=0.5)
    assert found.tolist() == [float(abs(tree.leaf_of(x).answer - t) <= 0.5) for x, t in zip(rows, numbers, strict=True)]
    own = [rng.random() for _ in rows]
    assert relied_rows(model, values, y, relied=own).tolist() == own
    assert relied_rows(model, values, y, relied=np.array(own) > 0.5).sum() == sum(w > 0.5 for w in own)


@pytest.mark.parametrize(
    ("weights", "words"),
    [([1, 2], r"shape \(2,\).*\(3,\)"), ([1, -1, 0], "row 1: -1.0"), ([1, 1, np.nan], "row 2: nan"), ("abc", "no num")],
)
def test_weights_that_make_no_sense(weights, words):
    model = built(Node(0), ["a"], [0, 1])
    with pytest.raises(xl.InvalidInputError, match=words):
        relied_rows(model, np.zeros((3, 1)), [0, 0, 0], relied=weights)


def test_what_has_no_bounds_is_refused():
    coloured = xl.build_tree(
        {"feature": "c", "in": ["r"], "left": {"class": 0}, "right": {"class": 1}},
        [xl.Feature("n"), xl.Feature("c", "categorical", ("r", "g"))],
    )
    with pytest.raises(xl.UnsupportedModelError, match="'c' is categorical"):
        xl.tree_bounds(coloured, [[0, "r"]])
    tree = built(OLD, ["x1", "x2"], [0, 1])
    with pytest.raises(xl.UnsupportedModelError, match="has 2 trees"):
        xl.tree_bounds(xl.build_ensemble([tree, tree]), X)
    with pytest.raises(xl.InvalidInputError, match="'x2', row 1: the value is missing"):
        xl.tree_bounds(tree, [[0, 0], [1, np.nan]])
    with pytest.raises(xl.InvalidInputError, match="'x1', row 0: -inf is infinite"):
        xl.tree_bounds(tree, [[-np.inf, 0]])
