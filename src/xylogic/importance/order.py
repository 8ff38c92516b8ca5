"""In which order a game's diagram tests the features: components apart, and in each what matters most first."""

from __future__ import annotations

from collections.abc import Sequence

from xylogic.reason.implicates import bits_of

__all__ = ["components", "orders"]

_ROUNDS = 30  # of pulling features towards the clauses that they stand in


def orders(conflicts: Sequence[int], n_features: int) -> list[list[int]]:
    """Orders worth trying, the most promising first; features in no conflict set come last.

    Features of different components share no clause: kept apart, their diagrams follow each other instead of being
    multiplied. Within a component: by weight, the sum of 2^-size over a feature's clauses, heaviest first; or by
    gravity (F. Aloul, I. Markov, K. Sakallah, FORCE: a fast and easy-to-implement variable-ordering heuristic, 2003).
    """
    weight = [0.0] * n_features
    for conflict in conflicts:
        for f in bits_of(conflict):
            weight[f] += 2.0 ** -conflict.bit_count()
    parts = components(conflicts)
    rest = [f for f in range(n_features) if not weight[f]]
    found = []
    for rule in (_heaviest, _gravity):
        order = [f for features, clauses in parts for f in rule(features, clauses, weight)] + rest
        if order not in found:
            found.append(order)
    return found


def components(conflicts: Sequence[int]) -> list[tuple[int, list[int]]]:
    """The connected parts of the conflict sets: their features (a bit set) and their sets, by first feature."""
    parts: list[int] = []
    for conflict in conflicts:
        apart = []
        for features in parts:
            if features & conflict:
                conflict |= features
            else:
                apart.append(features)
        parts = [*apart, conflict] if conflict else parts
    parts.sort(key=lambda features: features & -features)
    return [(features, [c for c in conflicts if c & features]) for features in parts]


def _heaviest(features: int, clauses: Sequence[int], weight: Sequence[float]) -> list[int]:
    return sorted(bits_of(features), key=lambda f: (-weight[f], f))


def _gravity(features: int, clauses: Sequence[int], weight: Sequence[float]) -> list[int]:
    order = _heaviest(features, clauses, weight)
    members = [list(bits_of(clause)) for clause in clauses]
    best, least = order, float("inf")
    for _ in range(_ROUNDS):
        place = {f: i for i, f in enumerate(order)}
        span = sum(max(place[f] for f in clause) - min(place[f] for f in clause) for clause in members)
        if span >= least:
            break
        best, least = order, span
        pull, pulls = dict.fromkeys(order, 0.0), dict.fromkeys(order, 0)
        for clause in members:
            centre = sum(place[f] for f in clause) / len(clause)
            for f in clause:
                pull[f] += centre
                pulls[f] += 1
        order = sorted(order, key=lambda f: (pull[f] / pulls[f], f))
    return best
