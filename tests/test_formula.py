"""Hard questions about formulas against truth tables; formulas on disk."""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest

from models import seeded_case
from test_nnf import CELLS, OPEN, WORLDS, random_circuit
from test_sortnet import cells_of, voting_case
from xylogic import BudgetExceeded, Feature, InvalidInputError
from xylogic.budget import Budget
from xylogic.circuit.formula import Formula
from xylogic.circuit.invariants import check_ordered, check_structure
from xylogic.circuit.nnf_kernel import Circuit
from xylogic.circuit.rows import read_box, read_states
from xylogic.circuit.walk_kernel import evaluate
from xylogic.compile.sortnet import compile_sortnet
from xylogic.domain.cells import make_cells

INDEX = {tuple(world): position for position, world in enumerate(WORLDS.tolist())}


@pytest.mark.parametrize("seed", range(25))
def test_counts_probabilities_and_boxes(seed):
    circuit, tables = random_circuit(seed)
    rng = np.random.default_rng(seed)
    marginals = {c.name: rng.dirichlet(np.ones(c.n_states)) for c in CELLS[:2]}
    weight = marginals["a"][WORLDS[:, 0]] * marginals["b"][WORLDS[:, 1]] / CELLS[2].n_states
    for node in list(tables)[-6:]:
        formula, table = Formula(circuit, node, CELLS), tables[node]
        graph = formula.diagram().graph
        check_structure(graph)
        check_ordered(graph)
        assert formula.count() == table.sum()
        assert formula.share == Fraction(int(table.sum()), len(table))
        assert math.isclose(formula.probability(marginals), weight[table].sum(), abs_tol=1e-12)
        held = np.zeros(len(WORLDS), int)
        for box in formula.boxes():
            states = read_box(box, CELLS)
            inside = [states.get(f, range(c.n_states)) for f, c in enumerate(CELLS)]
            held[[INDEX[world] for world in itertools.product(*inside)]] += 1
        assert (held == table).all()
        row = formula.row()
        assert (row is None) == (not table.any())
        assert row is None or formula.evaluate([row]).tolist() == [True]


@pytest.mark.parametrize("seed", range(25))
def test_equal_functions_are_equal(seed):
    (one, tables), (two, others) = random_circuit(seed), random_circuit(seed + 1000)
    mine = [(Formula(one, n, CELLS), table) for n, table in list(tables.items())[-5:]]
    its = [(Formula(two, n, CELLS), table) for n, table in list(others.items())[:4]]
    for (a, table_a), (b, table_b) in itertools.product(mine, mine + its):
        assert (a == b) == (table_a == table_b).all()
        assert (a != b) != (a == b)
        assert hash(a) == hash(b)
        assert ~(a & b) == ~a | ~b
        assert (a & b) | (a & ~b) == a


@pytest.mark.parametrize("seed", range(0, 120, 4))
def test_class_formulas_of_forests_share_out_all_cells(seed):
    case, oracle, cells = voting_case(seed)
    formulas = compile_sortnet(case.model, cells)
    assert sum(f.count() for f in formulas.values()) == len(oracle.cells)
    for position, (label, formula) in enumerate(formulas.items()):
        assert formula.count() == (oracle.predictions == position).sum(), case
        row = formula.row()
        assert row is None or case.model.predict([row]).tolist() == [label]
        for other in list(formulas.values())[:position]:
            assert (formula & other).count() == 0


@pytest.mark.parametrize("suffix", [".json", ".json.gz"])
def test_saved_formulas_come_back_node_for_node(tmp_path, suffix):
    for seed in range(8):
        circuit, tables = random_circuit(seed)
        for node in (list(tables)[-1], 0, 1):
            formula = Formula(circuit, node, CELLS)
            formula.save(tmp_path / f"formula{suffix}")
            back = Formula.load(tmp_path / f"formula{suffix}")
            assert (back.n_nodes, back.n_edges, back.cells) == (formula.n_nodes, formula.n_edges, formula.cells)
            assert (evaluate(back.circuit, back.root, WORLDS) == tables[node]).all()
            assert back == formula
            assert back.to_dict() == formula.to_dict()
    case, oracle, cells = voting_case(3)
    rows = oracle.rows(range(len(oracle.cells)))
    for formula in compile_sortnet(case.model, cells).values():
        formula.save(tmp_path / "f.json")
        assert (Formula.load(tmp_path / "f.json").evaluate(rows) == formula.evaluate(rows)).all()
    assert len(read_states(rows, cells)) == len(rows)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("format", "xylogic model", "not a saved xylogic formula"),
        ("version", 2, "1 is accepted"),
        ("root", 99, "root 99"),
        ("root", True, "root True"),
        ("nodes", [["and", 2]], "node 2 has children"),
        ("nodes", [["xor", 1]], "node 2 is of feature"),
        ("nodes", [[9, [0, 1]]], "node 2 is of feature 9"),
        ("nodes", [[0, [1, 0]]], "1 to 0 is no run"),
        ("nodes", [[0, [0, 7]]], "0 to 7 is no run"),
        ("nodes", [[]], "no formula"),
        ("nodes", 3, "no formula"),
        ("cells", [{}], "no saved feature"),
    ],
)
def test_damaged_files_are_refused(tmp_path, name, value, message):
    circuit, tables = random_circuit(2)
    record = Formula(circuit, list(tables)[-1], CELLS).to_dict()
    (tmp_path / "f.json").write_text(json.dumps({**record, name: value}))
    with pytest.raises(InvalidInputError, match=message):
        Formula.load(tmp_path / "f.json")
    (tmp_path / "f.json").write_text("{")
    with pytest.raises(InvalidInputError, match="not JSON"):
        Formula.load(tmp_path / "f.json")


def test_hard_questions_keep_to_the_budget():
    case = seeded_case(11, voting="majority", regression=False, trees=(40, 40))
    cells = cells_of(case, case.oracle())
    formula = next(iter(compile_sortnet(case.model, cells).values()))
    with pytest.raises(BudgetExceeded):
        formula.diagram(Budget(node_limit=20))
    circuit = Circuit([2] * 60, Budget(memory_limit=2_000_000))
    pairs = [circuit.conjunction([circuit.literal_of(f, 1), circuit.literal_of(59 - f, 1)]) for f in range(30)]
    cells = [make_cells(Feature(f"x{f}", cuts=(0.5,)), "float64", OPEN, missing=False) for f in range(60)]
    odd = circuit.disjunction([circuit.conjunction([p, q]) for p, q in itertools.combinations(pairs, 2)])
    with pytest.raises(BudgetExceeded):
        Formula(circuit, odd, cells).count()
    assert Formula(circuit, pairs[0], cells).count() == 2**58


def test_time_starts_anew_for_later_questions():
    circuit = Circuit([c.n_states for c in CELLS], Budget(time_limit=0.05))
    a = Formula(circuit, circuit.literal_of(0, 3), CELLS)
    end = circuit.budget.seconds + 0.06
    while circuit.budget.seconds < end:
        pass
    assert (a & ~a).count() == 0
