"""What the benchmark scripts share: data sets, the paper's forests, timing and results on disk."""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import paper
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

_LOAD = round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
RESULTS = Path(__file__).parent / "results"


def parser(description: str | None) -> argparse.ArgumentParser:
    """A command line with the two folders every script may be told about."""
    made = argparse.ArgumentParser(description=description)
    made.add_argument("--data-dir", type=Path, default=os.environ.get("XYLOGIC_DATA_DIR"), help="folder of NAME.csv.gz")
    made.add_argument("--reference-dir", type=Path, default=None, help="folder of the C++ reference sources")
    made.add_argument("--out", type=Path, default=RESULTS, help="folder for the JSON results")
    return made


def read_table(folder: Path, name: str) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Columns as float32 (texts become their rank among the sorted texts) and classes 0, 1, ..."""
    import pandas as pd

    frame = pd.read_csv(Path(folder) / f"{name}.csv.gz")
    y = np.unique(frame.pop("target"), return_inverse=True)[1]
    coded = frame.apply(lambda column: column if column.dtype.kind in "biuf" else column.astype("category").cat.codes)
    return coded.to_numpy(np.float32), y


def paper_forest(
    folder: Path, name: str, trees: int | None = None, columns: str = "log2"
) -> tuple[RandomForestClassifier, NDArray[np.float32]]:
    """The forest of the paper's setting (``trees`` others than its Table 3) and up to 100 test rows.

    85 % of the (at most 20,000) rows train it; depth 4; ``columns`` a split: "log2", floor(log2 F) + 1, which is
    WEKA's rule, or "sqrt", scikit-learn's default.
    """
    X, y = read_table(folder, name)
    if len(X) > 20_000:
        order = np.random.RandomState(0).permutation(len(X))
        X, y = X[order], y[order]
    X_train, X_test, y_train, _ = train_test_split(X, y, test_size=0.15, random_state=0)
    chosen = "sqrt" if columns == "sqrt" else int(np.log2(X.shape[1])) + 1
    forest = RandomForestClassifier(
        trees or int(paper.REASONS[name]["trees"]), max_depth=4, random_state=0, max_features=chosen
    )
    return forest.fit(X_train, y_train), X_test[:100]


def floor32(thresholds: np.ndarray) -> np.ndarray:
    """The largest float32 numbers not above the thresholds: what scikit-learn's comparison can tell apart."""
    rounded = np.asarray(thresholds, np.float32)
    return np.where(rounded > thresholds, np.nextafter(rounded, np.float32(-np.inf)), rounded)


def median(values: Iterable[float]) -> float:
    """The median; NaN when there is nothing."""
    held = list(values)
    return statistics.median(held) if held else float("nan")


def machine() -> dict[str, Any]:
    """What a reader needs to judge the numbers, and nothing that names a machine."""
    packages = {}
    for package in (
        "xylogic",
        "numpy",
        "scikit-learn",
        "pyxai",
        "python-sat",
        "dtai-veritas",
        "dd",
        "lightgbm",
        "sympy",
    ):
        try:
            packages[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "processor": platform.machine(),
        "processors": os.cpu_count(),
        "load_before": _LOAD,
        "python": platform.python_version(),
        "packages": packages,
    }


Record = dict[str, Any]


def write(out: Path, name: str, settings: Record, records: Sequence[Record], notes: Sequence[str]) -> None:
    """Write one benchmark's records; NaN and infinity become null, numbers keep four digits."""
    out.mkdir(parents=True, exist_ok=True)
    about = {"benchmark": name, "machine": machine(), "settings": settings, "notes": list(notes)}
    document = about | {"records": list(records)}
    (out / f"{name}.json").write_text(json.dumps(_plain(document), indent=1) + "\n", encoding="utf-8")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float | np.floating):
        return float(f"{value:.4g}") if np.isfinite(value) else None
    if isinstance(value, np.integer):
        return int(value)
    return value


def table(records: Sequence[dict[str, Any]], columns: Sequence[str] | None = None) -> str:
    """Records as a GitHub table; missing numbers print as a dash."""
    if not records:
        return "(nothing)"
    names = list(columns or records[0])
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    lines += ["| " + " | ".join(_cell(record.get(name)) for name in names) + " |" for record in records]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "**no**"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return str(value)
