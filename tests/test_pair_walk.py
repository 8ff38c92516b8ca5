"""The walk over two trees, judged by all rows.

``XYLOGIC_ORACLE_CASES``, two for each pair, sets how many are tried (default 1500).
"""

import gc
import itertools
import os
import weakref

import numpy as np
import pytest

import rewrites
from gadgets import figure_1, gadget
from models import Draws
from tree_pairs import draw_columns, inside, seeded_pair, tree_model
from xylogic import BudgetExceeded, Feature, InvalidInputError, build_tree
from xylogic.budget import Budget
from xylogic.model.build import make_ensemble, make_tree
from xylogic.model.states import model_cells
from xylogic.search.pair import Pair
from xylogic.search.single import Single, prepared

CASES = int(os.environ.get("XYLOGIC_ORACLE_CASES", "1500")) // 2


def check(seed: int) -> int:
    pair = seeded_pair(seed)
    a, b = pair.singles()
    worth = () if pair.a.classes else (a.answers, b.answers)
    found = list(Pair(a, b, *worth))
    assert (Pair(a, b, *worth).first() is None) == (not pair.differ.any())
    holders = [[d for d in found if inside(a.domain, d.low, d.high, d.missing, d.words, row)] for row in pair.table]
    answers = pair.predicted(pair.a), pair.predicted(pair.b)
    for row, (held, differ) in enumerate(zip(holders, pair.differ, strict=True)):
        assert len(held) == differ, (seed, pair.nodes, pair.table[row])
        for d in held:
            assert (a.answers[d.label_a], b.answers[d.label_b]) == (answers[0][row], answers[1][row])
    assert all(any(d in held for held in holders) for d in found), "an empty box"
    return len(found) > 0


def test_every_difference_once(record_property):
    differing = sum(check(seed) for seed in range(CASES))
    record_property("judged pairs of trees", CASES)
    assert 0.2 * CASES < differing < 0.9 * CASES


def rewritten_trees(seed: int) -> tuple[Single, Single, Single]:
    """A tree, the same function by another tree, and that with one leaf changed."""
    d = Draws(seed)
    cast, routes = d.pick(["float64", "float32"]), d.chance(40)
    columns = draw_columns(d, cast, routes, d.whole(2, 4))
    classes = ("a", "b", "c")[: d.whole(2, 3)]
    leaves = [{"class": label} for label in classes]
    inside = rewrites.everything(columns, routes)
    tree = rewrites.draw_tree(d, columns, inside, lambda d: d.pick(leaves), d.whole(2, 5))
    same = rewrites.rewritten(d, tree, columns, inside)
    other = rewrites.with_a_leaf_changed(d, same, leaves)
    models = [
        tree_model(rewrites.written(t, columns, routes), columns, classes, cast, "average") for t in (tree, same, other)
    ]
    absent = [c.feature.name for c in columns] if routes else []
    one, two, three = (Single(m, model_cells(m, missing=absent)) for m in models)
    return one, two, three


def test_rewritten_trees_are_equal_until_a_leaf_changes(record_property):
    shapes = 0
    for seed in range(CASES):
        one, same, other = rewritten_trees(seed)
        assert Pair(one, same).first() is None and Pair(same, one).first() is None, seed
        found = Pair(one, other).first()
        assert found is not None and found.label_a != found.label_b, seed
        shapes += one.feature.tolist() != same.feature.tolist()
    record_property("judged trees rewritten", CASES)
    assert shapes > 0.2 * CASES


def test_figure_1():
    one, two, three = map(Single, figure_1())
    assert Pair(one, two).first() is None
    # (P1, P1) and (P2, P2) of Figure 6(b); leaves 4 and 5 are nodes 2 and 3
    assert [(d.node_a, d.node_b, d.label_a, d.label_b) for d in Pair(one, three)] == [(2, 2, 0, 1), (3, 3, 1, 0)]


def test_gadgets():
    a, b, c = Single(gadget(300)), Single(gadget(300)), Single(gadget(300, last=(1, 1)))
    assert Pair(a, b).first() is None
    (found,) = Pair(a, c)
    assert (found.label_a, found.label_b) == (0, 1)
    assert found.low.tolist() == [0.0] * 600 + [-np.inf] and found.high.tolist() == [np.inf] * 600 + [0.0]


def test_depth_100000():
    """Iterative throughout: a long chain of cuts."""
    n = 100_000

    def chain(first: int):
        inner = np.arange(2 * n + 1) < n
        right = np.where(inner, np.arange(2 * n + 1) + 1, -1)
        right[n - 1] = 2 * n
        left = np.where(inner, np.arange(2 * n + 1) + n, -1)
        labels = np.eye(2)[(np.arange(2 * n + 1) + first) % 2]
        tree = make_tree(
            np.zeros_like(left), np.arange(2 * n + 1.0), left, right, labels,
            missing=np.zeros_like(left), cast="float64", n_features=1,
        )  # fmt: skip
        return Single(make_ensemble([tree], [Feature("x", "integer")], (0, 1), voting="average", cast="float64"))

    one = chain(0)
    assert one.depth == n
    assert Pair(one, chain(0)).first() is None
    assert len(list(itertools.islice(Pair(one, chain(1)), 50))) == 50


def test_tolerance():
    x = Feature("x")

    def tree(low: float, high: float):
        return Single(build_tree({"feature": "x", "cut": 0.5, "left": {"value": low}, "right": {"value": high}}, [x]))

    a, b = tree(1.0, 2.0), tree(1.25, 2.0)
    assert Pair(a, b, a.answers, b.answers, tolerance=0.25).first() is None
    (found,) = Pair(a, b, a.answers, b.answers, tolerance=0.2)
    assert (a.answers[found.label_a], b.answers[found.label_b], found.high.tolist()) == (1.0, 1.25, [0.5])


def stripes(name: str, n: int):
    """z <= 0 or z > 1, written in one of two ways in each of n stripes of another column."""
    nodes = [{"feature": name, "cut": float(k), "left": n - 1 + 5 * k, "right": k + 1} for k in range(n - 1)]
    nodes[-1]["right"] = n - 1 + 5 * (n - 1)
    for k in range(n):
        at, inside = len(nodes), k % 2
        outer = {"feature": "z", "cut": float(inside)}
        inner = {"feature": "z", "cut": float(1 - inside), "left": at + 3, "right": at + 4}
        if inside:  # z <= 1: (z <= 0: 1, 0), 1
            nodes += [{**outer, "left": at + 1, "right": at + 2}, inner, {"class": 1}, {"class": 1}, {"class": 0}]
        else:  # z <= 0: 1, (z <= 1: 0, 1)
            nodes += [{**outer, "left": at + 2, "right": at + 1}, inner, {"class": 1}, {"class": 0}, {"class": 1}]
    return Single(build_tree(nodes, [Feature(name) for name in ("x", "y", "z")], (0, 1)))


def test_the_same_tree_on_both_sides_of_a_test():
    x, y, z = (Feature(name) for name in "xyz")
    below = {"feature": "z", "cut": 0.5, "left": {"class": 0}, "right": {"class": 1}}
    twice = {"feature": "y", "cut": 0.5, "left": below, "right": below}
    tree = build_tree({"feature": "x", "cut": 0.5, "left": twice, "right": below}, [x, y, z], (0, 1))
    assert Single(tree).n_nodes == 3 and Single(tree).feature.tolist() == [2, -1, -1]


def test_a_limit_loses_nothing():
    budget = Budget(node_limit=0)
    pair = Pair(stripes("x", 500), stripes("y", 500), budget=budget)
    with pytest.raises(BudgetExceeded, match="0 search nodes"):
        pair.first()
    budget.node_limit = None
    assert pair.first() is None


def test_refusals():
    x, y = Feature("x"), Feature("x", "categorical", ("a", "b"))
    numeric = build_tree({"feature": "x", "cut": 0.5, "left": {"class": 0}, "right": {"class": 1}}, [x], (0, 1))
    level = build_tree({"feature": "x", "in": ["a"], "left": {"class": 0}, "right": {"class": 1}}, [y], (0, 1))
    with pytest.raises(InvalidInputError, match="align them"):
        Pair(Single(numeric), Single(level))


def test_prepared_once_and_not_kept_longer_than_the_model():
    model = gadget(2)
    tree, seen = prepared(model), weakref.ref(model)
    assert prepared(model) is tree
    del model
    gc.collect()
    assert seen() is None and tree.n_nodes == 15
