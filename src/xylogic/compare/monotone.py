"""``is_monotone``: does an answer never fall while one feature rises and all others stay?"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import EXACT, PARTIAL, Budget, Status
from xylogic.compare.align import Aligned, align
from xylogic.compare.equivalence import check_engine, find_witness, plain
from xylogic.compare.question import Question
from xylogic.compare.rows import json_row, row_of
from xylogic.convert.read import read_model
from xylogic.domain.cells import Cells
from xylogic.domain.labels import label_position
from xylogic.errors import BudgetExceeded, InvalidInputError
from xylogic.model.build import feature_cuts
from xylogic.model.ensemble import Ensemble

__all__ = ["Monotonicity", "is_monotone"]


class Monotonicity:
    """Whether a model is monotone in a feature.

    Attributes
    ----------
    witness : two rows that differ in the feature alone, the one with the smaller value first; ``None`` if it is.
    answers : what the model says of them, asked again: labels, numbers, or dicts label -> probability.
    status : a :class:`Status`; ``"partial"`` where a limit came before a proof.
    engine : what settled it; see :class:`Equivalence`.
    """

    def __init__(
        self, witness: tuple[dict[str, Any], dict[str, Any]] | None, answers: Any, status: Status, engine: str
    ) -> None:
        self.witness, self.answers, self.status, self.engine = witness, answers, status, engine

    def __bool__(self) -> bool:
        """Raises BudgetExceeded where it is not decided."""
        if self.status.status == PARTIAL:
            raise BudgetExceeded("a limit was reached before the model was proven monotone or not", self.status.bounds)
        return self.witness is None

    def __repr__(self) -> str:
        decided = self.status.status == EXACT
        verdict = ("monotone" if self.witness is None else "not monotone") if decided else "undecided"
        return f"<Monotonicity: {verdict}, {self.engine}, {self.status.seconds:.3g} s>"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "monotone": bool(self) if self.status.status == EXACT else None,
            "witness": None if self.witness is None else [json_row(row) for row in self.witness],
            "answers": None if self.answers is None else list(map(plain, self.answers)),
            "status": self.status.status,
            "seconds": self.status.seconds,
            "engine": self.engine,
        }


def is_monotone(
    model: Any,
    feature: str,
    *,
    increasing: bool = True,
    target: Hashable | None = None,
    output: str = "label",
    missing: Collection[str] | None = None,
    engine: str = "auto",
    time_limit: float | None = None,
    node_limit: int | None = None,
    memory_limit: int | None = None,
) -> Monotonicity:
    """Whether a model's answer never falls (``increasing=False``: never rises) while one feature rises and all others
    stay the same; exact.

    The model is compared with itself one cell of the feature higher: it is monotone if it is so from each cell to the
    next. So this takes what :func:`equivalent` takes.

    Parameters
    ----------
    model : whatever ``read_model`` takes.
    feature : a feature with an order. Rows in which it is missing are not compared with others.
    target : the class whose prediction (or probability) counts as higher; needed where there are more than two
        classes; of two, the second one.
    output : ``"label"`` or, of classifiers, ``"probability"``.
    missing, engine, time_limit, node_limit, memory_limit : as of :func:`equivalent`.

    Raises
    ------
    InvalidInputError for an unknown feature or class, for categories, and without a needed target.
    """
    budget = Budget(time_limit, node_limit, memory_limit)
    check_engine(engine)
    if not isinstance(increasing, bool | np.bool_):
        raise InvalidInputError(f"increasing is {increasing!r}; True or False is accepted")
    read = read_model(model)
    pair = align(read, read, missing)
    if feature not in read.feature_names:
        raise InvalidInputError(f"there is no feature {feature!r}; accepted: {', '.join(read.feature_names)}")
    position = read.feature_names.index(feature)
    cells = pair.cells[position]
    if cells.is_set:
        raise InvalidInputError(f"feature {feature!r} holds categories, which have no order; numbers are accepted")
    wanted = _target(read, target)
    if cells.n_values == 1:
        return Monotonicity(None, None, Status(EXACT, budget.seconds), "trees")
    question = _Falls(_one_cell_apart(pair, position), output, wanted, increasing)
    try:
        cell, by = find_witness(question, engine, budget)
    except (BudgetExceeded, KeyboardInterrupt):
        return Monotonicity(None, None, Status(PARTIAL, budget.seconds), "search")
    if cell is None:
        return Monotonicity(None, None, Status(EXACT, budget.seconds), by)
    higher = cell.copy()
    higher[position] += 1
    rows = row_of(cell.tolist(), pair.cells), row_of(higher.tolist(), pair.cells)
    answers = [question.asked(0, [row])[0] for row in rows]
    if not question.differ(*answers):
        raise AssertionError(f"the model does not fall between {rows!r} as was found; please report this")
    return Monotonicity(rows, tuple(map(question.shown, answers)), Status(EXACT, budget.seconds), by)


def _target(model: Ensemble, target: Hashable | None) -> int:
    """The position of the class that counts as higher; 0 of a regression model."""
    if model.classes is None:
        if target is not None:
            raise InvalidInputError("a regression model has no classes; target=None is accepted")
        return 0
    labels = ", ".join(map(repr, model.classes))
    if target is None:
        if len(model.classes) > 2:
            raise InvalidInputError(f"{len(model.classes)} classes have no order; target=label is accepted: {labels}")
        return len(model.classes) - 1
    position = label_position(target, model.classes)
    if position is None:
        raise InvalidInputError(f"target is {target!r}, which is no class; accepted: {labels}")
    return position


class _Falls(Question):
    """Does the first model's answer count as higher than the second's?"""

    def __init__(self, pair: Aligned, output: str, target: int, increasing: bool) -> None:
        super().__init__(pair, output, 0.0)
        self._target, self._sign = target, 1 if increasing else -1

    def ways(self) -> list[tuple[int, int]]:
        if self.kind != "label":
            return [(self._target, self._sign)]
        others = [c for c in range(len(self.pair.classes or ())) if c != self._target]
        return [(self._target, c) if self._sign > 0 else (c, self._target) for c in others]

    def earlier(self, column: int) -> range:
        return range(0)

    def holds(self, way: tuple[int, int], a: Any, b: Any) -> bool:
        return bool(self.differ(a, b)) and (self.kind != "label" or (int(a), int(b)) == way)

    def differ(self, a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
        if self.kind == "label":
            rank_a, rank_b = (np.asarray(x == self._target).astype(int) for x in (a, b))
        else:
            rank_a, rank_b = (np.asarray(x)[..., self._target] for x in (a, b))
        return np.asarray(rank_a > rank_b if self._sign > 0 else rank_a < rank_b)


def _one_cell_apart(pair: Aligned, position: int) -> Aligned:
    """A model and itself one cell higher in a column: state s of it stands for the states s and s + 1."""
    c = pair.cells[position]
    fewer = replace(c, cuts=c.cuts[:-1], missing=False)
    cells = (*pair.cells[:position], fewer, *pair.cells[position + 1 :])
    return replace(
        pair,
        left=_shifted(pair.left, position, c, 0),
        right=_shifted(pair.right, position, c, 1),
        cells=cells,
    )


def _shifted(model: Ensemble, position: int, c: Cells, by: int) -> Ensemble:
    """The model as it answers for a number ``by`` cells higher, for all cells but the last one."""
    ends = np.array([-np.inf, *c.cuts[:-1], np.inf])  # by the last state that goes left, from -1 on
    trees = []
    for tree in model.trees:
        tests = np.flatnonzero((tree.left >= 0) & (tree.feature == position))
        cut = tree.cut.copy()
        last = c.cut_indices(cut[tests])
        never_right = last >= c.n_values - 1
        cut[tests] = np.where(never_right, np.inf, ends[np.clip(last - by, -1, None) + 1])
        trees.append(replace(tree, cut=cut))
    cuts = feature_cuts(trees, len(model.features))
    features = tuple(replace(f, cuts=own) for f, own in zip(model.features, cuts, strict=True))
    return replace(model, trees=tuple(trees), features=features)
