"""The Blake canonical form made explicitly, as the paper's baselines make it; each takes a function of 0/1 features.

A term is a pair of bit sets (ones, zeros): the features that must be 1, and those that must be 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

Term = tuple[int, int]


def gadget_paths(r: int, label: int) -> list[Term]:
    """The paths to the leaves of a class in the tree of r main gadgets, over features 0 .. 2 r."""
    paths, ones = [], 0
    for k in range(r):
        x, y = 1 << 2 * k, 1 << 2 * k + 1
        paths += [(ones, x | y)] if label == 0 else [(ones | y, x), (ones | x, y)]
        ones |= x | y
    last = 1 << 2 * r
    return [*paths, (ones | last, 0) if label else (ones, last)]


def minterms(paths: Sequence[Term], n_features: int) -> Iterator[int]:
    """All rows that satisfy a path, by listing what the free features may be."""
    for ones, zeros in paths:
        free = [1 << f for f in range(n_features) if not (ones | zeros) >> f & 1]
        for chosen in product((0, 1), repeat=len(free)):
            yield ones | sum(bit for bit, take in zip(free, chosen, strict=True) if take)


def quine_mccluskey(paths: Sequence[Term], n_features: int) -> int:
    """The number of primes: merge terms that differ in one feature, from the minterms on (W. Quine, E. McCluskey)."""
    every = (1 << n_features) - 1
    terms = {(row, every ^ row) for row in minterms(paths, n_features)}
    primes = 0
    while terms:
        merged, used = set(), set()
        for ones, zeros in terms:
            rest = zeros
            while rest:
                bit = rest & -rest
                rest ^= bit
                other = (ones | bit, zeros ^ bit)
                if other in terms:
                    merged.add((ones, zeros ^ bit))
                    used.add(other)
                    used.add((ones, zeros))
        primes += len(terms) - len(used)
        terms = merged
    return primes


def iterated_consensus(paths: Sequence[Term], _: int) -> int:
    """The number of primes: add the consensus of two terms and drop absorbed ones, to a fixpoint (A. Blake, 1937)."""
    terms: dict[Term, None] = dict.fromkeys(paths)
    waiting = list(paths)
    while waiting:
        a = waiting.pop()
        if a not in terms:
            continue
        for b in list(terms):
            made = _consensus(a, b)
            if made is None or any(_absorbs(c, made) for c in terms):
                continue
            for c in [c for c in terms if _absorbs(made, c)]:
                del terms[c]
            terms[made] = None
            waiting.append(made)
            if a not in terms:
                break
    return len(terms)


def _consensus(a: Term, b: Term) -> Term | None:
    clash = (a[0] & b[1]) | (a[1] & b[0])
    if clash == 0 or clash & (clash - 1):
        return None
    return (a[0] | b[0]) & ~clash, (a[1] | b[1]) & ~clash


def _absorbs(a: Term, b: Term) -> bool:
    return a[0] & ~b[0] == 0 and a[1] & ~b[1] == 0


def sympy_form(paths: Sequence[Term], n_features: int) -> int:
    """The number of terms of SymPy's minimum form, by its Quine-McCluskey."""
    from sympy import Or, symbols
    from sympy.logic import SOPform

    names = symbols(f"x1:{n_features + 1}")
    rows = [[row >> f & 1 for f in range(n_features)] for row in minterms(paths, n_features)]
    form = SOPform(names, rows)
    return len(form.args) if isinstance(form, Or) else 1
