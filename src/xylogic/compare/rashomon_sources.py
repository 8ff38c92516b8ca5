"""Reads the AND/OR graphs that treefarms and PRAXIS keep their trees in. Neither package is imported."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from xylogic.compare.rashomon_graph import AndOr
from xylogic.errors import InvalidInputError, UnsupportedModelError

__all__ = ["praxis_graph", "treefarms_graph"]

_LARGE = 2**62
_MOST_CLASSES = 1000


def treefarms_graph(source: Any, feature_names: Sequence[str] | None, classes: Sequence[Hashable] | None) -> AndOr:
    """The storage of a fitted ``TREEFARMS``, or of its ``model_set``: a list of OR nodes
    ``{"terminal", "prediction", "mapping": {feature: [[yes, no], ...]}}``; "yes" is where the feature is 1."""
    kept = getattr(source, "model_set", source)
    storage, metrics = getattr(kept, "storage", None), getattr(kept, "available_metrics", None)
    if storage is None or metrics is None:
        raise UnsupportedModelError(
            f"a {type(source).__name__} has no model_set with storage; a fitted TREEFARMS is accepted"
        )
    frame = getattr(source, "dataset", None)
    if feature_names is None and frame is not None:
        feature_names = [str(name) for name in frame.columns[:-1]]
    if classes is None and frame is not None:
        classes = sorted(frame.iloc[:, -1].unique().tolist(), key=str)  # as treefarms numbers them
    if frame is not None:
        for name in frame.columns[:-1]:
            if not set(frame[name].unique().tolist()) <= {0, 1}:
                raise UnsupportedModelError(
                    f"column {name!r} holds other numbers than 0 and 1, which treefarms turns into columns of its own; "
                    "fit it on 0/1 columns"
                )
    leaf_at, label, split_at, feature, no, yes = [0], [], [0], [], [], []
    for node in storage:
        if node["terminal"]:
            label.append(node["prediction"])
        leaf_at.append(len(label))
        for tested, pairs in node["mapping"].items():
            for pair in pairs:
                feature.append(int(tested))
                yes.append(pair[0])
                no.append(pair[1])
        split_at.append(len(feature))
    values = metrics["metric_values"]
    return _and_or(
        feature_names,
        classes,
        leaf_at,
        label,
        np.zeros(len(label), np.int64),
        split_at,
        feature,
        no,
        yes,
        np.full(len(storage), _LARGE),
        metrics["metric_pointers"],
        [value[0] for value in values],
    )


def praxis_graph(source: Any, feature_names: Sequence[str] | None, classes: Sequence[Hashable] | None) -> AndOr:
    """What ``PRAXIS.export_andor_graph()`` answers, of a fitted ``PRAXIS`` or given itself: dicts of OR nodes, splits
    (left is where the feature is 1) and leaves."""
    graph = source.export_andor_graph() if hasattr(source, "export_andor_graph") else source
    if not isinstance(graph, dict) or not {"root_trie_id", "trie_nodes", "split_nodes", "leaf_nodes"} <= set(graph):
        raise UnsupportedModelError(
            f"a {type(source).__name__} has no export_andor_graph(); a fitted PRAXIS, or that dict, is accepted"
        )
    nodes, splits, leaves = graph["trie_nodes"], graph["split_nodes"], graph["leaf_nodes"]
    if any(leaf["prediction"] < 0 for leaf in leaves):
        raise UnsupportedModelError("some leaves defer to another model; fit PRAXIS without use_deferral")
    leaf_ids = [i for node in nodes for i in node["leaf_ids"]]
    split_ids = [i for node in nodes for i in node["split_ids"]]
    return _and_or(
        feature_names,
        classes,
        np.cumsum([0, *(len(node["leaf_ids"]) for node in nodes)]),
        [leaves[i]["prediction"] for i in leaf_ids],
        [leaves[i]["loss"] for i in leaf_ids],
        np.cumsum([0, *(len(node["split_ids"]) for node in nodes)]),
        [splits[i]["feature"] for i in split_ids],
        [splits[i]["right_trie_id"] for i in split_ids],
        [splits[i]["left_trie_id"] for i in split_ids],
        [node["budget"] for node in nodes],
        [graph["root_trie_id"]],
        [0.0],
    )


def _and_or(
    names: Sequence[str] | None,
    classes: Sequence[Hashable] | None,
    leaf_at: Any,
    label: Any,
    loss: Any,
    split_at: Any,
    feature: Any,
    no: Any,
    yes: Any,
    budget: Any,
    roots: Any,
    objective: Any,
) -> AndOr:
    def ints(numbers: Any) -> Any:
        return np.asarray(numbers, dtype=np.int32)

    n_features = int(max(feature, default=-1)) + 1
    n_classes = int(max(label, default=0)) + 1
    if classes is None and n_classes > _MOST_CLASSES:
        raise InvalidInputError(f"a leaf predicts label {n_classes - 1}; name the classes that its numbers stand for")
    found_names = tuple(names) if names is not None else tuple(f"x{i}" for i in range(n_features))
    found_classes = tuple(classes) if classes is not None else tuple(range(max(2, n_classes)))
    for what, given, needed in (("feature_names", found_names, n_features), ("classes", found_classes, n_classes)):
        if len(given) < needed or len(set(given)) != len(given):
            raise InvalidInputError(f"{what} are {given!r}; at least {needed} distinct ones are accepted")
    return AndOr(
        names=found_names,
        classes=found_classes,
        leaf_at=ints(leaf_at),
        leaf_label=ints(label),
        leaf_loss=np.asarray(loss, dtype=np.int64),
        split_at=ints(split_at),
        feature=ints(feature),
        no=ints(no),
        yes=ints(yes),
        budget=np.asarray(budget, dtype=np.int64),
        roots=ints(roots),
        objective=np.asarray(objective, dtype=np.float64),
    )
