"""Theorems 6 and 9 of "Efficient & Correct Predictive Equivalence for Decision Trees", over any states and forests."""

from __future__ import annotations

import copy
import itertools

import numpy as np
import pytest

import xylogic as xl
from models import Draws
from oracle import Oracle
from test_primes import small_case
from xylogic.model.handmade import build_ensemble, build_tree


def same_function(a: Oracle, b: Oracle) -> bool:
    """Whether two models over the same features agree on a row of every cell of either."""
    rows = [*a.rows(range(len(a.cells))), *b.rows(range(len(b.cells)))]
    return all(a.predictions[a.cell(row)] == b.predictions[b.cell(row)] for row in rows)


def leaves(node: dict) -> list[dict]:
    return leaves(node["left"]) + leaves(node["right"]) if "left" in node else [node]


def retold(d: Draws, node: dict) -> dict:
    """The same tree, some of its leaves split by a test from elsewhere in it, some tests asked twice."""
    tests = [node] if "left" in node else []
    for test in tests:
        tests += [child for child in (test["left"], test["right"]) if "left" in child]

    def copied(inner: dict, open_tests: list[dict]) -> dict:
        if "left" not in inner:
            if open_tests and d.chance(60):
                return {**d.pick(open_tests), "left": copy.deepcopy(inner), "right": copy.deepcopy(inner)}
            return dict(inner)
        rest = [test for test in open_tests if test["feature"] != inner["feature"]]
        return {**inner, "left": copied(inner["left"], rest), "right": copied(inner["right"], rest)}

    return copied(node, tests)


def pair(seed: int) -> tuple[xl.Ensemble, xl.Ensemble]:
    """A model, and another that is the same function or nearly so."""
    d = Draws(seed)
    case = small_case(seed, regression=False, trees=(1, 3))
    other = [retold(d, tree) for tree in case.nodes]
    if d.chance(50):
        leaf, changed = d.pick(leaves(d.pick(other))), copy.deepcopy(d.pick(leaves(d.pick(other))))
        leaf.clear()
        leaf.update(changed)
    trees = [build_tree(tree, case.features, case.classes, cast=case.cast) for tree in other]
    return case.model, build_ensemble(trees, **case.settings)


@pytest.mark.parametrize("batch", range(10))
def test_equivalent_means_equal_primes(batch):
    """Theorem 6: for every class, and as terms, texts and sets alike."""
    for seed in range(30 * batch, 30 * batch + 30):
        a, b = pair(seed)
        equivalent = same_function(Oracle(a), Oracle(b))
        primes = [[xl.prime_implicants(model, label) for label in a.classes] for model in (a, b)]
        assert all(p == q for p, q in zip(*primes, strict=True)) == equivalent, f"seed {seed}"
        listed = [[set(p) for p in of_model] for of_model in primes]
        assert (listed[0] == listed[1]) == equivalent, f"seed {seed}"
        assert not equivalent or [set(map(str, p)) for p in listed[0]] == [set(map(str, p)) for p in listed[1]]


def test_both_kinds_of_pairs_are_drawn():
    kinds = [same_function(*(Oracle(model) for model in pair(seed))) for seed in range(60)]
    assert 10 < sum(kinds) < 50


@pytest.mark.parametrize("batch", range(4))
def test_consistent_implicants_of_unequal_classes(batch):
    """Theorem 9: primes of different classes, one of each model, that share a row show it is not the same function;
    and unequal models have such a pair."""
    for seed in range(20 * batch, 20 * batch + 20):
        a, b = pair(seed)
        clash = any(
            consistent(p, q)
            for c, d in itertools.permutations(a.classes, 2)
            for p, q in itertools.product(xl.prime_implicants(a, c), xl.prime_implicants(b, d))
        )
        assert clash != same_function(Oracle(a), Oracle(b)), f"seed {seed}"


def consistent(p: xl.Term, q: xl.Term) -> bool:
    """Whether some row satisfies both terms."""
    return all(shared(p[name], q[name]) for name in set(p) & set(q))


def shared(s, t) -> bool:
    if s.has_missing and t.has_missing:
        return True
    if s.cells.is_set:
        return bool(set(s) & set(t))
    ends = [(max(a, c), min(b, d)) for (a, b), (c, d) in itertools.product(s.intervals, t.intervals)]
    return any(low <= high for low, high in np.array(ends).reshape(-1, 2).tolist())
