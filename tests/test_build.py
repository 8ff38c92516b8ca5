"""model/handmade.py, nodes.py and reach.py: models written by hand."""

import math
import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from xylogic import Feature, InvalidInputError, InvalidModelError, build_ensemble, build_tree

YES, NO = {"class": "yes"}, {"class": "no"}
BLOOD = Feature("blood", "categorical", ("A", "B", "AB", "O"))
NESTED = {
    "feature": "age",
    "cut": 55,
    "left": {"feature": "bmi", "cut": 30.0, "left": NO, "right": YES},
    "right": YES,
}


def stump(**more):
    return {"feature": "x", "cut": 0.5, "left": {"class": 0}, "right": {"class": 1}, **more}


def test_r056_a_nested_dict_is_a_model():
    """R056: nodes from any source, with stated comparison and missing rule."""
    model = build_tree(NESTED, ["age", "bmi"])
    assert model.classes == ("no", "yes")
    assert (model.voting, model.cast, model.named, model.n_trees, model.n_nodes) == ("average", "float64", True, 1, 5)
    assert model.features == (Feature("age", cuts=(55.0,)), Feature("bmi", cuts=(30.0,)))
    assert model.predict([[55, 30], [55, 30.1], [55.1, 0]]).tolist() == ["no", "yes", "yes"]
    assert model.apply([[55, 30], [55, 30.1], [55.1, 0]]).tolist() == [[2], [3], [4]]
    assert model.predict_proba([[55, 30]]).tolist() == [[1.0, 0.0]]


def test_a_list_keeps_its_positions_and_a_dict_its_order():
    as_list = [
        {"feature": "age", "cut": 55, "left": 3, "right": 1},
        YES,
        NO,
        {"feature": "bmi", "cut": 30, "left": 2, "right": 4},
        YES,
    ]
    as_dict = {
        "heavy?": {"feature": "bmi", "cut": 30, "left": "n", "right": "y2"},
        "y1": YES,
        "old?": {"feature": "age", "cut": 55, "left": "heavy?", "right": "y1"},
        "n": NO,
        "y2": YES,
    }
    rows = [[50, 20], [50, 40], [60, 20]]
    assert build_tree(as_list, ["age", "bmi"]).apply(rows).ravel().tolist() == [2, 4, 1]
    named = build_tree(as_dict, ["age", "bmi"])
    assert named.apply(rows).ravel().tolist() == [3, 4, 2]  # the root first, then the order of the keys
    assert named.predict(rows).tolist() == ["no", "yes", "yes"]


def test_the_root_of_a_list_may_stand_anywhere():
    model = build_tree([{"class": 0}, {"class": 1}, stump(left=0, right=1)], ["x"])
    assert model.apply([[0], [1]]).ravel().tolist() == [1, 2]


def test_numbers_of_other_types():
    for cut in (np.float32(0.5), np.int64(1), Fraction(1, 2), 1):
        assert build_tree(stump(cut=cut), ["x"]).trees[0].cut[0] == float(cut)
    with pytest.raises(InvalidModelError, match="cut Decimal"):
        build_tree(stump(cut=Decimal(1)), ["x"])


def test_r024_strict_comparison():
    """R024: a value on the cut goes where the stated comparison sends it."""
    assert build_tree(stump(compare="<", cut=3), ["x"]).predict([[3], [math.nextafter(3, 0)]]).tolist() == [1, 0]
    assert build_tree(stump(compare="<=", cut=3), ["x"]).predict([[3], [math.nextafter(3, 4)]]).tolist() == [0, 1]
    narrow = build_tree(stump(compare="<", cut=0.1), ["x"], cast="float32")
    at = float(np.float32(0.1))
    assert narrow.predict([[at], [float(np.nextafter(np.float32(0.1), np.float32(0)))]]).tolist() == [1, 0]


def test_missing_routes():
    model = build_tree(
        {**NESTED, "missing": "right", "left": {**NESTED["left"], "missing": "left"}}, ["age", "bmi", "unused"]
    )
    assert model.accepts_missing
    assert [f.may_be_missing for f in model.features] == [True, True, False]
    assert model.predict([[None, 10, 0], [40, None, None]]).tolist() == ["yes", "no"]
    half = build_tree({**NESTED, "missing": "right"}, ["age", "bmi"])
    assert half.predict([[None, 40]]).tolist() == ["yes"]
    with pytest.raises(InvalidInputError, match="column 'bmi', row 1: the value is missing"):
        half.predict([[None, 40], [40, None]])
    with pytest.raises(InvalidInputError, match="column 'age', row 0: the value is missing"):
        build_tree(NESTED, ["age", "bmi"]).predict([[None, 40]])


def test_categories():
    tree = {"feature": "blood", "in": ["O", "A"], "left": YES, "right": NO}
    model = build_tree(tree, [BLOOD])
    assert model.predict([{"blood": b} for b in BLOOD.categories]).tolist() == ["yes", "no", "no", "yes"]
    with pytest.raises(
        InvalidInputError, match="column 'blood', row 0: 'Z' is not a known category; accepted: 'A', 'B'"
    ):
        model.predict([["Z"]])


@pytest.mark.parametrize("form", ["nested", "list"])
def test_multi_way_nodes_become_a_chain(form):
    branches = [(["A", "B"], {"class": 1}), (["O"], {"class": 2}), (["AB"], {"class": 3})]
    if form == "nested":
        model = build_tree({"feature": "blood", "branches": branches, "missing": 1}, [BLOOD])
    else:
        nodes = [{"feature": "blood", "branches": [(c, i + 1) for i, (c, _) in enumerate(branches)], "missing": 1}]
        model = build_tree(nodes + [leaf for _, leaf in branches], [BLOOD])
        assert model.apply([["A"], ["O"], ["AB"]]).ravel().tolist() == [1, 2, 3]
    assert model.n_nodes == 5
    assert model.predict([["A"], ["B"], ["AB"], ["O"], [None]]).tolist() == [1, 1, 3, 2, 2]


def test_class_labels():
    assert build_tree(stump(), ["x"], [1, 0]).classes == (1, 0)
    assert build_tree(stump(left={"class": True}, right={"class": False}), ["x"]).classes == (False, True)
    mixed = build_tree(stump(left={"class": "b"}, right={"class": 3}), ["x"])
    assert mixed.classes == ("b", 3)
    assert mixed.predict([[0], [1]]).tolist() == ["b", 3]
    assert build_tree(stump(left={"class": np.int64(4)}, right={"class": np.int64(2)}), ["x"]).classes == (2, 4)
    assert build_tree({"class": "only"}, ["x"]).predict([[1.0]]).tolist() == ["only"]
    with pytest.raises(InvalidModelError, match="node 1 has class 0; the classes are"):
        build_tree(stump(), ["x"], ["a", "b"])


def test_leaf_values():
    regression = build_tree(stump(left={"value": 1.5}, right={"value": [-2]}), ["x"])
    assert regression.classes is None and regression.predict([[0], [1]]).tolist() == [1.5, -2.0]
    shares = build_tree(stump(left={"value": [0.3, 0.7]}, right={"class": "a"}), ["x"], ["a", "b"])
    assert shares.predict_proba([[0], [1]]).tolist() == [[0.3, 0.7], [1.0, 0.0]]
    signed = build_tree(stump(left={"value": -0.5}, right={"value": 0.5}), ["x"], ["a", "b"])
    assert signed.voting == "sum" and signed.predict([[0], [1]]).tolist() == ["a", "b"]
    for values, classes in [(([1, 2], 1), "ab"), ((1, [1, 2, 3]), "ab"), (([1, 2], [1, 2]), None), ((1, 1), "abc")]:
        with pytest.raises(InvalidModelError, match=r"node \d has \d values where \d are accepted"):
            build_tree(stump(left={"value": values[0]}, right={"value": values[1]}), ["x"], classes and list(classes))


CYCLE: dict = {"feature": "x", "cut": 1.0, "left": {"class": 0}}
CYCLE["right"] = CYCLE


@pytest.mark.parametrize(
    ("nodes", "says"),
    [
        (CYCLE, "node 2 is its own descendant"),
        ([stump(left=0, right=1), YES], "node 0: its child 0 is another node's child too, or on a cycle|no root"),
        ([stump(left=1, right=2), stump(left=0, right=3), YES, NO], "on a cycle"),
        ([stump(left=1, right=1), YES], "child 1 is another node's child too"),
        ([stump(left=1, right=2), YES, NO, YES], "node 3 is not reached from the root"),
        ([stump(left=1, right=9), YES], "child is 9, which is none of the 2 nodes"),
        ([stump(left=1, right=-1), YES], "child is -1, which is none"),
        ([stump(left=1, right=True), YES], "child is True, which is none"),
        ([stump(left=1, right=[2]), YES, NO], r"child is \[2\], which is none"),
        ([stump(left=1, right=2), YES, "no"], "node 2 is 'no'"),
        ({"a": stump(left="b", right="zz"), "b": YES}, "child is 'zz', which is none"),
        (stump(left=3), "child is 3; a dict is accepted"),
        (stump(left=None), "child is None; a dict is accepted"),
        (stump(colour="red"), "node 0 has the keys .* accepted: {feature, cut, left, right}"),
        ({"feature": "x", "cut": 1.0}, "node 0 has the keys"),
        ({}, "nodes is {}"),
        ([], r"nodes is \[\]"),
        ("tree", "nodes is 'tree'"),
        (stump(feature="y"), r"node 0 tests feature 'y'; the features are \['x', 'blood'\]"),
        (stump(feature=["x"]), r"node 0 tests feature \['x'\]"),
        (stump(cut=math.nan), "node 0 has cut nan"),
        (stump(cut=math.inf), "node 0 has cut inf"),
        (stump(cut="0.5"), "node 0 has cut '0.5'; a finite number is accepted"),
        (stump(cut=True), "node 0 has cut True"),
        (stump(cut=10**400), "node 0 has cut 1000"),
        (stump(compare=">"), "node 0 has compare '>'; '<=' or '<' is accepted"),
        (stump(missing="up"), "node 0 has missing 'up'"),
        (stump(feature="blood"), "node 0 compares 'blood' with a number"),
        ({"feature": "x", "in": ["A"], "left": YES, "right": NO}, "node 0 tests categories of 'x', which is numeric"),
        ({"feature": "blood", "in": [], "left": YES, "right": NO}, r"node 0 has the categories \[\]"),
        ({"feature": "blood", "in": "A", "left": YES, "right": NO}, "node 0 has the categories 'A'"),
        (
            {"feature": "blood", "in": ["Z"], "left": YES, "right": NO},
            "node 0 lists 'Z'; the categories of 'blood' are",
        ),
        ({"feature": "blood", "in": [["A"]], "left": YES, "right": NO}, r"node 0 lists \['A'\]"),
        ({"feature": "blood", "in": ["A", "A"], "left": YES, "right": NO}, "node 0 lists a category of 'blood' twice"),
        ({"feature": "blood", "branches": [(["A", "B", "AB"], YES)]}, "a list of at least two"),
        ({"feature": "blood", "branches": [(["A"], YES), (["B", "AB"], NO)]}, r"node 0 has no branch for \['O'\]"),
        ({"feature": "blood", "branches": [(["A"], YES), (["A", "B", "AB", "O"], NO)]}, "category of 'blood' twice"),
        ({"feature": "blood", "branches": [(["A"], YES), ([], NO)]}, "has no branch for"),
        ({"feature": "blood", "branches": [["A"], ["B"]]}, r"node 0 has branch \['A'\]"),
        (
            {"feature": "blood", "branches": [(["A"], YES), (["B", "AB", "O"], NO)], "missing": 2},
            "node 0 has missing 2",
        ),
        ({"value": math.nan}, "node 0 has value nan"),
        ({"value": []}, r"node 0 has value \[\]"),
        ({"value": [1, "a"]}, "node 0 has value"),
        ({"value": True}, "node 0 has value True"),
    ],
)
def test_what_is_no_tree_is_refused_by_node(nodes, says):
    with pytest.raises(InvalidModelError, match=says):
        build_tree(nodes, ["x", BLOOD])


@pytest.mark.parametrize(
    ("nodes", "says"),
    [
        (stump(left=stump(cut=0.7)), "node 3, on the right of node 1, is never reached: its tests of 'x' contradict"),
        (stump(right=stump(cut=0.5)), "node 3, on the left of node 2, is never reached"),
        (stump(right=stump(left=stump(cut=0.2), cut=1)), "never reached"),
        (
            {"feature": "blood", "in": ["A", "B"], "left": {"feature": "blood", "in": ["O"], "left": YES, "right": NO},
             "right": YES},
            "node 2, on the left of node 1, is never reached: its tests of 'blood'",
        ),
        (
            {"feature": "blood", "in": ["A"], "left": {"feature": "blood", "in": ["A", "B"], "left": YES, "right": NO},
             "right": YES},
            "node 3, on the right of node 1, is never reached",
        ),
        ({"feature": "blood", "in": ["A", "B", "AB", "O"], "left": YES, "right": NO}, "node 2, on the right of node 0"),
        (stump(cut=1.7976931348623157e308), "node 2, on the right of node 0"),
    ],
)  # fmt: skip
def test_empty_cells_are_refused(nodes, says):
    with pytest.raises(InvalidModelError, match=says):
        build_tree(nodes, ["x", BLOOD])


def test_a_node_that_only_missing_values_reach_is_no_empty_cell():
    nodes = stump(missing="left", left=stump(missing="right", cut=0.7))
    assert build_tree(nodes, ["x"]).predict([[None], [0.0], [0.5]]).tolist() == [1, 0, 0]
    with pytest.raises(InvalidModelError, match="never reached"):  # the value can no longer be missing there
        build_tree(stump(missing="right", left=stump(missing="right", cut=0.7)), ["x"])


def test_two_cuts_that_are_one_in_float32():
    nodes = stump(cut=0.1, right=stump(cut=0.1 + 1e-12))
    assert build_tree(nodes, ["x"]).features[0].cuts == (0.1, 0.1 + 1e-12)
    with pytest.raises(InvalidModelError, match="never reached"):
        build_tree(nodes, ["x"], cast="float32")


def test_leaves_may_be_shared_objects():
    leaf = {"class": 1}
    assert build_tree(stump(left=leaf, right=stump(cut=1, left=leaf, right={"class": 0})), ["x"]).n_nodes == 5


def test_features_argument():
    for names in (("x",), np.array(["x"]), iter(["x"])):
        assert build_tree(stump(), names).feature_names == ("x",)
    with pytest.raises(InvalidInputError, match="features is 'x'"):
        build_tree(stump(), "x")
    with pytest.raises(InvalidInputError, match="feature name 3 is not a str"):
        build_tree(stump(), ["x", 3])
    with pytest.raises(InvalidModelError, match="features 0 and 2 are both called 'x'"):
        build_tree(stump(), ["x", "y", "x"])
    with pytest.raises(InvalidModelError, match="cast is 'float16'"):
        build_tree(stump(), ["x"], cast="float16")


def test_r096_a_chain_of_a_hundred_thousand_tests():
    """R087, R096: no recursion on depth, whatever the form of the nodes."""
    n = 100_000
    nodes: dict = {"class": 0}
    for i in range(n):
        nodes = {"feature": "x", "cut": i, "left": nodes, "right": {"class": i % 2}}
    start = time.perf_counter()
    model = build_tree(nodes, ["x"])
    assert model.trees[0].depth == n
    assert model.predict([[-1], [0.5], [n]]).tolist() == [0, 0, 1]
    listed: list = [{"class": 1}]
    for i in range(10_000):
        listed += [{"class": i % 2}, {"feature": "x", "cut": i, "left": len(listed) - 1, "right": len(listed)}]
    assert build_tree(listed, ["x"]).trees[0].depth == 10_000
    assert time.perf_counter() - start < 30
    while "left" in nodes:  # take it apart: an interpreter may recurse when it frees one
        nodes = nodes.pop("left")


def test_build_ensemble_votes():
    low, high = build_tree(stump(), ["x"]), build_tree(stump(cut=1.5), ["x"])
    model = build_ensemble([low, high, high])
    assert (model.n_trees, model.voting, model.features[0].cuts) == (3, "average", (0.5, 1.5))
    assert model.predict_proba([[1]]).tolist() == [[2 / 3, 1 / 3]]
    nested = build_ensemble([model, low], voting="majority")
    assert nested.n_trees == 4 and nested.decision_function([[1]]).tolist() == [[2.0, 2.0]]
    assert nested.predict([[1]]).tolist() == [0]
    assert build_ensemble([model, low], voting="majority", tie="last").predict([[1]]).tolist() == [1]


def test_r053_a_tie_goes_where_the_model_says():
    """R053: two trees with votes +1 and -1 sum to 0; the tie rule is the model's own."""
    up = build_tree({"feature": "x", "cut": 0, "left": {"value": 1}, "right": {"value": 2}}, ["x"], ["a", "b"])
    down = build_tree({"value": -1}, ["x"], ["a", "b"])
    for tie, label in [("first", "a"), ("last", "b")]:
        model = build_ensemble([up, down], voting="sum", tie=tie)
        assert model.decision_function([[0], [1]]).tolist() == [0.0, 1.0]
        assert model.predict([[0], [1]]).tolist() == [label, "b"]
    shifted = build_ensemble([up, down], voting="sum", base=-0.5, link="logistic")
    assert shifted.predict([[0], [1]]).tolist() == ["a", "b"]
    assert shifted.predict_proba([[1]]) == pytest.approx(
        np.array([[1 / (1 + math.exp(0.5)), 1 / (1 + math.exp(-0.5))]])
    )


def test_build_ensemble_refuses_what_does_not_fit():
    tree = build_tree(stump(), ["x"])
    for other, says in [
        (build_tree(stump(), ["x", "y"]), r"trees\[1\] has columns"),
        (build_tree(stump(), ["x"], [1, 0]), r"trees\[1\] has classes \(1, 0\)"),
        (build_tree(stump(), ["x"], cast="float32"), r"trees\[1\] has cast 'float32'"),
        (build_tree({"value": [0.5, 0.5, 0]}, ["x"], [0, 1, 2]), r"trees\[1\] has classes"),
        (stump(), r"trees\[1\] is a dict"),
    ]:
        with pytest.raises(InvalidModelError, match=says):
            build_ensemble([tree, other])
    with pytest.raises(InvalidModelError, match="trees is empty"):
        build_ensemble([])
    with pytest.raises(InvalidModelError, match="base is"):
        build_ensemble([tree], voting="sum", base=[1.0])
    with pytest.raises(InvalidModelError, match="voting is 'median'"):
        build_ensemble([tree], voting="median")


def test_missing_routes_of_several_trees():
    routed = build_tree(stump(missing="left"), ["x", "y"])
    other = build_tree({"feature": "y", "cut": 0, "left": {"class": 0}, "right": {"class": 1}}, ["x", "y"])
    model = build_ensemble([routed, other])
    assert model.predict([[None, 1]]).tolist() == [0]
    assert [f.may_be_missing for f in model.features] == [True, False]
    with pytest.raises(InvalidInputError, match="column 'y', row 0"):
        model.predict([[0, None]])
