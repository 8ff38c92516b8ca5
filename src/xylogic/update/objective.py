"""The objective of CART-BCTX node by node: what each node would add to it as a leaf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.checks import check_choice
from xylogic.grow.answering import leaves_of
from xylogic.grow.grown import Grown
from xylogic.grow.pruning import node_risks
from xylogic.grow.scoring import Decide, HeldOut, node_losses
from xylogic.model.tree import Tree, node_depths, parents
from xylogic.update.against import AgainstOld
from xylogic.update.bounds import Bounds, leaf_bounds
from xylogic.update.dissimilarity import dissimilarities
from xylogic.update.reference import Reference

__all__ = ["RISKS", "Way", "check_risk", "held_out_objectives", "node_drifts", "training_risks"]

RISKS = ("loss", "impurity")
_CELLS = 2**21  # nodes times columns, compared at once

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Way:
    """How explanations are compared, and how much that counts."""

    kind: str
    jlu: str
    strength: float

    @classmethod
    def of(cls, estimator: Any) -> Way:
        return cls(estimator.dissimilarity, estimator.jlu, float(estimator.strength))


def check_risk(risk: Any) -> None:
    """Raise InvalidInputError unless ``risk`` is one of RISKS."""
    check_choice("risk", risk, RISKS)


def training_risks(grown: Grown, sample: AgainstOld, way: Way, risk: str) -> _Floats:
    """Weight of all rows times what each node adds to the objective as a leaf: float64 (n_nodes,).

    ``sample`` is what the tree was grown on, ``risk`` "loss" (mistakes or squared error) or "impurity". The objective
    of every pruning is the sum over its leaves, since a node's box depends on the nodes above it alone.
    """
    is_loss = risk == "loss" and sample.classes is not None
    loss = node_risks(grown, "mistakes" if is_loss else "impurity")[0].sum(axis=1)
    total = float(sample.relied_weight.sum())
    if not way.strength or not total:
        return loss
    drift = node_drifts(grown, sample, way, sample.reference())
    return np.asarray(loss + way.strength * float(grown.weight[0]) * (drift / total))


def held_out_objectives(
    grown: Grown, sample: AgainstOld, way: Way, reference: Reference, decide: Decide | None
) -> _Floats:
    """What each node adds to the objective of rows that the tree was not grown on, ``sample``: float64 (n_nodes,).

    Where nobody relies on any of these rows, their loss alone counts. ``decide``: see ``node_losses``.
    """
    rows = HeldOut.of(sample.values, sample.target, sample.weight)
    by_node = node_losses(grown, rows, decide) / rows.weight.sum()
    total = float(sample.relied_weight.sum())
    if not way.strength or not total:
        return np.asarray(by_node)
    return np.asarray(by_node + way.strength * (node_drifts(grown, sample, way, reference) / total))


def node_drifts(grown: Grown, sample: AgainstOld, way: Way, reference: Reference) -> _Floats:
    """The sum, over the rows that pass each node, of weight times dissimilarity of the node's box: (n_nodes,).

    Rows of one old leaf at one node have one dissimilarity. O(n + depth + pairs * n_features).
    """
    weight = sample.relied_weight
    there = np.flatnonzero(weight > 0)
    leaf = leaves_of(grown, sample.values[there].astype(np.float64))
    node, old, amount = _pairs(grown.tree, leaf, sample.leaf[there], weight[there])
    drift = np.zeros(grown.tree.n_nodes)
    m = len(sample.features)
    nodes, place = np.unique(node, return_inverse=True)
    step = max(_CELLS // max(m, 1), 1)
    order = np.argsort(place, kind="stable")
    for start in range(0, len(nodes), step):
        block = order[np.searchsorted(place[order], start) : np.searchsorted(place[order], start + step)]
        boxes = leaf_bounds(grown.tree, nodes[start : start + step], m)
        for first in range(0, len(block), step):
            some = block[first : first + step]
            ours: Bounds = boxes.take(place[some] - start)
            apart = dissimilarities(way.kind, sample.bounds.take(old[some]), ours, reference, jlu=way.jlu)
            drift += np.bincount(node[some], weights=apart * amount[some], minlength=len(drift))
    return drift


def _pairs(
    tree: Tree, leaf: NDArray[Any], old: NDArray[Any], weight: _Floats
) -> tuple[NDArray[np.int64], NDArray[np.int64], _Floats]:
    """The nodes with the old leaves that they share rows with, and the weight of these: three arrays."""
    above = parents(tree.left, tree.right).astype(np.int64)
    depth = node_depths(above)
    n_old = int(old.max(initial=0)) + 1
    found: list[tuple[NDArray[np.int64], _Floats]] = []
    waiting = _merged(leaf.astype(np.int64) * n_old + old, weight)
    by_depth = np.argsort(-depth[waiting[0] // n_old], kind="stable")
    keys, weights = waiting[0][by_depth], waiting[1][by_depth]
    at, level = 0, int(depth[keys[0] // n_old]) if len(keys) else -1
    up: tuple[NDArray[np.int64], _Floats] = (np.zeros(0, np.int64), np.zeros(0))
    depths = -depth[keys // n_old]
    while level >= 0:
        end = int(np.searchsorted(depths, -level, side="right"))
        own = _merged(np.concatenate([up[0], keys[at:end]]), np.concatenate([up[1], weights[at:end]]))
        found.append(own)
        up = (above[own[0] // n_old] * n_old + own[0] % n_old, own[1])
        at, level = end, level - 1
    key = np.concatenate([part[0] for part in found] or [np.zeros(0, np.int64)])
    return key // n_old, key % n_old, np.concatenate([part[1] for part in found] or [np.zeros(0)])


def _merged(keys: NDArray[np.int64], weight: _Floats) -> tuple[NDArray[np.int64], _Floats]:
    distinct, place = np.unique(keys, return_inverse=True)
    total = np.zeros(len(distinct))
    np.add.at(total, place, weight)
    return distinct, total
