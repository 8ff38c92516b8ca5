"""The engines against each other and the oracle: same answers, whichever one is asked."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier

import xylogic as xl
from models import Draws
from test_against_oracle import batches, explain, grown_case, judge, sets
from test_general_reasons import is_small, wides
from xylogic.budget import Budget
from xylogic.errors import BudgetExceeded, InvalidInputError
from xylogic.reason.diagrams import CircuitEnumeration, CircuitGeneral
from xylogic.reason.general import wide_box


def check_engine(case, d: Draws) -> None:
    oracle = case.oracle()
    e = explain(case, engine="diagram")
    questions = ["sufficient", "necessary", "robustness", "complete", "general", "contrastive", "features", "wide"]
    for i in range(len(questions)):
        j = d.whole(i, len(questions) - 1)
        questions[i], questions[j] = questions[j], questions[i]
    for question in questions:
        if question == "sufficient":
            assert sets(e.sufficient_reasons()) == oracle.sufficient_reasons()
            assert sets(list(e.iter_sufficient_reasons())) == oracle.sufficient_reasons()
        elif question == "necessary":
            assert sets(e.necessary_reasons()) == oracle.necessary_reasons()
            assert sets(list(e.iter_necessary_reasons())) == oracle.necessary_reasons()
        elif question == "robustness":
            assert e.robustness() == oracle.robustness() and type(e.robustness()) in (int, float)
        elif question == "complete":
            assert (e.complete_reason().evaluate(oracle_rows(oracle)) == oracle.complete_reason()).all()
        elif question == "general":
            assert (e.general_reason().evaluate(oracle_rows(oracle)) == oracle.general_reason()).all()
        elif question == "contrastive" and case.classes is not None:
            for target, reasons in e.contrastive().items():
                assert sets(reasons) == oracle.contrastive(target)
        elif question == "features":
            assert set(e.relevant_features()) == oracle.relevant_features()
            assert set(e.necessary_features()) == oracle.necessary_features()
        elif question == "wide" and is_small(oracle):
            assert wides(oracle, e.general_sufficient_reasons()) == oracle.general_sufficient_reasons()
            expected = oracle.general_necessary_reasons()
            assert wides(oracle, e.general_necessary_reasons()) == expected
            shortest = {reason for reason in expected if len(reason) == oracle.robustness()}
            assert wides(oracle, e.general_necessary_reasons(shortest=True)) == shortest
    assert all(status.status == "exact" for status in e.status.values())


def oracle_rows(oracle) -> list[dict]:
    return oracle.rows(range(len(oracle.cells)))


def check_search_formulas(case, d: Draws) -> None:
    oracle, e = case.oracle(), explain(case, engine="search")
    assert (e.complete_reason().evaluate(oracle_rows(oracle)) == oracle.complete_reason()).all()
    if is_small(oracle):
        assert (e.general_reason().evaluate(oracle_rows(oracle)) == oracle.general_reason()).all()


def check_diagram_limits(case, d: Draws) -> None:
    oracle = case.oracle()
    truth = {"sufficient": oracle.sufficient_reasons(), "necessary": oracle.necessary_reasons()}
    for limit in (0, 1, 2, 1000):
        e = explain(case, engine="diagram")
        for kind, ask in (("sufficient", e.sufficient_reasons), ("necessary", e.necessary_reasons)):
            reasons = ask(limit=limit)
            assert sets(reasons) <= truth[kind] and len(reasons) == min(limit, len(truth[kind]))
            if limit != len(truth[kind]):
                assert reasons.status == ("partial" if limit < len(truth[kind]) else "exact")
    e = explain(case, engine="diagram", node_limit=d.pick([0, 1, 3, 10, 100]))
    for kind, ask in (("sufficient", e.sufficient_reasons), ("necessary", e.necessary_reasons)):
        reasons = ask()
        assert sets(reasons) == truth[kind] if reasons.status == "exact" else sets(reasons) <= truth[kind]
    for ask, cells in ((e.complete_reason, oracle.complete_reason), (e.general_reason, oracle.general_reason)):
        try:
            assert (ask().evaluate(oracle_rows(oracle)) == cells()).all()
        except BudgetExceeded as error:
            assert isinstance(error.bounds, dict)
    try:
        assert e.robustness() == oracle.robustness()
    except BudgetExceeded as error:
        assert error.bounds["lower"] == 1
    assert oracle.is_sufficient_set(e.sufficient_reason().features)


@pytest.mark.parametrize("batch", batches())
def test_diagram_engine(batch, record_property):
    judge([check_engine], batch, record_property, "diagram engine")


@pytest.mark.parametrize("batch", batches(0.3))
def test_formulas_by_search(batch, record_property):
    judge([check_search_formulas], batch, record_property, "complete and general reasons by search")


@pytest.mark.parametrize("batch", batches(0.2))
def test_limits_of_the_diagram_engine(batch, record_property):
    judge([check_diagram_limits], batch, record_property, "limits of the diagram engine")


@pytest.mark.parametrize("seed", range(9))
@pytest.mark.parametrize(("values", "n_features"), [(8, 2), (5, 3), (4, 4)])
def test_many_states(values, n_features, seed):
    check_engine(grown_case(values, n_features, seed), Draws(seed))


@pytest.mark.parametrize("voting", ["average", "majority"])
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_engines_on_real_forests(load, voting):
    """Both engines, and both ways to the general reasons, on forests of scikit-learn."""
    X, y = load(return_X_y=True)
    forest = RandomForestClassifier(6, max_depth=3, random_state=0).fit(X, y)
    model = xl.read_model(forest)
    model = model.with_voting("majority") if voting == "majority" else model
    by_search, by_circuits = (xl.Explainer(model, engine=engine) for engine in ("search", "diagram"))
    for x in X[::30]:
        a, b = by_search.explain(x), by_circuits.explain(x)
        assert a.sufficient_reasons() == b.sufficient_reasons()
        assert a.necessary_reasons() == b.necessary_reasons()
        assert a.contrastive() == b.contrastive()
        assert a.robustness() == b.robustness()
        assert a.general_sufficient_reasons() == b.general_sufficient_reasons()
        assert a.general_necessary_reasons() == b.general_necessary_reasons()
        shortest = a.general_necessary_reasons(shortest=True)
        assert shortest == b.general_necessary_reasons(shortest=True)
        assert all(reason.size == a.robustness() for reason in shortest)
        circuits = CircuitEnumeration(b._decision, b._decision.flip, b._voice.route.diagrams)
        for kind, found in (
            ("sufficient", a.general_sufficient_reasons()),
            ("necessary", a.general_necessary_reasons()),
        ):
            work = CircuitGeneral(b._decision, kind, circuits)
            work.run_until(None, Budget())
            assert {str(wide_box(b._decision, kind, wide)) for wide in work.found} == {str(reason) for reason in found}


def test_auto_answers_alike_before_and_after_it_compiles():
    case = grown_case(4, 4, 1)
    X = np.random.default_rng(0).choice(np.arange(4) / 10, size=(40, 4))
    options = {**case.explainer_options(), "features": None}
    auto, search = xl.Explainer(case.model, **options), xl.Explainer(case.model, **options, engine="search")
    what = ["sufficient_reasons", "necessary_reasons", "robustness", "general_sufficient_reasons"]
    expected = search.explain_many(X, what)
    assert auto.explain_many(X, what) == expected
    (voice,) = auto._voices.values()
    assert not voice.route._compiled
    voice.route._seconds["search"] = 100.0  # as if rows had been slow
    assert auto.explain_many(X, what) == expected
    assert voice.route._compiled and voice.route._rows["diagram"] > 3


def test_auto_does_not_compile_what_search_answers_at_once():
    case = grown_case(4, 4, 1)
    explainer = xl.Explainer(case.model)
    e = explainer.explain(case.row)
    e.sufficient_reasons()
    (voice,) = explainer._voices.values()
    assert not voice.route._compiled


def test_general_reasons_pickle():
    e = explain(grown_case(4, 4, 1))
    for reasons in (e.general_sufficient_reasons(), e.general_necessary_reasons()):
        assert pickle.loads(pickle.dumps(reasons)) == reasons and len(reasons)


def test_engines_are_named():
    case = grown_case(4, 4, 1)
    with pytest.raises(InvalidInputError, match="auto, search, diagram"):
        xl.Explainer(case.model, engine="sat")
