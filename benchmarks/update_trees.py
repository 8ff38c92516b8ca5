"""Old and new trees of spambase side by side, as rules and as a picture."""

from __future__ import annotations

from typing import Any

import common
import update_data
import update_incremental
import update_paths

SET, STRENGTH, DEPTH = "spambase", 0.005, 4  # a depth that a page holds


def measure(args: Any, notes: list[str]) -> list[common.Record]:
    """One trial: CART's old tree, and what each method makes of it."""
    if SET not in args.sets:
        return []
    split = next(
        update_data.splits(args.data_dir, SET, update_incremental.OLD, update_incremental.NEW, 1, nested=False)
    )
    names = list(split.names)
    cart = update_data.plain(True, max_depth=DEPTH)
    old = _named(update_data.grown(cart, *split.old, args.folds), names)
    trees = {"old": old, "CART": _named(update_data.grown(cart, split.X, split.y, args.folds), names)}
    for kind in update_paths.KINDS:
        kept = update_data.compatible(True, old, kind, STRENGTH, 0.0, max_depth=DEPTH)
        trees[f"CART-BCTX {kind.upper()}"] = _named(update_data.grown(kept, split.X, split.y, args.folds), names)
    pairs = {title: (old, tree) for title, tree in trees.items()}
    try:
        for side in update_incremental.OPTIONS:
            before, after = update_incremental.learned(side, split)
            trees |= {f"old {side}": before, side: after}
            pairs |= {side: (before, after)}
    except ImportError:
        notes.append("VFDT and HAT skipped: `pip install river` brings them")
    records = []
    for title, (before, after) in pairs.items():
        found = update_data.figures(before, after, split, 0.0)
        records.append({"tree": title, **found})
    for title, tree in trees.items():
        print(f"{title}\n" + "\n".join(f"  {line}" for line in rules(tree)) + "\n")
    print(common.table(records))
    notes.append(
        f"{update_incremental.OLD} old and {update_incremental.NEW} new rows, strength {STRENGTH:g}, "
        f"depth at most {DEPTH}, pruned; one trial"
    )
    _draw(trees, args.figures / "update_trees.png")
    return records


def _named(tree: Any, names: list[str]) -> Any:
    import xylogic as xl

    return xl.read_model(tree, feature_names=names)


def rules(model: Any) -> list[str]:
    """A tree as indented tests and answers, the side of ``<=`` first."""
    tree = model.trees[0]
    lines, stack = [], [(0, 0, "")]
    while stack:
        node, depth, test = stack.pop()
        left, right = int(tree.left[node]), int(tree.right[node])
        if left < 0:
            value = tree.value[node]
            answer = f": {model.classes[int(value.argmax())]!r}" if model.classes else f": {float(value[0]):.4g}"
        else:
            answer = ""
            name, cut = model.feature_names[tree.feature[node]], float(tree.cut[node])
            stack += [(right, depth + 1, f"{name} > {cut:.4g}"), (left, depth + 1, f"{name} <= {cut:.4g}")]
        if test or answer:
            lines.append("|   " * max(depth - 1, 0) + (test or "(always)") + answer)
    return lines


def _draw(trees: dict[str, Any], path: Any) -> None:
    from matplotlib.figure import Figure

    import xylogic as xl

    figure = Figure(figsize=(26, 4.2 * ((len(trees) + 1) // 2)), layout="constrained")
    grid = figure.subplots((len(trees) + 1) // 2, 2, squeeze=False).ravel()
    for axes in grid[len(trees) :]:
        axes.set_axis_off()
    for axes, (title, tree) in zip(grid, trees.items(), strict=False):
        xl.plot_tree(tree, axes, digits=3, max_depth=DEPTH)
        axes.set_title(title)
    figure.savefig(path, dpi=60, metadata={"Software": None})
