"""Forests with everything that their trees can do: missing values, categories, losses, priors, pruning."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

import xylogic as xl
from xylogic.errors import InvalidInputError, UnsupportedModelError
from xylogic.grow.bagging import tree_seeds
from xylogic.grow.estimators import DecisionTreeClassifier, DecisionTreeRegressor
from xylogic.grow.forests import RandomForestClassifier, RandomForestRegressor

pytestmark = pytest.mark.filterwarnings("error", "ignore:.*out-of-bag answer")
LOSS = np.array([[0, 1, 1], [3, 0, 1], [1, 4, 0]])


def with_holes(load, share=0.2):
    X, y = load(return_X_y=True)
    X[np.random.default_rng(0).random(X.shape) < share] = np.nan
    return X, y


def members(est, X, y, tree_class, **options):
    """Single trees on the rows that each tree of the forest drew."""
    seeds = tree_seeds(np.random.RandomState(est.random_state), est.n_estimators)
    for seed, rows in zip(seeds, est.estimators_samples_, strict=True):
        tree = tree_class(random_state=seed, max_features=est.max_features, **options)
        yield tree.fit(X, y, sample_weight=np.bincount(rows, minlength=len(X)))


@pytest.mark.parametrize("missing", ["direction", "level", "surrogate", "fractional"])
@pytest.mark.parametrize("voting", ["average", "majority"])
def test_every_way_with_missing_values(missing, voting):
    X, y = with_holes(load_iris)
    options = {"missing": missing, "max_depth": 4}
    est = RandomForestClassifier(5, voting=voting, random_state=2, oob_score=True, **options).fit(X, y)
    total = np.zeros((150, 3))
    for tree in members(est, X, y, DecisionTreeClassifier, **options):
        share = tree.predict_proba(X)
        total += share if voting == "average" else np.eye(3)[share.argmax(axis=1)]
    assert est.predict_proba(X).tolist() == (total / 5).tolist()
    assert est.predict(X).tolist() == (total / 5).argmax(axis=1).tolist()
    assert est.oob_score_ > 0.8
    again = pickle.loads(pickle.dumps(est))
    assert again.predict_proba(X).tolist() == est.predict_proba(X).tolist()
    if missing == "fractional":
        with pytest.raises(UnsupportedModelError, match="fractional"):
            est.to_model()
        return
    assert est.apply(X).shape == (150, 5)
    model = est.to_model()
    assert model.predict(X).tolist() == est.predict(X).tolist()
    assert model.predict_proba(X).tolist() == est.predict_proba(X).tolist()


@pytest.mark.parametrize("missing", ["direction", "surrogate", "fractional"])
def test_every_way_in_regression(missing):
    X, y = with_holes(load_diabetes)
    options = {"missing": missing, "max_depth": 3}
    est = RandomForestRegressor(4, random_state=2, oob_score=True, n_jobs=2, **options).fit(X, y)
    total = 0.0
    for tree in members(est, X, y, DecisionTreeRegressor, **options):
        total = total + tree.predict(X)
    assert est.predict(X).tolist() == (total / 4).tolist()
    if missing != "fractional":
        assert est.to_model().predict(X).tolist() == est.predict(X).tolist()


def test_what_fractional_rows_do_not_go_with():
    X, y = with_holes(load_diabetes)
    with pytest.raises(InvalidInputError, match="fractional"):
        RandomForestRegressor(2, missing="fractional", splitter="random").fit(X, y)


@pytest.mark.parametrize("voting", ["average", "majority"])
@pytest.mark.parametrize("missing", ["direction", "surrogate", "fractional"])
def test_losses_decide(voting, missing):
    X, y = with_holes(load_iris)
    options = {"loss_matrix": LOSS, "max_depth": 2, "missing": missing}
    est = RandomForestClassifier(7, voting=voting, random_state=0, **options).fit(X, y)
    share = est.predict_proba(X)
    if voting == "average":
        assert est.predict(X).tolist() == (share @ LOSS).argmin(axis=1).tolist()
    else:
        assert est.predict(X).tolist() == share.argmax(axis=1).tolist()
    assert (
        est.predict(X).tolist()
        != RandomForestClassifier(7, voting=voting, random_state=0, max_depth=2).fit(X, y).predict(X).tolist()
    )
    if missing != "fractional":
        assert est.to_model().predict(X).tolist() == est.predict(X).tolist()
    if missing == "direction":
        assert xl.Explainer(est).explain(X[0]).prediction == est.predict(X[:1])[0]


def test_priors_are_class_weights():
    X, y = load_iris(return_X_y=True)
    priors = np.array([0.5, 0.2, 0.3])
    one = RandomForestClassifier(3, random_state=0, priors=priors).fit(X, y)
    two = RandomForestClassifier(3, random_state=0, class_weight=dict(enumerate(priors * 3))).fit(X, y)
    assert one.predict_proba(X).tolist() == two.predict_proba(X).tolist()
    for weight in ("balanced", "balanced_subsample"):
        with pytest.raises(InvalidInputError, match="priors and class_weight"):
            RandomForestClassifier(3, priors=priors, class_weight=weight).fit(X, y)


def test_each_tree_is_pruned():
    X, y = load_iris(return_X_y=True)
    est = RandomForestClassifier(4, random_state=2, ccp_alpha=0.03).fit(X, y)
    sizes = [tree.get_n_leaves() for tree in members(est, X, y, DecisionTreeClassifier, ccp_alpha=0.03)]
    assert [tree.n_leaves for tree in est.trees_] == sizes
    assert max(sizes) < max(tree.n_leaves for tree in RandomForestClassifier(4, random_state=2).fit(X, y).trees_)


def test_categories_and_text_of_any_frame():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue", None], 200).astype(object)
    size = rng.normal(size=200)
    y = np.where((colour == "green") ^ (size > 1), "yes", "no")
    table = pandas.DataFrame({"colour": colour, "size": size})
    made = [
        RandomForestClassifier(15, max_features=None, random_state=0, oob_score=True).fit(frame, y)
        for frame in (table, polars.from_pandas(table))
    ]
    assert made[0].oob_score_ > 0.95
    assert made[0].predict_proba(table).tolist() == made[1].predict_proba(polars.from_pandas(table)).tolist()
    other = pandas.DataFrame({"colour": ["violet", None], "size": [0.0, 0.0]})
    assert made[0].predict(other).tolist() == ["no", "no"]
    assert xl.Explainer(made[0]).explain({"colour": "green", "size": 0.0}).prediction == "yes"
    further = RandomForestClassifier(5, warm_start=True, random_state=0).fit(table, y)
    further.set_params(n_estimators=8).fit(table[colour != "red"], y[colour != "red"])  # categories keep their codes
    assert further.feature_names_in_.tolist() == ["colour", "size"]
    assert (further.predict(table) == y).mean() > 0.9
    assert further.features_[0].categories[:3] == made[0].features_[0].categories[:3]


def test_forests_are_verified_like_any_model():
    X, y = with_holes(load_iris)
    for est in (
        RandomForestClassifier(5, random_state=0, max_depth=3),
        RandomForestClassifier(5, random_state=0, max_depth=3, voting="majority", missing="surrogate"),
        RandomForestRegressor(5, random_state=0, max_depth=3),
    ):
        est.fit(X.astype(np.float32), y)
        assert est.to_model().cast == "float32"
        assert xl.verify_model(xl.read_model(est), est, X)
