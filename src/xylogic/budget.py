"""Limits on time, search nodes and memory for work that may be exponential, and how far its answers are proven."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from xylogic.errors import BudgetExceeded, InvalidInputError

__all__ = ["EXACT", "PARTIAL", "Budget", "Status"]

EXACT = "exact"
PARTIAL = "partial"


@dataclass(frozen=True)
class Status:
    """How a question was answered: ``status`` is ``"exact"`` or ``"partial"``; ``bounds`` holds what is proven."""

    status: str
    seconds: float
    bounds: dict[str, Any] = field(default_factory=dict)


class Budget:
    """One question's limits: seconds from now, search nodes, and bytes; ``None`` is no limit.

    Kernels call :meth:`check` every few thousand nodes; a pending Ctrl-C is delivered there too.
    """

    def __init__(
        self,
        time_limit: float | None = None,
        node_limit: int | None = None,
        memory_limit: int | None = None,
    ) -> None:
        limits: list[tuple[str, Any]] = [
            ("time_limit", time_limit),
            ("node_limit", node_limit),
            ("memory_limit", memory_limit),
        ]
        for name, limit in limits:
            if limit is not None and not _is_limit(limit):
                raise InvalidInputError(f"{name} is {limit!r}; a number that is not negative, or None, is accepted")
        self.time_limit = time_limit
        self.node_limit = node_limit
        self.memory_limit = memory_limit
        self._start = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds since this budget was made."""
        return time.perf_counter() - self._start

    @property
    def remaining(self) -> float | None:
        """Seconds left, not below 0; ``None`` without a time limit."""
        return None if self.time_limit is None else max(0.0, self.time_limit - self.seconds)

    def check(self, nodes: int = 0, memory: int = 0) -> None:
        """Raise :class:`BudgetExceeded` if the time, ``nodes`` or ``memory`` (bytes) spent passes its limit."""
        if self.time_limit is not None and self.seconds > self.time_limit:
            raise BudgetExceeded(f"the time limit of {self.time_limit:g} s was reached")
        if self.node_limit is not None and nodes > self.node_limit:
            raise BudgetExceeded(f"the limit of {self.node_limit} search nodes was reached")
        if self.memory_limit is not None and memory > self.memory_limit:
            raise BudgetExceeded(f"the memory limit of {self.memory_limit} bytes was reached")


def _is_limit(limit: Any) -> bool:
    try:
        return not isinstance(limit, str) and float(limit) >= 0
    except (TypeError, ValueError):
        return False
