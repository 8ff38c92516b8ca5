"""Figures 2 to 4: loss, BCP and dissimilarities of explanations against the strength, for all four variants."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import common
import numpy as np
import update_data

KINDS = ("jac", "jlu", "mae", "mse")
MEASURES = ("loss", "bcp", *KINDS)
SLACK = 0.02  # of a figure at strength 0: less is taken for noise of the trials


def measure(args: Any, notes: list[str]) -> list[common.Record]:
    """Means over trials: one record for CART and one for each variant and strength."""
    notes.append(
        "choices where the paper is silent: the new rows hold the old ones; "
        f"{args.old} old and {args.new} new rows (fewer of small sets), up to {update_data.MOST_TESTED} others tested; "
        f"depth at most {update_data.GROWTH['max_depth']}, leaves of at least "
        f"{update_data.GROWTH['min_samples_leaf']} rows; every tree then pruned by {args.folds}-fold cross-validation, "
        f"if folds are above 0; regression targets in standard deviations of the old rows, right within "
        f"{args.tolerance:g} of them; columns of text as ranks, missing numbers as medians; "
        f"{args.repeats} trials (the paper: 100)"
    )
    records: list[common.Record] = []
    for name in args.sets:
        found: dict[tuple[str, float], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for split in update_data.splits(args.data_dir, name, args.old, args.new, args.repeats):
            old = update_data.grown(update_data.plain(split.by_class), *split.old, args.folds)
            for kind, strength in [("cart", 0.0), *((kind, s) for kind in KINDS for s in args.strengths)]:
                tree = update_data.plain(split.by_class)
                if kind != "cart":
                    tree = update_data.compatible(split.by_class, old, kind, strength, args.tolerance)
                tree = update_data.grown(tree, split.X, split.y, args.folds)
                numbers = update_data.figures(old, tree, split, args.tolerance)
                numbers["leaves"] = float(tree.get_n_leaves())
                for figure, value in numbers.items():
                    found[kind, strength][figure].append(value)
        for (kind, strength), columns in found.items():
            means = {figure: float(np.nanmean(values)) for figure, values in columns.items()}
            spread = {f"{figure} sd": float(np.nanstd(columns[figure])) for figure in ("loss", "bcp")}
            records.append({"set": name, "grown for": kind, "strength": strength, **means, **spread})
        print(common.table([r for r in records if r["set"] == name and r["strength"] in (0.0, 0.005, 0.05)]), "\n")
    return records


def claims(records: Sequence[common.Record]) -> list[str]:
    """Which of the paper's claims these means bear out, in words."""
    sets = list(dict.fromkeys(record["set"] for record in records))
    by = {(r["set"], r["grown for"], r["strength"]): r for r in records}
    strengths = sorted({r["strength"] for r in records if r["grown for"] != "cart"})
    paths = {(s, k): [by[s, "cart", 0.0], *(by[s, k, x] for x in strengths)] for s in sets for k in KINDS}
    lines = []
    falling = [(s, k) for (s, k), path in paths.items() if _monotone([point[k] for point in path], SLACK * path[0][k])]
    better = [(s, k) for (s, k), path in paths.items() if path[-1][k] < path[0][k]]
    lines.append(
        f"the dissimilarity grown for falls monotonically with the strength (up to {SLACK:.0%} of CART's) in "
        f"{len(falling)} of {len(paths)} paths, and ends below CART's in {len(better)}"
        + _except(paths, falling, "not monotone")
    )
    steps = [one[k] >= other[k] for (_, k), path in paths.items() for one, other in pairwise(path)]
    lines.append(f"it falls, or stays, in {sum(steps)} of {len(steps)} steps from one strength to the next")
    rising = [
        (s, k)
        for (s, k), path in paths.items()
        if _monotone([-point["loss"] for point in path], SLACK * path[0]["loss"])
    ]
    small = [(s, k) for (s, k), path in paths.items() if min(p["loss"] for p in path[1:4]) <= 1.01 * path[0]["loss"]]
    lines.append(
        f"the loss never falls by more than that as the strength grows in {len(rising)} of {len(paths)} paths; at one "
        f"of the three least strengths it is at most 1 % above CART's in {len(small)}" + _except(paths, small, "not")
    )
    for kind in ("mae", "mse"):
        own = {s: paths[s, kind] for s in sets}
        for other in ("jac", "jlu"):
            lower = [s for s in sets if own[s][-1][other] < own[s][0][other]]
            lines.append(f"grown for {kind.upper()}, {other.upper()} ends below CART's on {len(lower)} of {len(sets)}")
        raised = [s for s in sets if own[s][-1]["bcp"] > own[s][0]["bcp"]]
        lines.append(f"grown for {kind.upper()}, BCP ends above CART's on {len(raised)} of {len(sets)} sets")
    for kind in ("jac", "jlu"):
        raised = [s for s in sets if paths[s, kind][-1]["bcp"] > paths[s, kind][0]["bcp"]]
        lines.append(f"grown for {kind.upper()}, BCP ends above CART's on {len(raised)} of {len(sets)} sets")
    gains = {
        kind: np.mean([max(p["bcp"] for p in paths[s, kind]) - paths[s, kind][0]["bcp"] for s in sets])
        for kind in KINDS
    }
    shown = ", ".join(f"{kind.upper()} {gain:.3f}" for kind, gain in gains.items())
    lines.append(f"mean gain in BCP at the best strength: {shown}")
    return lines


def _monotone(values: Sequence[float], slack: float) -> bool:
    """Whether no value is above the least one before it by more than ``slack``."""
    least = np.minimum.accumulate(values)
    return bool((np.array(values[1:]) <= least[:-1] + slack).all())


def _except(paths: Any, good: Sequence[tuple[str, str]], word: str) -> str:
    rest = [f"{s} {k.upper()}" for s, k in paths if (s, k) not in good]
    return f" ({word}: {', '.join(rest)})" if rest else ""
