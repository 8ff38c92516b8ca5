"""``grow``: one tree from columns and a target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.errors import InvalidInputError
from xylogic.grow.columns import CATEGORY, Columns
from xylogic.grow.freeze_kernel import freeze
from xylogic.grow.grower_kernel import Grower
from xylogic.grow.grown import Grown
from xylogic.grow.surrogate_kernel import SurrogateGrower
from xylogic.grow.surrogates import Surrogates
from xylogic.grow.target import Target
from xylogic.model.build import adopt_tree, make_tree

__all__ = ["Limits", "grow"]

_ENDLESS = 2**30
_INTS, _SET_AT = 12, 10  # the columns of the kernel's node table, and where a category set stands
_NO_TABLE = np.zeros((1, 1), np.float32), np.zeros((1, 1))


@dataclass(frozen=True, slots=True)
class Limits:
    """When growth stops, and how it splits.

    Attributes
    ----------
    max_depth, max_leaf_nodes, max_features : ``None`` is no limit. With ``max_leaf_nodes`` the node of the highest gain
        is split first.
    min_samples_split, min_samples_leaf : rows, whatever their weight.
    min_weight_leaf : weight of a leaf, in the user's units.
    min_impurity_decrease : a split must gain this much, relative to the weight of all rows.
    zero_gain : whether a split that gains nothing may be made.
    monotone : per feature 1 where predictions may not fall with it, -1 where they may not rise, else 0.
    missing : "direction", "level" (as one more category) or "surrogate" (gains are those of the known rows).
    max_surrogates : of a split.
    most_subsets : how many sets of categories may be tried where no order of them is known to be optimal.
    """

    max_depth: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    max_leaf_nodes: int | None = None
    max_features: int | None = None
    zero_gain: bool = True
    monotone: Sequence[int] | None = None
    missing: str = "direction"
    max_surrogates: int = 5
    most_subsets: int = 127


@dataclass(frozen=True, eq=False, slots=True)
class _Options:
    """``Limits`` as the kernels read them."""

    n_orders: int
    ordered_best: bool
    most_subsets: int
    missing: str
    max_surrogates: int
    max_features: int
    zero_gain: bool
    sign: NDArray[np.int32]
    bounded: bool
    max_depth: int
    max_nodes: int
    min_split: int
    min_gain: float
    best_first: bool


def grow(
    columns: Columns,
    target: Target,
    limits: Limits,
    *,
    rows: NDArray[np.int32] | None = None,
    spend: bool = False,
    seed: int = 0,
    budget: Budget | None = None,
) -> Grown:
    """Grow a tree by CART (Breiman et al. 1984), on exact sums.

    The split of the highest gain is taken; gains that differ by less than 1e-12 of the node's loss are equal, and then
    the lowest feature (of sampled ones the first drawn), the lowest cut, and missing on the right win. So neither the
    order of rows matters nor a common factor of the weights, and whole weights count like repeated rows.

    Parameters
    ----------
    columns, target : of all rows; weights have to be positive.
    rows : int32, ascending: those that take part; ``None`` is all.
    spend : whether ``columns`` may be used up, which saves a copy.
    seed : of feature sampling and random cuts.

    Raises InvalidInputError without rows, BudgetExceeded. O(n * n_features * depth) after sorting.
    """
    everything = np.arange(columns.n_rows, dtype=np.int32) if rows is None else np.array(rows, dtype=np.int32)
    if not len(everything):
        raise InvalidInputError("there are no rows of positive weight; at least one is accepted")
    kernel = (SurrogateGrower if limits.missing == "surrogate" else Grower)(
        columns,
        target.criterion(limits.min_samples_leaf, limits.min_weight_leaf),
        everything,
        columns.ordered(rows, spend),
        _options(limits, target, len(columns.n_codes)),
        _mixed(seed),
        budget or Budget(),
    )
    kernel.grow()
    return _grown(kernel, columns, target)


def _options(limits: Limits, target: Target, n_features: int) -> _Options:
    sign = np.zeros(n_features, np.int32) if limits.monotone is None else np.array(limits.monotone, dtype=np.int32)
    return _Options(
        n_orders=target.n_orders,
        ordered_best=target.ordered_best,
        most_subsets=limits.most_subsets,
        missing=limits.missing,
        max_surrogates=limits.max_surrogates,
        max_features=limits.max_features or n_features,
        zero_gain=limits.zero_gain,
        sign=sign,
        bounded=limits.monotone is not None and any(limits.monotone),
        max_depth=_ENDLESS if limits.max_depth is None else min(limits.max_depth, _ENDLESS),
        max_nodes=_ENDLESS if limits.max_leaf_nodes is None else min(2 * limits.max_leaf_nodes - 1, _ENDLESS),
        min_split=limits.min_samples_split,
        min_gain=limits.min_impurity_decrease,
        best_first=limits.max_leaf_nodes is not None,
    )


def _mixed(seed: int) -> int:
    """A 64-bit state, not 0, from any seed (splitmix64)."""
    z = (seed + 0x9E3779B97F4A7C15) & (2**64 - 1)
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & (2**64 - 1)
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & (2**64 - 1)
    return (z ^ (z >> 31)) or 1


def _grown(kernel: Any, columns: Columns, target: Target) -> Grown:
    n, n_outputs = kernel.nodes.n_nodes, kernel.criterion.n_outputs
    links, ways, n_rows = np.empty((3, n), np.int32), np.empty(n, np.int8), np.empty(n, np.int64)
    numbers, constants = np.empty((4, n)), np.empty((2, n, n_outputs))
    is_single, table, cast = columns.is_single, columns.table, "float32" if columns.is_single else "float64"
    single, wide = (table, _NO_TABLE[1]) if is_single else (_NO_TABLE[0], table)
    n_lowest = freeze(
        kernel.nodes, is_single, single, wide, columns.kind, columns.value_at, columns.values, columns.lowest,
        target.weights.unit, links, ways, n_rows, numbers, constants,
    )  # fmt: skip
    (feature, left, right), (cut, weight, impurity, gain), (leaf, value) = links, numbers, constants
    if n_lowest:
        _name_lowest(cut, feature, table)
    if columns.has_categories:
        sets = _sets(kernel.nodes.arrays, feature, columns)
        tree = make_tree(
            feature, cut, left, right, leaf,
            missing=ways, cast=cast, n_features=len(columns.n_codes), sets=sets, infinite=True,
        )  # fmt: skip
    else:
        tree = adopt_tree(feature, cut, left, right, ways, leaf, cast=cast, n_features=len(columns.n_codes))
    routes = Surrogates.of(kernel) if isinstance(kernel, SurrogateGrower) else None
    return Grown(tree, n_rows, weight, impurity, value, gain, routes)


def _name_lowest(cut: NDArray[np.float64], feature: NDArray[np.int32], table: NDArray[Any]) -> None:
    """The lowest finite number splits -inf off as well, and is a cut that explanations can name."""
    lowest = np.finfo(table.dtype).min
    for node in np.flatnonzero(cut == -np.inf).tolist():
        if not (table[:, feature[node]] == lowest).any():
            cut[node] = lowest


def _sets(
    arrays: dict[str, NDArray[Any]], feature: NDArray[np.int32], columns: Columns
) -> dict[int, NDArray[np.int64]]:
    """Node -> the category codes that go left."""
    found = {}
    for node in np.flatnonzero((feature >= 0) & (columns.kind[feature] == CATEGORY)).tolist():
        start = int(arrays["ints"][node * _INTS + _SET_AT])
        sides = arrays["set_codes"][start : start + int(columns.n_codes[feature[node]])]
        found[node] = np.flatnonzero(sides == 1)
    return found
