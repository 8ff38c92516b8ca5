"""How models grown on two halves disagree."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from xylogic.errors import InvalidInputError
from xylogic.grow.stability import Stability, stability


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)


def test_it_is_what_a_loop_over_halves_finds(cancer):
    X, X_test, y, _ = cancer
    found = stability(DecisionTreeClassifier(random_state=3), X, y, 4, X_test=X_test, random_state=7)
    rng = np.random.default_rng(7)
    expected = []
    for _ in range(4):
        order = rng.permutation(len(y))
        halves = order[: len(y) // 2], order[len(y) // 2 :]
        one, two = (DecisionTreeClassifier(random_state=3).fit(X[rows], y[rows]).predict(X_test) for rows in halves)
        expected.append(np.mean(one != two))
    assert found.values.tolist() == expected
    assert found == found.mean == np.mean(expected)
    assert found.std == np.std(expected, ddof=1)


def test_a_forest_is_more_stable_than_a_full_tree(cancer):
    X, X_test, y, _ = cancer
    full, forest = (
        stability(est, X, y, X_test=X_test) for est in (DecisionTreeClassifier(), RandomForestClassifier(20))
    )
    assert len(full.values) == 20
    assert forest < full
    assert 0.08 < full < 0.13  # the course note saw 0.105 on one pair of halves


def test_a_constant_model_never_disagrees_and_the_default_rows_are_those_of_x():
    X, y = load_diabetes(return_X_y=True)
    assert stability(DecisionTreeRegressor(max_depth=1), X, np.ones(len(y)), 3) == 0.0
    found = stability(DecisionTreeRegressor(max_depth=2), X, y, 3)
    again = stability(DecisionTreeRegressor(max_depth=2), X, y, 3, X_test=X, n_jobs=2)
    assert found.values.tolist() == again.values.tolist()
    assert 0 < found < y.std()


def test_tables_are_halved_as_they_are(cancer):
    X, _, y, _ = cancer
    est = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=3))
    plain = stability(est, X, y, 2)
    names = [f"c{i}" for i in range(X.shape[1])]
    assert stability(est, pd.DataFrame(X, columns=names, index=np.arange(len(X)) + 5), y, 2) == plain
    assert stability(est, X.tolist(), pd.Series(y, index=np.arange(len(X)) + 5), 2) == plain
    assert est.get_params()["decisiontreeclassifier__random_state"] is None


def test_weights_go_to_fit_and_into_the_mean():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    weight = np.where(np.arange(60) < 40, 1.0, 1e-9)
    found = stability(DecisionTreeClassifier(max_depth=2), X, y, 5, sample_weight=weight)
    assert 0 < found < 1
    assert found != stability(DecisionTreeClassifier(max_depth=2), X, y, 5)


def test_it_is_a_number_that_pickles():
    found = stability(DecisionTreeClassifier(), [[0.0], [1.0], [2.0]], [0, 1, 1], 1)
    assert np.isnan(found.std)
    again = pickle.loads(pickle.dumps(Stability([0.25, 0.5])))
    assert again == 0.375 and again.values.tolist() == [0.25, 0.5]
    assert "0.375" in repr(again)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"est": StandardScaler()}, "StandardScaler"),
        ({"n": 0}, "n is 0"),
        ({"n": 2.5}, "n is 2.5"),
        ({"y": [0, 1]}, "y has 2 entries and X has 3"),
        ({"sample_weight": [1.0]}, "sample_weight has 1"),
        ({"X": [[1.0]], "y": [1]}, "at least 2"),
    ],
)
def test_what_cannot_be_halved_is_refused(change, message):
    given = {"est": DecisionTreeClassifier(), "X": [[0.0], [1.0], [2.0]], "y": [0, 1, 1], "n": 1} | change
    with pytest.raises(InvalidInputError, match=message):
        stability(**given)
