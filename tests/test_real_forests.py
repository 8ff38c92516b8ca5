"""Forests on real data: what is said of them is checked by the source's own predictions, 10,000 at a time."""

from __future__ import annotations

import itertools
import time
from functools import cache

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier

import xylogic as xl
from xylogic.errors import BudgetExceeded

N_COMPLETIONS = 10_000
N_REASONS = 50
SECONDS_PER_ROW = 1.5  # enough of the streamed reasons have been checked by then
TIME_LIMIT = 1.0  # seconds a question
LOADERS = {"breast cancer": load_breast_cancer, "wine": load_wine, "iris": load_iris, "digits": load_digits}


@cache
def data(name: str):
    return (load_diabetes if name == "diabetes" else LOADERS[name])(return_X_y=True)


@cache
def forest(name: str, depth: int | None, n_trees: int):
    X, y = data(name)
    kind = RandomForestRegressor if name == "diabetes" else RandomForestClassifier
    return kind(n_trees, max_depth=depth, random_state=0, n_jobs=1).fit(X, y)


def source_predict(source, hard: bool):
    """The source's own answer: ``predict``, or a count of what each of its trees predicts."""
    if not hard:
        return source.predict

    def count(X):
        votes = np.stack([tree.predict(X).astype(int) for tree in source.estimators_])
        counts = np.stack([(votes == label).sum(axis=0) for label in range(len(source.classes_))], axis=1)
        return source.classes_[counts.argmax(axis=1)]

    return count


def thresholds(source) -> dict[int, np.ndarray]:
    """Every cut of every feature, and the single precision numbers right beside it."""
    found: dict[int, list] = {}
    for tree in getattr(source, "estimators_", [source]):
        for feature, threshold in zip(tree.tree_.feature, tree.tree_.threshold, strict=True):
            if feature >= 0 and np.isfinite(threshold):
                found.setdefault(int(feature), []).append(threshold)
    beside = {}
    for feature, cuts in found.items():
        single = np.array(cuts, dtype=np.float32)
        near = [np.nextafter(single, np.float32(-np.inf)), single, np.nextafter(single, np.float32(np.inf))]
        beside[feature] = np.unique(np.concatenate([cuts, *near]).astype(np.float64))
    return beside


class Completions:
    """Random rows, each value from the data or from on or beside a cut; then some features are fixed."""

    def __init__(self, source, X: np.ndarray, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.rows = np.empty((N_COMPLETIONS, X.shape[1]))
        cuts = thresholds(source)
        for i in range(X.shape[1]):
            drawn = rng.choice(X[:, i], N_COMPLETIONS)
            if i in cuts:
                drawn = np.where(rng.uniform(size=N_COMPLETIONS) < 0.5, rng.choice(cuts[i], N_COMPLETIONS), drawn)
            self.rows[:, i] = drawn

    def fixed(self, row: np.ndarray, reason) -> np.ndarray:
        """The rows with the reason's features as in ``row``, or anywhere within the same cells."""
        made = self.rows.copy()
        for name in reason.features:
            position = int(name[1:])
            values = np.unique(made[:, position])
            keep = np.isin(made[:, position], [value for value in values if value in reason[name]])
            made[~keep, position] = row[position]
        return made


def as_row(found: dict) -> list:
    return list(found.values())


def changed_rows(e, row, n: int) -> list[list]:
    """Shortest flips and the nearest counterfactual, as far as they were found within the limits."""
    found = e.shortest_flips(limit=n).rows(n)
    if found:
        robustness = e.robustness()
        changed = np.array([as_row(one) for one in found])
        untouched = (changed == row) | (np.isnan(changed) & np.isnan(row))
        assert ((~untouched).sum(axis=1) == robustness).all()
    try:
        nearest = e.counterfactual()
    except BudgetExceeded:
        nearest = None
    return [as_row(one) for one in [*found, nearest] if one is not None]


def check_row(e, predict, row, completions) -> int:
    """Reasons against completions, flips and counterfactuals against the source; returns the number of reasons."""
    checked = 0
    for reason in some(e.iter_sufficient_reasons()):
        assert (predict(completions.fixed(row, reason)) == e.prediction).all(), reason
        checked += 1
    changed = changed_rows(e, row, 200)
    if changed:
        assert (predict(np.array(changed)) != e.prediction).all()
    return checked


def some(reasons):
    """Up to N_REASONS of a stream, until its limit or enough seconds have passed."""
    started = time.perf_counter()
    try:
        for reason in itertools.islice(reasons, N_REASONS):
            yield reason
            if time.perf_counter() - started > SECONDS_PER_ROW:
                return
    except BudgetExceeded:
        return


SETTINGS = [
    ("breast cancer", 4, 50),
    ("breast cancer", None, 20),
    ("wine", 4, 50),
    ("wine", None, 30),
    ("iris", 4, 50),
    ("iris", None, 50),
    ("digits", 4, 15),
    ("digits", None, 7),
]


@pytest.mark.parametrize("hard", [False, True], ids=["soft", "hard"])
@pytest.mark.parametrize(("name", "depth", "n_trees"), SETTINGS)
def test_reasons_and_flips_hold_for_the_source(name, depth, n_trees, hard, record_property):
    X, _ = data(name)
    source = forest(name, depth, n_trees)
    model = xl.read_model(source)
    model = model.with_voting("majority") if hard else model
    predict = source_predict(source, hard)
    assert (model.predict(X) == predict(X)).all()
    explainer = xl.Explainer(model, time_limit=TIME_LIMIT)
    completions = Completions(source, X, seed=1)
    checked = 0
    for row in X[[7, len(X) // 2]]:
        e = explainer.explain(row)
        assert e.prediction == predict([row])[0]
        checked += check_row(e, predict, row, completions)
    assert checked
    record_property("judged sufficient reasons: each by 10000 completions through the source", checked)


@pytest.mark.parametrize("hard", [False, True], ids=["soft", "hard"])
@pytest.mark.parametrize("name", ["wine", "iris"])
def test_contrastive_reasons_are_reached_in_the_source(name, hard):
    X, _ = data(name)
    source = forest(name, 4, 50)
    model = xl.read_model(source)
    model = model.with_voting("majority") if hard else model
    predict = source_predict(source, hard)
    explainer = xl.Explainer(model)
    for row in X[::37]:
        e = explainer.explain(row)
        for target, reasons in e.contrastive().items():
            for reason in list(reasons)[:8]:
                kept = {f"x{i}": float(value) for i, value in enumerate(row) if f"x{i}" not in reason.features}
                witness = explainer.possible_classes(kept)[target]
                assert predict([as_row(witness)])[0] == target
                assert all(witness[name] != row[int(name[1:])] for name in reason.features)
            nearest = e.counterfactual(target)
            assert (nearest is None) == (len(reasons) == 0)
            if nearest is not None:
                assert predict([as_row(nearest)])[0] == target


def minimal_hitting_sets(sets) -> set[frozenset[str]]:
    """One set after the other; what another one lies within is dropped."""
    found = {frozenset()}
    for one in sets:
        kept = {hitting for hitting in found if hitting & one}
        grown = {hitting | {name} for hitting in found - kept for name in one}
        found = kept | {new for new in grown if not any(old <= new for old in kept)}
    return found


@pytest.mark.parametrize("hard", [False, True], ids=["soft", "hard"])
@pytest.mark.parametrize(("name", "depth", "n_trees"), [("wine", 4, 20), ("wine", None, 8), ("iris", None, 50)])
def test_all_reasons_are_each_others_minimal_hitting_sets(name, depth, n_trees, hard):
    """Neither a reason too many nor one too few: the two complete sets are dual to each other."""
    model = xl.read_model(forest(name, depth, n_trees))
    explainer = xl.Explainer(model.with_voting("majority") if hard else model)
    for row in data(name)[0][::50]:
        e = explainer.explain(row)
        answers = (e.sufficient_reasons(), e.necessary_reasons())
        assert answers[0].status == answers[1].status == "exact"
        sufficient, necessary = ([frozenset(reason.features) for reason in reasons] for reasons in answers)
        assert set(sufficient) == minimal_hitting_sets(necessary)
        assert set(necessary) == minimal_hitting_sets(sufficient)
        assert e.robustness() == min(map(len, necessary))
        assert e.sufficient_reason(minimum=True).size == min(map(len, sufficient))
        assert set(e.relevant_features()) == frozenset().union(*sufficient)
        assert set(e.necessary_features()) == frozenset.intersection(*sufficient)
        assert sorted(map(str, e.iter_sufficient_reasons())) == sorted(map(str, answers[0]))


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, ExtraTreesClassifier])
def test_other_tree_models(kind):
    X, y = data("wine")
    source = kind(max_depth=5, random_state=0, **({} if kind is DecisionTreeClassifier else {"n_estimators": 10})).fit(
        X, y
    )
    completions = Completions(source, X, seed=2)
    explainer = xl.Explainer(source)
    assert sum(check_row(explainer.explain(row), source.predict, row, completions) for row in X[::60])


def test_a_pipeline_is_explained_in_the_original_columns():
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler

    X, y = data("wine")
    for scaler in (StandardScaler(), MinMaxScaler(), RobustScaler()):
        source = make_pipeline(scaler, RandomForestClassifier(10, max_depth=4, random_state=0)).fit(X, y)
        completions = Completions(DecisionTreeClassifier(random_state=0).fit(X, y), X, seed=6)
        explainer = xl.Explainer(source, time_limit=TIME_LIMIT)
        assert sum(check_row(explainer.explain(row), source.predict, row, completions) for row in X[::90])


def test_nearest_counterfactuals_cannot_be_beaten_by_sampling():
    X, _ = data("iris")
    source = forest("iris", 4, 50)
    model = xl.read_model(source)
    cuts = thresholds(source)
    scale = {i: max(f.cuts) - min(f.cuts) for i, f in enumerate(model.features)}
    rng = np.random.default_rng(0)
    for row in X[::30]:
        e = xl.Explainer(model).explain(row)
        nearest = np.array(as_row(e.counterfactual()))
        best = sum(abs(nearest[i] - row[i]) / scale[i] for i in range(4))
        trial = np.tile(row, (N_COMPLETIONS, 1))
        for i in range(4):
            trial[:, i] = np.where(rng.uniform(size=N_COMPLETIONS) < 0.6, row[i], rng.choice(cuts[i], N_COMPLETIONS))
        flipped = trial[source.predict(trial) != e.prediction]
        assert len(flipped)
        cost = sum(np.abs(flipped[:, i] - row[i]) / scale[i] for i in range(4))
        assert best <= cost.min() + 1e-6


@pytest.mark.parametrize("kind", [RandomForestRegressor, ExtraTreesRegressor])
def test_a_regressor_stays_in_its_band(kind):
    X, y = data("diabetes")
    source = kind(10, max_depth=4, random_state=0).fit(X, y)
    completions = Completions(source, X, seed=3)
    for row in X[[3, 200, 401]]:
        prediction = source.predict([row])[0]
        low, high = prediction - 40.0, prediction + 25.0
        e = xl.Explainer(source, band=(low, high), time_limit=TIME_LIMIT).explain(row)
        assert e.prediction == prediction
        for reason in some(e.iter_sufficient_reasons()):
            answers = source.predict(completions.fixed(row, reason))
            assert (low <= answers).all() and (answers <= high).all()
        answers = source.predict(np.array(changed_rows(e, row, 50)))
        assert ((answers < low) | (answers > high)).all()


def test_missing_values_are_routed_as_in_the_source():
    rng = np.random.default_rng(0)
    X, y = data("wine")
    X = X.copy()
    X[rng.uniform(size=X.shape) < 0.15] = np.nan
    source = RandomForestClassifier(20, max_depth=4, random_state=0).fit(X, y)
    model = xl.read_model(source)
    assert (model.predict(X) == source.predict(X)).all()
    names = [f"x{i}" for i in range(X.shape[1])]
    explainer = xl.Explainer(model, missing=names, time_limit=TIME_LIMIT)
    completions = Completions(source, X, seed=4)
    assert np.isnan(completions.rows).any()
    for row in X[[0, 70, 150]]:
        e = explainer.explain(row)
        for reason in some(e.iter_sufficient_reasons()):
            made = completions.rows.copy()
            for name in reason.features:
                made[:, names.index(name)] = row[names.index(name)]
            assert (source.predict(made) == e.prediction).all()
        assert (source.predict(np.array(changed_rows(e, row, 100))) != e.prediction).all()


def test_smallest_reason_is_sufficient_and_no_larger_than_any_streamed_one():
    X, _ = data("wine")
    source = forest("wine", 4, 50)
    explainer = xl.Explainer(source, time_limit=TIME_LIMIT)
    completions = Completions(source, X, seed=5)
    for row in X[::60]:
        e = explainer.explain(row)
        try:
            smallest = e.sufficient_reason(minimum=True)
        except BudgetExceeded:
            continue
        assert (source.predict(completions.fixed(row, smallest)) == e.prediction).all()
        assert all(smallest.size <= reason.size for reason in some(e.iter_sufficient_reasons()))
        assert explainer.is_sufficient({name: row[int(name[1:])] for name in smallest.features}) == e.prediction
