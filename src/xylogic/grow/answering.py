"""What a grown tree answers, whatever way it has for missing values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from xylogic.errors import InvalidInputError
from xylogic.grow.flow import Shares
from xylogic.grow.grown import Grown
from xylogic.model import predict_kernel

__all__ = ["answers", "ends", "leaves_of"]


def leaves_of(grown: Grown, values: NDArray[np.float64]) -> NDArray[np.int32]:
    """The leaf of each encoded row, int32 (n,). O(n * depth).

    Raises InvalidInputError where a row ends in several, as fractional ones do.
    """
    if isinstance(grown.routes, Shares):
        parts = grown.routes.flow(grown.tree, values)
        if len(parts.row) > len(values):
            row = int(parts.row[np.flatnonzero(np.diff(parts.row) == 0)[0]])
            raise InvalidInputError(f"row {row} reaches several leaves: missing='fractional' divides it")
        return parts.leaf.astype(np.int32)
    if grown.routes is not None:
        return grown.routes.leaves(grown.tree, values)
    tree, found = grown.tree, np.empty((len(values), 1), dtype=np.int32)
    predict_kernel.apply(
        np.ascontiguousarray(values),
        tree.feature, tree.cut, tree.left, tree.right, tree.missing, tree.set_ptr, tree.set_items,
        np.zeros(1, np.int32), found,
    )  # fmt: skip
    return found[:, 0].copy()


def answers(grown: Grown, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each encoded row's class shares or number, float64 (n, n_outputs); of fractional rows the mean by part."""
    if isinstance(grown.routes, Shares):
        return grown.routes.flow(grown.tree, values).answers(grown.value, len(values))
    return grown.value[leaves_of(grown, values)]


def ends(grown: Grown, values: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows and the leaves that they reach, int64 of one length: a fractional row is there once for each."""
    if isinstance(grown.routes, Shares):
        parts = grown.routes.flow(grown.tree, values)
        return parts.row, parts.leaf
    return np.arange(len(values)), leaves_of(grown, values).astype(np.int64)
