"""Reasons from decision graphs against the oracle: closed forms, minimal sets, robustness, general reasons."""

from __future__ import annotations

import math

import numpy as np
import pytest

from graphs import free_graph, ordered_graph
from models import Draws
from test_against_oracle import batches, explain, judge
from test_general_reasons import is_small
from xylogic.budget import Budget
from xylogic.circuit.conjunction import Conjunction
from xylogic.circuit.walk_kernel import evaluate
from xylogic.compile.compiling import compile_ensemble
from xylogic.errors import BudgetExceeded, InvalidInputError
from xylogic.reason.circuits import MinimalSets, closed_reason, robustness
from xylogic.reason.implicates import StateBits, general_necessary, general_sufficient


def draw_parts(d: Draws, oracle, keep: np.ndarray) -> list:
    """Graphs whose conjunction is a set of cells."""
    pieces = [keep]
    if d.chance(40):
        some = np.array([d.chance(50) for _ in keep])
        pieces = [keep | some, keep | ~some]
    parts = []
    for piece in pieces:
        labels, accepted = oracle.shaped(piece.astype(np.int64)), [False, True]
        if d.chance(30):
            colours = np.array([d.whole(0, 1) for _ in keep])
            labels, accepted = oracle.shaped(np.where(piece, 2 + colours, colours)), [False, False, True, True]
        if d.chance(50):
            order = list(range(len(oracle.names)))
            order.sort(key=lambda _: d.whole(0, 99))
            parts.append((ordered_graph(labels, len(accepted), order), accepted))
        else:
            parts.append((free_graph(d, labels, len(accepted)), accepted))
    return parts


def names_of(oracle, sets) -> set[frozenset[str]]:
    found = [frozenset(n for i, n in enumerate(oracle.names) if int(s[0]) >> i & 1) for s in sets]
    assert len(set(found)) == len(found)
    return set(found)


def check_shape(circuit, nodes, states, general: bool) -> None:
    """Literals hold the row's state; of a complete reason they are that state, and disjuncts share no feature."""
    features = {}
    for n in nodes:
        kind = circuit.kind(n)
        if kind == "literal":
            f = circuit.feature(n)
            features[n] = {f}
            assert circuit.states(n) >> states[f] & 1
            assert general or circuit.states(n) == 1 << states[f]
        elif kind in ("and", "or"):
            below = [features.get(c, set()) for c in circuit.children(n)]
            features[n] = set().union(*below)
            assert general or kind == "and" or len(features[n]) == sum(map(len, below))


def check_formula(oracle, reason, expected, general: bool) -> None:
    assert (evaluate(reason.circuit, reason.root, oracle.cells) == expected).all()
    check_shape(reason.circuit, reason.nodes.tolist(), oracle.origin.tolist(), general)


def minimal_sets(reason, d: Draws) -> MinimalSets:
    order = list(range(len(reason.cells)))
    order.sort(key=lambda _: d.whole(0, 99))
    return MinimalSets(reason, Budget(), np.arange(len(order)), 1, order if d.chance(70) else None)


def check_circuit(case, d: Draws) -> None:
    oracle = case.oracle()
    cells = explain(case)._decision.cells
    assert [c.n_states for c in cells] == [len(states) for states in oracle.states]
    check_parts(oracle, cells, draw_parts(d, oracle, ~oracle.flip), d)


def check_compiled(case, d: Draws) -> None:
    """Graphs of every method and form that makes some."""
    oracle, e = case.oracle(), explain(case)
    if len(e._decision.flip.winners) > 1:
        return
    for method, form in (("product", "3A"), ("product", "3B"), ("apply", "3A"), ("apply", "3B")):
        formulas = compile_ensemble(case.model, method, form, case.ties, cells=e._decision.cells)
        made = formulas[oracle.prediction]
        diagrams = made.parts if isinstance(made, Conjunction) else [made]
        check_parts(oracle, e._decision.cells, [(diagram.graph, [False, True]) for diagram in diagrams], d)


def check_parts(oracle, cells, parts, d: Draws) -> None:
    states = oracle.origin.astype(np.int32)
    complete = closed_reason(parts, states, cells, False, Budget())
    check_formula(oracle, complete, oracle.complete_reason(), False)
    general = closed_reason(parts, states, cells, True, Budget())
    check_formula(oracle, general, oracle.general_reason(), True)

    minimal = minimal_sets(complete, d)
    for kind, expected in (("sufficient", oracle.sufficient_reasons()), ("necessary", oracle.necessary_reasons())):
        assert names_of(oracle, minimal.sets(kind)) == expected
        assert minimal.count(kind) == len(expected)
        assert len(minimal.sets(kind, limit=2)) == min(2, len(expected))
        assert names_of(oracle, minimal.sets(kind, limit=2)) <= expected
    number, shortest = robustness(complete)
    assert number == oracle.robustness()
    assert {oracle.named(s) for s in shortest} == {r for r in oracle.necessary_reasons() if len(r) == number}
    if is_small(oracle):
        check_general(oracle, general, minimal, shortest, all(graph.order for graph, _ in parts))

    with pytest.raises(InvalidInputError):
        closed_reason(
            [(graph, [not a for a in accepted]) for graph, accepted in parts[:1]], states, cells, True, Budget()
        )


def check_general(oracle, general, minimal, shortest, once: bool) -> None:
    circuit, bits = general.circuit, StateBits(general.circuit.n_states)
    numbers = {kind: [int(s[0]) for s in minimal.sets(kind)] for kind in ("sufficient", "necessary")}

    def wide(found) -> list[frozenset]:
        return [
            frozenset(
                (oracle.names[f], frozenset(s for s in range(len(oracle.states[f])) if states >> s & 1))
                for f, states in zip(*reason, strict=True)
            )
            for reason in found
        ]

    found = wide(general_necessary(circuit, general.root, bits, numbers["necessary"], Budget()))
    expected = oracle.general_necessary_reasons()
    assert set(found) == expected and len(found) == len(expected)
    found = wide(general_necessary(circuit, general.root, bits, shortest, Budget()))
    assert set(found) == {reason for reason in expected if len(reason) == oracle.robustness()}
    expected = oracle.general_sufficient_reasons()
    for decomposable in {once, False}:
        found = [
            reason
            for features in numbers["sufficient"]
            for reason in wide(general_sufficient(circuit, general.root, bits, features, decomposable, Budget()))
        ]
        assert set(found) == expected and len(found) == len(expected)


def check_contrastive(case, d: Draws) -> None:
    """The necessary reasons of the negated class formula."""
    oracle = case.oracle()
    cells = explain(case)._decision.cells
    for target in oracle.targets():
        parts = draw_parts(d, oracle, ~oracle.reached(target))
        reason = closed_reason(parts, oracle.origin.astype(np.int32), cells, False, Budget())
        assert names_of(oracle, minimal_sets(reason, d).sets("necessary")) == oracle.contrastive(target)


@pytest.mark.parametrize("batch", batches())
def test_reasons_from_graphs(batch, record_property):
    judge([check_circuit], batch, record_property, "reasons from graphs")


@pytest.mark.parametrize("batch", batches(0.2))
def test_reasons_from_compiled_models(batch, record_property):
    wanted = {"voting": "majority", "regression": False, "trees": (1, 5)}
    judge([check_compiled], batch, record_property, "reasons from compiled models", **wanted)


@pytest.mark.parametrize("batch", batches(0.3))
def test_contrastive_from_graphs(batch, record_property):
    judge([check_contrastive], batch, record_property, "contrastive reasons from graphs", regression=False)


def test_constant_decision_and_limits():
    from xylogic.domain.cells import make_cells
    from xylogic.domain.feature import Feature

    cells = [
        make_cells(Feature(f"x{i}", cuts=(0.0,)), "float64", (-math.inf, math.inf), missing=False) for i in range(14)
    ]
    always = ordered_graph(np.ones((2,) * 14, dtype=np.int64), 2, list(range(14)))
    states = np.zeros(14, np.int32)
    reason = closed_reason([(always, [False, True])], states, cells, False, Budget())
    assert str(reason) == "always" and robustness(reason) == (math.inf, [])
    minimal = MinimalSets(reason, Budget(), np.arange(14), 1, None)
    assert minimal.sets("sufficient").tolist() == [[0]] and len(minimal.sets("necessary")) == 0
    # at least 7 of 14 keep the row's state
    kept = (np.indices((2,) * 14) == 0).sum(axis=0) >= 7
    graph = ordered_graph(kept.astype(np.int64), 2, list(range(14)))
    reason = closed_reason([(graph, [False, True])], states, cells, False, Budget())
    minimal = MinimalSets(reason, Budget(), np.arange(14), 1, None)
    assert minimal.count("sufficient") == math.comb(14, 7) and minimal.count("necessary") == math.comb(14, 8)
    number, sets = robustness(reason)
    assert number == 8 and len(sets) == math.comb(14, 8)
    with pytest.raises(BudgetExceeded):
        closed_reason([(graph, [False, True])], states, cells, False, Budget(node_limit=20))
    with pytest.raises(BudgetExceeded):
        MinimalSets(reason, Budget(memory_limit=1000), np.arange(14), 1, None)
