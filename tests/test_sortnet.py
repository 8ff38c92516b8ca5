"""Sorting networks by the 0-1 principle, and Algorithm 3 against counts of votes in every cell."""

import itertools

import numpy as np
import pytest

import xylogic as xl
from models import seeded_case
from xylogic import BudgetExceeded, InvalidInputError, build_ensemble, build_tree
from xylogic.budget import Budget
from xylogic.circuit.sorting import comparators, merger, sorting_network
from xylogic.circuit.sorting_kernel import needed
from xylogic.compile.sortnet import compile_sortnet
from xylogic.domain.cells import make_cells

KINDS = ("odd-even", "pairwise")


def cells_of(case, oracle):
    """The states of every feature of a case, "missing" among them where the oracle has it."""
    return tuple(
        make_cells(f, case.model.cast, (-np.inf, np.inf), missing=states[-1].kind == "missing")
        for f, states in zip(oracle.features, oracle.states, strict=True)
    )


def voting_case(seed):
    case = seeded_case(seed, voting="majority", regression=False, trees=(1, 7))
    oracle = case.oracle()
    return case, oracle, cells_of(case, oracle)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", range(1, 15))
def test_networks_sort(kind, n):
    values = (np.arange(1 << n)[:, None] >> np.arange(n)) & 1  # 0-1 principle: what sorts these sorts anything
    for i, j in sorting_network(n, kind):
        assert 0 <= i < j < n
        values[:, i], values[:, j] = np.maximum(*values[:, [i, j]].T), np.minimum(*values[:, [i, j]].T)
    assert (np.diff(values, axis=1) <= 0).all()


def test_networks_have_the_known_sizes():
    for p in range(1, 9):
        known = (p * p - p + 4) * 2 ** (p - 2) - 1
        assert len(sorting_network(1 << p)) == len(sorting_network(1 << p, "pairwise")) == known
    assert sorting_network(4) == [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)]
    assert xl.sorting_network is sorting_network


@pytest.mark.parametrize("m", [1, 2, 4, 8])
def test_mergers_merge(m):
    for a, b in itertools.product(range(m + 1), repeat=2):
        wires = [1] * a + [0] * (m - a) + [1] * b + [0] * (m - b)
        for i, j in merger(m).tolist():
            wires[i], wires[j] = max(wires[i], wires[j]), min(wires[i], wires[j])
        assert wires == sorted(wires, reverse=True)


def test_only_what_leads_to_the_wanted_output_is_built():
    pairs = comparators(8)
    assert needed(pairs, 8, list(range(8))).tolist() == [3] * len(pairs)
    assert needed(pairs, 8, []).tolist() == [0] * len(pairs)
    assert set(needed(pairs, 8, [0]).tolist()) == {0, 1}  # the greatest: maxima only


@pytest.mark.parametrize("options", [{"n": 0}, {"n": 2.5}, {"n": True}, {"n": 4, "kind": "bitonic"}])
def test_networks_refuse(options):
    with pytest.raises(InvalidInputError):
        sorting_network(**options)


@pytest.mark.parametrize("seed", range(300))
def test_algorithm_3_counts_votes(seed):
    case, oracle, cells = voting_case(seed)
    rows = oracle.rows(range(len(oracle.cells)))
    options = {"network": KINDS[seed % 2], "interleaved": seed % 3 == 0}
    strict = compile_sortnet(case.model, cells, "model", **options)
    winners = compile_sortnet(case.model, cells, "winners", **options)
    assert list(strict) == list(case.model.classes)
    for position, label in enumerate(case.model.classes):
        assert (strict[label].evaluate(rows) == (oracle.predictions == position)).all(), case
        assert (winners[label].evaluate(rows) == oracle.top[:, position]).all(), case


def test_the_arrangement_of_wires_does_not_matter_but_costs():
    seeded = (seeded_case(seed, voting="majority", regression=False, trees=(60, 60)) for seed in itertools.count())
    case = next(case for case in seeded if len(case.classes) > 2)
    cells = cells_of(case, case.oracle())
    sizes = {}
    for interleaved in (False, True):
        formulas = compile_sortnet(case.model, cells, interleaved=interleaved)
        sizes[interleaved] = next(iter(formulas.values())).circuit.n_nodes
    assert sizes[False] < sizes[True]


def test_other_models_and_ties_are_refused():
    f = xl.Feature("a")
    tree = build_tree({"feature": "a", "cut": 1.0, "left": {"class": 0}, "right": {"class": 1}}, [f], (0, 1))
    model = build_ensemble([tree], voting="average")
    cells = [make_cells(model.features[0], "float64", (-np.inf, np.inf), missing=False)]
    with pytest.raises(InvalidInputError, match="with_voting"):
        compile_sortnet(model, cells)
    model = model.with_voting("majority")
    with pytest.raises(InvalidInputError, match="accepted: model, winners, merged"):
        compile_sortnet(model, cells, "loser")
    assert str(compile_sortnet(model, cells)[1]) == "a > 1"


def test_a_budget_is_kept():
    case = seeded_case(5, voting="majority", regression=False, trees=(60, 60))
    cells = cells_of(case, case.oracle())
    with pytest.raises(BudgetExceeded):
        compile_sortnet(case.model, cells, budget=Budget(node_limit=500))
