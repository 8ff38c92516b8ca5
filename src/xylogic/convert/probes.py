"""Rows that are likely to show where two models differ: every cut and its neighbours, on rows that reach it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from xylogic.model.ensemble import Ensemble
from xylogic.model.tree import Tree

__all__ = ["hostile_rows", "probe_rows", "random_rows"]

Values = NDArray[np.float64]

N_AROUND = 8
MAX_COLUMNS = 100

_FLOAT32 = float(np.finfo(np.float32).max)
_FLOAT64 = float(np.finfo(np.float64).max)
# The last two are the largest float64 that rounds to a finite float32, and the next one.
_EXTREMES = (
    0.0, -0.0, 5e-324, 1.0, -1.0, _FLOAT32, -_FLOAT32, _FLOAT64, -_FLOAT64, np.inf, -np.inf, np.nan,
    3.4028235677973362e38, 3.4028235677973366e38,
)  # fmt: skip


def neighbourhood(cuts: Values) -> Values:
    """Per cut (n,): itself, its neighbours one ulp away in float32 and in float64, and the float64 around the
    middle of two float32, where rounding changes sides; (n, N_AROUND)."""
    with np.errstate(over="ignore"):
        narrow = cuts.astype(np.float32)
        above = np.nextafter(narrow, np.float32(np.inf)).astype(np.float64)
        below = np.nextafter(narrow, np.float32(-np.inf)).astype(np.float64)
        middle = cuts / 2 + above / 2
    around = [np.nextafter(point, to) for point in (cuts, middle) for to in (-np.inf, np.inf)]
    return np.stack([cuts, above, below, middle, *around], axis=1)


class _Background:
    """Random plausible values for the columns that a probe leaves open."""

    def __init__(self, model: Ensemble, rng: np.random.Generator) -> None:
        self.rng = rng
        self.n_codes = [len(feature.categories) for feature in model.features]
        self.pools = [
            np.arange(n, dtype=float) if n else _pool(np.array(feature.cuts))
            for n, feature in zip(self.n_codes, model.features, strict=True)
        ]

    def rows(self, n: int) -> Values:
        """Float64 (n, n_features), encoded: half of them at and around the cuts, half spread over their range."""
        table = np.empty((n, len(self.pools)))
        for column, pool in enumerate(self.pools):
            table[:, column] = self.rng.choice(pool, size=n)
            if not self.n_codes[column]:
                spread = self.rng.uniform(pool.min(), pool.max(), size=n)
                table[:, column] = np.where(self.rng.random(n) < 0.5, spread, table[:, column])
        return table


def _pool(cuts: Values) -> Values:
    if not len(cuts):
        return np.array([-1.0, 0.0, 1.0])
    width = max(float(cuts[-1] / 2 - cuts[0] / 2), 1.0)
    ends = np.clip([cuts[0] - width, cuts[-1] + width], -_FLOAT32 / 4, _FLOAT32 / 4)
    pool = np.concatenate([neighbourhood(cuts).ravel(), ends])
    return pool[np.isfinite(pool) & (np.abs(pool) <= _FLOAT32 / 2)]


def random_rows(model: Ensemble, n: int, rng: np.random.Generator) -> Values:
    """Encoded rows, float64 (n, n_features); where the model takes NaN, some have it in some or all columns."""
    rows = _Background(model, rng).rows(n)
    if model.accepts_missing and n:
        holes = rng.random(rows.shape) < rng.choice([0.0, 0.0, 0.1, 0.5], size=(n, 1))
        rows[holes & ~model.routeless] = np.nan
        rows[0, ~model.routeless] = np.nan
    return rows


def hostile_rows(model: Ensemble, rng: np.random.Generator) -> Values:
    """Encoded rows with one extreme value each, in at most MAX_COLUMNS columns, and one row that is all NaN."""
    numeric = [column for column, feature in enumerate(model.features) if not feature.categories]
    columns = sorted(rng.permutation(numeric)[:MAX_COLUMNS].tolist())
    cells: list[tuple[int, float]] = []
    for column in columns:
        cells += [(column, value) for value in _EXTREMES]
        for limit in model.limits[column] if model.limits is not None else ():
            cells += [
                (column, value) for value in (limit, math.nextafter(limit, -math.inf), math.nextafter(limit, math.inf))
            ]
    rows = _Background(model, rng).rows(len(cells) + 1)
    for row, (column, value) in enumerate(cells):
        rows[row, column] = value
    rows[len(cells)] = np.nan
    return rows


class _Target(NamedTuple):
    """A test to probe: its feature and cut, and the box of rows that reach it, ``low < x <= high`` per column.

    A column that was tested for categories has one of the codes that reach the test as its ``high``.
    """

    feature: int
    cut: float
    low: Values
    high: Values


def probe_rows(model: Ensemble, rng: np.random.Generator, size: int = 512) -> Iterator[Values]:
    """Encoded rows that reach, for each distinct cut of the model, one test of it with the numbers around the cut.

    Yields tables of at most ``size * N_AROUND`` rows, float64. O(n_nodes + cuts * n_features).
    """
    background = _Background(model, rng)
    seen: set[tuple[int, float]] = set()
    batch: list[_Target] = []
    for tree in model.trees:
        for target in _targets(tree, background.n_codes, seen):
            batch.append(target)
            if len(batch) == size:
                yield _reaching(batch, background, model.cast)
                batch = []
    if batch:
        yield _reaching(batch, background, model.cast)


def _targets(tree: Tree, n_codes: list[int], seen: set[tuple[int, float]]) -> Iterator[_Target]:
    """The tests of cuts not ``seen`` so far, found by one walk that keeps the box of the current node."""
    low, high = np.full(len(n_codes), -np.inf), np.full(len(n_codes), np.inf)
    codes = [frozenset(range(n)) for n in n_codes]
    feature, cut, left, right = tree.feature.tolist(), tree.cut.tolist(), tree.left.tolist(), tree.right.tolist()
    # (node, column to set on the way, its low, high and codes); node -1 only restores the column
    stack: list[tuple[int, int, tuple[float, float, frozenset[int]] | None]] = [(0, -1, None)]
    while stack:
        node, column, state = stack.pop()
        if state is not None:
            low[column], high[column], codes[column] = state
        if node < 0 or left[node] < 0 or (state is not None and _is_empty(state, n_codes[column])):
            continue
        column = feature[node]
        before = (float(low[column]), float(high[column]), codes[column])
        if tree.is_categorical(node):
            members = frozenset(tree.left_codes(node).tolist())
            inside, outside = before[2] & members, before[2] - members
            sides = [(before[0], float(max(part, default=0)), part) for part in (inside, outside)]
        else:
            c = cut[node]
            if np.isfinite(c) and (column, c) not in seen:
                seen.add((column, c))
                yield _Target(column, c, low.copy(), high.copy())
            sides = [(before[0], min(before[1], c), before[2]), (max(before[0], c), before[1], before[2])]
        stack += [(-1, column, before), (right[node], column, sides[1]), (left[node], column, sides[0])]


def _is_empty(state: tuple[float, float, frozenset[int]], n_codes: int) -> bool:
    return not state[2] if n_codes else state[0] >= state[1]


def _reaching(targets: list[_Target], background: _Background, cast: str) -> Values:
    """Rows that reach each target, the tested column holding each number around the cut."""
    low = np.repeat([target.low for target in targets], N_AROUND, axis=0)
    high = np.repeat([target.high for target in targets], N_AROUND, axis=0)
    rows = background.rows(len(low))
    kind = np.dtype(cast).type
    with np.errstate(over="ignore"):
        seen_as = rows.astype(cast)
        just_above = np.nextafter(low.astype(cast), kind(np.inf)).astype(np.float64)
    outside = (seen_as <= low) | (seen_as > high)
    categorical = np.array(background.n_codes) > 0
    outside |= categorical & np.isfinite(high)
    rows = np.where(outside, np.where(np.isfinite(high), high, just_above), rows)
    tested = np.repeat([target.feature for target in targets], N_AROUND)
    rows[np.arange(len(rows)), tested] = neighbourhood(np.array([target.cut for target in targets])).ravel()
    return rows
