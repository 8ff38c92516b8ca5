"""General sufficient and necessary reasons from the search engine, without any circuit.

The sufficient reasons' features are those of the general ones, and so for the necessary reasons (A. Ji and
A. Darwiche, A new class of explanations for classifiers with non-binary features, 2023). For each such set of features,
the general sufficient reasons are the widest boxes around the instance that force the decision, and the general
necessary reasons exclude the widest boxes of changes of exactly these features that all flip it.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.circuit.formula import Formula
from xylogic.circuit.nnf_kernel import Circuit
from xylogic.domain.box import Clause, Term
from xylogic.domain.cells import StateSet
from xylogic.reason.answers import Reasons
from xylogic.reason.decision import Decision
from xylogic.reason.flips import changed_states, count_changes
from xylogic.search.sets import bit_set, members
from xylogic.search.widen_kernel import Widest

__all__ = ["GeneralEnumeration", "GeneralReasons", "Wide", "searched_reason", "shortest_sets", "wide_box"]

Wide = tuple[tuple[int, ...], tuple[int, ...]]  # features ascending, and each one's states as the bits of a number


class Found(Protocol):
    """Minimal sets of features, found as they are asked for: an :class:`~xylogic.reason.enumeration.Enumeration`."""

    def run_until(self, kind: str, count: int | None, budget: Budget) -> None: ...
    def count(self, kind: str) -> int: ...
    def sets(self, kind: str) -> NDArray[np.uint64]: ...


class GeneralReasons(Reasons):
    """:class:`Reasons` with sets of states of their own, sorted by size, column order, and the sets."""

    @cached_property
    def _sets(self) -> Any:
        return sorted(self._unsorted, key=lambda wide: (len(wide[0]), *wide))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of features of each reason, ascending; no reason is made for it."""
        return np.array([len(features) for features, _ in self._sets], dtype=np.int64)


def wide_box(decision: Decision, kind: str, wide: Wide) -> Term | Clause:
    """A general reason as a term (sufficient) or clause (necessary)."""
    sets = {}
    for f, states in zip(*wide, strict=True):
        cells = decision.engine.forest.cells[f]
        sets[cells.name] = StateSet(cells, tuple(s for s in range(cells.n_states) if states >> s & 1))
    return Term(sets) if kind == "sufficient" else Clause(sets)


class GeneralEnumeration:
    """The general reasons of one kind, "sufficient" or "necessary", of a decision.

    ``given`` replaces the enumeration of feature sets by those listed, uint64 (n, width). Boxes are found one by one
    and kept; a limit that stops the work loses nothing.
    """

    def __init__(
        self, decision: Decision, kind: str, enumeration: Found, given: NDArray[np.uint64] | None = None
    ) -> None:
        self._decision, self._kind = decision, kind
        self._enumeration, self._given = enumeration, given
        self._next = 0  # the first set of features that was not begun
        self._now: Widest | None = None
        self._taken = 0  # boxes of the current set of features that stand in ``found``
        self.found: list[Wide] = []
        self.complete = False
        goal = decision.flip
        self._goal = goal if kind == "sufficient" else goal.opposite
        cells = decision.engine.forest.cells
        self._width = [(c.n_states + 63) // 64 for c in cells]

    def run_until(self, count: int | None, budget: Budget) -> None:
        """Go on until ``count`` are found (``None``: all). Raises BudgetExceeded or KeyboardInterrupt."""
        while not self.complete and (count is None or len(self.found) < count):
            if self._now is not None:
                self._widen(self._now, None if count is None else count - len(self.found), budget)
            elif not self._begin(budget):
                self.complete = True

    def _begin(self, budget: Budget) -> bool:
        """Take up the next set of features; False if there is none."""
        if self._given is not None:
            if self._next == len(self._given):
                return False
            features = self._given[self._next]
        else:
            self._enumeration.run_until(self._kind, self._next + 1, budget)
            if self._enumeration.count(self._kind) == self._next:
                return False
            features = self._enumeration.sets(self._kind)[self._next]
        self._features = members(features)
        engine, states = self._decision.engine, self._decision.states
        sufficient = self._kind == "sufficient"
        at = np.cumsum([0, *(self._width[f] for f in self._features)], dtype=np.int32)
        start, own = (np.zeros(at[-1] + 1, np.uint64) for _ in range(2))
        for k, f in enumerate(self._features):
            x = 1 << int(states[f])
            every = (1 << engine.forest.cells[f].n_states) - 1
            _write(start[at[k] : at[k + 1]], every if sufficient else every & ~x)
            _write(own[at[k] : at[k + 1]], x if sufficient else 0)
        self._at = at.tolist()
        free = engine.varying if sufficient else features
        self._now = Widest(np.array(self._features, dtype=np.int32), at, free, sufficient, start, own)
        self._next += 1
        self._taken = 0
        return True

    def _widen(self, kernel: Widest, count: int | None, budget: Budget) -> None:
        decision = self._decision
        try:
            with decision.engine.search(self._goal, decision.states, budget) as (search, work):
                work.restricted[-1] = 1  # the kernel restricts features as it goes
                kernel.use(search)
                if not kernel.run(2**62 if count is None else count):
                    self._now = None
        finally:
            boxes = kernel.found[self._taken :]
            self._taken += len(boxes)
            self.found += (self._wide(box) for box in boxes)

    def _wide(self, words: NDArray[np.uint64]) -> Wide:
        numbers = [int.from_bytes(words[a:b].tobytes(), "little") for a, b in zip(self._at, self._at[1:], strict=False)]
        if self._kind == "necessary":
            cells = self._decision.engine.forest.cells
            every = [(1 << cells[f].n_states) - 1 for f in self._features]
            numbers = [e & ~n for e, n in zip(every, numbers, strict=True)]
        return tuple(self._features), tuple(numbers)


def _write(words: NDArray[np.uint64], states: int) -> None:
    words[:] = np.frombuffer(states.to_bytes(8 * len(words), "little"), dtype="<u8")


def searched_reason(decision: Decision, enumeration: Found, general: bool, budget: Budget) -> Formula:
    """The complete reason as the conjunction of the necessary reasons, or the ``general`` reason as the disjunction of
    its prime implicants, the widest boxes around the row. Exponential at worst; raises BudgetExceeded.
    """
    circuit = Circuit([cells.n_states for cells in decision.cells], budget)
    columns = decision.columns.tolist()
    parts = []
    if general:
        work = GeneralEnumeration(decision, "sufficient", enumeration, decision.engine.varying[np.newaxis])
        work.run_until(None, budget)
        for features, states in work.found:
            # a full set of states is no literal: it drops out
            literals = [circuit.literal_of(columns[f], s) for f, s in zip(features, states, strict=True)]
            parts.append(circuit.conjunction(literals))
        root = circuit.disjunction(parts)
    else:
        enumeration.run_until("necessary", None, budget)
        own = [circuit.literal_of(c, 1 << int(s)) for c, s in zip(columns, decision.states[:-1], strict=True)]
        parts = [circuit.disjunction([own[f] for f in members(words)]) for words in enumeration.sets("necessary")]
        root = circuit.conjunction(parts)
    circuit.limit(Budget())  # who goes on with it is not under this question's limits
    return Formula(circuit, root, decision.cells)


def shortest_sets(decision: Decision, robustness: float, budget: Budget) -> NDArray[np.uint64]:
    """The features of all shortest necessary reasons, uint64 (n, width). Raises BudgetExceeded or KeyboardInterrupt."""
    engine = decision.engine
    if robustness == math.inf:
        return np.zeros((0, engine.width), np.uint64)
    found: dict[bytes, None] = {}
    with engine.search(decision.flip, decision.states, budget) as (search, work):
        count_changes(work)

        def sink() -> None:
            found[bit_set([f for f, _ in changed_states(decision, work)], engine.width).tobytes()] = None

        search.every(engine.varying, robustness, sink)
    return np.frombuffer(b"".join(found), dtype=np.uint64).reshape(-1, engine.width).copy()
