"""General reasons from a general reason's circuit: clauses, resolution and multiplying out.

A clause or term is a pair of numbers: the bit set of its features, and its states, those of all features side by side.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from xylogic.budget import Budget
from xylogic.circuit.nnf_kernel import Circuit
from xylogic.circuit.walk_kernel import reachable

__all__ = ["StateBits", "bits_of", "general_necessary", "general_sufficient"]

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
        names = tuple(bits_of(features))
        return names, tuple((states & self.every[f]) >> self.at[f] for f in names)


def bits_of(number: int) -> Iterator[int]:
    """The places of a number's bits, ascending."""
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
            if within(f | g) and not any((s | t) & bits.every[i] == bits.every[i] for i in bits_of(f & g)):
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
        for states in _closed(groups[features], [bits.every[f] for f in bits_of(features)], budget):
            yield bits.unpacked(features, states)


def _closed(clauses: list[int], every: list[int], budget: Budget) -> list[int]:
    """Clauses over the same features, closed under resolution on one feature after the other, each to a fixpoint;
    without subsumed ones."""
    for own in every:
        others = [states for states in every if states != own]
        waiting = clauses[::-1]
        closed: list[int] = []
        while waiting:
            budget.check()
            a = waiting.pop()
            if _subsumed(a, closed):
                continue
            closed = [b for b in closed if a & ~b]
            for b in closed:
                made = (a & b & own) | ((a | b) & ~own)
                if made not in (a, b) and not any(made & other == other for other in others):
                    waiting.append(made)
            closed.append(a)
        clauses = closed
    return clauses


def _subsumed(clause: int, others: list[int]) -> bool:
    outside = ~clause
    return any(not other & outside for other in others)


def general_sufficient(
    circuit: Circuit, root: int, bits: StateBits, sufficient: int, decomposable: bool, budget: Budget
) -> Iterator[Wide]:
    """The general sufficient reasons over the features of one sufficient reason (a bit set), from the general reason
    at ``root``, in which literals of other features count as *false*. Exponential at worst; raises BudgetExceeded.

    ``decomposable``: disjuncts share no feature, as where graphs are test-once. Then the widest terms of a disjunction
    are those of its parts; else clauses are multiplied out.
    """
    every = [bits.every[f] for f in bits_of(sufficient)]
    if decomposable:
        terms = _terms(circuit, root, bits, sum(every), budget)
    else:

        def literal(f: int) -> list[Packed] | None:
            return None if sufficient >> f & 1 else [(0, 0)]

        clauses = _clauses(circuit, root, bits, literal, lambda features: True, budget)
        terms = [sum(every)]
        for _, states in clauses:
            cut = (term & ~(own & ~states) for term in terms for own in every if states & own)
            implied = [term for term in terms if not all(term & own & ~states for own in every)]
            terms = _widest([*implied, *cut], budget)
    for term in terms:
        yield bits.unpacked(sufficient, term)


def _terms(circuit: Circuit, root: int, bits: StateBits, full: int, budget: Budget) -> list[int]:
    """The widest terms, over the features of ``full``, that imply an or-decomposable circuit."""
    form: dict[int, list[int]] = {0: [], 1: [full]}
    for n in reachable(circuit, [root]).tolist():
        kind, children = circuit.kind(n), circuit.children(n)
        if kind == "literal":
            f = circuit.feature(n)
            own = bits.every[f] & full
            form[n] = [(full & ~own) | (circuit.states(n) << bits.at[f])] if own else []
        elif kind == "or":
            form[n] = _widest([term for child in children for term in form[child]], budget)
        elif kind == "and":
            joined = [full]
            for child in sorted(children, key=lambda c: len(form[c])):
                joined = _widest([a & b for a in joined for b in form[child]], budget)
            form[n] = joined
    return form[root]


def _widest(terms: list[int], budget: Budget) -> list[int]:
    """The terms that no other one contains."""
    budget.check()
    if len(terms) < 2:
        return terms
    kept: list[int] = []
    for term in sorted(set(terms), key=lambda t: (-t.bit_count(), t)):
        budget.check()
        for wider in kept:
            if not term & ~wider:
                break
        else:
            kept.append(term)
    return kept
