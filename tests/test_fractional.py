"""Fractional rows, node by node against the definitions in exact arithmetic, and C4.5's known answers."""

import math
import random
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from xylogic.domain.feature import Feature
from xylogic.grow.answering import answers
from xylogic.grow.fractional import grow_fractional
from xylogic.grow.losses import class_losses, number_losses


@dataclass
class Limits:
    max_depth: Any = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    max_leaf_nodes: Any = None
    max_features: Any = None
    zero_gain: bool = True


def numeric(n):
    return [Feature(f"x{j}") for j in range(n)]


PLAY = "y n n n y y y y y n n y y y"
OUTLOOK = "sunny sunny sunny sunny sunny ? overcast overcast overcast rain rain rain rain rain"


def golf():
    levels = ("sunny", "overcast", "rain")
    x = [[float(levels.index(name)) if name != "?" else math.nan] for name in OUTLOOK.split()]
    return np.array(x), np.array([label == "y" for label in PLAY.split()], np.int64), levels


def test_golf():
    """Quinlan's 14 days, the outlook of one overcast day hidden: three-way gain and ratio, then our two-way split."""
    x, y, levels = golf()
    losses = class_losses(y, 2, "entropy")
    known = ~np.isnan(x[:, 0])
    sums = np.array([losses.of_rows[x[:, 0] == code].sum(axis=0) for code in range(3)])
    info = float(losses.loss(sums.sum(axis=0))) / 13
    after = float(losses.loss(sums).sum()) / 13
    assert (round(info, 4), round(after, 4)) == (0.9612, 0.7469)
    gain = 13 / 14 * (info - after)
    shares = np.array([*sums.sum(axis=1), 1]) / 14
    split_info = -(shares * np.log2(shares)).sum()
    assert (round(gain, 4), round(split_info, 4), round(gain / split_info, 4)) == (0.1990, 1.8092, 0.1100)

    grown = grow_fractional(x, [Feature("outlook", "categorical", levels)], losses, None, Limits(max_depth=1))
    best = max(
        float(losses.loss(sums.sum(axis=0)) - losses.loss(sums[list(left)].sum(axis=0)) - losses.loss(rest))
        for size in (1, 2)
        for left in combinations(range(3), size)
        for rest in [sums[[code for code in range(3) if code not in left]].sum(axis=0)]
    )
    assert grown.gain[0] == pytest.approx(best)
    assert grown.tree.left_codes(0).tolist() in ([1], [0, 2])
    assert known.sum() == 13
    overcast = 3 / 13
    assert grown.routes.left[0] == pytest.approx(overcast if grown.tree.left_codes(0).tolist() == [1] else 1 - overcast)
    assert sorted(grown.weight[1:]) == pytest.approx([3 + overcast, 10 + 10 / 13])
    assert grown.weight[1:].sum() == pytest.approx(14)
    answer = answers(grown, np.array([[math.nan]]))
    mixed = grown.routes.left[0] * grown.value[1] + (1 - grown.routes.left[0]) * grown.value[2]
    assert answer[0] == pytest.approx(mixed)


def exact_loss(rows, weight, y, criterion):
    total = sum(weight[i] for i in rows)
    if criterion == "squared_error":
        return sum(weight[i] * y[i] ** 2 for i in rows) - sum(weight[i] * y[i] for i in rows) ** 2 / total
    counts = [sum(weight[i] for i in rows if y[i] == k) for k in set(y)]
    return total - (max(counts) if criterion == "misclassification" else sum(c * c for c in counts) / total)


def candidates(x, features, rows, weight, y, criterion):
    """(gain, feature, left rows) of every split, lowest feature and cut first."""
    for j, feature in enumerate(features):
        known = [i for i in rows if x[i][j] == x[i][j]]
        levels = sorted({x[i][j] for i in known})
        if feature.categories:
            lefts = [
                set(codes) for size in range(1, len(levels)) for codes in combinations(levels, size)
                if levels[0] in codes
            ]  # fmt: skip
        else:
            lefts = [set(levels[:size]) for size in range(1, len(levels))]
        for left in lefts:
            sides = [[i for i in known if (x[i][j] in left) == side] for side in (True, False)]
            loss = exact_loss(known, weight, y, criterion) - sum(exact_loss(s, weight, y, criterion) for s in sides)
            yield loss, j, sides[0]


@pytest.mark.parametrize("criterion", ["gini", "misclassification", "squared_error"])
@pytest.mark.parametrize("seed", range(40))
def test_every_node_is_as_defined(seed, criterion, record_property):
    rng = random.Random(seed)
    n, d = rng.randint(2, 14), rng.randint(1, 3)
    n_classes = rng.choice([2, 3])
    features = [
        Feature(f"x{j}", "categorical", tuple("abcd")) if rng.random() < 0.4 else Feature(f"x{j}") for j in range(d)
    ]
    x = [[math.nan if rng.random() < 0.25 else float(rng.randint(0, 3)) for _ in range(d)] for _ in range(n)]
    if criterion == "squared_error":
        y = [Fraction(rng.randint(0, 5)) for _ in range(n)]
        losses = number_losses(np.array(y, dtype=float), criterion)
    else:
        y = [rng.randrange(n_classes) for _ in range(n)]
        losses = class_losses(np.array(y), n_classes, criterion)
    whole = [Fraction(rng.randint(1, 3)) for _ in range(n)]
    values = np.array(x)
    grown = grow_fractional(values, features, losses, np.array(whole, dtype=float), Limits())
    tree = grown.tree
    here: dict[int, dict[int, Fraction]] = {0: dict(enumerate(whole))}
    for node in range(tree.n_nodes):
        weight = here.pop(node)
        rows = list(weight)
        assert grown.weight[node] == pytest.approx(float(sum(weight.values())))
        assert grown.n_rows[node] == len(rows)
        loss = exact_loss(rows, weight, y, criterion)
        assert grown.impurity[node] * grown.weight[node] == pytest.approx(float(loss), abs=1e-12)
        found = list(candidates(x, features, rows, weight, y, criterion))
        if tree.left[node] < 0:
            assert loss < 1e-9 or not found
            continue
        best = max(gain for gain, _, _ in found)
        assert grown.gain[node] == pytest.approx(float(best), abs=1e-12)
        j = int(tree.feature[node])
        assert j == min(f for gain, f, _ in found if gain == best)
        codes = set(tree.left_codes(node).tolist())
        known = [i for i in rows if x[i][j] == x[i][j]]
        left = [i for i in known if (x[i][j] in codes if codes else x[i][j] <= tree.cut[node])]
        if not features[j].categories:
            first = next(rows for gain, f, rows in found if gain == best and f == j)
            assert left == first
        to_left = Fraction(sum(weight[i] for i in left), sum(weight[i] for i in known))
        assert grown.routes.left[node] == pytest.approx(float(to_left))
        absent = set(range(4)) - {x[i][j] for i in known}
        if codes and to_left != Fraction(1, 2):
            assert absent <= codes if to_left > Fraction(1, 2) else not absent & codes
        for child, mine, part in [(tree.left[node], left, to_left), (tree.right[node], None, 1 - to_left)]:
            mine = [i for i in known if i not in left] if mine is None else mine
            here[int(child)] = {i: weight[i] * (1 if i in known else part) for i in rows if i in mine or i not in known}
    found = answers(grown, values)
    for row in range(n):
        assert found[row] == pytest.approx(plain_answer(grown, values[row]))
    record_property("judged nodes of fractional trees", tree.n_nodes)


def plain_answer(grown, row, node=0):
    tree = grown.tree
    if tree.left[node] < 0:
        return grown.value[node]
    value = row[tree.feature[node]]
    left, right = (plain_answer(grown, row, int(child[node])) for child in (tree.left, tree.right))
    if math.isnan(value):
        return grown.routes.left[node] * left + (1 - grown.routes.left[node]) * right
    if tree.is_categorical(node):
        return left if value in tree.left_codes(node) else right
    return left if value <= tree.cut[node] else right


@pytest.mark.parametrize("limits", [{}, {"max_depth": 4}, {"max_leaf_nodes": 9}, {"min_samples_leaf": 6}])
def test_without_missing_values_it_is_the_ordinary_tree(limits):
    rng = np.random.default_rng(0)
    X, y = load_iris(return_X_y=True)
    X = X + rng.uniform(-0.01, 0.01, X.shape)  # no ties
    for criterion in ("gini", "entropy"):
        theirs = DecisionTreeClassifier(criterion=criterion, random_state=0, **limits).fit(X.astype(np.float32), y)
        grown = grow_fractional(X.astype(np.float32), numeric(4), class_losses(y, 3, criterion), None, Limits(**limits))
        assert sorted(grown.weight) == sorted(theirs.tree_.weighted_n_node_samples)
        assert sorted(grown.impurity) == pytest.approx(sorted(theirs.tree_.impurity), abs=1e-12)
        parts = grown.routes.flow(grown.tree, X.astype(np.float32).astype(float))
        assert parts.row.tolist() == list(range(150))
        assert (parts.part == 1).all()
        found = answers(grown, X.astype(np.float32).astype(float))
        assert found == pytest.approx(theirs.predict_proba(X.astype(np.float32)))
    X, y = load_diabetes(return_X_y=True)
    X = (X + rng.uniform(-1e-4, 1e-4, X.shape)).astype(np.float32)
    for criterion in ("squared_error", "poisson"):
        theirs = DecisionTreeRegressor(criterion=criterion, random_state=0, **{"max_depth": 4, **limits}).fit(X, y)
        limit = Limits(**{"max_depth": 4, **limits})
        grown = grow_fractional(X, numeric(10), number_losses(y, criterion), None, limit)
        assert sorted(grown.weight) == sorted(theirs.tree_.weighted_n_node_samples)
        assert sorted(grown.value[:, 0]) == pytest.approx(sorted(theirs.tree_.value[:, 0, 0]))


def test_weight_is_preserved_down_the_tree():
    rng = np.random.default_rng(1)
    X, y = load_iris(return_X_y=True)
    X[rng.random(X.shape) < 0.3] = np.nan
    grown = grow_fractional(X, numeric(4), class_losses(y, 3, "entropy"), rng.uniform(0.1, 2, 150), Limits())
    tree, inner = grown.tree, grown.tree.left >= 0
    both = grown.weight[tree.left[inner]] + grown.weight[tree.right[inner]]
    assert both == pytest.approx(grown.weight[inner], rel=1e-12)
    assert ((grown.routes.left[inner] > 0) & (grown.routes.left[inner] < 1)).all()
    parts = grown.routes.flow(tree, X)
    assert np.bincount(parts.row, weights=parts.part) == pytest.approx(np.ones(150), rel=1e-12)
    found = answers(grown, X)
    assert found.sum(axis=1) == pytest.approx(np.ones(150))
    assert (found.argmax(axis=1) == y).mean() > 0.9


def test_limits_and_draws():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 4))
    X[rng.random(X.shape) < 0.2] = np.nan
    y = rng.integers(0, 2, 80)
    losses = class_losses(y, 2, "gini")
    few = grow_fractional(X, numeric(4), losses, None, Limits(max_leaf_nodes=7))
    assert few.tree.n_leaves == 7
    deep = grow_fractional(X, numeric(4), losses, None, Limits(max_depth=3))
    assert deep.tree.depth == 3
    heavy = grow_fractional(X, numeric(4), losses, None, Limits(min_weight_leaf=11.0))
    assert heavy.weight.min() >= 11 - 1e-9
    gainful = grow_fractional(X, numeric(4), losses, None, Limits(min_impurity_decrease=0.01))
    assert gainful.gain[gainful.tree.left >= 0].min() >= 0.8
    one, two, three = (grow_fractional(X, numeric(4), losses, None, Limits(max_features=1), seed=s) for s in (0, 0, 1))
    assert one.tree.feature.tolist() == two.tree.feature.tolist()
    assert one.tree.feature.tolist() != three.tree.feature.tolist()
    same = grow_fractional(X[:, :1] * 0, numeric(1), losses, None, Limits())
    assert same.tree.n_nodes == 1


def test_exclusive_or_needs_a_split_without_gain():
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    losses = class_losses(y, 2, "gini")
    assert grow_fractional(X, numeric(2), losses, None, Limits()).tree.n_leaves == 4
    assert grow_fractional(X, numeric(2), losses, None, Limits(zero_gain=False)).tree.n_nodes == 1


def test_cuts_between_neighbours_and_infinities():
    for low, high in [(1.0, np.nextafter(1.0, 2)), (-np.inf, 0.0), (0.0, np.inf), (-1.7e308, 1.7e308)]:
        X = np.array([[low], [high]])
        grown = grow_fractional(X, numeric(1), class_losses(np.array([0, 1]), 2, "gini"), None, Limits())
        assert low <= grown.tree.cut[0] < high
        assert grown.routes.flow(grown.tree, X).leaf.tolist() == [1, 2]
