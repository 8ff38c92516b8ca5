"""How accurate single trees are on held-out rows: ours, scikit-learn's, and ours with rpart's settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import common
import numpy as np
import pandas as pd

# of the data sets whose target is a number
REGRESSION = {"abalone", "ailerons", "california-housing", "concrete", "cpu-act", "elevators", "house-16h", "kin8nm",
              "puma32h", "wine-quality-red", "wine-quality-white"}  # fmt: skip

Answer = Callable[[pd.DataFrame, Any, pd.DataFrame], Any]


def names(folder: Path) -> list[str]:
    """The data sets of a folder."""
    return sorted(path.name.removesuffix(".csv.gz") for path in Path(folder).glob("*.csv.gz"))


def read(folder: Path, name: str) -> tuple[pd.DataFrame, Any]:
    """Columns, texts as categories, and the target."""
    frame = pd.read_csv(Path(folder) / f"{name}.csv.gz")
    y = frame.pop("target")
    for column in frame.columns:
        if frame[column].dtype.kind not in "biuf":
            frame[column] = frame[column].astype("category")
    return frame, y.to_numpy(np.float64) if name in REGRESSION else np.unique(y, return_inverse=True)[1]


def coded(frame: pd.DataFrame) -> Any:
    """Categories as their codes, which scikit-learn's trees need; missing ones stay missing."""
    return frame.apply(
        lambda column: column if column.dtype.kind in "biuf" else column.cat.codes.replace(-1, np.nan)
    ).to_numpy(np.float64)


def ours(by_class: bool) -> Answer:
    import xylogic as xl

    kind = xl.DecisionTreeClassifier if by_class else xl.DecisionTreeRegressor
    return lambda X, y, X_test: kind().fit(X, y).predict(X_test)


def ours_pruned(by_class: bool) -> Answer:
    import xylogic as xl

    kind = xl.DecisionTreeClassifier if by_class else xl.DecisionTreeRegressor
    return lambda X, y, X_test: xl.prune_cv(kind(), X, y, cv=5).estimator.predict(X_test)


def sklearn_tree(by_class: bool) -> Answer:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    kind = DecisionTreeClassifier if by_class else DecisionTreeRegressor
    return lambda X, y, X_test: kind(random_state=0).fit(coded(X), y).predict(coded(X_test))


def rpart_like(by_class: bool) -> Answer:
    """Splits of at least 20 rows, leaves of 7, depth 30, surrogates, and cp 0.01 of the root's risk."""
    import xylogic as xl

    kind = xl.DecisionTreeClassifier if by_class else xl.DecisionTreeRegressor

    def answer(X: pd.DataFrame, y: Any, X_test: pd.DataFrame) -> Any:
        root = 1.0 - np.bincount(y).max() / len(y) if by_class else float(np.var(y))
        tree = kind(min_samples_split=20, min_samples_leaf=7, max_depth=30, missing="surrogate", ccp_alpha=0.01 * root)
        return tree.fit(X, y).predict(X_test)

    return answer


SIDES: dict[str, Callable[[bool], Answer]] = {
    "ours": ours, "scikit-learn": sklearn_tree, "ours pruned": ours_pruned, "ours as rpart": rpart_like,
}  # fmt: skip


def measure(args: Any, notes: list[str]) -> list[common.Record]:
    """Mean score of each side over the same splits of each data set."""
    from sklearn.metrics import accuracy_score, r2_score
    from sklearn.model_selection import train_test_split

    if args.data_dir is None:
        notes.append("skipped: no --data-dir")
        return []
    records: list[common.Record] = []
    for name in args.sets or names(args.data_dir):
        X, y = read(args.data_dir, name)
        by_class = name not in REGRESSION
        sides = {side: make(by_class) for side, make in SIDES.items()}
        scores: dict[str, list[float]] = {side: [] for side in sides}
        for seed in range(args.repeats):
            X_train, X_test, y_train, y_test = train_test_split(
                X, y, test_size=0.3, random_state=seed, stratify=y if by_class else None
            )
            for side, answer in sides.items():
                score = accuracy_score if by_class else r2_score
                scores[side].append(float(score(y_test, answer(X_train, y_train, X_test))))
        record: common.Record = {"set": name, "rows": len(X), "score": "accuracy" if by_class else "R²"}
        record |= {side: float(np.mean(values)) for side, values in scores.items()}
        apart = np.subtract(scores["ours"], scores["scikit-learn"])
        noise = float(np.std(apart, ddof=1) / np.sqrt(len(apart))) if len(apart) > 1 else 0.0
        record |= {"difference": float(np.mean(apart)), "its error": noise}
        records.append(record | {"within": float(np.mean(apart)) >= -2 * noise - 1e-3})
        print(common.table(records[-1:]).splitlines()[-1], flush=True)
    notes.append(
        f"{args.repeats} splits into 70 % and 30 %, the same for all sides; within: ours is not below scikit-learn by "
        "more than two standard errors of the paired difference and 0.001"
    )
    return records
