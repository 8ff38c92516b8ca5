"""Two trees over the same columns and classes, brought into one order and one precision."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.sheet import some
from xylogic.errors import InvalidInputError
from xylogic.model.build import feature_cuts
from xylogic.model.ensemble import Ensemble
from xylogic.model.tree import Tree

__all__ = ["in_float64", "pair"]


def pair(old: Ensemble, new: Ensemble) -> tuple[Ensemble, Ensemble]:
    """Both models with the columns of ``old``, in its order, comparing in one precision; they answer as before.

    Where one compares in float32 and the other in float64, the former is written as a float64 one.

    Raises InvalidInputError, with the names that differ: other columns, other class labels, classes against numbers.
    """
    if (old.classes is None) != (new.classes is None):
        kinds = ["numbers" if model.classes is None else "classes" for model in (old, new)]
        raise InvalidInputError(
            f"the old tree answers {kinds[0]} and the new one {kinds[1]}; two of a kind are accepted"
        )
    _refuse_difference("columns", old.feature_names, new.feature_names)
    if old.classes is not None and new.classes is not None:
        _refuse_difference("classes", old.classes, new.classes)
    if new.feature_names != old.feature_names:
        new = _reordered(new, old.feature_names)
    if old.cast != new.cast:
        old, new = in_float64(old), in_float64(new)
    return old, new


def _refuse_difference(what: str, old: Sequence[Hashable], new: Sequence[Hashable]) -> None:
    faults = [
        ("only the old tree has", [label for label in old if label not in set(new)]),
        ("only the new one has", [label for label in new if label not in set(old)]),
    ]
    found = [f"{words} {some(map(repr, labels))}" for words, labels in faults if labels]
    if found:
        raise InvalidInputError(f"the {what} differ: {', '.join(found)}; trees over the same {what} are accepted")


def _reordered(model: Ensemble, names: Sequence[str]) -> Ensemble:
    """The model with its columns in another order."""
    place = {name: position for position, name in enumerate(names)}
    moved = np.array([place[name] for name in model.feature_names])
    back = np.argsort(moved).tolist()
    tree = model.trees[0]
    return replace(
        model,
        trees=(_with(tree, feature=np.where(tree.feature >= 0, moved[tree.feature], -1).astype(np.int32)),),
        features=tuple(model.features[position] for position in back),
        limits=None if model.limits is None else tuple(model.limits[position] for position in back),
    )


def in_float64(model: Ensemble) -> Ensemble:
    """The model comparing in float64, with the same answers: each cut is the largest number that rounds to at most it.

    A bound of an explanation then holds of a row as it is, and not only as the model rounds it.
    """
    if model.cast == "float64":
        return model
    tree = model.trees[0]
    made = _with(tree, cut=np.where(tree.left >= 0, _widest(tree.cut), 0.0))
    cuts = feature_cuts([made], len(model.features))
    limits = model.limits
    if not model.accepts_infinite:
        top = float(_widest(np.array([np.finfo(np.float32).max]))[0])
        limits = tuple((max(low, -top), min(high, top)) for low, high in limits or ((-top, top),) * len(model.features))
    return replace(
        model,
        trees=(made,),
        features=tuple(replace(feature, cuts=own) for feature, own in zip(model.features, cuts, strict=True)),
        cast="float64",
        limits=limits,
    )


def _widest(cuts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The largest float64 that rounds to at most each float32 cut."""
    narrow = cuts.astype(np.float32)
    with np.errstate(over="ignore"):
        above = np.nextafter(narrow, np.float32(np.inf)).astype(np.float64)
    above = np.where(np.isinf(above) & np.isfinite(cuts), 2.0**128, above)  # where rounding to infinity begins
    with np.errstate(invalid="ignore", over="ignore"):
        middle = np.where(np.isfinite(cuts), cuts / 2 + above / 2, cuts)
        back = middle.astype(np.float32).astype(np.float64)  # a tie goes to the even one
    return np.where(np.isfinite(cuts) & (back > cuts), np.nextafter(middle, -np.inf), middle)


def _with(tree: Tree, **changed: Any) -> Tree:
    fields = {name: getattr(tree, name) for name in Tree.__slots__}
    return Tree(**{**fields, **changed})
