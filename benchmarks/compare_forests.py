"""Is a forest the same function as its retrained, pruned, reordered, re-saved self? Verdict, time, time-outs.

Forests are scikit-learn's RandomForestClassifier on up to 20,000 rows: 100 trees of depth 8, and 100 trees grown until
their leaves are pure (10 of these where there are more than 5,000 rows). Labels are compared unless it says otherwise.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import common
import joblib
import numpy as np
from sklearn.ensemble import RandomForestClassifier

import xylogic as xl

SETS = (
    "appendicitis", "banknote", "ecoli", "glass2", "heart",
    "ionosphere", "pima", "segment", "spambase", "wine-recognition",
)  # fmt: skip
SECONDS = 20.0
Variant = tuple[str, Any, Any, dict[str, Any]]


def variants(forest: RandomForestClassifier, X: Any, y: Any, folder: Path) -> Iterator[Variant]:
    """(name, the model, its other self, what is asked)."""
    model = xl.read_model(forest)
    parameters = forest.get_params()
    yield "refitted, same seed", model, RandomForestClassifier(**parameters).fit(X, y), {}
    again = RandomForestClassifier(**{**parameters, "random_state": 1}).fit(X, y)
    yield "retrained, other seed", model, again, {}
    pruned = RandomForestClassifier(**{**parameters, "ccp_alpha": 0.002}).fit(X, y)
    yield "pruned (ccp_alpha 0.002)", model, pruned, {}
    votes = model.with_voting("majority")
    yield "votes, redundant tests pruned", votes, without_redundant_tests(votes), {}
    turned = replace(model, trees=model.trees[::-1])
    yield "trees reversed", model, turned, {}
    yield "trees reversed, votes", votes, turned.with_voting("majority"), {}
    yield "trees reversed, probabilities", model, turned, {"output": "probability"}
    yield "trees reversed, to 1e-9", model, turned, {"output": "probability", "tolerance": 1e-9}
    model.save(folder / "forest.json.gz")
    yield "own JSON", model, xl.load(folder / "forest.json.gz"), {}
    joblib.dump(forest, folder / "forest.joblib")
    yield "joblib", model, xl.read_model(folder / "forest.joblib", trusted=True), {}
    yield "one leaf changed", model, with_a_leaf_changed(model), {}


def without_redundant_tests(model: xl.Ensemble) -> xl.Ensemble:
    """A majority forest less the tests whose leaves all vote alike."""
    from xylogic.model.build import make_ensemble, make_tree

    trees = []
    for tree in model.trees:
        left, right, value = tree.left.copy(), tree.right.copy(), tree.value.copy()
        for n in range(tree.n_nodes - 1, -1, -1):  # children stand behind their parents
            both = left[n], right[n]
            if left[n] >= 0 and all(left[child] < 0 for child in both):
                votes = {int(np.argmax(value[child])) for child in both}
                if len(votes) == 1:
                    value[n] = np.eye(model.n_outputs)[votes.pop()]
                    left[n] = right[n] = -1
        kept = [0]
        for n in kept:
            kept += [int(c) for c in (left[n], right[n]) if c >= 0]
        place = {n: i for i, n in enumerate(kept)}
        links = ([place.get(int(child), -1) for child in side[kept]] for side in (left, right))
        trees.append(
            make_tree(
                tree.feature[kept],
                tree.cut[kept],
                *links,
                value[kept],
                missing=tree.missing[kept],
                cast=model.cast,
                n_features=len(model.features),
            )
        )
    made = make_ensemble(trees, model.features, model.classes, voting="majority", cast=model.cast)
    return replace(model, trees=made.trees, features=made.features)


def with_a_leaf_changed(model: xl.Ensemble) -> xl.Ensemble:
    """The forest with the classes of one leaf of its middle tree rotated."""
    t = model.n_trees // 2
    tree = model.trees[t]
    value = tree.value.copy()
    leaf = int(np.flatnonzero(tree.left < 0)[0])
    value[leaf] = np.roll(value[leaf], 1)
    return replace(model, trees=(*model.trees[:t], replace(tree, value=value), *model.trees[t + 1 :]))


def run(options: Any) -> dict[str, Any]:
    """All variants of all forests."""
    seconds = options.seconds or SECONDS
    sets = getattr(options, "sets", None) or SETS
    settings = {"sets": sets, "seconds": seconds}
    if options.data_dir is None:
        return {"settings": settings, "records": [], "notes": ["nothing measured: --data-dir is not given"]}
    records: list[common.Record] = []
    for name in sets:
        X, y = common.read_table(options.data_dir, name)
        order = np.random.RandomState(0).permutation(len(X))[:20_000]
        X, y = X[order], y[order]
        for depth in (8, None):
            trees = 100 if depth or len(X) <= 5000 else 10
            forest = RandomForestClassifier(trees, max_depth=depth, random_state=0).fit(X, y)
            with tempfile.TemporaryDirectory() as folder:
                for variant, a, b, how in variants(forest, X, y, Path(folder)):
                    start = perf_counter()
                    found = xl.equivalent(a, b, time_limit=seconds, **how)
                    records.append(
                        {
                            "set": name,
                            "trees": trees,
                            "depth": depth or "full",
                            "nodes": xl.read_model(a).n_nodes,
                            "variant": variant,
                            "verdict": found.to_dict()["equivalent"],
                            "by": found.engine,
                            "seconds": perf_counter() - start,
                            "witness": found.witness is not None,
                            "answers": None if found.answers is None else str(found.answers),
                            "margin": found.status.bounds.get("margin"),
                        }
                    )
        print(f"{name}: done", flush=True)
    return {"settings": settings, "records": records}


def summary(records: list[common.Record]) -> list[common.Record]:
    """By variant and depth: how often which verdict, and how long it took."""
    found = []
    for variant, depth in sorted({(r["variant"], str(r["depth"])) for r in records}):
        rows = [r for r in records if (r["variant"], str(r["depth"])) == (variant, depth)]
        taken = [r["seconds"] for r in rows]
        found.append(
            {
                "variant": variant,
                "depth": depth,
                "forests": len(rows),
                "equivalent": sum(r["verdict"] is True for r in rows),
                "not": sum(r["verdict"] is False for r in rows),
                "time-outs": sum(r["verdict"] is None for r in rows),
                "median s": common.median(taken),
                "most s": max(taken),
                "by": ", ".join(sorted({r["by"] for r in rows})),
            }
        )
    return found


def main() -> None:
    parser = common.parser(__doc__)
    parser.add_argument("--sets", nargs="*", default=None)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="time limit of each question")
    options = parser.parse_args()
    found = run(options)
    print(common.table(summary(found["records"])))
    common.write(options.out, "compare_forests", found["settings"], found["records"], found.get("notes", []))


if __name__ == "__main__":
    main()
