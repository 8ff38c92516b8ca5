"""How cost grows with trees, depth, features and rows: seconds and peak memory, each point in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import common
import numpy as np

BASE = {"trees": 100, "depth": 4, "features": 20, "rows": 6, "threads": 1}
MANY = {**BASE, "trees": 30}  # for the rows: a forest whose reasons take about a millisecond
AXES: dict[str, list[int]] = {
    "trees": [10, 30, 100, 300, 1000],
    "depth": [2, 4, 6, 8, 10, 12],
    "features": [10, 30, 60, 100, 300, 600],
    "rows": [1, 10, 100, 1000, 10_000],
}


def point(trees: int, depth: int, features: int, rows: int, threads: int, many: bool, limit: float) -> dict[str, Any]:
    """One measurement, in this process."""
    import resource

    from sklearn.datasets import make_classification
    from sklearn.ensemble import RandomForestClassifier

    informative = max(5, features // 4)
    X, y = make_classification(12_000, features, n_informative=informative, n_redundant=features // 4, random_state=0)
    forest = RandomForestClassifier(trees, max_depth=depth, random_state=0).fit(X[:2000], y[:2000])
    X = X[2000 : 2000 + rows]
    before = peak(resource)
    import xylogic as xl

    start = perf_counter()
    model = xl.read_model(forest)
    explainer = xl.Explainer(model, time_limit=limit)
    explainer.explain(X[0]).sufficient_reason()
    record: dict[str, Any] = {"ready ms": (perf_counter() - start) * 1e3, "nodes": model.n_nodes}
    if many:
        what = ("prediction", "sufficient_reason")
        explainer.explain_many(X[:1], what=what)
        import joblib

        start = perf_counter()
        with joblib.parallel_config(backend="threading"):
            explainer.explain_many(X, what=what, n_jobs=threads)
        spent = perf_counter() - start
        record |= {"s": spent, "rows a second": len(X) / spent}
    else:
        record |= one_by_one(explainer, X)
    grown = peak(resource) - before
    return record | {"peak MB": peak(resource), "peak MB beyond the forest": grown}


def one_by_one(explainer: Any, X: np.ndarray) -> dict[str, Any]:
    """Medians of three questions, and how many rows the limit stopped."""
    from xylogic import BudgetExceeded

    questions: dict[str, Callable[[Any], Any]] = {
        "sufficient": lambda explanation: explanation.sufficient_reason(),
        "smallest": lambda explanation: explanation.sufficient_reason(minimum=True),
        "robustness": lambda explanation: explanation.robustness(),
    }
    record: dict[str, Any] = {}
    for question, ask in questions.items():
        times, stopped = [], 0
        for row in X:
            explanation = explainer.explain(row)
            start = perf_counter()
            try:
                ask(explanation)
                stopped += any(status.status != "exact" for status in explanation.status.values())
            except BudgetExceeded:
                stopped += 1
            times.append(perf_counter() - start)
        record |= {f"{question} ms": common.median(times) * 1e3, f"{question} max ms": max(times) * 1e3}
        record |= {f"{question} stopped": stopped}
    return record


def peak(resource: Any) -> float:
    """The largest resident size of this process so far, in MB (Linux counts kilobytes, macOS bytes)."""
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(used / (2**20 if sys.platform == "darwin" else 2**10))


def run(setting: dict[str, int], many: bool, args: Any) -> dict[str, Any]:
    """One measurement, in a process of its own that is ended when it is late."""
    request = json.dumps({**setting, "many": many, "limit": args.limit})
    command = [sys.executable, str(Path(__file__)), "--point", request]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=args.seconds, check=False)
    except subprocess.TimeoutExpired:
        return {"note": f"over {args.seconds:g} s"}
    if done.returncode:
        return {"note": done.stderr.strip().splitlines()[-1][:200]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def plot(records: list[dict[str, Any]], limit: float, path: Path) -> None:
    """Milliseconds along each axis; the dashed line is the time limit, a median on it is a lower bound."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 4, figsize=(15, 3.6), layout="constrained")
    for panel, axis in zip(panels, AXES, strict=True):
        held = [record for record in records if record["axis"] == axis]
        if axis == "rows":
            for threads in (1, 2):
                line = [(r["rows"], r["s"]) for r in held if r["threads"] == threads and r.get("s")]
                if line:
                    panel.plot(*zip(*line, strict=True), marker="o", label=f"{threads} thread{'s' * (threads > 1)}")
            panel.set_ylabel("seconds, one sufficient reason a row")
        else:
            for question in ("sufficient", "smallest", "robustness"):
                line = [(r[axis], r[f"{question} ms"]) for r in held if r.get(f"{question} ms")]
                if line:
                    panel.plot(*zip(*line, strict=True), marker="o", label=question)
            panel.axhline(limit * 1e3, color="grey", linestyle="--", linewidth=0.8, label="time limit")
            panel.set_ylabel("median ms a row")
        panel.set(xscale="linear" if axis == "depth" else "log", yscale="log", xlabel=axis)
        panel.grid(alpha=0.3)
        panel.legend(fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


COLUMNS = ("axis", "trees", "depth", "features", "rows", "threads", "nodes", "ready ms", "sufficient ms",
           "sufficient max ms", "sufficient stopped", "smallest ms", "smallest stopped", "robustness ms",
           "robustness stopped", "s", "rows a second", "peak MB", "peak MB beyond the forest", "note")  # fmt: skip


def main() -> None:
    parser = common.parser(__doc__)
    parser.add_argument("--point", help="(internal) measure one point, given as JSON")
    parser.add_argument("--axes", nargs="*", default=list(AXES), choices=list(AXES))
    parser.add_argument("--limit", type=float, default=1.0, help="seconds a question")
    parser.add_argument("--seconds", type=float, default=45.0, help="seconds a point")
    parser.add_argument("--picture", type=Path, default=Path(__file__).parent.parent / "docs" / "scaling.png")
    args = parser.parse_args()
    if args.point:
        print(json.dumps(point(**json.loads(args.point))))
        return
    records: list[dict[str, Any]] = []
    for axis in args.axes:
        for size in AXES[axis]:
            for threads in (1, 2) if axis == "rows" else (1,):
                setting = {**(MANY if axis == "rows" else BASE), axis: size, "threads": threads}
                records.append({"axis": axis, **setting, **run(setting, axis == "rows", args)})
                print(common.table(records[-1:], COLUMNS).splitlines()[-1], flush=True)
    print("\n" + common.table(records, COLUMNS))
    notes = [
        f"every question stops after {args.limit:g} s; base {BASE}, {MANY['trees']} trees for the rows",
        "make_classification, 2,000 training rows",
    ]
    try:
        plot(records, args.limit, args.picture)
    except ImportError:
        notes.append("no picture: matplotlib is not installed")
    common.write(args.out, "scaling", {"limit": args.limit, "seconds": args.seconds}, records, notes)


if __name__ == "__main__":
    main()
