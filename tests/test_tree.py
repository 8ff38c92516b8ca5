"""model/tree.py and the checks of make_tree."""

import pickle

import numpy as np
import pytest

from xylogic.errors import InvalidModelError
from xylogic.model.build import as_cut, feature_cuts, make_tree
from xylogic.model.tree import node_depths, parents

# 0: x0 <= 0.5 ? 1 : 2;  2: x1 <= -1 ? 3 : 4
ARRAYS = {
    "feature": [0, -2, 1, -2, -2],
    "threshold": [0.5, -2.0, -1.0, -2.0, -2.0],
    "left": [1, -1, 3, -1, -1],
    "right": [2, -1, 4, -1, -1],
    "value": [[9.0], [1.0], [9.0], [2.0], [3.0]],
    "missing": [1, 0, 2, 0, 0],
}


def made(**changes):
    given = {**ARRAYS, "cast": "float64", "n_features": 2, **changes}
    arrays = [given.pop(name) for name in ("feature", "threshold", "left", "right", "value")]
    return make_tree(*arrays, **given)


def changed(name, node, to):
    array = list(ARRAYS[name])
    array[node] = to
    return {name: array}


def test_fields_are_normalised_and_frozen():
    tree = made()
    assert (tree.n_nodes, tree.n_leaves, tree.depth, tree.n_outputs) == (5, 3, 2, 1)
    assert tree.feature.tolist() == [0, -1, 1, -1, -1]
    assert tree.cut.tolist() == [0.5, 0.0, -1.0, 0.0, 0.0]
    assert tree.value[:, 0].tolist() == [0.0, 1.0, 0.0, 2.0, 3.0]
    assert tree.missing.tolist() == [1, 0, 2, 0, 0]
    assert [a.dtype.name for a in (tree.feature, tree.cut, tree.left, tree.missing, tree.set_ptr, tree.value)] == [
        "int32", "float64", "int32", "int8", "int32", "float64",
    ]  # fmt: skip
    for copy in (tree, pickle.loads(pickle.dumps(tree))):
        for name in ("feature", "cut", "left", "right", "missing", "set_ptr", "set_items", "value"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(copy, name)[:1] = 0


def test_the_callers_arrays_are_copied():
    value = np.array(ARRAYS["value"])
    tree = made(value=value)
    value[1] = 77.0
    assert tree.value[1, 0] == 1.0


def test_single_leaf():
    tree = made(feature=[-2], threshold=[-2.0], left=[-1], right=[-1], value=[[0.25, 0.75]], missing=[0])
    assert (tree.n_nodes, tree.n_leaves, tree.depth) == (1, 1, 0)


def test_category_sets_are_sorted():
    tree = made(sets={2: [5, 1, 5]})
    assert tree.is_categorical(2) and not tree.is_categorical(0)
    assert tree.left_codes(2).tolist() == [1, 5]
    assert tree.left_codes(0).tolist() == []
    assert tree.cut[2] == 0.0


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (changed("left", 0, 5), "node 0: has child 5; the tree has 5 nodes"),
        (changed("right", 2, 10**12), "node 2: has child 1000000000000"),
        (changed("left", 0, -1), "node 0: has only one child"),
        (changed("left", 1, 3), "node 1: has only one child"),
        (changed("left", 2, 1), "node 1: has 2 parents"),
        (changed("right", 2, 3), "node 3: has 2 parents"),
        (changed("left", 2, 0), "node 2: has the root as its child"),
        ({**changed("left", 0, -1), "right": [-1, -1, 4, -1, -1]}, "node 1: is not reached from the root"),
        ({"left": [1, -1, 2, -1, -1], "right": [3, -1, 4, -1, -1]}, "node 2: is not reached from the root"),
        (changed("feature", 0, 2), "node 0: tests feature 2 of 2"),
        (changed("feature", 2, -1), "node 2: tests feature -1 of 2"),
        (changed("threshold", 2, np.nan), "node 2: has threshold nan"),
        (changed("missing", 0, 3), "node 0: has missing route 3"),
        (changed("value", 3, [np.inf]), r"node 3: is a leaf with value \[inf\]"),
        (changed("value", 1, [np.nan]), "node 1: is a leaf with value"),
        ({"sets": {1: [0]}}, "node 1: is a leaf with a category set"),
        ({"sets": {2: []}}, "node 2: category codes"),
        ({"sets": {9: [0]}}, "node 9 of 5"),
        ({"sets": {2: [3]}, "n_codes": [0, 3]}, "node 2: lists category code 3"),
        ({"sets": {0: [1]}, "n_codes": [0, 3]}, "node 0: tests category codes of feature 0"),
        ({"n_codes": [0, 3]}, "node 2: compares categorical feature 1"),
        ({"threshold": [0.0]}, "threshold has 1 entries for 5 nodes"),
        ({"value": [["a"]] * 5}, "value is not a list of numbers"),
        ({"feature": [0.5] * 5}, "feature is not a list of integers"),
        ({"value": np.zeros((5, 0))}, r"value has shape \(5, 0\)"),
        ({"left": [], "right": []}, "at least 1"),
        ({"right": [2, -1]}, "5 left and 2 right"),
    ],
)
def test_what_is_no_tree_is_refused_by_node(changes, says):
    with pytest.raises(InvalidModelError, match=says) as caught:
        made(**changes, where="tree 7")
    assert "tree 7" in str(caught.value)


def test_cuts_are_the_largest_number_that_goes_left():
    just_above = np.nextafter(0.5, 1)
    top32 = float(np.finfo(np.float32).max)
    given = np.array([0.5, just_above, 0.1, -0.1, 1e-46, -1e-46, -0.0, 3.5e38, -3.5e38, np.inf, -np.inf])
    f32 = [float(np.float32(x)) for x in (0.5, 0.5)]
    below = float(np.nextafter(np.float32(0.1), np.float32(0)))
    expected = [*f32, below, float(np.float32(-0.1)), 0.0, -float(np.float32(1e-45)), 0.0]
    assert as_cut(given, "float32").tolist() == [*expected, np.inf, -np.inf, np.inf, -np.inf]
    assert as_cut(np.array([top32, -top32]), "float32").tolist() == [np.inf, -top32]
    assert as_cut(np.array([top32, 3.5e38]), "float32", infinite=True).tolist() == [top32, top32]
    assert as_cut(given[:3], "float64").tolist() == given[:3].tolist()
    assert not np.signbit(as_cut(np.array([-0.0]), "float64"))[0]


@pytest.mark.parametrize("cast", ["float32", "float64"])
@pytest.mark.parametrize("strict", [False, True])
def test_r024_strict_and_loose_comparisons_keep_their_sides(cast, strict):
    """R024, R010: for every number of the precision, x <= cut says what the source's comparison says."""
    rng = np.random.default_rng(0)
    thresholds = np.concatenate([rng.normal(size=200), np.arange(-3.0, 4.0), rng.normal(size=50).astype(np.float32)])
    cuts = as_cut(thresholds.astype(float), cast, strict=strict)
    kind = np.dtype(cast).type
    for threshold, cut in zip(thresholds.tolist(), cuts.tolist(), strict=True):
        near = kind(threshold)
        for x in (near, np.nextafter(near, kind(-9)), np.nextafter(near, kind(9))):
            assert (float(x) <= cut) == (float(x) < threshold if strict else float(x) <= threshold)


def test_depths_against_a_walk():
    rng = np.random.default_rng(1)
    for n_inner in (0, 1, 5, 40):
        left, right = np.full(2 * n_inner + 1, -1), np.full(2 * n_inner + 1, -1)
        expected, leaves = np.zeros(2 * n_inner + 1, int), [0]
        for step in range(n_inner):
            node = leaves.pop(rng.integers(len(leaves)))
            left[node], right[node] = 2 * step + 1, 2 * step + 2
            expected[[2 * step + 1, 2 * step + 2]] = expected[node] + 1
            leaves += [2 * step + 1, 2 * step + 2]
        assert node_depths(parents(left, right)).tolist() == expected.tolist()


def test_feature_cuts_are_distinct_finite_and_ascending():
    trees = [made(), made(threshold=[-0.5, 0, -1.0, 0, 0]), made(threshold=[np.inf, 0, -np.inf, 0, 0])]
    assert feature_cuts(trees, 3) == [(-0.5, 0.5), (-1.0,), ()]
    assert feature_cuts([made(sets={2: [0]})], 2) == [(0.5,), ()]


def test_r036_neighbouring_floats_stay_apart():
    """R036 (reading): adjacent and huge numbers remain two sides of a cut."""
    for low, high in [(0.1, np.nextafter(0.1, 1)), (-1.7e308, 1.7e308), (2.0**60, 2.0**60 + 2**9)]:
        cut = float(as_cut(np.array([high]), "float64", strict=True)[0])
        assert low <= cut < high
