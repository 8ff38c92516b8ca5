"""Sorting networks: which pairs of wires to compare so that any input comes out in order."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from xylogic.checks import check_choice
from xylogic.errors import InvalidInputError

__all__ = ["comparators", "merger", "sorting_network"]


def sorting_network(n: int, kind: str = "odd-even") -> list[tuple[int, int]]:
    """The comparators of a network that sorts n wires, greatest first.

    After comparator (i, j), i < j, wire i carries the greater of the two values and wire j the smaller. ``kind``:
    ``"odd-even"`` (K. E. Batcher's merge, Algorithms 1 and 2 of "Circuit Representations of Random Forests") or
    ``"pairwise"`` (I. Parberry). Both are made for a power of two; for other n the wires behind n carry least values,
    which never move, so their comparators are left out. O(n log^2 n).
    """
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise InvalidInputError(f"n is {n!r}; a whole number of wires, at least 1, is accepted")
    check_choice("kind", kind, _KINDS)
    return [(i, j) for i, j in comparators(int(n), kind).tolist()]


@lru_cache(maxsize=32)
def comparators(n: int, kind: str = "odd-even") -> NDArray[np.int32]:
    """``sorting_network`` as int32 (n_comparators, 2), read only."""
    return _joined(_KINDS[kind](1 << (n - 1).bit_length()), n)


@lru_cache(maxsize=32)
def merger(m: int) -> NDArray[np.int32]:
    """Algorithm 2 on 2 m wires, m a power of two, whose halves are sorted already: int32 (n_comparators, 2)."""
    return _joined(_merge(2 * m, m), 2 * m)


def _joined(layers: list[NDArray[np.int64]], n: int) -> NDArray[np.int32]:
    pairs = np.concatenate([np.zeros((0, 2), np.int64), *layers]).astype(np.int32)
    pairs = np.ascontiguousarray(pairs[pairs[:, 1] < n])
    pairs.setflags(write=False)
    return pairs


def _odd_even(n: int) -> list[NDArray[np.int64]]:
    return [layer for p in _powers(n) for layer in _merge(n, p)]


def _merge(n: int, p: int) -> list[NDArray[np.int64]]:
    """Merge neighbouring sorted blocks of p wires.

    The odd and the even results of the two halves (C and D of Algorithm 2) come to lie on alternate wires, so that its
    recursion is: compare wires p apart, then within each block of 2p the wires k apart, k = p/2, p/4, ..., 1.
    """
    wire = np.arange(n)
    layers = [_apart(wire[wire // p % 2 == 0], p)]
    for k in _powers(p)[::-1]:
        first = wire[(wire // k % 2 == 1) & (wire + k < n)]
        layers.append(_apart(first[first // (2 * p) == (first + k) // (2 * p)], k))
    return layers


def _pairwise(n: int) -> list[NDArray[np.int64]]:
    """Compare neighbours, sort the winners and the losers (each alike, on every other wire), then merge."""
    wire = np.arange(n)
    layers = [_apart(wire[wire // p % 2 == 0], p) for p in _powers(n)]
    # Wires with the same remainder by `stride` are one list; its even places hold winners, its odd ones losers.
    for stride in _powers(n // 2)[::-1]:
        place = wire // stride
        for k in _powers(n // stride // 2)[::-1]:
            shift = 2 * k - 1  # a loser against the winner of the pair k further on
            layers.append(_apart(wire[(place % 2 == 1) & (place + shift < n // stride)], shift * stride))
    return layers


def _powers(n: int) -> list[int]:
    """1, 2, 4, ... below n."""
    return [1 << i for i in range((n - 1).bit_length())] if n > 1 else []


def _apart(first: NDArray[np.int64], distance: int) -> NDArray[np.int64]:
    return np.stack([first, first + distance], axis=1)


_KINDS = {"odd-even": _odd_even, "pairwise": _pairwise}
