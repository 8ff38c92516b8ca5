"""Weak test-once graphs: invariants, Algorithm 4, and Algorithms 3A and 3B against counts of votes in every cell."""

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest

from graphs import labels, random_graph
from models import seeded_case
from test_sortnet import KINDS, cells_of, voting_case
from xylogic import BudgetExceeded, InvalidInputError
from xylogic.budget import Budget
from xylogic.circuit.apply_kernel import Apply
from xylogic.circuit.exchange_kernel import adopt, freeze, negation
from xylogic.circuit.graph import Graph
from xylogic.circuit.invariants import check_ordered, check_structure, check_test_once, check_weak_test_once
from xylogic.circuit.rows import read_states
from xylogic.compile.apply import compile_apply


def checked(graphs, root):
    graph = freeze(graphs, root)
    check_structure(graph)
    check_weak_test_once(graph)
    return graph


@pytest.mark.parametrize("seed", range(150))
def test_operations_against_truth_tables(seed):
    rng = random.Random(seed)
    n_states = tuple(rng.randint(2, 4) for _ in range(rng.randint(1, 4)))
    worlds = np.array(list(itertools.product(*map(range, n_states))))
    order = rng.sample(range(len(n_states)), len(n_states)) if seed % 2 else None
    graphs = Apply(n_states, order=order)
    made = []
    for _ in range(3):
        raw = random_graph(rng, n_states, rng.randint(1, 8))
        root = adopt(graphs, raw)
        assert (labels(checked(graphs, root), worlds) == labels(raw, worlds)).all()
        made.append((root, labels(raw, worlds) == 1))
    for _ in range(8):
        (a, table_a), (b, table_b) = rng.choice(made), rng.choice(made)
        how = rng.choice(["and", "or", "not", "collect", "again"])
        if how == "and":
            made.append((graphs.conjunction(a, b), table_a & table_b))
        elif how == "or":
            made.append((graphs.disjunction(a, b), table_a | table_b))
        elif how == "not":
            made.append((negation(graphs, a), ~table_a))
            assert negation(graphs, made[-1][0]) == a
        elif how == "again":
            assert adopt(graphs, freeze(graphs, a)) == a
        else:
            roots = graphs.collect([root for root, _ in made])
            made = [(root, table) for root, (_, table) in zip(roots, made, strict=True)]
        for root, table in made:
            assert (labels(checked(graphs, root), worlds) == table).all()
            assert (root < 2) == (table.all() or not table.any())
    for (a, table_a), (b, table_b) in itertools.product(made, repeat=2):
        same = graphs.conjunction(a, negation(graphs, b)) == graphs.conjunction(b, negation(graphs, a)) == 0
        assert same == (table_a == table_b).all()


FIGURE_1 = Graph(
    (3, 3, 3),
    3,
    *(np.array(a, np.int32) for a in ([-1, -1, -1, 2, 1, 0, 1],)),
    np.array([0, 0, 0, 0, 2, 4, 6, 8], np.int64),
    *(np.array(a, np.int32) for a in ([0, 2, 1, 2, 0, 1, 0, 1], [1, 2, 1, 2, 0, 2, 0, 2], [1, 2, 1, 0, 4, 3, 0, 5])),
    6,
)


def test_figure_1_is_weak_test_once_and_no_more():
    check_structure(FIGURE_1)
    check_weak_test_once(FIGURE_1)
    worlds = np.array(list(itertools.product(range(3), repeat=3)))
    assert np.bincount(labels(FIGURE_1, worlds)).tolist() == [12, 11, 4]
    with pytest.raises(AssertionError, match="leaves out states"):
        check_test_once(FIGURE_1)


def test_figure_5_becomes_weak_test_once():
    """The left graph of Figure 5 in spirit: Y's second test asks for a state that one path rules out."""
    raw = Graph(
        (2, 3),
        2,
        np.array([-1, -1, 1, 0, 1], np.int32),
        np.array([0, 0, 0, 2, 4, 6], np.int64),
        *(np.array(a, np.int32) for a in ([0, 1, 0, 1, 0, 2], [0, 2, 0, 1, 1, 2], [0, 1, 1, 2, 3, 2])),
        4,
    )
    with pytest.raises(AssertionError, match=r"node 2: paths allow the states \[2\] of feature 1, edges \[0, 1, 2\]"):
        check_weak_test_once(raw)
    graphs = Apply(raw.n_states)
    graph = checked(graphs, adopt(graphs, raw))
    worlds = np.array(list(itertools.product(range(2), range(3))))
    assert (labels(graph, worlds) == labels(raw, worlds)).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"root": 9}, "root 9"),
        ({"root": 5}, "node 6 is out of reach"),
        ({"lo": np.array([0, 1, 1, 2, 0, 1, 0, 1], np.int32)}, "node 3: edge 1..2 overlaps"),
        ({"hi": np.array([1, 3, 1, 2, 0, 2, 0, 2], np.int32)}, "node 3: edge 2..3"),
        ({"child": np.array([1, 2, 1, 0, 4, 3, 0, 6], np.int32)}, "node 6 has the greater child 6"),
        ({"child": np.array([1, 1, 1, 0, 4, 3, 0, 5], np.int32)}, "node 3 decides nothing"),
        ({"feature": np.array([-1, -1, -1, 2, 1, 3, 1], np.int32)}, "node 5 tests feature 3"),
        ({"feature": np.array([-1, -1, 0, 2, 1, 0, 1], np.int32)}, "leaf 2"),
        ({"edge_at": np.array([0, 0, 0, 0, 2, 4, 6], np.int64)}, "different lengths"),
    ],
)
def test_broken_graphs_are_named(change, message):
    with pytest.raises(AssertionError, match=message):
        check_structure(replace(FIGURE_1, **change))


def test_ordered_graphs_are_told():
    ordered = Graph(
        (2, 3),
        2,
        np.array([-1, -1, 1, 0], np.int32),
        np.array([0, 0, 0, 2, 4], np.int64),
        *(np.array(a, np.int32) for a in ([0, 1, 0, 1], [0, 2, 0, 1], [0, 1, 1, 2])),
        3,
        (0, 1),
    )
    for check in (check_structure, check_weak_test_once, check_test_once, check_ordered):
        check(ordered)
    with pytest.raises(AssertionError, match="node 3 tests feature 0 before node 2 tests 1"):
        check_ordered(replace(ordered, order=(1, 0)))
    with pytest.raises(AssertionError, match="no order"):
        check_ordered(replace(ordered, order=None))


@pytest.mark.parametrize("seed", range(200))
def test_algorithms_3a_and_3b_count_votes(seed):
    case, oracle, cells = voting_case(seed)
    worlds = read_states(oracle.rows(range(len(oracle.cells))), cells)
    ties = "model" if seed % 2 else "winners"
    order = list(range(len(cells)))[::-1] if seed % 3 == 1 else None
    for form in ("3A", "3B"):
        found = compile_apply(case.model, cells, ties, form, order, KINDS[seed // 2 % 2], printed=seed % 3 == 2)
        assert list(found) == list(case.model.classes)
        for position, parts in enumerate(found.values()):
            assert len(parts) == (1 if form == "3A" or len(found) <= 2 else len(found) - 1)
            expected = oracle.predictions == position if ties == "model" else oracle.top[:, position]
            for part in parts:
                check_structure(part)
                check_weak_test_once(part)
            assert (np.all([labels(part, worlds) for part in parts], axis=0) == expected).all(), case


def test_other_graphs_and_forms_are_refused():
    with pytest.raises(InvalidInputError, match="leaves false and true"):
        adopt(Apply((3, 3, 3)), FIGURE_1)
    graphs = Apply((3, 3))
    with pytest.raises(InvalidInputError, match="node 2 is no graph"):
        graphs.conjunction(2, 1)
    case = seeded_case(1, voting="majority", regression=False)
    with pytest.raises(InvalidInputError, match="accepted: 3A, 3B"):
        compile_apply(case.model, cells_of(case, case.oracle()), form="joint")


@pytest.mark.parametrize("limits", [{"node_limit": 60}, {"memory_limit": 200_000}])
def test_a_budget_reached_leaves_the_manager_usable(limits):
    rng = random.Random(3)
    n_states = (4,) * 7
    graphs = Apply(n_states)
    pairs = [tuple(adopt(graphs, random_graph(rng, n_states, 12)) for _ in range(2)) for _ in range(20)]
    if "node_limit" in limits:
        limits = {"node_limit": graphs.n_nodes + limits["node_limit"]}
    graphs.limit(Budget(**limits))
    found = {}
    with pytest.raises(BudgetExceeded):
        for a, b in itertools.product(itertools.chain.from_iterable(pairs), repeat=2):
            found[a, b] = graphs.disjunction(a, b)
    graphs.limit(Budget())
    for (a, b), root in list(found.items())[:20]:
        checked(graphs, root)
        assert graphs.disjunction(a, b) == root
