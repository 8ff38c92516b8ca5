"""Rows that are likely to show where two models differ: every cut and its neighbours, on rows that reach it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from xylogic.model.ensemble import Ensemble
from xylogic.model.reach import Open, open_column, walk

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


def as_accepted(model: Ensemble, rows: Values) -> Values:
    """The rows with 0 or 1 in boolean columns, which hold nothing else."""
    for column, feature in enumerate(model.features):
        if feature.kind == "boolean":
            cells = rows[:, column]
            rows[:, column] = np.where(np.isnan(cells), cells, cells > 0.5)
    return rows


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
    return as_accepted(model, rows)


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
    return as_accepted(model, rows)


class _Target(NamedTuple):
    """What the columns may be at a node, and the column and the numbers to try there."""

    state: tuple[Open, ...]
    column: int
    numbers: list[float]


def probe_rows(model: Ensemble, rng: np.random.Generator, size: int = 2048) -> Iterator[Values]:
    """Encoded rows that reach every leaf, every test with NaN, and for each distinct cut one test of it with the
    numbers around it; as far as any row does.

    Yields tables of about ``size`` rows, float64. O(n_nodes * n_features + cuts).
    """
    background = _Background(model, rng)
    batch: list[_Target] = []
    waiting = 0
    for target in _targets(model):
        batch.append(target)
        waiting += len(target.numbers)
        if waiting >= size:
            yield as_accepted(model, _reaching(batch, background, model.cast))
            batch, waiting = [], 0
    if batch:
        yield as_accepted(model, _reaching(batch, background, model.cast))


def _targets(model: Ensemble) -> Iterator[_Target]:
    start = [
        open_column(feature, model.accepts_missing and not routeless)
        for feature, routeless in zip(model.features, model.routeless.tolist(), strict=True)
    ]
    around = {
        (column, cut): numbers
        for column, feature in enumerate(model.features)
        for cut, numbers in zip(feature.cuts, neighbourhood(np.array(feature.cuts)).tolist(), strict=True)
    }
    for tree in model.trees:
        for node, state in walk(tree, start):
            column = int(tree.feature[node])
            if column < 0:
                yield _Target(tuple(state), -1, [math.nan])
                continue
            cut = float(tree.cut[node])
            numbers = [math.nan] if state[column].missing else []
            if state[column].low < cut < state[column].high:
                numbers += around.pop((column, cut), [])
            if numbers:
                yield _Target(tuple(state), column, numbers)


def _reaching(targets: list[_Target], background: _Background, cast: str) -> Values:
    """Rows that reach each target, one for each of its numbers."""
    ends = np.array([list(map(_ends, target.state, background.n_codes)) for target in targets])
    counts = [len(target.numbers) for target in targets]
    low, high, code = np.moveaxis(np.repeat(ends, counts, axis=0), -1, 0)
    rows = background.rows(sum(counts))
    with np.errstate(over="ignore"):
        seen_as = rows.astype(cast)
        just_above = np.nextafter(low.astype(cast), np.dtype(cast).type(np.inf)).astype(np.float64)
    allowed = np.select([code >= 0, low >= high, np.isfinite(high)], [code, np.nan, high], just_above)
    rows = np.where((seen_as > low) & (seen_as <= high), rows, allowed)
    tried = np.array([number for target in targets for number in target.numbers])
    column = np.repeat([target.column for target in targets], counts)
    at = np.flatnonzero(column >= 0)
    rows[at, column[at]] = tried[at]
    return rows


def _ends(column: Open, n_codes: int) -> tuple[float, float, float]:
    """The interval in which any value will do, and, for codes, one that will do if some do not (-1 for numbers)."""
    if not column.codes:
        return column.low, column.high, -1.0
    side = -math.inf if len(column.codes) == n_codes else math.inf
    return side, math.inf, float(min(column.codes))
