"""Which rows each tree of a forest takes, and what the trees say of the rows that they did not take."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.errors import InvalidInputError
from xylogic.grow.twister_kernel import how_often, whole_numbers

__all__ = ["Bagging", "fingerprint", "growth_seed", "number_of_draws", "out_of_bag", "tree_seeds"]

_SEEDS = 2**31 - 1
_thread = threading.local()


@dataclass(frozen=True, eq=False, slots=True)
class Bagging:
    """How each tree of a forest draws its rows: with replacement, a row's chance in proportion to its weight.

    The draws of a seed are those of scikit-learn's forests (1.9), number by number.

    Attributes
    ----------
    n_rows : the rows there are, all of positive weight.
    n_draws : how many are drawn for a tree; ``None``: no drawing, every tree takes every row.
    weight : float64 (n_rows,), or ``None`` for equal ones.
    rows : int64 (n_rows,), where the rows stand in the table given to ``fit``; ``None``: they are its rows.
    n_given : the rows of that table.
    data : a fingerprint of the rows, their targets and weights.
    """

    n_rows: int
    n_draws: int | None
    weight: NDArray[np.float64] | None = None
    rows: NDArray[np.int64] | None = None
    n_given: int = 0
    data: bytes = b""

    def draw(self, seed: int) -> NDArray[np.int64]:
        """The rows of the tree with this seed, in the order drawn: (n_draws,). O(n_rows + n_draws log n_rows)."""
        if self.n_draws is None:
            return np.arange(self.n_rows)
        if self.weight is None:
            return _drawn(seed, self.n_rows, self.n_draws)
        share = self.weight / self.weight.sum()
        return _seeded(seed).choice(self.n_rows, self.n_draws, replace=True, p=share).astype(np.int64)

    def counts(self, seed: int) -> NDArray[np.int64]:
        """How often each row is drawn for that tree: (n_rows,)."""
        if self.n_draws is not None and self.weight is None:
            counts: NDArray[np.int64] = how_often(seed, self.n_rows, self.n_draws)
            return counts
        return np.bincount(self.draw(seed), minlength=self.n_rows)

    def samples(self, seed: int) -> NDArray[np.int64]:
        """``draw``, by the rows of the table given to ``fit``."""
        return self.draw(seed) if self.rows is None else self.rows[self.draw(seed)]

    def spread(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """``values``, (n_rows, ...), by the rows of that table; NaN at its other rows."""
        if self.rows is None:
            return values
        found = np.full((self.n_given, *values.shape[1:]), np.nan)
        found[self.rows] = values
        return found


def growth_seed(seed: int) -> int:
    """What the grower is seeded with in a tree of ``seed``: as in a single tree with this ``random_state``."""
    return int(_drawn(seed, _SEEDS, 1)[0])


def _drawn(seed: int, below: int, n_draws: int) -> NDArray[np.int64]:
    """``RandomState(seed).randint(below, size=n_draws)``, several times as fast."""
    drawn = np.empty(n_draws + 1, np.int64)
    whole_numbers(seed, below, drawn)
    return drawn[:n_draws]


def _seeded(seed: int) -> np.random.RandomState:
    """A ``RandomState`` in the state ``RandomState(seed)`` begins in; making one anew takes much longer."""
    if not hasattr(_thread, "random"):
        _thread.random = np.random.RandomState()
    random: np.random.RandomState = _thread.random
    random.seed(seed)
    return random


def number_of_draws(max_samples: float | None, n_rows: int, weight: NDArray[np.float64] | None) -> int:
    """``max_samples`` as a number of draws: ``None`` is one per row, a fraction is one of the total weight, at least 1.

    Without weights the total weight is ``n_rows``. Raises InvalidInputError for more draws than 2^31 - 1, and warns
    where a fraction makes fewer than 10, or than the cube root of ``n_rows``.
    """
    if max_samples is None:
        return n_rows
    if isinstance(max_samples, int | np.integer):
        return int(max_samples)
    total = n_rows if weight is None else float(weight.sum())
    wanted = float(max_samples) * total
    what = f"max_samples={max_samples!r} of a total weight of {total:g}"
    if wanted > _SEEDS:
        raise InvalidInputError(f"{what} are {wanted:.3g} draws a tree; a whole number up to {_SEEDS} is accepted")
    n_draws = max(1, int(wanted))
    if n_draws < max(10, n_rows ** (1 / 3)):
        warnings.warn(
            f"{what} are {n_draws} draws a tree; pass a whole number to ask for more", UserWarning, stacklevel=5
        )
    return n_draws


def tree_seeds(random: np.random.RandomState, n_trees: int) -> list[int]:
    """One seed per tree. The first ones do not depend on ``n_trees``, so that a forest can be grown further."""
    return [int(seed) for seed in random.randint(_SEEDS, size=n_trees)]


def fingerprint(*arrays: NDArray[Any] | None) -> bytes:
    """A hash of the arrays' contents and shapes. O(bytes)."""
    made = blake2b(digest_size=16)
    for array in arrays:
        if array is not None:
            made.update(repr((array.shape, array.dtype)).encode())
            made.update(np.ascontiguousarray(array).data.cast("B") if array.size else b"")
    return made.digest()


def out_of_bag(
    seeds: Sequence[int], bag: Bagging, answer: Callable[[int, NDArray[np.int64]], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """The mean answer of the trees that did not draw a row: float64 (n_rows, n_outputs), NaN where all trees did.

    ``answer(t, rows)`` is that of tree t, (len(rows), n_outputs); ``seeds`` are the trees' own. Sums run in tree order.
    """
    total: Any = 0.0
    seen = np.zeros(bag.n_rows)
    for position, seed in enumerate(seeds):
        rows = np.flatnonzero(bag.counts(seed) == 0)
        found = answer(position, rows)
        if position == 0:
            total = np.zeros((bag.n_rows, found.shape[1]))
        total[rows] += found
        seen[rows] += 1
    with np.errstate(invalid="ignore"):
        return np.asarray(total / seen[:, np.newaxis])
