"""``RashomonSet``: almost equally good trees, as the set of functions that they really are."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.checks import check_jobs, listed
from xylogic.compare.rashomon_graph import GraphMembers
from xylogic.compare.rashomon_list import ListMembers
from xylogic.compare.rashomon_sources import praxis_graph, treefarms_graph
from xylogic.compare.reliance import Reliance
from xylogic.convert.read import read_model
from xylogic.domain.table import Table, read_table
from xylogic.errors import InvalidInputError
from xylogic.model.ensemble import Ensemble, label_array

__all__ = ["RashomonSet"]


class RashomonSet:
    """Classification trees, of which some compute the same function. Made by one of its ``from_`` methods.

    Functions are numbered alike by all members. In a set read from an AND/OR graph they are sorted by objective, then
    size, and told apart by fingerprints of 122 bits: n of them are counted wrongly with probability below
    (n * features)^2 / 2^122. In a list of trees they are numbered by first appearance, and checked by walking the
    trees.

    Attributes
    ----------
    classes, features : of all trees.
    """

    def __init__(self, members: GraphMembers | ListMembers) -> None:
        self._members = members
        self.classes: tuple[Hashable, ...] = members.classes
        self.features = members.features

    @classmethod
    def from_trees(cls, trees: Iterable[Any], *, n_jobs: int | None = None) -> RashomonSet:
        """A set from classification trees that ``read_model`` takes, over the same columns and classes.

        Raises InvalidInputError for an empty list or for other columns, UnsupportedModelError for ensembles.
        """
        check_jobs(n_jobs)
        return cls(ListMembers([read_model(tree) for tree in listed("trees", trees, "a list of trees")], n_jobs))

    @classmethod
    def from_treefarms(
        cls,
        source: Any,
        *,
        feature_names: Sequence[str] | None = None,
        classes: Sequence[Hashable] | None = None,
        time_limit: float | None = None,
        node_limit: int | None = None,
        memory_limit: int | None = None,
    ) -> RashomonSet:
        """A set from a fitted ``treefarms.TREEFARMS``, or its ``model_set``, without expanding the trees.

        Parameters
        ----------
        source : fitted on columns of 0 and 1; the package itself is not needed.
        feature_names : default: the columns of the fitted frame, else x0, x1, ...
        classes : the labels that its predictions 0, 1, ... stand for (default: these numbers).
        time_limit, node_limit, memory_limit : seconds from now, pairs of subtrees joined, bytes; whatever passes them
            raises BudgetExceeded.

        Raises UnsupportedModelError for another object, InvalidModelError for a graph that is not one of trees.
        """
        graph = treefarms_graph(source, feature_names, classes)
        return cls(GraphMembers(graph, Budget(time_limit, node_limit, memory_limit)))

    @classmethod
    def from_praxis(
        cls,
        source: Any,
        *,
        feature_names: Sequence[str] | None = None,
        classes: Sequence[Hashable] | None = None,
        time_limit: float | None = None,
        node_limit: int | None = None,
        memory_limit: int | None = None,
    ) -> RashomonSet:
        """A set from a fitted ``praxis.PRAXIS`` (PyPI: tree-praxis), or from what its ``export_andor_graph()`` answers.

        Parameters, errors: as of :meth:`from_treefarms`.
        """
        graph = praxis_graph(source, feature_names, classes)
        return cls(GraphMembers(graph, Budget(time_limit, node_limit, memory_limit)))

    def __repr__(self) -> str:
        return f"<RashomonSet: {self.n_trees} trees over {len(self.features)} features>"

    @property
    def n_trees(self) -> int:
        """How many trees the set has, equivalent ones counted each."""
        return self._members.n_trees

    @property
    def n_functions(self) -> int:
        """How many different functions the trees compute. O(pairs of subtrees), for a list O(nodes)."""
        return self._members.n_functions

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many trees compute each function: int64 (n_functions,)."""
        return self._members.counts

    @property
    def groups(self) -> list[list[int]]:
        """Of a set from a list: the positions of the trees of each function."""
        if isinstance(self._members, ListMembers):
            return self._members.groups
        raise InvalidInputError("the trees of an AND/OR graph have no positions; counts says how many are one function")

    @property
    def fingerprints(self) -> list[int]:
        """The canonical key of each function: ``fingerprint`` of any of its trees."""
        return self._members.fingerprints

    def functions(self) -> Iterator[Ensemble]:
        """One smallest tree of each function, as models, streamed."""
        return self._members.functions()

    def importance(self) -> dict[str, Reliance]:
        """How much the set relies on each feature, by name: with equivalent trees counted each, and once."""
        found = self._members.reliance()
        return {feature.name: share for feature, share in zip(self.features, found, strict=True)}

    def predict(self, X: Any, of: str = "functions") -> NDArray[Any]:
        """The labels that every function, or every tree, predicts: (n, n_functions) or (n, n_trees).

        ``of="trees"``: from a list, in its order; from a graph, the trees of each function beside each other.
        """
        whole = _checked(of) == "trees"
        codes = np.vstack([*self._answers(X), np.zeros((0, self.n_functions), np.uint8)])
        if whole:
            codes = codes[:, self._function_of_tree()]
        return label_array(self.classes)[codes]

    def agreement(self, X: Any, of: str = "functions") -> NDArray[np.float64]:
        """The share of the functions, or of the trees, that predicts each class: float64 (n, n_classes).

        Columns are as in ``classes``; a row's maximum says how far the set agrees on it.
        """
        weight = self.counts.astype(np.float64) if _checked(of) == "trees" else np.ones(self.n_functions)
        total = weight.sum()
        shares = [
            np.bincount(row, weights=weight, minlength=len(self.classes)) / total
            for chunk in self._answers(X)
            for row in chunk
        ]
        return np.array(shares, dtype=np.float64).reshape(-1, len(self.classes))

    def groups_on(self, X: Any) -> NDArray[np.int64]:
        """Which functions are equal on the given rows: each function's group, int64 (n_functions,).

        Groups are numbered by first appearance. Functions that differ on the whole domain often agree on all rows of
        a table; ``n_functions`` counts them apart, ``groups_on(X).max() + 1`` does not.
        """
        group = np.zeros(self.n_functions, np.int64)
        n_groups, n_classes = 1, len(self.classes)  # groups told apart so far, at most
        for chunk in self._answers(X):
            for row in chunk:
                if n_groups > 2**62 // n_classes:
                    group = np.unique(group, return_inverse=True)[1]
                    n_groups = int(group.max(initial=0)) + 1
                group = group * n_classes + row
                n_groups *= n_classes
        group = np.unique(group, return_inverse=True)[1]
        first = np.unique(group, return_index=True)[1]
        place = np.empty(len(first), np.int64)
        place[np.argsort(first)] = np.arange(len(first))
        return place[group]

    def _answers(self, X: Any) -> Iterator[NDArray[Any]]:
        table: Table = read_table(X, self.features, named=True)
        return self._members.answers(table)

    def _function_of_tree(self) -> NDArray[np.intp]:
        if isinstance(self._members, ListMembers):
            place = np.empty(self.n_trees, np.intp)
            for number, group in enumerate(self._members.groups):
                place[group] = number
            return place
        return np.repeat(np.arange(self.n_functions), self.counts)


def _checked(of: str) -> str:
    if not isinstance(of, str) or of not in ("functions", "trees"):
        raise InvalidInputError(f"of is {of!r}; 'functions' or 'trees' is accepted")
    return of
