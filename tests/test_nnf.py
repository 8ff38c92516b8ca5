"""Circuits and formulas against truth tables."""

import itertools
import math
import random

import numpy as np
import pytest

from xylogic import BudgetExceeded, Feature, InvalidInputError
from xylogic.budget import Budget
from xylogic.circuit.formula import Formula
from xylogic.circuit.nnf_kernel import FALSE, TRUE, Circuit
from xylogic.circuit.walk_kernel import evaluate
from xylogic.domain.cells import make_cells

OPEN = (-math.inf, math.inf)
CELLS = [
    make_cells(Feature("a", cuts=(1.0, 2.0)), "float64", OPEN, missing=True),
    make_cells(Feature("b", "categorical", categories=tuple("pqrs")), "float64", OPEN, missing=False),
    make_cells(Feature("c", cuts=tuple(map(float, range(69)))), "float64", OPEN, missing=False),
]
WORLDS = np.array(list(itertools.product(*(range(c.n_states) for c in CELLS))), np.int32)


def random_circuit(seed: int) -> tuple[Circuit, dict[int, np.ndarray]]:
    """A circuit, and the truth table of each of its nodes."""
    rng = random.Random(seed)
    circuit = Circuit([c.n_states for c in CELLS])
    tables = {FALSE: np.zeros(len(WORLDS), bool), TRUE: np.ones(len(WORLDS), bool)}
    for _ in range(40):
        ids = list(tables)
        if rng.random() < 0.4:
            f = rng.randrange(3)
            states = rng.randrange(1 << CELLS[f].n_states)
            node = circuit.literal_of(f, states)
            table = np.array([states >> int(s) & 1 for s in WORLDS[:, f]], bool)
        else:
            children = [rng.choice(ids) for _ in range(rng.choice([0, 1, 2, 2, 3, 20]))]
            joined = [tables[c] for c in children]
            if rng.random() < 0.5:
                node, table = circuit.conjunction(children), np.all([*joined, tables[TRUE]], axis=0)
            else:
                node, table = circuit.disjunction(children), np.any([*joined, tables[FALSE]], axis=0)
        assert node not in tables or (tables[node] == table).all()
        tables[node] = table
    return circuit, tables


@pytest.mark.parametrize("seed", range(30))
def test_nodes_are_what_they_were_made_of(seed):
    circuit, tables = random_circuit(seed)
    assert circuit.n_nodes >= len(tables)
    for node, table in tables.items():
        assert (evaluate(circuit, node, WORLDS) == table).all()
        assert all(child < node for child in circuit.children(node))
        formula = Formula(circuit, node, CELLS)
        assert (evaluate(circuit, (~formula).root, WORLDS) == ~table).all()
        assert (~~formula).root == node
        inside = formula.restrict({"a": {0.5, None}, "b": "q"})
        box = np.isin(WORLDS[:, 0], (0, 3)) & (WORLDS[:, 1] == 1)
        assert (evaluate(circuit, inside.root, WORLDS)[box] == table[box]).all()
        assert "b" not in inside.features


def test_equal_nodes_are_one_node():
    circuit = Circuit([3, 4])
    a, b = circuit.literal_of(0, 0b011), circuit.literal_of(1, 0b1000)
    assert a == circuit.literal(0, np.array([3], np.uint64))
    both = circuit.conjunction([b, a, TRUE, b])
    assert both == circuit.conjunction([a, b])
    assert both != circuit.disjunction([a, b])
    assert circuit.children(both) == (a, b)
    assert (circuit.kind(both), circuit.kind(a), circuit.kind(TRUE)) == ("and", "literal", "true")
    assert (circuit.feature(b), circuit.states(b), circuit.feature(both), circuit.states(both)) == (1, 8, -1, 0)
    assert circuit.conjunction([]) == circuit.disjunction([TRUE, a]) == circuit.literal_of(0, 0b111) == TRUE
    assert circuit.disjunction([]) == circuit.conjunction([FALSE, a]) == circuit.literal_of(0, 0) == FALSE
    assert circuit.conjunction([a, a]) == a


@pytest.mark.parametrize(
    "ask",
    [
        lambda c: c.literal_of(2, 1),
        lambda c: c.literal_of(0, 8),
        lambda c: c.literal(0, np.array([8], np.uint64)),
        lambda c: c.literal(0, np.array([1, 1], np.uint64)),
        lambda c: c.conjunction([2]),
        lambda c: c.disjunction([-1]),
        lambda c: c.kind(2),
        lambda c: c.children(-1),
    ],
)
def test_what_a_circuit_does_not_hold_is_refused(ask):
    with pytest.raises(InvalidInputError):
        ask(Circuit([3, 4]))


@pytest.mark.parametrize("limits", [{"node_limit": 100}, {"memory_limit": 30_000}, {"time_limit": 0.0}])
def test_a_budget_reached_leaves_the_circuit_usable(limits):
    circuit = Circuit([2] * 200, Budget(**limits))
    made = []
    with pytest.raises(BudgetExceeded):
        for _ in range(3):  # the clock is looked at now and then only
            for f, states in itertools.product(range(200), (1, 2)):
                made.append(circuit.literal_of(f, states))
                for other in made[-100:]:
                    circuit.conjunction([made[-1], other, made[0]])
    assert circuit.n_nodes >= len(set(made))
    assert evaluate(circuit, made[-1], np.zeros((1, 200), np.int32))[0] == (circuit.states(made[-1]) == 1)
    circuit.limit(Budget())
    assert circuit.literal_of(0, 1) == made[0]
    assert circuit.children(circuit.conjunction(made[:2])) == tuple(made[:2])


def test_formulas_read_well():
    circuit = Circuit([c.n_states for c in CELLS])
    low, high = circuit.literal_of(0, 0b0001), circuit.literal_of(0, 0b0110)
    known, some = circuit.literal_of(0, 0b0111), circuit.literal_of(1, 0b0011)
    last = circuit.literal_of(2, 1 << 69)
    formula = Formula(circuit, circuit.conjunction([circuit.disjunction([some, low]), last]), CELLS)
    assert str(formula) == "c > 68 and (a <= 1 or b in {p, q})"
    assert str(Formula(circuit, circuit.conjunction([known, last]), CELLS)) == "a is not missing and c > 68"
    assert str(Formula(circuit, circuit.literal_of(0, 0b1001), CELLS)) == "a <= 1 or a is missing"
    assert str(Formula(circuit, high, CELLS)) == "a > 1"
    assert (str(Formula(circuit, TRUE, CELLS)), str(Formula(circuit, FALSE, CELLS))) == ("always", "never")
    assert formula.features == ("a", "b", "c")
    assert (formula.n_nodes, formula.n_edges) == (5, 4)
    assert formula.to_dot().count("->") == 4
    shared = circuit.disjunction(
        [circuit.conjunction([some, last]), circuit.conjunction([low, last]), high, circuit.literal_of(2, 7)]
    )
    twice = [circuit.disjunction([shared, circuit.literal_of(1, states)]) for states in (4, 8)]
    text = str(Formula(circuit, circuit.conjunction(twice), CELLS))
    assert text == "\n".join(
        [
            "(b = r or [1]) and (b = s or [1])",
            "where",
            "  [1] = a > 1 or c <= 2 or (b in {p, q} and c > 68) or (a <= 1 and c > 68)",
        ]
    )


def test_a_table_is_read_in_the_users_units():
    circuit = Circuit([c.n_states for c in CELLS])
    formula = Formula(circuit, circuit.conjunction([circuit.literal_of(0, 0b1100), circuit.literal_of(1, 0b1)]), CELLS)
    rows = [{"a": 2.5, "b": "p", "c": 0.0}, {"a": None, "b": "p", "c": -5}, {"a": 2.0, "b": "p", "c": 0}]
    assert formula.evaluate(rows).tolist() == [True, True, False]
    assert formula.evaluate([]).tolist() == []
    with pytest.raises(InvalidInputError, match="'b', row 0"):
        formula.evaluate([{"a": 2.5, "b": "z", "c": 0.0}])
    with pytest.raises(InvalidInputError, match="no feature 'z'"):
        formula.restrict({"z": 1})
    with pytest.raises(InvalidInputError, match="other numbers of states"):
        Formula(circuit, 0, CELLS[:2])


def test_formulas_of_two_circuits_join():
    one, two = (Circuit([c.n_states for c in CELLS]) for _ in range(2))
    a = Formula(one, one.literal_of(0, 3), CELLS)
    b = Formula(two, two.conjunction([two.literal_of(1, 3), two.literal_of(2, 5)]), CELLS)
    for joined, table in ((a & b, np.logical_and), (a | b, np.logical_or)):
        assert joined.circuit is one
        expected = table(*(evaluate(f.circuit, f.root, WORLDS) for f in (a, b)))
        assert (evaluate(one, joined.root, WORLDS) == expected).all()
    with pytest.raises(InvalidInputError, match="different features"):
        a & Formula(Circuit([4, 4]), 0, CELLS[:2])
