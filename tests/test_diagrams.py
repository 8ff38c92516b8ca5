"""Compiled diagrams against brute force: every cell of thousands of random small models.

``XYLOGIC_ORACLE_CASES`` sets the number of models (default 1500). A failure prints code that makes the case again.
"""

from __future__ import annotations

import itertools
import math
import os

import numpy as np
import pytest

import xylogic as xl
from models import Draws, seeded_case
from oracle import Oracle
from xylogic.circuit.conjunction import Conjunction
from xylogic.errors import BudgetExceeded, InvalidInputError

CASES = int(os.environ.get("XYLOGIC_ORACLE_CASES", "1500"))
BATCH = 25


def judge(checks, batch: int, record_property, name: str, **wanted) -> None:
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        case = seeded_case(seed, **wanted)
        for check in checks:
            try:
                check(case, Draws(seed + 1))
            except Exception as error:
                raise AssertionError(f"{check.__name__}: {error!r}\nseed = {seed}{case}") from error
    record_property(f"judged diagrams: {name}", BATCH)


def check_graph(graph) -> None:
    """Structure, order, and that no node is redundant or twice."""
    n = graph.n_nodes
    assert graph.feature.dtype == graph.lo.dtype == graph.hi.dtype == graph.child.dtype == np.int32
    assert graph.edge_at.dtype == np.int64 and len(graph.edge_at) == n + 1 and graph.edge_at[-1] == graph.n_edges
    level = {f: position for position, f in enumerate(graph.order)}
    seen = set()
    for node in range(n):
        part = slice(int(graph.edge_at[node]), int(graph.edge_at[node + 1]))
        lo, hi, child = (a[part].tolist() for a in (graph.lo, graph.hi, graph.child))
        if node < graph.n_labels:
            assert graph.feature[node] == -1 and not lo
            continue
        feature = int(graph.feature[node])
        assert lo == [0, *(h + 1 for h in hi[:-1])] and hi[-1] == graph.n_states[feature] - 1
        assert len(set(child)) > 1 and all(a != b for a, b in itertools.pairwise(child))
        assert all(c < node for c in child)
        assert all(c < graph.n_labels or level[int(graph.feature[c])] > level[feature] for c in child)
        seen.add((feature, tuple(hi), tuple(child)))
    assert len(seen) == n - graph.n_labels
    reached = {graph.root}
    for node in range(n - 1, -1, -1):
        if node in reached:
            reached |= set(graph.child[int(graph.edge_at[node]) : int(graph.edge_at[node + 1])].tolist())
    assert set(range(graph.n_labels, n)) <= reached


def truth(oracle, case, position: int, ties: str) -> np.ndarray:
    if ties == "model":
        return oracle.predictions == position
    return oracle.top[:, position]


def options(case, d: Draws, oracle) -> dict:
    order = d.pick([None, "weight", "search", oracle.names[::-1], oracle.names[1:]])
    return {"form": d.pick(["joint", "joint", "pairs", "3A", "3B"]), "ties": case.ties, "order": order}


def check_classes(case, d: Draws) -> None:
    oracle = Oracle(case.model)
    rows = oracle.rows(range(len(oracle.cells)))
    chosen = options(case, d, oracle)
    formulas = xl.compile_model(case.model, **chosen)
    assert list(formulas) == list(case.model.classes) and len(formulas) == len(case.model.classes)
    for position, label in enumerate(case.model.classes):
        wanted = truth(oracle, case, position, case.ties)
        formula = formulas[label]
        assert formula.evaluate(rows).tolist() == wanted.tolist(), f"{label!r} {chosen}"
        assert formula.count() == wanted.sum()
        assert formula.share * len(wanted) == wanted.sum()
        for diagram in formula.parts if isinstance(formula, Conjunction) else [formula]:
            check_graph(diagram.graph)
    if formulas.joint is not None:
        check_graph(formulas.joint)
        assert formulas.predict(rows).tolist() == [case.model.classes[p] for p in oracle.predictions]


def check_band(case, d: Draws) -> None:
    oracle = Oracle(case.model)
    rows = oracle.rows(range(len(oracle.cells)))
    low, high = sorted([d.pick(oracle.predictions.tolist()), d.pick([*oracle.predictions.tolist(), 0.1, math.inf])])
    formulas = xl.compile_model(case.model, band=(low, high))
    inside = (low <= oracle.predictions) & (oracle.predictions <= high)
    assert formulas[True].evaluate(rows).tolist() == inside.tolist()
    assert formulas[False].evaluate(rows).tolist() == (~inside).tolist()
    check_graph(formulas[True].graph)


def check_queries(case, d: Draws) -> None:
    oracle = Oracle(case.model)
    rows = oracle.rows(range(len(oracle.cells)))
    formulas = xl.compile_model(case.model)
    a, b = (d.pick(list(case.model.classes)) for _ in range(2))
    first, second = formulas[a], formulas[b]
    here, there = (oracle.predictions == case.model.classes.index(c) for c in (a, b))
    made_of = [
        (~first, ~here),
        (first & second, here & there),
        (first | second, here | there),
        (~first & ~second, ~here & ~there),
    ]
    for made, wanted in made_of:
        assert made.evaluate(rows).tolist() == wanted.tolist()
        assert made.count() == wanted.sum()
        check_graph(made.graph)
        row = made.row()
        assert (row is not None) == wanted.any()
        if row is not None:
            assert made.evaluate([row]).all() and wanted[oracle.cell(row)]
        boxes = list(made.boxes())
        inside = np.array([[box.matches(row) for row in rows] for box in boxes]).reshape(len(boxes), len(rows))
        assert inside.sum(axis=0).tolist() == wanted.astype(int).tolist()
    assert (first == second) == (here == there).all()
    assert ~~first == first and hash(~~first) == hash(first)
    assert (first & second) == ~(~first | ~second)
    assert first.to_dot().startswith("digraph")
    weights = {}
    for name, states in zip(oracle.names, oracle.states, strict=True):
        if d.chance(70):
            numbers = [d.whole(0, 3) for _ in states]
            weights[name] = np.array(numbers if any(numbers) else [1] * len(states)) / max(
                1, sum(numbers) or len(states)
            )
    of_state = [
        weights.get(name, np.full(len(states), 1 / len(states)))
        for name, states in zip(oracle.names, oracle.states, strict=True)
    ]
    chance = np.prod([w[oracle.cells[:, i]] for i, w in enumerate(of_state)], axis=0)
    assert first.probability(weights) == pytest.approx(chance[here].sum(), rel=1e-12, abs=1e-300)
    check_restriction(first, here, oracle, d)


def check_restriction(diagram, wanted, oracle, d: Draws) -> None:
    box, inside = {}, np.ones(len(oracle.cells), dtype=bool)
    for i, (name, states) in enumerate(zip(oracle.names, oracle.states, strict=True)):
        if d.chance(50):
            places = sorted({d.whole(0, len(states) - 1) for _ in range(d.pick([1, 1, 2]))})
            values = [oracle.values(i, place)[0] for place in places]
            box[name] = values[0] if len(values) == 1 else set(values)
            inside &= np.isin(oracle.cells[:, i], places)
    smaller = diagram.restrict(box)
    rows = oracle.rows(np.flatnonzero(inside))
    assert smaller.evaluate(rows).tolist() == wanted[inside].tolist()
    assert not {name for name, value in box.items() if not isinstance(value, set)} & set(smaller.features)


@pytest.mark.parametrize("batch", range(max(1, CASES // BATCH)))
def test_class_formulas(batch, record_property):
    judge([check_classes], batch, record_property, "classes", regression=False)


@pytest.mark.parametrize("batch", range(max(1, CASES // BATCH // 4)))
def test_bands(batch, record_property):
    judge([check_band], batch, record_property, "bands", regression=True)


@pytest.mark.parametrize("batch", range(max(1, CASES // BATCH // 4)))
def test_queries(batch, record_property):
    judge([check_queries], batch, record_property, "queries", regression=False)


@pytest.mark.parametrize("batch", range(max(1, CASES // BATCH // 20)))
def test_many_trees(batch, record_property):
    judge([check_classes], batch, record_property, "many trees", regression=False, trees=(20, 60))


def test_save_and_load(tmp_path):
    for seed in range(30):
        case = seeded_case(seed, regression=False)
        diagram = xl.compile_model(case.model)[case.model.classes[0]]
        path = tmp_path / f"d{seed}.json{'.gz' if seed % 2 else ''}"
        diagram.save(path)
        again = xl.Diagram.load(path)
        assert again == diagram and again.cells == diagram.cells and again.to_dict() == diagram.to_dict()
    path.write_text("{}")
    with pytest.raises(InvalidInputError, match="not a saved"):
        xl.Diagram.load(path)
    with pytest.raises(InvalidInputError, match="ends in"):
        diagram.save(tmp_path / "d.txt")


@pytest.fixture(scope="module")
def forest():
    from sklearn.datasets import load_wine
    from sklearn.ensemble import RandomForestClassifier

    X, y = load_wine(return_X_y=True)
    return RandomForestClassifier(8, max_depth=4, random_state=0).fit(X, y), X


@pytest.mark.parametrize("voting", ["majority", "average"])
def test_on_a_real_forest(forest, voting):
    model, X = xl.read_model(forest[0]).with_voting(voting), forest[1]
    formulas = xl.compile_model(model, time_limit=120)
    assert formulas.predict(X).tolist() == model.predict(X).tolist()
    assert sum(formulas[label].count() for label in formulas) == math.prod(formulas.joint.n_states)
    pairs = xl.compile_model(model, form="pairs")
    for label in formulas:
        assert pairs[label] == formulas[label]
        assert pairs[label].evaluate(X).tolist() == formulas[label].evaluate(X).tolist()
    searched = xl.compile_model(model, order=formulas.cells[3].name.split("|"))
    assert searched[0] == formulas[0]


def test_limits_leave_everything_usable(forest):
    model = xl.read_model(forest[0])
    for limit in ({"node_limit": 5000}, {"memory_limit": 10**6}, {"time_limit": 0.0}):
        with pytest.raises(BudgetExceeded):
            xl.compile_model(model, **limit)
    told = []
    formulas = xl.compile_model(model.with_voting("majority"), progress=lambda *how_far: told.append(how_far))
    assert told and all(states > 0 for states, _ in told)
    assert formulas[0].count() > 0


def test_bad_input(forest):
    model = xl.read_model(forest[0])
    for wrong in ({"method": "magic"}, {"form": "3C"}, {"ties": "none"}, {"order": ["nobody"]}, {"band": (0, 1)}):
        with pytest.raises(InvalidInputError):
            xl.compile_model(model, **wrong)
    formulas = xl.compile_model(model.with_voting("majority"))
    with pytest.raises(InvalidInputError, match="no class 7"):
        formulas[7]
    with pytest.raises(KeyError):
        formulas["x"]
    diagram = formulas[0]
    with pytest.raises(InvalidInputError):
        diagram.evaluate(np.zeros((2, 3)))
    with pytest.raises(InvalidInputError):
        diagram.probability({"nobody": [1.0]})
    with pytest.raises(InvalidInputError):
        diagram.probability({diagram.cells[0].name: [1.0]})
    other = xl.compile_model(seeded_case(3, regression=False).model)
    with pytest.raises(InvalidInputError):
        diagram & next(iter(other.values()))


def chain(depth: int, names: list[str]) -> dict:
    """A tree of ``depth`` tests, each below the right side of the one before."""
    node: dict = {"class": depth % 2}
    for k in range(depth - 1, -1, -1):
        node = {"feature": names[k % len(names)], "cut": float(k), "left": {"class": k % 2}, "right": node}
    return node


def test_a_tree_of_great_depth():
    tree = xl.build_tree(chain(60_000, ["x0"]), [xl.Feature("x0")], (0, 1))
    diagram = xl.compile_model(xl.build_ensemble([tree], voting="majority"))[1]
    assert (diagram.n_nodes, diagram.n_edges) == (3, 60_001)
    assert diagram.count() == 30_000
    assert diagram.evaluate([[0.5], [1.5], [59_999.5]]).tolist() == [True, False, False]


def test_features_tested_only_far_down():
    tree = xl.build_tree(chain(1500, ["x0"] * 1499 + ["x1"]), [xl.Feature("x0"), xl.Feature("x1")], (0, 1))
    model = xl.build_ensemble([tree, tree], voting="average")
    diagram = xl.compile_model(model)[0]
    rows = [[1600.0, 1498.0], [1600.0, 1500.0], [7.5, 0.0], [1498.5, 0.0]]
    assert diagram.evaluate(rows).tolist() == [label == 0 for label in model.predict(rows)]


def test_short_of_memory_the_product_forgets(forest):
    from sklearn.ensemble import RandomForestClassifier

    X = forest[1]
    y = forest[0].predict(X)
    model = xl.read_model(RandomForestClassifier(14, max_depth=4, random_state=0).fit(X, y)).with_voting("majority")
    wide, narrow = (xl.compile_model(model, memory_limit=limit) for limit in (None, 44 * 2**20))
    assert all(wide[label] == narrow[label] for label in model.classes)
