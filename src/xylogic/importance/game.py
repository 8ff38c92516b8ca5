"""The game "is this set of features sufficient" of one decision, as a binary decision diagram.

A player is a feature; a coalition wins if fixing its features' values forces the decision. So it wins exactly if it
meets every conflict set: every set of features whose change can flip the decision (the necessary reasons).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.circuit.formula import Formula
from xylogic.circuit.nnf_kernel import Circuit
from xylogic.errors import BudgetExceeded
from xylogic.importance.order import orders
from xylogic.reason.implicates import bits_of
from xylogic.reason.monotone_kernel import Monotone

__all__ = ["Game", "Layers", "game_of_conflicts", "game_of_reason"]

_FIRST_CAP = 20_000  # nodes that the first attempts at an order may make
_MOST_NODES = 2**22  # where the question has no node limit


@dataclass(frozen=True, eq=False)
class Layers:
    """A binary diagram: nodes 0 and 1 are the constants, children come before parents.

    ``level``, ``low`` (its feature is absent), ``high`` (present): int32 (n_nodes,). Of a function, levels that a path
    skips do not matter; of a family of sets, they are absent.
    """

    level: NDArray[np.int32]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    root: int

    @property
    def n_nodes(self) -> int:
        return len(self.level)


class Game:
    """A monotone game. ``players``: who stands at each level, those that matter only; the others score nothing."""

    def __init__(self, kernel: Monotone, root: int, players: Sequence[Any]) -> None:
        self._kernel, self._root = kernel, root
        level, low, high, top = kernel.arrays(root)
        used = np.unique(level[2:])
        place = np.append(used, level[0])
        # Reduced diagrams of monotone functions test exactly the features that matter.
        self.players = tuple(players[i] for i in used)
        self.diagram = Layers(np.searchsorted(place, level).astype(np.int32), low, high, top)
        self._place = place

    @property
    def n_players(self) -> int:
        return len(self.players)

    @cached_property
    def reasons(self) -> Layers:
        """The family of minimal winning coalitions (the sufficient reasons). Raises BudgetExceeded."""
        level, low, high, top = self._kernel.arrays(self._kernel.minimal(self._root, False))
        return Layers(np.searchsorted(self._place, level).astype(np.int32), low, high, top)

    def limit(self, budget: Budget) -> None:
        """Let ``budget`` bound what is done from now on."""
        self._kernel.limit(_capped(budget))


def _capped(budget: Budget, most: int | None = None) -> Budget:
    """What is left of a budget, with a cap on nodes in any case."""
    nodes = _MOST_NODES if budget.node_limit is None else budget.node_limit
    return Budget(budget.remaining, min(nodes, most) if most else nodes, budget.memory_limit)


def game_of_conflicts(conflicts: Iterable[int], players: Sequence[Any], budget: Budget) -> Game:
    """The game whose coalitions win if they meet every conflict set, given as bit sets of the players (integers).

    Orders of the features are tried in turn under a growing cap, so that the best one decides what is made.
    Raises BudgetExceeded when ``node_limit`` (2^22 without one), time or memory is spent.
    """
    sets = sorted(set(conflicts))
    tried = orders(sets, len(players))
    most = budget.node_limit or _MOST_NODES
    cap = _FIRST_CAP
    while True:
        for order in tried:
            try:
                return _game_in_order(sets, order, players, _capped(budget, cap))
            except BudgetExceeded as stop:
                budget.check()
                if stop.interrupted or (cap >= most and order is tried[-1]):
                    raise
        cap = 8 * cap


def _game_in_order(sets: Sequence[int], order: Sequence[int], players: Sequence[Any], budget: Budget) -> Game:
    circuit = Circuit([2] * len(order), budget)
    level = {feature: place for place, feature in enumerate(order)}
    clauses = sorted(sorted((level[f] for f in bits_of(conflict)), reverse=True) for conflict in sets)
    # Clauses that end alike share nodes: joined with neighbours first, they stay small.
    parts = [circuit.disjunction([circuit.literal_of(place, 1) for place in clause]) for clause in clauses]
    while len(parts) > 1:
        parts = [circuit.conjunction(parts[i : i + 2]) for i in range(0, len(parts), 2)]
    root = parts[0] if parts else 1
    kernel = Monotone(len(order), budget)
    return Game(kernel, kernel.read(circuit, root, np.arange(len(order), dtype=np.int32)), [players[f] for f in order])


def game_of_reason(reason: Formula, order: Sequence[int] | None, budget: Budget) -> Game:
    """The game of a complete reason, which is monotone in "this feature keeps its value": no conflict set is listed.

    ``order``: the features in the order in which the reason's circuit is laid out. Raises BudgetExceeded.
    """
    n = len(reason.cells)
    tested = list(order or ())
    tested += sorted(set(range(n)) - set(tested))
    level = np.empty(n, np.int32)
    level[tested] = np.arange(n, dtype=np.int32)
    kernel = Monotone(n, _capped(budget))
    return Game(kernel, kernel.read(reason.circuit, reason.root, level), [reason.cells[f].name for f in tested])
