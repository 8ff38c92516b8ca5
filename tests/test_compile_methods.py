"""``compile_model``: every method, form and tie rule gives the model's own decisions on every cell."""

import itertools
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import xylogic as xl


@pytest.fixture(scope="module")
def forest():
    X, y = load_iris(return_X_y=True)
    return RandomForestClassifier(8, max_depth=2, random_state=0).fit(X, y)


@pytest.fixture(scope="module")
def cells(forest):
    """A row of every cell of the forest."""
    cuts = [feature.cuts for feature in xl.read_model(forest).features]
    return np.array(list(itertools.product(*([*c, c[-1] + 1.0] if c else [0.0] for c in cuts))))


@pytest.mark.parametrize("method", ["product", "apply", "sortnet"])
@pytest.mark.parametrize("form", ["3A", "3B"])
@pytest.mark.parametrize("ties", ["model", "winners", "merged"])
def test_every_method_form_and_tie_rule(forest, cells, method, form, ties):
    model = xl.read_model(forest).with_voting("majority")
    formulas = xl.compile_model(model, method, form, ties)
    votes = model.predict_proba(cells)
    best = votes == votes.max(axis=1, keepdims=True)
    expected = best if ties != "model" else model.predict(cells)[:, None] == np.array(model.classes)
    for position, label in enumerate(model.classes):
        assert (formulas[label].evaluate(cells) == expected[:, position]).all()
    assert formulas.n_nodes > 0
    assert formulas.n_edges > 0


def test_methods_agree_on_the_function(forest):
    model = xl.read_model(forest).with_voting("majority")
    by_product, by_apply = (xl.compile_model(model, method) for method in ("product", "apply"))
    for label in model.classes:
        assert by_product[label] == by_apply[label]
        assert by_product[label].count() == by_apply[label].count()


def test_votes_that_a_network_cannot_count(forest):
    X, y = load_iris(return_X_y=True)
    for method in ("apply", "sortnet"):
        with pytest.raises(xl.InvalidInputError, match="with_voting"):
            xl.compile_model(forest, method)
        with pytest.raises(xl.InvalidInputError, match="majority"):
            xl.compile_model(RandomForestRegressor(3, max_depth=2).fit(X, y), method, band=(0, 1))


def test_orders_by_method(forest):
    model = xl.read_model(forest).with_voting("majority")
    with pytest.raises(xl.InvalidInputError, match="no order"):
        xl.compile_model(model, "sortnet", order=["x1"])
    with pytest.raises(xl.InvalidInputError, match="distinct feature names"):
        xl.compile_model(model, "apply", order="weight")
    assert xl.compile_model(model, "apply", order=["x3"])[0] == xl.compile_model(model)[0]
    printed = xl.compile_model(model, "apply", order="printed")
    assert printed[0].graph.order is None
    assert printed[0] == xl.compile_model(model)[0]


def test_a_searched_order_is_no_worse(forest):
    X, y = load_iris(return_X_y=True)
    model = xl.read_model(RandomForestClassifier(30, max_depth=4, random_state=0).fit(X, y))
    searched, plain = xl.compile_model(model, order="search"), xl.compile_model(model)
    assert searched.n_edges <= plain.n_edges
    assert searched.joint.order != plain.joint.order
    for label in model.classes:
        assert searched[label] == plain[label]


@pytest.mark.parametrize("method", ["product", "apply", "sortnet"])
def test_formulas_pickle(forest, cells, method):
    model = xl.read_model(forest).with_voting("majority")
    formulas = xl.compile_model(model, method, "pairs")
    again = pickle.loads(pickle.dumps(formulas))
    for label in model.classes:
        assert (again[label].evaluate(cells) == formulas[label].evaluate(cells)).all()
    reason = xl.Explainer(model).explain(cells[0]).complete_reason()
    assert str(pickle.loads(pickle.dumps(reason))) == str(reason)


def test_a_thousand_trees_that_meet_their_budget_leave_everything_usable():
    X, y = load_wine(return_X_y=True)
    model = xl.read_model(RandomForestClassifier(1000, max_depth=3, random_state=0).fit(X, y)).with_voting("majority")
    explainer = xl.Explainer(model)
    before = explainer.explain(X[0]).robustness()
    for method, limits in (("product", {"node_limit": 5000}), ("apply", {"memory_limit": 5_000_000})):
        with pytest.raises(xl.BudgetExceeded):
            xl.compile_model(model, method, **limits)
    assert explainer.explain(X[0]).robustness() == before
    formulas = xl.compile_model(model, "sortnet", memory_limit=10**9)
    assert (formulas[1].evaluate(X) == (model.predict(X) == 1)).all()
