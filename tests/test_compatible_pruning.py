"""Pruning under the objective of compatible trees: against all prunings, and fold by fold."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold

import xylogic as xl
from compatible_cases import Case, draw_case
from test_update_measures import OLD, X, Y, built
from update_oracle import Node, best_prunings

# Strength 0.1: the alphas of the path.
KNOWN = {
    "mse": [0, 0.196667, 0.577857 - 0.196667],
    "mae": [0, 0.186032, 0.551082 - 0.186032],
    "jac": [0, 0.2, 0.4],
}

pytestmark = pytest.mark.filterwarnings("ignore:no row is relied on")  # as in some of the drawn cases


def of_oracle(case: Case) -> Node:
    """The fitted tree with the oracle's own answers at all nodes."""
    tree, update = case.tree.tree_, case.update

    def copy(node: int, rows: list[int]) -> Node:
        made = Node(update.answer(rows), rows=rows)
        if tree.left[node] >= 0:
            made.feature, made.cut = int(tree.feature[node]), float(tree.cut[node])
            left, right = update.sides(rows, made.feature, made.cut)
            made.left, made.right = copy(int(tree.left[node]), left), copy(int(tree.right[node]), right)
        return made

    return copy(0, list(range(len(case.X))))


def refitted(case: Case, **options):
    tree = type(case.tree)(**{**case.tree.get_params(), **options})
    return tree.fit(case.X, case.y, sample_weight=case.weight, relied=case.relied)


@pytest.mark.parametrize("kind", KNOWN)
def test_the_worked_example(kind):
    tree = xl.CompatibleTreeClassifier(built(OLD, ["x0", "x1"], [0, 1]), dissimilarity=kind, strength=0.1)
    path = tree.cost_complexity_pruning_path(np.array(X, float), Y)
    assert path.ccp_alphas == pytest.approx(KNOWN[kind], abs=1e-6)
    assert path.leaves.tolist() == [3, 2, 1]
    assert path.impurities[0] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("block", range(4))
def test_each_pruned_tree_is_the_smallest_of_the_least_cost(block):
    for seed in range(30 * block, 30 * block + 30):
        case = draw_case(seed)
        if case.relied is not None or case.weight is not None or not 1 < case.tree.get_n_leaves() <= 8:
            continue
        update, whole = case.update, of_oracle(case)
        path = case.tree.cost_complexity_pruning_path(case.X, case.y)
        assert (np.diff(path.leaves) < 0).all()
        ends = np.append(path.ccp_alphas, 2 * path.ccp_alphas[-1] + 1)
        for alpha, cost in zip((ends[:-1] + ends[1:]) / 2, path.impurities, strict=True):
            best = min(best_prunings(update, whole, alpha), key=lambda tree: len(tree.leaves()))
            pruned = refitted(case, ccp_alpha=float(alpha))
            assert pruned.get_n_leaves() == len(best.leaves())
            assert pruned.objective(case.X, case.y) == pytest.approx(float(update.objective(best)), abs=1e-7)
            assert cost == pytest.approx(float(update.objective(best)), abs=1e-7)


def data(n=240, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n) > 0).astype(int)


def test_pruning_keeps_explanations_that_plain_pruning_gives_up():
    (X, y), (before, then) = data(), data(seed=1)
    old = xl.DecisionTreeClassifier(max_depth=4).fit(before, then)
    tree = xl.CompatibleTreeClassifier(old, strength=0.5)
    compatible = clone(tree).set_params(ccp_alpha=0.01).fit(X, y)
    plain = xl.prune(clone(tree).fit(X, y), 0.01, risk="mistakes")
    drift = [xl.compatibility(old, one, X, y).mse for one in (compatible, plain)]
    assert drift[0] < drift[1]


@pytest.mark.parametrize("score", ["objective", "loss"])
def test_alpha_by_cross_validation_is_that_of_a_search_by_hand(score):
    (X, y), (before, then) = data(), data(seed=1)
    old = xl.DecisionTreeClassifier(max_depth=3).fit(before, then)
    tree = xl.CompatibleTreeClassifier(old, strength=0.2, dissimilarity="mae")
    folds = list(KFold(3).split(X))
    found = xl.prune_compatible(tree, X, y, folds, score=score)
    for place in np.linspace(0, len(found.alphas) - 1, 5).astype(int):
        alpha = float(found.alphas[place])
        for fold, (train, test) in enumerate(folds):
            one = clone(tree).set_params(ccp_alpha=max(alpha, 1e-300)).fit(X[train], y[train])
            compared = one.compatibility(X[test], y[test], reference=X[train])
            wanted = compared.loss + (0.2 * compared.mae if score == "objective" else 0)
            assert found.fold_scores[place, fold] == pytest.approx(-wanted, abs=1e-9)
    assert found.best_alpha == found.alphas[np.argmax(found.scores >= found.scores.max() - 1e-12)]
    again = clone(tree).set_params(ccp_alpha=found.best_alpha).fit(X, y)
    assert found.estimator.rules() == again.rules()
    assert found.estimator.old is old


def test_numbers_are_pruned_too():
    (X, _), (before, _) = data(), data(seed=1)
    y, then = (rows[:, 0] + rows[:, 1] ** 2 for rows in (X, before))
    old = xl.DecisionTreeRegressor(max_depth=3).fit(before, then)
    tree = xl.CompatibleTreeRegressor(old, tolerance=0.5, strength=0.1)
    found = xl.prune_compatible(tree, X, y, 4, candidates="path")
    assert found.estimator.objective(X, y) == pytest.approx(
        tree.cost_complexity_pruning_path(X, y).impurities[found.alphas == found.best_alpha][0]
    )


def test_what_is_not_accepted():
    X, y = data(60)
    old = xl.DecisionTreeClassifier(max_depth=2).fit(X, y)
    tree = xl.CompatibleTreeClassifier(old)
    with pytest.raises(xl.InvalidInputError, match="risk is 'mistakes'"):
        xl.prune_compatible(tree, X, y, risk="mistakes")
    with pytest.raises(xl.InvalidInputError, match="risk is 'mistakes'"):
        tree.cost_complexity_pruning_path(X, y, risk="mistakes")
    with pytest.raises(xl.InvalidInputError, match="score is"):
        xl.prune_compatible(tree, X, y, score="auc")
    for other in (old, xl.CompatibleTreeClassifier()):
        with pytest.raises(xl.InvalidInputError, match="with an old tree is accepted"):
            xl.prune_compatible(other, X, y)
