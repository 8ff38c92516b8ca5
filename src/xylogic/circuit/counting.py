"""Exact counts, shares and probabilities of the rows that a decision graph sends to a label."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from xylogic.circuit.diagram_kernel import probabilities, share_modulo
from xylogic.circuit.graph import Graph

__all__ = ["count", "probability", "share"]


def count(graph: Graph, label: int) -> int:
    """How many cells (rows of states) lead to ``label``: exact. O(edges * bits of the number of cells / 31).

    The share of a node is the mean of its children's shares (every path leaves a feature the states that the node's
    edges have), so it is computed modulo as many primes as the number of cells needs.
    """
    cells = math.prod(graph.n_states)
    widest = max(graph.n_states, default=1)
    answer, modulus = 0, 1
    for prime in _primes():
        if modulus > cells:
            return answer
        inverse = np.array([0, *(pow(w, -1, prime) for w in range(1, widest + 1))], np.uint64)
        shares = np.zeros(graph.n_nodes, np.uint64)
        shares[label] = 1
        share_modulo(graph.feature, graph.edge_at, graph.lo, graph.hi, graph.child, prime, inverse, shares)
        residue = int(shares[graph.root]) * cells % prime
        answer += modulus * ((residue - answer) * pow(modulus, -1, prime) % prime)
        modulus *= prime
    raise AssertionError("there are more primes than any number of cells needs")


def share(graph: Graph, label: int) -> Fraction:
    """The share of all cells that lead to ``label``."""
    return Fraction(count(graph, label), math.prod(graph.n_states))


def probability(graph: Graph, label: int, weights: Sequence[NDArray[np.float64]]) -> float:
    """The probability of ``label`` where feature f is in state s with probability ``weights[f][s]``, independently.

    O(states of all edges). Sums of positive numbers only, so the relative error is at most about edges on a path times
    states times 2^-53.
    """
    value = np.zeros(graph.n_nodes)
    value[label] = 1.0
    starts = np.cumsum([0, *(len(w) for w in weights)], dtype=np.int32)
    weight = np.concatenate([*weights, np.zeros(1)])
    probabilities(graph.feature, graph.edge_at, graph.lo, graph.hi, graph.child, starts, weight, value)
    return float(value[graph.root])


def _primes() -> Iterator[int]:
    """The primes below 2^31, descending."""
    for number in range(2**31 - 1, 2, -2):
        if _is_prime(number):
            yield number


def _is_prime(number: int) -> bool:
    """Whether an odd number > 7 below 3,215,031,751 is prime (Miller and Rabin's test to the bases 2, 3, 5, 7)."""
    twos = ((number - 1) & (1 - number)).bit_length() - 1
    for base in (2, 3, 5, 7):
        power = pow(base, (number - 1) >> twos, number)
        if power in (1, number - 1):
            continue
        if not any((power := power * power % number) == number - 1 for _ in range(twos - 1)):
            return False
    return True
