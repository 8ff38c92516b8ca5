"""``verify_model``: does an imported model answer as its source does, bit for bit?"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.convert import river, sklearn
from xylogic.convert.own import ask_own, from_library, is_own
from xylogic.convert.probes import hostile_rows, probe_rows, random_rows
from xylogic.convert.read import read_model
from xylogic.domain.table import Table, read_table
from xylogic.errors import UnsupportedModelError
from xylogic.model import predict
from xylogic.model.admit import refused
from xylogic.model.ensemble import Ensemble

__all__ = ["Mismatch", "Verification", "spot_check", "verify_model"]

MAX_MISMATCHES = 100
_BATCH = 4096

Values = NDArray[np.float64]
Answers = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Mismatch:
    """One row on which model and source differ.

    ``question`` is ``"predict"``, ``"predict_proba"``, ``"apply"`` or ``"refusal"``; for the last the answers are
    ``"accepted"`` or ``"refused"``.
    """

    row: dict[str, Any]
    question: str
    model: Any
    source: Any


@dataclass(frozen=True)
class Verification:
    """The verdict of ``verify_model``; true in a condition when no row differs."""

    ok: bool
    rows_checked: int
    mismatches: list[Mismatch] = field(repr=False)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        if self.ok:
            return f"the model and its source agree on all {self.rows_checked} rows"
        first = self.mismatches[0]
        more = " or more" if len(self.mismatches) >= MAX_MISMATCHES else ""
        return (
            f"{len(self.mismatches)}{more} of {self.rows_checked} rows differ; the first in {first.question}: "
            f"model {first.model!r}, source {first.source!r}, at {first.row!r}"
        )


def verify_model(model: Any, source: Any, X: Any = None, *, n: int = 2000, random_state: int = 0) -> Verification:
    """Compare a model with the object it was read from.

    The rows are those of ``X``; ``n`` random ones; for every distinct cut of the model, rows that reach it with the
    numbers one ulp away in float32 and float64; and rows with NaN, infinite and extreme values. ``predict``,
    ``predict_proba`` and ``apply``, where the source has them, have to be equal bit for bit (zeros of either sign are
    equal), and where one refuses a row the other has to refuse it too. The source predicts with ``n_jobs=1``.

    Parameters
    ----------
    model : an Ensemble, or anything ``read_model`` takes.
    source : the scikit-learn or River object or xylogic estimator, or another Ensemble with the same columns.
    X : rows to check besides, as ``predict`` takes them.
    n, random_state : number and seed of the random rows.

    Returns
    -------
    Verification
        Its list stops at the first MAX_MISMATCHES rows, and the check with it.

    Notes
    -----
    O((n + 8 * cuts) * n_trees * depth), and one call of the source for each row that the model refuses.
    """
    model = read_model(model)
    rng = np.random.default_rng(random_state)
    given = [] if X is None else [read_table(X, model.features, named=model.named).values]
    return _verify(model, source, chain(_batches([*given, *_few_rows(model, n, rng)]), probe_rows(model, rng)))


def spot_check(model: Ensemble, source: Any) -> Verification:
    """``verify_model`` without the rows for every cut: a few hundred random and extreme ones."""
    return _verify(model, source, _batches(_few_rows(model, 300, np.random.default_rng(0))))


def _verify(model: Ensemble, source: Any, tables: Iterable[Values]) -> Verification:
    ask = _asker(sklearn.unwrap_search(source), model)
    checked, mismatches = 0, list[Mismatch]()
    for rows in tables:
        checked += len(rows)
        mismatches += _compare(model, ask, rows)
        if len(mismatches) >= MAX_MISMATCHES:
            break
    return Verification(not mismatches, checked, mismatches[:MAX_MISMATCHES])


def _few_rows(model: Ensemble, n: int, rng: np.random.Generator) -> list[Values]:
    return [random_rows(model, n, rng), hostile_rows(model, rng)]


def _batches(tables: Iterable[Values]) -> Iterator[Values]:
    for table in tables:
        for start in range(0, len(table), _BATCH):
            yield table[start : start + _BATCH]


def _compare(model: Ensemble, ask: Callable[[Values], Answers], rows: Values) -> list[Mismatch]:
    bad = refused(model, rows).any(axis=1)
    found = []
    for row in rows[bad]:
        if _ask_or_none(ask, row[np.newaxis]) is not None:
            found.append(Mismatch(_as_dict(model, row), "refusal", "refused", "accepted"))
            if len(found) >= MAX_MISMATCHES:
                return found
    stack = [rows[~bad]] if not bad.all() else []
    while stack and len(found) < MAX_MISMATCHES:
        part = stack.pop()
        theirs = _ask_or_none(ask, part)
        if theirs is not None:
            found += _differences(model, part, _answers(model, part), theirs)
        elif len(part) == 1:
            found.append(Mismatch(_as_dict(model, part[0]), "refusal", "accepted", "refused"))
        else:
            stack += [part[len(part) // 2 :], part[: len(part) // 2]]
    return found


def _differences(model: Ensemble, rows: Values, ours: Answers, theirs: Answers) -> list[Mismatch]:
    found = []
    for question in ours.keys() & theirs.keys():
        mine, other = ours[question], theirs[question]
        if mine.shape != other.shape:
            different = np.ones(len(rows), dtype=bool)
        else:
            cells = mine.astype(object) != other.astype(object)  # labels may be of any two types
            different = np.asarray(cells.reshape(len(rows), -1).any(axis=1))
        for row in np.flatnonzero(different):
            answers = (
                answer[row : row + 1].tolist()[0] if len(answer) == len(rows) else answer.tolist()
                for answer in (mine, other)
            )
            found.append((int(row), question, *answers))
    return [Mismatch(_as_dict(model, rows[row]), *rest) for row, *rest in sorted(found, key=lambda item: item[:2])]


def _answers(model: Ensemble, rows: Values) -> Answers:
    values = model.admit(Table(model.feature_names, rows))
    score = predict.scores(model, values)
    answers: Answers = {"predict": model.labels(score), "apply": predict.apply(model, values)}
    if model.has_probabilities:
        answers["predict_proba"] = predict.probabilities(model, score)
    return answers


def _ask_or_none(ask: Callable[[Values], Answers], rows: Values) -> Answers | None:
    try:
        return ask(rows)
    except (TypeError, ValueError):  # how libraries, and we, refuse a row
        return None


def _asker(source: Any, model: Ensemble) -> Callable[[Values], Answers]:
    """A function from encoded rows to the source's answers by question."""
    if isinstance(source, Ensemble):
        return lambda rows: _answers(source, rows)
    if is_own(source):
        return ask_own(sklearn.single_threaded(source))
    if river.is_hoeffding_tree(source):
        return river.ask_river(source, model)
    if not from_library(source, "sklearn"):
        raise UnsupportedModelError(
            f"the source is a {type(source).__name__}; a scikit-learn, River or xylogic object that "
            "read_model takes, or an Ensemble, is accepted"
        )
    made = sklearn.single_threaded(source)

    def ask(rows: Values) -> Answers:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that plain arrays have no column names
            answers = {"predict": np.asarray(made.predict(rows))}
            if hasattr(made, "predict_proba"):
                answers["predict_proba"] = np.asarray(made.predict_proba(rows))
            if hasattr(made, "apply"):
                answers["apply"] = made.apply(rows).reshape(len(rows), -1)
            elif hasattr(made, "steps") and hasattr(made.steps[-1][1], "apply"):
                scaled = made[:-1].transform(rows) if len(made.steps) > 1 else rows
                answers["apply"] = made.steps[-1][1].apply(scaled).reshape(len(rows), -1)
        return answers

    return ask


def _as_dict(model: Ensemble, row: Values) -> dict[str, Any]:
    """An encoded row by names, with Python scalars, categories in words and ``None`` for a missing one."""
    cells = {}
    for feature, value in zip(model.features, row.tolist(), strict=True):
        if feature.categories:
            cells[feature.name] = None if value != value else feature.categories[int(value)]
        else:
            cells[feature.name] = value
    return cells
