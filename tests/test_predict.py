"""model/predict.py and predict_kernel.py: reference, compiled kernel and uncompiled kernel agree bit for bit."""

import importlib.util
import time
from pathlib import Path

import numpy as np
import pytest

from models import seeded_case
from xylogic import Feature, build_ensemble, build_tree
from xylogic.domain.table import Table, read_row
from xylogic.model import predict, predict_kernel
from xylogic.model.build import make_ensemble, make_tree
from xylogic.model.flat import flatten


def uncompiled():
    """The kernel's source, run as plain Python."""
    path = Path(predict_kernel.__file__).with_name("predict_kernel.py")
    spec = importlib.util.spec_from_file_location("predict_kernel_as_python", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def random_tree(rng, features, n_inner, n_outputs):
    n_nodes = 2 * n_inner + 1
    left, right = np.full(n_nodes, -1), np.full(n_nodes, -1)
    leaves, sets = [0], {}
    feature = rng.integers(len(features), size=n_nodes)
    for step in range(n_inner):
        node = leaves.pop(rng.integers(len(leaves)))
        left[node], right[node] = 2 * step + 1, 2 * step + 2
        leaves += [2 * step + 1, 2 * step + 2]
        categories = len(features[feature[node]].categories)
        if categories:
            sets[node] = rng.permutation(categories)[: rng.integers(1, categories)].tolist()
    return make_tree(
        feature, rng.choice([-1, -0.1, 0.1, 0.3, 1 / 3, np.inf], size=n_nodes), left, right,
        rng.choice([0.0, 0.1, 0.2, 0.3, 1 / 3, -0.7], size=(n_nodes, n_outputs)),
        missing=rng.integers(1, 3, size=n_nodes), cast="float32", n_features=len(features), sets=sets,
        n_codes=[len(f.categories) for f in features],
    )  # fmt: skip


def random_model(seed):
    rng = np.random.default_rng(seed)
    features = [Feature("a"), Feature("c", "categorical", tuple(range(7))), Feature("b")]
    voting = ("average", "majority", "sum")[seed % 3]
    trees = [random_tree(rng, features, int(rng.integers(0, 12)), 3) for _ in range(int(rng.integers(1, 9)))]
    base = [0.1, -0.2, 1 / 3] if voting == "sum" else None
    model = make_ensemble(trees, features, "xyz", voting=voting, cast="float32", base=base, accepts_missing=True)
    rows = np.stack(
        [rng.choice([-1, -0.1, 0.1, 0.3, 0.34, 5, np.nan], 30), rng.choice([0, 1, 2, 3, 4, 5, 6, np.nan], 30),
         rng.choice([-2, 0.1, np.nan], 30)], axis=1,
    )  # fmt: skip
    return model, model.admit(Table(model.feature_names, rows))


@pytest.mark.parametrize("seed", range(60))
def test_kernel_compiled_and_uncompiled_against_the_reference(seed):
    model, values = random_model(seed)
    leaves, scores = predict.reference_apply(model, values), predict.reference_scores(model, values)
    assert np.array_equal(predict.apply(model, values), leaves)
    assert predict.scores(model, values).tobytes() == scores.tobytes()
    if seed < 15:
        kernel = uncompiled()
        plain_leaves, plain_scores = np.empty_like(leaves), np.tile(np.array(model.base), (len(values), 1))
        kernel.apply(values, *model.flat.routing, plain_leaves)
        answer = model.votes if model.voting == "majority" else model.flat.value
        kernel.add_scores(values, *model.flat.routing, answer, plain_scores)
        if model.voting == "average":
            plain_scores /= model.n_trees
        assert np.array_equal(plain_leaves, leaves)
        assert plain_scores.tobytes() == scores.tobytes()


@pytest.mark.parametrize("seed", range(100))
def test_handmade_models_against_the_reference(seed):
    """Ties, cuts side by side, categories, missing values, every vote and link."""
    case = seeded_case(seed)
    values = case.model.admit(read_row(case.row, case.model.features, named=True))
    assert np.array_equal(predict.apply(case.model, values), predict.reference_apply(case.model, values))
    assert predict.scores(case.model, values).tobytes() == predict.reference_scores(case.model, values).tobytes()


def test_the_kernel_is_compiled_here():
    assert not predict_kernel.__file__.endswith(".py")
    assert uncompiled().__file__.endswith(".py")


def test_sums_run_in_tree_order():
    leaves = [0.1, 0.2, 0.3, 1e16, -1e16, 1.0]
    parts = [build_tree({"value": v}, ["x"]) for v in leaves]
    for order in (list(range(6)), [3, 0, 4, 1, 5, 2]):
        expected = 0.0
        for position in order:
            expected += leaves[position]
        model = build_ensemble([parts[i] for i in order], voting="sum")
        assert model.predict([[0]]).tolist() == [expected]
        assert build_ensemble([parts[i] for i in order]).predict([[0]]).tolist() == [expected / 6]


def test_flat_joins_trees_and_their_sets():
    model, _ = random_model(4)
    flat = flatten(model.trees)
    for tree, root in zip(model.trees, flat.roots.tolist(), strict=True):
        for node in range(tree.n_nodes):
            codes = flat.set_items[flat.set_ptr[root + node] : flat.set_ptr[root + node + 1]]
            assert codes.tolist() == tree.left_codes(node).tolist()
            assert flat.left[root + node] == (tree.left[node] + root if tree.left[node] >= 0 else -1)


def test_a_thousand_trees_and_many_rows_in_good_time():
    rng = np.random.default_rng(0)
    features = [Feature(f"x{i}") for i in range(8)]
    trees = [random_tree(rng, features, 100, 2) for _ in range(20)] * 50
    model = make_ensemble(trees, features, [0, 1], voting="average", cast="float32", accepts_missing=True)
    X = rng.normal(size=(5000, 8))
    start = time.perf_counter()
    model.predict(X)
    assert time.perf_counter() - start < 10
    assert np.array_equal(
        predict.scores(model, model.encode(X[:3])), predict.reference_scores(model, model.encode(X[:3]))
    )
