"""Corrected importance: gadget trees against their closed form, and Shapley values on forests of 100 trees."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import factorial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import common
import numpy as np
from compare_trees import gadget
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import RandomForestClassifier

import xylogic as xl

TREES = 100
ROWS = 3  # of each data set
SECONDS = 20.0  # a row


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
        *paired, final = found.values()
        error = max(abs(final - last), *(abs(score - pair) for score in paired))
        yield {"r": r, "features": 2 * r + 1, "error": float(error), "ms": min(times) * 1e3, "status": found.status}


def forests(data_dir: Path | None, rows: int, seconds: float) -> Iterator[dict[str, Any]]:
    """Several rows of each data set, forests of depth 4 and of any depth; what is exact, and how wide estimates are."""
    tables: dict[str, tuple[Any, Any]] = {
        "wine": load_wine(return_X_y=True),
        "breast cancer": load_breast_cancer(return_X_y=True),
    }
    if data_dir is not None:
        tables["spambase"] = common.read_table(data_dir, "spambase")
    for name, (X, y) in tables.items():
        chosen = np.random.RandomState(0).choice(len(X), rows, replace=False)
        for depth in (4, None):
            forest = RandomForestClassifier(TREES, max_depth=depth, random_state=0).fit(X, y)
            explainer = xl.Explainer(forest, time_limit=seconds)
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
    """Settings, records and notes. ``options``: data_dir, seconds, and maybe rows."""
    settings = {"rows": getattr(options, "rows", ROWS), "seconds": options.seconds or SECONDS, "trees": TREES}
    records = [*gadgets(), *forests(options.data_dir, settings["rows"], settings["seconds"])]
    notes = [] if options.data_dir is not None else ["spambase skipped: it is read from --data-dir"]
    columns = list(dict.fromkeys(column for record in records for column in record))
    return {"settings": settings, "records": records, "notes": notes, "columns": columns}


def main() -> None:
    parser = common.parser(__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, help="rows of each data set")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="time limit of a row")
    options = parser.parse_args()
    found = run(options)
    print(common.table(found["records"], found["columns"]))
    common.write(options.out, "compare_importance", found["settings"], found["records"], found["notes"])


if __name__ == "__main__":
    main()
