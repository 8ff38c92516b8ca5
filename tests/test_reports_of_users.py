"""What people who tried circuits ran into, each with the right behaviour."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier

import xylogic as xl

X, y = load_iris(return_X_y=True, as_frame=True)
NAMES = load_iris().target_names[y]


@pytest.fixture(scope="module")
def forest():
    return RandomForestClassifier(5, random_state=0, max_depth=3).fit(X, NAMES)


@pytest.fixture(scope="module")
def formulas(forest):
    return xl.compile_model(forest)


@pytest.mark.parametrize("as_formula", [False, True])
def test_counts_after_a_restriction_are_of_rows_inside(forest, as_formula):
    model = xl.read_model(forest).with_voting("majority")
    wanted = xl.compile_model(model)["versicolor"]
    whole = xl.compile_model(model, "sortnet")["versicolor"] if as_formula else wanted
    inside = whole.restrict({"petal width (cm)": (0.85, 1.6)})
    boxes = list(inside.boxes())
    assert inside.count() == sum(
        np.prod([len(s.states) for s in box.values()], dtype=int) * _others(wanted, box) for box in boxes
    )
    rows = inside.row()
    assert 0.75 < rows["petal width (cm)"] <= 1.75
    assert whole.evaluate([rows]).all()
    within = X[(X["petal width (cm)"] >= 0.85) & (X["petal width (cm)"] <= 1.6)]
    assert (inside.evaluate(within) == whole.evaluate(within)).all()
    outside = X[X["petal width (cm)"] > 2.2]
    assert not inside.evaluate(outside).any()
    assert inside.count() < whole.count()


def _others(diagram, box) -> int:
    return int(np.prod([c.n_states for c in diagram.cells if c.name not in box], dtype=int))


def test_a_clause_is_no_restriction(forest, formulas):
    clause = xl.Explainer(forest).explain(X.iloc[60]).necessary_reasons()[0]
    with pytest.raises(xl.InvalidInputError, match="clause"):
        formulas["versicolor"].restrict(clause)


def test_a_formula_equals_the_diagram_of_its_function(forest):
    model = xl.read_model(forest).with_voting("majority")
    formula, diagram = (xl.compile_model(model, method)["setosa"] for method in ("sortnet", "product"))
    assert formula == diagram
    assert diagram == formula
    assert formula != ~diagram


def test_a_file_whose_edges_leave_out_states_is_refused(formulas, tmp_path):
    record = formulas["setosa"].to_dict()
    record["hi"][0] = 0
    (tmp_path / "broken.json").write_text(json.dumps(record))
    with pytest.raises(xl.InvalidInputError, match=r"leave out states|overlap"):
        xl.Diagram.load(tmp_path / "broken.json")


def test_models_of_one_class():
    one = DecisionTreeClassifier().fit(X, ["a"] * len(X))
    assert xl.compile_model(one)["a"].evaluate(X).all()
    for engine in ("auto", "search", "diagram"):
        e = xl.Explainer(one, engine=engine).explain(X.iloc[0])
        assert e.general_reason().evaluate(X).all()
        assert len(e.general_sufficient_reasons()) == 1
        assert len(e.general_necessary_reasons()) == 0


def test_bands_without_ends():
    data, target = load_diabetes(return_X_y=True)
    regressor = RandomForestRegressor(3, max_depth=2, random_state=0).fit(data, target)
    assert xl.compile_model(regressor, band=(-np.inf, np.inf))[True].evaluate(data).all()
    for band in (10, ("a", "b"), (np.inf, np.inf), (2, 1)):
        with pytest.raises(xl.InvalidInputError, match="band"):
            xl.compile_model(regressor, band=band)


def test_missing_values_where_they_are_asked_for():
    holes = X.copy()
    holes.iloc[::4, 2] = np.nan
    model = DecisionTreeClassifier(random_state=0).fit(holes, NAMES)
    formulas = xl.compile_model(model, missing=[X.columns[2]])
    assert (formulas.predict(holes) == model.predict(holes)).all()
    with pytest.raises(xl.InvalidInputError, match="missing names 'depth'; accepted"):
        xl.compile_model(model, missing=["depth"])


def test_orders_as_sequences_of_names(forest, formulas):
    for order in (X.columns, X.columns.to_numpy(), tuple(X.columns)):
        assert xl.compile_model(forest, order=order)["setosa"] == formulas["setosa"]
    for order in (3, [["a"]]):
        with pytest.raises(xl.InvalidInputError, match="order"):
            xl.compile_model(forest, order=order)


def test_text_of_reasons_and_general_questions_in_tables(forest):
    explainer = xl.Explainer(forest)
    what = ("general_sufficient_reasons", "shortest_general_necessary_reasons", "complete_reason", "general_reason")
    table = explainer.explain_many(X[:3], what)
    assert isinstance(table, pd.DataFrame)
    reasons = explainer.explain(X.iloc[0]).general_sufficient_reasons()
    assert table["general_sufficient_reasons"][0] == str(reasons)
    assert str(reasons[0]) in str(reasons)


def test_a_sufficient_reason_without_any_time(forest):
    e = xl.Explainer(forest, time_limit=0).explain(X.iloc[0])
    assert e.sufficient_reason().matches(dict(X.iloc[0]))
    assert e.status["sufficient_reason"].status == "partial"
    assert "sufficient reason" in str(e)


def test_pairs_join_with_diagrams_from_either_side(forest, formulas):
    pairs = xl.compile_model(forest, form="pairs")["setosa"]
    assert (formulas["setosa"] & pairs).joined() == formulas["setosa"]
    assert (formulas["setosa"] | pairs) == formulas["setosa"]
    assert pairs.restrict({X.columns[3]: (0.0, 0.5)}).evaluate(X[:3]).all()
