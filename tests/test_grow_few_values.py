"""Columns of few values are summed up by value, all others sorted: the trees are the same."""

import numpy as np
import pytest

import xylogic as xl
from xylogic.grow import columns as columns_module
from xylogic.grow.columns import BINNED, RANKED, SORTED, read_columns
from xylogic.grow.grower import Limits, grow
from xylogic.grow.target import class_target, number_target

CRITERIA = ["gini", "entropy", "misclassification", "squared_error", "absolute_error", "poisson"]
PARTS = ("feature", "cut", "left", "right", "missing")


def sample(criterion: str, seed: int):
    """Columns of 2, 12 and 60 levels, in which values may be missing, of rows that may have weights."""
    rng = np.random.default_rng(seed)
    n = 700
    table = np.column_stack([rng.integers(0, k, n) for k in (60, 2, 12, 3)]).astype(np.float32)
    signal = table[:, 0] / 30 + table[:, 2] % 3 + rng.normal(size=n)
    if seed % 2:
        table[rng.random(table.shape) < 0.03] = np.nan
    weight = rng.integers(1, 5, n).astype(float) if seed % 4 > 1 else None
    if criterion in CRITERIA[:3]:
        target = class_target(np.digitize(signal, [0, 1, 2, 3]).astype(np.int32), 5, weight, criterion)
    else:
        target = number_target(np.abs(signal), weight, criterion)
    return table, [xl.Feature(f"x{j}") for j in range(4)], target


def answers(grown) -> list:
    return [getattr(grown.tree, part).tolist() for part in PARTS] + [grown.n_rows.tolist(), grown.value.tolist()]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("criterion", CRITERIA)
def test_sums_by_value_and_sorted_rows_find_the_same_splits(criterion, seed, monkeypatch):
    table, features, target = sample(criterion, seed)
    limits = Limits(max_depth=6, min_samples_leaf=1 + 2 * (seed % 3))
    few = read_columns(table, features)
    monkeypatch.setattr(columns_module, "FEW_VALUES", 1)
    ordered = read_columns(table, features)
    assert set(few.kind) == {BINNED}
    assert set(ordered.kind) == {SORTED}
    assert answers(grow(few, target, limits)) == answers(grow(ordered, target, limits))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_ranked_columns_of_many_equal_values(criterion, seed, monkeypatch):
    """Where few features are looked at, nodes sort their rows or sum them up by value."""
    table, features, target = sample(criterion, seed)
    table, features = np.tile(table, 2), [xl.Feature(f"x{j}") for j in range(8)]
    limits = Limits(max_features=1, max_depth=8)
    few = read_columns(table, features, max_features=1)
    monkeypatch.setattr(columns_module, "FEW_VALUES", 1)
    ranked = read_columns(table, features, max_features=1)
    assert set(ranked.kind) == {RANKED}
    assert answers(grow(few, target, limits, seed=seed)) == answers(grow(ranked, target, limits, seed=seed))
