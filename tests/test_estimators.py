"""grow/estimators.py: decision trees with scikit-learn's parameters, attributes and meanings."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn.tree
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, VotingClassifier
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.fixes import parse_version

import xylogic as xl
from xylogic.grow.parameters import TREE
from xylogic.model.tree import Tree

IRIS, SPECIES = load_iris(return_X_y=True)
BOTH = [xl.DecisionTreeClassifier, xl.DecisionTreeRegressor]
THEIRS = {
    xl.DecisionTreeClassifier: sklearn.tree.DecisionTreeClassifier,
    xl.DecisionTreeRegressor: sklearn.tree.DecisionTreeRegressor,
}


def same_trees(a: Tree, b: Tree) -> bool:
    fields = ("feature", "cut", "left", "right", "missing", "set_ptr", "set_items", "value")
    return all(np.array_equal(getattr(a, field), getattr(b, field)) for field in fields)


@pytest.mark.parametrize("kind", BOTH)
def test_parameters_have_scikit_learns_names_and_defaults(kind):
    ours, theirs = kind().get_params(), THEIRS[kind]().get_params()
    assert {name: ours[name] for name in theirs} == theirs
    own = {"categorical_features", "missing", "max_surrogates", "max_bins", "zero_gain", "priors", "loss_matrix"}
    assert ours.keys() - theirs.keys() <= own


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("criterion", "mse"),
        ("splitter", "greedy"),
        ("max_depth", 0),
        ("max_depth", 2.5),
        ("max_depth", True),
        ("min_samples_split", 1),
        ("min_samples_split", 1.5),
        ("min_samples_leaf", 0),
        ("min_samples_leaf", 1.0),
        ("min_weight_fraction_leaf", 0.6),
        ("max_features", "log10"),
        ("max_features", 0),
        ("max_features", 0.0),
        ("random_state", "0"),
        ("max_leaf_nodes", 1),
        ("min_impurity_decrease", -1e-9),
        ("min_impurity_decrease", float("nan")),
        ("ccp_alpha", -0.1),
        ("ccp_alpha", float("nan")),
        ("monotonic_cst", [1, 0]),
        ("monotonic_cst", [2, 0, 0, 0]),
        ("monotonic_cst", {"x9": 1}),
        ("categorical_features", ["x9"]),
        ("missing", "mean"),
        ("max_surrogates", -1),
        ("max_bins", 256),
        ("zero_gain", True),
    ],
)
def test_bad_parameters_are_named(kind, name, bad):
    with pytest.raises(xl.InvalidInputError, match=name):
        kind(**{name: bad}).fit(IRIS, SPECIES)


def test_every_parameter_has_a_rule():
    named = set(xl.DecisionTreeRegressor().get_params())
    assert named == {"criterion", *TREE}


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(
    "parameters",
    [
        {"max_depth": 3},
        {"min_samples_split": 40},
        {"min_samples_split": 0.3},
        {"min_samples_leaf": 7},
        {"min_samples_leaf": 0.07},
        {"min_weight_fraction_leaf": 0.1},
        {"max_leaf_nodes": 5},
        {"min_impurity_decrease": 0.02},
        {"max_depth": 4, "max_leaf_nodes": 6},
    ],
    ids=str,
)
def test_stopping_as_scikit_learn_does(kind, parameters):
    """Without tiny nodes, whose splits tie; quarters as weights, by which scikit-learn knows a pure node too."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 3)).astype(np.float32)
    y = X[:, 0] + X[:, 1] ** 2 + rng.normal(size=200)
    is_classifier = kind is xl.DecisionTreeClassifier
    if is_classifier:
        y = np.digitize(y, [0, 1.5])
    weight = rng.integers(2, 8, 200) / 4 if is_classifier else rng.uniform(0.5, 2, 200)
    parameters = {"min_samples_leaf": 5, **parameters}
    ours = kind(**parameters).fit(X, y, sample_weight=weight)
    theirs = THEIRS[kind](random_state=0, **parameters).fit(X, y, sample_weight=weight)
    assert (ours.get_n_leaves(), ours.get_depth()) == (theirs.get_n_leaves(), theirs.get_depth())
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-9)
    answer = "predict_proba" if is_classifier else "predict"
    np.testing.assert_allclose(getattr(ours, answer)(X), getattr(theirs, answer)(X), atol=1e-9)


@pytest.mark.parametrize(("given", "number"), [(None, 4), (3, 3), (9, 4), (0.3, 1), (0.8, 3), ("sqrt", 2), ("log2", 2)])
def test_max_features(given, number):
    assert xl.DecisionTreeClassifier(max_features=given, random_state=0).fit(IRIS, SPECIES).max_features_ == number


def test_random_state_decides():
    def grown(seed):
        return xl.DecisionTreeClassifier(max_features=1, random_state=seed).fit(IRIS, SPECIES)

    assert same_trees(grown(1).tree_, grown(1).tree_)
    assert same_trees(grown(np.random.RandomState(1)).tree_, grown(1).tree_)
    assert not same_trees(grown(1).tree_, grown(2).tree_)


def test_fitted_attributes():
    tree = xl.DecisionTreeClassifier(max_depth=2).fit(IRIS, SPECIES)
    assert isinstance(tree.tree_, Tree) and tree.grown_.tree is tree.tree_
    assert (tree.n_features_in_, tree.n_classes_, tree.n_outputs_, tree.max_features_) == (4, 3, 1, 4)
    assert not hasattr(tree, "feature_names_in_")
    assert [feature.name for feature in tree.features_] == ["x0", "x1", "x2", "x3"]
    assert tree.get_depth() == 2 and tree.get_n_leaves() == 3
    path = tree.decision_path(IRIS[:5])
    assert path.shape == (5, 5) and (path.max(axis=1).toarray() == 1).all()
    assert np.isneginf(tree.predict_log_proba(IRIS[:1])).sum() == 2
    tree.fit(pd.DataFrame(IRIS, columns=list("abcd")), SPECIES)
    assert tree.feature_names_in_.tolist() == list("abcd")
    tree.fit(IRIS, SPECIES)
    assert not hasattr(tree, "feature_names_in_")


def test_not_fitted():
    for method in ("predict", "predict_proba", "apply", "decision_path", "unseen"):
        with pytest.raises(xl.NotFittedError, match="this DecisionTreeClassifier is not fitted; call fit first"):
            getattr(xl.DecisionTreeClassifier(), method)(IRIS)
    for method in ("to_model", "leaves", "rules", "get_depth", "get_n_leaves"):
        with pytest.raises(xl.NotFittedError):
            getattr(xl.DecisionTreeRegressor(), method)()
    with pytest.raises(xl.NotFittedError):
        xl.Explainer(xl.DecisionTreeClassifier())


@pytest.mark.parametrize(
    "labels",
    [
        ["b", "a", "c"],
        [True, False],
        [3, -1, 7],
        np.array([2**63 + 1, 2**63, 2**63 + 7], dtype=np.uint64),
        np.array([-(2**63), 2**63 - 1]),
        np.int8([-128, 127]),
        [2.0, 0.0],
        np.array(["b", "a"], dtype=object),
        np.array([(2, "x"), (1, "y")], dtype="i4,U1")["f0"],
        pd.Categorical(["low", "high"]),
        np.array(["2026-01-01", "2025-01-01"], dtype="datetime64[D]"),
    ],
    ids=str,
)
def test_labels_of_any_sortable_kind(labels):
    y = np.resize(np.asarray(labels), 30)
    X = np.arange(30.0).reshape(-1, 1)
    tree = xl.DecisionTreeClassifier().fit(X, y)
    assert tree.classes_.tolist() == sorted(set(y.tolist())) and tree.classes_.dtype == y.dtype
    assert tree.predict(X).tolist() == y.tolist() and tree.predict(X).dtype == y.dtype
    assert tree.to_model().predict(X).tolist() == y.tolist()


def test_labels_that_are_none():
    with pytest.raises(ValueError, match="Unknown label type"):
        xl.DecisionTreeClassifier().fit(IRIS[:3], [0.5, 1.5, 2.5])
    with pytest.raises(ValueError, match="y, row 2: the target is missing; a label is accepted"):
        xl.DecisionTreeClassifier().fit(IRIS[:3], np.array(["a", "b", None], dtype=object))
    with pytest.raises(ValueError, match="Unknown label type: the labels cannot be sorted"):
        xl.DecisionTreeClassifier().fit(IRIS[:3], np.array(["a", 1, "b"], dtype=object))
    with pytest.raises(ValueError, match="NaN"):
        xl.DecisionTreeRegressor().fit(IRIS[:3], [0.5, np.nan, 2.5])


def test_r029_one_class_one_column():
    tree = xl.DecisionTreeClassifier().fit(IRIS[:10], np.ones(10, dtype=int))
    assert tree.classes_.tolist() == [1]
    assert tree.predict_proba(IRIS).tolist() == [[1.0]] * 150
    assert tree.to_model().predict_proba(IRIS[:2]).tolist() == [[1.0], [1.0]]
    assert tree.get_n_leaves() == 1 and xl.verify_model(tree, tree)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_own_trees_compare_in_the_precision_they_were_fitted_in(dtype):
    low, high = dtype(0.1), np.nextafter(dtype(0.1), dtype(1))
    tree = xl.DecisionTreeClassifier().fit(np.array([[low], [high]]), [0, 1])
    assert tree.predict(np.array([[low], [high]])).tolist() == [0, 1]
    model = tree.to_model()
    assert model.cast == np.dtype(dtype).name and xl.verify_model(model, tree)
    between = np.nextafter(float(low), 1.0)  # a float64 that float32 cannot tell from its neighbour
    assert tree.predict([[between]]).tolist() == [0 if dtype is np.float32 else 1]


def test_numbers_in_any_layout():
    X, y = load_breast_cancer(return_X_y=True)
    expected = xl.DecisionTreeClassifier(max_depth=4).fit(X, y)
    locked = X.copy()
    locked.setflags(write=False)
    for table in (np.asfortranarray(X), X[::-1][::-1], locked, X.tolist(), pd.DataFrame(X).to_numpy()):
        assert same_trees(xl.DecisionTreeClassifier(max_depth=4).fit(table, y).tree_, expected.tree_)
        assert (expected.predict(table) == expected.predict(X)).all()
    whole = xl.DecisionTreeClassifier(max_depth=4).fit((X * 100).astype(int), y)
    assert {feature.kind for feature in whole.features_} == {"integer"}


def test_infinite_numbers_are_extremes():
    X = np.array([[-np.inf], [0.0], [1.0], [np.inf]])
    tree = xl.DecisionTreeClassifier().fit(X, [0, 1, 1, 2])
    assert tree.predict(X).tolist() == [0, 1, 1, 2]
    assert tree.to_model().predict(X).tolist() == [0, 1, 1, 2]
    assert tree.predict([[-1e308], [1e308]]).tolist() == [1, 2] or tree.predict([[-1e308], [1e308]]).tolist() == [1, 1]
    assert xl.verify_model(tree, tree)


@pytest.mark.parametrize("kind", BOTH)
def test_sparse_tables_are_refused_clearly(kind):
    with pytest.raises(TypeError, match="Sparse data was passed for X, but dense data is required"):
        kind().fit(csr_matrix(IRIS), SPECIES)
    fitted = kind().fit(IRIS, SPECIES)
    with pytest.raises(TypeError, match="dense data is required"):
        fitted.predict(csr_matrix(IRIS))
    assert not fitted.__sklearn_tags__().input_tags.sparse


def test_tables_that_do_not_fit():
    tree = xl.DecisionTreeClassifier().fit(pd.DataFrame({"a": [1.0, 2], "b": ["x", "y"]}), [0, 1])
    with pytest.raises(ValueError, match="feature names"):
        tree.predict(pd.DataFrame({"b": ["x"], "a": [1.0]}))
    with pytest.raises(ValueError, match="X has 1 features"), pytest.warns(UserWarning, match="valid feature names"):
        tree.predict(np.array([["x"]], dtype=object))
    with pytest.raises(xl.InvalidInputError, match="column 'b', row 1: 3 is not a category"):
        tree.predict(pd.DataFrame({"a": [1.0, 2], "b": ["x", 3]}))
    with pytest.raises(xl.InvalidInputError, match="X has 0 rows"):
        xl.DecisionTreeClassifier().fit(pd.DataFrame({"b": []}, dtype=object), [])
    with pytest.raises(ValueError, match="X has 150 rows and y has 5 entries"):
        xl.DecisionTreeClassifier().fit(IRIS, SPECIES[:5])


# Weights


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_whole_weights_are_repeated_rows(data):
    n = data.draw(st.integers(2, 12))
    X = np.array(data.draw(st.lists(st.tuples(*[st.integers(0, 3)] * 2), min_size=n, max_size=n)), dtype=float)
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    weight = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    if not weight.any():
        weight[0] = 1
    rows = np.repeat(np.arange(n), weight)
    criterion = data.draw(st.sampled_from(["gini", "entropy", "misclassification"]))
    factors = data.draw(st.sampled_from([None, "balanced"]))
    pairs = [
        [xl.DecisionTreeClassifier(criterion=criterion, class_weight=factors), y],
        [xl.DecisionTreeRegressor(criterion=data.draw(st.sampled_from(["squared_error", "absolute_error"]))), y * 1.5],
    ]
    for estimator, target in pairs:
        weighted = clone(estimator).fit(X, target, sample_weight=weight)
        repeated = clone(estimator).fit(X[rows], target[rows])
        if estimator is pairs[0][0] and factors == "balanced":  # factors are rounded, and so are the shares
            np.testing.assert_array_equal(weighted.tree_.cut, repeated.tree_.cut)
            np.testing.assert_allclose(weighted.tree_.value, repeated.tree_.value, atol=1e-12)
        else:
            assert same_trees(weighted.tree_, repeated.tree_)
            assert (weighted.grown_.weight == repeated.grown_.weight).all()


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_weights_that_are_not_whole(criterion):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(150, 3)).astype(np.float32)
    y = np.exp(X[:, 0] + X[:, 1] ** 2 + rng.normal(size=150))
    weight = rng.uniform(1e-3, 2, 150)
    if criterion == "absolute_error" and parse_version(sklearn.__version__) < parse_version("1.8"):
        pytest.skip("before 1.8 scikit-learn's weighted medians were not exact")
    options = {"criterion": criterion, "max_depth": 3, "min_samples_leaf": 5}
    ours = xl.DecisionTreeRegressor(**options).fit(X, y, sample_weight=weight)
    theirs = sklearn.tree.DecisionTreeRegressor(**options, random_state=0).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, rtol=1e-8)
    order = rng.permutation(150)
    again = xl.DecisionTreeRegressor(**options).fit(X[order], y[order], sample_weight=weight[order])
    np.testing.assert_array_equal(again.tree_.cut, ours.tree_.cut)


def test_rows_without_weight_are_absent():
    weight = np.ones(150)
    weight[SPECIES == 2] = 0
    tree = xl.DecisionTreeClassifier(min_samples_leaf=0.1).fit(IRIS, SPECIES, sample_weight=weight)
    fewer = xl.DecisionTreeClassifier(min_samples_leaf=0.1).fit(IRIS[:100], SPECIES[:100])
    assert same_trees(tree.tree_, fewer.tree_) and tree.classes_.tolist() == [0, 1]
    with pytest.raises(ValueError, match="at least one"):
        tree.fit(IRIS, SPECIES, sample_weight=np.zeros(150))
    with pytest.raises(ValueError, match="Negative values"):
        tree.fit(IRIS, SPECIES, sample_weight=-np.ones(150))


def test_class_weights_are_row_weights():
    factors = {0: 1, 1: 5, 2: 2}
    by_class = xl.DecisionTreeClassifier(max_depth=3, class_weight=factors).fit(IRIS, SPECIES)
    by_row = xl.DecisionTreeClassifier(max_depth=3).fit(IRIS, SPECIES, sample_weight=np.array([1, 5, 2])[SPECIES])
    assert same_trees(by_class.tree_, by_row.tree_)
    priors = xl.DecisionTreeClassifier(max_depth=3, priors=[0.125, 0.625, 0.25]).fit(IRIS, SPECIES)
    np.testing.assert_allclose(priors.predict_proba(IRIS), by_row.predict_proba(IRIS), atol=1e-12)
    named = xl.DecisionTreeClassifier(max_depth=3, priors={2: 0.25, 0: 0.125, 1: 0.625}).fit(IRIS, SPECIES)
    assert same_trees(named.tree_, priors.tree_)


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"class_weight": "even"}, "class_weight is 'even'; a dict from label to number, 'balanced' or None"),
        ({"class_weight": {7: 1}}, "class_weight has the class 7, which is not in y; there are 0, 1, 2"),
        ({"class_weight": {0: -1}}, "class_weight of 0 is -1; a number above 0"),
        ({"priors": [0.5, 0.5]}, r"priors has shape \(2,\); \(3,\), one per class"),
        ({"priors": [0.5, 0.5, 0.5]}, "priors add up to 1.5; 1 is accepted"),
        ({"priors": [0.5, 0.5, 0]}, "the prior of 2 is 0.0; a number above 0"),
        ({"priors": {0: 0.5, 1: 0.5}}, "priors has no value for the class 2"),
        ({"priors": "even"}, "priors is 'even'"),
        ({"priors": [0.2, 0.2, 0.6], "class_weight": "balanced"}, "priors and class_weight are both given"),
        ({"loss_matrix": np.ones((3, 3))}, "zeros on the diagonal"),
        ({"loss_matrix": [[0, 1], [1, 0]]}, r"loss_matrix has shape \(2, 2\); \(3, 3\)"),
        ({"loss_matrix": [[0, 1, 1], [0, 0, 0], [1, 1, 0]]}, "only zeros in row 1"),
        ({"loss_matrix": [[0, 1, -1], [1, 0, 0], [1, 1, 0]]}, "finite ones >= 0"),
    ],
)
def test_bad_costs_are_named(parameters, says):
    with pytest.raises(xl.InvalidInputError, match=says):
        xl.DecisionTreeClassifier(**parameters).fit(IRIS, SPECIES)


LOSS = np.array([[0, 1, 4], [2, 0, 1], [1, 9, 0]])


@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification"])
def test_losses_decide_what_leaves_answer(criterion):
    """Predictions minimise the expected loss under the class shares; the model says the same, row for row."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(150) < 0.2, rng.integers(0, 3, 150), SPECIES)
    tree = xl.DecisionTreeClassifier(max_depth=3, criterion=criterion, loss_matrix=LOSS).fit(IRIS, y)
    shares = tree.predict_proba(IRIS)
    leaves = tree.apply(IRIS)
    for leaf in np.unique(leaves):
        counts = np.bincount(y[leaves == leaf], minlength=3)
        np.testing.assert_allclose(shares[leaves == leaf][0], counts / counts.sum(), atol=1e-12)
    np.testing.assert_array_equal(tree.predict(IRIS), (shares @ LOSS).round(9).argmin(axis=1))
    model = tree.to_model()
    np.testing.assert_array_equal(model.predict(IRIS), tree.predict(IRIS))
    np.testing.assert_allclose(-model.decision_function(IRIS), shares @ LOSS)
    assert xl.verify_model(model, tree) and not model.has_probabilities
    assert xl.Explainer(tree).explain(IRIS[70]).prediction == tree.predict(IRIS[[70]])[0]


def test_losses_are_altered_priors():
    """rpart: with two classes, a loss matrix grows the tree of the priors it alters."""
    X, y = load_breast_cancer(return_X_y=True)
    lossy = xl.DecisionTreeClassifier(max_depth=4, loss_matrix=[[0, 1], [5, 0]]).fit(X, y)
    weighted = xl.DecisionTreeClassifier(max_depth=4, class_weight={0: 1, 1: 5}).fit(X, y)
    np.testing.assert_array_equal(lossy.tree_.feature, weighted.tree_.feature)
    np.testing.assert_array_equal(lossy.tree_.cut, weighted.tree_.cut)
    np.testing.assert_array_equal(lossy.predict(X), weighted.predict(X))
    plain = xl.DecisionTreeClassifier(max_depth=4, criterion="misclassification").fit(X, y)
    unit = xl.DecisionTreeClassifier(max_depth=4, criterion="misclassification", loss_matrix=[[0, 1], [1, 0]]).fit(X, y)
    assert same_trees(plain.tree_, unit.tree_)


# Within scikit-learn


def test_clone_grid_search_pipeline_and_pickle(tmp_path):
    frame = pd.DataFrame(IRIS, columns=["a", "b", "c", "d"])
    frame["colour"] = np.where(frame["a"] > 5.5, "red", "green")
    search = GridSearchCV(xl.DecisionTreeClassifier(), {"max_depth": [1, 3], "criterion": ["gini", "entropy"]}, cv=3)
    search.fit(frame, SPECIES)
    assert xl.read_model(search).n_trees == 1 and xl.verify_model(search, search, frame)
    spread = ColumnTransformer([("keep", "passthrough", ["a", "colour"])]).set_output(transform="pandas")
    line = make_pipeline(spread, FunctionTransformer(), xl.DecisionTreeClassifier(max_depth=2)).fit(frame, SPECIES)
    assert line[-1].feature_names_in_.tolist() == ["keep__a", "keep__colour"]
    assert line[-1].features_[1].categories == ("green", "red", "<other>")
    tree = search.best_estimator_
    again = pickle.loads(pickle.dumps(tree))
    assert same_trees(again.tree_, tree.tree_) and (again.predict(frame) == tree.predict(frame)).all()
    assert not again.tree_.value.flags.writeable
    assert "DecisionTreeClassifier" in tree._repr_html_()
    tree.to_model().save(tmp_path / "tree.json")
    assert (xl.load(tmp_path / "tree.json").predict(frame) == tree.predict(frame)).all()


@pytest.mark.parametrize(
    "make",
    [
        lambda tree: BaggingClassifier(tree, 3, random_state=0),
        lambda tree: AdaBoostClassifier(tree, n_estimators=3, random_state=0),
        lambda tree: CalibratedClassifierCV(tree, cv=3),
        lambda tree: VotingClassifier([("a", tree), ("b", tree)], voting="soft"),
        lambda tree: OneVsRestClassifier(tree),
    ],
    ids=["bagging", "boosting", "calibration", "voting", "one against the rest"],
)
def test_inside_other_estimators(make):
    assert make(xl.DecisionTreeClassifier(max_depth=3)).fit(IRIS, SPECIES).score(IRIS, SPECIES) > 0.95


def test_a_pipeline_of_scalers_is_read_exactly():
    line = make_pipeline(StandardScaler(), xl.DecisionTreeClassifier(max_depth=4)).fit(IRIS, SPECIES)
    model = xl.read_model(line)
    assert xl.verify_model(model, line, IRIS) and model.cast == "float64"
    plain = make_pipeline("passthrough", xl.DecisionTreeRegressor(max_depth=2)).fit(IRIS, SPECIES)
    assert xl.verify_model(plain, plain, IRIS)


def test_metadata_routing_of_weights():
    import sklearn

    weight = np.r_[np.ones(100), np.zeros(50)]
    with sklearn.config_context(enable_metadata_routing=True):
        tree = xl.DecisionTreeClassifier().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        found = cross_validate(tree, IRIS, SPECIES, params={"sample_weight": weight}, cv=3, return_estimator=True)
    assert all(est.classes_.tolist() == [0, 1] for est in found["estimator"])
    assert (found["test_score"] > 0.9).all()


@pytest.mark.parametrize("sample", [load_breast_cancer, load_diabetes])
def test_as_good_as_scikit_learn_on_real_data(sample):
    X, y = sample(return_X_y=True)
    kind = xl.DecisionTreeRegressor if sample is load_diabetes else xl.DecisionTreeClassifier
    order = np.random.default_rng(0).permutation(len(y))
    half = len(y) // 2
    train, test = order[:half], order[half:]
    ours = kind(max_depth=3).fit(X[train], y[train]).score(X[test], y[test])
    theirs = THEIRS[kind](max_depth=3, random_state=0).fit(X[train], y[train]).score(X[test], y[test])
    assert abs(ours - theirs) < 0.03


# Reading


def test_rules_and_leaves():
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    frame = pd.DataFrame(IRIS, columns=names)
    tree = xl.DecisionTreeClassifier(max_depth=2).fit(frame, load_iris().target_names[SPECIES])
    first, second, third = tree.leaves()
    assert str(first) == "if petal length <= 2.45: setosa  (50 rows; setosa 1)"
    assert tree.rules().splitlines() == [str(leaf) for leaf in tree.leaves()]
    assert dict(first.shares) == {"setosa": 1.0, "versicolor": 0.0, "virginica": 0.0}
    assert (second.answer, second.n_rows, third.n_rows) == ("versicolor", 54, 46)
    assert str(second.box) == "petal length > 2.45 and petal width <= 1.75"
    for leaf in tree.leaves():
        inside = [leaf.box.matches(row) for row in frame.to_dict("records")]
        assert inside == (tree.apply(frame) == leaf.node).tolist()
    stump = xl.DecisionTreeRegressor(max_depth=1).fit(IRIS, IRIS[:, 3])
    assert stump.leaves()[0].shares is None and "x2 <= " in stump.rules()


def test_rules_by_other_names():
    tree = xl.DecisionTreeClassifier(max_depth=1).fit(IRIS, SPECIES)
    assert tree.rules().startswith("if x2 <= 2.45: 0  (50 rows; 0 1)\n")
    assert tree.rules(["sl", "sw", "pl", "pw"]).startswith("if pl <= 2.45: 0")
    for names in (["a"], "abcd", list("abcde")):
        with pytest.raises(xl.InvalidInputError, match=r"feature_names is .*; 4 names are accepted"):
            tree.rules(names)


def test_very_deep_trees():
    n = 5000
    X = np.arange(n, dtype=float).reshape(-1, 1)
    tree = xl.DecisionTreeClassifier().fit(X, np.arange(n) % 2)
    assert tree.get_n_leaves() == n and (tree.predict(X) == np.arange(n) % 2).all()
    assert len(tree.rules().splitlines()) == n
    assert tree.decision_path(X[:3]).sum(axis=1).max() <= tree.get_depth() + 1
    assert same_trees(pickle.loads(pickle.dumps(tree)).tree_, tree.tree_)
