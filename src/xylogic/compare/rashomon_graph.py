"""Rashomon sets stored as AND/OR graphs: their functions are counted, and looked into, without expanding the trees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.compare import andor_kernel, rashomon_kernel
from xylogic.compare.reliance import Reliance
from xylogic.compare.weights import cut_weight, label_code
from xylogic.domain.feature import Feature
from xylogic.domain.table import Table
from xylogic.errors import BudgetExceeded, InvalidInputError, InvalidModelError
from xylogic.model.build import make_ensemble, make_tree
from xylogic.model.ensemble import Ensemble

__all__ = ["AndOr", "GraphMembers"]

_PAIRS = 1 << 20  # between two looks at the budget
_MOST = 2**31 - 2
_Ints = NDArray[np.int32]
_Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class AndOr:
    """Trees over 0/1 features: an OR node offers leaves and splits, a split one tree of each of two OR nodes.

    Attributes
    ----------
    names, classes : of the features and labels.
    leaf_at, leaf_label, leaf_loss : of OR node n the leaves ``leaf_at[n] : leaf_at[n + 1]``.
    split_at, feature, no, yes : likewise the splits; ``no`` and ``yes`` are the nodes where the feature is 0 and 1.
    budget : int64 (n_nodes,), the largest sum of losses that a node takes.
    roots, objective : the nodes that the set consists of, and what each says of its trees, to sort them by.
    """

    names: tuple[str, ...]
    classes: tuple[object, ...]
    leaf_at: _Ints
    leaf_label: _Ints
    leaf_loss: _Longs
    split_at: _Ints
    feature: _Ints
    no: _Ints
    yes: _Ints
    budget: _Longs
    roots: _Ints
    objective: NDArray[np.float64]

    def in_order(self) -> AndOr:
        """The same with children before their parents, and only what the roots reach. O(edges).

        Raises InvalidModelError where nodes are on a cycle, or a feature is tested twice on a path.
        """
        if not len(self.roots):
            raise InvalidModelError("the AND/OR graph has no root: the set is empty")
        order = andor_kernel.topological(self.split_at, self.no, self.yes, self.roots)
        if not len(order):
            raise InvalidModelError("the AND/OR graph has a cycle; an acyclic one is accepted")
        place = np.zeros(len(self.split_at), np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        leaf_at, leaves = _gathered(self.leaf_at, order)
        split_at, splits = _gathered(self.split_at, order)
        found = replace(
            self,
            leaf_at=leaf_at,
            leaf_label=self.leaf_label[leaves],
            leaf_loss=self.leaf_loss[leaves],
            split_at=split_at,
            feature=self.feature[splits],
            no=place[self.no[splits]],
            yes=place[self.yes[splits]],
            budget=self.budget[order],
            roots=place[self.roots],
        )
        again = andor_kernel.tested_again(found.split_at, found.feature, found.no, found.yes, len(self.names))
        if again >= 0:
            raise InvalidModelError(
                f"OR node {order[again]} splits on a feature that trees below it split on again; "
                "a graph in which each path tests a feature once is accepted"
            )
        return found

    def without(self, feature: int) -> AndOr:
        """Only the trees that do not test ``feature``."""
        kept = self.feature != feature
        split_at = np.concatenate([np.zeros(1, np.int32), np.cumsum(kept, dtype=np.int32)])[self.split_at]
        return replace(self, split_at=split_at, feature=self.feature[kept], no=self.no[kept], yes=self.yes[kept])


class GraphMembers:
    """The trees of an AND/OR graph, its functions numbered by objective, then size, then place in the graph."""

    def __init__(self, graph: AndOr, budget: Budget) -> None:
        self.graph = graph.in_order()
        self.budget = budget
        self.classes = self.graph.classes
        self.features = tuple(Feature(name, "boolean") for name in graph.names)

    @cached_property
    def n_trees(self) -> int:
        return self._count(self.graph)

    def _count(self, graph: AndOr) -> int:
        """How many trees there are: entries that tell no functions apart, only losses. O(splits * losses^2)."""
        none = np.zeros((2, max(len(graph.names), len(graph.classes))), np.int64)
        entries = _filled(graph, none, none, self.budget).arrays
        at, count = entries["at"], entries["count"]
        return sum(int(c) for root in graph.roots for c in count[at[root] : at[root + 1]])

    @cached_property
    def _entries(self) -> dict[str, NDArray]:
        weight = np.array([cut_weight(name, 0.0) for name in self.graph.names], np.int64).reshape(-1, 2).T
        code = np.array([label_code(label) for label in self.graph.classes], np.int64).T
        code, weight = np.ascontiguousarray(code), np.ascontiguousarray(weight)
        found: dict[str, NDArray] = _filled(self.graph, code, weight, self.budget).arrays
        return found

    @cached_property
    def _functions(self) -> tuple[_Ints, _Longs]:
        """An entry with a smallest tree, and how many trees, of each function."""
        entries, at, roots = self._entries, self._entries["at"], self.graph.roots
        chosen = np.concatenate([np.arange(at[r], at[r + 1]) for r in roots]).astype(np.int32)
        keys = {name: np.ascontiguousarray(entries[name][chosen]) for name in ("first", "second", "size", "loss")}
        slots = np.full(1 << (2 * len(chosen)).bit_length(), -1, np.int32)
        group, best = np.empty(len(chosen), np.int32), np.empty(len(chosen), np.int32)
        n = andor_kernel.grouped(
            keys["first"], keys["second"], keys["size"], keys["loss"], slots, group, best
        )  # fmt: skip
        best = best[:n]
        count = np.zeros(n, np.int64)
        np.add.at(count, group, entries["count"][chosen])
        objective = np.repeat(self.graph.objective, at[roots + 1] - at[roots]) + keys["loss"]
        order = np.lexsort((best, keys["size"][best], objective[best]))
        return chosen[best[order]], count[order]

    @property
    def n_functions(self) -> int:
        return len(self._functions[0])

    @property
    def counts(self) -> _Longs:
        return self._functions[1]

    @property
    def fingerprints(self) -> list[int]:
        entry = self._functions[0]
        first, second = self._entries["first"][entry].tolist(), self._entries["second"][entry].tolist()
        return [a << 61 | b for a, b in zip(first, second, strict=True)]

    def functions(self) -> Iterator[Ensemble]:
        for entry in self._functions[0].tolist():
            yield self._expanded(entry)

    def _expanded(self, entry: int) -> Ensemble:
        """The tree of an entry, its nodes in preorder."""
        entries = self._entries
        feature: list[int] = []
        left: list[int] = []
        right: list[int] = []
        stack = [(entry, -1, left)]
        while stack:
            e, parent, side = stack.pop()
            if parent >= 0:
                side[parent] = len(feature)
            feature.append(int(entries["feature"][e]))
            left.append(-1)
            right.append(-1)
            if feature[-1] >= 0:
                node = len(feature) - 1
                stack += [(int(entries["yes"][e]), node, right), (int(entries["no"][e]), node, left)]
        value = np.zeros((len(feature), len(self.classes)))
        for node, f in enumerate(feature):
            if f < 0:
                value[node, -1 - f] = 1.0
        tree = make_tree(
            feature, [0.5] * len(feature), left, right, value,
            missing=[0] * len(feature), cast="float64", n_features=len(self.features),
        )  # fmt: skip
        return make_ensemble(
            [tree], self.features, self.classes, voting="average", cast="float64", source="tree of a Rashomon set"
        )

    def answers(self, table: Table) -> Iterator[NDArray[np.uint8]]:
        """Each function's class for 64 rows at a time: uint8 (rows, n_functions), positions in ``classes``."""
        entries, entry = self._entries, self._functions[0]
        ones = np.uint64(2**64 - 1)
        planes = max(1, (len(self.classes) - 1).bit_length())
        label = [
            np.array([ones if c >> plane & 1 else 0 for c in range(len(self.classes))], np.uint64)
            for plane in range(planes)
        ]
        out = np.empty(len(entries["feature"]), np.uint64)
        for begin in range(0, len(table.values), 64):
            rows = table.values[begin : begin + 64] > 0.5
            shift = np.arange(len(rows), dtype=np.uint64)[:, None]
            column = np.bitwise_or.reduce(rows.astype(np.uint64) << shift, axis=0)
            found = np.zeros((len(rows), len(entry)), np.uint8)
            for plane in range(planes):
                andor_kernel.answers(
                    entries["feature"], entries["no"], entries["yes"], column, label[plane], out
                )  # fmt: skip
                found |= ((out[entry] >> shift) & np.uint64(1)).astype(np.uint8) << np.uint8(plane)
            yield found

    def reliance(self) -> list[Reliance]:
        if not self.n_trees:
            raise InvalidInputError("the set has no trees, and no shares of them")
        entries, entry = self._entries, self._functions[0]
        count = self.counts
        out = np.empty(len(entries["feature"]), np.uint8)
        found = []
        for f in range(len(self.features)):
            shares = []
            for only_needed in (True, False):
                andor_kernel.tested(
                    entries["feature"], entries["no"], entries["yes"], entries["first"], entries["second"],
                    f, only_needed, out,
                )  # fmt: skip
                shares.append(out[entry] != 0)
            needed, tests = shares
            found.append(
                Reliance(
                    trees_testing=1 - self._count(self.graph.without(f)) / self.n_trees,
                    trees_depending=sum(count[needed].tolist()) / self.n_trees,
                    functions_testing=float(tests.mean()),
                    functions_depending=float(needed.mean()),
                )
            )
        return found


def _filled(graph: AndOr, code: _Longs, weight: _Longs, budget: Budget) -> rashomon_kernel.Entries:
    entries = rashomon_kernel.Entries(len(graph.budget))
    room, slots = 1 << 10, 1 << 10
    while True:
        why = entries.fill(
            graph.leaf_at, graph.leaf_label, graph.leaf_loss, graph.split_at, graph.feature, graph.no, graph.yes,
            graph.budget, code, weight, _PAIRS,
        )  # fmt: skip
        if why == rashomon_kernel.DONE:
            return entries
        if why == rashomon_kernel.MANY:
            raise BudgetExceeded("the set has more than 2^63 trees, more than are counted")
        budget.check(entries.n_made, entries.n_bytes)
        if why == rashomon_kernel.FULL:
            if room >= _MOST:
                raise BudgetExceeded("the set has more than 2^31 subtrees, more than are kept")
            room = min(2 * room, _MOST)
            budget.check(entries.n_made, entries.n_bytes * 2)
            entries.grow(room)
        elif why == rashomon_kernel.CROWDED:
            slots *= 4
            entries.crowd(slots)


def _gathered(at: _Ints, order: _Ints) -> tuple[_Ints, NDArray[np.intp]]:
    """Where the lists of nodes begin once they are in ``order``, and the items in that order."""
    size = (at[1:] - at[:-1])[order]
    begin = np.concatenate([np.zeros(1, np.int32), np.cumsum(size, dtype=np.int32)])
    return begin, np.arange(begin[-1]) + np.repeat(at[order] - begin[:-1], size)
