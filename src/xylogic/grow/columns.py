"""A table as the grower reads it: every value as its number among the distinct values of its column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.feature import Feature
from xylogic.grow.binned_kernel import side_by_side
from xylogic.grow.sort_kernel import Ranker, kept

__all__ = ["Columns", "read_columns"]

SORTED, BINNED, RANKED, CATEGORY = range(4)
FEW_VALUES = 64  # up to here sums by value beat sorted rows
_NONE = np.zeros(0)


@dataclass(frozen=True, eq=False, slots=True)
class Columns:
    """The columns of a table; a missing value's code is the column's number of codes.

    Attributes
    ----------
    table : float32 or float64 (n, n_features), the values.
    mode : "exact", "hist" or "random".
    codes : int32 (n_features, n), ascending with the values; a category is its own code.
    n_codes : int32 (n_features,).
    kind : int32 (n_features,): SORTED columns keep their rows in ``order``; BINNED ones have few codes, over which sums
        are taken; RANKED ones are sorted node by node; CATEGORY.
    slot : int32 (n_features,), the place of a SORTED column in ``order``, of a BINNED one in ``small``, else -1.
    order : int32 (n_sorted, n), the rows by ascending code.
    small : uint8 (n, max(n_binned, 1)), the codes of BINNED columns once more, by rising number of codes.
    has_missing : int32 (n_features,), 1 where values are missing.
    values, value_at : float64 and int64 (n_features + 1,): ``values[value_at[j] + c]`` is the highest value with code
        c; there for BINNED columns, and in mode "random" for all numbers.
    lowest : as ``values``, the lowest value with each code.
    """

    table: NDArray[Any]
    mode: str
    codes: NDArray[np.int32]
    n_codes: NDArray[np.int32]
    kind: NDArray[np.int32]
    slot: NDArray[np.int32]
    order: NDArray[np.int32]
    small: NDArray[np.uint8]
    has_missing: NDArray[np.int32]
    values: NDArray[np.float64]
    value_at: NDArray[np.int64]
    lowest: NDArray[np.float64]

    @property
    def n_rows(self) -> int:
        return len(self.table)

    def ordered(self, rows: NDArray[np.int32] | None, spend: bool = False) -> NDArray[np.int32]:
        """``order`` without the rows that are not in ``rows`` (ascending; None: all), flat, to be changed freely.

        ``spend`` gives all of it away instead of a copy: the columns are then good for nothing more.
        """
        if rows is None:
            return self.order.reshape(-1) if spend else self.order.ravel().copy()
        keep = np.zeros(self.n_rows, dtype=np.uint8)
        keep[rows] = 1
        found = np.empty(len(self.order) * len(rows) + 1, dtype=np.int32)
        kept(self.order, keep, found)
        return found[:-1]


def read_columns(
    table: NDArray[Any],
    features: Sequence[Feature],
    *,
    mode: str = "exact",
    max_bins: int = 255,
    max_features: int | None = None,
) -> Columns:
    """Rank the values of every column. O(n * n_features).

    Parameters
    ----------
    table : float32 or float64 (n, n_features); NaN is missing, a category stands as its code.
    features : one per column.
    mode : "exact"; "hist", where numbers are put into at most ``max_bins`` bins of about equally many rows; "random",
        for random cuts.
    max_features : how many columns a node looks at; if few, sorting its rows anew beats keeping all columns sorted.
    """
    n, n_features = table.shape
    codes = np.empty((n_features, n), np.int32)
    order = np.empty((max(n_features, 1), n), np.int32)
    first = np.empty(FEW_VALUES, np.int32)
    n_codes, kind, missing = (np.zeros(n_features, np.int32) for _ in range(3))
    slot = np.full(n_features, -1, np.int32)
    values, lowest = [_NONE] * n_features, [_NONE] * n_features
    n_sorted = 0
    ranker = Ranker(n, FEW_VALUES)
    single = table.dtype == np.float32
    rank, raw = (ranker.singles, table.view(np.uint32)) if single else (ranker.doubles, table.view(np.uint64))
    lazily = max_features is not None and 8 * max_features <= n_features
    for j, feature in enumerate(features):
        if feature.kind == "categorical":
            n_codes[j], kind[j] = len(feature.categories), CATEGORY
            codes[j] = np.where(np.isnan(table[:, j]), n_codes[j], table[:, j])
            continue
        found = rank(raw[:, j], order[n_sorted], codes[j], first)
        n_codes[j] = abs(found)
        if found > 0 and mode == "exact":
            kind[j] = RANKED if lazily else SORTED
            if not lazily:
                slot[j] = n_sorted
                n_sorted += 1
            continue
        rows = first[:-found] if found <= 0 else _some_rows(codes[j], found)
        values[j] = lowest[j] = table[rows, j].astype(np.float64) + 0.0
        kind[j] = RANKED if mode == "random" else BINNED
        if mode == "hist" and n_codes[j] > max_bins:
            codes[j], lowest[j], values[j] = _binned(codes[j], values[j], max_bins)
            n_codes[j] = len(values[j])
    for j in range(n_features):
        missing[j] = (codes[j] == n_codes[j]).any()
    binned = kind == BINNED
    few = np.flatnonzero(binned)
    few = few[np.argsort(n_codes[few], kind="stable")]
    slot[few] = np.arange(len(few))
    small = np.zeros((n, max(len(few), 1)), np.uint8)
    side_by_side(codes, few.astype(np.int32), small)
    return Columns(
        table=table,
        mode=mode,
        codes=codes,
        n_codes=n_codes,
        kind=kind,
        slot=slot,
        order=order[:n_sorted],
        small=small,
        has_missing=missing,
        values=np.concatenate([*values, np.zeros(1)]),
        value_at=np.cumsum([0, *map(len, values)], dtype=np.int64),
        lowest=np.concatenate([*lowest, np.zeros(1)]),
    )


def _some_rows(codes: NDArray[np.int32], n_codes: int) -> NDArray[np.int32]:
    """One row for every code."""
    rows = np.empty(n_codes + 1, np.int32)
    rows[codes] = np.arange(len(codes), dtype=np.int32)
    return rows[:n_codes]


def _binned(
    codes: NDArray[np.int32], values: NDArray[np.float64], max_bins: int
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]]:
    """Codes in at most ``max_bins`` bins of about equally many rows, and each bin's lowest and highest value."""
    n_codes = len(values)
    count = np.bincount(codes, minlength=n_codes + 1)[:n_codes]
    middle = np.cumsum(count) - count / 2
    wanted = np.minimum((middle * max_bins / count.sum()).astype(np.int64), max_bins - 1)
    bin_of = np.append(np.unique(wanted, return_inverse=True)[1], 0).astype(np.int32)
    n_bins = int(bin_of[:n_codes].max()) + 1
    bin_of[n_codes] = n_bins
    first = np.searchsorted(bin_of[:n_codes], np.arange(n_bins))
    last = np.append(first[1:], n_codes) - 1
    return bin_of[codes], values[first], values[last]
