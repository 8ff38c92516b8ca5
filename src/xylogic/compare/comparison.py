"""``compare``: where two models differ, and how much."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Any, overload

import numpy as np

from xylogic.budget import EXACT, PARTIAL, Budget, Status
from xylogic.checks import check_jobs, check_limit, listed
from xylogic.compare.align import align
from xylogic.compare.equivalence import Equivalence, check_engine, plain, settled
from xylogic.compare.measure import Measure, Piece, measured, pieces, with_equal_classes
from xylogic.compare.question import Question
from xylogic.compare.rows import box_of, cell_in, json_row, row_of, share_of
from xylogic.compare.walking import is_walked
from xylogic.domain.box import Box
from xylogic.domain.sheet import Sheet, open_sheet
from xylogic.errors import BudgetExceeded, InvalidInputError

__all__ = ["Comparison", "Region", "Regions", "compare", "compare_many"]


@dataclass(frozen=True)
class Region:
    """A box on which two models differ, each answering the same all over it.

    ``answers``: of the first and the second model; ``share``: of all cells; ``row``: one row of the box.
    """

    box: Box
    answers: tuple[Any, Any]
    share: Fraction
    row: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.box}: {self.answers[0]!r} against {self.answers[1]!r}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "text": str(self.box),
            "conditions": self.box.to_dict(),
            "answers": list(map(plain, self.answers)),
            "share": float(self.share),
            "row": json_row(self.row),
        }


class Regions(Sequence[Region]):
    """Disjoint regions. ``status`` is ``"exact"`` if together they hold every row on which the models differ."""

    def __init__(self, regions: Iterable[Region], status: str) -> None:
        self._regions, self.status = list(regions), status

    def __len__(self) -> int:
        return len(self._regions)

    @overload
    def __getitem__(self, index: int) -> Region: ...
    @overload
    def __getitem__(self, index: slice) -> list[Region]: ...
    def __getitem__(self, index: int | slice) -> Region | list[Region]:
        return self._regions[index]

    def __repr__(self) -> str:
        return f"<{len(self)} regions, {self.status}>"

    def __str__(self) -> str:
        """A line for each region."""
        return "\n".join(map(str, self))


class Comparison:
    """Two models compared; see :func:`compare`. What is asked is computed then, under the limits given, and kept.

    Attributes
    ----------
    equivalence : an :class:`Equivalence`, with witness and answers.
    disagreement_on_X : the share of the rows of ``X`` on which the models differ; ``None`` without ``X``.
    """

    def __init__(
        self, question: Question, engine: str, limits: tuple[Any, Any, Any], equivalence: Equivalence, X: Any
    ) -> None:
        self._question, self._engine, self._limits = question, engine, limits
        self.equivalence = equivalence
        self._measure: Measure | None = None
        self._seconds: dict[str, Status] = {}
        self.disagreement_on_X = None if X is None else _on_rows(question, X)

    @property
    def equivalent(self) -> bool:
        """Whether the models are the same function. Raises BudgetExceeded where that is not decided."""
        return bool(self.equivalence)

    @property
    def witness(self) -> dict[str, Any] | None:
        """A row on which they differ, which both confirm."""
        return self.equivalence.witness

    @property
    def disagreement(self) -> Fraction:
        """The share of the cells on which the models differ: of the cells that the cuts of both make of the domain.

        Exact; where a limit was reached, the share that is proven, see ``status["disagreement"].bounds``: ``lower``,
        ``upper``, and ``decided``, the share of the cells of which it is known whether the models differ there.
        """
        return sum(self.measure().shares.values(), Fraction(0))

    @cached_property
    def table(self) -> dict[tuple[Hashable, Hashable], Fraction]:
        """The share of the cells by the two answers: (class by the first, class by the second) -> share, if any.

        Equal classes are left out where the search took the share of the others, and a diagram of the first model would
        take more than two seconds, and where a limit was reached. Of numbers and probabilities: (">", "<")
        where the first model's number (the first that differs) is the greater one, and ("<", ">").
        """
        found = with_equal_classes(self.measure(), self._question, Budget(*self._limits))
        ways = {**found.same, **found.shares}
        return {self._answers(way): ways[way] for way in sorted(ways)}

    def _answers(self, way: tuple[int, int]) -> tuple[Hashable, Hashable]:
        classes = self._question.pair.classes
        if self._question.kind == "label":
            assert classes is not None
            return classes[way[0]], classes[way[1]]
        return (">", "<") if way[0] > way[1] else ("<", ">")

    def measure(self) -> Measure:
        """Compute ``disagreement`` and ``table``, unless that is done."""
        if self._measure is None:
            budget = Budget(*self._limits)
            if self.equivalence.status.status == EXACT and self.equivalence.witness is None:
                self._measure = Measure({}, {}, Fraction(0), self.equivalence.engine)
            else:
                self._measure = measured(self._question, self._engine, budget)
            lower = sum(self._measure.shares.values(), Fraction(0))
            upper = min(lower + self._measure.undecided, Fraction(1))
            bounds = {"lower": lower, "upper": upper, "decided": 1 - self._measure.undecided}
            status = PARTIAL if self._measure.undecided else EXACT
            if status == EXACT and not lower and self.equivalence.status.status == PARTIAL:  # which proves it
                self.equivalence = Equivalence(None, None, Status(EXACT, budget.seconds), self._measure.engine)
            self._seconds["disagreement"] = Status(status, budget.seconds, bounds if status == PARTIAL else {})
        return self._measure

    def regions(self, limit: int | None = None) -> Regions:
        """Disjoint boxes that hold the rows on which the models differ, each with both answers: all, or ``limit``.

        Of two trees the largest come first. Of forests, of which there may be exponentially many, they come as they are
        found: by diagrams depth first, the widest branches first; by search, where no diagram fits the limits, by the
        answers, then by ascending values along the tests, so that the first ones are small.
        """
        check_limit(limit)
        budget = Budget(*self._limits)
        if self.equivalence.status.status == EXACT and self.equivalence.witness is None:
            return Regions([], EXACT)
        if limit == 0:
            return Regions([], PARTIAL)
        found: list[Piece] = []
        status = EXACT
        try:
            every = pieces(self._question, self._engine, budget)
            if is_walked(self._question):
                found, more = _largest(every, limit, self._question)
            else:
                found.extend(islice(every, limit))
                more = limit is not None and len(found) == limit and next(every, None) is not None
            status = PARTIAL if more else EXACT
        except (BudgetExceeded, KeyboardInterrupt):
            status = PARTIAL
        self._seconds["regions"] = Status(status, budget.seconds)
        return Regions(map(self._region, found), status)

    def _region(self, piece: Piece) -> Region:
        a, b, box = piece
        question, cells = self._question, self._question.pair.cells
        row = row_of(cell_in(box, cells), cells)
        return Region(box_of(box, cells), (question.shown(a), question.shown(b)), share_of(box, cells), row)

    @property
    def status(self) -> dict[str, Status]:
        """Per question asked: exact, or partial with bounds, and seconds."""
        return {"equivalent": self.equivalence.status, **self._seconds}

    def __repr__(self) -> str:
        return f"<Comparison: {self.equivalence!r}>"

    def __str__(self) -> str:
        lines = [str(self.equivalence)]
        if self._measure is not None:
            lines.append(f"they differ on {float(self.disagreement):.4g} of the cells")
        if self.disagreement_on_X is not None:
            lines.append(f"they differ on {self.disagreement_on_X:.4g} of the rows")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: the verdict, and what else was asked."""
        found = self.equivalence.to_dict()
        if self._measure is not None:
            found["disagreement"] = float(self.disagreement)
            found["disagreement_exact"] = str(self.disagreement)
            found["table"] = [
                {"first": first, "second": second, "share": float(share)}
                for (first, second), share in self.table.items()
            ]
            status = self._seconds["disagreement"]
            bounds = {name: float(value) for name, value in status.bounds.items()}
            found["measure"] = {"status": status.status, "seconds": status.seconds, "bounds": bounds}
        found["disagreement_on_X"] = self.disagreement_on_X
        return found


def compare(
    a: Any,
    b: Any,
    X: Any = None,
    *,
    output: str = "label",
    tolerance: float = 0.0,
    missing: Collection[str] | None = None,
    engine: str = "auto",
    time_limit: float | None = None,
    node_limit: int | None = None,
    memory_limit: int | None = None,
) -> Comparison:
    """Where two models differ, and how much: regions, shares of the cells and of rows, a table of classes.

    Parameters as of :func:`equivalent`, which this asks first; limits are for each question. ``X``: a table in the
    columns of both models. Two single trees take time proportional to the pairs of leaves that meet; of forests,
    labels are measured by diagrams for at most half the time limit (or a minute, and a gibibyte), and what these cannot
    do by search, exponential in the worst case; what is decided by then is kept. Where both diagrams are there but too
    many pairs of their nodes meet, those that most cells come to are followed.

    Raises as :func:`equivalent` does.
    """
    check_engine(engine)
    budget = Budget(time_limit, node_limit, memory_limit)
    question = Question(align(a, b, missing), output, tolerance)
    equivalence = settled(question, engine, budget)
    return Comparison(question, engine, (time_limit, node_limit, memory_limit), equivalence, X)


def compare_many(pairs: Iterable[tuple[Any, Any]], *, n_jobs: int | None = None, **options: Any) -> list[Comparison]:
    """``compare`` of each pair of models, measured, spread by joblib (also over Dask, Ray or Spark, by its backends).

    ``options``: as of :func:`compare`. Returns one Comparison a pair, in order.
    """
    from joblib import Parallel, delayed

    check_jobs(n_jobs)
    given = [
        tuple(listed("a pair", pair, "two models")) for pair in listed("pairs", pairs, "a list of pairs of models")
    ]
    for position, pair in enumerate(given):
        if len(pair) != 2:
            raise InvalidInputError(f"pair {position} has {len(pair)} models; two are accepted")
    found: list[Comparison] = Parallel(n_jobs=n_jobs)(delayed(_measured)(a, b, options) for a, b in given)
    return found


def _measured(a: Any, b: Any, options: dict[str, Any]) -> Comparison:
    comparison = compare(a, b, **options)
    comparison.measure()
    return comparison


def _largest(found: Iterator[Piece], limit: int | None, question: Question) -> tuple[list[Piece], bool]:
    """The largest of all pieces, equal ones in the order given; and whether there are more."""
    cells = question.pair.cells
    count = 0

    def ranked() -> Iterator[tuple[Fraction, int, Piece]]:
        nonlocal count
        for piece in found:
            count += 1
            yield -share_of(piece[2], cells), count, piece

    kept = sorted(ranked()) if limit is None else heapq.nsmallest(limit, ranked())
    return [piece for *_, piece in kept], limit is not None and count > limit


def _on_rows(question: Question, X: Any) -> float:
    """The share of a table's rows on which the models differ. Columns without names are the first model's."""
    pair = question.pair
    sheet = open_sheet(X, len(pair.cells))
    common = [c.name for c in pair.cells]
    at: Sequence[int] = range(len(common))
    if sheet.names is not None and set(common) <= set(sheet.names):
        at = [list(sheet.names).index(name) for name in common]
    else:  # by position, if the model that has names takes it so
        pair.models[int(pair.models[1].named and not pair.models[0].named)].encode(X)
    answers = []
    for side, model in enumerate(pair.models):
        columns = [sheet.columns[at[pair.names[side].index(name)]] for name in model.feature_names]
        answers.append(question.asked(side, Sheet(columns, sheet.n_rows)))
    return float(np.mean(question.differ(*answers))) if sheet.n_rows else 0.0
