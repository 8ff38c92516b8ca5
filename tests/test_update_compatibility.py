"""What replacing a tree changes, measured on rows: against the definitions, and users' reports."""

from __future__ import annotations

import json
import random

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import xylogic as xl
from test_update_measures import MEANS, NEW, OLD, X, Y, built, random_rows, random_tree
from update_oracle import KINDS, Update
from xylogic.update.pairing import in_float64

NAMES = ["x1", "x2"]


def test_worked_example():
    pooled = xl.compatibility(built(OLD, NAMES, [0, 1]), built(NEW, NAMES, [0, 1]), X, Y)
    mean = xl.compatibility(built(OLD, NAMES, [0, 1]), built(NEW, NAMES, [0, 1]), X, Y, jlu="mean")
    found = [pooled.jac, pooled.jlu, mean.jlu, pooled.mae, pooled.mse]
    assert found == pytest.approx(MEANS, abs=5e-7)
    assert pooled.bcp == 4 / 6
    assert (pooled.loss, pooled.old_loss, pooled.loss_name) == (2 / 6, 0.0, "error rate")
    assert (pooled.n_rows, pooled.n_correct, pooled.ok) == (6, 6, False)
    assert [flip.row for flip in pooled.negative_flips] == [2, 4]
    assert pooled.negative_flips[1].values == {"x1": 4.0, "x2": 4.0}
    assert str(pooled.negative_flips[1]) == "row 4: 0 became 1, the truth is 0"
    assert json.loads(json.dumps(pooled.to_dict()))["negative_flips"][0]["new"] == 0
    assert "error rate: 0.333333" in str(pooled) and "MSE 0.751786" in str(pooled)


@pytest.mark.parametrize("seed", range(30))
def test_against_the_definitions(seed):
    rng = random.Random(seed)
    m, regression = rng.randint(1, 3), seed % 3 == 0
    names, classes = [f"c{j}" for j in range(m)], None if regression else [0, 1]
    rows = random_rows(rng, rng.randint(1, 9), m)
    old, new = random_tree(rng, m, 3), random_tree(rng, m, 3)
    y = [rng.randrange(3) / 2 for _ in rows] if regression else [rng.randrange(2) for _ in rows]
    weights = [rng.random() for _ in rows] if rng.random() < 0.4 else None
    options = {"tolerance": 0.5 if regression else 0.0, "weights": weights}
    models = built(old, names, classes), built(new, names, classes)
    for kind, jlu in KINDS:
        found = xl.compatibility(*models, rows, y, jlu=jlu, **options)
        criterion = "squared_error" if regression else "gini"
        update = Update(old, rows, y, kind=kind, jlu=jlu, criterion=criterion, **options)
        wanted = update.mean_delta(new)
        assert getattr(found, kind) == (None if wanted is None else pytest.approx(float(wanted), abs=1e-12))
        both = update.compatibility_of_predictions(new)
        assert found.bcp == (None if both is None else pytest.approx(float(both)))
        assert found.loss == pytest.approx(float(update.mean_loss(new)))
        assert found.old_loss == pytest.approx(float(update.mean_loss(old)))
        flips = [i for i, right in enumerate(update.right) if right and not update.is_right(new, i)]
        assert [flip.row for flip in found.negative_flips] == flips


def test_columns_by_name_and_classes_by_label():
    """Neither the order of columns nor that of classes matters, and each library's own precision is kept."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(300, 3)), columns=["a", "b", "c"])
    y = np.where(table["a"] + 0.3 * rng.normal(size=300) > 0, "yes", "no")
    old = DecisionTreeClassifier(max_depth=4, random_state=0).fit(table, y)
    turned = table[["c", "a", "b"]]
    new = xl.DecisionTreeClassifier(max_depth=3).fit(turned, y)
    found = xl.compatibility(old, new, turned, y)
    assert found.bcp == np.mean(new.predict(turned)[old.predict(table) == y] == y[old.predict(table) == y])
    assert found.loss == np.mean(new.predict(turned) != y)
    same = xl.compatibility(old, xl.DecisionTreeClassifier(max_depth=4).fit(turned, y), table, y)
    assert same.ok and same.jac == same.jlu == 0 and same.mae < 1e-6

    def stump(classes):
        return xl.build_tree(
            {"feature": "a", "cut": 0, "left": {"class": "no"}, "right": {"class": "yes"}}, ["a"], classes
        )

    swapped = xl.compatibility(stump(["no", "yes"]), stump(["yes", "no"]), [[1], [-1]], ["yes", "yes"])
    assert (swapped.bcp, swapped.loss, swapped.n_correct) == (1.0, 0.5, 1)


@pytest.mark.parametrize("seed", range(6))
def test_float32_trees_as_float64_ones(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(60, 3)) * [1, 1e-40, 1e37]
    model = xl.read_model(DecisionTreeRegressor(random_state=seed).fit(rows, rng.normal(size=60)))
    wide = in_float64(model)
    assert wide.cast == "float64"
    verdict = xl.verify_model(wide, model, n=200)
    assert verdict.ok, verdict
    lower, upper = xl.tree_bounds(wide, rows)
    assert ((lower < rows) & (rows <= upper)).all()


def test_rows_are_shown_as_they_were_given():
    """Not rounded to the precision of the trees, whole numbers whole."""
    rows = [[0.1, 1], [0.7, 2], [0.123456789012345678, 7]]
    old = DecisionTreeClassifier().fit(rows, [0, 1, 0])
    new = DecisionTreeClassifier().fit(rows, [0, 1, 1])
    assert xl.compatibility(old, new, rows, [0, 1, 0]).negative_flips[0].values == {
        "x0": 0.12345678901234568,
        "x1": 7.0,
    }
    whole = [xl.DecisionTreeClassifier().fit(np.array([[1, 5], [2, 7]]), y) for y in ([0, 1], [1, 0])]
    shown = xl.compatibility(*whole, np.array([[2, 7]]), [1]).negative_flips[0].values
    assert shown == {"x0": 2, "x1": 7} and all(type(cell) is int for cell in shown.values())


def test_reference_rows_set_the_scale():
    models = built(OLD, NAMES, [0, 1]), built(NEW, NAMES, [0, 1])
    own = xl.compatibility(*models, X, Y)
    doubled = xl.compatibility(*models, X, Y, reference=[(2 * a, 2 * b) for a, b in X])
    assert doubled.jac == own.jac and doubled.mae != own.mae
    again = xl.compatibility(*models, X[:1], Y[:1], reference=X)
    assert again.mse == pytest.approx(1.9875)


def test_nothing_right_is_undefined_and_not_0():
    models = built(OLD, NAMES, [0, 1]), built(NEW, NAMES, [0, 1])
    found = xl.compatibility(*models, X, [1 - label for label in Y])
    assert (found.bcp, found.jac, found.mse, found.n_correct, found.ok) == (None, None, None, 0, True)
    assert "undefined of 0 rows" in str(found)
    chosen = xl.compatibility(*models, X, Y, weights=np.zeros(6))
    assert chosen.mae is None and chosen.bcp == 4 / 6


def test_rows_that_became_wrong_are_listed_and_can_be_refused():
    """R076: after an update on contrary rows the losses on old ones are told row by row, and refused on demand."""
    rng = np.random.default_rng(1)
    rows = rng.uniform(size=(100, 1))
    y = (rows[:, 0] > 0.5).astype(int)
    contrary, wrong = rng.uniform(size=(20, 1)), None
    old = xl.DecisionTreeClassifier().fit(rows, y)
    new = xl.DecisionTreeClassifier().fit(contrary, (contrary[:, 0] <= 0.5).astype(int))
    found = xl.compatibility(old, new, rows, y)
    wrong = np.flatnonzero(new.predict(rows) != y)
    assert [flip.row for flip in found.negative_flips] == wrong.tolist() and len(wrong) > 50
    assert all(flip.truth == flip.old != flip.new for flip in found.negative_flips)
    assert not found.ok
    with pytest.raises(xl.InvalidInputError, match=rf"wrong on {len(wrong)} of the 100 rows.*row {wrong[0]}: "):
        found.refuse_flips()
    kept = xl.compatibility(old, old, rows, y)
    assert kept.ok and kept.bcp == 1
    kept.refuse_flips()


def test_other_leaf_values_leave_explanations_alone():
    """R078: new values in the same leaves change no explanation, the second time no more than the first."""
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(200, 3))
    old = xl.DecisionTreeRegressor(max_depth=4).fit(rows, rows[:, 0])
    first = xl.read_model(old)
    for _ in range(2):
        tree = first.trees[0]
        value = np.where(tree.left[:, None] < 0, tree.value + 1, 0)
        parts = {name: getattr(tree, name) for name in type(tree).__slots__}
        refreshed = xl.build_ensemble([first])
        object.__setattr__(refreshed, "trees", (type(tree)(**{**parts, "value": value}),))
        found = xl.compatibility(old, refreshed, rows, rows[:, 0], tolerance=10.0)
        assert (found.jac, found.jlu, found.mae, found.mse, found.bcp) == (0, 0, 0, 0, 1)
        first = refreshed


def test_classes_that_vanish_or_appear_are_refused():
    """R080: members that disagree on the classes are refused when they meet, not when they predict."""
    two, three = DecisionTreeClassifier().fit(X, Y), DecisionTreeClassifier().fit(X, [0, 1, 2, 0, 1, 2])
    with pytest.raises(xl.InvalidInputError, match="other classes: classes 2 only in the second"):
        xl.compatibility(two, three, X, Y)
    with pytest.raises(xl.InvalidInputError, match="other classes: classes 2 only in the first"):
        xl.compatibility(three, two, X, Y)
    with pytest.raises(xl.InvalidInputError, match=r"y, row 2: 'b' is no class of these trees; accepted: 0, 1"):
        xl.compatibility(two, two, X, [0, 1, "b", 1, 0, 1])


def test_categories_are_refused_by_name():
    """R081: codes are never compared as numbers, whatever the new frame's order of categories."""
    frame = pd.DataFrame({"n": range(6), "c": pd.Categorical(list("abcabc"))})
    old = xl.DecisionTreeClassifier().fit(frame, Y)
    later = frame.iloc[[1, 2, 4, 5]].assign(c=pd.Categorical(list("bcbc")))
    with pytest.raises(xl.UnsupportedModelError, match="the old tree: column 'c' is categorical"):
        xl.compatibility(old, old, later, [0, 1, 0, 1])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"tolerance": -1}, "tolerance is -1"),
        ({"tolerance": float("nan")}, "tolerance is nan"),
        ({"jlu": "both"}, "jlu is 'both'; accepted: pooled, mean"),
        ({"y": [0, 1]}, "y has 2 entries for 6 rows"),
        ({"X": np.zeros((0, 2)), "y": []}, "table has no rows"),
        ({"X": [[0, np.inf]] * 6}, "'x2', row 0: inf is infinite"),
        (
            {"new": built(NEW, ["x1", "z"], [0, 1])},
            "features 'x2' only in the first and 'z' only in the second",
        ),
        ({"new": built(NEW, NAMES)}, "the first answers with classes 0, 1, the second with numbers"),
    ],
)
def test_errors(change, words):
    given = {"old": built(OLD, NAMES, [0, 1]), "new": built(NEW, NAMES, [0, 1]), "X": X, "y": Y, **change}
    with pytest.raises(xl.InvalidInputError, match=words):
        xl.compatibility(**given)


def test_the_explanation_of_a_row_in_words():
    tree = built(OLD, NAMES, [0, 1])
    found = xl.interval_explanation(tree, {"x2": 2, "x1": 3})
    assert (found.features, found.lower_features, found.upper_features) == (("x1", "x2"), ("x1",), ("x2",))
    assert str(found) == "if x1 > 1.5 and x2 <= 3: 1"
    assert str(found.term) == "x1 > 1.5 and x2 <= 3"
    assert found.term.matches({"x1": 1.6, "x2": -9}) and not found.term.matches({"x1": 1.5, "x2": 0})
    assert str(xl.interval_explanation(xl.build_tree({"value": 2.5}, ["a"]), [0])) == "if (always): 2.5"


@pytest.mark.parametrize("seed", range(10))
def test_the_term_holds_of_just_the_rows_of_the_leaf(seed):
    rng = random.Random(seed)
    tree = random_tree(rng, 3, 4)
    model = built(tree, ["a", "b", "c"], [0, 1])
    rows = [[rng.randrange(-4, 16) / 2 for _ in range(3)] for _ in range(12)]
    for x in rows:
        found = xl.interval_explanation(model, x)
        leaf = tree.leaf_of(x)
        assert found.prediction == leaf.answer
        for other in rows:
            assert found.term.matches(dict(zip("abc", other, strict=True))) == (tree.leaf_of(other) is leaf)
