"""Forests: each new tree grown against an old tree, beside plain forests whose trees are matched afterwards."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import common
import numpy as np
import update_data

TREES, KIND = 30, "mse"
STRENGTHS = (0.005, 0.05, 0.5)
OPTIONS: dict[str, Any] = {"max_depth": 8, "min_samples_leaf": 2}


def measure(args: Any, notes: list[str]) -> list[common.Record]:
    """Means over trials of loss, BCP, and the dissimilarity of old and new trees that are matched."""
    notes.append(
        "plain and old forests look at random columns for each split (square root of their number for classes, a third "
        "for numbers); 'all columns': max_features=None, so that a tree can always use the columns of its old tree"
    )
    notes.append(
        f"{TREES} trees, depth at most {OPTIONS['max_depth']}, rows as for single trees; dissimilarities are "
        f"{KIND.upper()} over the tested rows that the old forest answers right, means over pairs of trees: of one "
        f"position, or (matched) of the assignment of old to new trees of least mean; up to {args.forest_trials} trials"
    )
    records = []
    for name in args.sets:
        found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for seed, split in enumerate(
            update_data.splits(args.data_dir, name, args.old, args.new, min(args.repeats, args.forest_trials))
        ):
            for side, numbers in _trial(split, seed, args.tolerance).items():
                for figure, value in numbers.items():
                    found[side][figure].append(value)
        for side, columns in found.items():
            means = {figure: float(np.nanmean(values)) for figure, values in columns.items()}
            records.append({"set": name, "side": side, **means})
        print(common.table([record for record in records if record["set"] == name]), "\n", flush=True)
    return records


def _trial(split: update_data.Split, seed: int, tolerance: float) -> dict[str, dict[str, float]]:
    import xylogic as xl

    kind = xl.RandomForestClassifier if split.by_class else xl.RandomForestRegressor
    features = "sqrt" if split.by_class else 1 / 3
    old = kind(TREES, random_state=seed, max_features=features, **OPTIONS).fit(*split.old)
    est = kind(TREES, random_state=seed + 1000, max_features=features, **OPTIONS)
    given = {} if split.by_class else {"tolerance": tolerance}
    whole = kind(**est.get_params()).set_params(max_features=None)
    sides = {"plain forest": kind(**est.get_params()).fit(split.X, split.y)}
    sides["plain, all columns"] = kind(**whole.get_params()).fit(split.X, split.y)
    for name, drawn in (("", features), (", all columns", None)):
        for strength in STRENGTHS:
            sides[f"updated{name}, strength {strength:g}"] = xl.update_forest(
                est, old, split.X, split.y, dissimilarity=KIND, strength=strength, max_features=drawn, **given
            )
    before = old.predict(split.X_test)
    right = _right(before, split, tolerance)
    return {side: _figures(old, forest, before, right, split, tolerance) for side, forest in sides.items()}


def _right(answers: Any, split: update_data.Split, tolerance: float) -> Any:
    return answers == split.y_test if split.by_class else np.abs(answers - split.y_test) <= tolerance


def _figures(old: Any, new: Any, before: Any, right: Any, split: update_data.Split, tolerance: float) -> Any:
    from scipy.optimize import linear_sum_assignment

    after = new.predict(split.X_test)
    loss = _loss(after, split)
    gaps = _gaps(old, new, split, right)
    return {
        "loss": loss,
        "old loss": _loss(before, split),
        "bcp": float(_right(after, split, tolerance)[right].mean()),
        f"{KIND} by position": float(np.diag(gaps).mean()),
        f"{KIND} matched": float(gaps[linear_sum_assignment(gaps)].mean()),
    }


def _loss(answers: Any, split: update_data.Split) -> float:
    if split.by_class:
        return float(np.mean(answers != split.y_test))
    return float(np.sqrt(np.mean((answers - split.y_test) ** 2)))


def _gaps(old: Any, new: Any, split: update_data.Split, right: Any) -> Any:
    """The mean dissimilarity of every old and every new tree: float64 (n_old, n_new)."""
    import xylogic as xl
    from xylogic.update.bounds import bounds_of
    from xylogic.update.dissimilarity import dissimilarities
    from xylogic.update.forests import single_trees
    from xylogic.update.reference import Reference

    reference = Reference.of(split.X)
    rows = split.X_test[right][:200]  # enough to tell trees apart
    held = [[bounds_of(tree, rows) for tree in single_trees(xl.read_model(forest))] for forest in (old, new)]
    return np.array([[dissimilarities(KIND, a, b, reference).mean() for b in held[1]] for a in held[0]])
