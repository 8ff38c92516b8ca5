"""Surrogate splits against rpart's rules, node by node in exact arithmetic, and the known answers."""

import math
import random
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

from xylogic.domain.feature import Feature
from xylogic.errors import BudgetExceeded, InvalidInputError
from xylogic.grow.answering import answers, leaves_of
from xylogic.grow.columns import read_columns
from xylogic.grow.expand import expanded
from xylogic.grow.grower import Limits, grow
from xylogic.grow.pruning import pruned
from xylogic.grow.target import class_target, number_target
from xylogic.model import predict
from xylogic.model.build import make_ensemble
from xylogic.model.reach import open_column, walk

NAN = math.nan


def numeric(n):
    return [Feature(f"x{j}") for j in range(n)]


def grown_tree(values, y, features=None, weight=None, mode="exact", **limits):
    values = values if isinstance(values, np.ndarray) else np.array(values)
    features = features or numeric(values.shape[1])
    target = class_target(np.asarray(y), int(np.max(y)) + 1, weight, "gini")
    columns = read_columns(values, features, mode=mode)
    return grow(columns, target, Limits(missing="surrogate", **limits))


PRIMARY = [0.0] * 6 + [1.0] * 4 + [NAN, NAN]
LABELS = [0] * 6 + [1] * 4 + [1, 0]


def test_known_answer_all_known():
    """Threshold 5.5, 9 of 10 agree, and 3 of the 4 that going with the larger side would lose."""
    x = [1, 2, 3, 4, 5, 8, 6, 7, 9, 10, 2, 9]
    grown = grown_tree(np.column_stack([PRIMARY, x]), LABELS)
    (found,) = grown.routes.described(0, numeric(2))
    assert (found.feature, found.cut, found.flipped) == ("x1", 5.5, False)
    assert (found.agreement, found.adjusted) == pytest.approx((0.9, 0.75))
    assert grown.n_rows[grown.tree.left[0]] == 7  # the row with x = 2 goes left, that with 9 right
    assert str(found) == "x1 <= 5.5 (agreement 0.900, adjusted 0.750)"
    flipped = grown_tree(np.column_stack([PRIMARY, [-value for value in x]]), LABELS)
    (found,) = flipped.routes.described(0, numeric(2))
    assert (found.cut, found.flipped, found.adjusted) == (-5.5, True, pytest.approx(0.75))
    assert str(found).startswith("x1 > -5.5 ")


def test_known_answer_missing_surrogate_values_count_as_failures():
    """6 agreements of 7 known pairs, but of 10 rows only 6: no better than the larger side, so it is dropped."""
    x = [1, NAN, 2, NAN, 3, 9, 8, 7, NAN, 6, 1, 9]
    grown = grown_tree(np.column_stack([PRIMARY, x]), LABELS)
    assert grown.routes.described(0, numeric(2)) == ()
    assert grown.n_rows[grown.tree.left[0]] == 8  # both rows go with the larger side


def test_a_categorical_surrogate_sends_each_level_to_its_majority():
    levels = ("a", "b", "c", "d")
    codes = [0, 0, 0, 1, 1, 2, 2, 2, 2, 1, 3, 1]  # d never with a known primary
    features = [Feature("p"), Feature("c", "categorical", levels)]
    grown = grown_tree(np.column_stack([PRIMARY, codes]), LABELS, features)
    (found,) = grown.routes.described(0, features)
    assert (found.left, found.right, found.cut) == (("a", "b"), ("c",), None)
    assert (found.agreement, found.adjusted) == pytest.approx((0.8, 0.5))
    assert str(found).startswith("c in {a, b} ")
    assert grown.n_rows[grown.tree.left[0]] == 8  # d knows no side: with the larger one; b goes left


def test_fifty_fifty_goes_left():
    primary = [0.0, 0, 1, 1, NAN]
    grown = grown_tree(np.array(primary)[:, None], [0, 0, 1, 1, 1])
    assert grown.tree.missing[0] == 1


def surrogates_as_defined(values, features, side, weight, primary, most=5):
    """[(adjusted, feature, left values, right values)] from the rules; ``side``: row -> "L" or "R", known ones."""
    total = {s: sum(weight[i] for i in side if side[i] == s) for s in "LR"}
    whole, larger = total["L"] + total["R"], max(total.values())
    found = []
    for j, feature in enumerate(features):
        if j == primary:
            continue
        both = [i for i in side if values[i][j] == values[i][j]]
        best = None
        if feature.categories:
            by = {}
            for i in both:
                by.setdefault(values[i][j], {"L": 0, "R": 0})[side[i]] += weight[i]
            left = {x for x, w in by.items() if w["L"] >= w["R"]}
            right = set(by) - left
            count = [sum(values[i][j] in s for i in both) for s in (left, right)]
            if min(count) >= 2:
                best = (sum(max(w.values()) for w in by.values()), left, right)
        else:
            levels = sorted({values[i][j] for i in both})
            for size in range(1, len(levels)):
                low, high = set(levels[:size]), set(levels[size:])
                count = [sum(values[i][j] in s for i in both) for s in (low, high)]
                if min(count) < 2:
                    continue
                for left, right in ((low, high), (high, low)):
                    agree = sum(weight[i] for i in both if (values[i][j] in left) == (side[i] == "L"))
                    if best is None or agree > best[0]:
                        best = (agree, left, right)
        if best is not None:
            adjusted = Fraction(best[0] - larger) / (whole - larger)
            if adjusted > 0:
                found.append((adjusted, j, best[1], best[2], Fraction(best[0]) / whole))
    found.sort(key=lambda item: (-item[0], item[1]))
    return found[:most]


@pytest.mark.parametrize("seed", range(120))
def test_every_node_is_as_defined(seed, record_property):
    rng = random.Random(seed)
    n, d = rng.randint(4, 30), rng.randint(2, 5)
    features = [
        Feature(f"x{j}", "categorical", tuple("abcd")) if rng.random() < 0.3 else Feature(f"x{j}") for j in range(d)
    ]
    most = rng.choice([3, 9, 100])
    values = [
        [NAN if rng.random() < 0.2 else float(rng.randint(0, 3 if f.categories else most)) for f in features]
        for _ in range(n)
    ]
    y = [rng.randrange(2) for _ in range(n)]
    weight = [rng.choice([1, 1, 2, 3]) for _ in range(n)]
    allowed = rng.choice([1, 2, 5])
    grown = grown_tree(
        values, [*y[:-1], 1], features, np.array(weight, float), max_surrogates=allowed,
        max_features=rng.choice([None, 1]), max_leaf_nodes=rng.choice([None, 6]),
    )  # fmt: skip
    tree, routes = grown.tree, grown.routes
    here = {0: list(range(n))}
    for node in range(tree.n_nodes):
        rows = here.pop(node)
        assert grown.n_rows[node] == len(rows)
        assert grown.weight[node] == sum(weight[i] for i in rows)
        if tree.left[node] < 0:
            assert routes.first[node] == routes.first[node + 1]
            continue
        j = int(tree.feature[node])
        codes = set(tree.left_codes(node).tolist())
        side = {
            i: "L" if (values[i][j] in codes if codes else values[i][j] <= tree.cut[node]) else "R"
            for i in rows if values[i][j] == values[i][j]
        }  # fmt: skip
        assert set(side.values()) == {"L", "R"}
        total = {s: sum(weight[i] for i in side if side[i] == s) for s in "LR"}
        assert tree.missing[node] == (1 if total["L"] >= total["R"] else 2)
        wanted = surrogates_as_defined(values, features, side, weight, j, allowed)
        found = range(routes.first[node], routes.first[node + 1])
        assert [routes.feature[k] for k in found] == [item[1] for item in wanted]
        for k, (adjusted, f, left, right, agreement) in zip(found, wanted, strict=True):
            assert routes.adjusted[k] == pytest.approx(float(adjusted))
            assert routes.agreement[k] == pytest.approx(float(agreement))
            if features[f].categories:
                assert tuple(map(set, routes.side_of(k, features[f]))) == (left, right)
            else:
                low, high = (right, left) if routes.flipped[k] else (left, right)
                assert routes.cut[k] == (max(low) + min(high)) / 2
        way = "L" if total["L"] >= total["R"] else "R"
        for i in rows:
            for k, (_, f, left, right, _) in zip(found, wanted, strict=True):
                x = values[i][f]
                low, high = (right, left) if routes.flipped[k] else (left, right)
                if i not in side and x == x:
                    if not features[f].categories:
                        side[i] = "L" if (x <= routes.cut[k]) != bool(routes.flipped[k]) else "R"
                    elif x in left or x in right:
                        side[i] = "L" if x in left else "R"
            side.setdefault(i, way)
        here[int(tree.left[node])] = [i for i in rows if side[i] == "L"]
        here[int(tree.right[node])] = [i for i in rows if side[i] == "R"]
    counted = np.bincount(leaves_of(grown, np.array(values)), minlength=tree.n_nodes)
    assert (counted[tree.left < 0] == grown.n_rows[tree.left < 0]).all()
    record_property("judged nodes with surrogates", tree.n_nodes)


@pytest.mark.parametrize("mode", ["exact", "hist", "random"])
def test_real_data_with_holes(mode):
    X, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(0)
    X[rng.random(X.shape) < 0.3] = NAN
    grown = grown_tree(X, y, mode=mode, min_samples_leaf=5)
    tree, routes = grown.tree, grown.routes
    assert (
        np.bincount(leaves_of(grown, X), minlength=tree.n_nodes)[tree.left < 0] == grown.n_rows[tree.left < 0]
    ).all()
    assert (np.diff(routes.first) <= 5).all()
    assert len(routes.feature) > 5
    assert ((routes.adjusted > 0) & (routes.adjusted <= 1)).all()
    assert (answers(grown, X).argmax(axis=1) == y).mean() > 0.9
    small = pruned(grown, 0.005)
    assert 1 < small.tree.n_nodes < tree.n_nodes
    same = {int(node) for node in np.flatnonzero(small.tree.left >= 0)}
    assert small.routes.described(0, numeric(30)) == routes.described(0, numeric(30))
    assert len(small.routes.first) == small.tree.n_nodes + 1
    assert sum(len(small.routes.described(node, numeric(30))) for node in same) == len(small.routes.feature)
    assert leaves_of(small, X).max() < small.tree.n_nodes


def test_numbers_too():
    X, y = load_diabetes(return_X_y=True)
    rng = np.random.default_rng(0)
    X[rng.random(X.shape) < 0.2] = NAN
    grown = grow(
        read_columns(X, numeric(10)), number_target(y, None, "absolute_error"),
        Limits(missing="surrogate", max_depth=5),
    )  # fmt: skip
    leaf = leaves_of(grown, X)
    for node in np.flatnonzero(grown.tree.left < 0):
        assert grown.value[node, 0] == pytest.approx(np.median(y[leaf == node]))


def test_without_room_for_surrogates_rows_go_with_the_larger_side():
    X, y = load_breast_cancer(return_X_y=True)
    X[np.random.default_rng(0).random(X.shape) < 0.3] = NAN
    grown = grown_tree(X, y, max_surrogates=0, max_depth=4)
    assert len(grown.routes.feature) == 0
    leaf = leaves_of(grown, X)
    assert (np.bincount(leaf, minlength=grown.tree.n_nodes)[grown.tree.left < 0] > 0).all()


def expansion(grown, features, may_be_missing, cast="float64", **limit):
    marked = [replace(f, may_be_missing=bool(m)) for f, m in zip(features, may_be_missing, strict=True)]
    tree, origin = expanded(grown, grown.value, marked, cast, **limit)
    model = make_ensemble(
        [tree], marked, [0, 1], voting="average", cast=cast, accepts_missing=True, accepts_infinite=True
    )
    return model, origin


@pytest.mark.parametrize("seed", range(60))
def test_the_plain_tree_answers_the_same(seed, record_property):
    rng = random.Random(seed)
    n, d = rng.randint(10, 60), rng.randint(2, 4)
    features = [
        Feature(f"x{j}", "categorical", tuple("abcd")) if rng.random() < 0.4 else Feature(f"x{j}") for j in range(d)
    ]
    part = [rng.choice([0.0, 0.2, 0.4]) for _ in features]
    values = np.array([
        [NAN if rng.random() < p else float(rng.randint(0, 2 if f.categories else 4))
         for f, p in zip(features, part, strict=True)]
        for _ in range(n)
    ])  # fmt: skip
    y = [rng.randrange(2) for _ in range(n - 1)] + [1]
    grown = grown_tree(values, y, features, max_surrogates=rng.choice([1, 2, 5]), max_depth=rng.choice([2, 3, 5]))
    missing = np.isnan(values).any(axis=0)
    model, origin = expansion(grown, features, missing)
    choices = [
        [*map(float, range(4 if f.categories else 5)), *([NAN] if m else [])]
        for f, m in zip(features, missing, strict=True)
    ]
    rows = np.array(list(product(*choices)))
    assert (origin[predict.apply(model, rows)[:, 0]] == leaves_of(grown, rows)).all()
    # every node is reached by some row
    reached = {node for node, _ in walk(model.trees[0], [open_column(f, f.may_be_missing) for f in model.features])}
    assert reached == set(range(model.trees[0].n_nodes))
    for j in np.flatnonzero(~missing & np.isin(np.arange(d), model.trees[0].feature)):
        row = [f.categories[0] if f.categories else 0.0 for f in features]
        row[j] = None
        with pytest.raises(InvalidInputError, match=f"column 'x{j}', row 0"):
            model.predict([row])
    record_property("judged rows of expanded trees", len(rows))


def test_an_expansion_keeps_to_its_limit():
    X, y = load_breast_cancer(return_X_y=True)
    X = X.astype(np.float32).astype(float)
    holes = np.random.default_rng(0).random(X.shape) < 0.1
    holes[:, 5:] = False
    X[holes] = NAN
    grown = grown_tree(X.astype(np.float32), y, min_samples_leaf=10)
    model, origin = expansion(grown, numeric(30), holes.any(axis=0), "float32")
    assert (origin[predict.apply(model, X)[:, 0]] == leaves_of(grown, X)).all()
    with pytest.raises(BudgetExceeded, match="raise it, grow with fewer max_surrogates") as caught:
        expansion(grown, numeric(30), holes.any(axis=0), node_limit=model.n_nodes - 1)
    assert caught.value.bounds == {"nodes": model.n_nodes - 1}
