"""Which rows' explanations people rely on: those that the old tree answers right, or those that the user names."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from xylogic.domain.labels import label_key
from xylogic.domain.levels import is_missing
from xylogic.errors import InvalidInputError
from xylogic.grow.parameters import MAX_TARGET
from xylogic.model.ensemble import Ensemble
from xylogic.model.predict import decide, scores

__all__ = ["answers", "cells_of", "check_tolerance", "is_right", "read_targets", "relied_rows", "row_weights", "scaled"]


def relied_rows(
    old: Ensemble, values: NDArray[np.float64], y: Any, tolerance: float = 0.0, relied: ArrayLike | None = None
) -> NDArray[np.float64]:
    """How much each row's old explanation counts: the set D_s, as weights.

    Parameters
    ----------
    old : the old tree.
    values : float64 (n, n_features), as ``old.encode`` gives them.
    y : n true labels or numbers. A label that the old tree does not know is one that it gets wrong.
    tolerance : of a regression tree: it is right where it is off by at most so much.
    relied : the user's own choice in place of the old tree's right answers: n numbers from 0 up, or n booleans.

    Returns
    -------
    float64 (n,): 1 where the old tree is right and 0 elsewhere, or ``relied``. Where all are 0, dissimilarities have
    no mean, the objective is the loss alone, and growing is plain CART.

    Raises InvalidInputError as ``read_targets`` does, and for numbers that are negative, not finite or not n.
    """
    targets = read_targets(y, len(values), old.classes)
    if relied is not None:
        return row_weights(relied, len(values), "relied")
    return is_right(answers(old, values), targets, tolerance).astype(np.float64)


def row_weights(weights: ArrayLike, n: int, name: str = "weights") -> NDArray[np.float64]:
    """The user's weights as float64 (n,), checked; a copy, which kernels may take."""
    try:
        given = np.array(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{name} are no numbers ({error}); {n} numbers from 0 up are accepted") from error
    if given.shape != (n,):
        raise InvalidInputError(f"{name} have shape {given.shape}; ({n},) is accepted, one number a row")
    bad = ~(np.isfinite(given) & (given >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise InvalidInputError(f"{name}, row {row}: {float(given[row])!r}; finite numbers from 0 up are accepted")
    return given


def scaled(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights times a power of two, so that the greatest is from 1 to 2: means by them stay, and sums are finite."""
    return np.asarray(np.ldexp(weights, 1 - np.frexp(weights.max(initial=0.0))[1]))


def answers(model: Ensemble, values: NDArray[np.float64]) -> NDArray[Any]:
    """What a model answers: float64 (n,), or intp positions in its classes."""
    score = scores(model, values)
    return score[:, 0] if model.classes is None else decide(model, score)


def is_right(given: NDArray[Any], targets: NDArray[Any], tolerance: float = 0.0) -> NDArray[np.bool_]:
    """Where ``answers`` are ``targets`` (from ``read_targets``); where numbers are off by at most ``tolerance``."""
    if given.dtype.kind == "f":
        return np.asarray(np.abs(given - targets) <= tolerance)
    return np.asarray(given == targets)


def check_tolerance(tolerance: Any) -> float:
    """``tolerance`` as a float; raises InvalidInputError unless it is a finite number from 0 up."""
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float | np.number) or not 0 <= tolerance < np.inf:
        raise InvalidInputError(f"tolerance is {tolerance!r}; a finite number from 0 up is accepted")
    return float(tolerance)


def read_targets(y: Any, n: int, classes: Sequence[Hashable] | None) -> NDArray[Any]:
    """The true answers of n rows: float64, or intp positions in ``classes``, -1 for a label that is none of them.

    Raises InvalidInputError, naming the row, for a wrong number of answers, and for what is no number or no label.
    """
    cells = cells_of(y)
    if len(cells) != n:
        raise InvalidInputError(f"y has {len(cells)} entries for {n} rows; one a row is accepted")
    if classes is None:
        return _numbers(cells)
    places = {label_key(label): place for place, label in enumerate(classes)}
    try:
        return np.array([places.get(label_key(label), -1) for label in cells], dtype=np.intp)
    except TypeError as error:
        raise InvalidInputError(f"y holds what is no label ({error}); one label a row is accepted") from error


def _numbers(cells: Sequence[Any]) -> NDArray[np.float64]:
    """Finite numbers as float64."""
    for row, cell in enumerate(cells):
        if isinstance(cell, str | bytes):
            raise InvalidInputError(f"y, row {row}: {cell!r} is text; one finite number a row is accepted")
    try:
        numbers = np.array([np.nan if is_missing(cell) else cell for cell in cells], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"y holds what is no number ({error}); finite numbers are accepted") from error
    if numbers.ndim != 1:
        raise InvalidInputError(f"y has shape {numbers.shape}; one finite number a row is accepted")
    fits = np.abs(numbers) <= MAX_TARGET
    if not fits.all():
        row = int(np.argmin(fits))
        raise InvalidInputError(
            f"y, row {row}: {float(numbers[row])!r}; one finite number a row, up to {MAX_TARGET:g}, is accepted"
        )
    return numbers


def cells_of(y: Any) -> list[Any]:
    """The entries of an array, Series, column or list as Python scalars; a table of one column will do."""
    for convert in ("to_pylist", "to_list"):  # pyarrow; pandas and polars
        if hasattr(y, convert):
            return list(getattr(y, convert)())
    if isinstance(y, str | bytes) or not hasattr(y, "__iter__"):
        raise InvalidInputError(f"y is a {type(y).__name__}; a sequence of labels or numbers is accepted")
    if not isinstance(y, list | tuple):
        y = np.asarray(y)
        y = (y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y).tolist()
    return list(y)
