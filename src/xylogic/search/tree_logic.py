"""Algorithms 1-5 of "Efficient & Correct Predictive Equivalence for Decision Trees", line by line.

To be read beside the paper, and to judge the fast versions by (``search/single_kernel.py``, ``search/pair.py``):
polynomial, but slow. Numbers in comments are the paper's line numbers. A path is known by its terminal node.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from xylogic.domain.cells import Cells, is_missing
from xylogic.domain.table import read_values
from xylogic.errors import InvalidInputError
from xylogic.model import predict
from xylogic.model.ensemble import Ensemble
from xylogic.model.states import model_cells
from xylogic.model.tree import parents
from xylogic.search.single import Domain, leaf_scores

__all__ = [
    "DecisionTree",
    "Literal",
    "Values",
    "assignment",
    "consistent_path",
    "find_axp",
    "is_some_waxp",
    "is_waxp",
    "predictively_equivalent",
]


@dataclass(frozen=True)
class Values:
    """A subset of a feature's domain: numbers in half-open ``intervals`` (low, high], category ``codes``, "missing"."""

    intervals: tuple[tuple[float, float], ...] = ()
    codes: frozenset[int] = frozenset()
    missing: bool = False

    def __and__(self, other: Values) -> Values:
        meets = (
            (max(low, other_low), min(high, other_high))
            for low, high in self.intervals
            for other_low, other_high in other.intervals
        )
        return Values(
            tuple((low, high) for low, high in meets if low < high),
            self.codes & other.codes,
            self.missing and other.missing,
        )

    def __bool__(self) -> bool:
        """Whether there is such a value: Consistent."""
        return bool(self.intervals or self.codes or self.missing)


@dataclass(frozen=True)
class Literal:
    """(x_i, R_i, in); an equality is a set of one value, a comparison an interval."""

    feature: int
    values: Values


Assignment = Sequence[Literal]


class DecisionTree:
    """A one-tree model in the paper's words; ``cells`` (``None``: the model's own) say what each feature may be."""

    def __init__(self, model: Ensemble, cells: Sequence[Cells] | None = None) -> None:
        self.cells = tuple(model_cells(model) if cells is None else cells)
        tree, domain = model.trees[0], Domain(self.cells)
        self.domain = [
            Values(codes=frozenset(range(c.n_values)), missing=c.missing)
            if c.is_set
            else Values(((-math.inf, math.inf),), missing=c.missing)
            for c in self.cells
        ]
        self._feature, self._left = tree.feature.tolist(), tree.left.tolist()
        self._parent = parents(tree.left, tree.right).tolist()
        self._codes = [frozenset(tree.left_codes(s).tolist()) for s in range(tree.n_nodes)]
        self._cut = domain.cuts(tree.feature, tree.cut).tolist()
        self._way = tree.missing.tolist()
        scores = leaf_scores(model)
        labels = scores[:, 0] if model.classes is None else predict.decide(model, scores)
        self._class = [label if model.classes is None else model.classes[label] for label in labels.tolist()]
        self.paths = tuple(np.flatnonzero(tree.left < 0).tolist())  # Paths(T), by their terminals

    def class_of(self, s: int) -> Any:
        """Class(s; T)."""
        return self._class[s]

    def feature(self, s: int) -> int:
        """Feature(s; T)."""
        return int(self._feature[s])

    def parent(self, s: int) -> int | None:
        """Parent(s; T)."""
        return None if s == 0 else int(self._parent[s])

    def literal(self, s_a: int, s_b: int) -> Literal:
        """Literal(s_a, s_b; T)."""
        return self._edges[s_b]

    @cached_property
    def _edges(self) -> list[Literal]:
        return [self._edge(self._parent[s], s) for s in range(len(self._feature))]

    def _edge(self, s_a: int, s_b: int) -> Literal:
        i, is_left = self._feature[s_a], self._left[s_a] == s_b
        missing = self._way[s_a] == (1 if is_left else 2)
        if self.domain[i].codes:
            codes = self._codes[s_a] if is_left else self.domain[i].codes - self._codes[s_a]
            return Literal(i, Values(codes=codes, missing=missing))
        cut = self._cut[s_a]
        return Literal(i, Values(((-math.inf, cut) if is_left else (cut, math.inf),), missing=missing))

    def literals(self, path: int) -> list[Literal]:
        """Literals(P; T), from the root down."""
        found = []
        s_b = path
        while (s_a := self.parent(s_b)) is not None:
            found.append(self.literal(s_a, s_b))
            s_b = s_a
        return found[::-1]


def assignment(known: Mapping[str, Any], cells: Sequence[Cells]) -> list[Literal]:
    """A partial assignment from name -> value, set of values, or closed interval (low, high); NaN is "missing".

    Raises InvalidInputError, naming the feature, for anything else, and where no value of the domain is allowed.
    """
    places = {c.name: i for i, c in enumerate(cells)}
    found = []
    for name, entry in known.items():
        if name not in places:
            raise InvalidInputError(f"there is no feature {name!r}; accepted: {', '.join(places)}")
        c = cells[places[name]]
        if isinstance(entry, tuple) and not c.is_set:
            values = Values((_interval(c, float(entry[0]), float(entry[1])),))
        else:
            listed = list(entry) if isinstance(entry, set | frozenset) else [entry]
            codes = [code for code in read_values(listed, c.feature) if not math.isnan(code)]
            missing = any(map(is_missing, listed))
            if c.is_set:
                values = Values(codes=frozenset(map(int, codes)), missing=missing)
            else:
                values = Values(tuple(_interval(c, code, code) for code in codes), missing=missing)
        values = values & Values(((-math.inf, math.inf),), frozenset(range(c.n_values)), c.missing)
        if not values:
            raise InvalidInputError(f"feature {name!r}: {entry!r} allows no value")
        found.append(Literal(places[name], values))
    return found


def _interval(cells: Cells, low: float, high: float) -> tuple[float, float]:
    """[low, high] as a half-open interval of the domain's own numbers."""
    low, high = cells.round(np.array([low, high])).tolist()
    if cells.feature.kind != "numeric":
        return math.ceil(low) - 1.0 if math.isfinite(low) else low, math.floor(high) if math.isfinite(high) else high
    return math.nextafter(low, -math.inf), high


def consistent_path(a: Assignment, path: int, tree: DecisionTree) -> bool:
    """Algorithm 1: whether a path is consistent with a partial assignment. O(|a| + |path|)."""
    lits: dict[int, Values] = {}  # 2: a feature that is not in it may be anything
    for literal in a:  # 3
        i = literal.feature
        lits[i] = lits.get(i, tree.domain[i]) & literal.values  # 4
    s_b = path  # 5
    s_a = tree.parent(s_b)  # 6
    while s_a is not None:  # 7
        i = tree.feature(s_a)  # 8
        lits[i] = lits.get(i, tree.domain[i]) & tree.literal(s_a, s_b).values  # 9
        s_b, s_a = s_a, tree.parent(s_a)  # 10
    return all(lits.values())  # 11-14


def is_some_waxp(a: Assignment, tree: DecisionTree) -> Any:
    """Algorithm 2: the class for which ``a`` is a weak abductive explanation, else ``None``."""
    for c in dict.fromkeys(tree.class_of(s) for s in tree.paths):  # 2-3: each class once
        if is_waxp(a, c, tree):  # 4
            return c  # 5
    return None  # 6


def is_waxp(a: Assignment, c: Any, tree: DecisionTree) -> bool:
    """Algorithm 3: whether every row that ``a`` allows gets class ``c``. O(paths * (|a| + depth))."""
    _check_consistent(a, tree)
    for path in tree.paths:  # noqa: SIM110 (2-3)
        if tree.class_of(path) != c and consistent_path(a, path, tree):  # 4-5
            return False  # 6
    return True  # 7


def find_axp(a: Assignment, c: Any, tree: DecisionTree) -> list[Literal]:
    """Algorithm 4: a subset-minimal part of ``a`` that forces ``c``, features tried from the first to the last.

    Raises InvalidInputError where ``a`` does not force ``c``.
    """
    if not is_waxp(a, c, tree):
        raise InvalidInputError(f"the assignment does not force class {c!r}")
    x = list(a)  # 2
    w = sorted({literal.feature for literal in a})  # 3
    for i in w:  # 4
        without = [literal for literal in x if literal.feature != i]  # 5-6
        if is_waxp(without, c, tree):  # 7
            x = without  # 8
    return x  # 9


def predictively_equivalent(tree_1: DecisionTree, tree_2: DecisionTree, *, n_jobs: int | None = None) -> bool:
    """Algorithm 5: whether two trees over the same features compute the same function. O(|T1| |T2| depth).

    ``n_jobs``: workers of joblib, which share both loops. The paper's line 10 says T where T2 is meant.
    """
    if n_jobs is None:
        return _paths_agree(tree_1, tree_2, tree_1.paths, tree_2.paths)
    from joblib import Parallel, delayed

    blocks = [(paths_1, paths_2) for paths_1 in _pieces(tree_1.paths) for paths_2 in _pieces(tree_2.paths)]
    return all(Parallel(n_jobs=n_jobs)(delayed(_paths_agree)(tree_1, tree_2, *block) for block in blocks))


def _paths_agree(tree_1: DecisionTree, tree_2: DecisionTree, paths_1: Iterable[int], paths_2: Sequence[int]) -> bool:
    for path_1 in paths_1:  # 2-3
        c_1 = tree_1.class_of(path_1)  # 4
        a_1 = tree_1.literals(path_1)  # 5
        for path_2 in paths_2:  # 6-7
            c_2 = tree_2.class_of(path_2)  # 8
            if c_1 != c_2 and consistent_path(a_1, path_2, tree_2):  # 9-10
                return False  # 11
    return True  # 12


def _pieces(paths: Sequence[int]) -> Iterator[Sequence[int]]:
    """The paths in eight parts."""
    size = math.ceil(len(paths) / 8)
    return (paths[start : start + size] for start in range(0, len(paths), size))


def _check_consistent(a: Assignment, tree: DecisionTree) -> None:
    lits: dict[int, Values] = {}
    for literal in a:
        lits[literal.feature] = lits.get(literal.feature, tree.domain[literal.feature]) & literal.values
        if not lits[literal.feature]:
            name = tree.cells[literal.feature].name
            raise InvalidInputError(f"the assignment allows no value of {name!r}")
