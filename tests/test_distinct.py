"""Groups of equal functions among many models; the work spread by joblib, over Dask too."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import xylogic as xl
from function_cases import changed, same_function, transformed
from models import Draws, seeded_case
from oracle import Oracle, predicted
from xylogic.errors import BudgetExceeded, InvalidInputError


def by_tables(models):
    """The groups by comparing all answers in all cells of all models; for models of one order of columns."""
    groups: list[list[int]] = []
    for position, model in enumerate(models):
        for group in groups:
            if same_function(models[group[0]], model):
                group.append(position)
                break
        else:
            groups.append([position])
    return groups


@pytest.mark.parametrize("chunk", range(2))
def test_groups_of_trees(chunk):
    for seed in range(chunk * 80, chunk * 80 + 80):
        d = Draws(seed)
        case = seeded_case(seed, trees=(1, 1))
        if case.model.n_trees > 1:
            continue
        models = [case.model]
        for _ in range(4):
            models.append(changed(d, d.pick(models)))
        expected = by_tables(models)
        assert xl.distinct(models) == expected
        other = [transformed(d, case), case.model, *models[1:]]
        first = next(group for group in expected if 0 in group)
        shifted = sorted([[0, *(i + 1 for i in first)], *([i + 1 for i in g] for g in expected if 0 not in g)])
        assert xl.distinct(other) == shifted


def test_groups_of_ensembles():
    for seed in range(60):
        d = Draws(seed)
        case = seeded_case(seed, trees=(2, 4))
        models = [case.model, case.build(list(range(len(case.nodes)))[::-1])]
        first = models[0].trees[0]
        value = first.value + (d.pick([0.0, 0.5]) if first.n_outputs == 1 else np.eye(first.n_outputs)[0])
        models.append(replace(models[0], trees=(replace(first, value=value), *models[0].trees[1:])))
        answers = [predicted(m, Oracle(m).scores).tolist() for m in models]
        assert xl.distinct(models) == sorted(
            [i for i, a in enumerate(answers) if a == answer]
            for n, answer in enumerate(answers)
            if answer not in answers[:n]
        )


def test_models_of_other_columns_are_refused_by_name():
    a = xl.build_tree({"feature": "x", "cut": 1.0, "left": {"class": 0}, "right": {"class": 1}}, ["x"])
    b = xl.build_tree({"feature": "y", "cut": 1.0, "left": {"class": 0}, "right": {"class": 1}}, ["y"])
    with pytest.raises(InvalidInputError, match="'y' only in the second"):
        xl.distinct([a, a, b])


def test_numbers_and_whole_numbers_are_compared_on_the_whole_ones():
    def tree(kind, cut):
        nodes = {"feature": "n", "cut": cut, "left": {"class": 0}, "right": {"class": 1}}
        return xl.build_tree(nodes, [xl.Feature("n", kind)])

    assert xl.distinct([tree("integer", 2.2), tree("numeric", 2.7), tree("integer", 2.9)]) == [[0, 1, 2]]
    assert xl.distinct([tree("numeric", 2.2), tree("numeric", 2.7)]) == [[0], [1]]


def test_a_limit_is_a_clear_error():
    models = [xl.read_model(forest(seed)) for seed in (0, 0)]
    models[1] = replace(models[1], trees=models[1].trees[::-1])
    with pytest.raises(BudgetExceeded):
        xl.distinct(models, time_limit=0.0)


def forest(seed):
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(20, random_state=seed).fit(*load_breast_cancer(return_X_y=True))


def some_trees():
    model = next(m for m in (seeded_case(s, trees=(1, 1), voting="majority").model for s in range(50)) if m.n_nodes > 8)
    other = next(m for m in (changed(Draws(s), model) for s in range(50)) if not same_function(model, m))
    return [model, other, model, model, other]


def test_spread_over_processes():
    models = some_trees()
    assert xl.distinct(models, n_jobs=2) == xl.distinct(models)


def test_spread_over_a_dask_cluster():
    """``distinct``, ``compare_many`` and ``explain_many`` on two worker processes; fingerprints as map and group-by."""
    distributed = pytest.importorskip("distributed", reason="dask is not installed")
    bag = pytest.importorskip("dask.bag")
    import joblib

    models = some_trees()
    row = forest(0)
    X = np.random.default_rng(0).normal(size=(6, 30)) * 100
    explainer = xl.Explainer(row)
    expected = explainer.explain_many(X, what="prediction")
    groups = xl.distinct(models)
    pairs = [(models[0], models[0]), (models[0], models[-1])]
    verdicts = [c.equivalent for c in xl.compare_many(pairs)]
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert len(client.scheduler_info()["workers"]) == 2
        with joblib.parallel_config(backend="dask"):
            assert xl.distinct(models, n_jobs=2) == groups
            assert [c.equivalent for c in xl.compare_many(pairs, n_jobs=2)] == verdicts
            assert explainer.explain_many(X, what="prediction", n_jobs=2) == expected
        keys = bag.from_sequence(models, npartitions=2).map(xl.fingerprint)
        counts = dict(keys.frequencies().compute())
    assert sorted(counts.values()) == sorted(len(group) for group in groups)
    assert set(counts) == {xl.fingerprint(model) for model in models}


def test_fingerprints_survive_pickling():
    for model in some_trees():
        assert xl.fingerprint(pickle.loads(pickle.dumps(model))) == xl.fingerprint(model)
