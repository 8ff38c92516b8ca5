"""Power indices straight from their definitions, by looking at every set of features; shared with nothing."""

from __future__ import annotations

from fractions import Fraction
from math import factorial

import numpy as np


def power_indices(wins: np.ndarray, names: list[str]) -> dict[str, dict[str, Fraction]]:
    """All six indices of a game given as bool (2^n,): does the set of features with this mask win?"""
    n = len(names)
    coalitions = range(1 << n)
    critical = {s: [i for i in range(n) if s >> i & 1 and wins[s] and not wins[s ^ (1 << i)]] for s in coalitions}
    minimal = [s for s in coalitions if wins[s] and s and len(critical[s]) == s.bit_count()]
    zero = Fraction()

    def over_critical(worth) -> list[Fraction]:
        return [sum((worth(s) for s in coalitions if i in critical[s]), zero) for i in range(n)]

    def over_minimal(worth) -> list[Fraction]:
        return [sum((worth(s) for s in minimal if s >> i & 1), zero) for i in range(n)]

    def place(s: int) -> Fraction:
        return Fraction(factorial(s.bit_count() - 1) * factorial(n - s.bit_count()), factorial(n))

    scores = {
        "shapley": over_critical(place),
        "banzhaf": over_critical(lambda s: Fraction(1, 2 ** (n - 1))),
        "johnston": over_critical(lambda s: Fraction(1, len(critical[s]))),
        "deegan-packel": over_minimal(lambda s: Fraction(1, s.bit_count() * len(minimal))),
        "holler-packel": over_minimal(lambda s: Fraction(1, len(minimal))),
        "responsibility": [
            max((Fraction(1, s.bit_count()) for s in minimal if s >> i & 1), default=zero) for i in range(n)
        ],
    }
    return {index: dict(zip(names, values, strict=True)) for index, values in scores.items()}


def expected_value_scores(oracle, scores: np.ndarray, weights: list[np.ndarray]) -> dict[str, float]:
    """Shapley values of the game "expected score once these features keep the row's states", over all cells."""
    n = len(oracle.names)
    chance = [weights[i][oracle.cells[:, i]] for i in range(n)]
    own = oracle.cells == oracle.origin
    worth = np.zeros(1 << n)
    for s in range(1 << n):
        fixed = [i for i in range(n) if s >> i & 1]
        agrees = own[:, fixed].all(axis=1)
        rest = np.ones(len(own))
        for i in set(range(n)) - set(fixed):
            rest = rest * chance[i]
        worth[s] = (scores * rest)[agrees].sum()
    found = {}
    for i, name in enumerate(oracle.names):
        found[name] = sum(
            factorial(s.bit_count()) * factorial(n - s.bit_count() - 1) / factorial(n) * (worth[s | 1 << i] - worth[s])
            for s in range(1 << n)
            if not s >> i & 1
        )
    return found
