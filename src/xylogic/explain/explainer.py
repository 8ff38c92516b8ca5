"""``Explainer``: a model, prepared once, and questions about its rows."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.checks import check_choice, check_jobs, names_in
from xylogic.convert.read import read_model
from xylogic.domain.cells import Cells
from xylogic.domain.feature import Feature
from xylogic.domain.table import Table, check_whole, plain_row, read_row, read_table
from xylogic.errors import BudgetExceeded, InvalidInputError
from xylogic.explain.engines import ENGINES, Route
from xylogic.explain.explanation import Explanation
from xylogic.explain.scoring import SCORES
from xylogic.explain.verdict import Voice
from xylogic.model.states import model_cells
from xylogic.reason.one_tree import OneTree
from xylogic.reason.partial import PartialRow, mentions_missing
from xylogic.search.engine import Engine, Goal

__all__ = ["Explainer"]

_TIES = ("model", "merged", "winners")
_OPTIONS = tuple(f.name for f in fields(Feature) if f.name not in ("name", "categories", "cuts", "other"))
_MANY = (
    "prediction", "scores", "margin", "sufficient_reason", "smallest_sufficient_reason", "sufficient_reasons",
    "necessary_reasons", "general_sufficient_reasons", "general_necessary_reasons",
    "shortest_general_necessary_reasons", "complete_reason", "general_reason", "contrastive", "robustness",
    "shortest_flips", "counterfactual", "relevant_features", "necessary_features",
    *(f"{index.replace('-', '_')}_importance" for index in SCORES),
)  # fmt: skip


class Explainer:
    """Answers why a model decides as it does, exactly, for the model as deployed.

    Parameters
    ----------
    model : what :func:`xylogic.read_model` takes.
    features : list of :class:`Feature`, or dict name -> options (``kind``, ``mutable``, ``cost``, ``scale``, ``lower``,
        ``upper``, ``may_be_missing``), to refine what the model knows of its columns.
    ties : ``"model"``: the model's own tie rule; ``"merged"``: the classes tied at the row count as one;
        ``"winners"``: a class that ties for the best score still wins.
    engine : ``"search"``: branch and bound, no compilation; ``"diagram"``: the model is compiled once, and reasons,
        robustness and contrastive reasons are read off circuits; ``"auto"``: search, or a diagram where that is
        measured to be faster. The answers are the same.
    band : for regression, the closed interval (lo, hi) that the prediction stays in, or a half width around it.
    missing : names of features that may be missing, beside those that the row misses.
    time_limit, node_limit, memory_limit : per question: seconds, search nodes, bytes. See :class:`Explanation` for
        what a question answers when one is reached.

    Raises InvalidInputError for options that do not fit the model, and what ``read_model`` raises.
    """

    def __init__(
        self,
        model: Any,
        *,
        features: Sequence[Feature] | Mapping[str, Mapping[str, Any]] | None = None,
        ties: str = "model",
        engine: str = "auto",
        band: float | tuple[float, float] | None = None,
        missing: Iterable[str] | None = None,
        time_limit: float | None = None,
        node_limit: int | None = None,
        memory_limit: int | None = None,
    ) -> None:
        self.model = read_model(model)
        check_choice("ties", ties, _TIES)
        check_choice("engine", engine, ENGINES)
        self.ties = ties
        self.engine = engine
        self.features = _refined(self.model.features, features, missing)
        self._has_whole = any(f.kind in ("integer", "boolean") for f in self.features)
        self._plain = self.model.feature_names if all(f.kind != "categorical" for f in self.model.features) else ()
        self.band = _checked_band(band, regression=self.model.classes is None)
        self._limits = (time_limit, node_limit, memory_limit)
        self._new_budget()
        self._engines: dict[frozenset[str], Engine] = {}
        self._cells: dict[frozenset[str], tuple[Cells, ...]] = {}
        self._voices: dict[frozenset[str], Voice] = {}
        self._trees: dict[frozenset[str], OneTree] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_engines": {}, "_cells": {}, "_voices": {}, "_trees": {}}

    def _new_budget(self) -> Budget:
        return Budget(*self._limits)

    def _engine(self, also_missing: frozenset[str]) -> tuple[Engine, tuple[Cells, ...]]:
        """The engine whose cells have the state "missing" for these features too."""
        if also_missing not in self._engines:
            cells = model_cells(self.model, self.features, also_missing)
            self._cells[also_missing] = cells
            self._engines[also_missing] = Engine(self.model, cells)
        return self._engines[also_missing], self._cells[also_missing]

    def _tree(self, also_missing: frozenset[str]) -> OneTree | None:
        """The model's only tree, where the route is free and there is one, over the cells of :meth:`_engine`."""
        if self.engine != "auto" or self.model.n_trees > 1:
            return None
        if also_missing not in self._trees:
            self._trees[also_missing] = OneTree(self.model, self._engine(also_missing)[1])
        return self._trees[also_missing]

    def explain(self, x: Any) -> Explanation:
        """The explanation of row ``x`` (1-D array, dict, Series or one-row table); its answers are computed when asked.

        Raises InvalidInputError, naming column and row, for a row that the model does not take.
        """
        table = plain_row(x, self._plain) if self._plain else None
        return self._explain(table or read_row(x, self.model.features, named=self.model.named))

    def _explain(self, table: Table) -> Explanation:
        values = self.model.admit(table)
        if self._has_whole:
            check_whole(table, self.features)
        absent: frozenset[str] = frozenset()
        if np.isnan(values).any():
            absent = frozenset(f.name for f, v in zip(self.features, values[0], strict=True) if math.isnan(v))
        if absent not in self._voices:
            engine, cells = self._engine(absent)
            route = Route(self.engine, self.model, cells, self._tree(absent))
            self._voices[absent] = Voice(self.model, engine, cells, self.ties, self.band, self._new_budget, route)
        return Explanation(self._voices[absent], table.values[0], values)

    def is_sufficient(self, partial: Mapping[str, Any]) -> Any:
        """The class that every completion of a partial row gets, else ``None``.

        ``partial``: dict name -> value, set of values, or closed interval (low, high); NaN is missing, a name left
        out may be anything. One search a class; on a single tree O(n_nodes). Raises InvalidInputError and
        BudgetExceeded.
        """
        possible = self._possible(partial, most=2)
        return next(iter(possible)) if len(possible) == 1 else None

    def possible_classes(self, partial: Mapping[str, Any]) -> dict[Any, dict[str, Any]]:
        """The classes that completions of a partial row (see :meth:`is_sufficient`) get, each with such a row."""
        return self._possible(partial, most=None)

    def _possible(self, partial: Mapping[str, Any], most: int | None) -> dict[Any, dict[str, Any]]:
        if self.model.classes is None:
            raise InvalidInputError("a regression model has no classes; explain a row with a band instead")
        absent = (
            frozenset(n for n, v in partial.items() if mentions_missing(v)) if isinstance(partial, Mapping) else None
        )
        engine, cells = self._engine(absent or frozenset())
        known = PartialRow(partial, cells)
        if absent and not self.model.accepts_missing:
            raise InvalidInputError(
                f"feature {min(absent)!r}: the value is missing, which {self.model.source} does not take"
            )
        tree = self._tree(absent or frozenset())
        if tree is not None:
            return {self.model.classes[c]: row for c, row in sorted(tree.possible(known, most).items())}
        budget = self._new_budget()
        found: dict[Any, dict[str, Any]] = {}
        try:
            for position, label in enumerate(self.model.classes):
                if len(found) == most:
                    break
                row = known.witness(engine, Goal("target", target=position), budget)
                if row is not None:
                    found[label] = row
        except BudgetExceeded as stop:
            stop.bounds["possible classes so far"] = list(found)
            raise
        return found

    def explain_many(
        self,
        X: Any,
        what: Sequence[str] = ("prediction", "sufficient_reason", "robustness"),
        n_jobs: int | None = None,
        progress: bool | Callable[[int, int], None] = False,
    ) -> Any:
        """Answer ``what`` for each row of table ``X``: a list of dicts, or a data frame of the kind of ``X``.

        Each dict holds the answers by name and ``"status"``: ``"exact"``, or ``"partial"`` where a limit was reached
        (then an answer may be ``None``). In a data frame reasons are text. Work is spread by joblib, threads by
        default, since the kernels release the interpreter lock; any other joblib backend can be set around the call.
        ``progress``: True for a line on stderr, or a function of (rows done, rows in all).
        """
        what = [what] if isinstance(what, str) else what
        unknown = [name for name in what if name not in _MANY]
        if unknown:
            raise InvalidInputError(f"{unknown[0]!r} is no question; accepted: {', '.join(_MANY)}")
        table = read_table(X, self.model.features, named=self.model.named)
        n = len(table.values)
        check_jobs(n_jobs)
        from joblib import Parallel, delayed, effective_n_jobs

        pieces = max(1, min(n, 8 * effective_n_jobs(n_jobs)))
        bounds = np.linspace(0, n, pieces + 1).astype(int)
        chunks = [table.values[a:b] for a, b in pairwise(bounds)]
        report = _Progress(progress, n)
        found: list[dict[str, Any]] = []
        how: dict[str, Any] = {"return_as": "generator"} if progress else {}
        parallel = Parallel(n_jobs=n_jobs, prefer="threads", **how)
        for rows in parallel(delayed(_explain_rows)(self, table.names, chunk, tuple(what)) for chunk in chunks):
            found += rows
            report(len(found))
        return _like(X, found, (*what, "status"))


def _explain_rows(
    explainer: Explainer, names: tuple[str, ...], values: NDArray[np.float64], what: tuple[str, ...]
) -> list[dict[str, Any]]:
    found = []
    for i in range(len(values)):
        explanation = explainer._explain(Table(names, values[i : i + 1]))
        found.append(explanation.answers(what))
        if explanation.interrupted:
            raise KeyboardInterrupt
    return found


class _Progress:
    def __init__(self, progress: bool | Callable[[int, int], None], total: int) -> None:
        self._tell = progress if callable(progress) else (self._write if progress else None)
        self._total = total

    def __call__(self, done: int) -> None:
        if self._tell is not None:
            self._tell(done, self._total)

    @staticmethod
    def _write(done: int, total: int) -> None:
        end = "\n" if done == total else ""
        sys.stderr.write(f"\rexplained {done} of {total} rows{end}")
        sys.stderr.flush()


def _like(X: Any, rows: list[dict[str, Any]], names: Sequence[str]) -> Any:
    """The rows as a data frame of the kind of ``X``, where that is one."""
    if isinstance(X, np.ndarray | list | tuple):
        return rows
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return rows
    columns = {name: _column([row[name] for row in rows]) for name in names}
    answer = nw.from_dict(columns, backend=frame.implementation)
    native = answer.to_native()
    if hasattr(X, "index") and hasattr(native, "set_axis"):
        native = native.set_axis(X.index, axis=0)
    return native


def _column(values: list[Any]) -> list[Any]:
    """Answers as a column of one type: numbers as they are, anything else as text."""
    plain = [v if v is None or isinstance(v, str | int | float | bool) else str(v) for v in values]
    if any(type(v) is float for v in plain) and all(v is None or type(v) in (int, float) for v in plain):
        return [v if v is None else float(v) for v in plain]
    return plain


def _refined(
    own: tuple[Feature, ...],
    given: Sequence[Feature] | Mapping[str, Mapping[str, Any]] | None,
    missing: Iterable[str] | None,
) -> tuple[Feature, ...]:
    """The model's features with the user's options."""
    options: dict[str, dict[str, Any]] = {}
    if isinstance(given, Mapping) and all(isinstance(wanted, Mapping) for wanted in given.values()):
        options = {name: dict(wanted) for name, wanted in given.items()}
    elif isinstance(given, Sequence) and all(isinstance(f, Feature) for f in given):
        options = {f.name: {name: getattr(f, name) for name in _OPTIONS} for f in given}
    elif given is not None:
        raise InvalidInputError(f"features is {given!r}; a list of Feature, or a dict name -> options, is accepted")
    known = {feature.name: feature for feature in own}
    for name in () if missing is None else names_in("missing", missing, known):
        options[name] = {**options.get(name, {}), "may_be_missing": True}
    for name, wanted in options.items():
        if name not in known:
            raise InvalidInputError(f"there is no feature {name!r}; accepted: {', '.join(known)}")
        for option in wanted:
            if option not in _OPTIONS:
                raise InvalidInputError(f"feature {name!r}: unknown option {option!r}; accepted: {', '.join(_OPTIONS)}")
        kind = wanted.get("kind", known[name].kind)
        if (kind == "categorical") != (known[name].kind == "categorical"):
            raise InvalidInputError(
                f"feature {name!r}: kind {kind!r} does not fit the model, which has {known[name].kind!r}"
            )
        known[name] = replace(known[name], **wanted)
    return tuple(known.values())


def _checked_band(band: Any, *, regression: bool) -> float | tuple[float, float] | None:
    if band is None:
        if regression:
            raise InvalidInputError(
                "a regression model decides nothing by itself; pass band=(lo, hi), or band=epsilon around the "
                "prediction: the decision is then that the prediction stays inside"
            )
        return None
    if not regression:
        raise InvalidInputError("band is for regression models; a classifier's decision is its class")
    try:
        if isinstance(band, tuple | list | np.ndarray):
            low, high = (float(end) for end in band)
            if low <= high:
                return low, high
        elif float(band) >= 0:
            return float(band)
    except (TypeError, ValueError):
        pass
    raise InvalidInputError(f"band is {band!r}; (lo, hi) with lo <= hi, or a number >= 0, is accepted")
