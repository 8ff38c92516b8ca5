"""``equivalent``: whether two models are the same function, with a row that shows it where they are not."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import EXACT, PARTIAL, Budget, Status
from xylogic.checks import check_choice
from xylogic.compare.align import align
from xylogic.compare.diagrams import Diagrams
from xylogic.compare.joint import Joint
from xylogic.compare.probe import probe
from xylogic.compare.question import OUTPUTS, Question
from xylogic.compare.rows import cell_in, json_row, row_of
from xylogic.compare.searching import ClashSearch
from xylogic.compare.walking import differences, is_walked
from xylogic.domain.feature import Feature
from xylogic.errors import BudgetExceeded, InvalidInputError
from xylogic.model.ensemble import Ensemble
from xylogic.search.pair import Pair
from xylogic.search.single import prepared

__all__ = ["ENGINES", "Equivalence", "check_engine", "equivalent", "find_witness", "plain", "settled"]

ENGINES = ("auto", "walk", "search", "diagram")
_PATIENCE = 2.0  # seconds of search before a diagram is tried
_ATTEMPT = 10.0  # seconds that this may take, where there is no limit; else a quarter of it
_MEMORY = 2**30  # bytes that it may take

Witness = NDArray[np.int32]  # a cell in which two models differ, (n_features,)


class Equivalence:
    """Whether two models are the same function.

    Attributes
    ----------
    witness : a row on which they differ, feature name -> Python scalar; ``None`` if there is none, or none is known.
        Of two single trees it is of the first box that the walk of both finds; else of whatever is found first. Each
        column has a short number of its cell, one that does not matter that of its middle cell; other rows may be
        smaller.
    answers : what the two models say of it, asked again: labels, numbers, or dicts label -> probability.
    status : a :class:`Status`; ``"partial"`` where a limit came before a proof.
    engine : what settled it: ``"walk"``, ``"trees"`` (the same ones), ``"rows"`` (quick attempts), ``"search"`` or
        ``"diagram"``.
    """

    def __init__(
        self, witness: dict[str, Any] | None, answers: tuple[Any, Any] | None, status: Status, engine: str
    ) -> None:
        self.witness, self.answers, self.status, self.engine = witness, answers, status, engine

    def __bool__(self) -> bool:
        """Raises BudgetExceeded where it is not decided."""
        if self.status.status == PARTIAL:
            raise BudgetExceeded(
                "a limit was reached, or Ctrl-C came, before the models were proven equal or not", self.status.bounds
            )
        return self.witness is None

    def __repr__(self) -> str:
        return f"<Equivalence: {self._verdict}, {self.engine}, {self.status.seconds:.3g} s>"

    def __str__(self) -> str:
        if self.witness is None or self.answers is None:
            return self._verdict
        row = ", ".join(f"{name} = {value!r}" for name, value in self.witness.items())
        return f"{self._verdict}: the first says {self.answers[0]!r}, the second {self.answers[1]!r} of {row}"

    @property
    def _verdict(self) -> str:
        if self.status.status == PARTIAL:
            return "undecided"
        return "equivalent" if self.witness is None else "not equivalent"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: the verdict (``None``: undecided), witness, answers, status."""
        decided = self.status.status == EXACT
        return {
            "equivalent": bool(self) if decided else None,
            "witness": None if self.witness is None else json_row(self.witness),
            "answers": None if self.answers is None else list(map(plain, self.answers)),
            "status": self.status.status,
            "seconds": self.status.seconds,
            "bounds": self.status.bounds,
            "engine": self.engine,
        }


def equivalent(
    a: Any,
    b: Any,
    *,
    output: str = "label",
    tolerance: float = 0.0,
    missing: Collection[str] | None = None,
    engine: str = "auto",
    time_limit: float | None = None,
    node_limit: int | None = None,
    memory_limit: int | None = None,
) -> Equivalence:
    """Whether two models answer the same on every row that both accept; exact, rounding of their sums included.

    Two single trees are walked together, O(pairs of leaves that meet). Forests: where tree by tree they are the same
    function there is nothing to do; then some thousand rows near the cuts of both are tried; then branch and bound
    over both forests, and after two seconds an attempt to compile both into diagrams (of labels), for a quarter of the
    time limit, or ten seconds and a gibibyte, before the search goes on. Exponential in the worst case.

    Parameters
    ----------
    a, b : whatever ``read_model`` takes. They are aligned by the names of features, categories and classes.
    output : ``"label"``: what ``predict`` says; ``"probability"``: what ``predict_proba`` says, to the last bit but for
        ``tolerance``. These are two questions: equal labels may come from different probabilities.
    tolerance : numbers, or probabilities, may differ by so much.
    missing : names of the features in which a value may be missing; ``None``: those in which one of the models says so.
    engine : ``"auto"``, or ``"walk"`` (two single trees), ``"search"`` or ``"diagram"`` (labels) alone.
    time_limit, node_limit, memory_limit : seconds, search nodes, bytes.

    Returns
    -------
    Equivalence
        True or false; not equivalent comes with a row, which both models confirm. Its truth value raises
        BudgetExceeded where a limit came first.

    Raises
    ------
    InvalidInputError, naming what differs, for models that cannot be aligned, and for unknown options.
    """
    budget = Budget(time_limit, node_limit, memory_limit)
    check_engine(engine)
    check_choice("output", output, OUTPUTS)
    if output == "label" and missing is None and engine in ("auto", "walk") and _walks_alike(a, b, tolerance, budget):
        return Equivalence(None, None, Status(EXACT, budget.seconds), "walk")
    question = Question(align(a, b, missing), output, tolerance)
    return settled(question, engine, budget)


def settled(question: Question, engine: str, budget: Budget) -> Equivalence:
    """The answer to a question."""
    try:
        cell, by = find_witness(question, engine, budget)
    except BudgetExceeded as stop:
        return Equivalence(None, None, Status(PARTIAL, budget.seconds, stop.bounds), "search")
    except KeyboardInterrupt:
        return Equivalence(None, None, Status(PARTIAL, budget.seconds), "search")
    if cell is None:
        return Equivalence(None, None, Status(EXACT, budget.seconds), by)
    row = row_of(cell.tolist(), question.pair.cells)
    answers = question.confirmed(row)
    return Equivalence(row, answers, Status(EXACT, budget.seconds), by)


def check_engine(engine: str) -> None:
    check_choice("engine", engine, ENGINES)


def find_witness(question: Question, engine: str, budget: Budget) -> tuple[Witness | None, str]:
    """A cell in which the models differ, ``None`` where there is none, and the engine that settled it.

    Raises BudgetExceeded or KeyboardInterrupt.
    """
    pair = question.pair
    if question.kind != "number" and len(pair.classes or ()) < 2:
        return None, "trees"
    if engine == "walk" and not is_walked(question):
        raise InvalidInputError("engine 'walk' takes two single trees")
    if engine == "diagram" and question.kind != "label":
        raise InvalidInputError("engine 'diagram' compares labels; 'search' is accepted for numbers and probabilities")
    if engine in ("auto", "walk") and is_walked(question):
        found = next(differences(question, budget), None)
        return None if found is None else np.array(cell_in(found[2], pair.cells), np.int32), "walk"
    if engine == "diagram":
        return _by_diagrams(question, budget), "diagram"
    budget.check()
    joint = Joint(pair, budget)
    if _is_same_function(question, joint):
        return None, "trees"
    cell = probe(question, joint, budget)
    if cell is not None:
        return cell, "rows"
    return _by_search(ClashSearch(question, joint), engine, budget)


def _by_search(search: ClashSearch, engine: str, budget: Budget) -> tuple[Witness | None, str]:
    limit = budget.remaining
    if engine == "auto" and search.question.kind == "label":
        patience, attempt = _PATIENCE, _ATTEMPT
        if limit is not None:
            patience, attempt = min(patience, limit / 4), limit / 4
        try:
            return search.first(Budget(patience, budget.node_limit, budget.memory_limit)), "search"
        except BudgetExceeded:
            budget.check()
        try:
            memory = _MEMORY if budget.memory_limit is None else min(_MEMORY, budget.memory_limit)
            return _by_diagrams(search.question, Budget(attempt, budget.node_limit, memory)), "diagram"
        except BudgetExceeded as stop:
            if stop.interrupted:
                raise
            budget.check()
    return search.first(budget), "search"


def _by_diagrams(question: Question, budget: Budget) -> Witness | None:
    found = next(Diagrams(question, budget).boxes(), None)
    return None if found is None else np.array(cell_in(found[1], question.pair.cells), np.int32)


def _is_same_function(question: Question, joint: Joint) -> bool:
    """Whether the models are, tree by tree and step by step, the same sum of the same leaves."""
    a, b = question.pair.left, question.pair.right
    how = [(m.voting, m.base, m.link, m.n_outputs) for m in (a, b)]
    in_order = question.pair.class_of == tuple(range(len(question.pair.class_of)))
    if question.kind == "label":
        return how[0] == how[1] and a.tie == b.tie and in_order and joint.is_same(question.pair.class_of)
    return how[0] == how[1] and in_order and joint.is_same(question.pair.class_of)


# ---- single trees over the same columns are walked as they are: what was learned of their columns is kept

_alike: WeakKeyDictionary[Ensemble, WeakSet[Ensemble]] = WeakKeyDictionary()


def _walks_alike(a: Any, b: Any, tolerance: float, budget: Budget) -> bool:
    """Whether two trees over the same columns are the same function; false where that is left to be seen."""
    if not isinstance(a, Ensemble) or not isinstance(b, Ensemble) or tolerance != 0:
        return False
    if b not in _alike.get(a, ()):
        if not _same_columns(a, b):
            return False
        _alike.setdefault(a, WeakSet()).add(b)
    try:
        return Pair(prepared(a), prepared(b), budget=budget).first() is None
    except BudgetExceeded:
        return False


def _same_columns(a: Ensemble, b: Ensemble) -> bool:
    """Whether nothing of two single trees has to be rewritten, nor refused, to walk them together."""
    if a.n_trees > 1 or b.n_trees > 1 or a.classes is None or a.classes != b.classes or a.cast != b.cast:
        return False
    if any(type(x) is not type(y) for x, y in zip(a.classes, b.classes, strict=True)):
        return False  # True is not 1
    how = [(m.limits, m.accepts_infinite, m.accepts_missing, m.named, len(m.features)) for m in (a, b)]
    if how[0] != how[1] or not all(map(_is_like, a.features, b.features)):
        return False
    absent = [f for f, feature in enumerate(a.features) if feature.may_be_missing]
    return not absent or (a.accepts_missing and not (a.routeless[absent] | b.routeless[absent]).any())


def _is_like(x: Feature, y: Feature) -> bool:
    return x is y or (
        x.name == y.name
        and x.kind == y.kind
        and x.may_be_missing == y.may_be_missing
        and x.categories == y.categories
        and x.other == y.other
    )


def plain(answer: Any) -> Any:
    """An answer with text for labels as keys, for JSON."""
    return {str(label): share for label, share in answer.items()} if isinstance(answer, dict) else answer
