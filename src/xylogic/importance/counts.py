"""Exact counts, by size, on a game's diagram.

A polynomial whose coefficient of z^k counts sets of size k is one whole number, its coefficients in slots wide enough
for any of them (L. Kronecker): sums and products of polynomials are those of the numbers.
"""

from __future__ import annotations

from collections import Counter
from math import comb

from xylogic.budget import Budget
from xylogic.importance.game import Layers

__all__ = ["critical_by_size", "reasons_by_size"]

_CHECK_EVERY = 4096


def critical_by_size(diagram: Layers, n_players: int, budget: Budget) -> list[list[int]]:
    """Per player, and for each k below ``n_players``: in how many coalitions of k others it turns losing to winning.

    One pass up and one down: O(nodes) products of numbers of n_players^2 bits. Raises BudgetExceeded.
    """
    slot = n_players + 1
    level, low, high = (array.tolist() for array in (diagram.level, diagram.low, diagram.high))
    any_of = [sum(comb(g, k) << slot * k for k in range(g + 1)) for g in range(n_players + 1)]
    wins = [0, 1] + [0] * (len(level) - 2)
    gain = [0] * len(level)
    for n in range(2, len(level)):
        if n % _CHECK_EVERY == 0:
            budget.check()
        without, with_it = low[n], high[n]
        lost = wins[without] * any_of[level[without] - level[n] - 1]
        won = wins[with_it] * any_of[level[with_it] - level[n] - 1]
        wins[n] = lost + (won << slot)
        gain[n] = won - lost
    comes = [0] * len(level)
    comes[diagram.root] = any_of[level[diagram.root]]
    critical = [0] * n_players
    for n in range(len(level) - 1, 1, -1):
        if n % _CHECK_EVERY == 0:
            budget.check()
        here = comes[n]
        critical[level[n]] += here * gain[n]
        comes[low[n]] += here * any_of[level[low[n]] - level[n] - 1]
        comes[high[n]] += (here << slot) * any_of[level[high[n]] - level[n] - 1]
    mask = (1 << slot) - 1
    return [[number >> slot * k & mask for k in range(n_players)] for number in critical]


def reasons_by_size(family: Layers, n_players: int, budget: Budget) -> tuple[Counter[int], list[Counter[int]]]:
    """How many sets of a family there are of each size, and how many of them hold each player. O(nodes * sizes^2)."""
    level, low, high = (array.tolist() for array in (family.level, family.low, family.high))
    below: list[Counter[int]] = [Counter(), Counter({0: 1})]
    for n in range(2, len(level)):
        if n % _CHECK_EVERY == 0:
            budget.check()
        found = Counter(below[low[n]])
        for size, number in below[high[n]].items():
            found[size + 1] += number
        below.append(found)
    above: list[Counter[int]] = [Counter() for _ in level]
    above[family.root][0] = 1
    holding: list[Counter[int]] = [Counter() for _ in range(n_players)]
    for n in range(len(level) - 1, 1, -1):
        if n % _CHECK_EVERY == 0:
            budget.check()
        with_it = holding[level[n]]
        for size, number in above[n].items():
            above[low[n]][size] += number
            above[high[n]][size + 1] += number
            for more, others in below[high[n]].items():
                with_it[size + 1 + more] += number * others
        above[n] = Counter()
    return below[family.root], holding
