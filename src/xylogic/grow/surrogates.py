"""The surrogate splits of a tree: what they are, and where they send rows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.feature import Feature
from xylogic.grow import detour_kernel
from xylogic.model.tree import Tree

__all__ = ["Surrogate", "Surrogates"]

_INTS, _DOUBLES = 4, 3  # the columns of the kernel's tables


@dataclass(frozen=True, slots=True)
class Surrogate:
    """One test that stands in for a node's own.

    Attributes
    ----------
    feature : the column that it tests.
    cut, flipped : a number up to the cut goes left, or right if flipped; the cut is ``None`` for categories.
    left, right : the categories that go to each side; others are as good as missing.
    agreement : of the training weight with a known value of the node's own feature, the part that goes the same way.
    adjusted : the same above what always going with the larger side would give: 1 is a perfect stand-in.
    """

    feature: str
    cut: float | None
    flipped: bool
    left: tuple[Hashable, ...]
    right: tuple[Hashable, ...]
    agreement: float
    adjusted: float

    def __str__(self) -> str:
        if self.cut is None:
            test = f"{self.feature} in {{{', '.join(map(str, self.left))}}}"
        else:
            test = f"{self.feature} {'>' if self.flipped else '<='} {self.cut!r}"
        return f"{test} (agreement {self.agreement:.3f}, adjusted {self.adjusted:.3f})"


@dataclass(frozen=True, eq=False, slots=True)
class Surrogates:
    """Where a tree with surrogates sends rows whose tested value is missing; the tree's own routes are what is left.

    Attributes
    ----------
    first : int32 (n_nodes + 1,); the surrogates of node t are those from ``first[t]`` to ``first[t + 1]``, best first.
    feature : int32 (n,), the column tested.
    cut : float64 (n,); flipped : int8 (n,): numbers up to the cut go left, or right if flipped.
    sides_at : int32 (n,), where the sides of a category test begin in ``sides``, uint8: 1 left, 0 right, 2 none; -1.
    agreement, adjusted : float64 (n,).
    """

    first: NDArray[np.int32]
    feature: NDArray[np.int32]
    cut: NDArray[np.float64]
    flipped: NDArray[np.int8]
    sides_at: NDArray[np.int32]
    sides: NDArray[np.uint8]
    agreement: NDArray[np.float64]
    adjusted: NDArray[np.float64]

    @classmethod
    def of(cls, kernel: Any) -> Surrogates:
        """Those that a ``SurrogateGrower`` has found."""
        ints = kernel.found["ints"][: kernel.n_found * _INTS].reshape(-1, _INTS)
        doubles = kernel.found["doubles"][: kernel.n_found * _DOUBLES].reshape(-1, _DOUBLES)
        order = np.argsort(ints[:, 0], kind="stable")
        node, feature, flipped, sides_at = ints[order].T.copy()
        agreement, adjusted, cut = doubles[order].T.copy()
        return cls(
            first=np.searchsorted(node, np.arange(kernel.nodes.n_nodes + 1)).astype(np.int32),
            feature=feature,
            cut=cut,
            flipped=flipped.astype(np.int8),
            sides_at=sides_at,
            sides=np.append(kernel.found["sides"][: kernel.n_sides], np.uint8(2)),
            agreement=agreement,
            adjusted=adjusted,
        )

    def subtree(self, kept: NDArray[np.int64], is_leaf: NDArray[np.bool_]) -> Surrogates:
        """Those of the tree of the nodes ``kept``."""
        counts = np.where(is_leaf, 0, np.diff(self.first)[kept])
        first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        chosen = np.arange(first[-1]) + np.repeat(self.first[:-1][kept] - first[:-1], counts)
        return Surrogates(
            first, self.feature[chosen], self.cut[chosen], self.flipped[chosen], self.sides_at[chosen], self.sides,
            self.agreement[chosen], self.adjusted[chosen],
        )  # fmt: skip

    def leaves(self, tree: Tree, values: NDArray[np.float64]) -> NDArray[np.int32]:
        """The leaf of each encoded row, int32 (n,)."""
        found = np.empty(len(values), dtype=np.int32)
        detour_kernel.walk(
            np.ascontiguousarray(values),
            tree.feature, tree.cut, tree.left, tree.right, tree.missing, tree.set_ptr, tree.set_items,
            self.first, self.feature, self.cut, self.flipped, self.sides_at, self.sides, found,
        )  # fmt: skip
        return found

    def side_of(self, place: int, feature: Feature) -> tuple[list[int], list[int]]:
        """The category codes that surrogate ``place`` sends left and right."""
        start = int(self.sides_at[place])
        sides = self.sides[start : start + len(feature.categories)]
        return np.flatnonzero(sides == 1).tolist(), np.flatnonzero(sides == 0).tolist()

    def described(self, node: int, features: Sequence[Feature]) -> tuple[Surrogate, ...]:
        """The surrogates of a node in words, best first."""
        return tuple(self._described(place, features) for place in range(self.first[node], self.first[node + 1]))

    def _described(self, place: int, features: Sequence[Feature]) -> Surrogate:
        feature = features[self.feature[place]]
        is_category = self.sides_at[place] >= 0
        sides: tuple[list[Any], list[Any]] = self.side_of(place, feature) if is_category else ([], [])
        left, right = (tuple(feature.categories[code] for code in codes) for codes in sides)
        return Surrogate(
            feature=feature.name,
            cut=None if is_category else float(self.cut[place]),
            flipped=bool(self.flipped[place]),
            left=left,
            right=right,
            agreement=float(self.agreement[place]),
            adjusted=float(self.adjusted[place]),
        )
