"""The fewest prime implicants whose disjunction is the function: the second half of Quine and McCluskey's method."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from xylogic.budget import EXACT, PARTIAL, Budget, Status
from xylogic.domain.box import Term
from xylogic.domain.cells import Cells

__all__ = ["MinimumDNF", "minimum_dnf"]


@dataclass(frozen=True)
class MinimumDNF:
    """A disjunction of prime implicants that is true of exactly the class's rows.

    ``status.status`` is ``"exact"`` if none has fewer terms. If it is ``"partial"``, the time limit came first, and
    ``status.bounds["least"]`` says how many terms are needed in any case. Several sets may be as small (Example 3 of
    "Efficient & Correct Predictive Equivalence for Decision Trees"), so unequal ones do not show that models differ.
    """

    terms: tuple[Term, ...]
    status: Status

    def __len__(self) -> int:
        return len(self.terms)

    def __str__(self) -> str:
        return " or ".join(f"({term})" if len(term) > 1 else str(term) for term in self.terms) or "(never)"


def minimum_dnf(primes: Sequence[Term], cells: Sequence[Cells], budget: Budget) -> MinimumDNF:
    """A smallest part of all prime implicants of a function that covers what they cover.

    Raises BudgetExceeded when a limit comes before there are groups of rows to be covered.
    """
    groups = _hardest(_row_groups(primes, cells, budget), budget)
    chosen, least = _fewest(groups, len(primes), budget)
    status = EXACT if least == len(chosen) else PARTIAL
    return MinimumDNF(
        tuple(primes[p] for p in chosen), Status(status, budget.seconds, {"least": least, "found": len(chosen)})
    )


def _row_groups(primes: Sequence[Term], cells: Sequence[Cells], budget: Budget) -> set[int]:
    """The rows of the function, grouped by the primes that hold there: for each group these, as bits of a number.

    Feature by feature, so that no cell is listed; O(groups * states).
    """
    every = (1 << len(primes)) - 1
    groups = {every} if primes else set()
    for c in cells:
        held = [0] * c.n_states
        free = every
        for p, term in enumerate(primes):
            if c.name in term:
                free ^= 1 << p
                for state in term[c.name].states:
                    held[state] |= 1 << p
        made: set[int] = set()
        for own in {free | bits for bits in held}:
            made |= {group & own for group in groups}
            budget.check(len(made), len(made) * (64 + len(primes) // 8))
        groups = made - {0}
    return groups


def _hardest(groups: set[int], budget: Budget) -> list[int]:
    """The groups whose being covered covers all others: those that no other's primes are among."""
    kept: list[int] = []
    for group in sorted(groups, key=lambda g: (g.bit_count(), g)):
        budget.check()
        if not any(other & ~group == 0 for other in kept):
            kept.append(group)
    return kept


def _fewest(groups: Sequence[int], n_primes: int, budget: Budget) -> tuple[list[int], int]:
    """Primes that hit every group, ascending, and how many it takes at least: equal if these are the fewest.

    By integer programming (HiGHS, by scipy).
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    if not groups:
        return [], 0
    members = [[p for p in range(n_primes) if group >> p & 1] for group in groups]
    ends = np.cumsum([0, *map(len, members)])
    hits = csr_array((np.ones(ends[-1]), np.concatenate(members), ends), shape=(len(groups), n_primes))
    options = {"mip_rel_gap": 0.0}
    if budget.remaining is not None:
        options["time_limit"] = budget.remaining
    found = milp(
        np.ones(n_primes), integrality=np.ones(n_primes), bounds=Bounds(0, 1),
        constraints=LinearConstraint(hits, lb=1), options=options,
    )  # fmt: skip
    chosen = _greedy(groups) if found.x is None else np.flatnonzero(found.x > 0.5).tolist()
    if found.status == 0:
        return chosen, len(chosen)
    bound = found.mip_dual_bound
    return chosen, max(1, math.ceil(bound - 1e-6)) if bound is not None and math.isfinite(bound) else 1


def _greedy(groups: Sequence[int]) -> list[int]:
    """Primes that hit every group, those first that hit the most."""
    left, chosen = list(groups), []
    while left:
        hits: dict[int, int] = {}
        for group in left:
            for p in range(group.bit_length()):
                if group >> p & 1:
                    hits[p] = hits.get(p, 0) + 1
        best = min(hits, key=lambda p: (-hits[p], p))
        chosen.append(best)
        left = [group for group in left if not group >> best & 1]
    return sorted(chosen)
