"""Trouble that people reported with other explainers (R...), and traps seen in them (peers): one test each."""

from __future__ import annotations

import itertools
import json
import math
import multiprocessing
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import xylogic as xl
from oracle import Oracle
from xylogic.errors import BudgetExceeded, InvalidInputError, InvalidModelError, XylogicError

LEAF = {label: {"class": label} for label in (0, 1, "no", "yes", "a", "b", "c")}


def test_on(feature: str, cut: float, low, high, **more) -> dict:
    """A numeric node; leaves are given by their class."""
    low, high = (LEAF[side] if not isinstance(side, dict) else side for side in (low, high))
    return {"feature": feature, "cut": cut, "left": low, "right": high, **more}


test_on.__test__ = False  # a helper, whatever its name says


def features_of(reasons) -> set[frozenset[str]]:
    return {frozenset(reason.features) for reason in reasons}


@pytest.fixture(scope="module")
def cancer():
    """A forest on breast cancer data, with its data frame."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return RandomForestClassifier(100, max_depth=4, random_state=0).fit(X, y), X


def completions(row: dict, fixed, X: np.ndarray, names, n: int, seed: int = 0) -> np.ndarray:
    """Rows that keep the fixed features of ``row`` and take the others from random rows of ``X``."""
    rng = np.random.default_rng(seed)
    made = np.column_stack([rng.choice(X[:, i], n) for i in range(X.shape[1])])
    for i, name in enumerate(names):
        if name in fixed:
            made[:, i] = row[name]
    return made


# ---------------------------------------------------------------- reports


def mixed_model():
    features = [xl.Feature("age"), xl.Feature("colour", "categorical", ("red", "green", "blue")), xl.Feature("income")]
    nodes = [
        test_on("age", 30.0, test_on("income", 20.5, "no", "yes"), "yes"),
        {
            "feature": "colour",
            "in": ["red", "blue"],
            "left": test_on("income", 50.25, "no", "yes"),
            "right": LEAF["yes"],
        },
        test_on("income", 35.125, "no", test_on("age", 60.0, "yes", "no")),
    ]
    trees = [xl.build_tree(tree, features, ("no", "yes")) for tree in nodes]
    return xl.build_ensemble(trees, voting="majority")


def test_r046_fixed_features_stay_fixed_and_each_counterfactual_is_the_nearest_for_its_row():
    model = mixed_model()
    options = {"age": {"mutable": False}, "colour": {"cost": 0.7}}
    explainer = xl.Explainer(model, features=options)
    rng = np.random.default_rng(0)
    rows = [
        {"age": float(age), "colour": colour, "income": float(income)}
        for age, colour, income in zip(
            rng.uniform(18, 80, 10).round(1),
            rng.choice(["red", "green", "blue"], 10),
            rng.uniform(0, 90, 10).round(2),
            strict=True,
        )
    ]
    answers = set()
    for row in rows:
        nearest = explainer.explain(row).counterfactual()
        oracle = Oracle(model, row, features=options)
        if nearest is None:
            assert oracle.nearest()[0] == math.inf
            continue
        assert nearest["age"] == row["age"] and nearest["colour"] in ("red", "green", "blue")
        assert math.isclose(oracle.cost_of(nearest), oracle.nearest()[0], rel_tol=1e-9)
        assert model.predict([nearest]) != model.predict([row])
        answers.add(tuple(nearest.values()))
    assert len(answers) >= 5


def test_r047_unseen_category_is_refused_with_column_and_value():
    features = [xl.Feature("code", "categorical", (0, 1, 2)), xl.Feature("size")]
    tree = {"feature": "code", "in": [0, 2], "left": LEAF["no"], "right": test_on("size", 1.0, "no", "yes")}
    explainer = xl.Explainer(xl.build_tree(tree, features, ("no", "yes")))
    for ask in (explainer.explain, explainer.is_sufficient, explainer.possible_classes):
        with pytest.raises(InvalidInputError, match=r"(?s)code.*3"):
            ask({"code": 3, "size": 1.0})
    assert explainer.explain({"code": 1, "size": 1e6}).prediction == "yes"


def test_r050_the_search_ends_with_a_proof_or_says_that_it_did_not_end(cancer):
    forest, X = cancer
    names = list(X.columns)
    # nothing may change but one feature, within a range that no cut divides: no flip, proven
    locked = {name: {"mutable": False} for name in names[1:]}
    row = X.iloc[0]
    value = float(row[names[0]])
    explainer = xl.Explainer(forest, features={**locked, names[0]: {"lower": value, "upper": value}})
    e = explainer.explain(row)
    assert e.counterfactual() is None
    assert e.to_dict()["answers"]["counterfactual"]["status"] == "exact"
    # out of time: not the same as "none exists"
    e = xl.Explainer(forest, time_limit=1e-4).explain(row)
    started = time.perf_counter()
    try:
        found = e.counterfactual()
    except BudgetExceeded as refusal:
        found = None
        assert "lower" in refusal.bounds
    assert time.perf_counter() - started < 2.0
    answer = e.to_dict()["answers"]["counterfactual"]
    assert answer["status"] == "partial"
    if found is not None:
        assert forest.predict(pd.DataFrame([found])) != forest.predict(X.iloc[[0]])


def test_r051_a_single_tree_on_the_raw_scale_has_an_exact_radius():
    rng = np.random.default_rng(1)
    X = rng.uniform(-100, 100, (300, 2)).astype(np.float32)
    tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, (X[:, 0] * X[:, 1] > 0) ^ (X[:, 0] > 40))
    explainer = xl.Explainer(tree, features={"x0": {"scale": 1.0}, "x1": {"scale": 1.0}})
    for row in X[:20].astype(np.float64):
        before = tree.predict([row])[0]
        found = explainer.explain(row).counterfactual()
        point = np.array([found["x0"], found["x1"]])
        radius = np.abs(point - row).sum()
        assert tree.predict([point])[0] != before
        # strictly inside there is no flip: many points of the L1 ball, and its surface just within the radius
        inside = rng.uniform(-1, 1, (5000, 2))
        inside *= radius * (1 - 1e-6) * rng.uniform(0, 1, (5000, 1)) / np.abs(inside).sum(axis=1, keepdims=True)
        edge = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]) * radius * (1 - 1e-6)
        assert (tree.predict(row + np.vstack([inside, edge])) == before).all()


def test_r053_the_tie_rule_of_the_model_is_used_by_every_question():
    features = [xl.Feature("x"), xl.Feature("y")]
    votes = [{"value": -1.0}, {"value": 1.0}]
    nodes = [test_on("x", 0.0, *votes), test_on("y", 0.0, *votes)]
    trees = [xl.build_tree(tree, features, (0, 1)) for tree in nodes]
    tied = {"x": 1.0, "y": -1.0}  # the sum is 0
    for tie, label in (("first", 0), ("last", 1)):
        model = xl.build_ensemble(trees, voting="sum", tie=tie)
        assert model.predict([tied]).tolist() == [label]
        e = xl.Explainer(model).explain(tied)
        assert e.prediction == label
        # the class needs one vote only: the one that it has is the reason, and one change flips it
        assert features_of(e.sufficient_reasons()) == {frozenset("y" if label == 0 else "x")}
        assert e.robustness() == 1
        assert model.predict([e.counterfactual()]).tolist() == [1 - label]
        sure = {"x": 1.0, "y": 1.0}
        assert xl.Explainer(model).explain(sure).robustness() == (1 if tie == "first" else 2)
    forest = [xl.build_tree({"value": value}, features, (0, 1)) for value in ([0.5, 0.5], [0.5, 0.5])]
    assert xl.build_ensemble(forest, voting="average").predict([tied]).tolist() == [0]


def test_r055_each_side_of_every_cut_is_explained_as_the_model_routes_it():
    low = np.float32(10.1)
    high = np.nextafter(low, np.float32(11))
    X = np.array([[low], [high]], dtype=np.float32)
    tree = DecisionTreeClassifier().fit(X, [0, 1])
    assert low < tree.tree_.threshold[0] < high
    explainer = xl.Explainer(tree)
    for value, label in ((low, 0), (high, 1)):
        e = explainer.explain([float(value)])
        assert e.prediction == label == tree.predict([[value]])[0]
        (reason,) = e.sufficient_reasons()
        assert reason.matches({"x0": float(value)}) and not reason.matches({"x0": float(high if value == low else low)})
        (flip,) = e.shortest_flips().rows(1)
        assert tree.predict([[flip["x0"]]])[0] == 1 - label
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    explainer = xl.Explainer(tree)
    for node in np.flatnonzero(tree.tree_.children_left >= 0):
        feature, threshold = tree.tree_.feature[node], np.float32(tree.tree_.threshold[node])
        for value in (np.nextafter(threshold, np.float32(-9)), threshold, np.nextafter(threshold, np.float32(99))):
            row = X[node % 150].copy()
            row[feature] = value
            e = explainer.explain(row)
            assert e.prediction == tree.predict([row])[0]
            named = {f"x{i}": number for i, number in enumerate(row)}
            assert all(reason.matches(named) for reason in e.sufficient_reasons())


def test_r056_a_hand_written_nested_dict_is_a_model():
    nodes = {"feature": "x", "cut": 1.5, "compare": "<", "left": {"class": "no"}, "right": {"class": "yes"}}
    model = xl.build_tree(nodes, [xl.Feature("x")], ("no", "yes"))
    assert model.predict([[1.5], [math.nextafter(1.5, 0)]]).tolist() == ["yes", "no"]
    assert xl.Explainer(model).explain([1.5]).sufficient_reason().features == ("x",)
    with pytest.raises(InvalidModelError):
        xl.build_tree({"feature": "x", "cut": 1.5, "left": {"class": "no"}}, [xl.Feature("x")], ("no", "yes"))


def test_r058_categorical_tests_use_the_membership_of_the_model():
    levels = ("a", "b", "c", "d", "e")
    features = [xl.Feature("level", "categorical", levels), xl.Feature("other", "categorical", levels)]
    nodes = []
    for name, chosen in (("level", ["b", "d"]), ("other", ["a", "e"]), ("level", ["d", "e"])):
        nodes.append({"feature": name, "in": chosen, "left": LEAF["yes"], "right": LEAF["no"]})
    model = xl.build_ensemble([xl.build_tree(tree, features, ("no", "yes")) for tree in nodes], voting="majority")
    for level, other in itertools.product(levels, levels):
        row = {"level": level, "other": other}
        e, oracle = xl.Explainer(model).explain(row), Oracle(model, row)
        assert e.prediction == oracle.prediction == model.predict([row]).tolist()[0]
        assert features_of(e.sufficient_reasons()) == oracle.sufficient_reasons()
        assert features_of(e.necessary_reasons()) == oracle.necessary_reasons()


def test_r059_ranges_limit_changed_values_only():
    features = [xl.Feature("age"), xl.Feature("income")]
    either = test_on("age", 50.0, test_on("income", 100.0, "no", "yes"), "yes")
    model = xl.build_tree(either, features, ("no", "yes"))
    row = {"age": 25.0, "income": 10.0}  # outside the allowed ages, and may stay there
    bounded = {"age": {"lower": 30, "upper": 40}, "income": {"scale": 1.0}}
    nearest = xl.Explainer(model, features=bounded).explain(row).counterfactual()
    assert nearest["age"] == 25.0 and nearest["income"] > 100.0
    # with the only way out beyond the range there is none
    both = {**bounded, "income": {"upper": 100.0}}
    assert xl.Explainer(model, features=both).explain(row).counterfactual() is None
    # the end of a range may be used
    reachable = {"age": {"lower": 60.5, "upper": 70}, "income": {"mutable": False}}
    assert xl.Explainer(model, features=reachable).explain(row).counterfactual() == {"age": 60.5, "income": 10.0}


R062_SCRIPT = """
import json, sys
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
import xylogic as xl
X, y = load_wine(return_X_y=True, as_frame=True)
forest = RandomForestClassifier(20, max_depth=4, random_state=3).fit(X, y.map({0: "one", 1: "two", 2: "three"}))
e = xl.Explainer(forest).explain(X.iloc[70])
answers = [str(e.sufficient_reason()), str(e.sufficient_reason(minimum=True)), list(map(str, e.sufficient_reasons()))]
answers += [list(map(str, e.necessary_reasons())), {str(k): list(map(str, v)) for k, v in e.contrastive().items()}]
answers += [e.robustness(), [str(box) for box in e.shortest_flips()], e.shortest_flips().rows(5), e.counterfactual()]
answers += [list(e.relevant_features()), list(map(str, e.sufficient_reasons(limit=3)))]
print(json.dumps(answers))
"""


def test_r062_the_same_answer_in_every_process_and_for_every_hash_seed():
    answers = set()
    for seed in ("0", "1", "4711", "random"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", R062_SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        answers.add(done.stdout)
    assert len(answers) == 1 and len(json.loads(answers.pop())[2]) > 1


def test_r062_the_same_answer_for_every_number_of_threads(cancer):
    forest, X = cancer
    explainer = xl.Explainer(forest)
    rows = X.iloc[:12]
    alone = plain(explainer.explain_many(rows, n_jobs=1))
    assert plain(explainer.explain_many(rows, n_jobs=4)) == alone
    assert plain(xl.Explainer(forest).explain_many(rows, n_jobs=2)) == alone
    assert len(alone) == len(rows)


def plain(table) -> list[dict]:
    """A table that was returned, whatever its kind, as text."""
    records = table.to_dict("records") if hasattr(table, "to_dict") else table
    return [{name: str(value) for name, value in record.items()} for record in records]


def test_r064_every_counterfactual_has_the_wanted_class_of_its_own_row():
    X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    tree = DecisionTreeClassifier(max_depth=2).fit(X, [0, 1, 1, 0])
    explainer = xl.Explainer(tree)
    for row in X:
        before = int(tree.predict([row])[0])
        for found in (explainer.explain(row).counterfactual(), explainer.explain(row).counterfactual(1 - before)):
            assert tree.predict([list(found.values())])[0] == 1 - before
    constant = DecisionTreeClassifier().fit(X, [5, 5, 5, 5])
    e = xl.Explainer(constant).explain(X[0])
    assert e.counterfactual() is None and e.to_dict()["answers"]["counterfactual"]["status"] == "exact"


def test_r064_a_class_that_no_leaf_gives_is_proved_out_of_reach():
    model = xl.build_tree(test_on("x", 0.0, "a", "b"), [xl.Feature("x")], ("a", "b", "c"))
    e = xl.Explainer(model).explain([1.0])
    assert e.counterfactual("c") is None and e.counterfactual("a") is not None
    assert list(e.contrastive("c")) == [] and e.contrastive("c").status == "exact"


def test_r065_a_question_that_does_not_fit_the_model_is_refused_by_name():
    X = np.arange(8.0).reshape(-1, 1)
    regressor = DecisionTreeRegressor(max_depth=2).fit(X, X[:, 0])
    with pytest.raises(XylogicError, match="band"):
        xl.Explainer(regressor).explain([1.0]).sufficient_reasons()
    e = xl.Explainer(regressor, band=0.75).explain([1.0])
    with pytest.raises(XylogicError, match="class"):
        e.contrastive()
    assert e.sufficient_reason().features == ("x0",)


HOSTILE = ["petal < width", 'a "quoted"\nname', "x <= 0.8 and y", "<script>alert(1)</script>", "", " ", "ñ→{}%s", "1"]


def test_r066_names_are_data():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(size=(60, len(HOSTILE))), columns=HOSTILE)
    y = (X.iloc[:, 0] + X.iloc[:, 1] > 1).astype(int)
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y)
    e = xl.Explainer(forest).explain(X.iloc[3])
    used = {name for reason in e.sufficient_reasons() for name in reason.features}
    assert used and used <= set(HOSTILE)
    assert list(e.counterfactual()) == HOSTILE
    assert "sufficient reason" in str(e) and json.loads(json.dumps(e.to_dict()))
    assert xl.Explainer(forest).is_sufficient(dict(X.iloc[3])) == forest.predict(X.iloc[[3]])[0]


def test_r066_nothing_to_explain_is_an_answer():
    forest = RandomForestClassifier(3, random_state=0).fit(np.arange(20.0).reshape(10, 2), [0] * 10)
    e = xl.Explainer(forest).explain([3.0, 4.0])
    assert [reason.features for reason in e.sufficient_reasons()] == [()]
    assert str(e.sufficient_reason()) == "(always)"
    assert list(e.necessary_reasons()) == [] and e.contrastive() == {}
    assert e.robustness() == math.inf and e.counterfactual() is None
    assert list(e.shortest_flips()) == [] and e.shortest_flips().n_flips == 0 and list(e.shortest_flips().rows(3)) == []
    assert "sufficient reason" in str(e)
    text = json.dumps(e.to_dict(), allow_nan=False)
    assert "Infinity" in text


def test_r068_categories_of_any_kind_and_rows_of_any_form():
    features = [xl.Feature("kind", "categorical", (1, 2, 7)), xl.Feature("when", "categorical", ((2020, 1), (2021, 2)))]
    features.append(xl.Feature("size"))
    tree = {
        "feature": "kind",
        "in": [7],
        "left": {"feature": "when", "in": [(2021, 2)], "left": LEAF["yes"], "right": LEAF["no"]},
        "right": test_on("size", 2.0, "no", "yes"),
    }
    e = xl.Explainer(xl.build_tree(tree, features, ("no", "yes"))).explain({"size": 3, "when": (2021, 2), "kind": 7})
    assert e.prediction == "yes"
    assert features_of(e.sufficient_reasons()) == {frozenset({"kind", "when"}), frozenset({"when", "size"})}

    X, y = load_iris(return_X_y=True, as_frame=True)
    numbers = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    explainer, row = xl.Explainer(numbers), X.iloc[60]
    one = X.iloc[[60]]
    turned = one[list(X.columns)[::-1]]
    forms = [row, dict(row), row.to_numpy(), list(row), one, turned, row[::-1], one.to_numpy(), one.to_dict("records")]
    texts = {tuple(map(str, explainer.explain(form).sufficient_reasons())) for form in forms}
    assert len(texts) == 1
    whole = {name: int(value) for name, value in row.items()}
    assert explainer.explain(whole).prediction == numbers.predict(pd.DataFrame([whole]))[0]
    with pytest.raises(InvalidInputError) as refusal:
        explainer.explain({"petal length (cm)": 1.0, "petal width (cm)": 2.0})
    assert "sepal length (cm)" in str(refusal.value) and "sepal width (cm)" in str(refusal.value)
    nearest = explainer.explain(row).counterfactual()
    assert explainer.explain(nearest).prediction != explainer.explain(row).prediction


def test_r101_one_check_for_all_questions_and_any_class_as_target():
    features = [xl.Feature("colour", "categorical", ("red", "blue")), xl.Feature("size")]
    tree = {"feature": "colour", "in": ["red"], "left": {"class": "car"}, "right": test_on("size", 3.0, "a", "b")}
    model = xl.build_tree(tree, features, ("a", "b", "car"))
    explainer = xl.Explainer(model)
    asks = (explainer.explain, explainer.is_sufficient, explainer.possible_classes)
    for ask in asks:
        with pytest.raises(InvalidInputError, match=r"(?s)colour.*green"):
            ask({"colour": "green", "size": 1.0})
        with pytest.raises(InvalidInputError, match=r"(?s)size.*abc"):
            ask({"colour": "red", "size": "abc"})
    e = explainer.explain({"colour": "blue", "size": 1e12})  # far outside what any leaf saw
    assert e.prediction == "b"
    assert model.predict([e.counterfactual("car")]).tolist() == ["car"]
    for ask in (e.counterfactual, e.contrastive):
        with pytest.raises(InvalidInputError, match=r"(?s)7.*car"):
            ask(7)


@pytest.mark.parametrize(("kind", "value"), [("integer", 2.5), ("boolean", 3), ("boolean", 0.5)])
@pytest.mark.parametrize("refined", [False, True])
def test_r101_values_outside_the_domain_of_a_column_are_refused(kind, value, refined):
    features = [xl.Feature("n") if refined else xl.Feature("n", kind)]
    model = xl.build_tree(test_on("n", 0.7, "no", "yes"), features, ("no", "yes"))
    explainer = xl.Explainer(model, features={"n": {"kind": kind}} if refined else None)
    for ask in (explainer.explain, explainer.is_sufficient, explainer.possible_classes):
        with pytest.raises(InvalidInputError, match=rf"(?s)n.*{value}"):
            ask({"n": value})


@pytest.mark.parametrize("unused", [0, 2, 4])
def test_r103_unused_features_keep_their_place(unused):
    rng = np.random.default_rng(unused)
    X = rng.uniform(size=(80, 5))
    X[:, unused] = 0.5
    used = [i for i in range(5) if i != unused]
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, X[:, used[1]] > 0.5)
    forest = RandomForestClassifier(5, max_depth=2, random_state=0).fit(X, X[:, used[0]] + X[:, used[1]] > 1)
    for source in (tree, forest):
        for row in X[:5]:
            e = xl.Explainer(source).explain(row)
            assert e.prediction == source.predict([row])[0]
            assert f"x{unused}" not in e.relevant_features()
            found = e.counterfactual()
            assert list(found) == [f"x{i}" for i in range(5)] and found[f"x{unused}"] == 0.5
            assert source.predict([list(found.values())])[0] != e.prediction
            for reason in e.sufficient_reasons():
                fixed = completions(dict(zip(found, row, strict=True)), reason.features, X, list(found), 500)
                assert (source.predict(fixed) == e.prediction).all()


def test_r105_none_nan_and_na_are_one_missing_state():
    features = [xl.Feature("c", "categorical", ("a", "b"), may_be_missing=True), xl.Feature("x", may_be_missing=True)]
    inner = test_on("x", 1.0, "no", "yes", missing="left")
    tree = {"feature": "c", "in": ["a"], "left": inner, "right": LEAF["yes"], "missing": "left"}
    explainer = xl.Explainer(xl.build_tree(tree, features, ("no", "yes")))
    texts = set()
    for missing in (None, math.nan, np.nan, pd.NA):
        e = explainer.explain({"c": missing, "x": missing})
        assert e.prediction == "no"
        texts.add((tuple(map(str, e.sufficient_reasons())), str(e.sufficient_reasons()[0]), e.robustness()))
        assert explainer.is_sufficient({"c": missing, "x": 0.0}) == "no"
        assert e.sufficient_reasons()[0].matches({"c": math.nan, "x": None})
    frame = pd.DataFrame({"c": pd.Series([None], dtype="object"), "x": [np.nan]})
    assert str(explainer.explain(frame).sufficient_reasons()[0]) in texts.copy().pop()
    assert len(texts) == 1


def test_r021_a_forest_is_explained_under_its_own_averaging():
    features = [xl.Feature("x")]
    leaves = [{"value": [0.0, 1.0]}, {"value": [0.6, 0.4]}, {"value": [0.6, 0.4]}]
    other = {"value": [1.0, 0.0]}
    trees = [xl.build_tree(test_on("x", 0.0, other, leaf), features, (0, 1)) for leaf in leaves]
    soft, hard = (xl.build_ensemble(trees, voting=voting) for voting in ("average", "majority"))
    assert soft.predict([[1.0]]).tolist() == [1] and hard.predict([[1.0]]).tolist() == [0]
    assert xl.Explainer(soft).explain([1.0]).sufficient_reason().features == ("x",)
    assert xl.Explainer(hard).explain([1.0]).sufficient_reason().features == ()
    # and the explanation says which rule it is about
    assert xl.Explainer(soft).explain([1.0]).to_dict()["model"] != xl.Explainer(hard).explain([1.0]).to_dict()["model"]

    X, y = load_wine(return_X_y=True)
    forest = RandomForestClassifier(15, max_depth=2, random_state=0).fit(X, y)
    model = xl.read_model(forest)
    assert model.voting == "average" and model.with_voting("majority").voting == "majority"
    assert model.predict(X).tolist() == forest.predict(X).tolist()
    assert model.with_voting("majority").predict(X).tolist() != model.predict(X).tolist()


def test_r023_constant_trees_count_like_any_other():
    rng = np.random.default_rng(0)
    forest = RandomForestClassifier(5, min_samples_leaf=0.5, random_state=0).fit(rng.uniform(size=(10, 3)), [0, 1] * 5)
    assert all(tree.tree_.node_count == 1 for tree in forest.estimators_)
    e = xl.Explainer(forest).explain([0.1, 0.2, 0.3])
    assert e.prediction == forest.predict([[0.1, 0.2, 0.3]])[0]
    assert [reason.features for reason in e.sufficient_reasons()] == [()]
    assert e.robustness() == math.inf
    # two constants against two stumps: the stumps can only tie
    features = [xl.Feature("x")]
    nodes = [LEAF["yes"], LEAF["yes"], test_on("x", 0.0, "no", "yes"), test_on("x", 0.0, "no", "yes")]
    model = xl.build_ensemble([xl.build_tree(tree, features, ("no", "yes")) for tree in nodes], voting="majority")
    e = xl.Explainer(model).explain([1.0])
    assert e.sufficient_reason().features == ("x",)  # at 2:2 "no" comes first
    assert xl.Explainer(model, ties="winners").explain([1.0]).sufficient_reason().features == ()


# ---------------------------------------------------------------- traps seen in other formal explainers


def test_peers_predict_is_explained_and_not_the_majority(cancer):
    forest, X = cancer
    model = xl.read_model(forest)
    values = X.to_numpy()
    contradicted = 0
    for number in (0, 19, 25, 100):
        row = dict(X.iloc[number])
        e = xl.Explainer(model).explain(row)
        reason = e.sufficient_reason()
        fixed = completions(row, reason.features, values, X.columns, 4000)
        assert (forest.predict(pd.DataFrame(fixed, columns=X.columns)) == e.prediction).all()
        # sampling finds almost nothing: the search itself must call the reason sufficient, and each part of it not
        explainer = xl.Explainer(model)
        assert explainer.is_sufficient({name: row[name] for name in reason.features}) == e.prediction
        for name in reason.features:
            assert explainer.is_sufficient({other: row[other] for other in reason.features if other != name}) is None
        # reasons of the hard vote are other reasons
        hard = xl.Explainer(model.with_voting("majority")).explain(row).sufficient_reason()
        contradicted += explainer.is_sufficient({name: row[name] for name in hard.features}) != e.prediction
    assert contradicted > 0


def test_peers_contrastives_are_realisable():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(30, random_state=0).fit(X, y)
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    for source in (forest, tree):
        for row in X[::30]:
            e = xl.Explainer(source).explain(row)
            for target, reasons in e.contrastive().items():
                for reason in list(reasons)[:5]:
                    # changing exactly these features reaches the target, and a row shows it
                    kept = {f"x{i}": float(value) for i, value in enumerate(row) if f"x{i}" not in reason.features}
                    shown = xl.Explainer(source).possible_classes(kept)[target]
                    assert source.predict([list(shown.values())])[0] == target
            for flip in e.shortest_flips().rows(50):
                assert source.predict([list(flip.values())])[0] != e.prediction


def test_peers_comparisons_are_made_in_the_precision_of_the_source(cancer):
    forest, X = cancer
    for number in (0, 19, 40):
        row = X.iloc[number]
        e = xl.Explainer(forest, time_limit=2).explain(row)
        found = [e.counterfactual(), *e.shortest_flips().rows(20)]
        assert (forest.predict(pd.DataFrame(found)) != e.prediction).all()
    model = xl.read_model(forest)
    tree = forest.estimators_[0].tree_
    inner = np.flatnonzero(tree.children_left >= 0)
    rows = np.repeat(X.to_numpy()[:1], 3 * len(inner), axis=0)
    for i, node in enumerate(inner):
        cut = tree.threshold[node]
        values = [cut, np.nextafter(np.float32(cut), np.float32(np.inf)), np.nextafter(cut, np.inf)]
        rows[3 * i : 3 * i + 3, tree.feature[node]] = values
    frame = pd.DataFrame(rows, columns=X.columns)
    assert (model.predict(frame) == forest.predict(frame)).all()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_peers_many_processes_get_the_same_answers_and_leave_no_files(method, tmp_path):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this platform has no {method}")
    script = Path(__file__).parent / "processes.py"
    places = os.pathsep.join(str(Path(place).resolve()) for place in sys.path if place)
    done = subprocess.run(
        [sys.executable, str(script), method],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": places, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stdout == "equal\n", done.stderr
    assert list(tmp_path.iterdir()) == []


def test_peers_threads_share_one_explainer():
    from concurrent.futures import ThreadPoolExecutor

    X, y = load_wine(return_X_y=True)
    explainer = xl.Explainer(RandomForestClassifier(20, max_depth=3, random_state=0).fit(X, y))

    def ask(i):
        e = explainer.explain(X[i])
        return str(list(map(str, e.sufficient_reasons()))), e.robustness(), str(e.counterfactual())

    alone = [ask(i) for i in range(0, 170, 10)]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            assert list(pool.map(ask, range(0, 170, 10))) == alone


def test_peers_class_order_comes_from_the_model():
    X, y = load_iris(return_X_y=True)
    labels = np.array(["zebra", "ant", "moth"])[y]
    for order in (np.arange(150), np.arange(150)[::-1]):
        forest = RandomForestClassifier(10, random_state=0).fit(X[order], labels[order])
        model = xl.read_model(forest)
        assert model.classes == ("ant", "moth", "zebra")
        assert model.predict(X).tolist() == forest.predict(X).tolist()
        e = xl.Explainer(model).explain(X[0])
        assert e.prediction == "zebra" and list(e.contrastive()) == ["ant", "moth"]


def test_peers_reasons_have_no_droppable_part(cancer):
    forest, X = cancer
    explainer = xl.Explainer(forest)
    for number in range(0, 60, 6):
        row = dict(X.iloc[number])
        e = explainer.explain(row)
        reason = e.sufficient_reason()
        for name in reason.features:
            left = {other: row[other] for other in reason.features if other != name}
            possible = explainer.possible_classes(left)
            assert len(possible) == 2
            frame = pd.DataFrame(possible.values())
            assert forest.predict(frame).tolist() == list(possible)


def test_peers_unknown_names_are_refused(cancer):
    forest, X = cancer
    for options in ({"mean radios": {"mutable": False}}, {"mean radius": {"mutabel": False}}):
        with pytest.raises(InvalidInputError, match=r"mean radios|mutabel"):
            xl.Explainer(forest, features=options)
    with pytest.raises(InvalidInputError, match="mean radios"):
        xl.Explainer(forest, missing=["mean radios"])
    explainer = xl.Explainer(forest)
    for ask in (explainer.is_sufficient, explainer.possible_classes, explainer.explain):
        with pytest.raises(InvalidInputError, match="mean radios"):
            ask({**dict(X.iloc[0]), "mean radios": 1.0})
    with pytest.raises(InvalidInputError, match="ties"):
        xl.Explainer(forest, ties="majority")


def test_peers_an_answer_that_exists_is_found(cancer):
    forest, X = cancer
    for number in (0, 19):
        e = xl.Explainer(forest, time_limit=2).explain(X.iloc[number])
        assert e.counterfactual() is not None and e.sufficient_reason() is not None
        assert 1 <= e.robustness() <= 30


def test_peers_saving_touches_one_file(tmp_path):
    (tmp_path / "precious.txt").write_text("keep me")
    model = mixed_model()
    model.save(tmp_path / "model.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.json", "precious.txt"]
    before = (tmp_path / "model.json").read_bytes()
    model.save(tmp_path / "model.json")
    assert (tmp_path / "model.json").read_bytes() == before
    assert (tmp_path / "precious.txt").read_text() == "keep me"
    with pytest.raises((XylogicError, OSError)):
        model.save(tmp_path / "no such folder" / "model.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.json", "precious.txt"]


def test_peers_missing_values_are_predicted_and_explained_as_the_source_routes_them():
    rng = np.random.default_rng(0)
    X, y = load_iris(return_X_y=True)
    X[rng.uniform(size=X.shape) < 0.2] = np.nan
    forest = RandomForestClassifier(10, max_depth=4, random_state=0).fit(X, y)
    model = xl.read_model(forest)
    assert model.predict(X).tolist() == forest.predict(X).tolist()
    rows = [row for row in X if np.isnan(row).any()][:8]
    for row in rows:
        e = xl.Explainer(model).explain(row)
        assert e.prediction == forest.predict([row])[0]
        names = [f"x{i}" for i in range(4)]
        for reason in e.sufficient_reasons():
            fixed = completions(dict(zip(names, row, strict=True)), reason.features, X, names, 1000)
            present = ~np.isnan(row)
            for i in np.flatnonzero(present):  # features that the row has are not missing elsewhere
                fixed[np.isnan(fixed[:, i]), i] = row[i]
            assert (forest.predict(fixed) == e.prediction).all()
        for flip in e.shortest_flips().rows(20):
            assert forest.predict([list(flip.values())])[0] != e.prediction


def test_peers_single_leaves_booleans_and_unused_features():
    X = pd.DataFrame({"flag": [True, False, True, False], "other": [False, False, True, True], "unused": [1.0] * 4})
    tree = DecisionTreeClassifier().fit(X, X["flag"])
    e = xl.Explainer(tree).explain(X.iloc[0])
    assert e.prediction is True and e.sufficient_reason().features == ("flag",)
    features = [xl.Feature("flag", "boolean"), xl.Feature("unused")]
    model = xl.build_tree(test_on("flag", 0.5, "no", "yes"), features, ("no", "yes"))
    e = xl.Explainer(model).explain({"flag": True, "unused": 2.5})
    assert e.counterfactual() == {"flag": False, "unused": 2.5} and e.counterfactual()["flag"] is False
    leaf = xl.build_tree({"class": "a"}, features, ("a", "b"))
    assert xl.Explainer(leaf).explain({"flag": False, "unused": 0.0}).sufficient_reason().size == 0


def test_peers_leaf_values_are_not_rounded():
    # the classes differ by 2e-4 in one leaf: rounded to three decimals it would be a tie
    features = [xl.Feature("x"), xl.Feature("y")]
    trees = [
        xl.build_tree(test_on("x", 0.0, {"value": [0.4999, 0.5001]}, {"value": [0.5001, 0.4999]}), features, (0, 1)),
        xl.build_tree(test_on("y", 0.0, {"value": [0.5, 0.5]}, {"value": [0.50005, 0.49995]}), features, (0, 1)),
    ]
    e = xl.Explainer(xl.build_ensemble(trees, voting="average")).explain([-1.0, -1.0])
    assert e.prediction == 1
    assert features_of(e.sufficient_reasons()) == {frozenset("x")}
    assert 0 < e.margin < 2e-4


def test_peers_an_explainer_keeps_nothing_of_the_rows_before():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(20, max_depth=3, random_state=0).fit(X, y)
    used = xl.Explainer(forest)
    for row in X[::25]:
        used.explain(row).sufficient_reasons()
    for row in X[::25]:
        fresh, again = xl.Explainer(forest).explain(row), used.explain(row)
        assert again.prediction == fresh.prediction == forest.predict([row])[0]
        assert list(map(str, again.sufficient_reasons())) == list(map(str, fresh.sufficient_reasons()))


def test_peers_a_limit_is_kept():
    X, y = load_wine(return_X_y=True)
    e = xl.Explainer(RandomForestClassifier(20, max_depth=4, random_state=0).fit(X, y)).explain(X[70])
    assert len(e.sufficient_reasons()) > 4
    for limit in (1, 2, 4):
        some = e.sufficient_reasons(limit=limit)
        assert len(some) == limit and some.status == "partial"
        assert features_of(some) <= features_of(e.sufficient_reasons())
    assert e.sufficient_reasons().status == "exact"


def test_peers_the_base_of_a_sum_counts():
    features = [xl.Feature("x"), xl.Feature("y")]
    nodes = [test_on(name, 0.0, {"value": -1.0}, {"value": 1.0}) for name in "xy"]
    trees = [xl.build_tree(tree, features, (0, 1)) for tree in nodes]
    expected = {0.5: {frozenset("x"), frozenset("y")}, -0.5: {frozenset("xy")}, 2.5: {frozenset()}}
    for base, reasons in expected.items():
        e = xl.Explainer(xl.build_ensemble(trees, voting="sum", base=base)).explain([1.0, 1.0])
        assert e.prediction == 1 and features_of(e.sufficient_reasons()) == reasons


def test_peers_reasons_name_features_and_not_internal_numbers():
    X, y = load_iris(return_X_y=True, as_frame=True)
    e = xl.Explainer(DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)).explain(X.iloc[0])
    reason = e.sufficient_reason()
    assert set(reason.features) <= set(X.columns) and all(name in str(reason) for name in reason.features)
    assert set(reason) == set(reason.features)


def test_peers_many_classes_are_explained_as_they_are():
    X, y = load_wine(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    model = xl.read_model(tree)
    assert model.classes == (0, 1, 2)
    for row in X[::20]:
        e = xl.Explainer(tree).explain(row)
        for target in e.contrastive():
            found = e.counterfactual(target)
            assert found is None or tree.predict([list(found.values())])[0] == target


def test_peers_limits_of_time_are_honoured():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 40))
    y = (X[:, :20].sum(axis=1) > 0).astype(int)
    forest = RandomForestClassifier(100, random_state=0).fit(X, y)
    explainer = xl.Explainer(forest, time_limit=0.2)
    e = explainer.explain(X[0])
    for ask in (e.sufficient_reasons, e.necessary_reasons, e.contrastive, e.shortest_flips):
        started = time.perf_counter()
        ask()
        assert time.perf_counter() - started < 2.0
    for ask in (e.robustness, e.counterfactual, lambda: e.sufficient_reason(minimum=True), e.relevant_features):
        started = time.perf_counter()
        try:
            ask()
        except BudgetExceeded as refusal:
            assert isinstance(refusal.bounds, dict)
        assert time.perf_counter() - started < 2.0
    assert e.sufficient_reasons().status == e.necessary_reasons().status == "partial"
    started = time.perf_counter()
    reason = e.sufficient_reason()
    assert time.perf_counter() - started < 2.0
    fixed = completions(
        {f"x{i}": value for i, value in enumerate(X[0])}, reason.features, X, [f"x{i}" for i in range(40)], 500
    )
    assert (forest.predict(fixed) == e.prediction).all()


def test_r054_a_limit_of_nodes_gives_what_is_known_and_leaves_the_explainer_usable(cancer):
    forest, X = cancer
    e = xl.Explainer(forest, node_limit=2000).explain(X.iloc[0])
    some = e.sufficient_reasons()
    assert some.status == "partial"
    with pytest.raises(BudgetExceeded) as refusal:
        e.sufficient_reason(minimum=True)
    assert refusal.value.bounds
    again = xl.Explainer(forest).explain(X.iloc[0])
    assert e.prediction == again.prediction
    exact = xl.Explainer(forest)
    for reason in some:
        assert exact.is_sufficient({name: X.iloc[0][name] for name in reason.features}) == e.prediction


def test_r065_a_regressor_is_explained_within_a_band():
    X, _y = load_wine(return_X_y=True)
    forest = RandomForestRegressor(10, max_depth=3, random_state=0).fit(X, X[:, 9])
    row = X[5]
    prediction = forest.predict([row])[0]
    e = xl.Explainer(forest, band=1.0).explain(row)
    exact = xl.Explainer(forest, band=(prediction - 1.0, prediction + 1.0)).explain(row)
    assert features_of(e.sufficient_reasons()) == features_of(exact.sufficient_reasons())
    for reason in e.sufficient_reasons(limit=5):
        names = [f"x{i}" for i in range(X.shape[1])]
        fixed = completions(dict(zip(names, row, strict=True)), reason.features, X, names, 2000)
        assert (np.abs(forest.predict(fixed) - prediction) <= 1.0).all()
    for flip in e.shortest_flips().rows(10):
        assert abs(forest.predict([list(flip.values())])[0] - prediction) > 1.0


def test_more_trees_than_sixteen_bits_count():
    low, high = (
        xl.build_tree({"feature": "x", "cut": 0.5, "left": {"class": a}, "right": {"class": b}}, ["x"], ("a", "b"))
        for a, b in (("a", "b"), ("b", "b"))
    )
    model = xl.build_ensemble([low] * 20_000 + [high] * 19_999, voting="majority")
    e = xl.Explainer(model).explain([0.0])
    assert e.prediction == "a"
    assert e.sufficient_reason().features == ("x",)
    assert e.robustness() == 1
    flipped = xl.Explainer(model).explain([1.0])
    assert flipped.prediction == "b"
    assert [reason.features for reason in flipped.necessary_reasons()] == [("x",)]
