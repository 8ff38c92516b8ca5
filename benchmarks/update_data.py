"""What the benchmarks of updates grow on: old rows, new rows, and rows to test on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import accuracy
import numpy as np
import pandas as pd
from numpy.typing import NDArray

CLASSES = ("spambase", "ann-thyroid", "hypothyroid", "german", "magic", "phoneme", "segment")
NUMBERS = ("abalone", "ailerons", "puma32h", "california-housing", "cpu-act", "kin8nm")
MOST_TESTED = 2_000
RAREST = 20  # rows of a class; the rarer ones are left out, as a tree of the old rows has to know every class
GROWTH: dict[str, Any] = {"max_depth": 8, "min_samples_leaf": 5}  # the text names no limits


@dataclass(frozen=True)
class Split:
    """One trial: ``old`` rows, new ones (``X``, ``y``), and others. A regression target is in deviations."""

    old: tuple[NDArray[np.float64], NDArray[Any]]
    X: NDArray[np.float64]
    y: NDArray[Any]
    X_test: NDArray[np.float64]
    y_test: NDArray[Any]
    names: tuple[str, ...]

    @property
    def by_class(self) -> bool:
        return self.y.dtype.kind in "iu"


def read_numbers(folder: Path, name: str) -> tuple[NDArray[np.float64], NDArray[Any], tuple[str, ...]]:
    """A data set as numbers: texts as their rank among the sorted texts, missing numbers as the column's median."""
    frame, y = accuracy.read(folder, name)
    frame = frame.dropna(axis=1, how="all")
    table = pd.DataFrame(accuracy.coded(frame), columns=frame.columns)
    X = table.fillna(table.median()).to_numpy(np.float64)
    if y.dtype.kind in "iu":
        common = np.isin(y, np.flatnonzero(np.bincount(y) >= RAREST))
        X, y = X[common], y[common]
    return X, y, tuple(frame.columns)


def splits(folder: Path, name: str, n_old: int, n_new: int, repeats: int, *, nested: bool = True) -> Iterator[Split]:
    """Random trials. ``nested``: the new rows hold the old ones; else no row is both.

    Of a set that is too small for some rows to be left, 60 % are taken, in the same proportion. Rows of classes are
    drawn so that each part has its share of every class.
    """
    from sklearn.model_selection import train_test_split

    X, y, names = read_numbers(folder, name)
    n_taken = n_new if nested else n_old + n_new
    if len(X) < 5 * n_taken // 4:
        n_old = int(0.6 * len(X) * n_old / n_taken)
        n_taken = int(0.6 * len(X))
    by_class = y.dtype.kind in "iu"
    for seed in range(repeats):
        layers = y if by_class else None
        new, rest = train_test_split(np.arange(len(X)), train_size=n_taken, random_state=seed, stratify=layers)
        old, added = train_test_split(new, train_size=n_old, random_state=seed, stratify=y[new] if by_class else None)
        rows, test = np.concatenate([old, added]) if nested else added, rest[:MOST_TESTED]
        scaled = y if by_class else (y - y[old].mean()) / y[old].std()
        yield Split((X[old], scaled[old]), X[rows], scaled[rows], X[test], scaled[test], names)


def plain(by_class: bool, **options: Any) -> Any:
    """Our CART, which takes no split that gains nothing: the compatible tree of strength 0."""
    import xylogic as xl

    kind = xl.DecisionTreeClassifier if by_class else xl.DecisionTreeRegressor
    return kind(zero_gain="refuse", **{**GROWTH, **options})


def compatible(by_class: bool, old: Any, kind: str, strength: float, tolerance: float, **options: Any) -> Any:
    import xylogic as xl

    given: dict[str, Any] = {"dissimilarity": kind, "strength": strength, **GROWTH, **options}
    if by_class:
        return xl.CompatibleTreeClassifier(old, **given)
    return xl.CompatibleTreeRegressor(old, tolerance=tolerance, **given)


def grown(tree: Any, X: Any, y: Any, folds: int) -> Any:
    """The tree of the rows, pruned by cross-validation (under the objective it was grown for) if there are folds."""
    from xylogic.grow.prune import prune_cv
    from xylogic.update.pruning import prune_compatible

    if not folds:
        return tree.fit(X, y)
    prune = prune_compatible if hasattr(tree, "old") else prune_cv
    return prune(tree, X, y, cv=folds).estimator


def figures(old: Any, new: Any, split: Split, tolerance: float) -> dict[str, float]:
    """Loss (error rate or root of the mean squared error), BCP and dissimilarities, on the rows to test on."""
    import xylogic as xl

    found = xl.compatibility(
        old, new, split.X_test, split.y_test, tolerance=0.0 if split.by_class else tolerance, reference=split.X
    )
    power = 1.0 if split.by_class else 0.5
    named = {"bcp": found.bcp, "jac": found.jac, "jlu": found.jlu, "mae": found.mae, "mse": found.mse}
    numbers = {name: float("nan") if value is None else value for name, value in named.items()}
    return {"loss": found.loss**power, "old loss": found.old_loss**power, **numbers}
