"""Rows counted down two diagrams side by side: exact, and bounds that hold where a limit comes first."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

import xylogic as xl
from model_pairs import seeded_pair
from xylogic.budget import Budget
from xylogic.circuit import meeting
from xylogic.compare.align import align
from xylogic.compare.diagrams import Diagrams
from xylogic.compare.question import Question


def diagrams(a, b) -> Diagrams:
    return Diagrams(Question(align(a, b), "label", 0.0), Budget())


@pytest.fixture(scope="module")
def forests():
    X, y = load_breast_cancer(return_X_y=True)
    return [RandomForestClassifier(4, max_depth=4, random_state=seed).fit(X, y) for seed in (0, 1)]


@pytest.mark.parametrize("limits", [{"node_limit": 60}, {"memory_limit": 700_000}])
def test_a_limit_leaves_bounds_that_hold(limits, monkeypatch, forests):
    monkeypatch.setattr(meeting, "_FEWEST", 3)
    partial = 0
    pairs = [seeded_pair(seed, trees=(2, 6)) for seed in range(60)]
    for a, b in [*((pair.a, pair.b) for pair in pairs if len(pair.a.classes or ()) > 1), forests]:
        both = diagrams(a, b)
        exact, found = both.meeting(Budget()), both.meeting(Budget(**limits))
        assert exact.undecided == 0 and sum(exact.shares.values()) == 1
        assert sum(found.shares.values()) + found.undecided == 1
        assert all(share <= exact.shares[way] for way, share in found.shares.items())
        partial += found.undecided > 0
    assert partial >= 1


def test_some_is_decided_where_the_pairs_are_too_many(forests):
    both = diagrams(*forests)
    found = [1 - both.meeting(Budget(None, limit)).undecided for limit in (40_000, 80_000)]
    assert 0 < found[0] < found[1] <= 1


def test_more_cells_than_machine_words_hold():
    """Of 400 columns of two states each, the models differ in half of the cells of which the first says yes."""
    columns = [f"x{k}" for k in range(400)]
    no, yes = {"class": "no"}, {"class": "yes"}

    def chain(names, end):
        node = end
        for name in reversed(names):
            node = {"feature": name, "cut": 0.5, "left": no, "right": node}
        return xl.build_tree(node, [xl.Feature(name, "boolean") for name in columns], ("no", "yes"))

    a, b = chain(columns[:399], yes), chain(columns, yes)
    found = xl.compare(a, b, engine="diagram")
    assert found.disagreement == Fraction(1, 2**400)
    assert found.table == {
        ("no", "no"): 1 - Fraction(1, 2**399), ("yes", "no"): Fraction(1, 2**400), ("yes", "yes"): Fraction(1, 2**400)
    }  # fmt: skip
    (region,) = found.regions()
    assert region.share == Fraction(1, 2**400) and region.answers == ("yes", "no")


def test_equal_classes_are_in_the_table_of_every_engine():
    asked = 0
    for seed in range(40):
        pair = seeded_pair(seed, trees=(1, 1) if seed % 2 else (1, 4))
        if len(pair.a.classes or ()) < 2 or math.prod(len(s) for s in pair.states) > 2000:
            continue
        a, b = (pair.answers(side, "label")[:, 0] for side in (0, 1))
        for engine in ("auto", "search", "diagram", *(["walk"] if len(pair.a.trees) == len(pair.b.trees) == 1 else [])):
            table = xl.compare(pair.a, pair.b, engine=engine).table
            assert sum(table.values()) == 1
            for p, label in enumerate(pair.a.classes):
                assert table.get((label, label), 0) == pair.share((a == p) & (b == p)), (seed, engine)
            asked += 1
    assert asked > 40


def test_regions_of_diagrams_begin_with_wide_ones(forests):
    found = xl.compare(*forests)
    few = found.regions(limit=20)
    assert few.status == "partial" and len(few) == 20
    for region in few:
        for model, answer in zip(forests, region.answers, strict=True):
            assert model.predict(np.array([list(region.row.values())]))[0] == answer
    by_search = xl.compare(*forests, engine="search").regions(limit=20)
    assert max(r.share for r in few) > max(r.share for r in by_search)
