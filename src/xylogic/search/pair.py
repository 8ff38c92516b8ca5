"""Two single trees: where do they answer differently?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.errors import InvalidInputError
from xylogic.search.pair_kernel import DONE, FOUND, Walk, spread
from xylogic.search.path_kernel import Path
from xylogic.search.single import Single

__all__ = ["Difference", "Pair"]

_STEPS = 100_000  # pairs of nodes between two looks at the budget


@dataclass(frozen=True, eq=False, slots=True)
class Difference:
    """The rows that reach one leaf of each tree: a box, never empty, and what the trees answer there.

    ``label_a``, ``label_b`` : each tree's own label. ``node_a``, ``node_b`` : leaves of the models' trees with
    these labels.
    Per column, a number in (``low``, ``high``], or a category of the bit set at ``domain.word_at`` in ``words``, or,
    where ``missing`` is 1, a missing value.
    """

    label_a: int
    label_b: int
    node_a: int
    node_b: int
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    missing: NDArray[np.int32]
    words: NDArray[np.uint64]


class Pair:
    """The differences of two trees over the same columns, found by walking both together.

    ``worth_of_a``, ``worth_of_b`` : per label of each tree what it is worth, float64; ``None``: the label itself. Two
    leaves differ where their worths are more than ``tolerance`` apart. Iterating gives every pair of differing leaves
    that meet, once; their boxes are disjoint. O(pairs of leaves that meet), at most |a| * |b|, beside O(|a| + |b|).
    Limits raise BudgetExceeded with the bound ``pairs``: steps done; iteration may then go on.
    """

    def __init__(
        self,
        a: Single,
        b: Single,
        worth_of_a: NDArray[Any] | None = None,
        worth_of_b: NDArray[Any] | None = None,
        *,
        tolerance: float = 0.0,
        budget: Budget | None = None,
    ) -> None:
        if not a.domain.like(b.domain):
            raise InvalidInputError("the trees have other columns, categories or missing values; align them first")
        self.a, self.b = a, b
        self._budget = budget or Budget()
        self._path = Path(a.domain, a.depth + b.depth, len(a.words) + len(b.words))
        spans = (*_span(a, worth_of_a), *_span(b, worth_of_b))
        alike = worth_of_a is worth_of_b or (
            worth_of_a is not None and worth_of_b is not None and np.array_equal(worth_of_a, worth_of_b)
        )
        self._walk = Walk(a.nodes, b.nodes, self._path, spans, tolerance, alike)
        self._steps = 0

    def first(self) -> Difference | None:
        """The next difference; ``None``: there is none (left)."""
        return next(self, None)

    def __iter__(self) -> Iterator[Difference]:
        return self

    def __next__(self) -> Difference:
        while True:
            state = self._walk.run(_STEPS)
            if state == FOUND:
                return self._difference()
            if state == DONE:
                raise StopIteration
            self._steps += _STEPS
            self._budget.check(self._steps)

    def _difference(self) -> Difference:
        a, b = self._walk.at_a, self._walk.at_b
        low, high, missing, words = self._path.box()
        return Difference(
            int(self.a.label[a]), int(self.b.label[b]), int(self.a.source[a]), int(self.b.source[b]),
            low[:-1], high[:-1], missing[:-1], words[:-1],
        )  # fmt: skip


def _span(tree: Single, worth: NDArray[Any] | None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The least and greatest worth below each node."""
    if worth is None:
        return tree.span
    low, high = np.empty(tree.n_nodes), np.empty(tree.n_nodes)
    spread(tree.nodes, np.array(worth, dtype=np.float64), low, high)
    return low, high
