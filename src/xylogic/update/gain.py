"""The target of growth whose criterion gains in loss and in compatibility with an old tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.grow.columns import Columns
from xylogic.grow.target import Target
from xylogic.update.against import AgainstOld
from xylogic.update.compatible_kernel import Compatible
from xylogic.update.cuts_kernel import Cuts
from xylogic.update.drift_kernel import Drift
from xylogic.update.reference import Reference

__all__ = ["CompatibleTarget", "compatible_target"]

_KINDS = {"jac": 0, "jlu": 1, "mae": 2, "mse": 3}
_BELOW, _ABOVE = 1, 2


@dataclass(frozen=True, eq=False, slots=True)
class _Old:
    """The old tree as ``Drift`` reads it; K leaves, m columns, n rows.

    ``leaf`` int32 (n,), -1 where nobody relies on the row, ``relied`` float64 (n,) its weight; ``sides`` uint8 (K, m),
    which bounds there are; ``lower``, ``upper`` float64 (K, m), in deviations above the column's least value; ``edge``
    float64, the bounds column by column, ascending and each once, those of column f from ``first_edge[f]`` int32
    (m + 1,) on; ``lower_edge``, ``upper_edge`` int32 (K, m), where in the column's part the leaf's bounds are; ``top``
    float64 (m,), the greatest value.
    """

    kind: int
    pooled: bool
    leaf: NDArray[np.int32]
    relied: NDArray[np.float64]
    sides: NDArray[np.uint8]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    edge: NDArray[np.float64]
    first_edge: NDArray[np.int32]
    lower_edge: NDArray[np.int32]
    upper_edge: NDArray[np.int32]
    top: NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class CompatibleTarget(Target):
    """A ``Target`` with another gain."""

    old: _Old
    columns: Columns
    rate: float
    total_weight: float
    lowest: NDArray[np.float64]
    scale: NDArray[np.float64]

    def criterion(self, min_rows: int, min_weight: float) -> Compatible:
        """The kernel."""
        table = self.columns.table
        tables = (table, np.zeros((1, 1))) if self.columns.is_single else (np.zeros((1, 1), np.float32), table)
        return Compatible(
            Target.criterion(self, min_rows, min_weight),
            Drift(self.old, 2 * (len(table) // max(min_rows, 1) + 1)),
            self.rate,
            self.total_weight,
            self.columns,
            Cuts(self.columns, *tables, self.lowest, self.scale),
            self.weights.grid,
        )


def compatible_target(
    target: Target,
    sample: AgainstOld,
    columns: Columns,
    rows: NDArray[Any] | None,
    *,
    kind: str,
    jlu: str,
    strength: float,
) -> Target:
    """``target`` with the gain of CART-BCTX: that in loss, and ``strength`` times that in dissimilarity.

    Both are means, over all rows by the target's weights and over the rows relied on by theirs; where there are none,
    or ``strength`` is 0, it is ``target`` itself. ``rows``: those of the sample that take part, ``None`` for all.
    """
    part = sample if rows is None else sample.part(rows)
    counts = part.relied_weight
    total = float(counts.sum())
    if not strength or not total:
        return target
    relied = np.zeros(sample.n_rows)
    relied[slice(None) if rows is None else rows] = counts
    leaf = np.where(relied > 0, sample.leaf, np.int32(-1))
    grid = target.weights.grid
    weight = float(part.n_rows) if grid is None else float(grid.sum())
    m = len(sample.features)
    lowest, scale = np.zeros(m), np.ones(m)
    rate = strength * weight / total
    n_leaves = len(sample.bounds.lower)
    lower = upper = np.zeros((n_leaves, m))
    top, no = np.zeros(m + 1), np.zeros((1, 1), np.int32)
    edges = np.zeros(1), np.zeros(m + 1, np.int32), no, no
    if kind in ("mae", "mse"):
        reference = part.reference()
        lowest, scale = reference.lowest, np.where(reference.is_constant, 1.0, reference.scale)
        rate /= 2 * m
        low, high = reference.clip(sample.bounds)
        lower, upper, top = (_measured(bound, reference, scale) for bound in (low, high, reference.highest))
        edges = _edges(lower, upper) if kind == "mae" else edges
    sides = sample.bounds.has_lower * np.uint8(_BELOW) + sample.bounds.has_upper * np.uint8(_ABOVE)
    old = _Old(_KINDS[kind], jlu == "pooled", leaf, relied, sides, lower, upper, *edges, top)
    return CompatibleTarget(
        target.rule, target.y, target.weights, target.n_classes, target.loss,
        old=old, columns=columns, rate=rate, total_weight=weight, lowest=lowest, scale=scale,
    )  # fmt: skip


def _measured(numbers: NDArray[np.float64], reference: Reference, scale: NDArray[np.float64]) -> NDArray[np.float64]:
    """As ``Cuts.between``, operation by operation: equal cuts have equal numbers."""
    return np.asarray((numbers * 0.5 - reference.lowest * 0.5) / scale * 2.0)


def _edges(lower: NDArray[np.float64], upper: NDArray[np.float64]) -> tuple[Any, Any, Any, Any]:
    """``edge``, ``first_edge``, ``lower_edge`` and ``upper_edge`` of ``_Old``. O(m K log K)."""
    bounds = np.concatenate([lower, upper]).T
    order = np.argsort(bounds, axis=1)
    ascending = np.take_along_axis(bounds, order, axis=1)
    is_new = np.ones(bounds.shape, bool)
    np.not_equal(ascending[:, 1:], ascending[:, :-1], out=is_new[:, 1:])
    number = np.empty(bounds.shape, np.int32)
    np.put_along_axis(number, order, is_new.cumsum(axis=1, dtype=np.int32) - 1, axis=1)
    first = np.concatenate([[0], is_new.sum(axis=1).cumsum()]).astype(np.int32)
    lower_edge, upper_edge = np.split(np.ascontiguousarray(number.T), 2)
    return ascending[is_new], first, lower_edge, upper_edge
