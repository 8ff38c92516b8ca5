"""Feature and state sets as bits in 64-bit words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["bit_set", "members"]


def bit_set(members: Sequence[int], width: int) -> NDArray[np.uint64]:
    """A bit set of ``width`` words."""
    words = [0] * width
    for member in members:
        words[member >> 6] |= 1 << (member & 63)
    return np.array(words, dtype=np.uint64)


def members(words: NDArray[np.uint64]) -> list[int]:
    """The members of a bit set, ascending."""
    found = []
    for position, word in enumerate(words.tolist()):
        while word:
            lowest = word & -word
            found.append(64 * position + lowest.bit_length() - 1)
            word ^= lowest
    return found
