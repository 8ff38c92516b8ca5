"""What the growing benchmarks fit: made data, and one tree by each side."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

N_COLUMNS = 20

Data = tuple[NDArray[np.float32], NDArray[Any]]


def make_data(n: int, columns: str, n_classes: int, seed: int = 0) -> Data:
    """Columns of numbers or of 16 levels as float32; a target that depends on six of them, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, N_COLUMNS)).astype(np.float32)
    if columns == "16 levels":
        X = np.clip(np.floor(4 * X + 8), 0, 15).astype(np.float32)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    number = Z[:, 0] + Z[:, 1] * Z[:, 2] + np.abs(Z[:, 3]) - Z[:, 4] * (Z[:, 5] > 0) + rng.normal(size=n)
    if not n_classes:
        return X, number.astype(np.float64)
    cuts = np.quantile(number, np.linspace(0, 1, n_classes + 1)[1:-1])
    return X, np.searchsorted(cuts, number)


def ours(X: Any, y: Any, criterion: str, n_classes: int, depth: int | None) -> Any:
    import xylogic as xl

    kind = xl.DecisionTreeClassifier if n_classes else xl.DecisionTreeRegressor
    return kind(criterion=criterion, max_depth=depth).fit(X, y)


def sklearn_tree(X: Any, y: Any, criterion: str, n_classes: int, depth: int | None) -> Any:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    kind = DecisionTreeClassifier if n_classes else DecisionTreeRegressor
    return kind(criterion=criterion, max_depth=depth, random_state=0).fit(X, y)


def histogram_tree(X: Any, y: Any, criterion: str, n_classes: int, depth: int | None) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    kind = HistGradientBoostingClassifier if n_classes else HistGradientBoostingRegressor
    options: dict[str, Any] = {} if n_classes else {"loss": criterion}
    return kind(
        max_iter=1, learning_rate=1.0, max_leaf_nodes=None, max_depth=depth, min_samples_leaf=1, early_stopping=False,
        **options,
    ).fit(X, y)  # fmt: skip


def lightgbm_tree(X: Any, y: Any, criterion: str, n_classes: int, depth: int | None) -> Any:
    import lightgbm

    kind = lightgbm.LGBMClassifier if n_classes else lightgbm.LGBMRegressor
    options = {} if n_classes else {"objective": {"squared_error": "l2", "absolute_error": "l1"}[criterion]}
    leaves = 2**depth if depth else min(131_072, len(X))
    return kind(
        n_estimators=1, learning_rate=1.0, num_leaves=leaves, max_depth=depth or -1, min_child_samples=1,
        min_child_weight=0.0, n_jobs=1, verbose=-1, **options,
    ).fit(X, y)  # fmt: skip


class Reference:
    """`cart.cpp` as a shared library, built for this processor; two classes by Gini, and squared error."""

    def __init__(self, sources: Path | None, folder: Path) -> None:
        self.why, self.library = "", None
        compiler = shutil.which("g++")
        if sources is None or compiler is None:
            self.why = "no --reference-dir" if sources is None else "no g++"
            return
        built = folder / "libcart.so"
        command = [compiler, "-O3", "-march=native", "-shared", "-fPIC", str(sources / "cart.cpp"), "-o", str(built)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            self.why = f"does not compile: {done.stderr.splitlines()[:1]}"
            return
        self.library = ctypes.CDLL(str(built))

    def fit(self, X: NDArray[np.float32], y: NDArray[Any], depth: int | None) -> int:
        """The number of nodes."""
        assert self.library is not None
        held = np.ascontiguousarray(X), np.ascontiguousarray(y, dtype=np.float64), np.empty((4 * len(X), 5))
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in held]
        size, columns = X.shape
        return int(
            self.library.cart_fit(pointers[0], pointers[1], size, columns, depth or -1, pointers[2], len(held[2]))
        )


def available(name: str) -> bool:
    """Whether a library can be imported."""
    from importlib.util import find_spec

    return find_spec(name) is not None
