"""Every question of an explainer against the oracle, on thousands of random small models.

``XYLOGIC_ORACLE_CASES`` sets the number of models (default 1500). A failure prints code that makes the case again.
"""

from __future__ import annotations

import itertools
import math
import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier

import xylogic as xl
from models import Case, Draws, HypothesisDraws, draw_case, draw_options, draw_row, draw_value, seeded_case
from oracle import Oracle, is_missing
from xylogic.errors import BudgetExceeded, XylogicError

CASES = int(os.environ.get("XYLOGIC_ORACLE_CASES", "1500"))
BATCH = 25


def batches(share: float = 1.0) -> range:
    return range(max(1, round(CASES * share / BATCH)))


def judge(checks, batch: int, record_property, name: str, **wanted) -> None:
    """Run the checks on the seeds of one batch; a failure shows its case."""
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        case = seeded_case(seed, **wanted)
        for check in checks:
            try:
                check(case, Draws(seed + 1))
            except Exception as error:
                raise AssertionError(f"{check.__name__}: {error}\nseed = {seed}{case}") from error
    record_property(f"judged models: {name}", BATCH)


def explain(case, **changes):
    return xl.Explainer(case.model, **{**case.explainer_options(), **changes}).explain(case.row)


def sets(reasons) -> set[frozenset[str]]:
    """The features of each reason, after a look at the shape of the answer."""
    found = [frozenset(reason.features) for reason in reasons]
    assert len(set(found)) == len(found) == len(reasons)
    return set(found)


def same(a, b) -> bool:
    """Equal in value and type, NaN included."""
    return type(a) is type(b) and (a == b or (is_missing(a) and is_missing(b)))


def places(oracle, position: int, allowed) -> set[int]:
    """The states that a set of values holds, found by asking it for raw values; all values of a state must agree."""
    found = set()
    for place in range(len(oracle.states[position])):
        answers = {value in allowed for value in oracle.values(position, place)}
        assert len(answers) == 1, f"{allowed} divides a state of {oracle.names[position]}"
        found |= {place} if answers == {True} else set()
    assert found <= {place for place, state in enumerate(oracle.states[position]) if state.number in allowed.states}
    return found


def check_reason(oracle, reason, d: Draws, every: bool) -> None:
    """A term or clause stands for the row's own states, of the features it names."""
    positions = [oracle.names.index(name) for name in reason.features]
    assert positions == sorted(positions) and reason.size == len(positions) == len(reason)
    assert set(reason) == set(reason.features)
    for position, name in zip(positions, reason.features, strict=True):
        assert places(oracle, position, reason[name]) == {int(oracle.origin[position])}
    for row in [oracle.row, *oracle.rows([d.whole(0, len(oracle.cells) - 1) for _ in range(3)])]:
        kept = [
            oracle.place(position, row[oracle.names[position]]) == oracle.origin[position] for position in positions
        ]
        assert reason.matches(row) == (all(kept) if every else any(kept))
    assert all(name in str(reason) for name in reason.features)


def check_order(oracle, reasons) -> None:
    keys = [(reason.size, [oracle.names.index(name) for name in reason.features]) for reason in reasons]
    assert keys == sorted(keys)


def check_row(oracle, row) -> None:
    """A returned row: complete, unchanged values bit for bit as given, values of the feature's own kind."""
    assert list(row) == oracle.names
    cell = oracle.cells[oracle.cell(row)]
    for i, (name, feature) in enumerate(zip(oracle.names, oracle.features, strict=True)):
        if cell[i] == oracle.origin[i]:
            assert same(row[name], oracle.row[name]), f"{name} was {oracle.row[name]!r} and is {row[name]!r}"
        elif not is_missing(row[name]) and feature.kind != "categorical":
            assert type(row[name]) is {"numeric": float, "integer": int, "boolean": bool}[feature.kind]


def check_model(case, d: Draws) -> None:
    oracle = case.oracle()
    rows = oracle.rows(range(len(oracle.cells)))
    assert case.model.predict(rows).tolist() == [oracle.label(position) for position in oracle.predictions]
    e = explain(case)
    assert e.prediction == oracle.prediction
    if case.classes is not None and oracle.scores.shape[1] > 1:
        own = case.classes.index(oracle.prediction)
        scores = oracle.scores[oracle.at].tolist()
        assert [e.scores[label] for label in case.classes] == scores
        assert e.margin == scores[own] - max(score for i, score in enumerate(scores) if i != own)


def check_reasons(case, d: Draws) -> None:
    oracle, e = case.oracle(), explain(case)
    questions = ["all", "one", "minimum", "necessary", "robustness", "features"]
    for i in range(len(questions)):  # answers must not depend on what was asked before
        j = d.whole(i, len(questions) - 1)
        questions[i], questions[j] = questions[j], questions[i]
    for question in questions:
        if question == "all":
            reasons = e.sufficient_reasons()
            assert sets(reasons) == oracle.sufficient_reasons()
            assert reasons.status == "exact"
            check_order(oracle, reasons)
            for reason in reasons:
                check_reason(oracle, reason, d, every=True)
            assert sets(list(e.iter_sufficient_reasons())) == oracle.sufficient_reasons()
        elif question == "one":
            reason = e.sufficient_reason()
            assert frozenset(reason.features) in oracle.sufficient_reasons()
            check_reason(oracle, reason, d, every=True)
        elif question == "minimum":
            reason = e.sufficient_reason(minimum=True)
            assert frozenset(reason.features) in oracle.sufficient_reasons()
            assert reason.size == oracle.smallest()
        elif question == "necessary":
            reasons = e.necessary_reasons()
            assert sets(reasons) == oracle.necessary_reasons()
            assert reasons.status == "exact"
            check_order(oracle, reasons)
            for reason in reasons:
                check_reason(oracle, reason, d, every=False)
            assert sets(list(e.iter_necessary_reasons())) == oracle.necessary_reasons()
        elif question == "robustness":
            robustness = e.robustness()
            assert robustness == oracle.robustness() and type(robustness) in (int, float)
        else:
            assert set(e.relevant_features()) == oracle.relevant_features()
            assert set(e.necessary_features()) == oracle.necessary_features()
    assert all(status.status == "exact" and status.seconds >= 0 for status in e.status.values())


def check_contrastive(case, d: Draws) -> None:
    oracle, e = case.oracle(), explain(case)
    if case.classes is None:
        with pytest.raises(XylogicError):
            e.contrastive()
        return
    together = e.contrastive()
    assert list(together) == oracle.targets()
    for target in oracle.targets():
        assert sets(e.contrastive(target)) == sets(together[target]) == oracle.contrastive(target)
        check_order(oracle, together[target])
    for target in case.classes:
        if target not in oracle.targets():
            with pytest.raises(ValueError):
                e.contrastive(target)
    with pytest.raises(ValueError):
        e.contrastive("no such class")


def cells_of(oracle, box) -> list[int]:
    """The cells of one box of flips: it lists the features that change, the others stay as they are."""
    allowed = []
    for i, name in enumerate(oracle.names):
        allowed.append(sorted(places(oracle, i, box[name])) if name in box else [int(oracle.origin[i])])
    numbers = {tuple(cell): number for number, cell in enumerate(oracle.cells.tolist())}
    return [numbers[cell] for cell in itertools.product(*allowed)]


def check_flips(case, d: Draws) -> None:
    oracle, e = case.oracle(), explain(case)
    flips, expected = e.shortest_flips(), oracle.shortest_flips()
    boxes = list(flips)
    cells = [cell for box in boxes for cell in cells_of(oracle, box)]
    assert len(set(cells)) == len(cells), "boxes meet"
    assert set(cells) == expected
    assert flips.n_flips == len(expected)
    for box in boxes:
        assert len(box) == oracle.robustness()
    for n in {1, 3, flips.n_flips + 2}:
        rows = list(flips.rows(n))
        assert len(rows) == min(n, len(expected))
        assert len({oracle.cell(row) for row in rows}) == len(rows)
        for row in rows:
            check_row(oracle, row)
            assert oracle.cell(row) in expected
        if rows and case.classes is not None:
            assert oracle.prediction not in case.model.predict(rows).tolist()


def check_counterfactual(case, d: Draws) -> None:
    oracle = case.oracle()
    e = explain(case, features=oracle.features) if d.chance(30) else explain(case)
    for target in [None, *oracle.targets()]:
        row = e.counterfactual(target) if target is not None else e.counterfactual()
        cost, allowance = oracle.nearest(target)
        if row is None or cost == math.inf:
            assert row is None and cost == math.inf, f"{target!r}: {row}, where the least cost is {cost}"
            continue
        check_row(oracle, row)
        assert oracle.reached(target)[oracle.cell(row)], f"{target!r} is not reached by {row}"
        assert math.isclose(oracle.cost_of(row), cost, rel_tol=1e-9, abs_tol=allowance + 1e-12), (
            f"{target!r}: {row} costs {oracle.cost_of(row)}, the nearest {cost}"
        )
        if target is not None and case.ties == "model":
            assert case.model.predict([row]).tolist() == [target]


def draw_partial(d: Draws, oracle: Oracle, nan: bool) -> dict:
    """A row with values left out, missing, in a set or in a closed interval."""
    partial: dict = {}
    for i, (name, feature) in enumerate(zip(oracle.names, oracle.features, strict=True)):
        way = d.pick(["omitted", "omitted", "value", "value", "set", "interval"])
        if way == "value":
            partial[name] = draw_value(d, oracle, i, nan)
        elif way == "set":
            partial[name] = {draw_value(d, oracle, i, nan) for _ in range(d.whole(1, 3))}
        elif way == "interval" and feature.kind in ("numeric", "integer"):
            ends = sorted([draw_value(d, oracle, i, False), draw_value(d, oracle, i, False)])
            partial[name] = d.pick([tuple(ends), tuple(ends), (ends[0], math.inf), (-math.inf, ends[1])])
    return partial


def check_partial(case, d: Draws) -> None:
    plain = case.oracle(row=None)
    explainer = xl.Explainer(case.model, **case.explainer_options())
    for _ in range(4):
        partial = draw_partial(d, plain, case.routes)
        members = {name: value if isinstance(value, set) else {value} for name, value in partial.items()}
        given = {name for name, values in members.items() if any(is_missing(value) for value in values)}
        oracle = Oracle(case.model, features=case.options, missing=case.missing, known_missing=given)
        expected = oracle.possible_classes(partial)
        possible = explainer.possible_classes(partial)
        assert set(possible) == expected, partial
        assert [label for label in case.classes if label in possible] == list(possible)
        for label, row in possible.items():
            assert list(row) == oracle.names
            assert oracle.label(oracle.predictions[oracle.cell(row)]) == label
            assert case.model.predict([row]).tolist() == [label]
            for name, value in partial.items():
                if isinstance(value, tuple):
                    assert value[0] <= row[name] <= value[1]
                else:
                    assert any(same(row[name], member) for member in members[name]), (
                        f"{name}: {row[name]!r} for {value!r}"
                    )
        assert explainer.is_sufficient(partial) == oracle.forced(partial), partial


def check_limits(case, d: Draws) -> None:
    """Whatever is answered within a limit is true, and says whether it is all."""
    oracle = case.oracle()
    truth = {"sufficient": oracle.sufficient_reasons(), "necessary": oracle.necessary_reasons()}
    for limit in (1, 2, 1000):
        e = explain(case)
        for kind, reasons in (
            ("sufficient", e.sufficient_reasons(limit=limit)),
            ("necessary", e.necessary_reasons(limit=limit)),
        ):
            assert sets(reasons) <= truth[kind] and len(reasons) == min(limit, len(truth[kind]))
            check_order(oracle, reasons)
            if limit != len(truth[kind]):
                assert reasons.status == ("partial" if limit < len(truth[kind]) else "exact")
    e = explain(case, node_limit=d.pick([0, 1, 3, 10, 100]))
    for kind, ask in (("sufficient", e.sufficient_reasons), ("necessary", e.necessary_reasons)):
        reasons = ask()
        assert sets(reasons) == truth[kind] if reasons.status == "exact" else sets(reasons) <= truth[kind]
    assert oracle.is_sufficient_set(e.sufficient_reason().features)
    flips = e.shortest_flips()
    cells = {cell for box in flips for cell in cells_of(oracle, box)}
    assert cells == oracle.shortest_flips() if flips.status == "exact" else cells <= oracle.shortest_flips()
    try:
        row = e.counterfactual()
        if row is None:
            assert oracle.nearest()[0] == math.inf
        else:
            assert oracle.flip[oracle.cell(row)] and oracle.cost_of(row) >= 0
    except BudgetExceeded:
        pass
    exact = [
        (e.robustness, oracle.robustness()),
        (lambda: e.sufficient_reason(minimum=True).size, oracle.smallest()),
        (lambda: set(e.necessary_features()), oracle.necessary_features()),
    ]
    for ask, expected in exact:
        try:
            assert ask() == expected
        except BudgetExceeded as error:
            assert isinstance(error.bounds, dict)


def check_order_of_trees(case, d: Draws) -> None:
    """Votes are counted, so neither the order of the trees nor doubling all of them changes an answer."""
    order = list(range(len(case.nodes)))
    for i in order:
        j = d.whole(i, len(order) - 1)
        order[i], order[j] = order[j], order[i]
    answers = [everything(case)]
    for changed in (order, order + order[::-1]):
        case.model = case.build(changed)
        answers.append(everything(case))
    assert answers[0] == answers[1] == answers[2]


def everything(case) -> list:
    """All answers about a row, as text."""
    e = explain(case)
    asked = [e.sufficient_reasons(), e.necessary_reasons(), *e.contrastive().values()]
    answers = [[str(reason) for reason in reasons] for reasons in asked]
    nearest = e.counterfactual()
    return [answers, e.robustness(), e.shortest_flips().n_flips, nearest and case.oracle().cost_of(nearest)]


QUESTIONS = (check_model, check_reasons, check_contrastive, check_flips)


@pytest.mark.parametrize("batch", batches())
def test_questions(batch, record_property):
    """Prediction, sufficient, necessary and contrastive reasons, robustness, features, shortest flips."""
    judge(QUESTIONS, batch, record_property, "all questions but the next two")


@pytest.mark.parametrize("batch", batches())
def test_counterfactuals(batch, record_property):
    judge([check_counterfactual], batch, record_property, "counterfactuals", options=True)


@pytest.mark.parametrize("batch", batches())
def test_partial_rows(batch, record_property):
    judge([check_partial], batch, record_property, "partial rows", regression=False)


@pytest.mark.parametrize("batch", batches(0.1))
def test_many_trees(batch, record_property):
    """Long sums, whose rounding errors make and break ties."""
    judge([*QUESTIONS, check_counterfactual], batch, record_property, "many trees", options=True, trees=(20, 100))


@pytest.mark.parametrize("batch", batches(0.2))
def test_limits(batch, record_property):
    judge([check_limits], batch, record_property, "limits", options=True)


@pytest.mark.parametrize("batch", batches(0.2))
def test_order_of_trees(batch, record_property):
    judge([check_order_of_trees], batch, record_property, "order of trees", voting="majority", regression=False)


def grown_case(values: int, n_features: int, seed: int) -> Case:
    """A scikit-learn forest grown to the end on noisy labels of a whole grid: up to hundreds of leaves a tree."""
    rng = np.random.default_rng(seed)
    X = np.array(list(itertools.product(np.arange(values) / 10, repeat=n_features)))
    score = X @ rng.normal(size=n_features) + rng.choice([0.03, 0.1, 1.0]) * rng.normal(size=len(X))
    y = np.array(["a", "b", "c"])[np.digitize(score, np.quantile(score, [0.3, 0.7] if seed % 2 else [0.6]))]
    source = RandomForestClassifier(1 + seed % 6, max_features=1, bootstrap=False, random_state=seed).fit(X, y)
    model = xl.read_model(source)
    model = model if seed % 4 else model.with_voting("majority")
    case = Case(list(model.features), [], {}, model.classes, model.cast, model=model)
    case.row = {f"x{i}": float(value) for i, value in enumerate(X[rng.integers(len(X))])}
    case.ties = ("model", "winners", "merged")[seed % 3]
    case.options = draw_options(Draws(seed), Oracle(model), changes=True)
    return case


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize(("values", "n_features"), [(12, 2), (8, 3), (5, 4), (3, 5)])
def test_trees_with_hundreds_of_leaves(values, n_features, seed, record_property):
    """Masks of leaves and of states that take several words."""
    case = grown_case(values, n_features, seed)
    for check in (*QUESTIONS, check_counterfactual, check_partial, check_limits):
        check(case, Draws(seed))
    record_property("judged models: large trees", 1)


@pytest.mark.parametrize("cut", [2.0**24 - 1, 2.0**24, 2.0**24 + 2, -(2.0**24) - 4])
@pytest.mark.parametrize("cast", ["float32", "float64"])
def test_large_integers_survive_the_cast(cut, cast):
    """Beyond 2**24 single precision does not hold every integer."""
    leaves = {"left": {"class": "no"}, "right": {"class": "yes"}}
    features = [xl.Feature("n", "integer")]
    model = xl.build_tree({"feature": "n", "cut": cut, **leaves}, features, ("no", "yes"), cast=cast)
    for row in ({"n": 5}, {"n": int(cut)}, {"n": int(cut) + 8}, {"n": -(10**9)}):
        oracle, e = Oracle(model, row), xl.Explainer(model).explain(row)
        assert e.prediction == oracle.prediction
        found = e.counterfactual()
        assert model.predict([found]).tolist() != [e.prediction] and type(found["n"]) is int
        assert oracle.cost_of(found) == oracle.nearest()[0]
        (flip,) = e.shortest_flips().rows(1)
        assert model.predict([flip]).tolist() != [e.prediction]


@pytest.mark.parametrize("seed", range(60))
def test_many_unused_features_change_nothing(seed):
    """The same model among 617 columns, its own ones scattered: sets of features take several words."""
    case, d = seeded_case(seed, options=True), Draws(seed)
    oracle = case.oracle()
    places = sorted({0, 616, *(d.pick([62, 63, 64, 65, 127, 128, 300, 511]) for _ in oracle.names)})
    features = [xl.Feature(f"unused {i}") for i in range(617)]
    for place, feature in zip(places, case.features, strict=False):
        features[place] = feature
    features += case.features[len(places) :]
    case.features, small = features, case.row
    case.model = case.build()
    case.row = {feature.name: small.get(feature.name, 0.25) for feature in features}
    e = explain(case)
    assert e.prediction == oracle.prediction
    assert sets(e.sufficient_reasons()) == oracle.sufficient_reasons()
    assert sets(e.necessary_reasons()) == oracle.necessary_reasons()
    assert e.sufficient_reason(minimum=True).size == oracle.smallest()
    assert e.robustness() == oracle.robustness()
    assert e.shortest_flips().n_flips == len(oracle.shortest_flips())
    assert set(e.relevant_features()) == oracle.relevant_features()
    assert set(e.necessary_features()) == oracle.necessary_features()
    found, (cost, allowance) = e.counterfactual(), oracle.nearest()
    assert (found is None) == (cost == math.inf)
    if found is not None:
        assert list(found) == [feature.name for feature in features]
        near = {name: found[name] for name in oracle.names}
        assert oracle.flip[oracle.cell(near)]
        assert math.isclose(oracle.cost_of(near), cost, rel_tol=1e-9, abs_tol=allowance + 1e-12)


CHECKS = {
    "predictions": (check_model, {}),
    "reasons": (check_reasons, {}),
    "contrastive": (check_contrastive, {}),
    "flips": (check_flips, {}),
    "counterfactuals": (check_counterfactual, {"options": True}),
    "partial rows": (check_partial, {"regression": False}),
    "limits": (check_limits, {}),
}


@pytest.mark.parametrize("name", CHECKS)
def test_shrinking_search(name):
    """The same through hypothesis, which shrinks what it finds to a small model."""
    check, wanted = CHECKS[name]

    @settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def search(data):
        d = HypothesisDraws(data.draw)
        case = draw_case(d, **wanted)
        try:
            check(case, d)
        except Exception as error:
            raise AssertionError(f"{error}{case}") from error

    search()


@pytest.mark.parametrize("seed", range(40))
def test_rows_do_not_leave_traces(seed):
    """One explainer, several rows: each answer as if it had been asked alone."""
    case = seeded_case(seed, regression=False)
    d, plain = Draws(seed), Oracle(case.model)
    explainer = xl.Explainer(case.model, **case.explainer_options())
    rows = [case.row] + [draw_row(d, plain, case.routes) for _ in range(4)]
    asked = [explainer.explain(row) for row in rows]
    for row, e in zip(rows, asked, strict=True):
        oracle = case.oracle(row=row)
        assert e.prediction == oracle.prediction
        assert sets(e.sufficient_reasons()) == oracle.sufficient_reasons()
        assert sets(e.necessary_reasons()) == oracle.necessary_reasons()
