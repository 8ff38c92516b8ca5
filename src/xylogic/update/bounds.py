"""The bounds that a tree puts on each column on the way to a row's leaf: its explanation of the row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.model.ensemble import Ensemble
from xylogic.model.predict import apply
from xylogic.model.tree import Tree
from xylogic.update.bounds_kernel import bound_nodes
from xylogic.update.reading import finite_values, read_tree

__all__ = ["Bounds", "bounds_of", "leaf_bounds", "tree_bounds"]


@dataclass(frozen=True, eq=False, slots=True)
class Bounds:
    """The half-open intervals ``lower < x <= upper`` of n rows (or leaves) and m columns.

    Whether a bound is there is kept apart from its number: a tree that is being grown starts from the ends of the
    data, and a cut may fall on one of them.

    Attributes
    ----------
    lower, upper : float64 (n, m); infinite where there is no bound, unless the maker put something finite there.
    has_lower, has_upper : bool (n, m), membership in the feature sets F^l and F^u.
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    has_lower: NDArray[np.bool_]
    has_upper: NDArray[np.bool_]

    @property
    def has_any(self) -> NDArray[np.bool_]:
        """Membership in the feature set F: bool (n, m)."""
        return self.has_lower | self.has_upper

    def take(self, rows: NDArray[Any]) -> Bounds:
        """The bounds of some rows, by position or mask, in that order."""
        return Bounds(self.lower[rows], self.upper[rows], self.has_lower[rows], self.has_upper[rows])


def tree_bounds(tree: Any, X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Each row's explanation by a tree, as bounds on the columns.

    The row lies in the box ``lower < x <= upper``, each number rounded to the precision that the tree compares in
    (``Ensemble.cast``), and the tree answers alike in all of it.

    Parameters
    ----------
    tree : a model of one tree, anything ``read_model`` takes, without categorical columns.
    X : n rows, as ``predict`` takes them, of finite numbers.

    Returns
    -------
    (lower, upper) : float64 (n, n_features) each, columns in the model's order; -inf and +inf where there is no bound.

    Raises
    ------
    UnsupportedModelError (several trees, categorical columns), InvalidInputError (missing or infinite values, naming
    column and row, and whatever ``predict`` refuses).

    Notes
    -----
    Algorithm 1 of "Backward Compatibility in Tree-Based Explanations and Enhanced CART Algorithm", run once per leaf.
    O(n_nodes + n * (depth + n_features)).
    """
    model = read_tree(tree)
    bounds = bounds_of(model, finite_values(model, X))
    return bounds.lower, bounds.upper


def bounds_of(model: Ensemble, values: NDArray[np.float64]) -> Bounds:
    """The bounds of rows, float64 (n, n_features) in the model's precision, under its first tree."""
    leaves, places = np.unique(apply(model, values)[:, 0], return_inverse=True)
    return leaf_bounds(model.trees[0], leaves, len(model.features)).take(places)


def leaf_bounds(tree: Tree, leaves: NDArray[Any], n_features: int) -> Bounds:
    """The bounds of leaves, or other nodes, of a tree that tests numbers only. O(n_nodes + len(leaves) * n_features).

    ``leaves``: node ids, each at most once.
    """
    lower = np.full((len(leaves), n_features), -np.inf)
    upper = np.full((len(leaves), n_features), np.inf)
    place = np.full(tree.n_nodes, -1, np.int32)
    place[leaves] = np.arange(len(leaves))
    bound_nodes(tree.feature, tree.cut, tree.left, tree.right, place, lower, upper)
    return Bounds(lower, upper, lower > -np.inf, upper < np.inf)
