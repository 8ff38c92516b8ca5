"""Rashomon sets: what is counted on AND/OR graphs is what the expanded trees say."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import xylogic as xl
from models import Draws
from rashomon_cases import (
    ExportingPraxis,
    Recorded,
    answer,
    depends,
    draw_praxis,
    draw_treefarms,
    expand_praxis,
    expand_treefarms,
    features_of,
    leaves,
    rows_of,
)
from xylogic.errors import BudgetExceeded, InvalidInputError, InvalidModelError, UnsupportedModelError

RECORDED = json.loads((Path(__file__).parent / "rashomon_recorded.json").read_text(encoding="utf-8"))


def judge(found: xl.RashomonSet, trees: list, n_features: int) -> None:
    """Everything that a set answers, beside its trees one by one."""
    rows = rows_of(n_features)
    tables = [tuple(answer(tree, row) for row in rows) for tree in trees]
    functions = Counter(tables)
    assert (found.n_trees, found.n_functions) == (len(trees), len(functions))
    if not trees:
        return
    models = list(found.functions())
    own = [tuple(model.predict(rows).tolist()) for model in models]
    assert Counter(dict(zip(own, found.counts.tolist(), strict=True))) == functions
    smallest = {table: min(leaves(t) for t, of in zip(trees, tables, strict=True) if of == table) for table in own}
    assert [(model.trees[0].n_leaves) for model in models] == [smallest[table] for table in own]
    assert found.fingerprints == [xl.fingerprint(model) for model in models]

    assert (found.predict(rows) == np.array(own).T).all()
    assert Counter(map(tuple, found.predict(rows, of="trees").T.tolist())) == functions
    for of, weight in (("functions", dict.fromkeys(functions, 1)), ("trees", functions)):
        total = sum(weight.values())
        shares = [
            [sum(w for t, w in weight.items() if t[r] == c) / total for c in found.classes] for r in range(len(rows))
        ]
        assert np.allclose(found.agreement(rows, of=of), shares)
    some = rows[:: max(1, len(rows) // 3)]
    on_some = [tuple(answer_row) for answer_row in np.array(own)[:, :: max(1, len(rows) // 3)].tolist()]
    order = list(dict.fromkeys(on_some))
    again = np.repeat(some, 30, axis=0)  # more rows than one number tells apart
    assert found.groups_on(again).tolist() == found.groups_on(some).tolist()
    assert found.groups_on(some).tolist() == [order.index(part) for part in on_some]

    importance = found.importance()
    for f, name in enumerate(importance):
        share = importance[name]
        tested = [f in features_of(tree) for tree in trees]
        needed = [f in depends(table, n_features) for table in tables]
        assert share.trees_testing == pytest.approx(np.mean(tested))
        assert share.trees_depending == pytest.approx(np.mean(needed))
        assert share.functions_depending == pytest.approx(np.mean([f in depends(t, n_features) for t in functions]))
        assert share.functions_testing == pytest.approx(np.mean([(m.trees[0].feature == f).any() for m in models]))


@pytest.mark.parametrize("chunk", range(3))
def test_treefarms_storage_is_its_expansion(chunk, record_property):
    judged = 0
    for seed in range(chunk * 60, chunk * 60 + 60):
        d = Draws(seed)
        n_features = d.whole(1, 4)
        n_classes = d.pick([2, 2, 3, 5])
        source = draw_treefarms(d, n_features, n_classes)
        trees = expand_treefarms(source)
        if len(trees) <= 3000:
            classes = range(5) if n_classes > 2 or seed % 2 else None
            judge(xl.RashomonSet.from_treefarms(source, classes=classes), trees, n_features)
            judged += 1
    record_property("judged Rashomon sets", judged)
    assert judged > 40


@pytest.mark.parametrize("chunk", range(3))
def test_praxis_graph_is_its_expansion(chunk):
    for seed in range(chunk * 60, chunk * 60 + 60):
        d = Draws(seed)
        n_features = d.whole(1, 4)
        graph = draw_praxis(d, n_features)
        trees = expand_praxis(graph)
        names = [f"f{i}" for i in range(n_features)]
        found = xl.RashomonSet.from_praxis(ExportingPraxis(graph) if seed % 2 else graph, feature_names=names)
        if len(trees) <= 3000:
            judge(found, trees, n_features)


def test_recorded_treefarms():
    kept = RECORDED["treefarms"]
    source = Recorded(kept["storage"], kept["available_metrics"], kept["columns"])
    found = xl.RashomonSet.from_treefarms(source)
    judge(found, expand_treefarms(source), 4)
    assert found.n_trees == kept["n_trees"]
    rows = rows_of(4)

    def walk(node, row):
        while "prediction" not in node:
            node = node["true"] if row[node["feature"]] else node["false"]
        return node["prediction"]

    theirs = Counter(tuple(walk(tree, row) for row in rows) for tree in kept["trees"])
    assert Counter(map(tuple, found.predict(rows, of="trees").T.tolist())) == theirs
    loss = [metric[1] for metric in kept["available_metrics"]["metric_values"]]
    wrong = (found.predict(np.array(kept["rows"])) != np.array(kept["labels"])[:, None]).sum(axis=0)
    assert set(wrong.tolist()) == set(loss)


def test_recorded_praxis():
    kept = RECORDED["praxis"]
    found = xl.RashomonSet.from_praxis(kept["graph"], feature_names="abcd")
    judge(found, expand_praxis(kept["graph"]), 4)
    assert found.n_trees == kept["n_trees"]
    theirs = np.array(kept["predictions"])
    theirs = theirs.reshape(found.n_trees, 16)
    assert Counter(map(tuple, found.predict(rows_of(4), of="trees").T.tolist())) == Counter(map(tuple, theirs.tolist()))


def test_names_and_labels():
    kept = RECORDED["treefarms"]
    source = Recorded(kept["storage"], kept["available_metrics"], kept["columns"])
    found = xl.RashomonSet.from_treefarms(source, classes=["no", "yes"])
    assert list(found.importance()) == ["a", "b", "c", "d"]
    assert set(found.predict(rows_of(4)).ravel().tolist()) == {"no", "yes"}
    bare = xl.RashomonSet.from_treefarms(source.model_set, feature_names="abcd")
    assert bare.importance() == found.importance()
    assert next(iter(found.functions())).feature_names == ("a", "b", "c", "d")
    assert repr(found) == f"<RashomonSet: {kept['n_trees']} trees over 4 features>"


def leaf(prediction):
    return {"count": 1, "mapping": {}, "prediction": prediction, "terminal": True}


def split(feature, yes, no):
    return {"count": 1, "mapping": {str(feature): [[yes, no]]}, "prediction": 0, "terminal": False}


def stored(*nodes):
    return SimpleNamespace(
        storage=list(nodes), available_metrics={"metric_pointers": [0], "metric_values": [[0.1, 1, 1]]}
    )


def test_what_is_refused():
    read = xl.RashomonSet.from_treefarms
    with pytest.raises(UnsupportedModelError, match="a fitted TREEFARMS is accepted"):
        read(object())
    with pytest.raises(InvalidModelError, match="cycle"):
        read(stored(split(0, 1, 1), split(1, 0, 0)))
    with pytest.raises(InvalidModelError, match="OR node 0 splits on a feature"):
        read(stored(split(0, 1, 2), split(0, 2, 2), leaf(1)))
    with pytest.raises(InvalidInputError, match="at least 3 distinct"):
        read(stored(split(2, 1, 1), leaf(0)), feature_names=["a", "b"])
    with pytest.raises(InvalidInputError, match="classes"):
        read(stored(leaf(7)), classes=["a", "b"])
    with pytest.raises(InvalidInputError, match="label 5000"):
        read(stored(leaf(5000)))
    frame = Recorded([leaf(0)], {"metric_pointers": [0], "metric_values": [[0.1, 1, 1]]}, ["a"])
    frame.dataset["a"] = [0, 1, 2, 3]
    with pytest.raises(UnsupportedModelError, match="column 'a'"):
        read(frame)
    with pytest.raises(UnsupportedModelError, match="a fitted PRAXIS"):
        xl.RashomonSet.from_praxis(object())
    graph = json.loads(json.dumps(RECORDED["praxis"]["graph"]))
    graph["leaf_nodes"][0]["prediction"] = -1
    with pytest.raises(UnsupportedModelError, match="defer"):
        xl.RashomonSet.from_praxis(graph)
    with pytest.raises(InvalidInputError, match="'functions' or 'trees'"):
        xl.RashomonSet.from_praxis(RECORDED["praxis"]["graph"]).predict(rows_of(4), of="all")
    with pytest.raises(InvalidInputError, match="no positions"):
        _ = xl.RashomonSet.from_praxis(RECORDED["praxis"]["graph"]).groups


def ladder(depth):
    """2^(2^depth - 1) trees and more: every node offers both labels below a split of its own feature."""
    nodes = []
    for level in range(depth):
        nodes.append({**split(level, level + 1, level + 1), "terminal": True})
    return stored(*nodes, {**split(depth, depth + 1, depth + 2)}, leaf(0), leaf(1))


def test_limits_and_counts_beyond_words():
    found = xl.RashomonSet.from_treefarms(ladder(3))
    trees = expand_treefarms(SimpleNamespace(model_set=ladder(3)))
    judge(found, trees, 4)
    with pytest.raises(BudgetExceeded, match=r"2\^63"):
        _ = xl.RashomonSet.from_treefarms(ladder(9)).n_trees
    with pytest.raises(BudgetExceeded, match="search nodes"):
        _ = xl.RashomonSet.from_treefarms(ladder(5), node_limit=100).n_functions
    with pytest.raises(BudgetExceeded, match="memory"):
        _ = xl.RashomonSet.from_treefarms(ladder(5), memory_limit=100_000).n_functions


def test_a_graph_of_a_long_chain():
    depth = 20_000
    nodes = []
    for i in range(depth):
        nodes += [split(i, 2 * i + 1, 2 * i + 2), leaf(i % 2)]
    found = xl.RashomonSet.from_treefarms(stored(*nodes, leaf(1)))
    assert (found.n_trees, found.n_functions) == (1, 1)
    (tree,) = found.functions()
    assert tree.trees[0].n_leaves == depth + 1


# ---- lists of trees ------------------------------------------------------------------------------------------------


def as_model(tree, n_features):
    def nodes(tree):
        if not isinstance(tree, tuple):
            return {"class": tree}
        return {"feature": f"f{tree[0]}", "cut": 0.5, "left": nodes(tree[1]), "right": nodes(tree[2])}

    return xl.build_tree(nodes(tree), [xl.Feature(f"f{i}", "boolean") for i in range(n_features)], classes=[0, 1])


def test_a_list_of_trees():
    for seed in range(40):
        d = Draws(seed)
        n_features = d.whole(1, 4)
        trees = expand_treefarms(draw_treefarms(d, n_features))[:60]
        found = xl.RashomonSet.from_trees([as_model(tree, n_features) for tree in trees])
        judge(found, trees, n_features)
        rows = rows_of(n_features)
        assert (found.predict(rows, of="trees") == np.array([[answer(t, r) for t in trees] for r in rows])).all()
        tables = [tuple(answer(tree, row) for row in rows) for tree in trees]
        order = list(dict.fromkeys(tables))
        assert found.groups == [[i for i, t in enumerate(tables) if t == table] for table in order]


def test_a_list_is_of_classification_trees_over_the_same_columns():
    tree = as_model((0, 0, 1), 2)
    with pytest.raises(InvalidInputError, match="empty"):
        xl.RashomonSet.from_trees([])
    with pytest.raises(UnsupportedModelError, match="model 1 is an ensemble of 2 trees"):
        xl.RashomonSet.from_trees([tree, xl.build_ensemble([tree, tree])])
    with pytest.raises(UnsupportedModelError, match="regression"):
        xl.RashomonSet.from_trees([xl.build_tree({"value": 1.0}, ["x"])])
    with pytest.raises(InvalidInputError, match="tree 1 has other columns"):
        xl.RashomonSet.from_trees([tree, as_model((0, 0, 1), 3)])


def test_one_rule_written_with_its_sides_swapped_is_one_function():
    """``x <= 3`` with its children swapped into ``not x > 3``: one function, and one on any rows (report R075)."""
    plain = {"feature": "x", "cut": 3.0, "left": {"class": "a"}, "right": {"class": "b"}}
    swapped = {"feature": "x", "cut": 4.0, "left": {"feature": "x", "cut": 3.0, "left": {"class": "a"},
               "right": {"class": "b"}}, "right": {"class": "b"}}  # fmt: skip
    other = {"feature": "x", "cut": 5.0, "left": {"class": "a"}, "right": {"class": "b"}}
    found = xl.RashomonSet.from_trees([xl.build_tree(nodes, ["x"]) for nodes in (plain, swapped, other)])
    assert found.groups == [[0, 1], [2]]
    assert len(set(found.fingerprints)) == 2
    assert found.groups_on([[2.0], [4.0], [9.0]]).tolist() == [0, 1]
    assert found.groups_on([[2.0], [9.0]]).tolist() == [0, 0]


# ---- the packages themselves ---------------------------------------------------------------------------------------


def binary_table():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (60, 4))
    return X, (((X[:, 0] & X[:, 1]) | X[:, 2]) ^ (rng.random(60) < 0.1)).astype(int)


def test_treefarms_itself():
    treefarms = pytest.importorskip("treefarms", reason="treefarms is not installed")
    import pandas as pd

    X, y = binary_table()
    options = {"regularization": 0.02, "rashomon_bound_multiplier": 0, "rashomon_bound_adder": 0.1, "depth_budget": 4}
    options |= {"rashomon_ignore_trivial_extensions": True, "worker_limit": 1, "verbose": False}
    for labels in (y, np.where(y, "yes", "no"), np.where(y, 9, 10)):
        model = treefarms.TREEFARMS(options)
        model.fit(pd.DataFrame(X, columns=list("abcd")), pd.Series(labels, name="t"))
        found = xl.RashomonSet.from_treefarms(model)
        judge_codes = [model[i] for i in range(model.get_tree_count())]
        theirs = Counter(tuple(tree.classify(row)[0] for row in X) for tree in judge_codes)
        place = {label: code for code, label in enumerate(found.classes)}
        ours = Counter(tuple(place[label] for label in row) for row in found.predict(X, of="trees").T.tolist())
        assert ours == theirs
        best = model.model_set.available_metrics["metric_values"]
        wrong = (found.predict(X) != labels[:, None]).sum(axis=0)
        assert set(wrong.tolist()) == {value[1] for value in best}


def test_praxis_itself():
    praxis = pytest.importorskip("praxis", reason="tree-praxis is not installed")
    X, y = binary_table()
    model = praxis.PRAXIS()
    model.fit(X, y, lambda_reg=0.03, depth_budget=3, rashomon_mult=0.3)
    found = xl.RashomonSet.from_praxis(model)
    assert found.n_trees == model.count_trees()
    theirs = np.array(model.get_all_predictions(X, stack=True)).reshape(found.n_trees, len(X))
    assert Counter(map(tuple, found.predict(X, of="trees").T.tolist())) == Counter(map(tuple, theirs.tolist()))
