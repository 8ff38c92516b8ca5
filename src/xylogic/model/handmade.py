"""Models written by hand: ``build_tree`` from dicts of nodes, ``build_ensemble`` from trees."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from xylogic.domain.feature import Feature
from xylogic.errors import InvalidInputError, InvalidModelError
from xylogic.model.build import make_ensemble, make_tree
from xylogic.model.ensemble import Ensemble
from xylogic.model.nodes import Node, collect_nodes
from xylogic.model.reach import check_reachable

__all__ = ["build_ensemble", "build_tree"]


def build_tree(
    nodes: Any,
    features: Sequence[str | Feature],
    classes: Sequence[Hashable] | None = None,
    *,
    cast: str = "float64",
) -> Ensemble:
    """A model of one tree, from nested dicts or from a list or dict of nodes. O(n_nodes log depth).

    Parameters
    ----------
    nodes : the root as nested dicts; or a list of nodes whose children are positions; or a dict of nodes whose
        children are its keys. A node is one of

        - ``{"feature": name, "cut": 55.0, "left": ..., "right": ...}``: a number ``x <= cut`` goes left;
          with ``"compare": "<"`` only ``x < cut`` does;
        - ``{"feature": name, "in": ["A", "B"], "left": ..., "right": ...}``: these categories go left;
        - ``{"feature": name, "branches": [(["A", "B"], child), (["O"], child)]}``: the sets part the categories;
          it becomes a chain of ``in`` nodes;
        - a leaf ``{"class": "yes"}`` or ``{"value": number or [one per class]}``.

        A test may say where a missing value goes: ``"missing": "left"`` or ``"right"``, for ``branches`` the position
        of one. Then "missing" is one of the feature's states; without it a row with a missing value there is refused.
    features : names, or ``Feature``s, in column order.
    classes : the labels. If left out they are the labels found in the leaves, sorted; without any the model is a
        regression model.
    cast : ``"float64"``, or ``"float32"`` to round every input before it is compared.

    Returns
    -------
    Ensemble
        With ``voting="average"``; where the leaves of a two-class model hold single numbers, ``"sum"``, whose sign
        decides (positive: ``classes[1]``). Node ids are the positions in a list; in a dict the root comes first, then
        the order of its keys; in nested dicts the order of reading, left before right. Nodes that ``branches`` adds
        come last in a list or dict.

    Raises
    ------
    InvalidModelError, naming the node, for whatever is not a tree of such nodes, and for nodes that no row can reach.
    """
    columns = [
        feature if isinstance(feature, Feature) else Feature(feature) for feature in _sequence(features, "features")
    ]
    found = collect_nodes(nodes, columns)
    labels = _labels(found, classes)
    tree = make_tree(
        [node.feature for node in found],
        [node.cut for node in found],
        [node.left for node in found],
        [node.right for node in found],
        _leaf_values(found, labels),
        missing=[node.missing for node in found],
        strict=[node.strict for node in found],
        sets={position: node.codes for position, node in enumerate(found) if node.codes},
        n_codes=[len(feature.categories) for feature in columns],
        cast=cast,
        n_features=len(columns),
    )
    check_reachable(tree, columns, [node.name for node in found])
    routed = {node.feature for node in found if node.missing}
    return make_ensemble(
        [tree],
        [replace(f, may_be_missing=True) if position in routed else f for position, f in enumerate(columns)],
        labels,
        voting="sum" if labels is not None and len(labels) == 2 and tree.n_outputs == 1 else "average",
        cast=cast,
        accepts_missing=bool(routed),
        source="hand-built tree",
    )


def build_ensemble(
    trees: Sequence[Ensemble],
    voting: str = "average",
    base: float | Sequence[float] = 0.0,
    link: str = "identity",
    tie: str = "first",
) -> Ensemble:
    """A model of all the trees of several models, in order. O(n_nodes log n_nodes).

    Parameters
    ----------
    trees : models from ``build_tree`` (or any others) with equal features (names, kinds and categories), classes and
        cast.
    voting : ``"average"``, ``"majority"`` or ``"sum"``, as in ``Ensemble``; leaf values are taken as they are.
    base : where the sums start: a number, or one per output.
    link : ``"identity"``, ``"logistic"`` or ``"softmax"``, from sums to probabilities.
    tie : which of equal best scores wins, ``"first"`` or ``"last"``; of a single score with two classes, at 0.

    Raises InvalidModelError where the parts do not fit together.
    """
    parts = list(trees)
    for position, part in enumerate(parts):
        if not isinstance(part, Ensemble):
            raise InvalidModelError(
                f"trees[{position}] is a {type(part).__name__}; a model from build_tree is accepted"
            )
        for name in ("classes", "cast", "accepts_infinite", "columns"):
            ours, first = _aspect(part, name), _aspect(parts[0], name)
            if ours != first:
                raise InvalidModelError(
                    f"trees[{position}] has {name} {ours!r}, trees[0] has {first!r}; they have to be equal"
                )
    if not parts:
        raise InvalidModelError("trees is empty; an ensemble needs at least one tree")
    n_outputs = parts[0].n_outputs
    return make_ensemble(
        [tree for part in parts for tree in part.trees],
        [
            replace(columns[0], may_be_missing=any(feature.may_be_missing for feature in columns))
            for columns in zip(*(part.features for part in parts), strict=True)
        ],
        parts[0].classes,
        voting=voting,
        cast=parts[0].cast,
        base=[base] * n_outputs if isinstance(base, int | float) else list(base),
        link=link,
        tie=tie,
        accepts_missing=any(part.accepts_missing for part in parts),
        accepts_infinite=parts[0].accepts_infinite,
        named=all(part.named for part in parts),
        source="hand-built ensemble",
        limits=_joint_limits(parts),
    )


def _sequence(given: Any, name: str) -> Sequence[Any]:
    if isinstance(given, str | bytes | Mapping) or not hasattr(given, "__iter__"):
        raise InvalidInputError(f"{name} is {given!r}; a sequence is accepted")
    return list(given)


def _labels(nodes: Sequence[Node], classes: Sequence[Hashable] | None) -> list[Any] | None:
    """The class labels, from ``classes`` or else from the leaves; ``None`` for a regression model."""
    used = {node.label[0]: node.name for node in nodes if node.label}
    if classes is None:
        labels = list(used)
        try:
            return sorted(labels) or None
        except TypeError:  # labels of several types: in order of appearance
            return labels
    labels = [label.item() if isinstance(label, np.generic) else label for label in _sequence(classes, "classes")]
    for label, name in used.items():
        if label not in labels:
            raise InvalidModelError(f"{name} has class {label!r}; the classes are {labels}")
    return labels


def _leaf_values(nodes: Sequence[Node], labels: list[Any] | None) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Float64 (n_nodes, n_outputs): a label becomes a share of 1 for its class."""
    leaves = [node for node in nodes if node.feature < 0]
    lengths = {len(node.value) if node.value else len(labels or ()) for node in leaves}
    width = max(lengths)
    accepted = {1} if labels is None else {1, 2} if len(labels) == 2 else {len(labels)}
    for node in leaves:
        length = len(node.value) if node.value else len(labels or ())
        if length not in accepted or length != width:
            raise InvalidModelError(
                f"{node.name} has {length} values where {width if width in accepted else max(accepted)} are accepted: "
                + ("one, or name the classes" if labels is None else f"one for each of the classes {labels}")
            )
    value = np.zeros((len(nodes), width))
    for position, node in enumerate(nodes):
        if node.value:
            value[position] = node.value
        elif node.label and labels is not None:
            value[position, labels.index(node.label[0])] = 1.0
    return value


def _aspect(part: Ensemble, name: str) -> Any:
    if name == "columns":
        return [(feature.name, feature.kind, feature.categories, feature.other) for feature in part.features]
    return getattr(part, name)


def _joint_limits(parts: Sequence[Ensemble]) -> tuple[tuple[float, float], ...] | None:
    known = [part.limits for part in parts if part.limits is not None]
    if not known:
        return None
    return tuple(
        (max(low for low, _ in column), min(high for _, high in column)) for column in zip(*known, strict=True)
    )
