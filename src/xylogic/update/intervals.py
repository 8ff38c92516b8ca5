"""One row's explanation by a tree, as feature sets, bounds, a term and text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from xylogic.domain.box import Term
from xylogic.domain.cells import Cells, StateSet
from xylogic.domain.table import read_row
from xylogic.model.ensemble import Ensemble
from xylogic.model.states import model_cells
from xylogic.update.bounds import Bounds, bounds_of
from xylogic.update.reading import read_tree, refuse_infinite

__all__ = ["IntervalExplanation", "interval_explanation", "term_of"]


def interval_explanation(tree: Any, x: Any) -> IntervalExplanation:
    """What a tree has to say for its answer to one row: the box that its tests put the row in.

    Parameters
    ----------
    tree : a model of one tree, anything ``read_model`` takes, without categorical columns.
    x : one row, a 1-D array, a dict or Series by name, or a one-row table, of finite numbers.

    Raises as ``tree_bounds`` does. O(n_nodes + n_features).
    """
    model = read_tree(tree)
    table = read_row(x, model.features, named=model.named, missing=False)
    refuse_infinite(table)
    values = model.admit(table)
    return IntervalExplanation(model, bounds_of(model, values), model.predict(values).tolist()[0])


@dataclass(frozen=True, eq=False)
class IntervalExplanation:
    """A tree's answer to a row, and the half-open interval of each column that it comes with; ``str()`` is its rule.

    Attributes
    ----------
    model : the tree.
    bounds : the intervals, one row of them.
    prediction : the class label or number that the tree answers.
    """

    model: Ensemble
    bounds: Bounds
    prediction: Any

    @property
    def features(self) -> tuple[str, ...]:
        """The set F: names of the columns with a bound, in column order."""
        return self._named(self.bounds.has_any)

    @property
    def lower_features(self) -> tuple[str, ...]:
        """The set F^l: names of the columns with a lower bound."""
        return self._named(self.bounds.has_lower)

    @property
    def upper_features(self) -> tuple[str, ...]:
        """The set F^u: names of the columns with an upper bound."""
        return self._named(self.bounds.has_upper)

    @cached_property
    def term(self) -> Term:
        """The conjunction of the intervals, of those that say anything. O(the states of the columns tested)."""
        return term_of(model_cells(self.model), self.bounds)

    def __str__(self) -> str:
        words = [
            cells.describe_range(first, last, missing=False)
            for cells, first, last in _ends(model_cells(self.model), self.bounds)
        ]
        return f"if {' and '.join(words) or '(always)'}: {self.prediction}"

    def _named(self, mask: np.ndarray[Any, np.dtype[np.bool_]]) -> tuple[str, ...]:
        return tuple(self.model.feature_names[column] for column in np.flatnonzero(mask[0]).tolist())


def term_of(cells: Sequence[Cells], bounds: Bounds) -> Term:
    """The intervals of one row of bounds, of those that say anything. O(the states of the columns tested)."""
    ends = _ends(cells, bounds)
    return Term({each.name: StateSet(each, tuple(range(first, last + 1))) for each, first, last in ends})


def _ends(cells: Sequence[Cells], bounds: Bounds) -> Iterator[tuple[Cells, int, int]]:
    """The cells of each bounded column, and its first and last state."""
    for column in np.flatnonzero(bounds.has_any[0]).tolist():
        low, high = bounds.lower[0, column], bounds.upper[0, column]
        first, last = cells[column].cut_indices(np.array([low, high])).tolist()
        if (first, last) != (-1, cells[column].n_values - 1):
            yield cells[column], first + 1, last
