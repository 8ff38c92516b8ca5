"""Asking, timing and keeping answers."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from xylogic.budget import Budget
from xylogic.domain.box import Box
from xylogic.errors import BudgetExceeded
from xylogic.reason.answers import EXACT, PARTIAL, Flips, Status

__all__ = ["Answers", "json_ready"]

Question = str | tuple[str, Any]  # a name, or a name and a target class
Work = Callable[[Budget], tuple[Any, BaseException | None, dict[str, Any]]]


class Answers:
    """The questions asked so far, with value and status; one is answered at a time, whatever thread asks."""

    def __init__(self, new_budget: Callable[[], Budget]) -> None:
        self._new_budget = new_budget
        self._values: dict[Question, Any] = {}
        self._lock = threading.RLock()
        self.interrupted = False  # by Ctrl-C, at some question
        self._status: dict[Question, Status] = {}

    def ask(self, question: Question, work: Work, *, again: bool = False) -> Any:
        """The kept exact answer, or (``again``: always) a new one: value, what stopped it early, bounds."""
        with self._lock:
            if not again and question in self._status and self._status[question].status == EXACT:
                return self._values[question]
            return self._ask(question, work)

    def _ask(self, question: Question, work: Work) -> Any:
        budget = self._new_budget()
        try:
            value, stop, bounds = work(budget)
        except BudgetExceeded as error:
            self.interrupted = self.interrupted or error.interrupted
            self._keep(question, None, Status(PARTIAL, budget.seconds, error.bounds))
            raise
        self.interrupted = self.interrupted or isinstance(stop, KeyboardInterrupt)
        status = getattr(value, "status", EXACT if stop is None else PARTIAL)
        self._keep(question, value, Status(status, budget.seconds, bounds))
        return value

    def _keep(self, question: Question, value: Any, status: Status) -> None:
        self._values[question] = value
        self._status[question] = status

    def status(self) -> dict[str, Status]:
        """Status by name; of questions asked for several targets, the least proven one."""
        found: dict[str, Status] = {}
        for question, status in self._status.items():
            name = question if isinstance(question, str) else question[0]
            if name not in found or status.status == PARTIAL:
                found[name] = status
        return found

    def to_dict(self) -> dict[str, Any]:
        """Name -> status, seconds, bounds and value; contrastive reasons as a dict by class."""
        found: dict[str, Any] = {}
        for name, status in self.status().items():
            found[name] = {"status": status.status, "seconds": status.seconds, "bounds": status.bounds, "value": None}
        for question, value in self._values.items():
            if isinstance(question, str):
                found[question]["value"] = value
            elif question[0] == "contrastive":
                found["contrastive"]["value"] = {**(found["contrastive"]["value"] or {}), str(question[1]): value}
            else:
                found[question[0]].update(value=value, target=str(question[1]))
        return found


def json_ready(value: Any) -> Any:
    """Plain JSON types: boxes as text and sets, infinite numbers as words, NaN as ``None``."""
    if isinstance(value, Box):
        return {"text": str(value), "features": list(value.features), "conditions": json_ready(value.to_dict())}
    if isinstance(value, Flips):
        return {
            "n_flips": value.n_flips,
            "size": value[0].size if len(value) else None,
            "boxes": [json_ready(box) for box in value],
        }
    if isinstance(value, Mapping):
        return {str(key): json_ready(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [json_ready(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
