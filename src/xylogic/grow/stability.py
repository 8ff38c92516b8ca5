"""How much a model changes with its sample: two models fitted on two random halves, and where they disagree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from xylogic.errors import InvalidInputError

__all__ = ["Stability", "stability"]


class Stability(float):
    """The mean disagreement, a plain number, with the repeats it is the mean of.

    Attributes
    ----------
    values : float64 (n,), the disagreement of each repeat.
    std : their standard deviation (divided by n - 1; NaN for one repeat).
    """

    values: NDArray[np.float64]
    std: float

    def __new__(cls, values: ArrayLike) -> Stability:
        found = np.array(values, dtype=np.float64)
        found.setflags(write=False)
        made = super().__new__(cls, found.mean())
        made.values = found
        made.std = float(found.std(ddof=1)) if len(found) > 1 else float("nan")
        return made

    def __reduce__(self) -> tuple[type[Stability], tuple[NDArray[np.float64]]]:
        return Stability, (self.values,)

    @property
    def mean(self) -> float:
        return float(self)

    def __repr__(self) -> str:
        return f"Stability(mean={self.mean:.4g}, std={self.std:.4g}, n={len(self.values)})"


def stability(
    est: Any,
    X: Any,
    y: ArrayLike,
    n: int = 20,
    *,
    X_test: Any = None,
    sample_weight: ArrayLike | None = None,
    random_state: int | np.random.Generator | None = 0,
    n_jobs: int | None = None,
) -> Stability:
    """The mean disagreement of two models grown on two random halves of the data; 0 is perfectly stable.

    Each repeat permutes the rows, fits one clone of ``est`` on the first half and one on the rest, and lets both
    predict. Classifiers disagree on the share of rows that get different labels; regressors by the mean absolute
    difference of their predictions, in the units of ``y``. After the section "Trees are unstable and overfit" of
    Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, 2009, sec. 9.2.4.

    Parameters
    ----------
    est : a classifier or regressor, ours or any of scikit-learn's; it is cloned, never fitted. Where its
        ``random_state`` is ``None``, both clones get 0: only the rows differ.
    X, y : a table of at least 2 rows and their targets.
    n : number of repeats.
    X_test : the rows to disagree on; by default those of ``X``, each of which one of the two models was fitted on.
        Held-out rows tell more: on its own rows a full tree repeats the labels.
    sample_weight : float (n_rows,), handed to ``fit``, and the weights of the rows of ``X`` in the mean.
    random_state : seed of the halves.
    n_jobs : joblib's; the answer does not depend on it.

    Raises
    ------
    InvalidInputError for ``n`` below 1, fewer than 2 rows, lengths that differ, and what is no classifier or regressor.

    Cost: 2n fits on half of the rows.
    """
    from joblib import Parallel, delayed
    from sklearn.base import clone, is_classifier, is_regressor

    if not (is_classifier(est) or is_regressor(est)):
        raise InvalidInputError(f"est is a {type(est).__name__}; a classifier or regressor is accepted")
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise InvalidInputError(f"n is {n!r}; a whole number of repeats, at least 1, is accepted")
    target = np.asarray(y)
    if not target.ndim:
        raise InvalidInputError(f"y is a {type(y).__name__}; one target a row is accepted")
    n_rows = len(target)
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    for name, length in (("X", _length(X)), ("sample_weight", n_rows if weight is None else len(weight))):
        if length != n_rows:
            raise InvalidInputError(f"y has {n_rows} entries and {name} has {length}")
    if n_rows < 2:
        raise InvalidInputError(f"there are {n_rows} rows; two halves need at least 2")

    seeds = {
        name: 0 for name, value in est.get_params().items() if name.split("__")[-1] == "random_state" and value is None
    }
    half = n_rows // 2
    rng = np.random.default_rng(random_state)
    orders = [rng.permutation(n_rows) for _ in range(n)]

    def disagreement(order: NDArray[np.int64]) -> float:
        answers = []
        for rows in (order[:half], order[half:]):
            fitted = clone(est).set_params(**seeds)
            extra = {} if weight is None else {"sample_weight": weight[rows]}
            fitted.fit(_rows(X, rows), target[rows], **extra)
            answers.append(np.asarray(fitted.predict(X if X_test is None else X_test)))
        first, second = answers
        apart = first != second if is_classifier(est) else np.abs(first - second)
        return float(np.average(apart, weights=weight if X_test is None else None))

    return Stability(Parallel(n_jobs=n_jobs, prefer="threads")(delayed(disagreement)(order) for order in orders))


def _length(table: Any) -> int:
    shape = getattr(table, "shape", None)
    return int(shape[0]) if shape else len(table)


def _rows(table: Any, rows: NDArray[np.int64]) -> Any:
    """Some rows of a table, as the same kind of table."""
    if isinstance(table, Sequence):
        return [table[row] for row in rows]
    from sklearn.utils import _safe_indexing

    return _safe_indexing(table, rows)
