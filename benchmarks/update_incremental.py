"""Figure 6: CART and its compatible variant beside River's incremental trees, VFDT and HAT."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import common
import numpy as np
import update_data

OLD, NEW, STRENGTH, KIND = 1000, 2000, 0.005, "mse"
OPTIONS: dict[str, dict[str, Any]] = {
    "VFDT": {"grace_period": 50, "tau": 0.15},
    "HAT": {"grace_period": 50, "tau": 0.15, "drift_window_threshold": 100},
}


def measure(args: Any, notes: list[str]) -> list[common.Record]:
    """Means over trials of loss, BCP and MSE, every side against an old tree of its own kind."""
    try:
        import river
    except ImportError:
        notes.append("VFDT and HAT skipped: `pip install river` brings them")
        incremental: Sequence[str] = ()
    else:
        incremental = tuple(OPTIONS)
        notes.append(
            f"River {river.__version__}: VFDT and HAT learn the old rows one by one, are copied, and go on with the "
            "new ones, of which none is old; leaf_prediction 'mc' and 'mean', whose answers and intervals are read "
            "exactly, in place of River's default (naive Bayes and linear models in the leaves, whose answers no "
            "interval explains). 'default loss' is the loss of River's default, asked of River itself"
        )
    import xylogic as xl

    records = []
    for name in args.sets:
        found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for split in update_data.splits(args.data_dir, name, OLD, NEW, args.repeats, nested=False):
            cart = update_data.plain(split.by_class)
            old = update_data.grown(cart, *split.old, args.folds)
            kept = update_data.compatible(split.by_class, old, KIND, STRENGTH, args.tolerance)
            sides = {
                side: (old, update_data.grown(tree, split.X, split.y, args.folds))
                for side, tree in (("CART", cart), ("CART-BCTX", kept))
            }
            sides |= {side: learned(side, split) for side in incremental}
            for side, (before, after) in sides.items():
                for figure, value in update_data.figures(before, after, split, args.tolerance).items():
                    found[side][figure].append(value)
                found[side]["leaves"].append(float((xl.read_model(after).trees[0].left < 0).sum()))
            for side in incremental if len(found["CART"]["loss"]) <= args.default_trials else ():
                found[side]["default loss"].append(default_loss(side, split))
        for side, columns in found.items():
            records.append(
                {"set": name, "side": side, **{figure: float(np.nanmean(values)) for figure, values in columns.items()}}
            )
        shown = ("set", "side", "loss", "old loss", "bcp", KIND, "jac", "leaves", "default loss")
        print(common.table([r for r in records if r["set"] == name], shown), "\n", flush=True)
    return records


def _tree(side: str, by_class: bool, **options: Any) -> Any:
    from river import tree

    kinds = {
        ("VFDT", True): tree.HoeffdingTreeClassifier,
        ("HAT", True): tree.HoeffdingAdaptiveTreeClassifier,
        ("VFDT", False): tree.HoeffdingTreeRegressor,
        ("HAT", False): tree.HoeffdingAdaptiveTreeRegressor,
    }
    seeded = {"seed": 0} if side == "HAT" else {}
    return kinds[side, by_class](**OPTIONS[side], **seeded, **options)


def _learn(tree: Any, X: Any, y: Any, names: Sequence[str]) -> Any:
    for row, answer in zip(X.tolist(), y.tolist(), strict=True):
        tree.learn_one(dict(zip(names, row, strict=True)), answer)
    return tree


def learned(side: str, split: update_data.Split) -> tuple[Any, Any]:
    """The tree before and after the new rows, as xylogic reads it."""
    import xylogic as xl

    tree = _tree(side, split.by_class, leaf_prediction="mc" if split.by_class else "mean")
    before = copy.deepcopy(_learn(tree, *split.old, split.names))
    after = _learn(tree, split.X, split.y, split.names)
    return tuple(xl.read_model(one, feature_names=split.names) for one in (before, after))  # type: ignore[return-value]


def default_loss(side: str, split: update_data.Split) -> float:
    """The loss after all rows of River's own leaves."""
    tree = _learn(_tree(side, split.by_class), *split.old, split.names)
    tree = _learn(tree, split.X, split.y, split.names)
    rows = [dict(zip(split.names, row, strict=True)) for row in split.X_test.tolist()]
    given = np.array([tree.predict_one(row) for row in rows])
    return float(np.mean(given != split.y_test) if split.by_class else np.sqrt(np.mean((given - split.y_test) ** 2)))


def claims(records: Sequence[common.Record]) -> list[str]:
    """Which side is the best, set by set."""
    sets = list(dict.fromkeys(record["set"] for record in records))
    by = {(r["set"], r["side"]): r for r in records}
    sides = list(dict.fromkeys(record["side"] for record in records))
    lines = []
    for figure, best in (("mse", min), ("bcp", max), ("loss", min)):
        wins: dict[str, list[str]] = {side: [] for side in sides}
        for name in sets:
            numbers = {side: by[name, side][figure] for side in sides}
            wins[best(numbers, key=numbers.__getitem__)].append(name)
        won = [f"{side} {len(names)} ({', '.join(names)})" for side, names in wins.items() if names]
        lines.append(f"best {figure.upper()}: {'; '.join(won)}")
    lower = [name for name in sets if by[name, "CART-BCTX"][KIND] < by[name, "CART"][KIND]]
    lines.append(f"CART-BCTX has a lower MSE than CART on {len(lower)} of {len(sets)} sets")
    return lines
