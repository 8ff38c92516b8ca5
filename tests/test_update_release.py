"""``release_changes`` against enumeration of all cells of small trees."""

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import xylogic as xl

pytestmark = pytest.mark.filterwarnings("ignore:no row is relied on")  # as in some of the drawn cases
seeds = st.integers(0, 10**6)


def two_trees(seed, n_classes, *, single=False):
    """A tree of few rows, and one of more rows or one that is to be compatible with it."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, 4))
    X = rng.integers(0, 6, (40, m)).astype(np.float32 if single else np.float64) / 7
    y = rng.integers(0, n_classes, 40) if n_classes else rng.integers(0, 4, 40) / 4
    y[:n_classes], y[20 : 20 + n_classes] = range(n_classes), range(n_classes)
    plain = xl.DecisionTreeClassifier if n_classes else xl.DecisionTreeRegressor
    old = plain(max_leaf_nodes=int(rng.integers(2, 6))).fit(X[:20], y[:20])
    size = {"max_leaf_nodes": int(rng.integers(2, 7))}
    if rng.random() < 0.5:
        return old, plain(**size).fit(X.astype(np.float64), y)
    kind = xl.CompatibleTreeClassifier if n_classes else xl.CompatibleTreeRegressor
    return old, kind(old, strength=0.5, dissimilarity="mae", **size).fit(X.astype(np.float64), y)


def cells(*trees):
    """A row of every cell that the cuts of all trees make."""
    columns = []
    models = [xl.read_model(tree) for tree in trees]
    for column in range(len(models[0].features)):
        cuts = sorted({cut for model in models for cut in model.features[column].cuts})
        between = [(a + b) / 2 for a, b in pairwise(cuts)]
        columns.append([cuts[0] - 1, *between, cuts[-1] + 1] if cuts else [0.0])
    return np.array(list(product(*columns)), np.float64)


def expected(old, new, rows, tolerance):
    """Which rows are decided, explained, and explained by other columns, differently."""
    a, b = old.predict(rows), new.predict(rows)
    decision = np.abs(a - b) > tolerance if a.dtype.kind == "f" else a != b
    bounds = [np.concatenate(xl.tree_bounds(tree, rows), axis=1) for tree in (old, new)]
    used = [np.isfinite(both).reshape(len(rows), 2, -1).any(axis=1) for both in bounds]
    return decision, (bounds[0] != bounds[1]).any(axis=1), (used[0] != used[1]).any(axis=1)


@settings(deadline=None, max_examples=40)
@given(seeds, st.sampled_from([2, 3, 0]))
def test_shares_and_regions_are_those_of_all_cells(seed, n_classes):
    old, new = two_trees(seed, n_classes)
    rows = cells(old, new)
    tolerance = 0.0 if n_classes else 0.125
    decision, explanation, columns = expected(old, new, rows, tolerance)
    found = xl.release_changes(old, new, rows, tolerance=tolerance)
    assert found.status.status == "exact"
    for share, differs in (
        (found.decision, decision),
        (found.explanation, explanation),
        (found.feature_sets, columns),
        (found.either, decision | explanation),
    ):
        assert share == Fraction(int(differs.sum()), len(rows))
    assert found.on_rows == {
        "decision": decision.mean(),
        "explanation": explanation.mean(),
        "feature_sets": columns.mean(),
        "either": (decision | explanation).mean(),
    }
    assert found.decision == xl.compare(old, new, tolerance=tolerance).disagreement
    assert sum(region.share for region in found.regions) == found.either and len(found.regions) == found.n_regions
    names = xl.read_model(old).feature_names
    for row, decided, explained in zip(rows, decision, explanation, strict=True):
        named = dict(zip(names, row.tolist(), strict=True))
        inside = [region for region in found.regions if region.box.matches(named)]
        assert len(inside) == (decided or explained)
        for region in inside:
            assert (region.decides_otherwise, region.explains_otherwise) == (decided, explained)
            assert list(region.decisions) == [tree.predict([row])[0] for tree in (old, new)]
            assert all(term.matches(named) for term in region.explanations)


@settings(deadline=None, max_examples=40)
@given(seeds)
def test_each_region_has_a_row_and_its_explanations(seed):
    old, new = two_trees(seed, 2, single=True)  # cuts of two precisions
    for region in xl.release_changes(old, new).regions:
        row = list(region.row.values())
        assert region.box.matches(region.row)
        assert list(region.decisions) == [tree.predict([row])[0] for tree in (old, new)]
        for term, tree in zip(region.explanations, (old, new), strict=True):
            assert set(term.features) == set(xl.interval_explanation(tree, row).features)


@settings(deadline=None, max_examples=20)
@given(seeds)
def test_a_tree_has_one_text_for_an_explanation(seed):
    old, new = two_trees(seed, 2, single=True)  # "x0 <= 0.35714287", not what its cut is in double precision
    for region in xl.release_changes(old, new).regions:
        for term, tree in zip(region.explanations, (old, new), strict=True):
            shown = xl.interval_explanation(tree, list(region.row.values()))
            assert str(shown) == f"if {term}: {shown.prediction}" and term == shown.term


def test_names_and_order_of_columns_are_those_of_the_first_tree():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 6, (60, 3)).astype(np.float32) / 7, columns=list("abc"))
    old = xl.DecisionTreeClassifier(max_depth=3).fit(frame, rng.integers(0, 2, 60))
    new = xl.DecisionTreeClassifier(max_depth=3).fit(frame[["c", "a", "b"]].astype(float), rng.integers(0, 2, 60))
    bare = xl.DecisionTreeClassifier(max_depth=3).fit(frame.to_numpy(), rng.integers(0, 2, 60))
    for one, other in ((old, new), (bare, old), (old, bare)):
        for region in xl.release_changes(one, other).regions:
            assert set(region.row) == set("abc")
            for term, tree in zip(region.explanations, (one, other), strict=True):
                row = list(region.row.values()) if tree is bare else region.row
                shown = str(xl.interval_explanation(tree, row))
                for name, ours in zip("abc", ("x0", "x1", "x2"), strict=True):
                    shown = shown.replace(ours, name)
                assert shown.startswith(f"if {term}: ") and term.matches(region.row)


def test_the_same_tree_changes_nothing_and_says_so():
    old, new = two_trees(3, 2)
    found = xl.release_changes(old, old)
    assert (found.either, found.regions, found.n_regions) == (0, (), 0)
    assert str(found).endswith("\nnothing changes: every row is decided and explained as before")
    assert found.to_dict()["changes_nothing"] and "nothing changes" not in str(xl.release_changes(old, new))
    assert str(found).startswith("share of the cells that change: decision 0, explanation 0")


def test_the_largest_regions_are_kept_of_either_kind():
    old, new = two_trees(11, 3)
    every = xl.release_changes(old, new)
    kinds = [region.decides_otherwise for region in every.regions]
    assert kinds == sorted(kinds, reverse=True) and 0 < sum(kinds) < len(kinds)
    few = xl.release_changes(old, new, limit=1)
    assert [str(region) for region in few.regions] == [str(every.regions[0]), str(every.regions[sum(kinds)])]
    assert few.n_regions == every.n_regions and few.either == every.either
    for kind in (True, False):
        shares = [region.share for region in every.regions if region.decides_otherwise == kind]
        assert shares == sorted(shares, reverse=True)


def test_a_limit_leaves_what_is_proven():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 12))
    y = (X[:, 0] * X[:, 1] + rng.normal(size=3000) > 0).astype(int)
    old, new = xl.DecisionTreeClassifier().fit(X[:1500], y[:1500]), xl.DecisionTreeClassifier().fit(X, y)
    found = xl.release_changes(old, new, limit=2, node_limit=10)
    assert found.status.status == "partial" and len(found.regions) <= 4
    undecided = found.status.bounds["undecided"]
    assert 0 < undecided < 1 and found.either + undecided <= 1
    assert found.to_dict()["bounds"]["undecided"] == float(undecided)


def test_whole_numbers_explain_alike_whatever_the_cut():
    feature = [xl.Feature("rooms", "integer")]
    trees = [
        xl.build_tree({"feature": "rooms", "cut": cut, "left": {"class": "no"}, "right": {"class": "yes"}}, feature)
        for cut in (2.2, 2.7)
    ]
    assert xl.release_changes(*trees).either == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [({"limit": -1}, "limit is -1"), ({"limit": True}, "limit is True"), ({"tolerance": -1}, "tolerance is -1")],
)
def test_bad_options_are_named(options, words):
    old, new = two_trees(0, 2)
    with pytest.raises(xl.InvalidInputError, match=words):
        xl.release_changes(old, new, **options)


def test_forests_and_other_columns_are_refused():
    old, _ = two_trees(0, 2)
    X, y = np.arange(8.0).reshape(-1, 1), np.array([0, 1] * 4)
    forest = xl.RandomForestClassifier(2).fit(np.tile(X, 3), y)
    with pytest.raises(xl.UnsupportedModelError, match="the new tree has 2 trees"):
        xl.release_changes(old, forest)
    wider = xl.DecisionTreeClassifier().fit(np.tile(X, 9), y)
    with pytest.raises(xl.InvalidInputError, match="other features"):
        xl.release_changes(old, wider)
