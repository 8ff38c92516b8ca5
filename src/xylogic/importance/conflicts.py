"""The conflict sets of a single tree, read off its leaves: polynomially many, where there may be 2^n reasons."""

from __future__ import annotations

from collections.abc import Iterable

from xylogic.budget import Budget
from xylogic.importance.paths import Paths
from xylogic.search.engine import Engine, Goal, States

__all__ = ["minimal", "tree_conflicts"]


def tree_conflicts(engine: Engine, goal: Goal, states: States, budget: Budget) -> list[int]:
    """For every leaf of the model's one tree where ``goal`` holds: the features in which a row there must differ from
    the row ``states``. Bit sets of the engine's features, minimal ones only.

    A set of features forces the decision exactly if it meets all of them (Y. Izza, A. Ignatiev, J. Marques-Silva, On
    tackling explanation redundancy in decision trees, 2022). O(nodes), and the square of the number of different sets.
    Raises BudgetExceeded.
    """
    reached = engine.leaf_goals(goal).tolist()
    paths = Paths(engine.forest, states, budget)
    return minimal({paths.differs for leaf in paths if reached[leaf]}, budget)


def minimal(sets: Iterable[int], budget: Budget) -> list[int]:
    """The sets that contain no other one, by size."""
    kept: list[int] = []
    for i, candidate in enumerate(sorted(sets, key=lambda s: (s.bit_count(), s))):
        if i % 64 == 0:
            budget.check()
        outside = ~candidate
        for smaller in kept:
            if not smaller & outside:
                break
        else:
            kept.append(candidate)
    return kept
