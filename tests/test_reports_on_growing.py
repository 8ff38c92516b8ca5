"""What users of the growing part ran into, each with the right behaviour."""

import math

import numpy as np
import pandas as pd
import pytest

import xylogic as xl

ROWS = np.arange(6.0)[:, None]
LABELS = np.array([0, 1, 0, 1, 1, 0])


def test_a_leaf_of_minus_infinity_alone_can_be_explained():
    table = np.array([[1.0], [math.inf], [-math.inf], [0.0]])
    tree = xl.DecisionTreeClassifier().fit(table, [0, 1, 0, 1])
    assert len(tree.rules().split("\n")) == tree.get_n_leaves() == 4
    explanation = xl.Explainer(tree).explain(table[2])
    assert explanation.prediction == 0
    reason = explanation.sufficient_reason()
    assert reason.matches({"x0": -math.inf}) and not reason.matches({"x0": 0.0})
    assert xl.verify_model(tree.to_model(), tree).ok


def test_the_lowest_number_is_told_from_minus_infinity():
    lowest = float(np.finfo(np.float64).min)
    table = np.array([[-math.inf], [lowest], [0.0]])
    tree = xl.DecisionTreeClassifier().fit(table, [0, 1, 0])
    assert tree.predict(table).tolist() == [0, 1, 0]


@pytest.mark.parametrize("estimator", [xl.DecisionTreeRegressor(), xl.DecisionTreeRegressor(missing="fractional")])
def test_targets_too_large_to_add_up_are_refused(estimator):
    with pytest.raises(xl.InvalidInputError, match=r"y, row 1: -1e\+308 is too large"):
        estimator.fit(ROWS, [1.0, -1e308, 1.0, 2.0, 3.0, 4.0])


@pytest.mark.parametrize("estimator", [xl.DecisionTreeClassifier(), xl.RandomForestClassifier(3)])
def test_weights_that_do_not_add_up_are_refused(estimator):
    for weight in (1.7e308, 5e-324):
        with pytest.raises(xl.InvalidInputError, match="sample_weight adds up to"):
            estimator.fit(ROWS, LABELS, np.full(6, weight))


def test_fractional_rows_of_small_equal_weights_are_whole():
    tree = xl.DecisionTreeRegressor(missing="fractional").fit(ROWS, [1, 5, 2, 7, 3, 9], np.full(6, 1 / 3))
    assert tree.predict(ROWS).tolist() == [1, 5, 2, 7, 3, 9]


def test_missing_targets_are_named():
    with pytest.raises(xl.InvalidInputError, match="y, row 2: the target is missing; a number is accepted"):
        xl.DecisionTreeRegressor().fit(ROWS, [0, 1, None] * 2)
    with pytest.raises(xl.InvalidInputError, match="y, row 2: the target is missing; a label is accepted"):
        xl.DecisionTreeClassifier().fit(ROWS, [0, 1, None] * 2)


def test_names_and_levels_that_would_not_show_are_quoted():
    frame = pd.DataFrame({"a\nb": ["", "x\ny", "q", "q", "", " s"]})
    rules = xl.DecisionTreeClassifier().fit(frame, LABELS).rules()
    assert len(rules.split("\n")) == 4
    assert r"'a\nb' = 'x\ny'" in rules and "{'', <other>}" in rules


@pytest.mark.parametrize(
    "estimator",
    [
        xl.DecisionTreeClassifier(random_state=-1),
        xl.RandomForestClassifier(n_estimators=10**30),
        xl.RandomForestClassifier(max_samples=10**30),
        xl.RandomForestClassifier(n_jobs=10**30),
        xl.DecisionTreeClassifier(categorical_features="junk"),
        xl.DecisionTreeClassifier(categorical_features={}),
    ],
)
def test_parameters_out_of_range_are_named(estimator):
    with pytest.raises(xl.InvalidInputError, match=r"(is|are) accepted"):
        estimator.fit(ROWS, LABELS)


def test_limits_above_all_rows_are_no_limits():
    assert xl.DecisionTreeClassifier(min_samples_leaf=10**30).fit(ROWS, LABELS).get_n_leaves() == 1
    assert xl.DecisionTreeClassifier(max_leaf_nodes=10**30, max_depth=10**30).fit(ROWS, LABELS).get_n_leaves() == 5


def test_rules_of_surrogates_tell_only_of_known_values():
    frame = pd.DataFrame({"a": [1.0] * 4 + [9.0] * 4 + [None] * 2, "b": [1.0, 1, 1, 9, 9, 9, 9, 1, 9, 1]})
    tree = xl.DecisionTreeClassifier(missing="surrogate", max_depth=1).fit(frame, [0] * 4 + [1] * 4 + [1, 0])
    assert tree.predict(pd.DataFrame({"a": [None, None], "b": [9.0, 1.0]}, dtype=float)).tolist() == [1, 0]
    assert [rule.partition(":")[0] for rule in tree.rules().split("\n")] == [
        "if a <= 5",
        "if a > 5",
        "where a tested value is missing, surrogate splits decide",
    ]


def test_many_levels_take_no_time():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"level": [f"l{k}" for k in rng.integers(0, 3000, 20_000)]})
    tree = xl.DecisionTreeClassifier().fit(frame, rng.integers(0, 5, 20_000))
    assert tree.get_n_leaves() > 1000


@pytest.mark.parametrize("make", [xl.DecisionTreeClassifier, xl.DecisionTreeRegressor, xl.RandomForestClassifier])
def test_surrogates_keep_no_order_and_say_so(make):
    with pytest.raises(xl.InvalidInputError, match=r"monotonic_cst is .* with missing='surrogate'"):
        make(missing="surrogate", monotonic_cst=[1]).fit(ROWS, LABELS)


def test_a_drawn_cut_is_not_rounded():
    pytest.importorskip("matplotlib")
    tree = xl.DecisionTreeClassifier().fit(pd.DataFrame({"gain": [7055.25, 7055.75]}), [0, 1])
    assert any("7055.5" in text.get_text() for text in xl.plot_tree(tree).texts)
    assert xl.plot_tree(xl.RandomForestClassifier(3, random_state=0).fit(ROWS, LABELS)).texts
    with pytest.raises(xl.InvalidInputError, match="result is 3; what prune_cv returns is accepted"):
        xl.plot_pruning(3)


def test_folds_and_validation_rows_that_are_not_there():
    tree = xl.DecisionTreeClassifier().fit(ROWS, LABELS)
    with pytest.raises(xl.InvalidInputError, match="fold 0 of cv is no pair of rows from 0 to 5"):
        xl.prune_cv(tree, ROWS, LABELS, cv=[([0, 1], [99999])])
    with pytest.raises(xl.InvalidInputError, match="no rows of positive weight"):
        xl.prune_reduced_error(tree, ROWS, LABELS, np.zeros(6))
    with pytest.raises(xl.InvalidInputError, match="y, row 0: nan is not a finite number"):
        xl.prune_reduced_error(xl.DecisionTreeRegressor().fit(ROWS, LABELS), ROWS, np.full(6, np.nan))


@pytest.mark.parametrize("make", [lambda ids: ids[:, None], lambda ids: pd.DataFrame({"id": ids}, dtype="Int64")])
def test_long_numbers_as_categories_stay_apart(make):
    ids = 2**62 + np.arange(40)
    tree = xl.DecisionTreeClassifier(categorical_features=[0]).fit(make(ids), np.arange(40) % 2)
    assert tree.score(make(ids), np.arange(40) % 2) == 1.0
    assert len(tree.features_[0].categories) == 41
    assert tree.unseen(make(ids[:1] + 100)).all()


def test_sets_of_many_levels_stay_short():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"level": [f"l{k}" for k in rng.integers(0, 2000, 4000)], "x": rng.normal(size=4000)})
    frame.loc[rng.random(4000) < 0.1, "level"] = None
    target = rng.normal(size=4000)
    tree = xl.DecisionTreeRegressor().fit(frame, target)
    assert np.abs(tree.predict(frame) - target).max() < 1e-12
    assert len(tree.tree_.set_items) < 100_000
    assert xl.verify_model(tree.to_model(), tree, n=300).ok
