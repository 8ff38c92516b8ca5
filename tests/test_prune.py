"""Pruning fitted trees: cross-validation against a grid search, reduced errors against all prunings."""

import math
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, ShuffleSplit, StratifiedKFold, train_test_split
from sklearn.tree import DecisionTreeClassifier as SklearnClassifier

import xylogic as xl
from grown_trees import prunings
from xylogic import DecisionTreeClassifier, DecisionTreeRegressor
from xylogic.grow.prune import prune, prune_cv, prune_reduced_error


def halves(seed=0):
    X, y = load_breast_cancer(return_X_y=True)
    return train_test_split(X, y, test_size=0.3, random_state=seed, stratify=y)


def grid(est, X, y, alphas, **options):
    search = GridSearchCV(est, {"ccp_alpha": alphas}, **{"cv": 5, **options})
    return search.fit(X, y)


def agrees(result, search):
    assert search.cv_results_["mean_test_score"] == pytest.approx(result.scores, abs=1e-12)
    place = int(np.flatnonzero(result.alphas == result.best_alpha)[0])
    best = search.cv_results_["mean_test_score"].max()
    assert result.scores[place] == pytest.approx(best, abs=1e-12)
    assert (result.scores[:place] < best - 1e-12).all()


CASES = [
    (DecisionTreeClassifier(random_state=0), load_breast_cancer, 5),
    (DecisionTreeClassifier(random_state=0, criterion="entropy", min_samples_leaf=3), load_wine, 4),
    (DecisionTreeClassifier(random_state=0, class_weight="balanced"), load_iris, StratifiedKFold(3)),
    (DecisionTreeClassifier(random_state=3, max_features=2, splitter="hist", max_bins=9), load_wine, KFold(4)),
    (DecisionTreeClassifier(random_state=3, splitter="random"), load_iris, ShuffleSplit(4, random_state=1)),
    (DecisionTreeClassifier(random_state=0, loss_matrix=[[0, 1], [3, 0]]), load_breast_cancer, 3),
    (DecisionTreeClassifier(random_state=0, priors=[0.2, 0.5, 0.3]), load_wine, 5),
    (DecisionTreeClassifier(random_state=0, max_leaf_nodes=9), load_wine, 5),
    (DecisionTreeRegressor(random_state=0, min_samples_leaf=5), load_diabetes, 5),
    (DecisionTreeRegressor(random_state=0, criterion="absolute_error", max_depth=4), load_diabetes, KFold(3)),
    (DecisionTreeRegressor(random_state=0, criterion="poisson", min_samples_leaf=0.05), load_diabetes, 3),
]


@pytest.mark.parametrize("est, load, cv", CASES, ids=lambda thing: "" if callable(thing) else str(thing)[:70])
def test_a_grid_search_finds_the_same(est, load, cv):
    X, y = load(return_X_y=True)
    result = prune_cv(est, X, y, cv=cv)
    agrees(result, grid(est, X, y, result.alphas, cv=cv))
    again = clone(result.estimator).fit(X, y)
    if result.best_alpha > 0:
        assert again.get_n_leaves() == result.estimator.get_n_leaves()
    assert (again.predict(X) == result.estimator.predict(X)).all()
    assert est.ccp_alpha == 0


@pytest.mark.parametrize("missing", ["direction", "surrogate", "fractional"])
def test_a_grid_search_finds_the_same_where_values_are_missing(missing):
    X, y = load_iris(return_X_y=True)
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    # fractional rows make large trees
    limits = {"missing": missing, "min_samples_leaf": 10 if missing == "fractional" else 1}
    for est in (DecisionTreeClassifier(**limits, random_state=0), DecisionTreeRegressor(**limits)):
        result = prune_cv(est, X, y, cv=KFold(3, shuffle=True, random_state=0))
        agrees(result, grid(est, X, y, result.alphas, cv=KFold(3, shuffle=True, random_state=0)))
        assert result.estimator.get_n_leaves() == result.leaves[np.flatnonzero(result.alphas == result.best_alpha)[0]]


def test_scikit_learns_trees_have_the_same_scores():
    """The note's way, on the note's data: where scikit-learn's tree has no ties, the held-out scores are its own."""
    X, _, y, _ = halves()
    X = X + np.random.default_rng(0).uniform(-1e-6, 1e-6, X.shape)
    result = prune_cv(DecisionTreeClassifier(random_state=0), X, y)
    theirs = grid(SklearnClassifier(random_state=0), X, y, result.alphas)
    assert np.abs(theirs.cv_results_["mean_test_score"] - result.scores).max() < 0.03


def test_rules_and_candidates():
    X, _, y, _ = halves()
    est = DecisionTreeClassifier(random_state=0)
    best, one = prune_cv(est, X, y), prune_cv(est, X, y, rule="1se")
    place = int(np.flatnonzero(best.alphas == best.best_alpha)[0])
    wanted = np.flatnonzero(best.scores >= best.scores[place] - best.errors[place])[-1]
    assert one.best_alpha == best.alphas[wanted] > best.best_alpha
    assert one.estimator.get_n_leaves() == one.leaves[wanted] < best.estimator.get_n_leaves()
    assert best.errors == pytest.approx(best.fold_scores.std(axis=1, ddof=1) / math.sqrt(5))
    assert best.fold_scores.shape == (len(best.alphas), 5)
    middle = prune_cv(est, X, y, candidates="midpoints")
    assert middle.alphas[:-1] == pytest.approx(np.sqrt(best.alphas[:-1] * best.alphas[1:]))
    assert middle.leaves.tolist() == best.leaves.tolist()
    agrees(middle, grid(est, X, y, middle.alphas))
    assert "best_alpha" in repr(best)
    assert pickle.loads(pickle.dumps(best)).best_alpha == best.best_alpha
    for name, value in (("rule", "2se"), ("candidates", "all"), ("risk", "errors")):
        with pytest.raises(xl.InvalidInputError, match=f"{name} is '{value}'; accepted: "):
            prune_cv(est, X, y, **{name: value})


def test_pruning_by_mistakes():
    """R041: the risk is a named option, which the result names."""
    X, _, y, _ = halves()
    result = prune_cv(DecisionTreeClassifier(random_state=0), X, y, risk="mistakes")
    assert result.risk == "mistakes"
    assert "risk mistakes" in repr(result)
    wrong = (result.estimator.predict(X) != y).sum()
    assert wrong <= (y == 0).sum()
    small = DecisionTreeClassifier().fit([[0.0]] * 3 + [[1.0]] * 7, [1, 0, 0, 1, 0, 0, 0, 0, 0, 0])
    assert small.get_n_leaves() == 2
    assert prune(small, 0.0, risk="mistakes").get_n_leaves() == 1
    assert prune(small, 0.0).get_n_leaves() == 2
    path = small.cost_complexity_pruning_path(
        [[0.0]] * 3 + [[1.0]] * 7, [1, 0, 0, 1, 0, 0, 0, 0, 0, 0], risk="mistakes"
    )
    assert (path.ccp_alphas.tolist(), path.leaves.tolist(), path.impurities.tolist()) == ([0], [1], [0.2])


@pytest.mark.parametrize("options", [{}, {"criterion": "misclassification"}, {"class_weight": {0: 2, 1: 1, 2: 3}}])
def test_mistakes_cost_what_the_loss_matrix_says(options):
    X, y = load_wine(return_X_y=True)
    loss = np.array([[0, 1, 2], [5, 0, 1], [1, 1, 0]])
    est = DecisionTreeClassifier(loss_matrix=loss, random_state=0, min_samples_leaf=2, **options)
    path = est.cost_complexity_pruning_path(X, y, risk="mistakes")
    fitted = clone(est).fit(X, y)
    own = np.array([2, 1, 3])[y] if "class_weight" in options else np.ones(len(y))
    for alpha, risk, leaves in zip(path.ccp_alphas, path.impurities, path.leaves, strict=True):
        cut = prune(fitted, alpha, risk="mistakes")
        assert cut.get_n_leaves() == leaves
        assert (own * loss[y, cut.predict(X)]).sum() / own.sum() == pytest.approx(risk)


def test_weights_count_everywhere_and_rows_without_weight_nowhere():
    """R040"""
    rng = np.random.default_rng(0)
    X, y = load_iris(return_X_y=True)
    noise = rng.integers(0, 3, 60)
    mixed, labels = np.vstack([X, X[:60]]), np.concatenate([y, noise])
    weight = np.concatenate([np.ones(150), np.zeros(60)])
    order = rng.permutation(210)
    kept = order[weight[order] > 0]
    est = DecisionTreeClassifier(random_state=0)
    with_zeros = prune_cv(est, mixed[order], labels[order], sample_weight=weight[order])
    without = prune_cv(est, mixed[kept], labels[kept])
    assert with_zeros.alphas.tolist() == without.alphas.tolist()
    assert with_zeros.fold_scores.tolist() == without.fold_scores.tolist()
    assert (with_zeros.estimator.predict(X) == without.estimator.predict(X)).all()
    ten = prune_cv(
        est, np.arange(10.0)[:, None], [0, 0, 0, 1, 1, 1, 0, 1, 0, 1], cv=2,
        sample_weight=[1, 0, 1, 1, 0, 1, 0, 0, 1, 0],
    )  # fmt: skip
    five = prune_cv(est, np.array([0.0, 2, 3, 5, 8])[:, None], [0, 0, 1, 1, 0], cv=2)
    assert ten.fold_scores.tolist() == five.fold_scores.tolist()
    # whole weights are repeated rows: in growth, in the risk, and in held-out scores
    count = rng.integers(1, 4, 150)
    folds = [(np.flatnonzero(np.arange(150) % 3 != k), np.flatnonzero(np.arange(150) % 3 == k)) for k in range(3)]
    row = np.repeat(np.arange(150), count)
    repeated = [(np.flatnonzero(row % 3 != k), np.flatnonzero(row % 3 == k)) for k in range(3)]
    for est in (DecisionTreeClassifier(random_state=0), DecisionTreeRegressor(random_state=0)):
        weighted = prune_cv(est, X, y, cv=folds, sample_weight=count)
        plain = prune_cv(est, X[row], y[row], cv=repeated)
        assert weighted.alphas == pytest.approx(plain.alphas, rel=1e-12)
        assert weighted.fold_scores == pytest.approx(plain.fold_scores, abs=1e-12)
        assert weighted.best_alpha == pytest.approx(plain.best_alpha, rel=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_neither_a_factor_of_the_weights_nor_the_order_of_rows_changes_the_path(seed):
    rng = np.random.default_rng(seed)
    X, weight = rng.integers(0, 12, (60, 2)).astype(float), rng.integers(1, 4, 60).astype(float)
    order = rng.permutation(60)
    for est, y in (
        (DecisionTreeClassifier(criterion=["gini", "entropy", "misclassification"][seed % 3]), rng.integers(0, 2, 60)),
        (DecisionTreeRegressor(), rng.integers(0, 6, 60).astype(float)),
    ):
        plain = est.cost_complexity_pruning_path(X, y, weight)
        for factor in (0.1, 1 / 3, 1e-3, 7.0, 1e6):
            scaled = est.cost_complexity_pruning_path(X, y, weight * factor)
            assert scaled.leaves.tolist() == plain.leaves.tolist()
            assert scaled.ccp_alphas == pytest.approx(plain.ccp_alphas, rel=1e-9, abs=1e-14)
        shuffled = est.cost_complexity_pruning_path(X[order], y[order], weight[order])
        assert shuffled.ccp_alphas == pytest.approx(plain.ccp_alphas, rel=1e-12)
        assert shuffled.leaves.tolist() == plain.leaves.tolist()


def test_folds_of_every_kind():
    X, y = load_iris(return_X_y=True)
    est = DecisionTreeClassifier(random_state=0)
    groups = np.arange(150) % 7
    grouped = prune_cv(est, X, y, cv=GroupKFold(3), groups=groups)
    listed = prune_cv(est, X, y, cv=list(GroupKFold(3).split(X, y, groups)))
    assert grouped.fold_scores.tolist() == listed.fold_scores.tolist()
    # a class that a fold lacks
    lacking = prune_cv(est.set_params(class_weight="balanced"), X, y, cv=KFold(3))
    agrees(lacking, grid(est, X, y, lacking.alphas, cv=KFold(3)))
    est.set_params(class_weight=None)
    weight = np.ones(150)
    weight[:50] = 0
    with pytest.raises(xl.InvalidInputError, match="fold 0 of cv has 100 rows to train on and 0 to test on"):
        prune_cv(est, X, y, cv=[(np.arange(50, 150), np.arange(50))], sample_weight=weight)
    with pytest.raises(xl.InvalidInputError, match="cv makes no folds"):
        prune_cv(est, X, y, cv=[])
    frame = pytest.importorskip("pandas").DataFrame({"a": X[:, 0], "b": np.where(X[:, 3] > 1, "wide", "slim")})
    tables = prune_cv(est, frame, np.array(["x", "y", "z"])[y])
    assert set(tables.estimator.predict(frame)) <= {"x", "y", "z"}
    agrees(tables, grid(est, frame, np.array(["x", "y", "z"])[y], tables.alphas))


@pytest.mark.parametrize("alpha", [-0.1, math.nan, "0", -math.inf])
def test_alphas_that_mean_nothing_are_refused(alpha):
    """R042: here and as a parameter; +inf gives the root."""
    X, y = load_iris(return_X_y=True)
    fitted = DecisionTreeClassifier().fit(X, y)
    with pytest.raises(xl.InvalidInputError, match=r"alpha is .* number >= 0"):
        prune(fitted, alpha)
    with pytest.raises(xl.InvalidInputError, match=r"ccp_alpha is .* number >= 0"):
        DecisionTreeClassifier(ccp_alpha=alpha).fit(X, y)
    assert prune(fitted, math.inf).get_n_leaves() == 1
    assert DecisionTreeClassifier(ccp_alpha=math.inf).fit(X, y).get_n_leaves() == 1


def test_each_listed_alpha_gives_the_tree_listed_for_it():
    """R043: pruning a fitted tree, and fitting with ``ccp_alpha``, with a float below and above each end."""
    for seed in range(25):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 3)), rng.integers(0, 2 + seed % 2, 60)
        est = DecisionTreeClassifier(random_state=0)
        fitted = clone(est).fit(X, y)
        path = est.cost_complexity_pruning_path(X, y)
        assert (np.diff(path.ccp_alphas) > 0).all()
        assert (np.diff(path.leaves) < 0).all()
        for k, alpha in enumerate(path.ccp_alphas):
            above = path.ccp_alphas[k + 1] if k + 1 < len(path.ccp_alphas) else math.inf
            for inside in (alpha, math.nextafter(alpha, math.inf), math.nextafter(above, 0)):
                assert prune(fitted, inside).get_n_leaves() == path.leaves[k]
                assert clone(est).set_params(ccp_alpha=inside).fit(X, y).get_n_leaves() == path.leaves[k]


def test_equal_links_are_one_step():
    """R044"""
    path = DecisionTreeClassifier().cost_complexity_pruning_path(np.arange(6.0)[:, None], [0, 1, 0, 1, 0, 1])
    assert (np.diff(path.ccp_alphas) > 1e-6).all()
    assert (np.diff(path.leaves) < 0).all()
    assert path.impurities[-1] == pytest.approx(0.5)


def test_collapsing_a_node_leaves_nothing_stale():
    """R045: 8 rows, 3 levels; the copy is like a fresh tree of that shape, the original as it was."""
    X = np.arange(8.0)[:, None]
    y = np.array([0, 0, 1, 0, 1, 1, 0, 1])
    fitted = DecisionTreeClassifier(random_state=0).fit(X, y)
    text = fitted.rules()
    before = pickle.dumps(fitted)
    inner = np.flatnonzero((fitted.tree_.left >= 0) & (np.arange(fitted.tree_.n_nodes) > 0))
    for node in inner.tolist():
        cut = prune(fitted, nodes=[node])
        n = cut.tree_.n_nodes
        assert n < fitted.tree_.n_nodes
        for array in (cut.grown_.n_rows, cut.grown_.weight, cut.grown_.impurity, cut.grown_.value, cut.grown_.gain):
            assert len(array) == n
        leaf = cut.apply(X)
        share = [y[leaf == t].mean() for t in leaf]
        assert cut.predict_proba(X)[:, 1].tolist() == share
        assert cut.grown_.n_rows[leaf].tolist() == [int((leaf == t).sum()) for t in leaf]
        assert cut.feature_importances_.tolist() == [1.0]
        assert cut.rules().count("\n") + 1 == cut.get_n_leaves() == len(cut.leaves())
        model = cut.to_model()
        assert model.n_nodes == n
        assert (model.predict(X) == cut.predict(X)).all()
        assert xl.Explainer(cut).explain(X[0]).prediction == cut.predict(X)[0]
        assert cut.decision_path(X).shape == (8, n)
    assert prune(fitted, nodes=[0]).rules().count("\n") == 0
    assert prune(fitted, nodes=[]).rules() == text
    assert pickle.dumps(fitted) == before
    for nodes in ([fitted.tree_.n_nodes], [-1], 3, [0.5]):
        with pytest.raises(xl.InvalidInputError, match="nodes "):
            prune(fitted, nodes=nodes)
    with pytest.raises(xl.InvalidInputError, match="one of alpha and nodes"):
        prune(fitted)


def test_merging_is_off_unless_asked():
    """R039: 90/10 and 60/40 stay apart, since merging them would change the probabilities."""
    X = np.repeat([[0.0], [1.0]], 100, axis=0)
    y = np.array([0] * 90 + [1] * 10 + [0] * 60 + [1] * 40)
    fitted = DecisionTreeClassifier().fit(X, y)
    assert fitted.predict_proba([[0.0], [1.0]]).tolist() == [[0.9, 0.1], [0.6, 0.4]]
    merged = prune(fitted, 0.0, risk="mistakes")
    assert merged.predict_proba([[0.0]]).tolist() == [[0.75, 0.25]]
    assert (merged.predict(X) == fitted.predict(X)).all()


@pytest.mark.parametrize("seed", range(40))
def test_reduced_error_is_the_smallest_of_the_best_prunings(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 6, (30, 2)).astype(float), rng.integers(0, 2, 30)
    T, t = rng.integers(0, 6, (25, 2)).astype(float), rng.integers(0, 3, 25)
    weight = [None, rng.integers(0, 3, 25)][seed % 2]
    w = np.ones(25) if weight is None else weight
    fitted = DecisionTreeClassifier(max_leaf_nodes=8, random_state=0).fit(X, y)
    found = prune_reduced_error(fitted, T, t, sample_weight=weight)
    path = fitted.decision_path(T).toarray()
    answer = fitted.classes_[fitted.grown_.value.argmax(axis=1)]

    def mistakes(leaves):
        return sum(w[i] for i in range(25) for leaf in leaves if path[i, leaf] and answer[leaf] != t[i])

    best = min(prunings(fitted.grown_), key=lambda leaves: (mistakes(leaves), len(leaves)))
    assert found.get_n_leaves() == len(best)
    assert (w * (found.predict(T) != t)).sum() == mistakes(best)


def test_reduced_error_of_numbers_and_what_it_refuses():
    X, y = load_diabetes(return_X_y=True)
    fitted = DecisionTreeRegressor(random_state=0).fit(X[:200], y[:200])
    found = prune_reduced_error(fitted, X[200:], y[200:])
    assert found.get_n_leaves() < fitted.get_n_leaves()
    assert found.score(X[200:], y[200:]) > fitted.score(X[200:], y[200:])
    best = prune_cv(DecisionTreeRegressor(random_state=0), X[:200], y[:200]).estimator
    assert ((found.predict(X[200:]) - y[200:]) ** 2).sum() <= ((best.predict(X[200:]) - y[200:]) ** 2).sum()
    with pytest.raises(xl.InvalidInputError, match="y has shape"):
        prune_reduced_error(fitted, X, y[:5])
    with pytest.raises(xl.InvalidInputError, match="sample_weight has shape"):
        prune_reduced_error(fitted, X, y, sample_weight=-np.ones(len(y)))
    with pytest.raises(xl.NotFittedError):
        prune_reduced_error(DecisionTreeRegressor(), X, y)
    for other in (SklearnClassifier(), "tree", DecisionTreeClassifier):
        for ask in (lambda e: prune(e, 0.1), lambda e: prune_cv(e, X, y), lambda e: prune_reduced_error(e, X, y)):
            with pytest.raises(xl.InvalidInputError, match="a xylogic DecisionTreeClassifier or DecisionTreeRegressor"):
                ask(other)


def test_the_numbers_of_the_note():
    """Breast cancer: the path ends in the note's trees; its alpha gives 6 leaves, depth 4, .977 and .918."""
    X, T, y, t = halves()
    noted = DecisionTreeClassifier(random_state=0, ccp_alpha=0.0088).fit(X, y)
    assert (noted.get_n_leaves(), noted.get_depth()) == (6, 4)
    assert (round(noted.score(X, y), 3), round(noted.score(T, t), 3)) == (0.977, 0.918)
    path = noted.cost_complexity_pruning_path(X, y)
    assert path.ccp_alphas[-6:] == pytest.approx(
        [0.00879397, 0.00899233, 0.01959122, 0.02586051, 0.02654964, 0.34354079], abs=5e-9
    )
