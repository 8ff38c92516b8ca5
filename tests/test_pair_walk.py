"""The walk over two trees, judged by all rows; ``XYLOGIC_ORACLE_CASES`` sets the number of pairs (default 3000)."""

import itertools
import os

import numpy as np
import pytest

from gadgets import figure_1, gadget
from tree_pairs import inside, seeded_pair
from xylogic import BudgetExceeded, Feature, InvalidInputError, build_tree
from xylogic.budget import Budget
from xylogic.model.build import make_ensemble, make_tree
from xylogic.search.pair import Pair
from xylogic.search.single import Single, prepared

CASES = int(os.environ.get("XYLOGIC_ORACLE_CASES", "3000"))


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
    """z <= 0.5, written once in each of n stripes of another column."""
    nodes = []
    for k in range(n - 1):
        nodes.append({"feature": name, "cut": float(k), "left": n - 1 + 3 * k, "right": k + 1})
    nodes[-1]["right"] = n - 1 + 3 * (n - 1)
    for _ in range(n):
        at = len(nodes)
        nodes += [{"feature": "z", "cut": 0.5, "left": at + 1, "right": at + 2}, {"class": 0}, {"class": 1}]
    return Single(build_tree(nodes, [Feature(name) for name in ("x", "y", "z")], (0, 1)))


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
    assert prepared(numeric) is prepared(numeric)
