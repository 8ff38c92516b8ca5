"""convert/sklearn.py: scikit-learn's trees and forests, bit for bit."""

import types

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor

from xylogic import (
    InvalidInputError,
    InvalidModelError,
    read_model,
    verify_model,
)
from xylogic.convert import sklearn as reader

CANCER = load_breast_cancer(return_X_y=True)


IRIS = load_iris(return_X_y=True)


SEEN = {"random_state": 0}


CLASSIFIERS = [
    DecisionTreeClassifier(**SEEN),
    DecisionTreeClassifier(criterion="entropy", max_leaf_nodes=7, class_weight="balanced", **SEEN),
    DecisionTreeClassifier(splitter="random", ccp_alpha=0.01, **SEEN),
    ExtraTreeClassifier(**SEEN),
    ExtraTreeClassifier(splitter="best", **SEEN),
    RandomForestClassifier(15, **SEEN),
    RandomForestClassifier(7, max_depth=2, class_weight={0: 1, 1: 5, 2: 0.1}, bootstrap=False, n_jobs=2, **SEEN),
    ExtraTreesClassifier(10, **SEEN),
]


REGRESSORS = [
    DecisionTreeRegressor(**SEEN),
    DecisionTreeRegressor(criterion="absolute_error", max_depth=3, **SEEN),
    DecisionTreeRegressor(criterion="poisson", max_depth=4, **SEEN),
    ExtraTreeRegressor(**SEEN),
    RandomForestRegressor(15, n_jobs=2, **SEEN),
    ExtraTreesRegressor(10, min_samples_leaf=3, **SEEN),
]


def fitted(model, X, y, **more):
    return clone(model).fit(X, y, **more)


def with_gaps(X, share=0.1, seed=0):
    X = X.copy()
    X[np.random.default_rng(seed).random(X.shape) < share] = np.nan
    return X


def assert_same(source, X=None):
    model = read_model(source)
    verdict = verify_model(model, source, X, n=500)
    assert verdict, str(verdict)
    return model


@pytest.mark.parametrize("source", CLASSIFIERS, ids=str)
@pytest.mark.parametrize("data", [CANCER, IRIS], ids=["cancer", "iris"])
def test_classifiers_bit_for_bit(source, data):
    X, y = data
    source = fitted(source, X, y)
    model = assert_same(source, X)
    assert (model.voting, model.cast, model.tie, model.named) == ("average", "float32", "first", False)
    assert model.classes == tuple(range(len(set(y))))
    assert model.source == f"scikit-learn {type(source).__name__}"
    assert model.feature_names[:2] == ("x0", "x1")


@pytest.mark.parametrize("source", REGRESSORS, ids=str)
def test_regressors_bit_for_bit(source):
    X, y = CANCER
    rng = np.random.default_rng(0)
    source = fitted(source, X, y + rng.normal(size=len(y)) ** 2)
    model = assert_same(source, X)
    assert model.classes is None
    source.set_params(**({"n_jobs": 1} if "n_jobs" in source.get_params() else {}))
    assert np.array_equal(model.predict(X), source.predict(X))


@pytest.mark.parametrize("source", [*CLASSIFIERS, *REGRESSORS], ids=str)
def test_missing_values_go_where_the_source_sends_them(source):
    X, y = CANCER
    X = with_gaps(X)
    if isinstance(source, ExtraTreeClassifier) and source.splitter == "best":
        assert not read_model(fitted(source, *CANCER)).accepts_missing
        return
    model = assert_same(fitted(source, X, y), X)
    assert model.accepts_missing and not any(feature.may_be_missing for feature in model.features)


def test_a_split_on_missing_alone():
    """scikit-learn stores +inf as the threshold; every number goes left."""
    X = np.array([[1.0], [2.0], [np.nan], [np.nan]])
    source = DecisionTreeClassifier().fit(X, [0, 0, 1, 1])
    assert np.isinf(source.tree_.threshold[0])
    model = assert_same(source, X)
    assert model.features[0].cuts == ()
    assert model.predict([[1e30], [-1e30], [None]]).tolist() == [0, 0, 1]


def test_a_model_that_refuses_missing_values_says_so():
    source = ExtraTreeClassifier(splitter="best", random_state=0).fit(*IRIS)
    model = assert_same(source)
    with pytest.raises(InvalidInputError, match="column 'x2', row 0: the value is missing, and scikit-learn ExtraTree"):
        model.predict([[5.0, 3.0, None, 1.0]])


def test_r001_a_threshold_equal_to_the_leaf_marker():
    """R001: leaves are told by structure."""
    source = DecisionTreeClassifier().fit([[-3.0], [-1.0]], [0, 1])
    assert source.tree_.threshold[0] == -2.0
    model = assert_same(source)
    assert model.trees[0].n_leaves == 2 and model.features[0].cuts == (-2.0,)
    assert model.predict([[-2.0], [np.nextafter(np.float32(-2), np.float32(0))]]).tolist() == [0, 1]


def test_r010_r004_r055_thresholds_are_compared_in_the_sources_precision():
    """R010, R004, R055: 400 random stumps probed at their own threshold, in float64 and float32, and beside it."""
    rng = np.random.default_rng(0)
    differing = 0
    for pair in [np.array([0.3, 0.4]), *rng.normal(size=(400, 2)), *rng.normal(size=(50, 2)).astype(np.float32)]:
        source = DecisionTreeClassifier().fit(pair[:, None], [0, 1])
        if source.tree_.node_count == 1:
            continue
        threshold = source.tree_.threshold[0]
        (cut,) = read_model(source).features[0].cuts
        narrow = np.float32(threshold)
        probes = np.array([
            threshold, np.nextafter(threshold, 9), np.nextafter(threshold, -9), narrow, *pair, cut,
            np.nextafter(narrow, np.float32(9)), np.nextafter(narrow, np.float32(-9)),
        ])[:, None]  # fmt: skip
        assert np.array_equal(read_model(source).predict(probes), source.predict(probes))
        assert cut == float(np.float32(cut)), "the cut shown is the largest input that goes left"
        differing += source.predict([[threshold]])[0] != (0 if source.tree_.value[1, 0, 0] == 1 else 1)
    assert differing > 50, "a plain float64 comparison would have been wrong"


def test_neighbouring_float32_numbers():
    low = np.float32(1.0)
    source = DecisionTreeClassifier().fit([[low], [np.nextafter(low, np.float32(2))]], [0, 1])
    assert_same(source)


def test_r014_values_may_be_counts_or_shares():
    """R014: since 1.3 node values are shares; before, weighted counts that predict_proba divided by their sum."""
    X = np.arange(6.0)[:, None]
    source = DecisionTreeClassifier(max_depth=2, random_state=0)
    source.fit(X, [0, 1, 0, 1, 1, 2], sample_weight=[1, 2, 1, 1, 3, 1])
    tree = source.tree_
    model = assert_same(source)
    leaves = tree.children_left < 0
    shares = model.trees[0].value[leaves]
    assert shares.sum(axis=1) == pytest.approx(1)
    assert tree.weighted_n_node_samples[leaves].sum() == 9
    counts = tree.value[:, 0, :] * tree.weighted_n_node_samples[:, None]
    old = reader.class_shares(counts)
    total = counts.sum(axis=1)[:, None]
    assert np.array_equal(old, counts / total)
    assert reader.class_shares(tree.value[:, 0, :]) is not None
    assert np.array_equal(reader.class_shares(tree.value[:, 0, :]), tree.value[:, 0, :])
    assert reader.class_shares(np.array([[0.0, 0.0], [2.0, 6.0]])).tolist() == [[0.0, 0.0], [0.25, 0.75]]


def test_r023_trees_that_never_split():
    """R023: constant trees count in the vote like any other."""
    X, y = np.arange(10.0)[:, None], [0] * 4 + [1] * 6
    source = RandomForestClassifier(5, min_samples_leaf=0.5, max_features=None, max_depth=1, random_state=0).fit(X, y)
    constant = RandomForestClassifier(5, min_samples_leaf=9, random_state=0).fit(X, y)
    assert all(member.tree_.node_count == 1 for member in constant.estimators_)
    for forest in (source, constant):
        assert_same(forest, X)
    assert read_model(constant).n_nodes == 5
    source.estimators_[1:3] = constant.estimators_[1:3]
    assert_same(source, X)


def test_r021_a_forest_averages_probabilities():
    """R021: (0,1), (0.6,0.4), (0.6,0.4) is class 1 for scikit-learn; two of three votes say 0."""
    X, y = np.zeros((2, 1)), [0, 1]
    source = RandomForestClassifier(3).fit(X, y)
    source.estimators_ = [DecisionTreeClassifier().fit(X, y, sample_weight=w) for w in ([0, 1], [3, 2], [3, 2])]
    model = assert_same(source)
    assert (model.voting, model.predict(X[:1]).tolist()) == ("average", [1])
    assert (model.with_voting("majority").voting, model.with_voting("majority").predict(X[:1]).tolist()) == (
        "majority",
        [0],
    )
    assert not verify_model(model.with_voting("majority"), source, X)


def test_boolean_columns():
    X = np.random.default_rng(0).random((60, 3)) > 0.5
    source = RandomForestClassifier(5, random_state=0).fit(X, X[:, 0] ^ X[:, 2])
    model = assert_same(source, X)
    assert np.array_equal(model.predict(X), source.predict(X))
    assert np.array_equal(model.predict(X.tolist()), source.predict(X))


def test_r053_a_tie_takes_the_first_class():
    X, y = np.zeros((40, 1)), [0, 1] * 20
    source = DecisionTreeClassifier().fit(X, y)
    assert source.predict_proba([[0]]).tolist() == [[0.5, 0.5]]
    assert assert_same(source).predict([[0]]).tolist() == [0]


@pytest.mark.parametrize(
    "labels",
    [
        ["no", "yes", "maybe"],
        np.array(["no", "yes", "maybe"], dtype=object),
        [False, True, False],
        [-5, 3, -1],
        [0, 2, 0],
        np.array([3, 1, 2], dtype=np.uint8),
        [0.0, 2.0, 1.0],
        ["é\n<b>", "", "\\"],
    ],
    ids=str,
)
def test_r099_labels_come_back_unchanged(labels):
    """R099: any label type; labels 0 and 2 only; each row sums to 1."""
    X, y = IRIS
    y = np.asarray(labels)[y]
    for source in (DecisionTreeClassifier(random_state=0), RandomForestClassifier(4, random_state=0)):
        source.fit(X, y)
        model = assert_same(source, X)
        assert list(model.classes) == source.classes_.tolist()
        assert not any(isinstance(label, np.generic) for label in model.classes)
        assert list(map(type, model.predict(X[:5]).tolist())) == list(map(type, source.predict(X[:5]).tolist()))
        assert model.predict_proba(X).sum(axis=1) == pytest.approx(1)


def test_r080_members_that_disagree_on_the_classes():
    X, y = IRIS
    forest = RandomForestClassifier(2, random_state=0).fit(X, y)
    forest.estimators_[1] = DecisionTreeClassifier().fit(X, y > 0)
    with pytest.raises(InvalidModelError, match="tree 1 knows 2 classes, the model 3"):
        read_model(forest)
    forest.estimators_[1] = DecisionTreeClassifier().fit(X[:, :2], y)
    with pytest.raises(InvalidModelError, match="tree 1 was fitted on 2 columns, the model on 4"):
        read_model(forest)
    forest.estimators_ = []
    with pytest.raises(InvalidModelError, match="has no trees"):
        read_model(forest)


def test_monotonic_constraints():
    """R037 (reading): the stored values are the clipped ones that predict answers."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = X[:, 0] + rng.normal(size=300)
    for source, target in [
        (DecisionTreeClassifier(max_depth=4, monotonic_cst=[1, 0, -1], random_state=0), y > 0),
        (RandomForestRegressor(5, monotonic_cst=[1, 0, -1], random_state=0), y),
        (ExtraTreesClassifier(5, monotonic_cst=[1, 0, -1], random_state=0), y > 0),
    ]:
        assert_same(source.fit(X, target), X)


def test_r087_a_deep_tree_is_read():
    """R087: alternating labels on ordered points; no recursion."""
    n = 1300
    source = DecisionTreeClassifier(splitter="best", random_state=0).fit(np.arange(n)[:, None], np.arange(n) % 2)
    model = assert_same(source)
    assert model.trees[0].depth == source.get_depth() > 500


def test_r103_unused_columns_keep_their_place():
    """R103: five columns, at least one unused."""
    X, y = CANCER
    source = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X[:, :5], y)
    model = assert_same(source, X[:, :5])
    assert len(model.features) == 5 and any(not feature.cuts for feature in model.features)


def test_sparse_rows_are_refused_although_the_source_takes_them():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    model = read_model(DecisionTreeClassifier(random_state=0).fit(*IRIS))
    with pytest.raises(InvalidInputError, match="sparse"):
        model.predict(scipy_sparse.csr_matrix(IRIS[0]))


def test_a_source_without_missing_support_at_all():
    """Before scikit-learn 1.3 there was no route for NaN: no method to ask, no field to read."""
    source = DecisionTreeClassifier(random_state=0).fit(*IRIS)
    tree = source.tree_
    fields = ("n_features", "n_classes", "value", "feature", "threshold", "children_left", "children_right")
    old = types.SimpleNamespace(
        tree_=types.SimpleNamespace(**{name: getattr(tree, name) for name in fields}),
        n_outputs_=1, n_features_in_=4, classes_=source.classes_,
    )  # fmt: skip
    model = reader.read_trees(old)
    assert not model.accepts_missing
    assert np.array_equal(model.predict_proba(IRIS[0]), source.predict_proba(IRIS[0]))
