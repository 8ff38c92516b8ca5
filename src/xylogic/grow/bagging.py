"""Which rows each tree of a forest takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bagging", "number_of_draws", "tree_seeds"]

_SEEDS = 2**31 - 1


@dataclass(frozen=True, eq=False, slots=True)
class Bagging:
    """How each tree of a forest draws its rows: with replacement, a row's chance in proportion to its weight.

    The draws of a seed are those of scikit-learn's forests (1.9), number by number.

    Attributes
    ----------
    n_rows : the rows there are, all of positive weight.
    n_draws : how many are drawn for a tree.
    weight : float64 (n_rows,), or ``None`` for equal ones.
    """

    n_rows: int
    n_draws: int
    weight: NDArray[np.float64] | None = None

    def draw(self, seed: int) -> NDArray[np.int64]:
        """The rows of the tree with this seed, in the order drawn: (n_draws,). O(n_rows + n_draws log n_rows)."""
        random = np.random.RandomState(seed)
        if self.weight is None:
            return random.randint(0, self.n_rows, self.n_draws).astype(np.int64)
        share = self.weight / self.weight.sum()
        return random.choice(self.n_rows, self.n_draws, replace=True, p=share).astype(np.int64)

    def counts(self, seed: int) -> NDArray[np.int64]:
        """How often each row is drawn for that tree: (n_rows,)."""
        return np.bincount(self.draw(seed), minlength=self.n_rows)


def number_of_draws(max_samples: float | None, n_rows: int, weight: NDArray[np.float64] | None) -> int:
    """``max_samples`` as a number of draws: ``None`` is one per row, a fraction is one of the total weight, at least 1.

    Without weights the total weight is ``n_rows``.
    """
    if max_samples is None:
        return n_rows
    if isinstance(max_samples, int | np.integer):
        return int(max_samples)
    total = n_rows if weight is None else float(weight.sum())
    return max(1, int(max_samples * total))


def tree_seeds(random: np.random.RandomState, n_trees: int) -> list[int]:
    """One seed per tree. The first ones do not depend on ``n_trees``, so that a forest can be grown further."""
    return [int(seed) for seed in random.randint(_SEEDS, size=n_trees)]
