"""Rashomon sets: functions counted without expanding trees, how many trees are equivalent, 100,000 trees on Dask."""

from __future__ import annotations

import pickle
import tempfile
from collections import Counter
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import common
from rashomon_sets import (
    SMALLER,
    TIC_TAC_TOE,
    expanded,
    fit_praxis,
    fit_treefarms,
    sample,
    zero_one_table,
)

import xylogic as xl

ROUNDS = 5
N_TREES = 100_000
SETS = {  # regularization, adder and depth for treefarms
    "compas": (0.005, 0.01, 4),
    "heart": (0.02, 0.03, 4),
    "threeOf9": (0.02, 0.04, 4),
    "xd6": (0.02, 0.04, 4),
    "mofn-3-7-10": (0.02, 0.04, 4),
    "wdbc": (0.01, 0.03, 4),
    "banknote": (0.01, 0.04, 4),
}


def run(options: Any) -> dict[str, Any]:
    """All rows and notes; ``options``: ``data_dir`` and, if it has them, ``trees`` (for Dask; 0 for none)."""
    notes: list[str] = []
    records: list[common.Record] = []
    n_trees = getattr(options, "trees", N_TREES)
    settings = {"rounds": ROUNDS, "trees": n_trees, "sets": {k: list(v) for k, v in SETS.items()}}
    try:
        import treefarms  # noqa: F401
    except ImportError:
        return {"settings": settings, "records": [], "notes": ["nothing measured: treefarms is not installed"]}
    if options.data_dir is None:
        return {"settings": settings, "records": [], "notes": ["nothing measured: --data-dir is not given"]}
    tic = zero_one_table(options.data_dir, "tic-tac-toe-binary", most=18)
    small, seconds = fit_treefarms(*tic, **SMALLER)
    records.append(_counted("tic-tac-toe, depth 4", small, seconds))
    start = process_time()
    groups = xl.distinct(expanded(small))
    records[-1] |= {"by expansion": len(groups), "expansion s": process_time() - start}
    large, seconds = fit_treefarms(*tic, **TIC_TAC_TOE)
    records.append(_counted("tic-tac-toe, depth 5", large, seconds))
    for name, (regularization, adder, depth) in SETS.items():
        table = zero_one_table(options.data_dir, name)
        fitted = fit_treefarms(*table, regularization, rashomon_bound_adder=adder, depth_budget=depth)
        records.append(_counted(name, *fitted))
    try:
        for name, (X, y) in {"tic-tac-toe": tic, "compas": zero_one_table(options.data_dir, "compas")}.items():
            fitted = fit_praxis(X, y, lambda_reg=0.01, depth_budget=4, rashomon_mult=0.05)
            records.append(_counted(f"{name}, PRAXIS", *fitted))
    except ImportError:
        notes.append("PRAXIS rows skipped: tree-praxis is not installed")
    if n_trees:
        records += on_dask(sample(large, n_trees), notes)
    columns = list(dict.fromkeys(name for record in records for name in record))
    return {"settings": settings, "records": records, "notes": notes, "columns": columns}


def _counted(name: str, model: Any, fit_seconds: float) -> common.Record:
    read = xl.RashomonSet.from_treefarms if hasattr(model, "model_set") else xl.RashomonSet.from_praxis
    source = model if hasattr(model, "model_set") else model.export_andor_graph()
    spent = []
    for _ in range(ROUNDS):
        start = process_time()
        found = read(source)
        middle = process_time()
        n_functions = found.n_functions
        spent.append((process_time() - start, middle - start))
    start = process_time()
    importance = found.importance().values()
    whole, reading = min(spent)
    return {
        "set": name,
        "trees": found.n_trees,
        "functions": n_functions,
        "equivalent %": 100 * (1 - n_functions / found.n_trees),
        "fit s": fit_seconds,
        "read s": reading,
        "read and count s": whole,
        "importance s": process_time() - start,
        "largest shift": max(abs(share.trees_depending - share.functions_depending) for share in importance),
    }


def file_fingerprints(path: str) -> list[int]:
    """The fingerprints of the models in one file: what a worker does."""
    with open(path, "rb") as file:
        return [xl.fingerprint(model) for model in pickle.load(file)]


def on_dask(models: list[xl.Ensemble], notes: list[str]) -> list[common.Record]:
    """Equivalence over many trees as a map and a group-by: in this process, then on one and two worker processes."""
    try:
        import dask.bag as bag
        from distributed import Client, LocalCluster
    except ImportError:
        notes.append("Dask rows skipped: dask is not installed")
        return []
    start = perf_counter()
    expected = Counter(map(xl.fingerprint, models))
    rows = [{"set": f"{len(models):,} trees, this process", "functions": len(expected), "s": perf_counter() - start}]
    start = perf_counter()
    groups = xl.distinct(models)
    rows.append({"set": "xl.distinct, this process", "functions": len(groups), "s": perf_counter() - start})
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for part in range(16):
            paths.append(str(Path(folder) / f"part{part}.pickle"))
            with open(paths[-1], "wb") as file:
                pickle.dump(models[part::16], file)
        for workers in (1, 2):
            with (
                LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
                Client(cluster),
            ):
                start = perf_counter()
                counts = bag.from_sequence(paths, npartitions=16).map(file_fingerprints).flatten().frequencies()
                found = dict(counts.compute())
                seconds = perf_counter() - start
            assert found == expected
            name = f"Dask, {workers} worker process" + "es" * (workers > 1)
            rows.append({"set": name, "functions": len(found), "s": seconds})
    return rows


def main() -> None:
    parser = common.parser(__doc__)
    parser.add_argument("--trees", type=int, default=N_TREES, help="how many trees are compared on Dask")
    options = parser.parse_args()
    found = run(options)
    print(common.table(found["records"], found.get("columns")))
    for note in found["notes"]:
        print(note)
    common.write(options.out, "compare_rashomon", found["settings"], found["records"], found["notes"])


if __name__ == "__main__":
    main()
