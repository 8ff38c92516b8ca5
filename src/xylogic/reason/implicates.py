"""General reasons from a general reason's circuit: clauses, resolution and multiplying out.

A clause or term is a pair of numbers: the bit set of its features, and its states, those of all features side by side.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from xylogic.budget import Budget
from xylogic.circuit.nnf_kernel import Circuit
from xylogic.circuit.walk_kernel import reachable

__all__ = ["StateBits", "general_necessary", "general_sufficient"]

Packed = tuple[int, int]  # features, states
Wide = tuple[tuple[int, ...], tuple[int, ...]]  # features ascending, and each one's states as the bits of a number


class StateBits:
    """Where each feature's states stand in a packed number."""

    def __init__(self, n_states: Sequence[int]) -> None:
        self.at = [0]
        for n in n_states:
            self.at.append(self.at[-1] + n)
        self.every = [((1 << n) - 1) << at for n, at in zip(n_states, self.at, strict=False)]

    def unpacked(self, features: int, states: int) -> Wide:
        names = tuple(_bits(features))
        return names, tuple((states & self.every[f]) >> self.at[f] for f in names)


def _bits(number: int) -> Iterator[int]:
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def _strongest(clauses: Iterable[Packed], budget: Budget) -> list[Packed]:
    """The clauses that no other one subsumes."""
    kept: list[Packed] = []
    for features, states in sorted(set(clauses), key=lambda c: (c[1].bit_count(), c)):
        budget.check()
        if not any(f & ~features == 0 and s & ~states == 0 for f, s in kept):
            kept.append((features, states))
    return kept


def _clauses(
    circuit: Circuit, root: int, bits: StateBits, literal: Callable[[int], list[Packed] | None],
    within: Callable[[int], bool], budget: Budget,
) -> list[Packed]:  # fmt: skip
    """A conjunctive normal form: the clauses, free of subsumed ones, whose features satisfy ``within``.

    ``literal(feature)`` may stand for the form of that feature's literals (``None``: the literal itself). Algorithm 6
    of "Circuit Representations of Random Forests with Applications to XAI"; exponential at worst.
    """
    form: dict[int, list[Packed]] = {0: [(0, 0)], 1: []}
    for n in reachable(circuit, [root]).tolist():
        kind = circuit.kind(n)
        if kind == "literal":
            f = circuit.feature(n)
            given = literal(f)
            form[n] = [(1 << f, circuit.states(n) << bits.at[f])] if given is None else given
        elif kind == "and":
            form[n] = _strongest((clause for child in circuit.children(n) for clause in form[child]), budget)
        elif kind == "or":
            joined = [(0, 0)]
            for child in sorted(circuit.children(n), key=lambda c: len(form[c])):
                joined = _strongest(_products(joined, form[child], bits, within), budget)
            form[n] = joined
    return form[root]


def _products(
    left: list[Packed], right: list[Packed], bits: StateBits, within: Callable[[int], bool]
) -> Iterator[Packed]:
    for f, s in left:
        for g, t in right:
            if within(f | g) and not any((s | t) & bits.every[i] == bits.every[i] for i in _bits(f & g)):
                yield f | g, s | t


def general_necessary(
    circuit: Circuit, root: int, bits: StateBits, necessary: Sequence[int], budget: Budget
) -> Iterator[Wide]:
    """The general necessary reasons over the given features' bit sets, those of some necessary reasons, from the
    general reason at ``root``. Algorithm 7, for reasons of any size. Exponential at worst; raises BudgetExceeded.

    A literal of no necessary reason's feature is *true*: it can only be part of clauses that are not asked for.
    """
    fits: dict[int, bool] = {}

    def within(features: int) -> bool:
        if features not in fits:
            fits[features] = any(features & ~reason == 0 for reason in necessary)
        return fits[features]

    groups: dict[int, list[int]] = defaultdict(list)
    clauses = _clauses(circuit, root, bits, lambda f: None if within(1 << f) else [], within, budget)
    for features, states in clauses:
        groups[features].append(states)
    for features in necessary:
        for states in _closed(groups[features], [bits.every[f] for f in _bits(features)], budget):
            yield bits.unpacked(features, states)


def _closed(clauses: list[int], every: list[int], budget: Budget) -> list[int]:
    """Clauses over the same features, closed under resolution on one feature after the other, each to a fixpoint;
    without subsumed ones."""
    for own in every:
        fresh = clauses
        while fresh:
            found = set()
            for a in fresh:
                budget.check()
                for b in clauses:
                    made = (a & b & own) | ((a | b) & ~own)
                    if not any(made & other == other for other in every):
                        found.add(made)
            known = set(clauses)
            clauses = [s for _, s in _strongest(((0, s) for s in known | found), budget)]
            fresh = [s for s in clauses if s not in known]
    return clauses


def general_sufficient(circuit: Circuit, root: int, bits: StateBits, sufficient: int, budget: Budget) -> Iterator[Wide]:
    """The general sufficient reasons over the features of one sufficient reason (a bit set), from the general reason
    at ``root``: its clauses' literals of these features, multiplied out. Exponential at worst; raises BudgetExceeded.
    """

    def literal(f: int) -> list[Packed] | None:
        return None if sufficient >> f & 1 else [(0, 0)]

    clauses = _clauses(circuit, root, bits, literal, lambda features: True, budget)
    terms = [sum(bits.every[f] for f in _bits(sufficient))]
    for features, states in clauses:
        own = [bits.every[f] for f in _bits(features)]
        implied, cut = [], set()
        for term in terms:
            if any(term & every & ~states == 0 for every in own):
                implied.append(term)
            else:
                cut |= {term & ~(every & ~states) for every in own}
        terms = implied
        for term in sorted(cut, key=lambda t: (-t.bit_count(), t)):
            budget.check()
            if not any(term & ~other == 0 for other in terms):
                terms.append(term)
    for term in terms:
        yield bits.unpacked(sufficient, term)
