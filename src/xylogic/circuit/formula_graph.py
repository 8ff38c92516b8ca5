"""A circuit's node as an ordered decision graph: what makes the hard questions about formulas easy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from xylogic.budget import Budget
from xylogic.circuit.apply_kernel import Apply
from xylogic.circuit.exchange_kernel import adopt, freeze
from xylogic.circuit.graph import Graph
from xylogic.circuit.nnf_kernel import FALSE, TRUE, Circuit

__all__ = ["ordered_graph"]

_SPARE = 1 << 16  # nodes that may be dead before they are cleared away


def ordered_graph(circuit: Circuit, nodes: Sequence[int], budget: Budget) -> Graph:
    """The last of ``nodes`` (what it reaches, ascending) as a graph that tests the most used features first.

    Gate by gate, by Algorithm 4: where operands are of one order, so is what it makes, and equal functions are equal
    graphs. Time and room at worst exponential in the features; ``budget`` bounds both, and raises BudgetExceeded.
    """
    uses = Counter(child for n in nodes for child in circuit.children(n))
    weight: Counter[int] = Counter()
    for n in nodes:
        if circuit.feature(n) >= 0:
            weight[circuit.feature(n)] += uses[n]
    order = sorted(range(circuit.n_features), key=lambda f: (-weight[f], f))
    graphs = Apply(circuit.n_states, budget, order)
    made = {FALSE: FALSE, TRUE: TRUE}
    most = _SPARE
    for n in nodes:
        kind = circuit.kind(n)
        if kind == "literal":
            made[n] = adopt(graphs, _literal(circuit, n))
        elif kind in ("and", "or"):
            join = graphs.conjunction if kind == "and" else graphs.disjunction
            children = circuit.children(n)
            made[n] = made[children[0]]
            for child in children[1:]:
                made[n] = join(made[n], made[child])
            for child in children:
                uses[child] -= 1
                if not uses[child]:
                    del made[child]
            if graphs.n_nodes > most:
                made = dict(zip(made, graphs.collect(list(made.values())), strict=True))
                most = 2 * graphs.n_nodes + _SPARE
    return replace(freeze(graphs, made[nodes[-1]]), order=tuple(order))


def _literal(circuit: Circuit, node: int) -> Graph:
    feature, n_states = circuit.feature(node), circuit.n_states[circuit.feature(node)]
    edges, start = [], 0
    for first, last in circuit.runs(node):
        if start < first:
            edges.append((start, first - 1, FALSE))
        edges.append((first, last, TRUE))
        start = last + 1
    if start < n_states:
        edges.append((start, n_states - 1, FALSE))
    lo, hi, child = np.array(edges, np.int32).T.copy()
    at = np.array([0, 0, 0, len(edges)], np.int64)
    return Graph(circuit.n_states, 2, np.array([-1, -1, feature], np.int32), at, lo, hi, child, 2)
