"""The four ways with missing values, as estimators: what they answer, and what explains it."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.model_selection import cross_val_score, train_test_split

import xylogic as xl
from xylogic import DecisionTreeClassifier, DecisionTreeRegressor
from xylogic.grow.forests import RandomForestClassifier, RandomForestRegressor
from xylogic.grow.prune import prune
from xylogic.grow.pruning import pruned

WAYS = ("direction", "level", "surrogate", "fractional")


def with_holes(load, share=0.2, columns=slice(None), seed=0):
    X, y = load(return_X_y=True)
    holes = np.random.default_rng(seed).random(X.shape) < share
    kept = np.zeros(X.shape[1], dtype=bool)
    kept[columns] = True
    X[holes & kept] = np.nan
    return X, y


@pytest.mark.parametrize("missing", WAYS)
def test_every_way_answers_every_row(missing):
    X, y = with_holes(load_iris)
    est = DecisionTreeClassifier(missing=missing, random_state=0, min_samples_leaf=4)
    assert cross_val_score(est, X, y).mean() > 0.85
    est.fit(X, y)
    everything_missing = np.full((1, 4), np.nan)
    assert est.predict_proba(everything_missing).sum() == pytest.approx(1)
    assert est.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(150))
    assert (est.classes_[est.predict_proba(X).argmax(axis=1)] == est.predict(X)).all()
    again = pickle.loads(pickle.dumps(est))
    assert (again.predict_proba(X) == est.predict_proba(X)).all()
    assert (clone(est).fit(X, y).predict_proba(X) == est.predict_proba(X)).all()
    single = est.fit(X.astype(np.float32), y)
    assert (single.predict(X.astype(np.float32)) == single.predict(X.astype(np.float32).astype(float))).all()
    numbers = DecisionTreeRegressor(missing=missing, min_samples_leaf=10).fit(*with_holes(load_diabetes))
    assert numbers.score(*with_holes(load_diabetes)) > 0.3
    assert np.isfinite(numbers.predict(np.full((1, 10), np.nan))).all()


@pytest.mark.parametrize("missing", ["direction", "level", "surrogate"])
def test_three_ways_are_explained(missing):
    X, y = with_holes(load_iris, 0.3, columns=[2, 3])
    est = DecisionTreeClassifier(missing=missing, random_state=0, max_depth=3).fit(X, y)
    model = est.to_model()
    assert (model.predict(X) == est.predict(X)).all()
    assert (model.predict_proba(X) == est.predict_proba(X)).all()
    row = X[np.isnan(X).any(axis=1)][0]
    explained = xl.Explainer(est).explain(row)
    assert explained.prediction == est.predict([row])[0]
    reasons = list(explained.sufficient_reasons())
    assert reasons
    for reason in reasons:  # whatever the other features are, the class stays
        fixed = [model.feature_names.index(name) for name in reason.features]
        others = X.copy()
        others[:, fixed] = row[fixed]
        assert (est.predict(others) == est.predict([row])).all()


def test_surrogates_are_readable_and_expand_into_a_plain_tree():
    X, y = with_holes(load_breast_cancer, 0.3, columns=[20, 22, 23, 27])
    X, T, y, _ = train_test_split(X, y, random_state=0)
    est = DecisionTreeClassifier(missing="surrogate", max_surrogates=3, min_samples_leaf=5).fit(X, y)
    first = est.surrogates_[0]
    assert 1 <= len(first) <= 3
    assert [s.adjusted for s in first] == sorted((s.adjusted for s in first), reverse=True)
    assert set(est.surrogates_) == set(np.flatnonzero(est.tree_.left >= 0).tolist())
    model = est.to_model()
    assert model.n_nodes > est.tree_.n_nodes
    assert (model.predict(T) == est.predict(T)).all()
    assert est.to_model() is model
    assert xl.verify_model(model, est, X)
    assert model.trees[0].n_outputs == 2
    with pytest.raises(xl.InvalidInputError, match="the value is missing"):
        column = int(np.flatnonzero(np.isin(np.arange(30), model.trees[0].feature) & ~np.isnan(X).any(axis=0))[0])
        row = T[:1].copy()
        row[0, column] = np.nan
        model.predict(row)
    with pytest.raises(xl.BudgetExceeded, match="node_limit=10 nodes"):
        clone(est).fit(X, y).to_model(node_limit=10)
    small = prune(est, 0.01)
    assert set(small.surrogates_) == set(np.flatnonzero(small.tree_.left >= 0).tolist())
    assert small.surrogates_[0] == first
    assert (small.to_model().predict(T) == small.predict(T)).all()
    assert not hasattr(DecisionTreeClassifier().fit(X, y), "surrogates_")


def test_surrogates_with_losses_categories_and_text():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    size = rng.choice(["small", "middle", "large"], 300).astype(object)
    price = np.where(size == "small", 1.0, np.where(size == "middle", 2.0, 3.0)) + rng.normal(0, 0.1, 300)
    y = np.where((size == "large") ^ (rng.random(300) < 0.05), "yes", "no")
    size[rng.random(300) < 0.3] = None
    price[rng.random(300) < 0.3] = np.nan
    table = pandas.DataFrame({"price": price, "size": size})
    est = DecisionTreeClassifier(missing="surrogate", loss_matrix=[[0, 1], [4, 0]], max_depth=3).fit(table, y)
    model = est.to_model()
    assert xl.verify_model(model, est, table)
    texts = [str(s) for found in est.surrogates_.values() for s in found]
    assert any("size in {" in text for text in texts) or any("price" in text for text in texts)
    other = pandas.DataFrame({"price": [np.nan, 2.9], "size": ["huge", None]})  # a level not seen, a value missing
    assert (model.predict(other) == est.predict(other)).all()


def test_fractional_rows_are_not_explained():
    X, y = with_holes(load_iris)
    est = DecisionTreeClassifier(missing="fractional", max_depth=3).fit(X, y)
    for ask in (est.to_model, lambda: xl.Explainer(est), lambda: xl.read_model(est), lambda: xl.compile_model(est)):
        with pytest.raises(xl.UnsupportedModelError, match="down both sides of a test and averages the leaves"):
            ask()
    whole = ~np.isnan(X).any(axis=1)
    assert (est.tree_.left[est.apply(X[whole])] < 0).all()
    with pytest.raises(xl.InvalidInputError, match=f"row {np.flatnonzero(~whole)[0]} reaches several leaves"):
        est.apply(np.where(np.isnan(X), np.nan, X))
    *leaves, last = est.rules().split("\n")
    assert len(leaves) == est.get_n_leaves() and last == (
        "where a tested value is missing, the row goes to both sides in part"
    )
    small = prune(est, 0.02)
    assert small.get_n_leaves() < est.get_n_leaves()
    assert small.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(150))


def test_what_fractional_rows_do_not_go_with():
    X, y = with_holes(load_diabetes)
    for options, message in (
        ({"splitter": "random"}, "splitter is 'random'; with missing='fractional' 'best' is accepted"),
        ({"monotonic_cst": [1] + [0] * 9}, "monotonic_cst is .* with missing='fractional' None is accepted"),
        ({"criterion": "absolute_error"}, "predicts medians"),
    ):
        with pytest.raises(xl.InvalidInputError, match=message):
            DecisionTreeRegressor(missing="fractional", **options).fit(X, y)


def test_surrogates_stand_in_where_training_had_no_missing_values():
    """The tree itself answers: at every node another feature is asked. A plain model of it refuses such rows."""
    X, y = load_iris(return_X_y=True)
    est = DecisionTreeClassifier(missing="surrogate", max_depth=2).fit(X, y)
    hidden = X.copy()
    hidden[:, est.tree_.feature[0]] = np.nan
    assert (est.predict(hidden) == y).mean() > 0.9
    plain = DecisionTreeClassifier(max_depth=2).fit(X, y)
    assert (plain.predict(hidden) == y).mean() < 0.7
    assert xl.verify_model(est.to_model(), est, X)
    assert est.to_model().n_nodes == est.tree_.n_nodes


@pytest.mark.parametrize("options", [{}, {"voting": "majority"}, {"loss_matrix": [[0, 1], [3, 0]]}])
def test_forests_with_surrogates(options):
    X, y = with_holes(load_breast_cancer, 0.3, columns=[7, 20, 22])
    X, T, y, t = train_test_split(X, y, random_state=0)
    forest = RandomForestClassifier(
        40, missing="surrogate", max_surrogates=2, max_depth=4, random_state=0, oob_score=True, **options
    ).fit(X, y)
    assert forest.oob_score_ > 0.85
    assert forest.score(T, t) > 0.85
    leaf = forest.apply(T)
    for grown, column in zip(forest.grown_, leaf.T, strict=True):
        assert (grown.tree.left[column] < 0).all()
    if not options:
        shares = sum(grown.value[column] for grown, column in zip(forest.grown_, leaf.T, strict=True)) / 40
        assert forest.predict_proba(T) == pytest.approx(shares)
    assert xl.verify_model(forest.to_model(), forest, T)
    assert forest.to_model().n_nodes > sum(tree.n_nodes for tree in forest.trees_)
    with pytest.raises(xl.BudgetExceeded):
        clone(forest).set_params(oob_score=False).fit(X, y).to_model(node_limit=100)
    numbers = RandomForestRegressor(4, missing="surrogate", max_depth=4, random_state=0).fit(X, y)
    assert xl.verify_model(numbers.to_model(), numbers, T)


def test_forests_of_fractional_rows_and_pruned_ones():
    X, y = with_holes(load_iris)
    parts = RandomForestClassifier(5, missing="fractional", max_depth=3, random_state=0).fit(X, y)
    assert parts.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(150))
    assert parts.score(X, y) > 0.9
    with pytest.raises(xl.UnsupportedModelError, match="averages the leaves"):
        parts.to_model()
    whole = RandomForestClassifier(5, random_state=0).fit(X, y)
    cut = RandomForestClassifier(5, random_state=0, ccp_alpha=0.02).fit(X, y)
    for a, b in zip(whole.grown_, cut.grown_, strict=True):
        assert b.tree.n_leaves < a.tree.n_leaves
        assert b.tree.n_leaves == pruned(a, 0.02).tree.n_leaves
