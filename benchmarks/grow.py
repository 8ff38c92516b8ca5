"""Growing trees and forests, pruning, memory, accuracy, beside scikit-learn, LightGBM and a native C++ reference.

The sides fit in turn; times are processor seconds of one thread, medians over rounds. A side that has taken
`--seconds` on one point is not asked again on it.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before anything that starts OpenMP

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import product
from pathlib import Path
from time import process_time
from typing import Any

import accuracy
import categories
import common
import numpy as np
from grow_sides import Reference, available, histogram_tree, lightgbm_tree, make_data, ours, sklearn_tree
from numpy.typing import NDArray

SIZES = (1_000, 10_000, 100_000)
TASKS: dict[str, tuple[str, int]] = {  # criterion and number of classes
    "gini, 2 classes": ("gini", 2),
    "gini, 10 classes": ("gini", 10),
    "squared error": ("squared_error", 0),
    "absolute error": ("absolute_error", 0),
}
COLUMNS = ("continuous", "16 levels")
DEPTHS: dict[str, int | None] = {"8": 8, "full": None}
PARTS = ("trees", "forests", "pruning", "memory", "accuracy", "categories")

Fit = Callable[[], Any]


def target_ratio(columns: str, criterion: str) -> float:
    """How many times faster than scikit-learn the project wants to be."""
    if criterion == "absolute_error":
        return 15.0
    return 8.0 if columns == "16 levels" else 15.0 if criterion == "gini" else 10.0


SHORT = 0.05  # seconds: what takes less is repeated for so long, and averaged


# ---- timing -----------------------------------------------------------------------------------------------------


def in_turn(sides: dict[str, Fit], rounds: int, seconds: float) -> tuple[dict[str, list[float]], dict[str, Any]]:
    """Processor seconds of a fit of each side, fitted in turn, and what each fitted last."""
    spent: dict[str, list[float]] = {name: [] for name in sides}
    fitted: dict[str, Any] = {}
    for _ in range(rounds):
        for name, fit in sides.items():
            if sum(spent[name]) < seconds:
                start, fits = process_time(), 0
                while not fits or process_time() - start < SHORT:
                    fitted[name] = fit()
                    fits += 1
                spent[name].append((process_time() - start) / fits)
    return spent, fitted


def trees(args: Any, notes: list[str]) -> list[common.Record]:
    """One tree: the same splits as scikit-learn, and the time they take."""
    records: list[common.Record] = []
    with tempfile.TemporaryDirectory() as folder:
        reference = Reference(args.reference_dir, Path(folder))
        if reference.why:
            notes.append(f"reference column skipped: {reference.why}")
        peers: dict[str, Callable[..., Any]] = {"histogram": histogram_tree}
        if available("lightgbm"):
            peers["LightGBM"] = lightgbm_tree
        else:
            notes.append("LightGBM column skipped: not installed")
        for task in args.tasks:
            criterion, n_classes = TASKS[task]
            for columns in args.columns:
                for n in args.sizes:
                    X, y = make_data(n, columns, n_classes)
                    for depth in args.depths:
                        record = {"task": task, "columns": columns, "rows": n, "depth": depth}
                        record |= one_tree(X, y, criterion, n_classes, DEPTHS[depth], peers, reference, args)
                        record |= {"target": target_ratio(columns, criterion)}
                        record |= {"within": record["times faster"] >= record["target"]}
                        records.append(record)
                        print(common.table(records[-1:]).splitlines()[-1], flush=True)
    return records


def one_tree(
    X: NDArray[np.float32], y: NDArray[Any], criterion: str, n_classes: int, depth: int | None,
    peers: dict[str, Callable[..., Any]], reference: Reference, args: Any,
) -> common.Record:  # fmt: skip
    """Times and agreement of one setting."""
    asked = (X, y, criterion, n_classes, depth)
    sides: dict[str, Fit] = {"ours": lambda: ours(*asked), "scikit-learn": lambda: sklearn_tree(*asked)}
    if reference.library is not None and (n_classes == 2 or criterion == "squared_error"):
        sides["reference"] = lambda: reference.fit(X, y, depth)
    for name, fit in peers.items():
        sides[name] = lambda fit=fit: fit(*asked)
    sides["ours"]()  # imports are not counted
    spent, fitted = in_turn(sides, args.rounds, args.seconds)
    record: common.Record = {}
    for name in ("ours", "scikit-learn", "reference", "LightGBM", "histogram"):
        record[f"{name} ms"] = common.median(spent[name]) * 1e3 if spent.get(name) else None
    record["times faster"] = record["scikit-learn ms"] / record["ours ms"]
    record["ours/reference"] = record["ours ms"] / record["reference ms"] if record["reference ms"] else None
    record["nodes"] = fitted["ours"].tree_.n_nodes
    record["scikit-learn nodes"] = fitted["scikit-learn"].tree_.node_count
    sample = X[:10_000]
    same = np.isclose(fitted["ours"].predict(sample), fitted["scikit-learn"].predict(sample), rtol=1e-9, atol=1e-12)
    record["same answers %"] = 100.0 * float(np.mean(same))
    return record


def forests(args: Any, notes: list[str]) -> list[common.Record]:
    """100 trees, on made data and on the data sets that are there; one job, held-out accuracy of both."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.model_selection import train_test_split

    import xylogic as xl

    records: list[common.Record] = []
    held: list[tuple[str, Any, Any]] = []
    for n in args.sizes:
        held += [
            (f"{n} rows, 2 classes", *make_data(n, "continuous", 2)),
            (f"{n} rows, numbers", *make_data(n, "continuous", 0)),
        ]
    if args.data_dir is not None:
        held += [(name, *common.read_table(args.data_dir, name)) for name in args.forest_sets]
    for name, X, y in held:
        by_class = y.dtype.kind in "iu"
        X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0)
        theirs = RandomForestClassifier if by_class else RandomForestRegressor
        mine = xl.RandomForestClassifier if by_class else xl.RandomForestRegressor
        options = {"n_estimators": args.trees, "n_jobs": 1}
        scores: dict[str, list[float]] = {"ours": [], "scikit-learn": []}
        spent: dict[str, list[float]] = {"ours": [], "scikit-learn": []}
        for seed in range(args.rounds):
            for side, kind in (("ours", mine), ("scikit-learn", theirs)):
                if sum(spent[side]) > args.seconds:
                    continue
                start = process_time()
                forest = kind(random_state=seed, **options).fit(X_train, y_train)
                spent[side].append(process_time() - start)
                scores[side].append(float(forest.score(X_test, y_test)))
        ms = {side: common.median(times) * 1e3 for side, times in spent.items()}
        means = {side: float(np.mean(values)) for side, values in scores.items()}
        spread = float(np.std([*scores["ours"], *scores["scikit-learn"]]))
        records.append({
            "set": name, "rows": len(X_train), "ours ms": ms["ours"], "scikit-learn ms": ms["scikit-learn"],
            "times faster": ms["scikit-learn"] / ms["ours"], "target": 8.0,
            "within": ms["scikit-learn"] / ms["ours"] >= 8.0, "ours score": means["ours"],
            "scikit-learn score": means["scikit-learn"],
            "as accurate": means["ours"] >= means["scikit-learn"] - 2 * spread - 1e-3,
        })  # fmt: skip
        print(common.table(records[-1:]).splitlines()[-1], flush=True)
    notes.append(f"{args.trees} trees, one job, 70 % of the rows; score: accuracy or R², mean over the seeds")
    return records


def pruning(args: Any, notes: list[str]) -> list[common.Record]:
    """The note's cross-validated pruning: its GridSearchCV over all alphas, and k + 1 fits."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import GridSearchCV, train_test_split
    from sklearn.tree import DecisionTreeClassifier

    import xylogic as xl

    X, y = load_breast_cancer(return_X_y=True)
    held = [("breast cancer (the note)", train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)[::2])]
    for n in args.sizes:
        if n <= 2_000:  # ten thousand rows have a thousand alphas, and their search takes a quarter of an hour
            held.append((f"{n} rows, 2 classes", make_data(n, "continuous", 2)))
    records: list[common.Record] = []
    for name, (X, y) in held:

        def search(X: Any = X, y: Any = y) -> Any:
            alphas = DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(X, y).ccp_alphas
            grid = {"ccp_alpha": np.maximum(alphas, 0.0)}
            return GridSearchCV(DecisionTreeClassifier(random_state=0), grid, cv=5).fit(X, y)

        def prune(X: Any = X, y: Any = y) -> Any:
            return xl.prune_cv(xl.DecisionTreeClassifier(), X, y, cv=5)

        prune()
        spent, fitted = in_turn({"ours": prune, "scikit-learn": search}, args.rounds, args.seconds)
        ms = {side: common.median(times) * 1e3 for side, times in spent.items()}
        result, found = fitted["ours"], fitted["scikit-learn"]
        records.append({
            "set": name, "alphas": len(result.alphas), "prune_cv ms": ms["ours"], "GridSearchCV ms": ms["scikit-learn"],
            "times faster": ms["scikit-learn"] / ms["ours"], "target": 300.0,
            "within": ms["scikit-learn"] / ms["ours"] >= 300.0, "alpha": float(result.best_alpha),
            "GridSearchCV alpha": float(found.best_params_["ccp_alpha"]), "leaves": result.estimator.get_n_leaves(),
            "GridSearchCV leaves": found.best_estimator_.get_n_leaves(),
        })  # fmt: skip
        print(common.table(records[-1:]).splitlines()[-1], flush=True)
    return records


# ---- memory -----------------------------------------------------------------------------------------------------


def memory_point(side: str, path: str) -> common.Record:
    """Peak memory of one fit beyond what the process held before, in this process."""
    fit = {"ours": ours, "scikit-learn": sklearn_tree}[side]
    fit(*make_data(1000, "continuous", 2), "gini", 2, 8)
    with np.load(path) as data:
        X, y = data["X"], data["y"]
    before = peak()
    fit(X, y, "gini", 2, 8)
    return {"data MB": X.nbytes / 2**20, "peak MB beyond": peak() - before}


def peak() -> float:
    """The most MB that this process has held; where Linux tells, without what its parent held when it was started."""
    status = Path("/proc/self/status")
    if status.exists():
        return float(status.read_text(encoding="ascii").split("VmHWM:")[1].split()[0]) / 2**10
    from resource import RUSAGE_SELF, getrusage

    return getrusage(RUSAGE_SELF).ru_maxrss / (2.0**20 if sys.platform == "darwin" else 2.0**10)


def memory(args: Any, notes: list[str]) -> list[common.Record]:
    """Peak memory of a fit, each in a process of its own."""
    records: list[common.Record] = []
    for columns, n in product(args.columns, args.memory_sizes):
        record: common.Record = {"columns": columns, "rows": n}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "data.npz"
            X, y = make_data(n, columns, 2)
            np.savez(path, X=X, y=y)
            for side in ("ours", "scikit-learn"):
                command = [sys.executable, str(Path(__file__)), "--point", json.dumps([side, str(path)])]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                found = json.loads(done.stdout.splitlines()[-1])
                record |= {"data MB": found["data MB"], f"{side} MB": found["peak MB beyond"]}
        record["times the data"] = record["ours MB"] / record["data MB"]
        records.append(record | {"target": 3.0, "within": record["times the data"] <= 3.0})
        print(common.table(records[-1:]).splitlines()[-1], flush=True)
    return records


RUN = {
    "trees": trees,
    "forests": forests,
    "pruning": pruning,
    "memory": memory,
    "accuracy": accuracy.measure,
    "categories": categories.measure,
}


def main() -> None:
    parser = common.parser(__doc__)
    parser.add_argument("--point", help="(internal) measure the memory of one fit, given as JSON")
    parser.add_argument("--parts", nargs="*", default=list(PARTS), choices=list(PARTS))
    parser.add_argument("--tasks", nargs="*", default=list(TASKS), choices=list(TASKS))
    parser.add_argument("--columns", nargs="*", default=list(COLUMNS), choices=list(COLUMNS))
    parser.add_argument("--depths", nargs="*", default=list(DEPTHS), choices=list(DEPTHS))
    parser.add_argument("--sizes", nargs="*", type=int, default=list(SIZES), help="rows of made data")
    parser.add_argument("--memory-sizes", nargs="*", type=int, default=[200_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=20.0, help="of one side on one point")
    parser.add_argument("--trees", type=int, default=100, help="of a forest")
    parser.add_argument("--forest-sets", nargs="*", default=["spambase", "magic", "waveform-21", "segment"])
    parser.add_argument("--sets", nargs="*", default=None, help="data sets of the accuracy table; all where not given")
    parser.add_argument("--tables", type=int, default=300, help="of each size, for the categories")
    parser.add_argument("--repeats", type=int, default=10, help="of the accuracy table")
    args = parser.parse_args()
    if args.point:
        print(json.dumps(memory_point(*json.loads(args.point))))
        return
    for part in args.parts:
        notes: list[str] = []
        records = RUN[part](args, notes)
        settings = {key: value for key, value in vars(args).items() if not isinstance(value, Path) and key != "point"}
        common.write(args.out, f"grow_{part}", settings, records, notes)
        print(f"\n{part}\n" + common.table(records))
        print("\n".join(notes))


if __name__ == "__main__":
    main()
