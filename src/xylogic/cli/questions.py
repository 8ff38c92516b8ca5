"""The questions that the command line asks, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from xylogic.cli.output import Progress, interrupts, say
from xylogic.errors import BudgetExceeded

__all__ = ["ALL", "DEFAULT", "QUESTIONS", "ask", "chosen"]


def _importance(index: str) -> Callable[[Any, Any, int | None], Any]:
    return lambda e, target, limit: e.importance(index)


# Name -> (explanation, target class, limit) -> answer. Asking is enough: the explanation keeps its answers.
QUESTIONS: dict[str, Callable[[Any, Any, int | None], Any]] = {
    "prediction": lambda e, target, limit: e.prediction,
    "sufficient-reason": lambda e, target, limit: e.sufficient_reason(),
    "smallest-sufficient-reason": lambda e, target, limit: e.sufficient_reason(minimum=True),
    "sufficient-reasons": lambda e, target, limit: e.sufficient_reasons(limit=limit),
    "necessary-reasons": lambda e, target, limit: e.necessary_reasons(limit=limit),
    "general-sufficient-reasons": lambda e, target, limit: e.general_sufficient_reasons(limit=limit),
    "general-necessary-reasons": lambda e, target, limit: e.general_necessary_reasons(limit=limit),
    "shortest-general-necessary-reasons": lambda e, target, limit: e.general_necessary_reasons(limit, shortest=True),
    "complete-reason": lambda e, target, limit: e.complete_reason(),
    "general-reason": lambda e, target, limit: e.general_reason(),
    "contrastive": lambda e, target, limit: e.contrastive() if target is None else e.contrastive(target),
    "robustness": lambda e, target, limit: e.robustness(),
    "shortest-flips": lambda e, target, limit: e.shortest_flips(limit=limit),
    "counterfactual": lambda e, target, limit: e.counterfactual(target),
    "relevant-features": lambda e, target, limit: e.relevant_features(),
    "necessary-features": lambda e, target, limit: e.necessary_features(),
    "shapley-importance": _importance("shapley"),
}
# The other scores are asked for by name only: they have no answer where Shapley values are estimated.
BY_NAME = {
    f"{index}-importance": _importance(index)
    for index in ("banzhaf", "johnston", "deegan-packel", "holler-packel", "responsibility", "expected-value")
}
QUESTIONS |= BY_NAME
ALL = "all"
DEFAULT = ("sufficient-reason", "robustness", "counterfactual")


def chosen(names: Iterable[str], *, classes: bool) -> list[str]:
    """The questions in the order given, each once; none are the default ones, ``all`` is every one that applies, of the
    importance scores the first."""
    wanted = list(dict.fromkeys(names)) or list(DEFAULT)
    if ALL not in wanted:
        return wanted
    return [name for name in QUESTIONS if name not in BY_NAME and (classes or name != "contrastive")]


def ask(explanation: Any, questions: Iterable[str], target: Any = None, limit: int | None = None) -> bool:
    """Ask each question; False when Ctrl-C ended the asking, with what was answered kept."""
    with interrupts() as seen:
        for name in questions:
            try:
                with Progress(name):
                    QUESTIONS[name](explanation, target, limit)
            except BudgetExceeded as error:
                say(f"{name}: {error}")  # its bounds stand in the explanation's status
            except KeyboardInterrupt:
                pass
            if seen:  # the engine may have turned it into a partial answer
                say(f"interrupted at {name}; what was answered follows")
                return False
    return True
