"""Forests against what they are made of: single trees on the rows drawn, averaged or counted by hand."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn import ensemble
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.inspection import permutation_importance
from sklearn.metrics import accuracy_score, balanced_accuracy_score, mean_absolute_error, r2_score
from sklearn.model_selection import cross_val_score
from sklearn.utils.class_weight import compute_sample_weight

from xylogic.errors import InvalidInputError, NotFittedError
from xylogic.grow.bagging import tree_seeds
from xylogic.grow.estimators import DecisionTreeClassifier, DecisionTreeRegressor
from xylogic.grow.forests import RandomForestClassifier, RandomForestRegressor

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*out-of-bag answer", "ignore:Some inputs do not have OOB", "ignore:max_samples"
)

KINDS = {"classifier": (RandomForestClassifier, DecisionTreeClassifier, load_wine),
         "regressor": (RandomForestRegressor, DecisionTreeRegressor, load_diabetes)}  # fmt: skip


@pytest.fixture(params=list(KINDS))
def kind(request):
    """A forest class, its tree class, and data."""
    forest, tree, load = KINDS[request.param]
    X, y = load(return_X_y=True)
    return forest, tree, X[::2], y[::2]


def arrays(tree) -> list[bytes]:
    return [getattr(tree, name).tobytes() for name in tree.__slots__]


def same_trees(a, b) -> bool:
    return [arrays(tree) for tree in a.trees_] == [arrays(tree) for tree in b.trees_]


def by_hand(est, X, y, tree_class, **options) -> list:
    """The trees of a forest grown one by one, each on its rows with the number of draws as weight."""
    seeds = tree_seeds(np.random.RandomState(est.random_state), est.n_estimators)
    trees = []
    for seed, rows in zip(seeds, est.estimators_samples_, strict=True):
        tree = tree_class(random_state=seed, max_features=est.max_features, **options)
        trees.append(tree.fit(X, y, sample_weight=np.bincount(rows, minlength=len(X))))
    return trees


@pytest.mark.parametrize("max_features", [None, "sqrt"])
def test_each_tree_is_a_single_tree_on_the_rows_drawn(kind, max_features):
    forest, tree, X, y = kind
    est = forest(6, max_features=max_features, min_samples_leaf=2, random_state=5).fit(X, y)
    members = by_hand(est, X, y, tree, min_samples_leaf=2)
    assert [arrays(member.tree_) for member in members] == [arrays(member) for member in est.trees_]


def test_predictions_are_means_in_tree_order(kind):
    forest, tree, X, y = kind
    est = forest(7, max_features=0.5, random_state=5).fit(X, y)
    total = 0.0
    for member in by_hand(est, X, y, tree):
        total = total + (member.predict_proba(X) if hasattr(est, "classes_") else member.predict(X))
    mean = total / 7
    if hasattr(est, "classes_"):
        assert est.predict_proba(X).tolist() == mean.tolist()
        assert est.predict(X).tolist() == est.classes_[mean.argmax(axis=1)].tolist()
        with np.errstate(divide="ignore"):
            assert est.predict_log_proba(X).tolist() == np.log(mean).tolist()
    else:
        assert est.predict(X).tolist() == mean.tolist()
    assert est.to_model().predict(X).tolist() == est.predict(X).tolist()
    assert est.apply(X).shape == (len(X), 7)


def test_a_majority_counts_votes():
    X, y = load_iris(return_X_y=True)
    soft = RandomForestClassifier(9, max_depth=2, random_state=0).fit(X, y)
    hard = RandomForestClassifier(9, max_depth=2, random_state=0, voting="majority").fit(X, y)
    assert same_trees(soft, hard)
    votes = np.zeros((len(X), 3))
    for member in by_hand(hard, X, y, DecisionTreeClassifier, max_depth=2):
        votes[np.arange(len(X)), member.predict(X)] += 1
    assert hard.predict_proba(X).tolist() == (votes / 9).tolist()
    assert hard.predict(X).tolist() == votes.argmax(axis=1).tolist()
    assert hard.to_model().voting == "majority"
    assert soft.to_model().with_voting("majority").predict(X).tolist() == hard.predict(X).tolist()


@pytest.mark.parametrize("options", [{}, {"splitter": "random"}, {"splitter": "hist"}, {"bootstrap": False}], ids=str)
def test_the_number_of_jobs_changes_nothing(kind, options):
    forest, _, X, y = kind
    oob = options.get("bootstrap", True)
    made = [forest(8, max_features=2, random_state=1, n_jobs=n, oob_score=oob, **options).fit(X, y) for n in (1, 2, -1)]
    for other in made[1:]:
        assert same_trees(made[0], other)
        assert made[0].predict(X).tolist() == other.predict(X).tolist()
        assert made[0].feature_importances_.tolist() == other.feature_importances_.tolist()
        assert not oob or made[0].oob_score_ == other.oob_score_


def test_the_seed_decides(kind):
    forest, _, X, y = kind
    one, same, other = (forest(3, max_features=2, random_state=seed).fit(X, y) for seed in (1, 1, 2))
    assert same_trees(one, same) and not same_trees(one, other)
    drawn = forest(3, max_features=2, random_state=np.random.RandomState(1)).fit(X, y)
    assert same_trees(one, drawn)
    assert not same_trees(*(forest(3, max_features=2).fit(X, y) for _ in range(2)))


# ---------------------------------------------------------------- out of bag


@pytest.mark.parametrize("voting", ["average", "majority"])
def test_out_of_bag_answers_are_those_of_the_trees_that_did_not_see_the_row(voting):
    X, y = load_wine(return_X_y=True)
    est = RandomForestClassifier(40, random_state=3, oob_score=True, voting=voting).fit(X, y)
    total, seen = np.zeros((len(X), 3)), np.zeros(len(X))
    for member, rows in zip(by_hand(est, X, y, DecisionTreeClassifier), est.estimators_samples_, strict=True):
        out = np.setdiff1d(np.arange(len(X)), rows)
        answer = member.predict_proba(X[out])
        total[out] += answer if voting == "average" else np.equal.outer(answer.argmax(axis=1), np.arange(3))
        seen[out] += 1
    share = total / seen[:, None]
    assert est.oob_decision_function_.tolist() == share.tolist()
    assert est.oob_score_ == accuracy_score(y, share.argmax(axis=1))


def test_out_of_bag_answers_of_a_regressor():
    X, y = load_diabetes(return_X_y=True)
    est = RandomForestRegressor(30, max_depth=4, random_state=3, oob_score=True).fit(X, y)
    total, seen = np.zeros(len(X)), np.zeros(len(X))
    for member, rows in zip(
        by_hand(est, X, y, DecisionTreeRegressor, max_depth=4), est.estimators_samples_, strict=True
    ):
        out = np.setdiff1d(np.arange(len(X)), rows)
        total[out] += member.predict(X[out])
        seen[out] += 1
    assert est.oob_prediction_.tolist() == (total / seen).tolist()
    assert est.oob_score_ == r2_score(y, total / seen)
    by = RandomForestRegressor(30, max_depth=4, random_state=3, oob_score=mean_absolute_error).fit(X, y)
    assert by.oob_score_ == mean_absolute_error(y, total / seen)


def test_rows_that_every_tree_saw_have_no_out_of_bag_answer_and_do_not_score():
    X, y = np.arange(12.0)[:, None], np.repeat(["a", "b"], 6)
    with pytest.warns(UserWarning, match="out-of-bag"):
        est = RandomForestClassifier(1, random_state=0, oob_score=balanced_accuracy_score).fit(X, y)
    seen = np.isin(np.arange(12), est.estimators_samples_[0])
    assert np.isnan(est.oob_decision_function_[seen]).all() and not np.isnan(est.oob_decision_function_[~seen]).any()
    expected = balanced_accuracy_score(y[~seen], est.classes_[est.oob_decision_function_[~seen].argmax(axis=1)])
    assert est.oob_score_ == expected


def test_the_out_of_bag_score_is_weighted():
    X, y = load_wine(return_X_y=True)
    weight = np.random.default_rng(0).integers(0, 4, len(X)).astype(float)
    est = RandomForestClassifier(60, max_depth=1, max_features=1, random_state=3, oob_score=True).fit(X, y, weight)
    guess = est.classes_[est.oob_decision_function_.argmax(axis=1)]
    assert est.oob_score_ == pytest.approx(accuracy_score(y, guess, sample_weight=weight))
    without = RandomForestClassifier(60, max_depth=1, max_features=1, random_state=3, oob_score=True)
    without.fit(X[weight > 0], y[weight > 0], weight[weight > 0])
    assert same_trees(est, without) and est.oob_score_ == without.oob_score_


# ---------------------------------------------------------------- weights


def test_class_weights_are_weights_of_rows():
    X, y = load_iris(return_X_y=True)
    X, y = X[20:], y[20:]
    weight = np.array([1.0, 2.0, 0.5])
    rows = np.random.default_rng(0).uniform(0.5, 2, len(y))
    one = RandomForestClassifier(4, random_state=0, class_weight=dict(enumerate(weight))).fit(X, y, rows)
    two = RandomForestClassifier(4, random_state=0).fit(X, y, rows * weight[y])
    assert same_trees(one, two)
    balanced = RandomForestClassifier(4, random_state=0, class_weight="balanced").fit(X, y)
    assert same_trees(
        balanced, RandomForestClassifier(4, random_state=0).fit(X, y, compute_sample_weight("balanced", y))
    )


def test_balanced_subsamples_weigh_the_classes_of_each_draw():
    X, y = load_iris(return_X_y=True)
    X, y = X[20:], y[20:]
    est = RandomForestClassifier(4, random_state=0, class_weight="balanced_subsample").fit(X, y)
    seeds = tree_seeds(np.random.RandomState(0), 4)
    for tree, seed, rows in zip(est.trees_, seeds, est.estimators_samples_, strict=True):
        weight = np.bincount(rows, minlength=len(y)) * compute_sample_weight("balanced", y, indices=rows)
        single = DecisionTreeClassifier(max_features="sqrt", random_state=seed).fit(X, y, weight)
        assert arrays(single.tree_) == arrays(tree)
    whole = [
        RandomForestClassifier(2, bootstrap=False, class_weight=name, random_state=0).fit(X, y)
        for name in ("balanced", "balanced_subsample")
    ]
    assert same_trees(*whole)


def test_equal_weights_are_no_weights(kind):
    forest, _, X, y = kind
    plain = forest(4, random_state=0).fit(X, y)
    assert same_trees(plain, forest(4, random_state=0).fit(X, y, np.ones(len(y))))
    assert same_trees(plain, forest(4, random_state=0).fit(X, y, np.full(len(y), 0.25)))


def test_without_bootstrap_weights_reach_the_trees(kind):
    forest, tree, X, y = kind
    weight = np.random.default_rng(0).uniform(0.1, 2, len(y))
    est = forest(2, bootstrap=False, max_features=None, random_state=0).fit(X, y, weight)
    single = tree().fit(X, y, weight)
    assert [arrays(member) for member in est.trees_] == [arrays(single.tree_)] * 2
    assert [rows.tolist() for rows in est.estimators_samples_] == [list(range(len(y)))] * 2


# ---------------------------------------------------------------- parameters


def test_max_samples(kind):
    forest, _, X, y = kind
    for given, drawn in ((5, 5), (0.25, len(y) // 4), (None, len(y)), (2 * len(y), 2 * len(y))):
        est = forest(2, max_samples=given, random_state=0).fit(X, y)
        assert [len(rows) for rows in est.estimators_samples_] == [drawn, drawn]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_estimators": 0}, "n_estimators"),
        ({"n_estimators": 2.0}, "n_estimators"),
        ({"max_samples": 0}, "max_samples"),
        ({"max_samples": 0.0}, "max_samples"),
        ({"max_samples": 5, "bootstrap": False}, "max_samples.*bootstrap"),
        ({"oob_score": True, "bootstrap": False}, "oob_score.*bootstrap"),
        ({"oob_score": "yes"}, "oob_score"),
        ({"bootstrap": "yes"}, "bootstrap"),
        ({"warm_start": 2}, "warm_start"),
        ({"voting": "loud"}, "voting"),
        ({"class_weight": "unfair"}, "class_weight"),
        ({"criterion": "squared_error"}, "criterion"),
        ({"n_jobs": 1.5}, "n_jobs"),
    ],
    ids=str,
)
def test_parameters_out_of_range_are_refused(options, message):
    with pytest.raises(InvalidInputError, match=message):
        RandomForestClassifier(**options).fit([[0.0], [1.0]], [0, 1])


def test_nothing_answers_before_fit():
    for ask in (lambda est: est.predict([[0.0]]), lambda est: est.to_model(), lambda est: est.feature_importances_):
        with pytest.raises(NotFittedError):
            ask(RandomForestRegressor())


def test_clones_and_pickles(kind):
    forest, _, X, y = kind
    est = forest(3, max_features=2, random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(est))
    assert same_trees(est, again) and again.predict(X).tolist() == est.predict(X).tolist()
    assert same_trees(est, clone(est).fit(X, y))


# ---------------------------------------------------------------- importances


def test_impurity_importances_are_means_over_trees(kind):
    forest, tree, X, y = kind
    est = forest(5, max_features=3, max_depth=4, random_state=0).fit(X, y)
    each = [member.feature_importances_ for member in by_hand(est, X, y, tree, max_depth=4)]
    np.testing.assert_allclose(est.feature_importances_, np.mean(each, axis=0), rtol=1e-12)
    assert est.feature_importances_.sum() == pytest.approx(1)
    constant = forest(2, random_state=0).fit(X, np.zeros(len(y), int))
    assert constant.feature_importances_.tolist() == [0.0] * X.shape[1]


def test_permutation_importance_of_scikit_learn_works():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 1] > 0).astype(int)
    est = RandomForestClassifier(10, random_state=0).fit(X, y)
    found = permutation_importance(est, X, y, n_repeats=3, random_state=0)
    assert found.importances_mean.argmax() == 1 and found.importances_mean[1] > 0.3


# ---------------------------------------------------------------- against scikit-learn


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_with_all_columns_the_trees_are_scikit_learns_up_to_ties(load):
    X, y = load(return_X_y=True)
    ours = RandomForestClassifier(25, max_features=None, random_state=0, oob_score=True).fit(X.astype("f4"), y)
    theirs = ensemble.RandomForestClassifier(25, max_features=None, random_state=0, oob_score=True).fit(X, y)
    for a, b in zip(ours.estimators_samples_, theirs.estimators_samples_, strict=True):
        assert a.tolist() == b.tolist()
    assert ours.oob_score_ == pytest.approx(theirs.oob_score_, abs=0.02)
    assert np.mean(ours.predict(X.astype("f4")) == theirs.predict(X)) > 0.99


def test_scores_are_scikit_learns_within_noise(kind):
    forest, _, X, y = kind
    theirs = getattr(ensemble, forest.__name__)
    a, b = (cross_val_score(make(60, random_state=0), X, y, cv=5) for make in (forest, theirs))
    assert abs(a.mean() - b.mean()) < 2 * (a.std() + b.std()) / np.sqrt(5)


def test_random_splits_make_extra_trees(kind):
    forest, _, X, y = kind
    theirs = getattr(ensemble, forest.__name__.replace("RandomForest", "ExtraTrees"))
    ours = forest(60, splitter="random", bootstrap=False, random_state=0)
    a, b = (cross_val_score(est, X, y, cv=5) for est in (ours, theirs(60, random_state=0)))
    assert abs(a.mean() - b.mean()) < 2 * (a.std() + b.std()) / np.sqrt(5)
