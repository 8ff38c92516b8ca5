"""Alignment, refusals, precision, limits, monotonicity, and comparisons of real models."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from fractions import Fraction

import joblib
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import oracle
import xylogic as xl
from model_pairs import paired, reclassed, rewritten, seeded_pair, turned
from models import Draws, seeded_case
from xylogic import Feature, InvalidInputError, build_ensemble, build_tree
from xylogic.compare.recast import widened
from xylogic.model import predict


def stump(cut=0.5, low="no", high="yes", name="x", **test):
    return {"feature": name, "cut": cut, "left": {"class": low}, "right": {"class": high}, **test}


def levels(left, categories, classes=("no", "yes"), name="c", **kept):
    node = {"feature": name, "in": left, "left": {"class": "no"}, "right": {"class": "yes"}}
    return build_tree(node, [Feature(name, "categorical", categories, **kept)], classes)


def refused(a, b, *words, **options):
    with pytest.raises(InvalidInputError) as error:
        xl.equivalent(a, b, **options)
    for word in words:
        assert word in str(error.value)


# ---- alignment


def test_columns_and_categories_in_another_order_are_the_same():
    for seed in range(40):
        case = seeded_case(seed)
        d = Draws(seed)
        assert xl.equivalent(case.model, turned(rewritten(case.model, d), d))


def test_what_cannot_be_aligned_is_refused_by_name():
    a = build_tree(stump(), ["x", "y"])
    refused(a, build_tree(stump(), ["x", "z"]), "'y' only in the first", "'z' only in the second")
    refused(a, build_tree(stump(), ["x"]), "'y' only in the first")
    refused(build_tree(stump(), ["x"]), levels(["A"], ("A", "B"), name="x"), "'x'", "numeric", "categorical")
    refused(levels(["A"], ("A", "B")), levels(["A"], ("A", "B", "C")), "'c'", "'C' only in the second")
    refused(build_tree(stump(), ["x"]), build_tree(stump(high="perhaps"), ["x"]), "'yes'", "'perhaps'")
    number = build_tree({"value": 1.0}, ["x"])
    refused(build_tree(stump(), ["x"]), number, "classes 'no', 'yes'", "numbers")
    refused(a, a, "tolerance", tolerance=0.1)
    refused(a, a, "output", output="scores")
    refused(a, a, "engine", engine="magic")
    refused(number, number, "no class probabilities", output="probability")


def test_true_is_not_one():
    a = build_tree(stump(low=False, high=True), ["x"], (False, True))
    refused(a, build_tree(stump(low=0, high=1), ["x"], (0, 1)), "True", "1")


def test_a_class_that_is_never_predicted_has_to_be_declared_by_both():
    a = build_tree(stump(), ["x"], ("no", "yes"))
    assert xl.equivalent(
        build_tree(stump(), ["x"], ("no", "yes", "else")), build_tree(stump(), ["x"], ("else", "no", "yes"))
    )
    refused(a, build_tree(stump(), ["x"], ("no", "yes", "else")), "'else' only in the second")


def test_numbers_are_compared_where_both_take_them():
    whole, real = (build_tree(stump(cut), [Feature("x", kind)]) for kind, cut in (("integer", 2.0), ("numeric", 2.5)))
    assert xl.equivalent(whole, real)  # 2 and 2.5 part the integers alike
    assert not xl.equivalent(build_tree(stump(2.0), ["x"]), real)
    flag = build_tree(stump(0.2), [Feature("x", "boolean")])
    found = xl.equivalent(flag, build_tree(stump(3.0), ["x"]))
    assert found.witness == {"x": True} and found.answers == ("yes", "no")


def test_levels_that_a_model_does_not_list():
    a = levels(["A", "(rest)"], ("A", "B", "(rest)"), other="(rest)")
    b = levels(["A", "(new)"], ("A", "C", "(new)"), other="(new)")
    found = xl.compare(a, b)  # B is listed by the first alone and goes right, C by the second
    assert {region.row["c"] for region in found.regions()} == {"B", "C"}
    assert found.disagreement == Fraction(2, 4)  # A, B, C, and all others
    assert xl.equivalent(a, levels(["A"], ("A", "B")))  # on the levels that both take
    refused(a, levels(["A"], ("A", "D")), "'B' only in the first")


def test_names_of_a_model_without_names_are_the_other_ones():
    X, y = load_iris(return_X_y=True, as_frame=True)
    named = DecisionTreeClassifier(random_state=0).fit(X, y)
    plain = DecisionTreeClassifier(random_state=0).fit(X.to_numpy(), y)
    found = xl.compare(named, plain, X)
    assert found.equivalent and found.disagreement == 0 and found.disagreement_on_X == 0.0
    other = xl.compare(plain, DecisionTreeClassifier(max_depth=1).fit(X.to_numpy(), y))
    assert not other.equivalent and list(other.witness) == ["x0", "x1", "x2", "x3"]


def test_rows_without_names_are_in_the_first_models_order():
    a = build_tree(stump(0.5, name="x"), ["x", "y"])
    b = build_tree(stump(0.5, name="x"), ["y", "x"])
    X = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert xl.compare(a, b, X).disagreement_on_X == 0.0
    assert xl.compare(a, build_tree(stump(0.5, name="y"), ["y", "x"]), X).disagreement_on_X == 1.0


# ---- missing values


def test_missing_values():
    routed = {way: build_tree(stump(missing=way), ["x"]) for way in ("left", "right")}
    found = xl.equivalent(routed["left"], routed["right"])
    assert math.isnan(found.witness["x"]) and found.answers == ("no", "yes")
    assert xl.equivalent(routed["left"], routed["right"], missing=())
    complete = build_tree(stump(), ["x"])
    refused(routed["left"], complete, "'x'", "second model refuses", "missing=()")
    assert xl.equivalent(routed["left"], complete, missing=())
    refused(complete, complete, "'x'", missing=["x"])
    refused(complete, complete, "'z'", missing=["z"])


# ---- precision


def test_widened_cuts_part_the_float64_numbers_as_float32_does():
    rng = np.random.default_rng(0)
    cuts = np.concatenate(
        [rng.normal(size=500), 10.0 ** rng.uniform(-45, 38, 500), [0.0, 3.4028234663852886e38, 1e-45]]
    )
    cuts = cuts.astype(np.float32).astype(np.float64)
    wide = widened(cuts)
    assert (wide.astype(np.float32) <= cuts).all()
    with np.errstate(over="ignore"):
        assert (np.nextafter(wide, np.inf).astype(np.float32) > cuts).all()
    assert widened(np.array([np.inf, -np.inf])).tolist() == [np.inf, -np.inf]


def test_models_of_different_precision():
    cut = float(np.float32(0.1))
    narrow, wide = (build_tree(stump(cut), ["x"], cast=cast) for cast in ("float32", "float64"))
    found = xl.equivalent(narrow, wide)
    assert not found and found.answers == ("no", "yes")  # numbers above the cut that round down to it
    assert xl.equivalent(narrow, build_tree(stump(float(widened(np.array([cut]))[0])), ["x"]))


# ---- real models


def test_forests_and_their_saved_selves(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(30, max_depth=6, random_state=0).fit(X, y)
    model = xl.read_model(forest)
    model.save(tmp_path / "f.json")
    assert xl.equivalent(forest, tmp_path / "f.json").engine == "trees"
    votes = model.with_voting("majority")
    turned_round = replace(votes, trees=votes.trees[::-1])
    assert xl.equivalent(votes, turned_round).engine == "search"  # sums of votes do not round
    assert xl.equivalent(model, replace(model, trees=model.trees[::-1]), output="probability", tolerance=1e-12)
    other = xl.equivalent(forest, RandomForestClassifier(30, max_depth=6, random_state=1).fit(X, y))
    assert not other and other.engine == "rows"
    row = np.array([list(other.witness.values())])
    assert forest.predict(row)[0] == other.answers[0] != other.answers[1]


def test_one_changed_leaf_of_a_forest_is_found():
    X, y = load_iris(return_X_y=True)
    model = xl.read_model(RandomForestClassifier(15, max_depth=4, random_state=0).fit(X, y)).with_voting("majority")
    tree = model.trees[7]
    value = tree.value.copy()
    leaf = np.flatnonzero(tree.left < 0)[0]
    value[leaf] = np.roll(value[leaf], 1)
    other = replace(model, trees=(*model.trees[:7], replace(tree, value=value), *model.trees[8:]))
    for engine in ("auto", "search", "diagram"):
        assert not xl.equivalent(model, other, engine=engine)
    found = xl.compare(model, other)
    assert found.disagreement == xl.compare(model, other, engine="search").disagreement > 0


def test_regression_within_a_tolerance():
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(10, max_depth=4, random_state=0).fit(X, y)
    model = xl.read_model(forest)
    moved = replace(model, trees=tuple(replace(t, value=t.value + 0.25) for t in model.trees))
    assert not xl.equivalent(model, moved)
    assert not xl.equivalent(model, moved, tolerance=0.2)
    assert xl.equivalent(model, moved, tolerance=0.26)
    tree = xl.read_model(DecisionTreeRegressor(max_depth=5).fit(X, y))
    assert xl.equivalent(tree, tree) and not xl.equivalent(tree, forest)


def test_a_limit_leaves_it_undecided():
    X, y = load_breast_cancer(return_X_y=True)
    model = xl.read_model(RandomForestClassifier(100, max_depth=4, random_state=0).fit(X, y))
    found = xl.equivalent(model, replace(model, trees=model.trees[::-1]), node_limit=5000)
    assert found.status.status == "partial" and found.witness is None
    assert 0 < found.status.bounds["margin"] < 1e-9  # only ties to the last bits could differ
    with pytest.raises(xl.BudgetExceeded):
        bool(found)
    other = RandomForestClassifier(100, max_depth=4, random_state=1).fit(X, y)
    shares = xl.compare(model, other, node_limit=5000)
    assert not shares.equivalent
    bounds = shares.measure() and shares.status["disagreement"].bounds
    assert bounds["lower"] == shares.disagreement <= bounds["upper"] <= 1
    assert 0 <= bounds["decided"] < 1
    assert shares.regions(limit=3).status == "partial"


def test_many_pairs():
    X, y = load_iris(return_X_y=True)
    trees = [DecisionTreeClassifier(max_depth=k, random_state=0).fit(X, y) for k in (2, 3, 3)]
    with joblib.parallel_config(backend="threading"):
        found = xl.compare_many([(trees[0], trees[1]), (trees[1], trees[2])], n_jobs=2)
    assert [one.equivalent for one in found] == [False, True]
    assert found[0].disagreement == xl.compare(trees[0], trees[1]).disagreement
    assert pickle.loads(pickle.dumps(found[0])).regions().status == "exact"
    text = str(found[0])
    assert "not equivalent" in text and "of the cells" in text


def test_compare_is_the_function_whatever_was_imported():
    import xylogic.compare.align  # noqa: F401

    assert callable(xl.compare) and xl.compare.__name__ == "compare"


# ---- monotonicity


@pytest.mark.parametrize("seed", range(30))
def test_monotone_as_all_cells_say(seed):
    model = seeded_case(seed, trees=(1, 1) if seed % 3 == 0 else (1, 6)).model
    cells = paired("same", model, model)
    shape = [len(column) for column in cells.states]
    if np.prod(shape) > 300:
        return
    for position, feature in enumerate(model.features):
        if feature.kind == "categorical":
            with pytest.raises(InvalidInputError, match="no order"):
                xl.is_monotone(model, feature.name, target=model.classes and model.classes[0])
            continue
        ordered = [k for k, s in enumerate(cells.states[position]) if s.kind != "missing"]
        for output in ["label", *(["probability"] if model.has_probabilities else [])]:
            for target in [None] if len(model.classes or "ab") == 2 else model.classes[::2]:
                worth = np.moveaxis(heights(model, cells, output, target).reshape(shape), position, 0)[ordered]
                steps = np.diff(worth, axis=0)
                for increasing in (True, False):
                    wanted = bool((steps >= 0).all() if increasing else (steps <= 0).all())
                    found = xl.is_monotone(model, feature.name, increasing=increasing, target=target, output=output)
                    assert bool(found) == wanted
                    if not wanted:
                        low, high = found.witness
                        assert low[feature.name] < high[feature.name]
                        assert all(low[n] is high[n] or low[n] == high[n] for n in low if n != feature.name)


def heights(model, cells, output, target):
    scores = oracle.scores_of(model, cells.tables[0])
    if model.classes is None:
        return scores[:, 0]
    position = len(model.classes) - 1 if target is None else model.classes.index(target)
    if output == "label":
        return (oracle.predicted(model, scores) == position).astype(float)
    return predict.probabilities(model, scores)[:, position]


def test_monotone_refusals():
    model = build_ensemble([build_tree(stump(), ["x"], ("no", "yes", "else"))])
    with pytest.raises(InvalidInputError, match="target=label is accepted: 'no', 'yes', 'else'"):
        xl.is_monotone(model, "x")
    with pytest.raises(InvalidInputError, match="no feature 'y'"):
        xl.is_monotone(model, "y")
    with pytest.raises(InvalidInputError, match="no class; accepted"):
        xl.is_monotone(model, "x", target="maybe")
    numbered = build_ensemble([build_tree(stump(low=0, high=1), ["x"], (0, 1, 2))])
    assert bool(xl.is_monotone(numbered, "x", target=1)) == bool(xl.is_monotone(numbered, "x", target=1.0))
    with pytest.raises(InvalidInputError, match="target is True, which is no class"):
        xl.is_monotone(numbered, "x", target=True)


def test_monotone_forest():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 3))
    forest = RandomForestRegressor(20, max_depth=4, monotonic_cst=[1, 0, 0], random_state=0).fit(X, X[:, 0] - X[:, 1])
    assert xl.is_monotone(forest, "x0")
    found = xl.is_monotone(forest, "x0", increasing=False)
    assert not found and found.answers[0] < found.answers[1]
    assert found.to_dict()["monotone"] is False


# ---- what users reported


def test_structure_is_not_the_function():
    """R069: a subtree of equal labels is no difference of labels, but may be one of probabilities."""
    features, classes = ["x", "y"], ("no", "yes")
    left = {"feature": "y", "cut": 0.5, "left": {"value": [0.9, 0.1]}, "right": {"value": [0.6, 0.4]}}
    deep = build_tree({"feature": "x", "cut": 0.5, "left": left, "right": {"value": [0, 1]}}, features, classes)
    flat = build_tree(
        {"feature": "x", "cut": 0.5, "left": {"value": [0.9, 0.1]}, "right": {"value": [0, 1]}}, features, classes
    )
    assert xl.equivalent(deep, flat)
    found = xl.equivalent(deep, flat, output="probability")
    assert not found and found.answers == ({"no": 0.6, "yes": 0.4}, {"no": 0.9, "yes": 0.1})


@pytest.mark.parametrize(
    ("first", "second", "merged"),
    [
        (("<=", 6.5), ("<", 4.0), ("<", 4.0)),
        (("<=", 2.0), ("<", 2.0), ("<", 2.0)),
        (("<=", 2.5), ("<=", 2.0), ("<=", 2.0)),
    ],
)
def test_merged_conditions_keep_their_ends(first, second, merged):
    """R070: two tests of a column merged to one are the same function, and an end opened or closed is not."""

    def node(condition, inside):
        return {"feature": "x", "compare": condition[0], "cut": condition[1], "left": inside, "right": {"class": "no"}}

    two = build_tree(node(first, node(second, {"class": "yes"})), ["x"], ("no", "yes"))
    one = build_tree(node(merged, {"class": "yes"}), ["x"], ("no", "yes"))
    assert xl.equivalent(two, one)
    other = build_tree(node(("<" if merged[0] == "<=" else "<=", merged[1]), {"class": "yes"}), ["x"], ("no", "yes"))
    found = xl.equivalent(two, other)
    assert found.witness == {"x": merged[1]}


def test_or_missing_is_kept():
    """R070: x >= 2 or missing, and x < 5, is not x in [2, 5)."""
    inner = {"feature": "x", "compare": "<", "cut": 5.0, "left": {"class": "yes"}, "right": {"class": "no"}}
    both = [
        build_tree(
            {"feature": "x", "compare": "<", "cut": 2.0, "left": {"class": "no"}, "missing": "right"}
            | {"right": inner | {"missing": way}},
            ["x"],
        )
        for way in ("left", "right")
    ]
    found = xl.compare(*both)
    assert math.isnan(found.witness["x"])
    assert [str(region.box) for region in found.regions()] == ["x is missing"]
    assert found.disagreement == Fraction(1, 4)


def test_rescaled_columns():
    """R071: cuts halfway between training values do not survive a rescaling of the column bit for bit."""
    x = np.array([[0.1], [0.2], [0.3], [0.7], [0.9]])
    y = [0, 1, 0, 1, 0]
    scaler = MinMaxScaler().fit(x)
    scaler.scale_, scaler.min_ = np.array([1000.0]), np.array([7.0])
    plain = DecisionTreeClassifier(random_state=0).fit(x, y)
    scaled = make_pipeline(scaler, DecisionTreeClassifier(random_state=0))
    scaled.steps[-1][1].fit(scaler.transform(x), y)
    found = xl.compare(plain, scaled)
    assert not found.equivalent
    rows = [np.array([[region.row["x0"]]]) for region in found.regions()]
    assert all(plain.predict(row)[0] != scaled.predict(row)[0] for row in rows)
    assert (plain.predict(x) == scaled.predict(x)).all()
    assert found.disagreement_on_X is None and xl.compare(plain, scaled, x).disagreement_on_X == 0.0


def test_thresholds_that_print_alike():
    """R072: a witness lies between two cuts that six digits cannot tell apart."""
    a, b = (build_tree(stump(cut), ["x"]) for cut in (0.1234561, 0.1234564))
    found = xl.equivalent(a, b)
    assert 0.1234561 < found.witness["x"] <= 0.1234564
    assert found.answers == ("yes", "no")


def test_two_bounds_on_one_side():
    """R073: x < 10 and then x < 5 is one condition in regions."""
    inner = {"feature": "x", "compare": "<", "cut": 5.0, "left": {"class": "yes"}, "right": {"class": "no"}}
    a = build_tree(
        {"feature": "x", "compare": "<", "cut": 10.0, "left": inner, "right": {"class": "no"}}, ["x"], ("no", "yes")
    )
    (region,) = xl.compare(a, build_tree({"class": "no"}, ["x"], ("no", "yes"))).regions()
    assert str(region.box) == "x <= 4.999999999999999" and region.answers == ("yes", "no")


def test_classes_in_another_order():
    for seed in (4, 12, 20, 28):
        pair = seeded_pair(seed)
        other = reclassed(pair.a)
        if pair.a.classes is not None:
            assert bool(xl.equivalent(pair.a, other)) == (not pair.differ("label", 0.0).any())
