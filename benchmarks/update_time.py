"""Figure 5: the time that compatible trees take, beside our own CART and scikit-learn's."""

from __future__ import annotations

from time import process_time
from typing import Any

import common
import numpy as np
import update_data
from grow_sides import make_data

KINDS = ("jac", "jlu", "mae", "mse")
TARGETS = {"jac": 1.3, "jlu": 1.3, "mae": 1.5, "mse": 1.3}
DEPTHS: dict[str, dict[str, Any]] = {"depth 8": {}, "full": {"max_depth": None, "min_samples_leaf": 1}}
FASTER, LARGE = 8.0, 10_000  # times faster than scikit-learn's CART, from so many rows on


def measure(args: Any, notes: list[str]) -> list[common.Record]:
    """Least processor milliseconds of fits in turn: made data, and the data sets at the sizes of Figures 2-4."""
    notes.append(
        "fits in turn, one thread, the least of the rounds; the old tree knows the first half of the rows. Fully "
        "grown, a compatible tree goes on below pure nodes, so it has more leaves than CART's"
    )
    held: list[tuple[str, Any, Any, int, dict[str, Any]]] = []
    for n in args.sizes:
        for n_classes, task in ((2, "2 classes"), (0, "numbers")):
            X, y = make_data(n, "continuous", n_classes)
            X = X.astype(np.float64)
            y = y if n_classes else y / y.std()
            for depth, options in DEPTHS.items():
                held.append((f"made, {n} x {X.shape[1]}, {task}, {depth}", X, y, n // 2, options))
    for name in args.sets if args.data_dir else ():
        split = next(update_data.splits(args.data_dir, name, args.old, args.new, 1))
        held.append((name, split.X, split.y, len(split.old[1]), {}))
    records = []
    for name, X, y, n_old, options in held:
        for strength in args.time_strengths:
            records.append({"data": name, "strength": strength} | _point(X, y, n_old, options, strength, args))
            print(common.table(records[-1:]).splitlines()[-1], flush=True)
    return records


def _point(X: Any, y: Any, n_old: int, options: dict[str, Any], strength: float, args: Any) -> common.Record:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    by_class = y.dtype.kind in "iu"
    old = update_data.plain(by_class, **options).fit(X[:n_old], y[:n_old])
    peer = (DecisionTreeClassifier if by_class else DecisionTreeRegressor)(
        random_state=0, **{**update_data.GROWTH, **options}
    )
    sides = {"cart": update_data.plain(by_class, **options)}
    sides |= {kind: update_data.compatible(by_class, old, kind, strength, args.tolerance, **options) for kind in KINDS}
    spent: dict[str, list[float]] = {name: [] for name in (*sides, "scikit-learn")}
    for number in range(args.rounds):
        for name, side in (*sides.items(), ("scikit-learn", peer)):
            if name == "scikit-learn" and number >= 3:
                continue
            start = process_time()
            side.fit(X, y)
            spent[name].append(process_time() - start)
    least = {name: min(times) * 1e3 for name, times in spent.items()}
    record: common.Record = {f"{name} ms": ms for name, ms in least.items()}
    record |= {f"{kind}/cart": least[kind] / least["cart"] for kind in KINDS}
    record["within"] = all(record[f"{kind}/cart"] <= TARGETS[kind] for kind in KINDS)
    record |= {f"scikit-learn/{kind}": least["scikit-learn"] / least[kind] for kind in KINDS}
    if len(X) >= LARGE:
        record["as fast as wanted"] = all(record[f"scikit-learn/{kind}"] >= FASTER for kind in KINDS)
    record["leaves cart"] = int(sides["cart"].get_n_leaves())
    record |= {f"leaves {kind}": int(sides[kind].get_n_leaves()) for kind in KINDS}
    return record
