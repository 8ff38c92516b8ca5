"""Grown trees as text: boxes and shares of leaves, rules, and the nodes that rows pass."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.box import Term
from xylogic.domain.cells import Cells, StateSet
from xylogic.grow.grown import Grown
from xylogic.model.ensemble import Ensemble
from xylogic.model.reach import Open, open_column, walk
from xylogic.model.states import model_cells
from xylogic.model.tree import Tree, parents

__all__ = ["Leaf", "leaf_boxes", "paths", "rules_text"]


@dataclass(frozen=True, slots=True)
class Leaf:
    """One leaf of a grown tree.

    Attributes
    ----------
    node : its number in ``tree_``.
    box : the rows that reach it, as a condition on each feature tested above it.
    answer : the class label or number it predicts.
    shares : label -> share of its training weight; ``None`` in a regression tree.
    n_rows, weight, impurity : of its training rows, as in ``Grown``.
    """

    node: int
    box: Term
    answer: Any
    shares: dict[Hashable, float] | None
    n_rows: int
    weight: float
    impurity: float

    def __str__(self) -> str:
        rows = "1 row" if self.n_rows == 1 else f"{self.n_rows} rows"
        shares = ""
        if self.shares is not None and len(self.shares) > 1:
            shares = "; " + ", ".join(f"{label} {share:.3g}" for label, share in self.shares.items() if share)
        return f"if {self.box}: {self.answer}  ({rows}{shares})"


def leaf_boxes(model: Ensemble, grown: Grown) -> tuple[Leaf, ...]:
    """The leaves of the one tree of ``model``, from left to right. O(n_nodes + n_leaves * n_features).

    "Missing" is told of the features that had missing values in training; where others are missing, they go as
    ``Tree.missing`` says.
    """
    cells = model_cells(model)
    start = [open_column(feature, missing=True) for feature in model.features]
    tree = model.trees[0]
    answers = model.labels(tree.value)
    found = []
    for node, state in walk(tree, start):
        if tree.left[node] >= 0:
            continue
        sets = {
            column.name: _states(column, now)
            for column, now, whole in zip(cells, state, start, strict=True)
            if now is not whole
        }
        shares = None
        if model.classes is not None:
            shares = dict(zip(model.classes, grown.value[node].tolist(), strict=True))
        answer = answers[node]
        found.append(
            Leaf(
                node,
                Term({name: allowed for name, allowed in sets.items() if len(allowed.states) < allowed.cells.n_states}),
                answer.item() if isinstance(answer, np.generic) else answer,
                shares,
                int(grown.n_rows[node]),
                float(grown.weight[node]),
                float(grown.impurity[node]),
            )
        )
    return tuple(found)


def _states(column: Cells, now: Open) -> StateSet:
    """What a column may be at a node, as states."""
    if column.is_set:
        states = sorted(now.codes)
    elif now.low < now.high:
        first, last = column.cut_indices(np.array([now.low, now.high])).tolist()
        states = list(range(first + 1, last + 1))
    else:
        states = []
    return StateSet(column, tuple([*states, column.n_values] if now.missing and column.missing else states))


def rules_text(leaves: Sequence[Leaf]) -> str:
    """One line a leaf."""
    return "\n".join(map(str, leaves))


def paths(tree: Tree, leaves: NDArray[np.int64]) -> Any:
    """The nodes from the root to each of ``leaves``: a CSR matrix of ones, (n, n_nodes), columns ascending in a row.

    O(the number of ones), and one walk up for each distinct leaf.
    """
    from scipy.sparse import csr_matrix

    above = parents(tree.left, tree.right).tolist()
    distinct, place = np.unique(leaves, return_inverse=True)
    walks = []
    for leaf in distinct.tolist():
        walk_up = [leaf]
        while walk_up[-1]:
            walk_up.append(above[walk_up[-1]])
        walks.append(np.array(sorted(walk_up), dtype=np.int64))
    lengths = np.array([len(walk_up) for walk_up in walks], dtype=np.int64)[place]
    pointer = np.concatenate([[0], np.cumsum(lengths)])
    columns = np.concatenate([walks[p] for p in place.tolist()]) if len(place) else np.zeros(0, dtype=np.int64)
    return csr_matrix((np.ones(len(columns), dtype=np.int64), columns, pointer), shape=(len(leaves), tree.n_nodes))
