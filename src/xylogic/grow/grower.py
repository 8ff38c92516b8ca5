"""``grow``: one tree from columns and a target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.errors import InvalidInputError
from xylogic.grow.columns import BINNED, CATEGORY, Columns
from xylogic.grow.grower_kernel import Grower
from xylogic.grow.grown import Grown
from xylogic.grow.surrogate_kernel import SurrogateGrower
from xylogic.grow.surrogates import Surrogates
from xylogic.grow.target import Target
from xylogic.model.build import make_tree

__all__ = ["Limits", "grow"]

_ENDLESS = 2**30
_INTS, _DOUBLES = 11, 6  # the columns of the kernel's node table
_FEATURE, _LEFT, _RIGHT, _, _, _N_ROWS, _, _BELOW, _ABOVE, _WAY, _SET_AT = range(_INTS)
_WEIGHT, _LOSS, _GAIN, _CUT = range(4)


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
    arrays = kernel.nodes.arrays
    ints = arrays["ints"][: n * _INTS].reshape(n, _INTS)
    doubles = arrays["doubles"][: n * (_DOUBLES + n_outputs)].reshape(n, -1)
    inner = ints[:, _LEFT] >= 0
    feature = np.where(inner, ints[:, _FEATURE], -1)
    missing = np.where(inner, ints[:, _WAY], 0)
    value = doubles[:, _DOUBLES:].copy()
    weight = doubles[:, _WEIGHT] * target.weights.unit
    tree = make_tree(
        feature,
        _cuts(ints, doubles[:, _CUT], feature, columns),
        ints[:, _LEFT],
        ints[:, _RIGHT],
        value,
        missing=missing,
        cast=columns.table.dtype.name,
        n_features=len(columns.n_codes),
        sets=_sets(arrays["set_codes"], ints, feature, columns),
        infinite=True,
    )
    return Grown(
        tree=tree,
        n_rows=ints[:, _N_ROWS].astype(np.int64),
        weight=weight,
        impurity=doubles[:, _LOSS] / doubles[:, _WEIGHT],
        value=value,
        gain=np.where(inner, doubles[:, _GAIN], 0.0) * target.weights.unit,
        routes=Surrogates.of(kernel) if isinstance(kernel, SurrogateGrower) else None,
    )


def _cuts(
    ints: NDArray[np.int32], given: NDArray[np.float64], feature: NDArray[np.int32], columns: Columns
) -> NDArray[np.float64]:
    """Each node's cut, half-way between the values beside it unless ``given``; +inf splits missing rows off."""
    cut = np.where(np.isnan(given), np.inf, given)
    between = (feature >= 0) & np.isnan(given) & (ints[:, _ABOVE] >= 0)
    between &= columns.kind[feature] != CATEGORY
    binned = columns.kind[feature] == BINNED
    in_table, in_values = np.flatnonzero(between & ~binned), np.flatnonzero(between & binned)
    low, high = np.zeros(len(cut)), np.zeros(len(cut))
    low[in_table] = columns.table[ints[in_table, _BELOW], feature[in_table]]
    high[in_table] = columns.table[ints[in_table, _ABOVE], feature[in_table]]
    first = columns.value_at[feature[in_values]]
    low[in_values] = columns.values[first + ints[in_values, _BELOW]]
    high[in_values] = columns.lowest[first + ints[in_values, _ABOVE]]
    with np.errstate(invalid="ignore"):
        middle = low / 2 + high / 2
    middle = np.where((low <= middle) & (middle < high), middle, low)
    cut[between] = middle[between]
    lowest = np.finfo(columns.table.dtype).min
    for node in np.flatnonzero((cut == -np.inf) & (feature >= 0)).tolist():
        # The lowest finite number splits -inf off as well, and is a cut that explanations can name.
        if not (columns.table[:, feature[node]] == lowest).any():
            cut[node] = lowest
    return cut


def _sets(
    chosen: NDArray[np.uint8], ints: NDArray[np.int32], feature: NDArray[np.int32], columns: Columns
) -> dict[int, list[int]]:
    """Node -> the category codes that go left."""
    found = {}
    for node in np.flatnonzero((feature >= 0) & (columns.kind[feature] == CATEGORY)).tolist():
        start = int(ints[node, _SET_AT])
        sides = chosen[start : start + int(columns.n_codes[feature[node]])]
        found[node] = np.flatnonzero(sides == 1).tolist()
    return found
