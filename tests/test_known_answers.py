"""Worked examples whose answers are known: Susan, Figure 1 of the seed, and two ternary variables."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import xylogic as xl


def reasons(found) -> list[tuple[str, ...]]:
    return [reason.features for reason in found]


def susan_tree():
    features = [
        xl.Feature("Age"),
        xl.Feature("Btype", "categorical", ("A", "B", "AB", "O")),
        xl.Feature("Weight", "categorical", ("under", "norm", "over")),
    ]

    def btype(*yes):
        return {"feature": "Btype", "in": list(yes), "left": {"class": "yes"}, "right": {"class": "no"}}

    weight = {
        "feature": "Weight",
        "branches": [(["over"], {"class": "yes"}), (["norm"], btype("A", "B")), (["under"], btype("A", "B", "AB"))],
    }
    nodes = {"feature": "Age", "cut": 55.0, "compare": "<", "left": {"class": "no"}, "right": weight}
    return xl.build_tree(nodes, features, ("no", "yes"))


def test_susan():
    model = susan_tree()
    susan = {"Age": 60.0, "Btype": "A", "Weight": "over"}
    e = xl.Explainer(model).explain(susan)
    assert e.prediction == "yes"
    assert reasons(e.sufficient_reasons()) == [("Age", "Btype"), ("Age", "Weight")]
    assert reasons(e.necessary_reasons()) == [("Age",), ("Btype", "Weight")]
    assert reasons(e.contrastive("no")) == [("Age",), ("Btype", "Weight")]
    assert e.robustness() == 1
    assert e.sufficient_reason(minimum=True).size == 2
    assert list(e.necessary_features()) == ["Age"]
    assert list(e.relevant_features()) == ["Age", "Btype", "Weight"]
    flips = e.shortest_flips()
    assert flips.n_flips == 1 and [list(box) for box in flips] == [["Age"]]
    (row,) = flips.rows(5)
    assert row["Age"] < 55 and (row["Btype"], row["Weight"]) == ("A", "over")
    # with years divided by 10, being under 55 costs 0.5, and two changed categories 2
    e = xl.Explainer(model, features={"Age": {"scale": 10.0}}).explain(susan)
    assert e.counterfactual() == {**susan, "Age": math.nextafter(55.0, 0.0)}


def test_susan_boundary_and_the_six_changes_of_the_second_necessary_reason():
    model = susan_tree()
    assert model.predict([{"Age": 55.0, "Btype": "A", "Weight": "over"}]).tolist() == ["yes"]
    flipping = set()
    for btype, weight in itertools.product(("AB", "O", "B"), ("under", "norm")):
        if model.predict([{"Age": 60.0, "Btype": btype, "Weight": weight}]).tolist() == ["no"]:
            flipping.add((btype, weight))
    assert flipping == {("AB", "norm"), ("O", "under"), ("O", "norm")}
    e = xl.Explainer(model, features={"Age": {"mutable": False}}).explain({"Age": 60, "Btype": "A", "Weight": "over"})
    nearest = e.counterfactual()
    assert (nearest["Btype"], nearest["Weight"]) in flipping and nearest["Age"] == 60


def test_susan_partial_rows():
    explainer = xl.Explainer(susan_tree())
    assert explainer.is_sufficient({"Age": 60.0, "Weight": "over"}) == "yes"
    assert explainer.is_sufficient({"Age": (55.0, 99.0), "Btype": {"A", "B"}}) == "yes"
    assert explainer.is_sufficient({"Age": {20.0, 54.9}}) == "no"
    assert explainer.is_sufficient({"Age": 60.0}) is None
    possible = explainer.possible_classes({"Age": 60.0})
    assert list(possible) == ["no", "yes"]
    assert all(row["Age"] == 60.0 for row in possible.values())


def figure_1():
    features = [xl.Feature(name, "categorical", (1, 2, 3)) for name in "XYZ"]
    z = {"feature": "Z", "branches": [([1, 2], {"class": "c2"}), ([3], {"class": "c3"})]}
    # Y = 1 took another way above, so at the second test of Y it may stand in any branch
    y = {"feature": "Y", "branches": [([1, 2], {"class": "c2"}), ([3], {"class": "c1"})]}
    x = {"feature": "X", "branches": [([1], y), ([2, 3], z)]}
    return xl.build_tree(
        {"feature": "Y", "branches": [([1], {"class": "c1"}), ([2, 3], x)]}, features, ("c1", "c2", "c3")
    )


def test_figure_1():
    model = figure_1()
    rows = [dict(zip("XYZ", values, strict=True)) for values in itertools.product((1, 2, 3), repeat=3)]
    assert Counter(model.predict(rows).tolist()) == {"c1": 12, "c2": 11, "c3": 4}
    e = xl.Explainer(model).explain({"X": 2, "Y": 2, "Z": 3})
    assert e.prediction == "c3"
    assert reasons(e.sufficient_reasons()) == [("X", "Y", "Z")]
    assert reasons(e.necessary_reasons()) == [("X",), ("Y",), ("Z",)]
    assert e.robustness() == 1
    # one change: X to 1, Y to 1, Z to 1 or 2
    rows = e.shortest_flips().rows(10)
    assert sorted((row["X"], row["Y"], row["Z"]) for row in rows) == [(1, 2, 3), (2, 1, 3), (2, 2, 1), (2, 2, 2)]


def test_two_ternary_variables():
    features = [xl.Feature(name, "categorical", (1, 2, 3)) for name in "xy"]
    y = {"feature": "y", "in": [1, 2], "left": {"class": True}, "right": {"class": False}}
    nodes = {"feature": "x", "in": [1, 2], "left": {"class": True}, "right": y}
    model = xl.build_tree(nodes, features, (False, True))
    e = xl.Explainer(model).explain({"x": 1, "y": 1})
    assert e.prediction is True
    assert reasons(e.sufficient_reasons()) == [("x",), ("y",)]
    assert reasons(e.necessary_reasons()) == [("x", "y")]
    assert e.robustness() == 2
    assert list(e.necessary_features()) == [] and list(e.relevant_features()) == ["x", "y"]
    flips = e.shortest_flips()
    assert flips.n_flips == 1
    assert list(flips.rows(3)) == [{"x": 3, "y": 3}]
    # the change to (2, 2) violates the necessary reason and still does not flip
    assert not e.necessary_reasons()[0].matches({"x": 2, "y": 2})
    assert model.predict([{"x": 2, "y": 2}]).tolist() == [True]
