"""Minimum disjunctive normal forms: fewest primes, not canonical, within limits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import xylogic as xl
from gadgets import gadget
from oracle import Oracle
from test_primes import places, small_case
from xylogic import Feature, build_tree
from xylogic.budget import Budget
from xylogic.compare import cover
from xylogic.compare.primes import primes_of


def covered(oracle: Oracle, terms) -> set[int]:
    return {
        cell for cell, row in enumerate(oracle.rows(range(len(oracle.cells)))) if any(t.matches(row) for t in terms)
    }


@pytest.mark.parametrize("batch", range(8))
def test_no_smaller_cover(batch):
    for seed in range(batch * 10, batch * 10 + 10):
        case = small_case(seed, regression=False)
        oracle = Oracle(case.model)
        for position, label in enumerate(case.model.classes):
            primes = xl.prime_implicants(case.model, label)
            if primes.count > 14:
                continue
            own = set((oracle.predictions == position).nonzero()[0].tolist())
            dnf = primes.minimum_dnf()
            assert covered(oracle, dnf.terms) == own and all(term in primes for term in dnf.terms)
            assert dnf.status.status == "exact" and dnf.status.bounds == {"least": len(dnf), "found": len(dnf)}
            cells = [covered(oracle, [term]) for term in primes]
            smaller = itertools.combinations(cells, len(dnf) - 1) if len(dnf) else []
            assert not any(set().union(*some) == own for some in smaller)


def table_tree(minterms: set[int]) -> xl.Ensemble:
    """The function of x4 x3 x2 x1, x4 being most significant, as a complete tree."""

    def node(number: int, left: int) -> dict:
        if left == 0:
            return {"class": int(number in minterms)}
        low, high = node(2 * number, left - 1), node(2 * number + 1, left - 1)
        return {"feature": f"x{left}", "cut": 0.5, "left": low, "right": high}

    return build_tree(node(0, 4), [Feature(f"x{k}", "boolean") for k in (4, 3, 2, 1)], [0, 1])


def covers(minterms: set[int]) -> tuple[list[xl.Term], list[set[xl.Term]]]:
    """All primes, and all minimum covers by trying every choice."""
    model = table_tree(minterms)
    primes = xl.prime_implicants(model, 1)
    oracle = Oracle(model)
    own = set((oracle.predictions == 1).nonzero()[0].tolist())
    cells = {term: covered(oracle, [term]) for term in primes}
    size = len(primes.minimum_dnf())
    found = [
        set(chosen)
        for chosen in itertools.combinations(cells, size)
        if set().union(*(cells[term] for term in chosen)) == own
    ]
    assert set(primes.minimum_dnf().terms) in found
    return list(primes), found


def test_minimum_covers_are_not_canonical():
    """Example 3, corrected: the printed primes belong to this function, which has two minimum covers of size 4."""
    primes, found = covers({0, 1, 5, 7, 8, 10, 14, 15})
    assert len(primes) == 8 and [len(cover) for cover in found] == [4, 4]
    assert found[0] | found[1] == set(primes) and not found[0] & found[1]


def test_printed_minterms_of_example_3():
    """The minterms as printed make another function: 4 primes, two minimum covers of size 3."""
    primes, found = covers({0, 2, 7, 8, 10, 14, 15})
    assert len(primes) == 4 and [len(cover) for cover in found] == [3, 3]


def test_constant_classes():
    model = build_tree({"class": "a"}, ["x"], ["a", "b"])
    never, always = xl.prime_implicants(model, "b"), xl.prime_implicants(model, "a")
    assert (never.count, always.count) == (0, 1) and list(always) == [xl.Term({})] and not never
    assert str(never.minimum_dnf()) == "(never)" and str(always.minimum_dnf()) == "(always)"
    assert never.smallest() is None and {} in always and {} not in never


# ---------------------------------------------------------------- limits


def test_limits_leave_the_primes_usable():
    primes = xl.prime_implicants(gadget(40), 1)
    with pytest.raises(xl.BudgetExceeded):
        primes.minimum_dnf()
    primes = xl.prime_implicants(gadget(5), 1)
    for limits in ({"time_limit": 0}, {"node_limit": 20}, {"memory_limit": 10}):
        with pytest.raises(xl.BudgetExceeded):
            primes.minimum_dnf(**limits)
    assert primes.count == 94 and primes.minimum_dnf().status.status == "exact"
    assert len(primes.minimum_dnf()) == 11


@pytest.mark.parametrize("limits", [{"time_limit": 0}, {"node_limit": 50}, {"memory_limit": 1000}])
def test_limits_of_the_primes(limits):
    model = gadget(500)
    with pytest.raises(xl.BudgetExceeded):
        xl.prime_implicants(model, 1, **limits)
    assert xl.prime_implicants(model, 1).count == 3 * 2**500 - 2


def test_limits_say_how_far_the_work_was():
    tree = xl.compile_model(gadget(3000))[1]
    with pytest.raises(xl.BudgetExceeded) as stop:
        primes_of(tree, Budget(node_limit=9500))
    assert stop.value.bounds["functions"] > 3000 and stop.value.bounds["sets of terms"] >= 2
    assert primes_of(tree, Budget()).count == 3 * 2**3000 - 2


def test_time_that_runs_out_in_the_search():
    """What is found by then covers the class, and the bound is one."""
    found = xl.prime_implicants(gadget(4), 1)
    primes = list(found)
    groups = cover._hardest(cover._row_groups(primes, found.cells, Budget()), Budget())
    chosen, least = cover._fewest(groups, len(primes), Budget(0))
    assert 1 <= least <= len(chosen) and all(any(group >> p & 1 for p in chosen) for group in groups)


def test_unknown_classes_and_features():
    model = gadget(1)
    for label in (2, True, "1", np.array([0, 1])):  # True is not 1
        with pytest.raises(xl.InvalidInputError, match=r"there is no class .*; accepted: 0, 1"):
            xl.prime_implicants(model, label)
    primes = xl.prime_implicants(model, 1)
    with pytest.raises(xl.InvalidInputError, match="there is no feature 'y'"):
        assert {"y": True} in primes
    assert "x1" not in primes and places(primes.smallest(), Oracle(model))
