"""Which rows a model takes: the source's own refusals of NaN and of numbers too large."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.table import Table
from xylogic.errors import InvalidInputError

if TYPE_CHECKING:
    from xylogic.model.ensemble import Ensemble

__all__ = ["admit", "cast_values", "refused"]

_PLAIN = {"float32": float(np.finfo(np.float32).max), "float64": float(np.finfo(np.float64).max)}


def cast_values(model: Ensemble, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """``values`` rounded to the model's precision; the same shape, float64."""
    with np.errstate(over="ignore", under="ignore"):
        return _rounded(model, values)


def _rounded(model: Ensemble, values: NDArray[np.float64]) -> NDArray[np.float64]:
    return values.astype(np.float32).astype(np.float64) if model.cast == "float32" else values


def refused(model: Ensemble, values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which cells the model does not take: bool, the shape of ``values`` (float64 (n, n_features), not yet cast)."""
    bad = np.zeros(values.shape, dtype=bool)
    missing = np.isnan(values)
    if missing.any():
        bad |= missing & (model.routeless if model.accepts_missing else True)
    if not model.accepts_infinite:
        bad |= np.isinf(cast_values(model, values))
    if model.limits is not None:
        low, high = np.array(model.limits, dtype=np.float64).reshape(-1, 2).T
        bad |= (values < low) | (values > high)
    return bad


def admit(model: Ensemble, table: Table) -> NDArray[np.float64]:
    """The table's values, cast; raises InvalidInputError at the first cell that the model does not take."""
    if model.limits is None and np.abs(table.values).max(initial=0.0) <= _PLAIN[model.cast]:
        return np.ascontiguousarray(_rounded(model, table.values))
    bad = refused(model, table.values)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        value = float(table.values[row, column])
        raise InvalidInputError(f"column {table.names[column]!r}, row {row}: {_reason(model, int(column), value)}")
    return np.ascontiguousarray(cast_values(model, table.values))


def _reason(model: Ensemble, column: int, value: float) -> str:
    if np.isnan(value):
        return f"the value is missing, and {model.source} has no rule for that here; a number is accepted"
    if model.limits is not None:
        low, high = model.limits[column]
    else:
        high = float(np.finfo(model.cast).max)
        low = -high
    return f"{value!r} is infinite or too large for {model.source}; numbers from {low!r} to {high!r} are accepted"
