"""A table as the grower reads it: every value as its number among the distinct values of its column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.feature import Feature
from xylogic.grow.binned_kernel import side_by_side
from xylogic.grow.others_kernel import shorten
from xylogic.grow.sort_kernel import kept, rank_columns

__all__ = ["Columns", "ranked", "read_columns"]

SORTED, BINNED, RANKED, CATEGORY = range(4)
FEW_VALUES = 64  # up to here sums by value beat sorted rows
_MOST_SHORT = 65536
_NONE = np.zeros(1)  # values where there are none, and one to spare


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
    slot : int32 (n_features,), the place of a SORTED column in ``order``, of a BINNED one in ``small``, of a RANKED one
        in ``short``, else -1.
    order : int32 (n_sorted, n), the rows by ascending code.
    small : uint8 (n, max(n_binned, 1)), the codes of BINNED columns once more, by rising number of codes.
    small_codes : int32 (n_binned,), how many codes each of these has.
    short : uint16 (n_short, n), the codes of RANKED columns once more, where there are at most 65536 and none missing.
    common, short_codes : int32 (n_short,), the code that most of their rows have, and how many codes there are.
    other : uint64 (words, n): bit j & 63 of ``other[j >> 6]`` tells where ``short[j]`` is not ``common[j]``.
    has_missing : int32 (n_features,), 1 where values are missing.
    values, value_at : float64 and int64 (n_features + 1,): ``values[value_at[j] + c]`` is the highest value with code
        c; there for BINNED columns, and in mode "random" for all numbers.
    lowest : as ``values``, the lowest value with each code.
    has_categories : whether there are CATEGORY columns.
    most_levels : the most codes of a column that is not SORTED, at least 2.
    """

    table: NDArray[Any]
    mode: str
    codes: NDArray[np.int32]
    n_codes: NDArray[np.int32]
    kind: NDArray[np.int32]
    slot: NDArray[np.int32]
    order: NDArray[np.int32]
    small: NDArray[np.uint8]
    small_codes: NDArray[np.int32]
    short: NDArray[np.uint16]
    common: NDArray[np.int32]
    other: NDArray[np.uint64]
    short_codes: NDArray[np.int32]
    has_missing: NDArray[np.int32]
    values: NDArray[np.float64]
    value_at: NDArray[np.int64]
    lowest: NDArray[np.float64]
    has_categories: bool
    most_levels: int

    @property
    def is_single(self) -> bool:
        return self.table.dtype == np.float32

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
    lazily = max_features is not None and 8 * max_features <= n_features
    sort = mode == "exact" and not lazily
    is_category = np.array([feature.kind == "categorical" for feature in features])
    order = np.empty((n_features if sort else 1, n), np.int32)
    codes, first = np.empty((n_features, n), np.int32), np.empty((n_features, FEW_VALUES), np.int32)
    found, missing = np.zeros((2, n_features), np.int32)
    numbers = np.flatnonzero(~is_category).astype(np.int32)
    rank_columns(*_raw(table), FEW_VALUES, numbers, sort, order, codes, first, found, missing)
    n_codes = np.abs(found)
    kind = np.full(n_features, RANKED if mode == "random" else BINNED, np.int32)
    if mode == "exact":
        kind[found > 0] = RANKED if lazily else SORTED
    for j in np.flatnonzero(is_category).tolist():
        n_codes[j] = len(features[j].categories)
        absent = np.isnan(table[:, j])
        codes[j], missing[j] = np.where(absent, n_codes[j], table[:, j]), absent.any()
    kind[is_category] = CATEGORY
    slot = np.full(n_features, -1, np.int32)
    sorted_ones = np.flatnonzero(kind == SORTED)
    slot[sorted_ones] = np.arange(len(sorted_ones), dtype=np.int32)
    values: list[NDArray[np.float64]] = []
    lowest: list[NDArray[np.float64]] = []
    value_at = np.zeros(n_features + 1, np.int64)
    if mode == "exact":
        value_at[1:] = np.where(kind == BINNED, n_codes, 0)
        values = lowest = [_few_values(table, first, value_at[1:])]
    for j in numbers.tolist() if mode != "exact" else ():
        rows = first[j, : n_codes[j]] if found[j] <= 0 else _some_rows(codes[j], n_codes[j])
        highest = least = table[rows, j].astype(np.float64) + 0.0
        if mode == "hist" and n_codes[j] > max_bins:
            codes[j], least, highest = _binned(codes[j], highest, max_bins)
            n_codes[j] = len(highest)
        values.append(highest)
        lowest.append(least)
        value_at[j + 1] = len(highest)
    few = np.flatnonzero(kind == BINNED)
    few = few[np.argsort(n_codes[few], kind="stable")].astype(np.int32)
    slot[few] = np.arange(len(few), dtype=np.int32)
    small = np.zeros((n, max(len(few), 1)), np.uint8)
    if len(few):
        side_by_side(codes, few, small)
    brief = np.flatnonzero((kind == RANKED) & (n_codes <= _MOST_SHORT) & (missing == 0) & (mode == "exact"))
    slot[brief] = np.arange(len(brief), dtype=np.int32)
    short, common = np.zeros((max(len(brief), 1), n), np.uint16), np.zeros(max(len(brief), 1), np.int32)
    other = np.zeros((len(short) + 63 >> 6, n), np.uint64)
    if len(brief):
        shorten(codes, brief.astype(np.int32), short, common, other)
    return Columns(
        table=table,
        mode=mode,
        codes=codes,
        n_codes=n_codes,
        kind=kind,
        slot=slot,
        order=order[: len(sorted_ones)],
        small=small,
        small_codes=n_codes[few],
        short=short,
        common=common,
        other=other,
        short_codes=np.append(n_codes[brief], 0).astype(np.int32),
        has_missing=missing,
        values=np.concatenate([*values, _NONE]),
        value_at=np.cumsum(value_at),
        lowest=np.concatenate([*lowest, _NONE]),
        has_categories=bool(is_category.any()),
        most_levels=int(n_codes[kind != SORTED].max(initial=2)),
    )


def ranked(numbers: NDArray[np.float64]) -> NDArray[np.int32]:
    """Each number's place among the distinct ones, (n,); O(n)."""
    codes, order = np.empty((2, 1, len(numbers)), np.int32)
    first, found, missing, only = np.zeros((1, 1), np.int32), *np.zeros((3, 1), np.int32)
    rank_columns(*_raw(numbers[:, np.newaxis]), 0, only, False, order, codes, first, found, missing)
    return codes[0]


def _raw(table: NDArray[Any]) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
    """The table's bits, as what ``rank_columns`` takes."""
    if table.dtype == np.float32:
        return table.view(np.uint32), np.zeros((0, 0), np.uint64)
    return np.zeros((0, 0), np.uint32), table.view(np.uint64)


def _few_values(table: NDArray[Any], first: NDArray[np.int32], count: NDArray[np.int64]) -> NDArray[np.float64]:
    """The values with the codes below ``count[j]`` of every column j, of each of which ``first[j]`` names a row."""
    there = np.arange(first.shape[1]) < count[:, np.newaxis]
    return table[first[there], np.repeat(np.arange(len(count)), count)].astype(np.float64) + 0.0


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
