"""Compatible trees keep scikit-learn's contract, share their old tree, and refuse what does not fit it."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

import xylogic as xl


@pytest.mark.filterwarnings("ignore:SCIPY_ARRAY_API")
@parametrize_with_checks(
    [xl.CompatibleTreeClassifier(), xl.CompatibleTreeRegressor(), xl.CompatibleTreeClassifier(criterion="entropy")]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def table(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + X[:, 1] ** 2 > 0.7).astype(int)


def old_tree(**options):
    X, y = table(seed=1)
    return xl.DecisionTreeClassifier(max_depth=3, **options).fit(X, y)


def test_clones_and_grid_searches_share_the_fitted_old_tree():
    old, (X, y) = old_tree(), table()
    tree = xl.CompatibleTreeClassifier(old, strength=0.1, class_weight={0: 2, 1: 1})
    copy = clone(tree)
    assert copy.old is old and copy.strength == 0.1
    assert copy.class_weight == tree.class_weight and copy.class_weight is not tree.class_weight
    search = GridSearchCV(tree, {"strength": [0, 0.01], "dissimilarity": ["jac", "mse"]}, cv=3).fit(X, y)
    assert search.best_estimator_.old is old
    within = make_pipeline(FunctionTransformer(), tree)
    assert clone(within)[-1].old is old
    assert cross_val_score(within, X, y, cv=3).mean() > 0.7
    assert not any(name.startswith("old__") for name in within.get_params())


def test_copies_in_files_answer_alike():
    X, y = table()
    tree = xl.CompatibleTreeClassifier(old_tree()).fit(X, y)
    again = pickle.loads(pickle.dumps(tree))
    assert (again.predict(X) == tree.predict(X)).all()
    assert again.fit(X, y).rules() == tree.rules()


@pytest.mark.parametrize("options", [{"strength": 0.0}, {"old": None}])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification"])
def test_without_strength_or_old_tree_it_is_cart(options, criterion):
    X, y = table()
    old = options.get("old", old_tree())
    tree = xl.CompatibleTreeClassifier(old, strength=options.get("strength", 0.1), criterion=criterion).fit(X, y)
    plain = xl.DecisionTreeClassifier(zero_gain="refuse", criterion=criterion).fit(X, y)
    assert tree.rules() == plain.rules()
    assert (tree.grown_.gain == plain.grown_.gain).all()


def test_where_nobody_relies_on_a_row_it_is_cart():
    X, y = table()
    with pytest.warns(UserWarning, match="relied is 0 everywhere; pass numbers above 0"):
        tree = xl.CompatibleTreeClassifier(old_tree(), strength=10).fit(X, y, relied=np.zeros(len(X)))
    assert tree.rules() == xl.DecisionTreeClassifier(zero_gain="refuse").fit(X, y).rules()
    with pytest.warns(UserWarning, match="plain CART: .* pass a greater tolerance, or relied") as said:
        numbers = xl.CompatibleTreeRegressor(old_tree_of_numbers(), strength=10).fit(X, X[:, 0] + 5)
    assert len(said) == 1 and said[0].filename == __file__
    assert numbers.rules() == xl.DecisionTreeRegressor(zero_gain="refuse").fit(X, X[:, 0] + 5).rules()


def test_only_a_strength_that_comes_to_nothing_is_warned_of():
    X, y = table()
    old = old_tree()
    wrong = 1 - old.predict(X)
    with pytest.warns(UserWarning, match="the old model answers no row right; pass relied") as said:
        xl.prune_compatible(xl.CompatibleTreeClassifier(old), X, wrong, cv=3)
    assert len(said) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        xl.CompatibleTreeClassifier(old, strength=0.0).fit(X, wrong)
        wrong[0] = 1 - wrong[0]
        xl.CompatibleTreeClassifier(old).fit(X, wrong)
        xl.prune_compatible(xl.CompatibleTreeClassifier(old), X, y, cv=3)


def old_tree_of_numbers():
    X, _ = table(seed=1)
    return xl.DecisionTreeRegressor(max_depth=3).fit(X, X[:, 0])


def test_a_large_strength_keeps_the_old_explanations():
    X, y = table()
    old = old_tree()
    tree = xl.CompatibleTreeClassifier(old, strength=1000.0).fit(X, y)
    plain = xl.DecisionTreeClassifier().fit(X, y)
    ours, theirs = tree.compatibility(X, y), xl.compatibility(old, plain, X, y)
    assert ours.mse < theirs.mse / 10 and ours.jac < theirs.jac and ours.mae < theirs.mae


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda X, y: (X, np.where(y == 1, 2, y)),
            "1 only in the old tree and 2 only in the new data; .* are accepted$",
        ),
        (lambda X, y: (X, np.where(np.arange(len(y)) == 0, 5, y)), "classes 5 only in the new data"),
        (lambda X, y: (X, np.zeros_like(y)), "classes 1 only in the old tree.* row of sample_weight 0"),
        (lambda X, y: (X[:, :2], y), "the new data has 2 columns and the old tree has 3"),
        (lambda X, y: (np.where(X[3, 1] == X, np.nan, X), y), "column 'x1', row 3: the value is missing"),
        (lambda X, y: (np.where(X[3, 1] == X, np.inf, X), y), "column 'x1', row 3: inf is infinite"),
        (lambda X, y: (pd.DataFrame(X, columns=list("abc")).assign(kind=list("ab") * 100), y), "'kind' is categorical"),
    ],
)
def test_what_does_not_fit_the_old_tree_is_refused_by_name(change, words):
    X, y = change(*table())
    with pytest.raises(xl.InvalidInputError, match=words):
        xl.CompatibleTreeClassifier(old_tree()).fit(X, y)


def test_columns_are_matched_by_name():
    X, y = table()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    old = xl.DecisionTreeClassifier(max_depth=3).fit(frame, 1 - y)
    ways = [xl.CompatibleTreeClassifier(old, strength=1.0).fit(frame[list(names)], y) for names in ("abc", "cab")]
    assert np.array_equal(*(way.predict(frame[list(way.feature_names_in_)]) for way in ways))
    assert ways[0].compatibility(frame, y).mse == pytest.approx(ways[1].compatibility(frame, y).mse)
    with pytest.raises(xl.InvalidInputError, match="features 'd' only in the new data and 'b' only in the old tree"):
        xl.CompatibleTreeClassifier(old).fit(frame.rename(columns={"b": "d"}), y)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dissimilarity": "l2"}, "dissimilarity is 'l2'"),
        ({"strength": -1.0}, "strength is -1.0"),
        ({"jlu": "max"}, "jlu is 'max'"),
        ({"max_depth": 0}, "max_depth is 0"),
    ],
)
def test_bad_parameters_are_refused(options, words):
    with pytest.raises(xl.InvalidInputError, match=words):
        xl.CompatibleTreeClassifier(old_tree(), **options).fit(*table())


def test_other_kinds_of_old_model_are_refused():
    X, y = table()
    forest = xl.RandomForestClassifier(n_estimators=2).fit(X, y)
    with pytest.raises(xl.UnsupportedModelError, match="the old tree has 2 trees"):
        xl.CompatibleTreeClassifier(forest).fit(X, y)
    with pytest.raises(xl.InvalidInputError, match="the old tree answers with numbers, the new data with classes 0, 1"):
        xl.CompatibleTreeClassifier(old_tree_of_numbers()).fit(X, y)
    with pytest.raises(xl.InvalidInputError, match="criterion is 'poisson'"):
        xl.CompatibleTreeRegressor(old_tree_of_numbers(), criterion="poisson").fit(X, X[:, 0])
    with pytest.raises(xl.InvalidInputError, match="relied have shape"):
        xl.CompatibleTreeClassifier(old_tree()).fit(X, y, relied=[1.0])


def test_rows_of_weight_two_are_two_rows_and_of_weight_zero_none():
    X, y = table(60)
    old, weight = old_tree(), np.arange(60) % 3
    for kind in ("jac", "jlu", "mae", "mse"):
        tree = xl.CompatibleTreeClassifier(old, strength=0.3, dissimilarity=kind)
        once, repeated = (
            clone(tree).fit(X, y, sample_weight=weight),
            clone(tree).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)),
        )
        assert np.array_equal(once.tree_.feature, repeated.tree_.feature)
        assert np.allclose(once.grown_.gain, repeated.grown_.gain, atol=1e-9)
