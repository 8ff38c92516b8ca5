"""How far two trees' explanations of a row are apart: four measures."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.checks import check_choice
from xylogic.update.bounds import Bounds
from xylogic.update.reference import Reference

__all__ = ["JLU_WAYS", "KINDS", "check_jlu", "check_kind", "dissimilarities"]

KINDS = ("jac", "jlu", "mae", "mse")
JLU_WAYS = ("pooled", "mean")


def dissimilarities(
    kind: str, a: Bounds, b: Bounds, reference: Reference, *, jlu: str = "pooled"
) -> NDArray[np.float64]:
    """The dissimilarity of two explanations of each of n rows, both over the same m columns.

    Parameters
    ----------
    kind : ``"jac"``: Jaccard distance of the sets F of bounded columns. ``"jlu"``: the same of columns bounded below
        and columns bounded above, told apart. ``"mae"``: mean over columns and sides of the distances between clipped
        bounds, in standard deviations. ``"mse"``: mean of their squares.
    reference : range and deviation of the columns; not asked for sets.
    jlu : ``"pooled"``: one distance of all bounds as (column, side); ``"mean"``: the mean of the distances of either
        side. Two empty sets are at distance 0.

    Returns
    -------
    float64 (n,), not negative; sets: at most 1. O(n * m).

    Notes
    -----
    From "Backward Compatibility in Tree-Based Explanations and Enhanced CART Algorithm". Symmetric; 0 for equal
    explanations; all but ``"mse"``, which is a square, and ``jlu="mean"`` too, obey the triangle inequality.
    """
    check_kind(kind)
    check_jlu(jlu)
    if kind == "jac":
        return _jaccard([(a.has_any, b.has_any)])
    if kind == "jlu":
        sides = [(a.has_lower, b.has_lower), (a.has_upper, b.has_upper)]
        if jlu == "pooled":
            return _jaccard(sides)
        return (_jaccard(sides[:1]) + _jaccard(sides[1:])) / 2
    gaps = [
        reference.in_deviations(ours - theirs)
        for ours, theirs in zip(reference.clip(a), reference.clip(b), strict=True)
    ]
    amounts = np.abs(gaps) if kind == "mae" else np.square(gaps)
    total: Any = amounts.sum(axis=(0, 2))
    return total / (2 * max(a.lower.shape[1], 1))


def _jaccard(sets: list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]) -> NDArray[np.float64]:
    """The Jaccard distance of pairs of sets, given in parts (n, m): float64 (n,)."""
    apart: Any = sum(np.count_nonzero(a ^ b, axis=1) for a, b in sets)
    together: Any = sum(np.count_nonzero(a | b, axis=1) for a, b in sets)
    return apart / np.maximum(together, 1)


def check_kind(kind: Any, name: str = "dissimilarity") -> None:
    """Raise InvalidInputError unless ``kind`` is one of KINDS."""
    check_choice(name, kind, KINDS)


def check_jlu(jlu: Any) -> None:
    """Raise InvalidInputError unless ``jlu`` is one of JLU_WAYS."""
    check_choice("jlu", jlu, JLU_WAYS)
