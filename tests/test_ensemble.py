"""model/ensemble.py and admit.py: what a model is, takes and answers."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest

from xylogic import Ensemble, Feature, InvalidInputError, InvalidModelError, build_ensemble, build_tree
from xylogic.model.build import make_ensemble
from xylogic.model.ensemble import label_array

BLOOD = Feature("blood", "categorical", ("A", "B", "O"))


def stump(left=0, right=1, cut=0.5, kind="class"):
    return {"feature": "x", "cut": cut, "left": {kind: left}, "right": {kind: right}}


def shares(*leaves):
    """A forest of single leaves with these class distributions."""
    return build_ensemble([build_tree({"value": list(leaf)}, ["x"], [0, 1]) for leaf in leaves])


def test_r021_average_and_majority_are_different_models():
    """R021: (0,1), (0.6,0.4), (0.6,0.4): class 1 by the mean, class 0 by votes; each says which it is."""
    model = shares((0, 1), (0.6, 0.4), (0.6, 0.4))
    assert (model.voting, model.predict([[0]]).tolist()) == ("average", [1])
    hard = model.with_voting("majority")
    assert (hard.voting, hard.predict([[0]]).tolist()) == ("majority", [0])
    assert hard.predict_proba([[0]]).tolist() == [[2 / 3, 1 / 3]]
    assert hard.trees is model.trees
    assert hard.with_voting("average").predict([[0]]).tolist() == [1]


def test_r053_ties_by_the_written_rule():
    """R053: equal means: the first class; equal votes: the first class, after with_voting too."""
    tied = shares((0.5, 0.5), (1, 0), (0, 1))
    assert tied.predict([[0]]).tolist() == [0]
    last = dataclasses.replace(tied, tie="last")
    assert last.predict([[0]]).tolist() == [1]
    assert last.with_voting("majority").tie == "first"
    # a tree whose own leaf is tied votes for the first maximum, whatever the tie rule of the model
    assert dataclasses.replace(shares((0.5, 0.5)), voting="majority", tie="last").predict([[0]]).tolist() == [0]


def test_r099_one_rectangle_of_probabilities_in_class_order():
    """R099: labels of any kind come back unchanged in type; every row sums to 1."""
    for labels in [(-5, 0, 7), ("b", "a", "c"), (0.5, 1.5, 2.5), ("a", 1, None), ("x\0", "x", "y")]:
        leaves = [{"value": v} for v in ([1, 0, 0], [0, 0, 1])]
        model = build_tree({"feature": "x", "cut": 0, "left": leaves[0], "right": leaves[1]}, ["x"], labels)
        assert model.classes == labels
        answers = model.predict([[0], [1]]).tolist()
        assert answers == [labels[0], labels[2]]
        assert [type(answer) for answer in answers] == [type(labels[0]), type(labels[2])]
        proba = model.predict_proba([[0], [1]])
        assert proba.shape == (2, 3) and proba.sum(axis=1).tolist() == [1, 1]
    two = build_tree(stump(True, False), ["x"])
    assert two.predict([[0]]).dtype == bool and two.predict([[0]]).tolist() == [True]


def test_labels_that_numpy_would_change():
    for labels in [(1, 1.5), (True, 2), (2**70, 1), (2**63, -1), ("a", b"a"), ((1, 2), (3, 4)), (1, "1")]:
        back = label_array(labels).tolist()
        assert back == list(labels) and list(map(type, back)) == list(map(type, labels))


def test_one_class():
    """R029 (reading): one class gives one column of ones."""
    model = build_tree({"class": "only"}, ["x"])
    assert model.predict([[3]]).tolist() == ["only"] and model.predict_proba([[3]]).tolist() == [[1.0]]
    assert dataclasses.replace(model, voting="sum").predict([[3]]).tolist() == ["only"]


def test_r100_no_rows_no_trees():
    """R100: 0 rows give empty answers of the right shape; 0 trees are refused."""
    model = build_ensemble([build_tree(stump(), ["x"])] * 3)
    for empty in (np.empty((0, 1)), []):
        assert model.predict(empty).shape == (0,)
        assert model.predict_proba(empty).shape == (0, 2)
        assert model.decision_function(empty).shape == (0, 2)
        assert model.apply(empty).shape == (0, 3)
        assert model.encode(empty).shape == (0, 1)
    assert build_tree(stump(1.5, 2.5, kind="value"), ["x"]).predict([]).dtype == np.float64
    with pytest.raises(InvalidInputError, match="0 columns; 1 are accepted"):
        model.predict(np.empty((0, 0)))
    with pytest.raises(InvalidModelError, match="at least one tree"):
        make_ensemble([], [Feature("x")], None, voting="average", cast="float64")


def test_r107_a_cell_too_large_is_named():
    """R107: 1e39 or -inf is refused at the door with column, row and what is accepted; 1e39 is fine in float64."""
    narrow, wide = (build_tree(stump(), ["x"], cast=cast) for cast in ("float32", "float64"))
    assert wide.predict([[1e39]]).tolist() == [1]
    for value in (1e39, -np.inf, np.inf):
        with pytest.raises(InvalidInputError, match=r"column 'x', row 1: .*numbers from -3.4028\d+e\+38 to 3.4028"):
            narrow.predict([[0.0], [value]])
    with pytest.raises(InvalidInputError, match=r"column 'x', row 0: inf is infinite"):
        wide.predict([[np.inf]])
    just = 3.4028235677973362e38  # the last float64 that rounds to a finite float32
    assert narrow.predict([[just]]).tolist() == [1]
    with pytest.raises(InvalidInputError, match="row 0"):
        narrow.predict([[np.nextafter(just, np.inf)]])


def test_limits_bound_what_is_accepted():
    model = dataclasses.replace(build_tree(stump(), ["x"]), limits=((-1.0, 2.0),))
    assert model.predict([[-1], [2]]).tolist() == [0, 1]
    with pytest.raises(InvalidInputError, match=r"column 'x', row 1: 2.5 .*numbers from -1.0 to 2.0 are accepted"):
        model.predict([[0], [2.5]])


def test_infinite_numbers_where_the_model_takes_them():
    model = dataclasses.replace(build_tree(stump(), ["x"], cast="float32"), accepts_infinite=True)
    assert model.predict([[np.inf], [-np.inf], [1e300]]).tolist() == [1, 0, 1]


def test_encode_rounds_to_the_cast_and_codes_categories():
    features = [Feature("x"), BLOOD]
    nodes = {"feature": "blood", "in": ["B"], "left": stump(), "right": {"class": 2}}
    narrow = build_tree(nodes, features, cast="float32")
    given = np.array([[0.1, 1]], dtype=object)
    given[0, 1] = "B"
    assert narrow.encode(given).tolist() == [[float(np.float32(0.1)), 1.0]]
    assert narrow.encode(given).flags.c_contiguous
    assert build_tree(nodes, features).encode([{"blood": "O", "x": 0.1}]).tolist() == [[0.1, 2.0]]


def test_r103_unused_features_keep_their_place():
    """R103: unused columns first, in the middle and last."""
    names = ["u0", "a", "u1", "b", "u2"]
    nodes = {"feature": "b", "cut": 1, "left": {"class": 0}, "right": {**stump(1, 2), "feature": "a"}}
    model = build_tree(nodes, names)
    assert model.feature_names == tuple(names)
    assert [len(f.cuts) for f in model.features] == [0, 1, 0, 1, 0]
    assert model.predict([[9, 0, 9, 0, 9], [9, 0, 9, 2, 9], [9, 1, 9, 2, 9]]).tolist() == [0, 1, 2]


def test_regression_has_no_probabilities_and_no_majority():
    model = build_tree(stump(1, 2, kind="value"), ["x"])
    with pytest.raises(InvalidInputError, match="is a regression model and has no class probabilities; use predict"):
        model.predict_proba([[0]])
    with pytest.raises(InvalidModelError, match="regression model has one output, no majority"):
        model.with_voting("majority")
    assert model.decision_function([[0], [1]]).tolist() == [1.0, 2.0]


def test_sums_and_links():
    tree = build_tree(stump([1, 2, 0], [0, 0, 3], kind="value"), ["x"], list("abc"))
    model = build_ensemble([tree, tree], voting="sum", base=[0.5, 0, 0], link="softmax")
    assert model.decision_function([[0]]).tolist() == [[2.5, 4.0, 0.0]]
    assert model.predict([[0], [1]]).tolist() == ["b", "c"]
    e = np.exp([-1.5, 0, -4])
    assert model.predict_proba([[0]])[0] == pytest.approx(e / e.sum())
    plain = build_ensemble([tree], voting="sum")
    with pytest.raises(InvalidInputError, match="sum of scores without a link"):
        plain.predict_proba([[0]])
    with pytest.raises(InvalidModelError, match="cannot be turned"):
        plain.with_voting("majority")
    single = build_ensemble(
        [build_tree(stump(-1e3, 1e3, kind="value"), ["x"], ["a", "b"])], voting="sum", link="logistic"
    )
    assert single.predict_proba([[0], [1]]).tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"voting": "mode"}, "voting is 'mode'"),
        ({"cast": "float16"}, "cast is 'float16'"),
        ({"tie": "random"}, "tie is 'random'"),
        ({"link": "probit"}, "link is 'probit'"),
        ({"classes": (0,)}, "1 classes, 2 outputs"),
        ({"classes": (0, 0)}, "distinct labels"),
        ({"classes": ()}, "distinct labels"),
        ({"classes": None}, "regression model has one output"),
        ({"base": (0.0,)}, "2 finite numbers"),
        ({"base": (0.0, np.inf)}, "2 finite numbers"),
        ({"link": "logistic"}, "do not fit"),
        ({"trees": ()}, "at least one tree"),
        ({"limits": ()}, "limits are given for 0 of 1"),
        ({"features": (Feature("x"), Feature("x"))}, "features 0 and 1 are both called 'x'"),
    ],
)
def test_an_ensemble_checks_itself(changes, says):
    with pytest.raises(InvalidModelError, match=says):
        dataclasses.replace(build_tree(stump(), ["x"]), **changes)


def test_trees_with_other_outputs():
    one, two = build_tree(stump(), ["x"]).trees[0], build_tree({"value": 1}, ["x"]).trees[0]
    with pytest.raises(InvalidModelError, match="tree 1 has 1 outputs where tree 0 has 2"):
        make_ensemble([one, two], [Feature("x")], [0, 1], voting="average", cast="float64")
    with pytest.raises(InvalidModelError, match="tree 0 tests feature 0 of 0"):
        make_ensemble([one], [], [0, 1], voting="average", cast="float64")


def test_an_ensemble_is_frozen_and_copies_whole():
    model = build_tree(stump(), ["x"])
    model.predict([[0]])
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.voting = "majority"
    for other in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert isinstance(other, Ensemble)
        assert "flat" not in vars(other)
        assert other.predict([[0], [1]]).tolist() == [0, 1]
    assert "1 trees, 3 nodes, 1 features, 2 classes, voting average" in repr(model)


def test_r016_every_row_with_missing_values_reaches_one_leaf():
    """R016: routes are kept; all-missing reaches a leaf in every tree."""
    nodes = {**stump(), "missing": "right", "left": {**stump(cut=0.1), "feature": "y", "missing": "left"}}
    model = build_tree(nodes, ["x", "y"])
    rows = [[a, b] for a in (None, 0.0, 1.0) for b in (None, 0.0, 1.0)]
    assert model.apply(rows).ravel().tolist() == [4, 4, 4, 2, 2, 3, 4, 4, 4]
