"""Rashomon sets for the benchmarks: 0/1 columns of real tables, treefarms and PRAXIS without their printing."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import xylogic as xl
from xylogic.model.build import make_ensemble, make_tree

TIC_TAC_TOE = {"rashomon_bound_adder": 0.02, "depth_budget": 5}
SMALLER = {"rashomon_bound_adder": 0.05, "depth_budget": 4}


@contextmanager
def silent() -> Iterator[None]:
    """Nothing on stdout, not even from C++."""
    sys.stdout.flush()
    kept, nothing = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nothing)


def zero_one_table(folder: Path, name: str, most: int = 16) -> tuple[Any, Any]:
    """At most ``most`` columns of 0 and 1 and a two-class target: numbers are cut at their quartiles, texts become one
    column a level; the columns that tell the classes apart best are kept, in table order."""
    import pandas as pd

    frame = pd.read_csv(Path(folder) / f"{name}.csv.gz")
    target = frame.pop("target")
    labels = (target != sorted(target.unique(), key=str)[0]).astype(int)
    columns: dict[str, Any] = {}
    for column in frame:
        values = frame[column]
        if values.nunique() == 2:
            columns[f"{column}"] = (values == sorted(values.unique(), key=str)[1]).astype(int)
        elif values.dtype.kind in "if":
            for cut in sorted(set(values.quantile([0.25, 0.5, 0.75]))):
                columns[f"{column} <= {cut:g}"] = (values <= cut).astype(int)
        else:
            for level in sorted(values.dropna().unique()):
                columns[f"{column} = {level}"] = (values == level).astype(int)
    table = pd.DataFrame({n: c for n, c in columns.items() if 0 < c.mean() < 1})
    apart = (table[labels == 1].mean() - table[labels == 0].mean()).abs()
    kept = set(apart.sort_values(ascending=False, kind="stable").index[:most])
    return table[[n for n in table if n in kept]], labels


def fit_treefarms(X: Any, y: Any, regularization: float = 0.01, **options: Any) -> tuple[Any, float]:
    """A fitted TREEFARMS and how many seconds that took."""
    import treefarms

    settings = {"regularization": regularization, "rashomon_bound_multiplier": 0, "worker_limit": 1, "verbose": False}
    model = treefarms.TREEFARMS({**settings, "rashomon_ignore_trivial_extensions": True, **options})
    start = perf_counter()
    with silent():
        model.fit(X, y)
    return model, perf_counter() - start


def fit_praxis(X: Any, y: Any, **options: Any) -> tuple[Any, float]:
    """A fitted PRAXIS and how many seconds that took."""
    import praxis

    model = praxis.PRAXIS()
    start = perf_counter()
    with silent():
        model.fit(X.to_numpy(), y.to_numpy(), **options)
    return model, perf_counter() - start


def expanded(model: Any, places: list[int] | None = None) -> list[xl.Ensemble]:
    """The trees of a fitted TREEFARMS at some places (default: all), as models."""
    names = [str(name) for name in model.dataset.columns[:-1]]
    features = [xl.Feature(name, "boolean") for name in names]
    count = model.get_tree_count()
    return [_as_model(model.model_set.get_tree_at_idx_raw(i), features) for i in (places or range(count))]


def sample(model: Any, n: int) -> list[xl.Ensemble]:
    """``n`` different trees of the set, drawn by a fixed seed."""
    return expanded(model, sorted(random.Random(0).sample(range(model.get_tree_count()), n)))


def _as_model(root: dict[str, Any], features: list[xl.Feature]) -> xl.Ensemble:
    nodes = [root]
    feature, left, right, value = [], [], [], []
    for node in nodes:  # grows while it is read
        if "prediction" in node:
            feature.append(-1)
            left.append(-1)
            right.append(-1)
            value.append(np.eye(2)[node["prediction"]])
        else:
            feature.append(node["feature"])
            left.append(len(nodes))
            right.append(len(nodes) + 1)
            value.append(np.zeros(2))
            nodes += [node["false"], node["true"]]
    tree = make_tree(
        feature, [0.5] * len(nodes), left, right, value,
        missing=[0] * len(nodes), cast="float64", n_features=len(features),
    )  # fmt: skip
    return make_ensemble([tree], features, (0, 1), voting="average", cast="float64")
