"""convert/verify.py and probes.py: every wrong import is found, and only those."""

import dataclasses
import time

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from xylogic import Feature, InvalidInputError, UnsupportedModelError, build_tree, read_model, verify_model
from xylogic.convert.probes import N_AROUND, hostile_rows, neighbourhood, probe_rows, random_rows
from xylogic.model.build import make_ensemble, make_tree
from xylogic.model.reach import open_column, walk

X, Y = load_iris(return_X_y=True)
TREE = DecisionTreeClassifier(random_state=0).fit(X, Y)
FOREST = RandomForestClassifier(5, max_depth=3, random_state=0, n_jobs=2).fit(X, Y)
GAPS = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
GAPPED = RandomForestClassifier(4, random_state=0).fit(GAPS, Y)


def altered(model, tree_number=0, **changes):
    """``model`` with some arrays of one tree changed by functions of the old array."""
    old = model.trees[tree_number]
    arrays = {name: getattr(old, name).copy() for name in ("feature", "cut", "left", "right", "value", "missing")}
    for name, change in changes.items():
        arrays[name] = change(arrays[name])
    tree = make_tree(
        arrays["feature"], arrays["cut"], arrays["left"], arrays["right"], arrays["value"],
        missing=arrays["missing"], cast=model.cast, n_features=len(model.features),
    )  # fmt: skip
    trees = [*model.trees]
    trees[tree_number] = tree
    options = {f.name: getattr(model, f.name) for f in dataclasses.fields(model)}
    return make_ensemble(**{**options, "trees": trees})


def with_entry(node, to):
    def change(array):
        array[node] = to(array[node])
        return array

    return change


def test_a_right_import_passes():
    for source in (TREE, FOREST, GAPPED):
        verdict = verify_model(read_model(source), source, X)
        assert verdict and verdict.ok and verdict.mismatches == []
        assert verdict.rows_checked >= 2000 + len(X) + 8 * sum(len(f.cuts) for f in read_model(source).features)
        assert str(verdict) == f"the model and its source agree on all {verdict.rows_checked} rows"


@pytest.mark.parametrize("source", [TREE, FOREST, GAPPED], ids=["tree", "forest", "gapped"])
@pytest.mark.parametrize("direction", [np.inf, -np.inf])
def test_every_cut_that_is_one_ulp_off_is_found(source, direction):
    """R010: with nearly no random rows, the probes alone find it."""
    model = read_model(source)
    found = 0
    for number, tree in enumerate(model.trees):
        for node in np.flatnonzero((tree.left >= 0) & np.isfinite(tree.cut)):
            moved = with_entry(node, lambda c: float(np.nextafter(np.float32(c), np.float32(direction))))
            verdict = verify_model(altered(model, number, cut=moved), source, n=1)
            assert not verdict.ok and verdict.mismatches[0].question in ("apply", "predict", "predict_proba")
            found += 1
    assert found >= 8


def test_every_leaf_value_that_is_off_is_found():
    model = read_model(FOREST)
    for number, tree in enumerate(model.trees):
        for node in np.flatnonzero(tree.left < 0):
            nudged = with_entry(node, lambda row: row + 1e-15)
            verdict = verify_model(altered(model, number, value=nudged), FOREST, n=1)
            assert {one.question for one in verdict.mismatches} == {"predict_proba"}


def test_every_wrong_route_for_missing_values_is_found():
    model = read_model(GAPPED)
    start = [open_column(feature, missing=True) for feature in model.features]
    for number, tree in enumerate(model.trees):
        for node, meets_nan in [(n, n >= 0 and state[tree.feature[n]].missing) for n, state in walk(tree, start)]:
            if tree.left[node] >= 0:
                wrong = altered(model, number, missing=with_entry(node, lambda way: 3 - way))
                assert bool(verify_model(wrong, GAPPED, n=1)) != meets_nan


def test_other_differences_are_found():
    model = read_model(FOREST)
    for changed in (
        model.with_voting("majority"),
        dataclasses.replace(model, trees=model.trees[:-1]),
        dataclasses.replace(model, classes=(0, 2, 1)),
        dataclasses.replace(model, classes=("0", "1", "2")),
        dataclasses.replace(model, cast="float64"),
        altered(model, 1, feature=with_entry(0, lambda feature: (feature + 1) % 4)),
    ):
        assert not verify_model(changed, FOREST)
    regression = DecisionTreeRegressor(random_state=0).fit(X, Y)
    assert not verify_model(read_model(regression), FOREST)


def test_one_sided_refusals_are_mismatches():
    model = read_model(FOREST)
    stricter = verify_model(dataclasses.replace(model, accepts_missing=False), FOREST)
    assert {one.question for one in stricter.mismatches} == {"refusal"}
    assert (stricter.mismatches[0].model, stricter.mismatches[0].source) == ("refused", "accepted")
    looser = verify_model(dataclasses.replace(model, accepts_infinite=True), FOREST)
    assert (looser.mismatches[0].model, looser.mismatches[0].source) == ("accepted", "refused")
    assert set(looser.mismatches[0].row) == {"x0", "x1", "x2", "x3"}
    narrower = dataclasses.replace(model, limits=((-1e30, 1e30),) * 4)
    assert not verify_model(narrower, FOREST)


def test_mismatches_show_both_answers():
    model = read_model(TREE)
    wrong = dataclasses.replace(model, classes=("a", "b", "c"))
    verdict = verify_model(wrong, TREE, X[:1], n=0)
    first = verdict.mismatches[0]
    assert (first.question, first.model, first.source) == ("predict", "a", 0)
    assert first.row == dict(zip(model.feature_names, X[0].tolist(), strict=True))
    assert len(verdict.mismatches) == 100
    assert "100 or more of" in str(verdict) and "the first in predict: model 'a', source 0" in str(verdict)
    assert not verdict


def test_the_sources_sums_are_taken_in_tree_order():
    source = RandomForestRegressor(40, random_state=0, n_jobs=2).fit(X, Y + np.random.default_rng(0).normal(size=150))
    assert verify_model(read_model(source), source, X)
    assert source.n_jobs == 2 and source.estimators_


def test_the_same_seed_gives_the_same_rows():
    model = read_model(GAPPED)
    one, two = (random_rows(model, 50, np.random.default_rng(3)) for _ in range(2))
    assert np.array_equal(one, two, equal_nan=True)
    assert np.isnan(one[0]).all()


def test_a_model_against_a_model():
    model = read_model(FOREST)
    assert verify_model(model, model)
    assert not verify_model(model, read_model(RandomForestClassifier(5, max_depth=3, random_state=1).fit(X, Y)))
    blood = Feature("blood", "categorical", ("A", "B", "O"))
    nodes = {"feature": "blood", "in": ["A"], "left": {"class": 0}, "right": {"class": 1}, "missing": "left"}
    right, wrong = build_tree(nodes, [blood, "x"]), build_tree({**nodes, "in": ["A", "O"]}, [blood, "x"])
    assert verify_model(right, right)
    verdict = verify_model(right, wrong)
    assert {one.row["blood"] for one in verdict.mismatches} == {"O"}


def test_sources_of_other_kinds():
    with pytest.raises(UnsupportedModelError, match="the source is a int"):
        verify_model(read_model(TREE), 3)
    linear = LogisticRegression(max_iter=1000).fit(X, Y)
    assert not verify_model(read_model(TREE), linear, n=10)
    with pytest.raises(InvalidInputError, match="there are 3 columns"):
        verify_model(read_model(TREE), TREE, X[:, :3])


def test_the_neighbourhood_of_a_cut():
    cut = np.array([float(np.float32(0.1))])
    around = neighbourhood(cut)
    assert around.shape == (1, N_AROUND)
    narrow = np.float32(0.1)
    above, below = (float(np.nextafter(narrow, np.float32(to))) for to in (1, 0))
    middle = (cut[0] + above) / 2
    expected = {cut[0], above, below, middle, *(np.nextafter(p, to) for p in (cut[0], middle) for to in (0, 1))}
    assert set(around[0]) == expected
    assert np.float32(np.nextafter(middle, 1)) == np.float32(above)
    assert np.float32(np.nextafter(middle, 0)) == narrow


@pytest.mark.parametrize("source", [TREE, FOREST, GAPPED, make_pipeline(StandardScaler(), FOREST)], ids=range(4))
def test_probes_reach_their_tests(source):
    """Each leaf, each test with NaN, and a test of each distinct cut with every number around it."""
    source = source.fit(X, Y) if hasattr(source, "steps") else source
    model = read_model(source)
    rows = np.concatenate(list(probe_rows(model, np.random.default_rng(0), size=3)))
    table = model.encode(rows)
    assert set(model.apply(rows)[:, 0]) == set(np.flatnonzero(model.trees[0].left < 0))
    tried: dict = {}
    for tree in model.trees:
        for raw, row in zip(rows, table, strict=True):
            node = 0
            while tree.left[node] >= 0:
                column = tree.feature[node]
                tried.setdefault((column, tree.cut[node]), set()).add(raw[column])
                if np.isnan(row[column]):
                    tried.setdefault((id(tree), node), set()).add("nan")
                    left = tree.missing[node] == 1
                else:
                    left = row[column] <= tree.cut[node]
                node = tree.left[node] if left else tree.right[node]
        for node, state in walk(tree, [open_column(feature, missing=True) for feature in model.features]):
            assert tree.left[node] < 0 or ((id(tree), node) in tried) == state[tree.feature[node]].missing
    for column, feature in enumerate(model.features):
        for cut in feature.cuts:
            assert set(neighbourhood(np.array([cut]))[0]) <= tried[column, cut]


def test_hostile_rows_are_bounded_on_wide_tables():
    wide = build_tree({"class": 0}, [f"x{i}" for i in range(500)])
    assert len(hostile_rows(wide, np.random.default_rng(0))) < 2000


def test_a_large_forest_is_verified_in_good_time():
    data, target = load_breast_cancer(return_X_y=True)
    source = RandomForestClassifier(200, random_state=0, n_jobs=2).fit(data, target)
    start = time.perf_counter()
    assert verify_model(read_model(source), source, data)
    assert time.perf_counter() - start < 30
