"""What is known of a row: per column a set of values, in the arrays that ``search/single_kernel.py`` reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.cells import runs
from xylogic.search.single import Domain

__all__ = ["Given", "given_row", "given_states"]


class Given:
    """Per column its disjoint intervals (low, high], ascending, at ``at[c]`` to ``at[c + 1]``; ``words``: the bit sets
    of categories, ``missing``: whether it may be missing, int32; ``known``: whether anything is said of it, int32."""

    def __init__(self, domain: Domain) -> None:
        self.at = np.arange(domain.n_columns + 2, dtype=np.int32)
        self.low, self.high = domain.low, domain.high
        self.words, self.missing = domain.full, domain.missing
        self.known = np.zeros(domain.n_columns + 1, np.int32)


def given_row(domain: Domain, values: NDArray[np.float64]) -> Given:
    """A whole row of model input, float64 (n_columns,), cast, categories as codes, NaN missing. O(n_columns)."""
    given = Given(domain)
    given.known = np.ones(domain.n_columns + 1, np.int32)
    x = np.append(values, 0.0)
    absent = np.isnan(x)
    x[absent] = np.inf
    given.high = np.maximum(x, -np.finfo(np.float64).max)
    given.low = np.nextafter(given.high, -np.inf)
    given.low[absent] = np.inf
    given.missing = absent.astype(np.int32)
    if domain.width.any():
        given.words = np.zeros_like(domain.full)
        sets = np.flatnonzero((domain.is_set == 1) & ~absent)
        codes = x[sets].astype(np.int64)
        given.words[domain.word_at[sets] + codes // 64] = np.left_shift(np.uint64(1), (codes % 64).astype(np.uint64))
    return given


def given_states(domain: Domain, allowed: Mapping[str, Sequence[int]]) -> Given:
    """A partial row: the states that each named feature may be in (see ``reason.partial``). O(n_columns + states)."""
    given = Given(domain)
    low, high, sizes = [], [], []
    given.words, given.missing = domain.full.copy(), domain.missing.copy()
    for c, cells in enumerate(domain.cells):
        states = allowed.get(cells.name)
        pieces = [(-np.inf, np.inf)]
        if states is not None:
            given.known[c] = 1
            given.missing[c] = int(cells.missing and cells.n_values in states)
            values = [s for s in states if s < cells.n_values]
            if cells.is_set:
                words = [0] * int(domain.width[c])
                for s in values:
                    words[s // 64] |= 1 << s % 64
                given.words[domain.word_at[c] : domain.word_at[c] + len(words)] = words
            else:
                ends = (-np.inf, *cells.cuts, np.inf)
                pieces = [(ends[first], ends[last + 1]) for first, last in runs(values)]
        low += [piece[0] for piece in pieces]
        high += [piece[1] for piece in pieces]
        sizes.append(len(pieces))
    given.at = np.concatenate([[0], np.cumsum(sizes), [len(low)]]).astype(np.int32)
    given.low, given.high = np.array([*low, 0.0]), np.array([*high, 0.0])
    return given
