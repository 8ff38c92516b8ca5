"""Two peers as oracles of the question "can the decision change while these features stay?", and the reasons on top.

The reasons are the same three plain loops for both, so that what is compared is the oracle.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from common import floor32
from sklearn.ensemble import RandomForestClassifier

# fixed features -> None (the decision is forced) or a complete row that is decided otherwise
Flip = Callable[[frozenset[int]], "np.ndarray | None"]


class HardVote:
    """python-sat: majority of the trees' argmax classes, equal counts go to the first class.

    A literal per cut says `x <= cut` and implies the next one. For each pair (decided class i, other class j) a solver
    holds: a tree may count for j only if its leaf says j, must count for i if its leaf says i, and j gets enough votes.
    """

    def __init__(self, forest: RandomForestClassifier) -> None:
        self.trees = [member.tree_ for member in forest.estimators_]
        self.n_features, self.n_classes = forest.n_features_in_, len(forest.classes_)
        features = range(self.n_features)
        thresholds = [np.concatenate([t.threshold[t.feature == f] for t in self.trees]) for f in features]
        self.cuts = [np.unique(floor32(held)) for held in thresholds]
        self.first = np.concatenate([[1], 1 + np.cumsum([len(c) for c in self.cuts])])
        self.leaves = [list(self._paths(tree)) for tree in self.trees]
        self.solvers: dict[tuple[int, int], Any] = {}

    def _paths(self, tree: Any) -> Any:
        stack: list[tuple[int, tuple[int, ...]]] = [(0, ())]
        while stack:
            node, path = stack.pop()
            if tree.children_left[node] < 0:
                yield path, int(np.argmax(tree.value[node][0]))
                continue
            feature = tree.feature[node]
            literal = int(self.first[feature] + np.searchsorted(self.cuts[feature], floor32(tree.threshold[node])))
            stack += [(tree.children_left[node], (*path, literal)), (tree.children_right[node], (*path, -literal))]

    def _solver(self, i: int, j: int) -> Any:
        from pysat.card import CardEnc, EncType
        from pysat.solvers import Solver

        if (i, j) in self.solvers:
            return self.solvers[i, j]
        solver = Solver("cadical153")
        for start, cuts in zip(self.first, self.cuts, strict=False):
            for a, b in pairwise(range(start, start + len(cuts))):
                solver.add_clause([-a, b])
        top, counted = int(self.first[-1]) - 1, []
        for leaves in self.leaves:
            for_j, not_i = top + 1, top + 2
            top += 2
            counted += [for_j, not_i]
            for path, vote in leaves:
                if vote != j:
                    solver.add_clause([*(-literal for literal in path), -for_j])
                if vote == i:
                    solver.add_clause([*(-literal for literal in path), -not_i])
        need = len(self.trees) + (j > i)
        for clause in CardEnc.atleast(counted, need, top_id=top, encoding=EncType.totalizer).clauses:
            solver.add_clause(clause)
        self.solvers[i, j] = solver
        return solver

    def explain(self, row: np.ndarray) -> Flip:
        """The oracle of one row."""
        cells = [int(np.searchsorted(self.cuts[f], np.float32(row[f]))) for f in range(self.n_features)]
        votes = np.zeros(self.n_classes, int)
        for leaves in self.leaves:
            for path, vote in leaves:
                if all(self._holds(literal, cells) for literal in path):
                    votes[vote] += 1
        decided = int(np.argmax(votes))

        def flip(fixed: frozenset[int]) -> np.ndarray | None:
            held = []
            for f in sorted(fixed):
                if cells[f] > 0:
                    held.append(-int(self.first[f] + cells[f] - 1))
                if cells[f] < len(self.cuts[f]):
                    held.append(int(self.first[f] + cells[f]))
            for other in range(self.n_classes):
                if other != decided:
                    solver = self._solver(decided, other)
                    if solver.solve(assumptions=held):
                        return self._row(solver.get_model(), row, cells)
            return None

        return flip

    def _holds(self, literal: int, cells: list[int]) -> bool:
        feature = int(np.searchsorted(self.first, abs(literal), side="right")) - 1
        return bool((cells[feature] <= abs(literal) - self.first[feature]) == (literal > 0))

    def _row(self, model: list[int], row: np.ndarray, cells: list[int]) -> np.ndarray:
        changed = np.array(row, float)
        for f, cuts in enumerate(self.cuts):
            below = [model[self.first[f] - 1 + k] > 0 for k in range(len(cuts))]
            cell = below.index(True) if True in below else len(cuts)
            if cell != cells[f]:
                changed[f] = cuts[cell] if cell < len(cuts) else np.nextafter(cuts[-1], np.float32(np.inf))
        return changed


class SoftVote:
    """dtai-veritas: mean of the leaves' class shares, equal means go to the first class; one search a pair."""

    def __init__(self, forest: RandomForestClassifier) -> None:
        self.forest = forest
        self.pairs: dict[tuple[int, int], Any] = {}

    def _pair(self, i: int, j: int) -> Any:
        import veritas

        if (i, j) in self.pairs:
            return self.pairs[i, j]
        added = veritas.AddTree(1, veritas.AddTreeType.REGR)
        for member in self.forest.estimators_:
            tree, grown = member.tree_, added.add_tree()
            stack = [(0, grown.root())]
            while stack:
                node, there = stack.pop()
                if tree.children_left[node] >= 0:
                    grown.split(there, int(tree.feature[node]), float(np.nextafter(tree.threshold[node], np.inf)))
                    stack.append((tree.children_left[node], grown.left(there)))
                    stack.append((tree.children_right[node], grown.right(there)))
                else:
                    shares = tree.value[node][0]
                    grown.set_leaf_value(there, 0, float(shares[j] - shares[i]))
        self.pairs[i, j] = added
        return added

    def explain(self, row: np.ndarray) -> Flip:
        """The oracle of one row."""
        import veritas

        given = np.array(row, np.float32).astype(float)
        decided = int(np.argmax(self.forest.predict_proba(np.asarray(row, float)[None])[0]))

        def flip(fixed: frozenset[int]) -> np.ndarray | None:
            box = {f: veritas.Interval(given[f], float(np.nextafter(given[f], np.inf))) for f in sorted(fixed)}
            for other in range(len(self.forest.classes_)):
                if other == decided:
                    continue
                least = 0.0 if other < decided else float(np.nextafter(0.0, 1.0))
                config = veritas.Config(veritas.HeuristicType.MAX_OUTPUT)
                config.ignore_state_when_worse_than = least
                config.stop_when_num_solutions_exceeds = 1
                search = config.get_search(self._pair(decided, other), box)
                stopped = search.step_for(10.0, 1000)
                while stopped in (veritas.StopReason.NONE, veritas.StopReason.OUT_OF_TIME):
                    stopped = search.step_for(10.0, 1000)
                if search.num_solutions() and search.get_solution(0).output >= least:
                    return _inside(search.get_solution(0).box(), given)
                if search.num_open() and search.current_bounds().top_of_open >= least:
                    raise RuntimeError(f"veritas stopped without an answer: {stopped.name}")
            return None

        return flip


def _inside(box: dict[int, Any], given: np.ndarray) -> np.ndarray:
    """The nearest float32 row in a box of half-open float64 intervals."""
    moved = given.copy()
    for feature, interval in box.items():
        if given[feature] < interval.lo:
            moved[feature] = np.nextafter(floor32(np.nextafter(interval.lo, -np.inf)), np.float32(np.inf))
        elif given[feature] >= interval.hi:
            moved[feature] = floor32(np.nextafter(interval.hi, -np.inf))
    return moved


def sufficient(flip: Flip, n_features: int) -> frozenset[int]:
    """One sufficient reason by deletion: a feature goes when the others still force the decision."""
    kept = frozenset(range(n_features))
    for feature in range(n_features):
        if flip(kept - {feature}) is None:
            kept -= {feature}
    return kept


def necessary(flip: Flip, row: np.ndarray, free: frozenset[int]) -> tuple[frozenset[int], np.ndarray | None]:
    """One minimal set of features whose change flips the decision, inside `free`, and the changed row."""
    everything = frozenset(range(len(row)))
    witness = flip(everything - free)
    if witness is None:
        return frozenset(), None
    used = frozenset(np.flatnonzero(witness != np.asarray(row, np.float32).astype(float)).tolist()) & free
    for feature in sorted(used):
        again = flip(everything - (used - {feature}))
        if again is not None:
            used, witness = used - {feature}, again
    return used, witness


def smallest(flip: Flip, row: np.ndarray) -> frozenset[int]:
    """A smallest sufficient reason: the least hitting set of the necessary reasons found so far, until it suffices."""
    from pysat.examples.hitman import Hitman

    with Hitman(bootstrap_with=[], htype="sorted") as hitter:
        candidate: frozenset[int] = frozenset()
        while True:
            found, witness = necessary(flip, row, frozenset(range(len(row))) - candidate)
            if witness is None:
                return candidate
            hitter.hit(sorted(found))
            candidate = frozenset(hitter.get())
