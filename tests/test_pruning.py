"""The pruning path against all prunings in exact arithmetic, and against scikit-learn's."""

import math
import random
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from grown_trees import (
    exact_path,
    from_counts,
    from_sklearn,
    gains,
    gini_risk,
    least_cost,
    mistakes,
    random_grown,
)
from xylogic.errors import InvalidInputError
from xylogic.grow.grown import Grown
from xylogic.grow.pruning import pruned, pruning_path, subtree
from xylogic.model.build import make_tree

EXACT = {"impurity": gini_risk, "mistakes": mistakes}


def leaves_of(path, place):
    kept = path.kept(place)
    return frozenset(kept[path.until[kept] <= place].tolist())


@pytest.mark.parametrize("risk", EXACT)
@pytest.mark.parametrize("seed", range(150))
def test_least_cost_among_all_prunings(seed, risk, record_property):
    rng = random.Random(seed)
    grown = random_grown(rng, rng.randint(0, 7), rng.choice([2, 3]), rng.choice([1, 3, 9]))
    path = pruning_path(grown, risk)
    wanted = exact_path(grown, EXACT[risk])
    assert path.leaves.tolist() == [leaves for _, leaves in wanted]
    assert path.alphas == pytest.approx([float(alpha) for alpha, _ in wanted], rel=1e-15)
    between = [(a + b) / 2 for (a, _), (b, _) in pairwise(wanted)]
    for place, (alpha, _) in enumerate(wanted):
        assert leaves_of(path, place) == least_cost(grown, alpha, EXACT[risk])
    for alpha in [*between, wanted[-1][0] + 1]:
        assert leaves_of(path, path.place(float(alpha))) == least_cost(grown, alpha, EXACT[risk])
    total = float(grown.weight[0])
    for place, found in enumerate(path.risks):
        assert found * total == pytest.approx(
            float(sum(EXACT[risk](grown, t) for t in leaves_of(path, place))), abs=1e-12
        )
    record_property("judged prunings", len(wanted) + len(between))


@pytest.mark.parametrize("seed", range(20))
def test_path_of_larger_trees_in_fractions(seed):
    rng = random.Random(seed)
    grown = random_grown(rng, rng.randint(20, 120), rng.choice([2, 3, 5]), rng.choice([1, 4, 1000, 10**7]))
    for risk, exact in EXACT.items():
        path = pruning_path(grown, risk)
        wanted = exact_path(grown, exact)
        assert path.leaves.tolist() == [leaves for _, leaves in wanted]
        assert path.alphas == pytest.approx([float(alpha) for alpha, _ in wanted], rel=1e-15)
        assert (np.diff(path.alphas) > 0).all()


def sklearn_trees() -> list:
    found = []
    for load in (load_iris, load_wine, load_breast_cancer, load_digits):
        X, y = load(return_X_y=True)
        found += [(DecisionTreeClassifier(criterion=c, random_state=0), X, y) for c in ("gini", "entropy")]
    X, y = load_diabetes(return_X_y=True)
    for criterion in ("squared_error", "absolute_error"):
        found.append((DecisionTreeRegressor(criterion=criterion, random_state=0, min_samples_leaf=2), X, y))
    return found


@pytest.mark.parametrize("model, X, y", sklearn_trees(), ids=lambda thing: str(thing) if hasattr(thing, "fit") else "")
def test_scikit_learn_finds_the_same_path(model, X, y):
    """Its path has a step for each node, equal links and their rounding noise included."""
    theirs = model.cost_complexity_pruning_path(X, y)
    ours = pruning_path(from_sklearn(model.fit(X, y)))
    merged = theirs.ccp_alphas[np.append(np.diff(theirs.ccp_alphas) > 1e-9 * theirs.ccp_alphas[1:], True)]
    assert ours.alphas == pytest.approx(merged, rel=1e-9, abs=1e-15)
    for alpha in (ours.alphas[1:] + ours.alphas[:-1]) / 2:
        cut = model.set_params(ccp_alpha=alpha).fit(X, y)
        assert cut.get_n_leaves() == ours.leaves[ours.place(alpha)]
    model.set_params(ccp_alpha=0.0)


def test_the_numbers_of_the_note():
    """s: 6 mistakes as a leaf, 2 with its 4 leaves; u: 3 and 1 with 2."""
    left, right = [-1] * 11, [-1] * 11
    for node, a, b in [(0, 1, 2), (1, 3, 4), (3, 5, 6), (4, 7, 8), (2, 9, 10)]:
        left[node], right[node] = a, b
    counts = np.zeros((11, 2), int)
    counts[[5, 6, 7, 8]] = [(9, 1), (0, 2), (9, 1), (0, 2)]
    counts[[9, 10]] = [(1, 9), (2, 0)]
    grown = from_counts(left, right, counts)
    path = pruning_path(grown, "mistakes")
    assert [mistakes(grown, t) for t in (1, 2)] == [6, 3]
    assert path.alphas * grown.weight[0] == pytest.approx([0, 4 / 3, 2, 6])
    assert path.leaves.tolist() == [6, 3, 2, 1]


def test_breast_cancer_path_of_the_note():
    from sklearn.model_selection import train_test_split

    X, y = load_breast_cancer(return_X_y=True)
    X, _, y, _ = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    path = pruning_path(from_sklearn(DecisionTreeClassifier(random_state=0).fit(X, y)))
    assert path.alphas == pytest.approx(
        [0, 0.00249180, 0.00250164, 0.00418760, 0.00490190, 0.00491836, 0.00879397, 0.00899233, 0.01959122,
         0.02586051, 0.02654964, 0.34354079], abs=5e-9,
    )  # fmt: skip
    assert path.leaves.tolist() == [16, 14, 12, 11, 10, 7, 6, 5, 4, 3, 2, 1]


def test_mistakes_and_impurity_disagree_on_what_is_worth_keeping():
    """R041: 1 of 3 and 1 of 7 positive: the split saves no mistake, but lowers the impurity."""
    grown = from_counts([1, -1, -1], [2, -1, -1], [(0, 0), (2, 1), (6, 1)])
    assert pruning_path(grown, "mistakes").leaves.tolist() == [1]
    assert pruned(grown, 0.0, "mistakes").tree.n_nodes == 1
    path = pruning_path(grown, "impurity")
    gain = float(gini_risk(grown, 0) - gini_risk(grown, 1) - gini_risk(grown, 2)) / 10
    assert path.leaves.tolist() == [2, 1]
    assert path.alphas[1] == pytest.approx(gain, rel=1e-15)
    assert pruned(grown, math.nextafter(path.alphas[1], 0)).tree.n_nodes == 3
    assert pruned(grown, path.alphas[1]).tree.n_nodes == 1
    with pytest.raises(InvalidInputError, match="risk is 'errors'; accepted: impurity, mistakes"):
        pruning_path(grown, "errors")


@pytest.mark.parametrize("alpha", [-0.1, math.nan, "0.1", None, -math.inf, True])
def test_alphas_that_mean_nothing_are_refused(alpha):
    """R042"""
    grown = random_grown(random.Random(0), 5)
    with pytest.raises(InvalidInputError, match=r"alpha is .*; a number >= 0 is accepted"):
        pruned(grown, alpha)


def test_links_are_never_negative_and_infinity_gives_the_root():
    """R042: impurities with rounding noise, children that seem worse than their parent."""
    for seed in range(50):
        rng = np.random.default_rng(seed)
        grown = random_grown(random.Random(seed), 12)
        noisy = grown.impurity + rng.uniform(-1e-16, 1e-16, grown.tree.n_nodes)
        grown = Grown(grown.tree, grown.n_rows, grown.weight * 0.1, noisy, grown.value, grown.gain)
        path = pruning_path(grown)
        assert path.alphas[0] == 0
        assert (np.diff(path.alphas) > 0).all()
        assert (np.diff(path.leaves) < 0).all()
        assert (np.diff(path.risks) > -1e-15).all()
        assert pruned(grown, math.inf).tree.n_nodes == 1
        assert pruned(grown, 10**400).tree.n_nodes == 1


def test_each_listed_alpha_gives_the_tree_listed_for_it():
    """R043, with a float above and one below each end."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 3)).round(1), rng.integers(0, 3, 60)
        weight = [None, rng.integers(1, 4, 60), rng.uniform(0.1, 2, 60)][seed % 3]
        grown = from_sklearn(DecisionTreeClassifier(random_state=0).fit(X, y, weight))
        for risk in ("impurity", "mistakes"):
            path = pruning_path(grown, risk)
            for place, alpha in enumerate(path.alphas):
                wanted = path.leaves[place]
                assert pruned(grown, alpha, risk).tree.n_leaves == wanted
                above = path.alphas[place + 1] if place + 1 < len(path.alphas) else math.inf
                for inside in (math.nextafter(alpha, math.inf), math.nextafter(above, 0)):
                    assert pruned(grown, inside, risk).tree.n_leaves == wanted
                if place:
                    assert path.place(math.nextafter(alpha, 0)) == place - 1


def test_equal_links_are_one_step():
    """R044: six rows in turn; scikit-learn lists 0.0999... and 0.1000...3."""
    X = np.arange(6.0)[:, None]
    model = DecisionTreeClassifier(random_state=0)
    y = np.array([0, 1, 0, 1, 0, 1])
    theirs = model.cost_complexity_pruning_path(X, y).ccp_alphas
    grown = from_sklearn(model.fit(X, y))
    assert len(np.unique(theirs)) > len(np.unique(theirs.round(9)))
    path = pruning_path(grown)
    assert path.leaves.tolist() == [leaves for _, leaves in exact_path(grown, gini_risk)]
    for weight in (0.1, 0.3, 1e-3):  # the same where the weights are not whole
        scaled = from_sklearn(model.fit(X, y, np.full(6, weight)))
        assert pruning_path(scaled).leaves.tolist() == path.leaves.tolist()
        assert pruning_path(scaled).alphas == pytest.approx(path.alphas, rel=1e-12)


def test_a_pruned_tree_is_a_tree_of_its_own():
    """R045: all its numbers are those of a fresh tree of that shape; the original does not change."""
    X, y = load_iris(return_X_y=True)
    grown = from_sklearn(DecisionTreeClassifier(random_state=0).fit(X, y))
    before = [array.copy() for array in (grown.tree.left, grown.tree.feature, grown.value, grown.gain)]
    path = pruning_path(grown)
    for place, alpha in enumerate(path.alphas):
        cut = pruned(grown, alpha)
        fresh = DecisionTreeClassifier(random_state=0, ccp_alpha=(alpha + np.append(path.alphas, 1)[place + 1]) / 2)
        wanted = from_sklearn(fresh.fit(X, y))
        for name in ("n_rows", "weight", "impurity", "value"):
            assert np.array_equal(getattr(cut, name), getattr(wanted, name)), name
        for name in ("left", "right", "cut", "feature", "value", "missing", "set_ptr"):
            assert np.array_equal(getattr(cut.tree, name), getattr(wanted.tree, name)), name
        assert cut.gain == pytest.approx(wanted.gain, abs=1e-12)
        assert (cut.gain[cut.tree.left < 0] == 0).all()
    for old, now in zip(before, (grown.tree.left, grown.tree.feature, grown.value, grown.gain), strict=True):
        assert np.array_equal(old, now)


def test_merging_is_off_unless_asked():
    """R039: siblings 90/10 and 60/40 agree on the class; impurity keeps them apart, mistakes merge when asked to."""
    grown = from_counts([1, -1, -1], [2, -1, -1], [(0, 0), (90, 10), (60, 40)])
    assert pruned(grown, 0.0) is grown
    assert pruned(grown, 0.0, "mistakes").value.tolist() == [[0.75, 0.25]]


def test_category_tests_survive_pruning():
    left, right = [1, -1, 3, -1, 5, -1, -1], [2, -1, 4, -1, 6, -1, -1]
    counts = np.array([(0, 0), (9, 1), (0, 0), (2, 7), (0, 0), (2, 3), (3, 2)])
    plain = from_counts(left, right, counts)
    tree = make_tree(
        [0, 0, 1, 0, 0, 0, 0], [0, 0, 0.5, 0, 0, 0, 0], left, right, plain.value,
        missing=[1, 0, 2, 0, 2, 0, 0], cast="float64", n_features=2, sets={0: [2, 0], 4: [1]},
    )  # fmt: skip
    grown = Grown(tree, plain.n_rows, plain.weight, plain.impurity, plain.value, plain.gain)
    path = pruning_path(grown)
    assert path.leaves.tolist() == [4, 3, 2, 1]
    cut = subtree(grown, path.kept(1)).tree
    assert cut.left_codes(0).tolist() == [0, 2]
    assert cut.missing.tolist() == [1, 0, 2, 0, 0]
    assert cut.set_ptr.tolist() == [0, 2, 2, 2, 2, 2]
    assert cut.value[4].tolist() == [0.5, 0.5]


def test_a_root_alone_and_a_depth_of_a_hundred_thousand():
    root = from_counts([-1], [-1], [(3, 4)])
    assert pruning_path(root).alphas.tolist() == [0]
    assert pruned(root, 5.0) is root
    n = 100_000
    left, right = np.full(2 * n + 1, -1), np.full(2 * n + 1, -1)
    left[: 2 * n : 2], right[: 2 * n : 2] = np.arange(1, 2 * n, 2), np.arange(2, 2 * n + 1, 2)
    counts = np.zeros((2 * n + 1, 2), int)
    counts[left < 0, 0] = np.arange(n + 1) % 2
    counts[left < 0, 1] = 1 - np.arange(n + 1) % 2
    grown = from_counts(left, right, counts)
    path = pruning_path(grown)
    assert path.leaves[0] == n + 1
    assert path.leaves[-1] == 1
    assert pruned(grown, math.nextafter(path.alphas[1], 0)) is grown
    assert pruned(grown, path.alphas[-1]).tree.n_nodes == 1


def test_mistakes_need_classes():
    X, y = load_diabetes(return_X_y=True)
    grown = from_sklearn(DecisionTreeRegressor(random_state=0, max_depth=3).fit(X, y))
    with pytest.raises(InvalidInputError, match="this tree answers numbers"):
        pruning_path(grown, "mistakes")


def test_risks_given_by_node():
    grown = random_grown(random.Random(3), 8)
    ours = pruning_path(grown, grown.weight * grown.impurity)
    assert ours.leaves.tolist() == pruning_path(grown).leaves.tolist()


def test_gains_add_up():
    grown = random_grown(random.Random(4), 8)
    assert grown.gain.sum() == pytest.approx(
        float(gini_risk(grown, 0) - sum(gini_risk(grown, t) for t in np.flatnonzero(grown.tree.left < 0)))
    )
    assert (gains(grown.tree, grown.weight * grown.impurity) == grown.gain).all()
    assert gini_risk(grown, 0) == Fraction(gini_risk(grown, 0))
