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
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

_LOAD = round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
RESULTS = Path(__file__).parent / "results"

# Tables 2 and 3 of "Circuit Representations of Random Forests with Applications to XAI": trees, mean seconds for all
# sufficient reasons and all necessary reasons of an instance, their mean counts, mean robustness. Depth is 4 (Table 1).
PAPER: dict[str, dict[str, float]] = {
    name: dict(zip(("trees", "sr_s", "n_sr", "nr_s", "n_nr", "robustness"), numbers, strict=True))
    for name, numbers in {
        "ann-thyroid": (100, 0.0281, 3.50, 0.0090, 3.58, 1.25),
        "appendicitis": (100, 0.0100, 6.44, 0.0037, 8.69, 1.88),
        "banknote": (100, 0.0001, 1.09, 0.0001, 1.85, 1.00),
        "ecoli": (50, 0.0001, 2.08, 0.0001, 3.76, 1.00),
        "glass2": (50, 0.0035, 5.46, 0.0015, 7.83, 1.21),
        "ionosphere": (16, 77.2518, 761.00, 2.8630, 777.89, 1.73),
        "iris": (100, 0.0001, 1.00, 0.0001, 1.59, 1.00),
        "magic": (32, 0.0376, 5.97, 0.0105, 8.55, 1.19),
        "mofn-3-7-10": (100, 0.0001, 3.98, 0.0001, 3.58, 1.90),
        "new-thyroid": (100, 0.0001, 1.59, 0.0001, 2.72, 1.06),
        "phoneme": (64, 0.0004, 2.88, 0.0002, 3.30, 1.42),
        "ring": (25, 7.3803, 132.04, 1.1468, 236.86, 1.21),
        "segment": (12, 0.3216, 28.91, 0.0716, 38.91, 1.24),
        "shuttle": (50, 0.0015, 3.78, 0.0007, 5.37, 1.15),
        "threeOf9": (100, 0.0001, 2.75, 0.0001, 4.35, 1.16),
        "twonorm": (10, 3.0597, 122.36, 0.2581, 125.24, 1.66),
        "waveform-21": (9, 0.7104, 44.62, 0.1132, 48.27, 1.28),
        "wine-recognition": (25, 1.2963, 40.33, 0.3260, 44.96, 1.41),
        "xd6": (100, 0.0003, 4.62, 0.0001, 4.83, 1.29),
    }.items()
}


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


def paper_forest(folder: Path, name: str) -> tuple[RandomForestClassifier, NDArray[np.float32]]:
    """The forest of the paper's setting and up to 100 test rows.

    85 % of the (at most 20,000) rows train it; depth 4; floor(log2 F) + 1 columns a split, which is WEKA's rule.
    """
    X, y = read_table(folder, name)
    if len(X) > 20_000:
        order = np.random.RandomState(0).permutation(len(X))
        X, y = X[order], y[order]
    X_train, X_test, y_train, _ = train_test_split(X, y, test_size=0.15, random_state=0)
    forest = RandomForestClassifier(
        int(PAPER[name]["trees"]), max_depth=4, random_state=0, max_features=int(np.log2(X.shape[1])) + 1
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
    for package in ("xylogic", "numpy", "scikit-learn", "pyxai", "python-sat", "dtai-veritas"):
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
