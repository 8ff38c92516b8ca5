"""Minimal cost-complexity pruning of a grown tree (Breiman et al., "Classification and Regression Trees", chapter 3).

For alpha >= 0 the cost of a pruned tree is R + alpha * leaves, R the sum of its leaves' risks divided by the weight of
all rows, as in scikit-learn. The smallest tree of least cost is unique; as alpha grows these trees are nested.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.checks import check_choice
from xylogic.errors import InvalidInputError
from xylogic.grow import weakest_kernel
from xylogic.grow.grown import Grown
from xylogic.model.build import make_tree
from xylogic.model.tree import parents

__all__ = [
    "RISKS",
    "PruningPath",
    "check_alpha",
    "collapsed",
    "new_places",
    "node_risks",
    "pruned",
    "pruning_path",
    "subtree",
]

RISKS = ("impurity", "mistakes")

_EXACT = 2.0**-80  # relative noise of a risk that is a known fraction of whole numbers
_ROUNDED = 2.0**-46  # and of one that has been computed in doubles

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class PruningPath:
    """The trees of least cost for all alpha: tree k is the one for every alpha in [alphas[k], alphas[k + 1]).

    Attributes
    ----------
    alphas : float64 (n_trees,), strictly ascending from 0.
    risks : float64 (n_trees,), each tree's risk per unit of weight.
    leaves : int64 (n_trees,), strictly descending to 1, the root alone.
    until : int64 (n_nodes,), the first tree in which the node is no inner node.
    left, right : int32 (n_nodes,), the children in the whole tree.
    """

    alphas: _Floats
    risks: _Floats
    leaves: _Ints
    until: _Ints
    left: NDArray[np.int32]
    right: NDArray[np.int32]

    def place(self, alpha: float) -> int:
        """Which tree has the least cost at ``alpha``. Raises InvalidInputError if it is negative or NaN."""
        return int(np.searchsorted(self.alphas, check_alpha(alpha), side="right")) - 1

    def places(self, alphas: _Floats) -> _Ints:
        """``place`` of many alphas, which are known to be good: int64, of the same shape."""
        return np.searchsorted(self.alphas, alphas, side="right") - 1

    def kept(self, place: int) -> _Ints:
        """The nodes of tree ``place``, ascending."""
        inner = self.until > place
        kept = np.zeros(len(inner), dtype=bool)
        kept[0] = True
        kept[self.left[inner]] = True
        kept[self.right[inner]] = True
        return np.flatnonzero(kept)


def pruning_path(grown: Grown, risk: str | _Floats = "impurity") -> PruningPath:
    """All trees of least cost, by weakest links. O(n_nodes log n_nodes), whatever the depth.

    Parameters
    ----------
    grown : the whole tree.
    risk : what a leaf adds to R: ``"impurity"``, its impurity times its weight; ``"mistakes"``, the weight of the rows
        that are not of its most frequent class; or float64 (n_nodes,), the risk of each node.

    Links are compared in double-double arithmetic. Where the risk is a fraction of whole numbers, as Gini impurity
    and mistakes are for whole weights, equal links are found equal; elsewhere they count as equal within 2^-46 of
    their nodes' risks. Negative ones are noise and count as 0.
    """
    tree = grown.tree
    risks, unit = node_risks(grown, risk)
    n = tree.n_nodes
    alpha, drop = np.zeros((n, 2)), np.zeros((n, 2))
    fewer, stays = np.zeros(n, np.int32), np.zeros(n, np.int8)
    weakest_kernel.weakest_links(
        tree.left, tree.right, risks, alpha, drop, fewer, stays, np.empty(n, np.int32), np.empty((n, 2), np.int32)
    )
    order = np.flatnonzero(stays)
    order = order[np.lexsort((alpha[order, 1], alpha[order, 0]))]
    noise = unit * np.abs(risks[:, 0]) / np.maximum(fewer, 1)
    until = np.where(tree.left >= 0, len(order) + 1, 0)
    room = len(order) + 1
    alphas, total, leaves = np.empty(room), np.empty(room), np.empty(room, np.int64)
    total[0], leaves[0] = math.fsum(risks[tree.left < 0, 0]), tree.n_leaves
    n_trees = weakest_kernel.steps(
        order, alpha, drop, fewer, noise, float(grown.weight[0]) or 1.0, until, alphas, total, leaves
    )
    weakest_kernel.spread(tree.left, tree.right, until)
    return PruningPath(alphas[:n_trees], total[:n_trees], leaves[:n_trees], until, tree.left, tree.right)


def pruned(grown: Grown, alpha: float, risk: str | _Floats = "impurity") -> Grown:
    """The smallest pruned tree of least cost at ``alpha``; +inf gives the root. ``grown`` stays as it is.

    At a listed alpha of ``pruning_path`` it is the tree listed there. At 0, splits go that do not lower the risk.
    Raises InvalidInputError where alpha is negative or NaN. O(n_nodes log n_nodes)
    """
    check_alpha(alpha)
    path = pruning_path(grown, risk)
    return subtree(grown, path.kept(path.place(alpha)))


def collapsed(grown: Grown, nodes: Sequence[int]) -> _Ints:
    """The nodes that are left, ascending, where ``nodes`` become leaves. Raises InvalidInputError for unknown ones."""
    given = np.asarray(nodes)
    n = grown.tree.n_nodes
    if given.ndim != 1 or (len(given) and given.dtype.kind not in "iu"):
        raise InvalidInputError(f"nodes is {repr(nodes)[:80]}; a list of node numbers is accepted")
    odd = (given < 0) | (given >= n)
    if odd.any():
        raise InvalidInputError(f"nodes has {given[odd][0]}; the tree has nodes 0 to {n - 1}")
    until = (grown.tree.left >= 0).astype(np.int64)
    until[given.astype(np.int64)] = 0
    weakest_kernel.spread(grown.tree.left, grown.tree.right, until)
    path = PruningPath(np.zeros(1), np.zeros(1), np.zeros(1, np.int64), until, grown.tree.left, grown.tree.right)
    return path.kept(0)


def new_places(grown: Grown, kept: _Ints) -> _Ints:
    """For each node of ``grown``, which node of ``subtree(grown, kept)`` its rows are at: itself, or one above it."""
    parent = parents(grown.tree.left, grown.tree.right)
    new = np.full(grown.tree.n_nodes, -1, dtype=np.int64)
    new[kept] = np.arange(len(kept))
    while (new < 0).any():
        gone = np.flatnonzero(new < 0)
        new[gone] = new[parent[gone]]
    return new


def subtree(grown: Grown, kept: _Ints) -> Grown:
    """The tree of the nodes ``kept``, ascending: of each node both children, or none, which makes it a leaf.

    Node i of it is node ``kept[i]`` of ``grown``. O(n_nodes)
    """
    tree = grown.tree
    if len(kept) == tree.n_nodes:
        return grown
    new = np.full(tree.n_nodes + 1, -1, dtype=np.int64)  # the last one stands for "no child"
    new[kept] = np.arange(len(kept))
    left, right = new[tree.left[kept]], new[tree.right[kept]]
    is_leaf = left < 0
    with_set = np.flatnonzero(~is_leaf & (np.diff(tree.set_ptr)[kept] > 0))
    value = grown.value[kept]
    old_leaf = tree.left[kept] < 0
    value[old_leaf] = tree.value[kept][old_leaf]
    made = make_tree(
        tree.feature[kept],
        tree.cut[kept],
        left,
        right,
        value,
        missing=tree.missing[kept],
        cast="float64",
        n_features=int(tree.feature.max(initial=0)) + 1,
        sets={int(i): tree.left_codes(int(kept[i])).tolist() for i in with_set},
        infinite=True,
    )
    return Grown(
        tree=made,
        n_rows=grown.n_rows[kept],
        weight=grown.weight[kept],
        impurity=grown.impurity[kept],
        value=grown.value[kept],
        gain=np.where(is_leaf, 0.0, grown.gain[kept]),
        routes=None if grown.routes is None else grown.routes.subtree(kept, is_leaf),
    )


def check_alpha(alpha: Any, name: str = "alpha") -> float:
    """``alpha`` as a float. Raises InvalidInputError unless it is a number >= 0; +inf is one."""
    try:
        number = math.nan if isinstance(alpha, bool | str) else float(alpha)
    except OverflowError:  # an int beyond all floats
        number = math.inf if alpha > 0 else math.nan
    except (TypeError, ValueError):
        number = math.nan
    if number >= 0:
        return number
    raise InvalidInputError(f"{name} is {alpha!r}; a number >= 0 is accepted, and inf for the root alone")


def node_risks(grown: Grown, risk: str | _Floats) -> tuple[_Floats, float]:
    """Each node's risk as (hi, lo), float64 (n_nodes, 2), and the relative noise of it. See ``pruning_path``."""
    risks = np.zeros((grown.tree.n_nodes, 2))
    if not isinstance(risk, str):
        risks[:, 0] = risk
        return risks, _ROUNDED
    check_choice("risk", risk, RISKS)
    counts = _whole_counts(grown)
    if risk == "mistakes":
        if np.abs(grown.value.sum(axis=1) - 1).max() > 1e-9:
            raise InvalidInputError(
                "risk 'mistakes' counts wrong classes, and this tree answers numbers; use 'impurity'"
            )
        if counts is not None:
            risks[:, 0] = counts.sum(axis=1) - counts.max(axis=1)
            return risks, _EXACT
        risks[:, 0] = grown.weight * (1 - grown.value.max(axis=1))
        return risks, _ROUNDED
    risks[:, 0] = grown.weight * grown.impurity
    if counts is not None:
        near = 1e-12 * grown.weight
        exact = np.zeros_like(risks)
        weakest_kernel.gini_risks(counts, exact)
        if (np.abs(exact[:, 0] - risks[:, 0]) <= near).all():
            return exact, _EXACT
        exact[:, 0], exact[:, 1] = counts.sum(axis=1) - counts.max(axis=1), 0.0
        if (np.abs(exact[:, 0] - risks[:, 0]) <= near).all():
            return exact, _EXACT
    return risks, _ROUNDED


def _whole_counts(grown: Grown) -> _Ints | None:
    """The weights of the classes at each node, int64 (n_nodes, n_classes), where all are whole; else ``None``."""
    weight, share = grown.weight, grown.value
    if weight[0] >= 2**31 or (weight != np.rint(weight)).any() or np.abs(share.sum(axis=1) - 1).max() > 1e-9:
        return None
    exact = share * weight[:, None]
    counts = np.rint(exact)
    if np.abs(exact - counts).max() > 1e-6 or (counts.sum(axis=1) != weight).any() or (weight <= 0).any():
        return None
    return counts.astype(np.int64)
