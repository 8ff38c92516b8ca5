"""Real data, node by node: the splits are scikit-learn's, except where gains tie exactly.

Two trees are walked together over their common rows. Where they part the rows alike, the walk goes on below; where they
do not, both splits must gain the same, and the walk ends there: scikit-learn picks one of them at random.
XYLOGIC_DATA_DIR, a folder of NAME.csv.gz with a column ``target``, adds its data sets.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from xylogic import Feature
from xylogic.grow.columns import read_columns
from xylogic.grow.grower import Limits, grow
from xylogic.grow.target import class_target, number_target

SHIPPED = {
    "iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits,
    "diabetes": load_diabetes,
}  # fmt: skip
FOLDER = os.environ.get("XYLOGIC_DATA_DIR")
FOUND = sorted(path.name.removesuffix(".csv.gz") for path in Path(FOLDER).glob("*.csv.gz")) if FOLDER else []
MOST_ROWS = 10_000
TIE = 1e-9  # of the node's loss
CLOSE = 1e-7  # scikit-learn does not part values nearer than this
PURE = np.finfo(np.float64).eps  # nor nodes of less impurity


def read(name: str):
    """Columns in single precision, and classes or numbers."""
    if name in SHIPPED:
        X, y = SHIPPED[name](return_X_y=True)
        return X.astype(np.float32), y.astype(np.float64) if name == "diabetes" else y.astype(np.int32)
    import pandas as pd

    frame = pd.read_csv(Path(FOLDER) / f"{name}.csv.gz").sample(frac=1, random_state=0)[:MOST_ROWS]
    y = frame.pop("target")
    coded = frame.apply(lambda column: column if column.dtype.kind in "biuf" else column.astype("category").cat.codes)
    X = coded.to_numpy(np.float32)
    if y.dtype.kind == "f" or y.nunique() > 30:
        return X, y.to_numpy(np.float64)
    return X, np.unique(y, return_inverse=True)[1].astype(np.int32)


def with_gaps(X: np.ndarray) -> np.ndarray:
    X = X.copy()
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    return X


def losses(y: np.ndarray, w: np.ndarray, criterion: str) -> float:
    """Weight times impurity."""
    if criterion in ("gini", "entropy"):
        counts = np.bincount(y, weights=w)
        shares = counts[counts > 0] / counts.sum()
        impurity = (shares * (1 - shares)).sum() if criterion == "gini" else -(shares * np.log2(shares)).sum()
        return float(counts.sum() * impurity)
    if criterion == "absolute_error":
        return float((w * np.abs(y - np.median(np.repeat(y, w.astype(int))))).sum())
    mean = np.average(y, weights=w)
    if criterion == "poisson":
        some = y > 0
        return float((w[some] * y[some] * np.log(y[some] / mean)).sum()) if some.any() else np.inf
    return float((w * (y - mean) ** 2).sum())


def goes_left(column: np.ndarray, threshold: float, missing_left: bool) -> np.ndarray:
    return np.where(np.isnan(column), missing_left, column <= threshold)


def compare(X, y, criterion: str, weight=None, monotone=None, **limits) -> tuple[int, int]:
    """The numbers of nodes that are split alike, and of those where splits tie; fails where they differ.

    ``weight``: whole numbers.
    """
    w = np.ones(len(y)) if weight is None else weight
    options = {"criterion": criterion, "random_state": 0, "monotonic_cst": monotone, **limits}
    features = [Feature(f"x{j}") for j in range(X.shape[1])]
    if y.dtype.kind == "i":
        target = class_target(y, int(y.max()) + 1, weight, criterion)
        theirs = DecisionTreeClassifier(**options).fit(X, y, weight).tree_
    else:
        target = number_target(y, weight, criterion)
        theirs = DecisionTreeRegressor(**options).fit(X, y, weight).tree_
    grown = grow(read_columns(X, features), target, Limits(monotone=monotone, **limits))
    ours = grown.tree
    alike = tied = 0
    waiting = [(0, 0, np.arange(len(y)))]
    while waiting:
        here, there, rows = waiting.pop()
        loss = losses(y[rows], w[rows], criterion)
        assert grown.n_rows[here] == len(rows)
        assert grown.impurity[here] * w[rows].sum() == pytest.approx(loss, rel=1e-6, abs=1e-6 * abs(loss) + 1e-12)
        parts = [part(X[rows], ours, here), sklearn_part(X[rows], theirs, there)]
        if parts[0] is None or parts[1] is None:
            if (parts[0] is None) != (parts[1] is None):
                assert stopped_early(X[rows], y[rows], criterion, loss, parts), f"{here}, {there}: one is a leaf"
                tied += 1
            continue
        left, other = parts
        if np.array_equal(left, other) or np.array_equal(left, ~other):
            alike += 1
            sides = [rows[left], rows[~left]]
            for child, side in zip((ours.left[here], ours.right[here]), sides, strict=True):
                match = theirs.children_left if np.array_equal(side, rows[other]) else theirs.children_right
                waiting.append((int(child), int(match[there]), side))
            continue
        gains = [loss - sum(losses(y[rows[q]], w[rows[q]], criterion) for q in (p, ~p)) for p in parts]
        close = gains[0] > gains[1] and nearest(X[rows], ours, here, left) <= CLOSE
        assert abs(gains[0] - gains[1]) <= TIE * loss or close, f"{here}, {there}: {len(rows)} rows, gains {gains}"
        tied += 1
    return alike, tied


def part(X: np.ndarray, tree, node: int) -> np.ndarray | None:
    if tree.left[node] < 0:
        return None
    return goes_left(X[:, tree.feature[node]], tree.cut[node], tree.missing[node] == 1)


def sklearn_part(X: np.ndarray, tree, node: int) -> np.ndarray | None:
    if tree.children_left[node] < 0:
        return None
    column = X[:, tree.feature[node]].astype(np.float64)
    return goes_left(column, tree.threshold[node], bool(tree.missing_go_to_left[node]))


def nearest(X: np.ndarray, tree, node: int, left: np.ndarray) -> float:
    """How far the values beside a cut are apart."""
    column = X[:, tree.feature[node]]
    sides = column[left & ~np.isnan(column)], column[~left & ~np.isnan(column)]
    return float(min(sides[1]) - max(sides[0])) if all(map(len, sides)) else np.inf


def stopped_early(X, y, criterion, loss, parts) -> bool:
    """Whether one left a node alone that it takes for pure, or whose values it takes for equal."""
    if parts[1] is not None:
        return len(np.unique(y)) == 1  # rounding hid that from scikit-learn
    spread = np.nanmax(X, axis=0) - np.nanmin(X, axis=0) if len(X) else np.zeros(1)
    return loss <= PURE * len(y) or bool((spread <= CLOSE).all())


@pytest.mark.parametrize("name", [*SHIPPED, *FOUND])
@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "gaps"])
def test_splits_are_those_of_scikit_learn(name, gaps, record_property):
    X, y = read(name)
    X = with_gaps(X) if gaps else X
    criteria = ["gini", "entropy"] if y.dtype.kind == "i" else ["squared_error"]
    for criterion in criteria:
        alike, tied = compare(X, y, criterion)
        record_property("judged nodes like scikit-learn's", alike)
        record_property("judged nodes where gains tie", tied)
        assert alike


@pytest.mark.parametrize("criterion", ["absolute_error", "poisson", "squared_error"])
@pytest.mark.parametrize(
    "limits",
    [
        {"max_depth": 5}, {"min_samples_leaf": 5}, {"min_samples_split": 20}, {"max_leaf_nodes": 12},
        {"min_impurity_decrease": 0.01},
    ],
    ids=str,
)  # fmt: skip
def test_other_criteria_and_limits(criterion, limits):
    X, y = read("diabetes")
    assert compare(X, y, criterion, **limits)[0] > 5
    assert compare(with_gaps(X), y, criterion, **limits)[0] > 5


@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "gaps"])
@pytest.mark.parametrize(
    ("name", "criterion"),
    [("wine", "gini"), ("wine", "entropy"), ("breast cancer", "gini"), ("diabetes", "squared_error"),
     ("diabetes", "absolute_error"), ("diabetes", "poisson")],
)  # fmt: skip
def test_weights(name, criterion, gaps):
    X, y = read(name)
    X = with_gaps(X) if gaps else X
    weight = np.random.default_rng(1).integers(1, 5, len(y)).astype(float)
    assert compare(X, y, criterion, weight=weight)[0] >= 5


@pytest.mark.parametrize(
    ("name", "criterion"),
    [("breast cancer", "gini"), ("breast cancer", "entropy"), ("diabetes", "squared_error"), ("diabetes", "poisson")],
)
def test_monotone_trees(name, criterion):
    """With a sign on every feature: by others scikit-learn splits beyond the bounds, and cuts the values off there."""
    X, y = read(name)
    for seed in range(5):
        signs = np.random.default_rng(seed).choice([-1, 1], X.shape[1])
        assert compare(X, y, criterion, monotone=signs.tolist(), max_depth=6)[0] >= 5
