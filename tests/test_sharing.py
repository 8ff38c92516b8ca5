"""One explanation, one explainer, many threads and processes."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import joblib
import pytest
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier

import xylogic as xl

QUESTIONS = [
    "sufficient_reason",
    "sufficient_reasons",
    "necessary_reasons",
    "robustness",
    "shortest_flips",
    "contrastive",
]


@pytest.fixture(scope="module")
def forest():
    X, y = load_wine(return_X_y=True)
    return RandomForestClassifier(12, max_depth=3, random_state=0).fit(X, y), X


def ask(e, question):
    limited = question.endswith("_reasons")
    return str(list(getattr(e, question)(limit=50))) if limited else str(getattr(e, question)())


def test_one_explanation_asked_by_many_threads(forest):
    model, X = forest
    explainer = xl.Explainer(model)
    for row in X[:4]:
        alone, shared = explainer.explain(row), explainer.explain(row)
        expected = {q: ask(alone, q) for q in QUESTIONS if not q.endswith("_reasons")}
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda q, e=shared: (q, ask(e, q)), QUESTIONS * 4))
        for question, answer in answers:
            assert answer == expected.get(question, answer)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_explain_many_through_joblib_backends(forest, backend):
    model, X = forest
    explainer = xl.Explainer(model)
    what = ("prediction", "sufficient_reason", "robustness", "shortest_flips", "contrastive")
    alone = explainer.explain_many(X[:6], what, n_jobs=1)
    with joblib.parallel_backend(backend, n_jobs=2):
        spread = explainer.explain_many(X[:6], what)
    assert str(spread) == str(alone)


def test_answers_can_be_pickled(forest):
    model, X = forest
    e = xl.Explainer(model).explain(X[0])
    reasons, flips = e.necessary_reasons(limit=20), e.shortest_flips()
    again = pickle.loads(pickle.dumps([e.sufficient_reason(), reasons, flips]))
    assert again[0] == e.sufficient_reason() and list(again[1]) == list(reasons) and list(again[2]) == list(flips)
    with pytest.raises(xl.InvalidInputError, match="pickled"):
        again[2].rows(1)


def test_mixed_robustness_makes_one_column():
    import polars as pl

    tree = {"feature": "x", "cut": 1.0, "left": {"class": "a"}, "right": {"class": "b"}}
    constant = xl.build_tree({"class": "a"}, [xl.Feature("x")], ("a", "b"))
    frame = pl.DataFrame({"x": [0.0, 2.0]})
    model = xl.build_tree(tree, [xl.Feature("x")], ("a", "b"))
    assert xl.Explainer(model).explain_many(frame, ("robustness",))["robustness"].to_list() == [1, 1]
    assert xl.Explainer(constant).explain_many(frame, ("robustness",))["robustness"].to_list() == [float("inf")] * 2


def test_explain_many_of_an_empty_frame_keeps_its_columns():
    import pandas as pd

    model = xl.build_tree({"feature": "age", "cut": 55, "left": {"class": "no"}, "right": {"class": "yes"}}, ["age"])
    frame = pd.DataFrame({"age": [50.0]})
    full, empty = (xl.Explainer(model).explain_many(part, ("prediction",)) for part in (frame, frame[:0]))
    assert list(full.columns) == list(empty.columns) == ["prediction", "status"]


def test_bands_of_many_rows_keep_few_tables():
    from sklearn.datasets import load_diabetes
    from sklearn.ensemble import RandomForestRegressor

    X, y = load_diabetes(return_X_y=True)
    explainer = xl.Explainer(RandomForestRegressor(5, max_depth=3, random_state=0).fit(X, y), band=5.0)
    reasons = [explainer.explain(row).sufficient_reason() for row in X]
    (voice,) = explainer._voices.values()
    assert len(voice.engine._games) <= 256
    assert explainer.explain(X[0]).sufficient_reason() == reasons[0]
