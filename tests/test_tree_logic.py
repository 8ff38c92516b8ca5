"""Algorithms 1-5 of "Efficient & Correct Predictive Equivalence for Decision Trees": its examples."""

from __future__ import annotations

import itertools
import math
import os

import pytest

from gadgets import figure_1, gadget
from tree_pairs import seeded_pair
from xylogic import Feature, InvalidInputError, build_tree
from xylogic.search.pair import Pair
from xylogic.search.tree_logic import (
    DecisionTree,
    Literal,
    Values,
    assignment,
    consistent_path,
    find_axp,
    is_some_waxp,
    is_waxp,
    predictively_equivalent,
)

CASES = int(os.environ.get("XYLOGIC_ORACLE_CASES", "1500")) // 3
T1, T2, T3 = map(DecisionTree, figure_1())


def known(tree: DecisionTree, **values) -> list[Literal]:
    return assignment(values, tree.cells)


def features(found: list[Literal]) -> list[int]:
    return [literal.feature for literal in found]


def test_running_example():
    # Figure 1(d), Example of section 2.3: node 1 is our 0, P1, P2, P3 end in our nodes 2, 3, 4
    assert T1.paths == (2, 3, 4)
    assert features(T1.literals(2)) == [0, 1]
    points = [known(T1, x1=x1, x2=x2) for x1 in (0, 1) for x2 in (False, True)]
    assert [consistent_path(point, 2, T1) for point in points] == [True, False, False, False]
    # Examples 1 and 4
    assert is_waxp(known(T1, x1=0, x2=1), 1, T1)
    assert is_waxp(known(T2, x1=0, x2=1), 1, T2) and not is_waxp(known(T3, x1=0, x2=1), 1, T3)
    for name in ("x1", "x2"):
        assert is_waxp(known(T1, **{name: 1}), 1, T1) and find_axp(known(T1, **{name: 1}), 1, T1)
    assert features(find_axp(known(T1, x1=0, x2=0), 0, T1)) == [0, 1]
    # Example 5
    assert is_waxp(known(T2, x1=1), 1, T2) and is_some_waxp(known(T2, x1=1), T2) == 1
    assert is_some_waxp([], T1) is None
    # Example 6
    for tree in (T1, T2):
        assert features(find_axp(known(tree, x1=1), 1, tree)) == [0]
        assert find_axp(known(tree, x1=0, x2=1), 1, tree) == known(tree, x2=1)
    # Example 7
    assert predictively_equivalent(T1, T2) and not predictively_equivalent(T1, T3)


@pytest.mark.parametrize(
    ("other", "expected"),
    [(T2, [[None, False, False], [False, None, None], [False, None, None]]),
     (T3, [[True, None, False], [None, True, None], [None, False, None]])],
)  # fmt: skip
def test_figure_6(other: DecisionTree, expected: list):
    table = [
        [
            consistent_path(T1.literals(p1), p2, other) if T1.class_of(p1) != other.class_of(p2) else None
            for p2 in other.paths
        ]
        for p1 in T1.paths
    ]
    assert table == expected


def test_figure_3_the_eight_explanations_of_the_gadget():
    tree = DecisionTree(gadget(3))
    assert len(tree.paths) == 11 and len(tree.cells) == 7
    ones = known(tree, **{f"x{i}": 1 for i in range(1, 8)})
    found = set()
    for size in range(8):
        for chosen in itertools.combinations(ones, size):
            if is_waxp(chosen, 1, tree) and len(find_axp(chosen, 1, tree)) == size:
                found.add(tuple(literal.feature + 1 for literal in chosen))
    assert found == {(*pairs, 7) for pairs in itertools.product((1, 2), (3, 4), (5, 6))}


@pytest.mark.parametrize("r", [1, 4, 9])
def test_gadgets(r: int):
    model = gadget(r)
    assert model.n_nodes == 6 * r + 3 and len(model.features) == 2 * r + 1
    assert predictively_equivalent(DecisionTree(model), DecisionTree(gadget(r)))
    assert not predictively_equivalent(DecisionTree(model), DecisionTree(gadget(r, last=(1, 1))))


def test_both_loops_on_workers():
    from joblib import parallel_config

    a, b, c = (DecisionTree(gadget(12, last=last)) for last in ((0, 1), (0, 1), (1, 1)))
    with parallel_config(backend="threading"):
        assert predictively_equivalent(a, b, n_jobs=2)
        assert not predictively_equivalent(a, c, n_jobs=2)
    assert not predictively_equivalent(T1, T3, n_jobs=2)


def test_as_written_and_fast_agree(record_property):
    equal = 0
    for seed in range(CASES):
        pair = seeded_pair(seed)
        a, b = pair.singles()
        worth = () if pair.a.classes else (a.answers, b.answers)
        trees = DecisionTree(pair.a, pair.cells(pair.a)), DecisionTree(pair.b, pair.cells(pair.b))
        answer = predictively_equivalent(*trees)
        assert answer == (Pair(a, b, *worth).first() is None) == (not pair.differ.any()), seed
        equal += answer
    record_property("judged pairs by Algorithm 5", CASES)
    assert 0.1 * CASES < equal < 0.9 * CASES


def mixed_tree() -> DecisionTree:
    """A real, an integer and a categorical feature; the last may be missing."""
    columns = [Feature("size"), Feature("rooms", "integer"), Feature("town", "categorical", ("A", "B", "C"))]
    town = {"feature": "town", "in": ["A", "B"], "missing": "right", "left": {"class": "yes"}, "right": {"class": "no"}}
    rooms = {"feature": "rooms", "cut": 2.5, "left": town, "right": {"class": "yes"}}
    return DecisionTree(
        build_tree({"feature": "size", "cut": 10.0, "left": rooms, "right": {"class": "no"}}, columns, ("yes", "no"))
    )


def test_literals_of_all_kinds():
    tree = mixed_tree()
    assert is_some_waxp(known(tree, size=(1, 10.0), rooms={3, 7}), tree) == "yes"
    assert is_some_waxp(known(tree, size=(1, 10.5), rooms=3), tree) is None
    assert is_some_waxp(known(tree, size=10.0, town={"A", "B"}), tree) == "yes"
    assert is_some_waxp(known(tree, size=10.0, rooms=2, town=math.nan), tree) == "no"
    assert is_some_waxp(known(tree, size=10.0, rooms=2, town={"A", math.nan}), tree) is None
    assert features(find_axp(known(tree, size=5, rooms=9, town="A"), "yes", tree)) == [0, 2]
    # several literals on one feature are a conjunction; of integers, (2, 2.5] is empty
    rooms = Literal(1, Values(((-math.inf, 3.0),))), Literal(1, Values(((2.0, math.inf),)))
    assert is_some_waxp([*rooms, *known(tree, size=1)], tree) == "yes"


def test_refusals():
    tree = mixed_tree()
    with pytest.raises(InvalidInputError, match=r"no feature 'x'; accepted: size, rooms, town"):
        known(tree, x=1)
    with pytest.raises(InvalidInputError, match=r"'rooms': \(2.1, 2.9\) allows no value"):
        known(tree, rooms=(2.1, 2.9))
    with pytest.raises(InvalidInputError, match="allows no value of 'rooms'"):
        is_waxp([*known(tree, rooms=1), *known(tree, rooms=2)], "yes", tree)
    with pytest.raises(InvalidInputError, match="does not force class 'no'"):
        find_axp(known(tree, rooms=1), "no", tree)
