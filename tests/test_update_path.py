"""Paths over strengths: held-out figures are those of trees fitted by hand; the rule that chooses; the picture."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold, StratifiedKFold

import xylogic as xl


def data(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + X[:, 1] ** 2 + 0.4 * rng.normal(size=n) > 0.7).astype(int)


def old_tree():
    return xl.DecisionTreeClassifier(max_depth=3).fit(*data(seed=1))


def drawn_path(**options):
    return xl.update_path(old_tree(), *data(), [0.01, 0.1, 1.0], cv=KFold(3), **options)


def test_each_figure_is_that_of_a_tree_fitted_by_hand():
    (X, y), old = data(), old_tree()
    path = drawn_path(dissimilarity="mae", max_depth=5)
    assert path.strengths.tolist() == [0, 0.01, 0.1, 1.0]
    for fold, (train, test) in enumerate(KFold(3).split(X)):
        for place, strength in enumerate(path.strengths):
            tree = xl.CompatibleTreeClassifier(old, strength=strength, dissimilarity="mae", max_depth=5)
            tree.fit(X[train], y[train])
            wanted = xl.compatibility(old, tree, X[test], y[test], reference=X[train])
            for name in ("loss", "bcp", "jac", "jlu", "mae", "mse"):
                assert path.by_fold[name][place, fold] == pytest.approx(getattr(wanted, name))
            assert path.by_fold["leaves"][place, fold] == tree.get_n_leaves()
    assert path.loss == pytest.approx(path.by_fold["loss"].mean(axis=1))


def test_compatibility_grows_with_strength():
    path = drawn_path()
    assert path.mse[-1] < path.mse[0]
    assert str(path).count("\n") == 5
    assert json.loads(json.dumps(path.to_dict()))["strengths"] == [0, 0.01, 0.1, 1.0]


def test_the_strength_is_chosen_within_the_budget():
    path = drawn_path()
    for budget in (0, 0.01, 0.05, math.inf):
        within = [place for place in range(4) if path.loss[place] <= path.loss[0] + budget + 1e-12]
        best = min(within, key=lambda place: path.mse[place])
        assert path.best(budget) == path.strengths[best]
    tree = path.fitted(*data(), max_loss_increase=0.05)
    assert tree.strength == path.best(0.05) and tree.get_n_leaves() > 1
    for budget in (-1, math.nan, "much"):
        with pytest.raises(xl.InvalidInputError, match="max_loss_increase is"):
            path.best(budget)


def test_numbers_and_tables_by_name():
    X, _ = data()
    frame, y = pd.DataFrame(X, columns=list("abc")), X[:, 0] ** 2
    old = xl.DecisionTreeRegressor(max_depth=3).fit(frame, X[:, 0])
    path = xl.update_path(old, frame, y, [0.1], cv=3, tolerance=0.5)
    assert path.loss_name == "mean squared error" and path.best() in (0, 0.1)
    with pytest.warns(UserWarning, match="no row is relied on") as said:
        nobody = xl.update_path(old, frame, y + 50, [0.1], cv=3)
    assert len(said) == 1 and said[0].filename == __file__
    assert np.isnan(nobody.mse).all() and nobody.best(1.0) == 0


@pytest.mark.filterwarnings("ignore:The least populated class")
def test_a_training_part_may_lack_a_class():
    X, _ = data()
    y = np.zeros(len(X), int)
    y[:2], y[2] = 1, 2
    old = xl.DecisionTreeClassifier(max_depth=3).fit(X, y)
    path = xl.update_path(old, X, y, [0.1], cv=5)
    assert path.by_fold["loss"].shape == (2, 5) and path.loss[0] > 0
    train, test = np.arange(3, len(X)), np.arange(3)  # all of two classes are held out
    path = xl.update_path(old, X, y, [0.1], cv=[(train, test)])
    assert path.loss.tolist() == [1, 1] and path.leaves[0] == 1


@pytest.mark.parametrize("dtype", [int, object, str])
def test_labels_of_every_type_are_stratified(dtype):
    X, _ = data(60)
    y = np.repeat([0, 1], 30).astype(dtype)  # unless stratified, the middle fold alone would hold two classes
    path = xl.update_path(xl.DecisionTreeClassifier(max_depth=2).fit(X, y), X, y, [0.1], cv=3)
    wanted = xl.update_path(xl.DecisionTreeClassifier(max_depth=2).fit(X, y), X, y, [0.1], cv=StratifiedKFold(3))
    shown = path.by_fold["loss"]
    assert (shown == wanted.by_fold["loss"]).all() and (shown < 0.8).all()
    assert (xl.prune_cv(xl.DecisionTreeClassifier(), X, y, cv=3).fold_scores > 0.2).all()


def test_columns_of_another_order_and_precision_are_measured_as_they_are():
    (X, y), old = data(), xl.DecisionTreeClassifier(max_depth=3)
    old = old.fit(pd.DataFrame(X.astype(np.float32), columns=list("abc")), y)
    frame = pd.DataFrame(X, columns=list("abc"))[["c", "a", "b"]]
    path = xl.update_path(old, frame, y, [0.1], cv=KFold(3))
    for fold, (train, test) in enumerate(KFold(3).split(X)):
        tree = xl.CompatibleTreeClassifier(old, strength=0.1).fit(frame.iloc[train], y[train])
        wanted = tree.compatibility(frame.iloc[test], y[test], reference=frame.iloc[train])
        for name in ("loss", "bcp", "jac", "jlu", "mae", "mse"):
            assert path.by_fold[name][1, fold] == pytest.approx(getattr(wanted, name))


@pytest.mark.parametrize("strengths", [[-1.0], [math.nan], ["a"], 3])
def test_bad_strengths(strengths):
    with pytest.raises(xl.InvalidInputError, match="strengths is"):
        xl.update_path(old_tree(), *data(), strengths)


def test_the_picture_starts_at_cart():
    pytest.importorskip("matplotlib")
    path = drawn_path()
    ax = xl.plot_update_path(path)
    line, star = ax.lines[:2]
    assert np.allclose(line.get_xydata(), np.stack([path.mse, path.loss], axis=1))
    assert np.allclose(star.get_xydata(), [[path.mse[0], path.loss[0]]])
    assert xl.plot_update_path(path, ax, measure="bcp", label="again") is ax
    with pytest.raises(xl.InvalidInputError, match="measure is 'l2'"):
        xl.plot_update_path(path, measure="l2")
    with pytest.raises(xl.InvalidInputError, match="what update_path returns"):
        xl.plot_update_path([1, 2])
