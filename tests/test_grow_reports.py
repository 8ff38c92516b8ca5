"""What users of other tree learners reported, each with what ours does."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import xylogic as xl

IRIS, SPECIES = load_iris(return_X_y=True)
CLASSIFIERS = [xl.DecisionTreeClassifier, xl.RandomForestClassifier]
REGRESSORS = [xl.DecisionTreeRegressor, xl.RandomForestRegressor]


def small(kind, **options):
    """An estimator that is quick to fit."""
    if "Forest" in kind.__name__:
        options = {"n_estimators": 5, **options}
    return kind(random_state=0, **options)


@pytest.mark.parametrize("kind", CLASSIFIERS + REGRESSORS)
@pytest.mark.parametrize("missing", ["direction", "level", "surrogate", "fractional"])
def test_r025_missing_values_are_taken_by_every_estimator(kind, missing):
    """At training or only at prediction; and the capability can be asked before fitting."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    y = (X[:, 0] > 0).astype(int)
    estimator = small(kind, missing=missing)
    assert estimator.__sklearn_tags__().input_tags.allow_nan
    holed = X.copy()
    holed[rng.random(100) < 0.3, 0] = np.nan
    for table in (X, holed):
        fitted = estimator.fit(table, y)
        answer = fitted.predict(np.array([[np.nan, 0, 0], [np.nan] * 3]))
        assert np.isfinite(answer).all()
        if missing == "fractional":
            continue  # answers from several leaves are those of no model
        model = fitted.to_model()
        if missing != "surrogate" or table is holed:
            assert model.predict(np.array([[np.nan, 0, 0]])) == answer[:1]
        assert xl.verify_model(model, fitted, table)


@pytest.fixture
def shop():
    """Category a sells, b does not, and a missing one does."""
    frame = pd.DataFrame({"kind": ["a", "b", None] * 10, "size": np.arange(30) % 7 / 2})
    return frame, np.array(["yes", "no", "yes"] * 10)


def test_r026_unknown_and_missing_are_different_states(shop, tmp_path):
    frame, y = shop
    tree = xl.DecisionTreeClassifier().fit(frame, np.where(frame["kind"].isna(), "gone", y))
    rows = pd.DataFrame({"kind": ["z", None], "size": [1.0, 1.0]})
    assert tree.predict(rows)[1] == "gone" and tree.predict(rows)[0] != "gone"
    tree.to_model().save(tmp_path / "model.json")
    model = xl.load(tmp_path / "model.json")
    assert (model.features[0].categories, model.features[0].other) == (("a", "b", "<other>"), "<other>")
    np.testing.assert_array_equal(model.predict(rows), tree.predict(rows))
    explainer = xl.Explainer(model)
    unknown, missing = (explainer.explain({"kind": kind, "size": 1.0}) for kind in ("z", None))
    assert str(unknown.sufficient_reason()) == "kind = <other>"
    assert str(missing.sufficient_reason()) == "kind is missing"
    changed = unknown.counterfactual("gone")
    assert changed["kind"] is None or changed["kind"] != changed["kind"]
    assert model.predict([changed])[0] == "gone"


def test_r027_zero_gain_splits_are_made_or_refused_as_asked():
    """XOR: no first split gains anything; 7 nodes where such splits are accepted, else 1."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    y = [0, 1, 1, 0]
    assert xl.DecisionTreeClassifier().fit(X, y).tree_.n_nodes == 7
    assert xl.DecisionTreeClassifier(min_impurity_decrease=1e-9).fit(X, y).tree_.n_nodes == 1
    assert xl.DecisionTreeClassifier(zero_gain="refuse").fit(X, y).tree_.n_nodes == 1


@pytest.mark.parametrize("kind", CLASSIFIERS + REGRESSORS)
def test_r028_category_codes_below_zero(kind):
    frame = pd.DataFrame({"c": pd.Categorical.from_codes([-1, 0, 1, 0, 1, -1], ["u", "v"])})
    y = [2, 0, 1, 0, 1, 2]
    fitted = small(kind).fit(frame, y)
    assert fitted.features_[0].categories == ("u", "v", "<other>") and fitted.features_[0].may_be_missing
    codes = np.array([[-1.0], [0], [1], [0], [1], [-1]])
    coded = small(kind, categorical_features=[0]).fit(codes, y)
    assert coded.features_[0].may_be_missing
    np.testing.assert_array_equal(coded.predict(codes), fitted.predict(frame))
    for bad in (-2.0, 0.5):
        with pytest.raises(xl.InvalidInputError, match=f"column 'x0', row 0: {bad} is not a category"):
            small(kind, categorical_features=[0]).fit(np.where(codes == -1, bad, codes), y)
        with pytest.raises(xl.InvalidInputError, match=f"column 'x0', row 0: {bad} is not a category"):
            coded.predict([[bad]])


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_r029_one_class_in_training(kind):
    fitted = small(kind).fit(np.arange(10.0).reshape(-1, 1), [1] * 10)
    assert fitted.classes_.tolist() == [1]
    assert fitted.predict_proba([[3.0]]).tolist() == [[1.0]]


def test_r032_prediction_is_total_and_says_where_a_level_was_unseen():
    """Colours at the root; sizes are asked about only below "a". The larger child takes what a node has not seen."""
    frame = pd.DataFrame(
        {"colour": ["a"] * 6 + ["b"] * 2 + ["c"] * 2, "size": ["s", "m", "s", "m", "s", "s", "m", "m", "m", "m"]}
    )
    tree = xl.DecisionTreeClassifier().fit(frame, [0, 1, 0, 1, 0, 0, 2, 2, 2, 2])
    rows = pd.DataFrame({"colour": ["c", "a", "z", "a"], "size": ["huge", "huge", "s", "m"]})
    assert tree.predict(rows).tolist() == [2, 0, 0, 1]
    assert tree.unseen(rows).tolist() == [[False, False], [False, True], [True, False], [False, False]]
    assert not tree.unseen(frame).any()
    np.testing.assert_array_equal(tree.to_model().predict(rows), tree.predict(rows))


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_r033_every_leaf_has_the_training_rows_it_says(data):
    n = data.draw(st.integers(2, 20))
    cell = st.one_of(st.integers(0, 2).map(float), st.just(np.nan), st.sampled_from([0.1, 0.1 + 2**-55, -0.0, np.inf]))
    X = np.array(data.draw(st.lists(st.tuples(cell, cell), min_size=n, max_size=n)))
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    least = data.draw(st.integers(1, n))
    for kind in (xl.DecisionTreeClassifier, xl.DecisionTreeRegressor):
        tree = kind(min_samples_leaf=least).fit(X, y)
        count = np.bincount(tree.apply(X), minlength=tree.tree_.n_nodes)
        leaves = tree.tree_.left < 0
        np.testing.assert_array_equal(count[leaves], tree.grown_.n_rows[leaves])
        assert (count[leaves] >= min(least, n)).all()


def test_r033_a_column_of_two_values_and_half_of_the_rows():
    X = np.array([[0.0]] * 5 + [[1.0]] * 5)
    tree = xl.DecisionTreeClassifier(min_samples_leaf=5).fit(X, [0] * 5 + [1] * 5)
    assert np.bincount(tree.apply(X))[1:].tolist() == [5, 5]


@given(st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_r034_all_ways_of_asking_for_a_leaf_agree(seed):
    """Answers, leaf, path, text, circuit and explanation: on missing, unseen, cuts, their neighbours and zeros."""
    rng = np.random.default_rng(seed)
    n = 25
    frame = pd.DataFrame(
        {
            "num": rng.choice([-1.0, -0.0, 0.0, 0.5, 2.0, np.nan], n),
            "col": rng.choice(np.array(["r", "g", "b", None], dtype=object), n),
        }
    )
    y = rng.integers(0, 3, n)
    tree = xl.DecisionTreeClassifier(max_depth=3, missing=str(rng.choice(["direction", "level"]))).fit(frame, y)
    cuts = list(tree.to_model().features[0].cuts)
    numbers = [*cuts, *np.nextafter(cuts, 9).tolist(), *np.nextafter(cuts, -9).tolist(), 0.0, -0.0]
    numbers += [np.nan] if tree.features_[0].may_be_missing else []
    colours = ["r", "g", "b", "unheard of", *([None] if tree.features_[1].may_be_missing else [])]
    rows = pd.DataFrame([(a, b) for a in numbers for b in colours], columns=["num", "col"])
    leaf = tree.apply(rows)
    path = tree.decision_path(rows)
    assert [path.indices[end - 1] for end in path.indptr[1:]] == leaf.tolist()
    by_node = {one.node: one for one in tree.leaves()}
    formulas = xl.compile_model(tree)
    explainer = xl.Explainer(tree)
    circuit = {label: formulas[label].evaluate(rows) for label in tree.classes_.tolist()}
    model = tree.to_model()
    np.testing.assert_array_equal(model.apply(rows)[:, 0], leaf)
    for place, row in enumerate(rows.to_dict("records")):
        answer = tree.predict(rows.iloc[[place]])[0]
        assert [node for node, one in by_node.items() if one.box.matches(row)] == [leaf[place]]
        assert by_node[leaf[place]].answer == answer
        assert [label for label, holds in circuit.items() if holds[place]] == [answer]
        if place % 7 == 0:
            explanation = explainer.explain(row)
            assert explanation.prediction == answer and explanation.sufficient_reason().matches(row)


@pytest.mark.parametrize("factor", [0.1, 0.01, 1e-30, 3.0, 1e9, 2.0**-40, 2.0**70])
@pytest.mark.parametrize("kind", CLASSIFIERS + REGRESSORS)
def test_r035_a_common_factor_of_the_weights_changes_nothing(kind, factor):
    tables = [
        (np.array([[1.0, 0], [1, 2], [1, 1], [0, 3]]), np.array([0, 0, 0, 1]), np.ones(4)),
        (IRIS, SPECIES, np.random.default_rng(0).integers(1, 5, 150).astype(float)),
    ]
    for X, y, weight in tables:
        plain = small(kind).fit(X, y, sample_weight=weight)
        scaled = small(kind).fit(X, y, sample_weight=weight * factor)
        for one, other in zip(plain.to_model().trees, scaled.to_model().trees, strict=True):
            np.testing.assert_array_equal(one.feature, other.feature)
            np.testing.assert_array_equal(one.cut, other.cut)
            np.testing.assert_array_equal(one.value, other.value)
        np.testing.assert_allclose(plain.feature_importances_, scaled.feature_importances_, rtol=1e-12)


@pytest.mark.parametrize(
    "values", [[3e38, -3e38], [1.0, np.nextafter(1.0, 2)], [16777216.0, 16777217.0], [0.0, 1e-7], [-1.7e308, 1.7e308]]
)
def test_r036_neighbours_are_separated(values):
    X = np.array(values).reshape(-1, 1)
    tree = xl.DecisionTreeClassifier().fit(X, [0, 1])
    assert tree.predict(X).tolist() == [0, 1]
    assert min(values) <= tree.tree_.cut[0] < max(values)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "absolute_error"])
@pytest.mark.parametrize("sign", [1, -1])
def test_r037_predictions_are_monotone_and_are_those_stored(criterion, sign):
    rng = np.random.default_rng(0)
    for n in (6, 60):
        X = np.arange(1.0, n + 1).reshape(-1, 1)
        y = np.array([1, 0, 1, 0, 1, 1]) if n == 6 else (rng.random(n) < np.arange(n) / n).astype(int)
        if criterion in ("gini", "entropy"):
            tree = xl.DecisionTreeClassifier(criterion=criterion, monotonic_cst=[sign]).fit(X, y)
            answers = tree.predict_proba(X)[:, 1]
            stored = tree.grown_.value[tree.apply(X), 1]
        else:
            tree = xl.DecisionTreeRegressor(criterion=criterion, monotonic_cst={"x0": sign}).fit(X, y)
            answers = tree.predict(X)
            stored = tree.grown_.value[tree.apply(X), 0]
        assert (sign * np.diff(answers) >= 0).all()
        np.testing.assert_array_equal(answers, stored)
        np.testing.assert_array_equal(tree.to_model().predict(X), tree.predict(X))


def test_r037_constraints_that_mean_nothing_are_refused():
    with pytest.raises(xl.InvalidInputError, match="monotonic_cst fits numbers and two classes; there are 3"):
        xl.DecisionTreeClassifier(monotonic_cst=[1, 0, 0, 0]).fit(IRIS, SPECIES)
    with pytest.raises(xl.InvalidInputError, match="monotonic_cst: column 'c' is categorical"):
        xl.DecisionTreeRegressor(monotonic_cst={"c": 1}).fit(pd.DataFrame({"c": ["a", "b"]}), [0, 1])


@pytest.mark.parametrize("kind", CLASSIFIERS + REGRESSORS)
def test_r038_text_is_taken_as_it_is(kind):
    frame = pd.DataFrame({"colour": ["red", "green", "blue", "green", "red", "blue"]})
    y = (frame["colour"] == "green").astype(int)
    fitted = small(kind).fit(frame, y)
    assert fitted.predict(frame).tolist() == y.tolist() or "Forest" in kind.__name__
    if "Forest" not in kind.__name__:
        assert fitted.get_n_leaves() == 2
        assert {str(leaf.box) for leaf in fitted.leaves()} == {"colour = green", "colour in {blue, red, <other>}"}
        assert "colour = green" in fitted.rules()
