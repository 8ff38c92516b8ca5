"""``update_forest``: each tree is the compatible tree of its draws and of the old tree at its place."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

import xylogic as xl
from xylogic.update.forests import single_trees


def data(seed, n=120, *, numbers=False):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, (n, 4)) / 4.0
    score = X[:, 0] + (X[:, 1] > 1) * X[:, 2] + rng.normal(size=n) / 2
    return X, score if numbers else (score > np.median(score)).astype(int)


def shape(tree):
    return [getattr(tree, name).tolist() for name in ("feature", "cut", "left", "right")]


@pytest.mark.parametrize("kind", ["jac", "jlu", "mae", "mse"])
@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.parametrize("numbers", [True, False])
def test_every_tree_is_grown_against_its_old_tree(kind, bootstrap, numbers):
    forests = xl.RandomForestRegressor if numbers else xl.RandomForestClassifier
    (X_old, y_old), (X, y) = data(0, 60, numbers=numbers), data(1, numbers=numbers)
    old = forests(3, random_state=0, max_depth=4).fit(X_old, y_old)
    est = forests(5, random_state=1, max_depth=5, bootstrap=bootstrap)
    options = {"dissimilarity": kind, "strength": 0.3, **({"tolerance": 0.5} if numbers else {})}
    new = xl.update_forest(est, old, X, y, **options)
    right = np.abs(old.predict(X) - y) <= 0.5 if numbers else old.predict(X) == y
    trees = single_trees(xl.read_model(old))
    single = xl.CompatibleTreeRegressor if numbers else xl.CompatibleTreeClassifier
    for position, (grown, rows) in enumerate(zip(new.trees_, new.estimators_samples_, strict=True)):
        counts = np.bincount(rows, minlength=len(X)) if bootstrap else None
        tree = single(trees[position % 3], max_depth=5, **options).fit(X, y, counts, relied=right)
        assert shape(tree.tree_) == shape(grown)


def test_strength_0_is_the_plain_forest():
    (X_old, y_old), (X, y) = data(0, 60), data(1)
    old = xl.RandomForestClassifier(4, random_state=0).fit(X_old, y_old)
    est = xl.RandomForestClassifier(20, random_state=2, oob_score=True)
    plain = clone(est).set_params(zero_gain="refuse").fit(X, y)
    new = xl.update_forest(est, old, X, y, strength=0, max_features="sqrt")
    assert [shape(tree) for tree in new.trees_] == [shape(tree) for tree in plain.trees_]
    assert new.oob_score_ == plain.oob_score_
    assert not hasattr(est, "trees_") and est.zero_gain == "accept"
    assert clone(new).fit(X, y).predict(X).tolist() == plain.predict(X).tolist()  # a plain forest again


def test_explanations_of_trees_stay_nearer():
    (X_old, y_old), (X, y) = data(0, 80), data(1, 300)
    old = xl.RandomForestClassifier(8, random_state=0, max_depth=4).fit(X_old, y_old)
    est = xl.RandomForestClassifier(8, random_state=1, max_depth=4)

    def gap(forest):
        pairs = zip(single_trees(xl.read_model(old)), single_trees(xl.read_model(forest)), strict=True)
        return np.mean([xl.compatibility(a, b, X, y).mse for a, b in pairs])

    plain, new = clone(est).fit(X, y), xl.update_forest(est, old, X, y, strength=1.0)
    assert gap(new) < gap(plain) / 2
    threads = xl.update_forest(est.set_params(n_jobs=2), old, X, y, strength=1.0)
    assert [shape(tree) for tree in threads.trees_] == [shape(tree) for tree in new.trees_]


def test_columns_are_matched_by_name():
    import pandas as pd

    (X_old, y_old), (X, y) = data(0, 60), data(1)
    names = ["a", "b", "c", "d"]
    old = xl.RandomForestClassifier(3, random_state=0).fit(pd.DataFrame(X_old, columns=names), y_old)
    est = xl.RandomForestClassifier(3, random_state=1)
    frame = pd.DataFrame(X, columns=names)
    straight, turned = (xl.update_forest(est, old, frame[columns], y, strength=1.0) for columns in (names, names[::-1]))
    assert straight.score(frame, y) == pytest.approx(turned.score(frame[names[::-1]], y), abs=0.05)
    with pytest.raises(xl.InvalidInputError, match="'d'"):
        xl.update_forest(est, old, frame.drop(columns="d"), y)


@pytest.mark.parametrize(
    ("changes", "options", "words"),
    [
        ({"splitter": "hist"}, {}, "splitter is 'hist'"),
        ({"warm_start": True}, {}, "warm_start is True"),
        ({"class_weight": "balanced_subsample"}, {}, "'balanced' is accepted"),
        ({"criterion": "twoing"}, {}, "criterion is 'twoing'"),
        ({}, {"strength": -1}, "strength is -1"),
        ({}, {"dissimilarity": "far"}, "dissimilarity is 'far'"),
        ({}, {"relied": [1.0]}, "relied"),
    ],
)
def test_what_is_refused_is_named(changes, options, words):
    X, y = data(1)
    old = xl.RandomForestClassifier(2, random_state=0).fit(X, y)
    with pytest.raises(xl.InvalidInputError, match=words):
        xl.update_forest(xl.RandomForestClassifier(2, **changes), old, X, y, **options)


def test_where_nobody_relies_on_a_row_it_is_a_plain_forest_and_says_so():
    X, y = data(1, numbers=True)
    old = xl.RandomForestRegressor(2, random_state=0).fit(X, y)
    with pytest.warns(UserWarning, match="off by more than the tolerance everywhere") as said:
        made = xl.update_forest(xl.RandomForestRegressor(2, random_state=0), old, X, y + 100)
    assert len(said) == 1 and said[0].filename == __file__
    plain = xl.RandomForestRegressor(2, random_state=0, zero_gain="refuse", max_features=None).fit(X, y + 100)
    assert (made.predict(X) == plain.predict(X)).all()


def test_models_that_are_no_forest_are_refused():
    X, y = data(1, numbers=True)
    boosted = replace(xl.RandomForestRegressor(2).fit(X, y).to_model(), voting="sum")
    est = xl.RandomForestRegressor(2)
    with pytest.raises(xl.UnsupportedModelError, match="adds its trees up"):
        xl.update_forest(est, boosted, X, y)
    with pytest.raises(xl.InvalidInputError, match="a RandomForestClassifier or RandomForestRegressor"):
        xl.update_forest(xl.DecisionTreeRegressor(), boosted, X, y)
    X[3, 1] = np.nan
    old = xl.RandomForestRegressor(2).fit(*data(1, numbers=True))
    with pytest.raises(xl.InvalidInputError, match="row 3: the value is missing"):
        xl.update_forest(est, old, X, y)
