"""Grown trees as text: boxes and shares of leaves, rules, and the nodes that rows pass."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.box import Term
from xylogic.domain.cells import Cells, StateSet
from xylogic.errors import InvalidInputError
from xylogic.grow.grown import Grown
from xylogic.grow.surrogates import Surrogates
from xylogic.model.ensemble import Ensemble
from xylogic.model.reach import Open, open_column, walk
from xylogic.model.states import model_cells
from xylogic.model.tree import Tree, parents

__all__ = ["Leaf", "leaf_boxes", "paths", "renamed", "rules_text", "unsaid"]


class Side(NamedTuple):
    """What one column may be at a leaf: the ordered states from ``first`` to ``last``, or ``codes``, or missing."""

    column: Cells
    first: int
    last: int
    codes: frozenset[int]
    missing: bool

    @property
    def is_anything(self) -> bool:
        n_values = len(self.codes) if self.column.is_set else self.last - self.first + 1
        return n_values + self.missing == self.column.n_states

    @property
    def states(self) -> StateSet:
        values = sorted(self.codes) if self.column.is_set else list(range(self.first, self.last + 1))
        return StateSet(self.column, tuple([*values, self.column.n_values] if self.missing else values))

    def __str__(self) -> str:
        if self.column.is_set:
            return str(self.states)
        return self.column.describe_range(self.first, self.last, self.missing)


@dataclass(frozen=True, slots=True)
class Leaf:
    """One leaf of a grown tree; ``str()`` is its rule.

    Attributes
    ----------
    node : its number in ``tree_``.
    sides : what it asks of each column that is tested above it; ``box`` is the same.
    answer : the class label or number it predicts.
    shares : label -> share of its training weight; ``None`` in a regression tree.
    n_rows, weight, impurity : of its training rows, as in ``Grown``.
    """

    node: int
    sides: tuple[Side, ...]
    answer: Any
    shares: dict[Hashable, float] | None
    n_rows: int
    weight: float
    impurity: float

    @property
    def box(self) -> Term:
        """The rows that reach it. O(the states of the columns tested)."""
        return Term({side.column.name: side.states for side in self.sides})

    def __str__(self) -> str:
        words = [str(side) for side in self.sides]
        joined = " and ".join(f"({w})" if " or " in w and len(words) > 1 else w for w in words) or "(always)"
        rows = "1 row" if self.n_rows == 1 else f"{self.n_rows} rows"
        shares = ""
        if self.shares is not None and len(self.shares) > 1:
            shares = "; " + ", ".join(f"{label} {share:.3g}" for label, share in self.shares.items() if share)
        return f"if {joined}: {self.answer}  ({rows}{shares})"


def leaf_boxes(model: Ensemble, grown: Grown) -> tuple[Leaf, ...]:
    """The leaves of the one tree of ``model``, from left to right. O(n_nodes + n_leaves * n_features * log cuts).

    "Missing" is told of the features that had missing values in training; where others are missing, they go as
    ``Tree.missing`` says. Where a grown tree has ``routes`` of its own for missing values, the boxes are those of rows
    without.
    """
    direct = grown.routes is None
    features = [replace(feature, may_be_missing=feature.may_be_missing and direct) for feature in model.features]
    cells = model_cells(model, features)
    start = [open_column(feature, missing=direct) for feature in features]
    tree = model.trees[0]
    answers = model.labels(tree.value).tolist()
    n_rows, weight, impurity = grown.n_rows.tolist(), grown.weight.tolist(), grown.impurity.tolist()
    found = []
    for node, state in walk(tree, start):
        if tree.left[node] >= 0:
            continue
        sides = [_side(column, now) for column, now, whole in zip(cells, state, start, strict=True) if now is not whole]
        shares = None
        if model.classes is not None:
            shares = dict(zip(model.classes, grown.value[node].tolist(), strict=True))
        kept = tuple(side for side in sides if not side.is_anything)
        found.append(Leaf(node, kept, answers[node], shares, n_rows[node], weight[node], impurity[node]))
    return tuple(found)


def renamed(model: Ensemble, names: Sequence[str]) -> Ensemble:
    """The model with other names for its columns; raises InvalidInputError for another number of them."""
    if isinstance(names, str) or len(names) != len(model.features):
        raise InvalidInputError(f"feature_names is {repr(names)[:80]}; {len(model.features)} names are accepted")
    features = [replace(feature, name=str(name)) for feature, name in zip(model.features, names, strict=True)]
    return replace(model, features=tuple(features))


def _side(column: Cells, now: Open) -> Side:
    missing = now.missing and column.missing
    if column.is_set or now.low >= now.high:
        return Side(column, 0, -1, now.codes, missing)
    first, last = column.cut_indices(np.array([now.low, now.high])).tolist()
    return Side(column, first + 1, last, now.codes, missing)


def rules_text(leaves: Sequence[Leaf], grown: Grown) -> str:
    """One line a leaf, and one that says where missing values go if the leaves do not."""
    return "\n".join([*map(str, leaves), *unsaid(grown)])


def unsaid(grown: Grown) -> list[str]:
    """What the boxes of leaves do not tell of missing values."""
    if grown.routes is None:
        return []
    if isinstance(grown.routes, Surrogates):
        return ["where a tested value is missing, surrogate splits decide"]
    return ["where a tested value is missing, the row goes to both sides in part"]


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
