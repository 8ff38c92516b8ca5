"""River's Hoeffding trees, read bit for bit. Skipped where River is not installed."""

from __future__ import annotations

import random

import numpy as np
import pandas as pd
import pytest

import xylogic as xl

river = pytest.importorskip("river", reason="River is not installed (pip install xylogic[convert])")
from river import tree  # noqa: E402
from river.tree import splitter  # noqa: E402

CLASSIFIERS = {
    "plain": lambda **k: tree.HoeffdingTreeClassifier(grace_period=30, tau=0.2, leaf_prediction="mc", **k),
    "binary": lambda **k: tree.HoeffdingTreeClassifier(
        grace_period=20, tau=0.2, leaf_prediction="mc", binary_split=True, max_depth=5, split_criterion="gini", **k
    ),
    "poor attributes": lambda **k: tree.HoeffdingTreeClassifier(
        grace_period=30, tau=0.2, leaf_prediction="mc", remove_poor_attrs=True, **k
    ),
    "extremely fast": lambda **k: tree.ExtremelyFastDecisionTreeClassifier(
        grace_period=30, tau=0.2, min_samples_reevaluate=30, leaf_prediction="mc", **k
    ),
    "adaptive": lambda **k: tree.HoeffdingAdaptiveTreeClassifier(
        grace_period=30, tau=0.2, leaf_prediction="mc", seed=1, **k
    ),
}
REGRESSORS = {
    "plain": lambda **k: tree.HoeffdingTreeRegressor(grace_period=30, tau=0.3, leaf_prediction="mean", **k),
    "adaptive": lambda **k: tree.HoeffdingAdaptiveTreeRegressor(
        grace_period=30, tau=0.3, leaf_prediction="mean", seed=1, **k
    ),
    "quantised": lambda **k: tree.HoeffdingTreeRegressor(
        grace_period=30, tau=0.3, leaf_prediction="mean", splitter=splitter.QOSplitter(radius=0.2), **k
    ),
}


def stream(seed: int, n: int = 700, labels=("no", "yes", "maybe"), colours=("red", "green", "blue", "grey")):
    """Rows by name with numbers, a category and now and then a hole, their classes and numbers."""
    rng = random.Random(seed)
    for _ in range(n):
        x = {"size": round(rng.uniform(-2, 2), 1), "colour": rng.choice(colours), "age": rng.randrange(90)}
        warm = x["colour"] == "red"
        label = labels[(x["size"] > 0.3) + (warm and x["age"] > 40)]
        number = 3.0 * (x["size"] > 0.3) + warm + rng.gauss(0, 0.1)
        if rng.random() < 0.1:
            del x[rng.choice(list(x))]
        yield x, label if rng.random() < 0.9 else rng.choice(labels), number


def taught(model, seed: int = 0, **options):
    for x, label, number in stream(seed, **options):
        model.learn_one(x, label if hasattr(model, "predict_proba_one") else number)
    return model


def agrees(model: xl.Ensemble, source, rows: list[dict]) -> None:
    """One row at a time, with River's own keys."""
    names = model.feature_names
    table = [{name: x.get(name) for name in names} for x in rows]
    found = model.predict(table).tolist()
    assert found == [source.predict_one(x) for x in rows]
    if model.classes is not None:
        shares = model.predict_proba(table)
        for x, share in zip(rows, shares.tolist(), strict=True):
            wanted = source.predict_proba_one(x)
            assert share == [wanted[label] for label in model.classes]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_classifiers(kind, seed):
    source = taught(CLASSIFIERS[kind](), seed)
    assert source.n_branches, "the tree has grown"
    model = xl.read_model(source)
    assert (model.classes, model.source) == (("maybe", "no", "yes"), f"River {type(source).__name__}")
    agrees(model, source, [x for x, *_ in stream(seed + 50, 300, colours=("red", "green", "blue", "grey", "new"))])
    verdict = xl.verify_model(model, source, n=300)
    assert verdict.ok, verdict


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", REGRESSORS)
def test_regressors(kind, seed):
    source = taught(REGRESSORS[kind](), seed)
    assert source.n_branches, "the tree has grown"
    model = xl.read_model(source)
    assert model.classes is None
    agrees(model, source, [x for x, *_ in stream(seed + 50, 300)])
    verdict = xl.verify_model(model, source, n=300)
    assert verdict.ok, verdict


def test_nominal_attributes_given_as_numbers():
    rng = random.Random(0)
    source = CLASSIFIERS["plain"](nominal_attributes=["zip"])
    for _ in range(600):
        x = {"zip": rng.randrange(5), "size": rng.random()}
        source.learn_one(x, bool((x["zip"] in (1, 3)) ^ (x["size"] > 0.7)))
    model = xl.read_model(source)
    column = model.features[model.feature_names.index("zip")]
    assert column.categories == (0, 1, 2, 3, 4, "<other>") and column.other == "<other>"
    agrees(model, source, [{"zip": z, "size": s} for z in range(7) for s in (0.1, 0.9)])
    assert xl.verify_model(model, source, n=100).ok


def test_an_adaptive_tree_is_read_as_its_main_tree():
    source = CLASSIFIERS["adaptive"]()
    rng = random.Random(3)
    for step in range(5000):
        x = {"a": rng.random(), "b": rng.random()}
        source.learn_one(x, int(x["a"] > 0.5) ^ (step > 600))
        if step > 600 and source._root._alternate_tree is not None:
            break
    model = xl.read_model(source)
    assert model.source == "River HoeffdingAdaptiveTreeClassifier, its main tree"
    assert xl.verify_model(model, source, n=300).ok
    *_, leaf = source._root.walk({"a": 0.2, "b": 0.2})
    share = model.predict_proba([[0.2, 0.2]])[0]
    assert share == pytest.approx([leaf.stats.get(label, 0) / sum(leaf.stats.values()) for label in model.classes])


def test_numbered_columns_are_positions():
    rng = random.Random(1)
    source = CLASSIFIERS["plain"]()
    for _ in range(500):
        x = {j: rng.random() for j in reversed(range(4))}
        source.learn_one(x, int(x[2] > 0.5))
    model = xl.read_model(source)
    assert model.feature_names == ("x0", "x1", "x2", "x3") and not model.named
    rows = np.random.default_rng(0).random((50, 4))
    assert model.predict(rows).tolist() == [source.predict_one(dict(enumerate(row.tolist()))) for row in rows]
    named = xl.read_model(source, feature_names=["p", "q", "r", "s", "t"])
    assert named.feature_names == ("p", "q", "r", "s", "t")
    assert xl.verify_model(named, source, n=100).ok
    with pytest.raises(xl.InvalidInputError, match="2 names; 4 or more"):
        xl.read_model(source, feature_names=["p", "q"])


def test_columns_by_name():
    source = taught(CLASSIFIERS["plain"]())
    assert xl.read_model(source).feature_names == ("size", "colour", "age")
    wide = xl.read_model(source, feature_names=["id", "age", "colour", "size"])
    frame = pd.DataFrame([x for x, *_ in stream(9, 40)]).assign(id=0)
    found = wide.predict(frame[["age", "size", "id", "colour"]]).tolist()
    assert found == [source.predict_one(x) for x, *_ in stream(9, 40)]
    assert xl.verify_model(wide, source, n=100).ok
    with pytest.raises(xl.InvalidInputError, match="all columns of the tree, also 'colour', are"):
        xl.read_model(source, feature_names=["id", "age", "size"])


def test_declared_classes_persist():
    """R082: classes that no batch has shown keep their column, and columns never change order."""
    source = CLASSIFIERS["plain"]()
    source.classes |= {0, 1, 2}
    for x, *_ in stream(0, 50):
        source.learn_one(x, 1)
    first = xl.read_model(source)
    assert first.classes == (0, 1, 2) and first.predict_proba([{"size": 0, "colour": "red", "age": 3}]).tolist() == [
        [0, 1, 0]
    ]
    for x, label, _ in stream(1, 600, labels=(2, 0, 1)):
        source.learn_one(x, label)
    second = xl.read_model(source)
    assert second.classes == (0, 1, 2)
    assert xl.verify_model(second, source, n=200).ok
    assert first.predict([{"size": 0, "colour": "red", "age": 3}]).tolist() == [1], "what was read does not change"


def test_a_deep_tree_survives_saving(tmp_path):
    """R077: a long-lived tree, made deep by an ordered stream, is read, saved and loaded, and River goes on."""
    source = tree.HoeffdingTreeClassifier(
        grace_period=50, delta=0.9, tau=0.9, leaf_prediction="mc", max_share_to_split=1.0, merit_preprune=False
    )
    for step in range(5000):
        source.learn_one({"t": float(step)}, step // 100 % 2)
    model = xl.read_model(source)
    assert model.trees[0].depth > 20
    model.save(tmp_path / "old.json.gz")
    loaded = xl.load(tmp_path / "old.json.gz")
    agrees(loaded, source, [{"t": float(t)} for t in range(0, 5000, 50)])
    for step in range(5000, 5400):
        source.learn_one({"t": float(step)}, step // 100 % 2)
    rows = np.arange(0.0, 5400.0, 10)[:, None]
    later = xl.read_model(source)
    assert later.n_nodes > loaded.n_nodes
    found = xl.compatibility(loaded, later, rows, loaded.predict(rows))
    assert found.bcp == np.mean(later.predict(rows) == loaded.predict(rows))


def test_bounds_of_a_hoeffding_tree():
    source = CLASSIFIERS["plain"]()
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(800, 3))
    for row in rows.tolist():
        source.learn_one(dict(zip("abc", row, strict=True)), int(row[0] + row[1] > 0))
    lower, upper = xl.tree_bounds(source, rows)
    assert ((lower < rows) & (rows <= upper)).all()
    for i in range(5):
        steps = list(source._root.walk(dict(zip("abc", rows[i].tolist(), strict=True))))[:-1]
        above = [step.threshold for step in steps if step.feature == "a" and rows[i, 0] <= step.threshold]
        assert upper[i, 0] == min(above, default=np.inf)


@pytest.mark.parametrize(
    "source",
    [
        tree.HoeffdingTreeClassifier(),
        tree.HoeffdingTreeClassifier(leaf_prediction="nb"),
        tree.HoeffdingAdaptiveTreeClassifier(seed=1),
        tree.ExtremelyFastDecisionTreeClassifier(),
        tree.HoeffdingTreeRegressor(),
        tree.HoeffdingTreeRegressor(leaf_prediction="model"),
        tree.HoeffdingAdaptiveTreeRegressor(seed=1),
    ],
)
def test_leaves_that_do_not_answer_alike_are_refused(source):
    with pytest.raises(xl.NotFittedError, match="learned no row"):
        xl.read_model(source)
    numbers = {"size": 1.0, "age": 3}
    source.learn_one(numbers, 1)
    with pytest.raises(xl.UnsupportedModelError, match=r"leaf_prediction is '.*leaf_prediction='mc'"):
        xl.read_model(source)


def test_other_kinds_are_refused():
    many = REGRESSORS["plain"]()
    many.splitter = splitter.QOSplitter(radius=0.2, allow_multiway_splits=True)
    rng = random.Random(0)
    for _ in range(2000):
        x = {"size": rng.uniform(-2, 2)}
        many.learn_one(x, float(round(x["size"])))
    if "Multiway" in type(many._root).__name__:
        with pytest.raises(xl.UnsupportedModelError, match="tests of numbers with two branches"):
            xl.read_model(many)
    with pytest.raises(xl.UnsupportedModelError, match="received a SGTClassifier"):
        xl.read_model(tree.SGTClassifier())


def test_a_derived_class_is_checked():
    class Contrary(tree.HoeffdingTreeClassifier):
        def predict_proba_one(self, x):
            share = super().predict_proba_one(x)
            return dict(zip(share, list(share.values())[::-1], strict=True))

    source = taught(Contrary(leaf_prediction="mc", grace_period=30, tau=0.2))
    with pytest.raises(xl.UnsupportedModelError, match="does not predict as"):
        xl.read_model(source)
