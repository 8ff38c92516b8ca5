"""Two trees over the same columns and classes, in one order and one precision."""

from __future__ import annotations

from dataclasses import replace

from xylogic.compare.align import align
from xylogic.compare.recast import highest, recast
from xylogic.model.ensemble import Ensemble

__all__ = ["in_float64", "pair"]


def pair(old: Ensemble, new: Ensemble) -> tuple[Ensemble, Ensemble, tuple[int, ...]]:
    """Both models over the columns of ``old``, comparing in one precision, and each new class's position in the old.

    Where one compares in float32 and the other in float64, both are written in float64. The first takes just the rows
    that both take.

    Raises InvalidInputError as ``compare.align`` does: columns, classes or kinds that differ, by name.
    """
    aligned = align(old, new, missing=())
    left = replace(aligned.left, named=old.named or new.named, limits=tuple(cells.limits for cells in aligned.cells))
    return left, aligned.right, aligned.class_of


def in_float64(model: Ensemble) -> Ensemble:
    """The model comparing in float64, with the same answers: each cut is the largest number that rounds to at most it.

    A bound of an explanation then holds of a row as it is, and not only as the model rounds it.
    """
    if model.cast == "float64":
        return model
    n = len(model.features)
    limits = model.limits
    if not model.accepts_infinite:
        top = highest(model, "float64")
        limits = tuple((max(low, -top), min(high, top)) for low, high in limits or ((-top, top),) * n)
    return replace(recast(model, model.features, range(n), [()] * n, "float64"), limits=limits)
