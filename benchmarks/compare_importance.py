"""Corrected importance: gadget trees against their closed form, and Shapley values on forests of 100 trees."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from fractions import Fraction
from math import factorial
from time import perf_counter, process_time
from typing import Any

import common
import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import RandomForestClassifier

import xylogic as xl

TREES = 100


def gadget(r: int) -> xl.Ensemble:
    """The tree of Theorem 1 of the paper on predictive equivalence."""
    zero, one = {"class": 0}, {"class": 1}

    def test(feature: int, low: dict[str, Any], high: dict[str, Any]) -> dict[str, Any]:
        return {"feature": f"x{feature}", "cut": 0.5, "left": low, "right": high}

    nodes = test(2 * r + 1, zero, one)
    for k in range(r, 0, -1):
        nodes = test(2 * k - 1, test(2 * k, zero, one), test(2 * k, one, nodes))
    return xl.build_tree(nodes, [xl.Feature(f"x{i + 1}", "boolean") for i in range(2 * r + 1)], (0, 1))


def gadgets(sizes: tuple[int, ...] = (30, 200, 1000)) -> Iterator[dict[str, Any]]:
    """Shapley values at the all-ones row: error against 4^r (r!)^2 / (2r + 1)! and CPU time, the least of three."""
    for r in sizes:
        explainer = xl.Explainer(gadget(r))
        times = []
        for _ in range(3):
            e = explainer.explain([1] * (2 * r + 1))
            start = process_time()
            found = e.importance()
            times.append(process_time() - start)
        last = Fraction(4**r * factorial(r) ** 2, factorial(2 * r + 1))
        pair = (1 - last) / (2 * r)
        error = max(abs(found[f"x{2 * r + 1}"] - last), *(abs(found[f"x{i + 1}"] - pair) for i in range(2 * r)))
        yield {"r": r, "features": 2 * r + 1, "error": float(error), "ms": min(times) * 1e3, "status": found.status}


def forests(options: Any) -> Iterator[dict[str, Any]]:
    """Several rows of each data set, forests of depth 4 and of any depth; what is exact, and how wide estimates are."""
    tables: dict[str, tuple[Any, Any]] = {
        "wine": load_wine(return_X_y=True),
        "breast cancer": load_breast_cancer(return_X_y=True),
    }
    if options.data_dir is not None:
        tables["spambase"] = common.read_table(options.data_dir, "spambase")
    for name, (X, y) in tables.items():
        chosen = np.random.RandomState(0).choice(len(X), options.rows, replace=False)
        for depth in (4, None):
            forest = RandomForestClassifier(TREES, max_depth=depth, random_state=0).fit(X, y)
            explainer = xl.Explainer(forest, time_limit=options.seconds)
            for row in chosen:
                yield {"set": name, "depth": depth, "row": int(row), **measured(explainer, X[row])}


def measured(explainer: xl.Explainer, row: Any) -> dict[str, Any]:
    e = explainer.explain(row)
    start = perf_counter()
    try:
        found = e.importance()
    except xl.BudgetExceeded:  # not one random order was judged in time
        return {"margin": e.margin, "status": "none", "seconds": perf_counter() - start}
    seconds = perf_counter() - start
    bounds = e.status["shapley_importance"].bounds
    work = e._enumeration(e._decision.flip)
    exact = found.status == "exact"
    return {
        "margin": e.margin,
        "status": found.status,
        "seconds": seconds,
        "conflicts": work.count("necessary"),
        "diagram": work.game(explainer._new_budget()).diagram.n_nodes if exact else None,
        "orders": bounds.get("orders"),
        "widest interval": bounds.get("widest interval"),
        "largest score": max(found.values()),
    }


def run(options: Any) -> dict[str, Any]:
    """Measure, print, and write ``compare_importance.json``. ``options``: data_dir, out, rows, seconds."""
    small = list(gadgets())
    print(common.table(small), flush=True)
    large = []
    for record in forests(options):
        large.append(record)
        print(common.table([record]).splitlines()[-1], flush=True)
    print("\n" + common.table(large, list(large[0])))
    settings = {"rows": options.rows, "seconds": options.seconds, "trees": TREES}
    notes = [] if options.data_dir is not None else ["spambase skipped: it is read from --data-dir"]
    common.write(options.out, "compare_importance", settings, [*small, *large], notes)
    return {"gadgets": small, "forests": large}


def arguments() -> argparse.ArgumentParser:
    parser = common.parser(__doc__)
    parser.add_argument("--rows", type=int, default=3, help="rows of each data set")
    parser.add_argument("--seconds", type=float, default=20.0, help="time limit of a row")
    return parser


if __name__ == "__main__":
    run(arguments().parse_args())
