"""Small random updates of trees, as the estimators and as the oracle take them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import xylogic as xl
from update_oracle import KINDS, Update, plain

CRITERIA = ["gini", "entropy", "misclassification", "squared_error"]


@dataclass
class Case:
    """An estimator that is fitted, and the same update for the oracle."""

    tree: Any
    update: Update
    X: np.ndarray
    y: np.ndarray
    kind: str
    criterion: str
    min_samples_leaf: int
    relied: np.ndarray | None
    weight: np.ndarray | None


def columns(rng: np.random.Generator, n: int, m: int, whole: bool, single: bool) -> np.ndarray:
    """Few values with many ties, or many; now and then a constant column or one twice."""
    X = rng.integers(0, 5, (n, m)).astype(float) if whole else np.round(rng.normal(size=(n, m)), 3)
    if m > 1 and rng.random() < 0.2:
        X[:, m - 1] = X[:, 0] if rng.random() < 0.5 else 1.0
    return X.astype(np.float32) if single else X


def draw_case(seed: int, *, n: int | None = None, m: int | None = None, **options: Any) -> Case:
    rng = np.random.default_rng(seed)
    n, m = n or int(rng.integers(3, 14)), m or int(rng.integers(1, 4))
    criterion = CRITERIA[seed % 4]
    kind, jlu = KINDS[(seed // 4) % len(KINDS)]
    whole, single = bool(rng.random() < 0.6), bool(rng.random() < 0.2)
    X, before = columns(rng, n, m, whole, single), columns(rng, 12, m, whole, single)
    strength = float(rng.choice([0.005, 0.1, 1, 20]))
    leaf = int(rng.integers(1, 3))
    relied = rng.integers(0, 3, n).astype(float) if rng.random() < 0.3 else None
    weight = rng.integers(1, 4, n).astype(float) if rng.random() < 0.2 else None
    shared = {"dissimilarity": kind, "jlu": jlu, "strength": strength, "criterion": criterion}
    if criterion == "squared_error":
        y, then = rng.integers(0, 4, n).astype(float), rng.integers(0, 4, 12).astype(float)
        old: Any = xl.DecisionTreeRegressor(max_depth=3).fit(before, then)
        tree: Any = xl.CompatibleTreeRegressor(old, tolerance=1.0, min_samples_leaf=leaf, **shared, **options)
    else:
        n_classes = int(rng.integers(2, 4))
        y, then = rng.integers(0, n_classes, n), rng.integers(0, n_classes, 12)
        y[:n_classes] = then[:n_classes] = range(n_classes)
        old = xl.DecisionTreeClassifier(max_depth=3).fit(before, then)
        tree = xl.CompatibleTreeClassifier(old, min_samples_leaf=leaf, **shared, **options)
    tree.fit(X, y, sample_weight=weight, relied=relied)
    update = Update(plain(old.to_model()), X, y.tolist(), tolerance=1.0, **oracle_names(shared))
    if relied is not None:
        update.relied = [type(update.strength)(w) for w in relied]
    if weight is not None:
        update.loss_weight = [type(update.strength)(w) for w in weight]
        update.relied = [r * w for r, w in zip(update.relied, update.loss_weight, strict=True)]
        update.statistics = type(update.statistics).of(np.repeat(X, weight.astype(int), axis=0).tolist())
    return Case(tree, update, X, y, kind, criterion, leaf, relied, weight)


def oracle_names(options: dict[str, Any]) -> dict[str, Any]:
    names = {"dissimilarity": "kind"}
    return {names.get(name, name): value for name, value in options.items()}
