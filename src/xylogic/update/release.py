"""``release_changes``: the exact boxes of rows that a new tree decides or explains otherwise than the old one."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import EXACT, PARTIAL, Budget, Status
from xylogic.compare.align import Aligned, align
from xylogic.compare.rows import States, box_of, cell_in, row_of, share_of
from xylogic.domain.box import Box, Term
from xylogic.domain.cells import Cells
from xylogic.errors import BudgetExceeded, InvalidInputError
from xylogic.model.ensemble import Ensemble
from xylogic.model.predict import apply, decide
from xylogic.model.states import model_cells
from xylogic.search.pair import Pair
from xylogic.search.single import Single, leaf_scores
from xylogic.update.bounds import Bounds, leaf_bounds
from xylogic.update.intervals import term_of
from xylogic.update.pairing import pair
from xylogic.update.reading import finite_values, read_tree
from xylogic.update.relied import check_tolerance

__all__ = ["ChangedRegion", "ReleaseChanges", "release_changes"]

_BLOCK = 4096  # pairs of leaves looked at together


@dataclass(frozen=True)
class ChangedRegion:
    """The rows of one leaf of either tree: a box, never empty, that the trees decide or explain differently.

    Attributes
    ----------
    box : the rows. ``share`` : of all cells. ``row`` : one of the rows.
    decisions : the old and the new tree's class or number; ``decides_otherwise`` : whether they differ.
    explanations : the old and the new tree's interval explanation, as ``interval_explanation`` words it for either;
        ``explains_otherwise`` : whether other rows fulfil them, of those that both trees take. They may be equal where
        decisions differ.
    """

    box: Box
    decisions: tuple[Any, Any]
    explanations: tuple[Term, Term]
    decides_otherwise: bool
    explains_otherwise: bool
    share: Fraction
    row: dict[str, Any]

    def __str__(self) -> str:
        (old, new), (before, after) = self.decisions, self.explanations
        if self.decides_otherwise:
            return f"{self.box}: {old!r} because {before} becomes {new!r} because {after}"
        return f"{self.box}: {old!r} because {before} stays, because {after}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "text": str(self.box),
            "conditions": self.box.to_dict(),
            "decisions": list(self.decisions),
            "explanations": list(map(str, self.explanations)),
            "decides_otherwise": self.decides_otherwise,
            "explains_otherwise": self.explains_otherwise,
            "share": float(self.share),
            "row": self.row,
        }


@dataclass(frozen=True, eq=False)
class ReleaseChanges:
    """What a new tree changes over all rows that both trees take, and over those of a table.

    Shares are of the cells that the cuts of both trees make of the columns, exact Fractions; where a limit was reached,
    they are what is proven by then, and ``status.bounds["undecided"]`` is the share of which nothing is known.

    Attributes
    ----------
    decision : share of the cells that the trees decide differently.
    explanation : share of those that they explain by different intervals.
    feature_sets : share of those that they explain by different columns.
    either : share of those that they decide or explain differently.
    regions : disjoint boxes, those decided otherwise first, then the largest first: all, or up to ``limit`` of those
        decided otherwise and as many others.
    n_regions : how many there are in all (have been found).
    on_rows : the same four shares of the rows of ``X``, by name; ``None`` without ``X``.
    """

    decision: Fraction
    explanation: Fraction
    feature_sets: Fraction
    either: Fraction
    regions: tuple[ChangedRegion, ...]
    n_regions: int
    on_rows: dict[str, float] | None
    status: Status

    @property
    def changes_nothing(self) -> bool:
        """Whether it is proven that every row is decided and explained as before."""
        return self.status.status == EXACT and not self.either

    def __str__(self) -> str:
        lines = [f"share of the cells that change: {_listed(vars(self))}"]
        lines += [] if self.on_rows is None else [f"share of the rows that change: {_listed(self.on_rows)}"]
        lines += ["nothing changes: every row is decided and explained as before"] if self.changes_nothing else []
        return "\n".join([*lines, *map(str, self.regions)])

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            **{name: float(getattr(self, name)) for name in _SHARES},
            "changes_nothing": self.changes_nothing,
            "regions": [region.to_dict() for region in self.regions],
            "n_regions": self.n_regions,
            "on_rows": self.on_rows,
            "status": self.status.status,
            "seconds": self.status.seconds,
            "bounds": {name: float(value) for name, value in self.status.bounds.items()},
        }


_SHARES = ("decision", "explanation", "feature_sets", "either")


def _listed(shares: Mapping[str, Any]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {float(shares[name]):.4g}" for name in _SHARES)


def release_changes(
    old: Any,
    new: Any,
    X: Any = None,
    *,
    tolerance: float = 0.0,
    limit: int | None = None,
    time_limit: float | None = None,
    node_limit: int | None = None,
) -> ReleaseChanges:
    """Prove where two trees decide, and where they explain, differently.

    Parameters
    ----------
    old, new : two models of one tree, anything ``read_model`` takes, over the same columns of numbers and the same
        classes.
    X : rows, finite numbers, of which to tell the shares too.
    tolerance : numbers that are at most so far apart are one decision.
    limit : how many regions of either kind are kept; ``None``: all.
    time_limit, node_limit : seconds and pairs of leaves, looked at every few thousand pairs; the answer is partial
        where one is reached.

    Two explanations are the same where the same rows fulfil them: on an integer column, ``x <= 2.2`` and ``x <= 2.7``
    are. A column is explained by where its interval leaves out some row.

    Raises UnsupportedModelError (several trees, categorical columns) and InvalidInputError (columns or classes that
    differ, options).

    Notes
    -----
    A walk over the pairs of leaves that meet, at most the product of the trees' leaves; O(n_features) for each.
    """
    tolerance = check_tolerance(tolerance)
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int | np.integer) or limit < 0):
        raise InvalidInputError(f"limit is {limit!r}; a whole number from 0 up, or None, is accepted")
    models = read_tree(old, "the old tree"), read_tree(new, "the new tree")
    aligned = align(*models, missing=())
    budget = Budget(time_limit, node_limit)
    found = _Found(aligned, tolerance, limit)
    on_rows = None if X is None else _on_rows(found, *models, X)
    status, bounds = EXACT, {}
    try:
        for pairs in _blocks(found, budget):
            found.add(*pairs)
    except (BudgetExceeded, KeyboardInterrupt):
        status, bounds = PARTIAL, {"undecided": found.share(found.total - found.cells_seen)}
    return ReleaseChanges(
        decision=found.share(found.counts["decision"]),
        explanation=found.share(found.counts["explanation"]),
        feature_sets=found.share(found.counts["feature_sets"]),
        either=found.share(found.counts["either"]),
        regions=found.regions(),
        n_regions=found.n_regions,
        on_rows=on_rows,
        status=Status(status, budget.seconds, bounds),
    )


class _Leaves:
    """One tree's leaves: what each decides, and the first and last state of each column, int32 (n_leaves, m)."""

    def __init__(self, side: int, aligned: Aligned, class_of: tuple[int, ...]) -> None:
        model = (aligned.left, aligned.right)[side]
        self.walked = Single(model, aligned.cells, by="leaf")
        nodes = self.walked.answers
        scores = leaf_scores(model)[nodes]
        self.decision: NDArray[Any] = scores[:, 0]
        if model.classes is not None:
            self.decision = np.array(class_of)[decide(model, scores)]
        bounds = leaf_bounds(model.trees[0], nodes, len(aligned.cells))
        self.first, self.last = np.empty((2, *bounds.lower.shape), np.int32)
        for column, cells in enumerate(aligned.cells):
            self.first[:, column] = cells.cut_indices(bounds.lower[:, column]) + 1
            self.last[:, column] = cells.cut_indices(bounds.upper[:, column])
        self._tree = aligned.models[side]
        self._common = dict(zip(aligned.names[side], (cells.name for cells in aligned.cells), strict=True))

    def explanation(self, leaf: int) -> Term:
        """The tree's own, by its own cuts in its own precision, in the common names."""
        cells, bounds = self._own
        return term_of(cells, bounds.take(np.array([leaf])))

    @cached_property
    def _own(self) -> tuple[list[Cells], Bounds]:
        """The cells that the tree makes of its columns, and the bounds of its leaves."""
        cells = [
            replace(one, feature=replace(one.feature, name=self._common[one.name])) for one in model_cells(self._tree)
        ]
        return cells, leaf_bounds(self._tree.trees[0], self.walked.answers, len(cells))


class _Found:
    """The changes that a walk has come to."""

    def __init__(self, aligned: Aligned, tolerance: float, limit: int | None) -> None:
        self.aligned, self.tolerance, self.limit = aligned, tolerance, limit
        same = range(len(aligned.classes or ()))
        self.old = _Leaves(0, aligned, tuple(same))
        self.new = _Leaves(1, aligned, aligned.class_of)
        self.last = np.array([c.n_states - 1 for c in aligned.cells], np.int32)
        self.total = math.prod(c.n_states for c in aligned.cells)
        self.counts = dict.fromkeys(_SHARES, 0)
        self.cells_seen = self.n_regions = 0
        # Per kind of region (decided as before, decided otherwise) a heap of (cells, order, old leaf, new leaf).
        self._kept: tuple[list[tuple[int, ...]], list[tuple[int, ...]]] = ([], [])

    def share(self, cells: int) -> Fraction:
        return Fraction(cells, self.total)

    def differences(self, a: NDArray[np.intp], b: NDArray[np.intp]) -> dict[str, NDArray[np.bool_]]:
        """By name of a share, which leaves ``a`` and ``b``, by place, differ in that."""
        old, new = self.old, self.new
        firsts, lasts = (old.first[a], new.first[b]), (old.last[a], new.last[b])
        decides = old.decision[a] != new.decision[b]
        if self.aligned.classes is None:
            decides = np.abs(old.decision[a] - new.decision[b]) > self.tolerance
        explains = (firsts[0] != firsts[1]).any(axis=1) | (lasts[0] != lasts[1]).any(axis=1)
        used = [(first > 0) | (last < self.last) for first, last in zip(firsts, lasts, strict=True)]
        columns = (used[0] != used[1]).any(axis=1)
        return dict(zip(_SHARES, (decides, explains, columns, decides | explains), strict=True))

    def add(self, a: NDArray[np.intp], b: NDArray[np.intp]) -> None:
        """Count the leaves ``a`` and ``b`` that meet."""
        found = self.differences(a, b)
        first = np.maximum(self.old.first[a], self.new.first[b])
        widths = np.minimum(self.old.last[a], self.new.last[b]) - first + 1
        cells = [math.prod(row) for row in widths.tolist()]
        for name, differs in found.items():
            self.counts[name] += sum(cells[place] for place in np.flatnonzero(differs).tolist())
        for place in np.flatnonzero(found["either"]).tolist():
            self._keep(cells[place], int(a[place]), int(b[place]), bool(found["decision"][place]))
        self.cells_seen += sum(cells)  # last: cells that Ctrl-C keeps from being counted are undecided

    def _keep(self, cells: int, a: int, b: int, decided: bool) -> None:
        self.n_regions += 1
        heap, entry = self._kept[decided], (cells, -self.n_regions, a, b)
        if self.limit is None or len(heap) < self.limit:
            heapq.heappush(heap, entry)
        elif heap:
            heapq.heappushpop(heap, entry)

    def regions(self) -> tuple[ChangedRegion, ...]:
        return tuple(
            self._region(a, b, decided)
            for decided in (True, False)
            for _, _, a, b in sorted(self._kept[decided], reverse=True)
        )

    def _region(self, a: int, b: int, decided: bool) -> ChangedRegion:
        cells = self.aligned.cells
        both = [(leaves.first[at], leaves.last[at]) for leaves, at in ((self.old, a), (self.new, b))]
        meet = self._states(np.maximum(both[0][0], both[1][0]), np.minimum(both[0][1], both[1][1]))
        explains = any((one != other).any() for one, other in zip(*both, strict=True))
        decisions = self.old.decision[a].item(), self.new.decision[b].item()
        if self.aligned.classes is not None:
            decisions = self.aligned.classes[decisions[0]], self.aligned.classes[decisions[1]]
        row = row_of(cell_in(meet, cells), cells)
        return ChangedRegion(
            box=box_of(meet, cells),
            decisions=decisions,
            explanations=(self.old.explanation(a), self.new.explanation(b)),
            decides_otherwise=decided,
            explains_otherwise=explains,
            share=share_of(meet, cells),
            row=row,
        )

    def _states(self, first: NDArray[np.int32], last: NDArray[np.int32]) -> States:
        """The states of the columns that a box limits."""
        limited = np.flatnonzero((first > 0) | (last < self.last)).tolist()
        return {column: range(int(first[column]), int(last[column]) + 1) for column in limited}


def _on_rows(found: _Found, old: Ensemble, new: Ensemble, X: Any) -> dict[str, float]:
    """The shares of the rows of a table."""
    before, after, _ = pair(old, new)
    values = finite_values(before, X)
    a, b = (
        np.searchsorted(leaves.walked.answers, apply(model, values)[:, 0])
        for leaves, model in ((found.old, before), (found.new, after))
    )
    return {name: float(differs.mean()) if len(values) else 0.0 for name, differs in found.differences(a, b).items()}


def _blocks(found: _Found, budget: Budget) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """All pairs of leaves that meet, as places among either tree's leaves; the last ones before a limit, too."""
    a, b = found.old.walked, found.new.walked
    # Every label of one tree is worth other than every label of the other: each pair is one that differs.
    walk = Pair(a, b, np.zeros(len(a.answers)), np.ones(len(b.answers)), budget=budget)
    n_pairs = 0
    while True:
        block: list[tuple[int, int]] = []
        stopped: BaseException | None = None
        try:
            for one in walk:
                block.append((one.label_a, one.label_b))
                if len(block) == _BLOCK:
                    break
        except (BudgetExceeded, KeyboardInterrupt) as stop:
            stopped = stop
        if block:
            places = np.array(block, np.intp)
            yield places[:, 0], places[:, 1]
        if stopped is not None:
            raise stopped
        if len(block) < _BLOCK:
            return
        n_pairs += len(block)
        budget.check(n_pairs)
