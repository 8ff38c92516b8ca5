"""``distinct``: which of many models are one function."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from xylogic.budget import Budget
from xylogic.compare.equivalence import equivalent
from xylogic.compare.fingerprint import model_fingerprint
from xylogic.convert.read import read_model
from xylogic.model.ensemble import Ensemble
from xylogic.search.pair import Pair
from xylogic.search.single import prepared

__all__ = ["distinct", "same_trees", "shape"]


def distinct(
    models: Iterable[Any],
    *,
    n_jobs: int | None = None,
    missing: Collection[str] | None = None,
    time_limit: float | None = None,
    node_limit: int | None = None,
    memory_limit: int | None = None,
) -> list[list[int]]:
    """The positions of models that are one function, in groups, in order of first appearance.

    Single trees over the same columns (in any order) are grouped by fingerprint, O(nodes) each, and each tree is
    checked by walking it beside its group's first. Where there are ensembles, or columns of differing kinds or
    precision, every model is compared by ``equivalent`` with the first of each group found so far.

    Parameters
    ----------
    models : whatever ``read_model`` takes.
    n_jobs : how many workers joblib spreads the work over; a backend set around the call (Dask, Spark, Ray) is used.
    missing, time_limit, node_limit, memory_limit : as of ``equivalent``, the limits for each comparison.

    Raises what ``equivalent`` raises: InvalidInputError, naming what differs, for models that cannot be aligned, and
    BudgetExceeded where a comparison does not end within the limits.
    """
    sources = list(models)
    limits = {"time_limit": time_limit, "node_limit": node_limit, "memory_limit": memory_limit}
    from joblib import Parallel, delayed, effective_n_jobs

    pieces = max(1, min(len(sources), 8 * effective_n_jobs(n_jobs)))
    bounds = np.linspace(0, len(sources), pieces + 1).astype(int).tolist()
    parallel = Parallel(n_jobs=n_jobs)
    marked = parallel(delayed(_marks)(sources[a:b], missing) for a, b in pairwise(bounds))
    marks = [mark for piece in marked for mark in piece]
    buckets: dict[Any, list[int]] = {}
    alike = None not in marks and len({mark[0] for mark in marks if mark}) == 1
    for position, mark in enumerate(marks):
        buckets.setdefault(mark if alike else None, []).append(position)
    split = parallel(
        delayed(_groups)([sources[i] for i in bucket], alike, missing, limits)
        for bucket in buckets.values()
        if len(bucket) > 1
    )
    found = iter(split)
    groups = [
        [[bucket[i] for i in group] for group in next(found)] if len(bucket) > 1 else [bucket]
        for bucket in buckets.values()
    ]
    return sorted(group for parts in groups for group in parts)


def shape(model: Ensemble) -> tuple[Any, ...]:
    """What two models share whose trees can be walked together as they are."""
    columns = tuple((f.name, f.kind, f.categories, f.other, f.may_be_missing) for f in model.features)
    routes = tuple(model.routeless.tolist()) if model.accepts_missing else ()
    flags = model.cast, model.accepts_infinite, model.accepts_missing, model.named
    return columns, model.classes, *flags, model.limits, routes


def _family(model: Ensemble) -> str:
    """What models share whose fingerprints can be compared: their shape but for orders. As text, which is the same
    in every process."""
    columns, classes, *rest, limits, routes = shape(model)
    described = zip(
        ((name, kind, sorted(map(repr, levels)), *more) for name, kind, levels, *more in columns),
        limits or [None] * len(columns),
        routes or [None] * len(columns),
        strict=True,
    )
    return repr((sorted(map(repr, described)), classes and sorted(map(repr, classes)), rest))


def _marks(sources: Sequence[Any], missing: Collection[str] | None) -> list[tuple[Any, int] | None]:
    """The columns and the fingerprint of each single tree; ``None`` for an ensemble."""
    found: list[tuple[Any, int] | None] = []
    for model in map(read_model, sources):
        if model.n_trees == 1 and missing is None:
            found.append((_family(model), model_fingerprint(model)))
        else:
            found.append(None)
    return found


def _groups(
    sources: Sequence[Any], trees: bool, missing: Collection[str] | None, limits: dict[str, Any]
) -> list[list[int]]:
    models = [read_model(source) for source in sources]
    groups: list[list[int]] = []
    for position, model in enumerate(models):
        for group in groups:
            first = models[group[0]]
            walked = trees and shape(first) == shape(model)
            if same_trees(first, model, limits) if walked else equivalent(first, model, missing=missing, **limits):
                group.append(position)
                break
        else:
            groups.append([position])
    return groups


def same_trees(a: Ensemble, b: Ensemble, limits: dict[str, Any]) -> bool:
    """Whether two single trees of one shape answer the same everywhere."""
    one, other = prepared(a), prepared(b)
    worth = (one.answers, other.answers) if a.classes is None else (None, None)
    return Pair(one, other, *worth, budget=Budget(**limits)).first() is None
