"""Trouble that people reported with other growers (R...): weights, limits, cuts, forests grown further; a test each."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import xylogic as xl
from xylogic.errors import InvalidInputError
from xylogic.grow.estimators import DecisionTreeClassifier, DecisionTreeRegressor
from xylogic.grow.forests import RandomForestClassifier, RandomForestRegressor

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*out-of-bag answer", "ignore:Some inputs do not have OOB", "ignore:max_samples"
)

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])


def arrays(tree) -> list[bytes]:
    return [getattr(tree, name).tobytes() for name in tree.__slots__]


def trees_of(est) -> list[list[bytes]]:
    return [arrays(tree) for tree in (est.trees_ if hasattr(est, "trees_") else [est.tree_])]


@pytest.mark.parametrize("make", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_r027_a_split_without_gain_is_taken_or_refused_as_asked(make):
    X, y = XOR
    assert make().fit(X, y).tree_.n_nodes == 7
    assert make(zero_gain="refuse").fit(X, y).tree_.n_nodes == 1
    assert make(min_impurity_decrease=1e-9).fit(X, y).tree_.n_nodes == 1
    assert make(min_impurity_decrease=0.0, zero_gain="refuse").fit(X, y).tree_.n_nodes == 1


def test_r027_the_limit_is_on_the_gain_as_a_share_of_all_rows():
    # half of the rows sit in a node of Gini 0.5 that one split makes pure: 4/8 * 0.5 = 0.25
    X = np.array([[0.0, 0.0]] * 4 + [[1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0]])
    y = np.array([2, 2, 2, 2, 0, 0, 1, 1])
    for limit, leaves in ((0.25, 3), (0.2501, 2)):
        assert DecisionTreeClassifier(min_impurity_decrease=limit).fit(X, y).get_n_leaves() == leaves
        # the same with each weight doubled, and where rows are drawn: a tree's own draws are its rows
        assert DecisionTreeClassifier(min_impurity_decrease=limit).fit(X, y, [2.0] * 8).get_n_leaves() == leaves
        forest = RandomForestClassifier(2, bootstrap=False, max_features=None, min_impurity_decrease=limit).fit(X, y)
        assert [tree.n_leaves for tree in forest.trees_] == [leaves] * 2


def test_r027_a_limit_holds_in_each_tree_of_a_forest():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 2, 80)
    est = RandomForestClassifier(5, min_impurity_decrease=0.02, random_state=0).fit(X, y, rng.uniform(0.5, 3, 80))
    splits = [grown.gain[grown.tree.left >= 0] / grown.weight[0] for grown in est.grown_]
    assert sum(map(len, splits)) > 5
    assert min(gains.min() for gains in splits) >= 0.02 - 1e-12


# ---------------------------------------------------------------- weights


@pytest.mark.parametrize("make", [RandomForestClassifier, RandomForestRegressor])
@pytest.mark.parametrize("bootstrap", [True, False])
def test_r030_a_row_of_weight_zero_is_in_no_tree(make, bootstrap):
    X = np.array([[0.0], [1.0], [1e6], [2.0], [3.0], [4.0]])
    y = np.array([0, 1, 7, 0, 1, 1])
    weight = np.array([1.0, 2.0, 0.0, 1.0, 1.0, 3.0])
    keep = weight > 0
    options = {"bootstrap": bootstrap, "random_state": 0, "min_samples_leaf": 0.2, "min_weight_fraction_leaf": 0.1}
    with_it = make(200, **options).fit(X, y, weight)
    without = make(200, **options).fit(X[keep], y[keep], weight[keep])
    assert trees_of(with_it) == trees_of(without)
    assert all(2 not in rows for rows in with_it.estimators_samples_)
    again = np.flatnonzero(keep)
    assert [again[rows].tolist() for rows in without.estimators_samples_] == [
        rows.tolist() for rows in with_it.estimators_samples_
    ]


@pytest.mark.parametrize("make", [RandomForestClassifier, RandomForestRegressor])
@pytest.mark.parametrize("max_samples", [1.0, 4])
def test_r030_whole_weights_are_repeated_rows_in_expectation(make, max_samples):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(6, 2)), np.array([0, 1, 0, 1, 1, 0])
    weight = np.array([1, 0, 2, 3, 1, 1])
    n_trees = 1500
    repeated = np.repeat(np.arange(6), weight)
    one = make(n_trees, max_samples=max_samples, random_state=1).fit(X, y, weight)
    two = make(n_trees, max_samples=max_samples, random_state=2).fit(X[repeated], y[repeated])
    answers = [
        np.array([tree.value[leaves, -1] for tree, leaves in zip(est.trees_, est.apply(X).T, strict=True)])
        for est in (one, two)
    ]
    error = np.sqrt(sum(each.var(axis=0) for each in answers) / n_trees)
    assert (np.abs(answers[0].mean(axis=0) - answers[1].mean(axis=0)) < 4 * error + 1e-9).all()


def test_r030_limits_of_weight_are_shares_of_the_draws():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 3)), rng.integers(0, 2, 100)
    est = RandomForestClassifier(6, min_weight_fraction_leaf=0.15, random_state=0).fit(X, y, rng.uniform(0.1, 9, 100))
    for grown, rows, column in zip(est.grown_, est.estimators_samples_, est.apply(X).T, strict=True):
        assert grown.weight[0] == len(rows) == 100
        draws = np.bincount(column[rows], minlength=grown.tree.n_nodes)
        leaves = grown.tree.left < 0
        assert draws[leaves].tolist() == grown.weight[leaves].tolist()
        assert draws[leaves].min() >= 15


def test_r031_limits_of_samples_count_rows_and_those_of_weight_count_weight():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    weight = np.array([100, 901, 799, 200])
    rows = np.repeat(np.arange(4), weight)
    assert DecisionTreeClassifier(min_samples_split=5).fit(X, y, weight).get_n_leaves() == 1
    assert DecisionTreeClassifier(min_samples_split=5).fit(X[rows], y[rows]).get_n_leaves() == 2
    # the lighter side has 999 of 2000
    for share, leaves in ((0.4995, 2), (0.4996, 1)):
        options = {"min_weight_fraction_leaf": share}
        assert DecisionTreeClassifier(**options).fit(X, y, weight).get_n_leaves() == leaves
        assert DecisionTreeClassifier(**options).fit(X[rows], y[rows]).get_n_leaves() == leaves


@pytest.mark.parametrize("make", [DecisionTreeClassifier, DecisionTreeRegressor, RandomForestClassifier])
@pytest.mark.parametrize(
    "options",
    [{}, {"min_samples_leaf": 2}, {"min_samples_leaf": 0.2}, {"min_samples_split": 0.5}, {"ccp_alpha": 0.02}],
    ids=str,
)
def test_r031_a_row_of_weight_zero_is_no_row(make, options):
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 9, (30, 2)).astype(float), rng.integers(0, 2, 30)
    weight = rng.integers(0, 3, 30).astype(float)
    keep = weight > 0
    whole = make(random_state=0, **options).fit(X, y, weight)
    part = make(random_state=0, **options).fit(X[keep], y[keep], weight[keep])
    assert trees_of(whole) == trees_of(part)


# ---------------------------------------------------------------- cuts

NEIGHBOURS = [
    (-3e38, 3e38),
    (-1.7e308, 1.7e308),
    (1.0, np.nextafter(1.0, 2.0)),
    (16777216.0, 16777217.0),
    (0.0, 1e-7),
    (0.0, 5e-324),
    (-5e-324, 0.0),
]


@pytest.mark.parametrize(("low", "high"), NEIGHBOURS)
@pytest.mark.parametrize("make", [DecisionTreeClassifier, DecisionTreeRegressor, RandomForestClassifier])
@pytest.mark.parametrize("splitter", ["best", "random", "hist"])
def test_r036_a_cut_lies_between_its_neighbours(low, high, make, splitter):
    X, y = np.array([[low], [high]]), np.array([0, 1])
    options = {"bootstrap": False} if make is RandomForestClassifier else {}
    est = make(splitter=splitter, **options).fit(X, y)
    tree = est.trees_[0] if options else est.tree_
    assert tree.n_leaves == 2
    assert low <= tree.cut[0] < high
    assert est.predict(X).tolist() == [0, 1]


def test_r036_neighbours_in_single_precision():
    low = np.float32(16777214.0)
    X = np.array([[low], [np.nextafter(low, np.float32(np.inf))]], dtype=np.float32)
    for values in (X, np.array([[-3e38], [3e38]], np.float32), np.array([[0.0], [1e-45]], np.float32)):
        tree = DecisionTreeClassifier().fit(values, [0, 1]).tree_
        assert tree.n_leaves == 2 and np.float32(tree.cut[0]) == tree.cut[0]
        assert values[0, 0] <= tree.cut[0] < values[1, 0]


# ---------------------------------------------------------------- forests grown further


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    return X, (X[:, 0] > 0).astype(int)


@pytest.mark.parametrize("make", [RandomForestClassifier, RandomForestRegressor])
@pytest.mark.parametrize("bootstrap", [True, False])
def test_a_forest_grown_further_is_the_forest_grown_at_once(make, bootstrap, rows):
    X, y = rows
    options = {"max_features": 2, "random_state": 4, "bootstrap": bootstrap, "oob_score": bootstrap}
    whole = make(9, **options).fit(X, y)
    est = make(3, warm_start=True, **options)
    with warnings.catch_warnings(action="ignore"):  # three trees leave some rows without an out-of-bag answer
        est.fit(X, y)
    first = trees_of(est)
    est.set_params(n_estimators=9).fit(X, y)
    assert trees_of(est)[:3] == first
    assert trees_of(est) == trees_of(whole)
    assert not bootstrap or est.oob_score_ == whole.oob_score_
    assert est.predict(X).tolist() == whole.predict(X).tolist()


def test_without_warm_start_a_fit_begins_anew(rows):
    X, y = rows
    est = RandomForestClassifier(3, random_state=0).fit(X, y)
    est.fit(X, 1 - y)
    assert trees_of(est) == trees_of(RandomForestClassifier(3, random_state=0).fit(X, 1 - y))


def test_r079_growing_further_by_no_tree_is_refused(rows):
    X, y = rows
    est = RandomForestClassifier(10, warm_start=True, random_state=0).fit(X[:20], y[:20])
    before = trees_of(est)
    for n_trees in (10, 4):
        with pytest.raises(InvalidInputError, match="n_estimators"):
            est.set_params(n_estimators=n_trees).fit(X[:20], 1 - y[:20])
        assert trees_of(est) == before
    assert (
        est.predict(X[:20]).tolist()
        == RandomForestClassifier(10, random_state=0).fit(X[:20], y[:20]).predict(X[:20]).tolist()
    )


@pytest.mark.parametrize("voting", ["average", "majority"])
@pytest.mark.parametrize("class_weight", [None, "balanced", "balanced_subsample"])
def test_r080_a_batch_of_other_classes_is_refused_and_one_of_fewer_keeps_the_order(voting, class_weight, rows):
    X, y = rows
    options = {"voting": voting, "class_weight": class_weight, "random_state": 0}
    est = RandomForestClassifier(3, warm_start=True, **options).fit(X, y)
    before = trees_of(est)
    est.set_params(n_estimators=5)
    with pytest.raises(InvalidInputError, match="2"):
        est.fit(X, np.arange(40) % 3)
    assert trees_of(est) == before and est.classes_.tolist() == [0, 1]
    est.fit(X[y == 1], y[y == 1])
    assert est.classes_.tolist() == [0, 1] and len(est.trees_) == 5
    assert [tree.value.tolist() for tree in est.trees_[3:]] == [[[0.0, 1.0]]] * 2
    share = est.predict_proba(X)
    assert share.shape == (40, 2) and (share[:, 1] >= 0.4).all()
    assert xl.Explainer(est.to_model()).explain(X[0]).prediction in (0, 1)
    with pytest.raises(ValueError, match="2 features"):
        est.set_params(n_estimators=6).fit(X[:, :2], y)


def test_out_of_bag_answers_need_the_rows_of_all_trees(rows):
    X, y = rows
    est = RandomForestRegressor(20, warm_start=True, random_state=0).fit(X, y)
    est.set_params(n_estimators=40, oob_score=True)
    with pytest.raises(InvalidInputError, match=r"out.of.bag"):
        est.fit(X + 1, y)
    assert len(est.trees_) == 20
    whole = RandomForestRegressor(40, random_state=0, oob_score=True).fit(X, y)
    assert est.fit(X, y).oob_prediction_.tolist() == whole.oob_prediction_.tolist()


# ---------------------------------------------------------------- depth


def test_r087_very_deep_trees_are_grown_pruned_kept_and_used(tmp_path):
    X = np.arange(1300.0)[:, None]
    y = np.arange(1300) % 2
    # each split takes the lowest value away, as far as doubling gaps let the cut fall there
    tree = DecisionTreeClassifier().fit(X, y)
    forest = RandomForestClassifier(2, bootstrap=False, n_jobs=2).fit(X, y)
    assert tree.get_depth() > 300
    assert [arrays(member) for member in forest.trees_] == [arrays(tree.tree_)] * 2
    for est in (tree, forest):
        assert est.predict(X).tolist() == y.tolist()
        model = est.to_model()
        model.save(tmp_path / "deep.json")
        assert xl.load(tmp_path / "deep.json").predict(X).tolist() == y.tolist()
        assert est.decision_path(X) is not None
    assert DecisionTreeClassifier(ccp_alpha=1.0).fit(X, y).get_n_leaves() == 1
    assert RandomForestClassifier(2, ccp_alpha=1.0, random_state=0).fit(X, y).to_model().n_nodes == 2
