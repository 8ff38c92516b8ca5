"""Algorithms 3A and 3B: class formulas of a voting forest as weak test-once graphs, by Algorithm 4 over the network."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.checks import check_choice
from xylogic.circuit.apply_kernel import Apply
from xylogic.circuit.exchange_kernel import freeze, negation
from xylogic.circuit.formula_graph import graph_of
from xylogic.circuit.graph import Graph
from xylogic.circuit.nnf_kernel import FALSE, TRUE, Circuit
from xylogic.circuit.sorting import comparators, merger
from xylogic.circuit.sorting_kernel import needed
from xylogic.compile.formula_kernel import parents_first
from xylogic.compile.graph_kernel import raw_trees
from xylogic.compile.order import by_weight
from xylogic.compile.sortnet import check_votes, rank, tree_formulas
from xylogic.compile.splits import Splits
from xylogic.domain.cells import Cells
from xylogic.model.ensemble import Ensemble
from xylogic.model.flat import feature_weights

__all__ = ["FORMS", "compile_apply"]

FORMS = ("3A", "3B")
_SPARE = 1 << 18  # nodes that may be dead before they are cleared away


def compile_apply(
    model: Ensemble,
    cells: Sequence[Cells],
    ties: str = "model",
    form: str = "3B",
    order: Sequence[int] | None = None,
    network: str = "odd-even",
    budget: Budget | None = None,
    printed: bool = False,
) -> dict[Hashable, tuple[Graph, ...]]:
    """Class label -> weak test-once graphs whose conjunction is the formula of the class.

    Parameters
    ----------
    model : a forest that votes by majority.
    cells : the states of every model feature.
    ties : as of :func:`~xylogic.compile.sortnet.compile_sortnet`.
    form : ``"3B"``: a graph for each other class, "at least as many votes as that one"; ``"3A"``: their conjunction
        as one graph. For two classes both are one graph.
    order : all features, in which order to test them; ``None``: the most tested one first. The trees are brought into
        it beforehand, so that the graphs are ordered.
    network : the kind of sorting network.
    budget : bounds nodes alive at a time, bytes and time.
    printed : leave the trees their own orders, and where two features are next test the first operand's. The graphs
        are weak test-once then, often larger; ``order`` means nothing.

    Raises BudgetExceeded, and InvalidInputError for other models and options. No useful bound is known.
    """
    classes = check_votes(model, ties)
    check_choice("form", form, FORMS)
    if order is None:
        order = by_weight(feature_weights(model.flat, len(cells)), np.ones(len(cells), dtype=bool))
    kept = None if printed else tuple(int(f) for f in order)
    votes = _Votes(model, cells, network, Apply([c.n_states for c in cells], budget, kept))
    answer: dict[Hashable, tuple[Graph, ...]] = {}
    for i, label in enumerate(classes):
        others = [j for j in range(len(classes)) if j != i]
        if len(classes) == 2:
            parts = [votes.at_least(rank(model, ties, i, 1 - i), i)]
        else:
            parts = votes.beats(i, [(j, rank(model, ties, i, j)) for j in others])
        if form == "3A" or not parts:
            parts = [votes.all_of(parts)]
        answer[label] = tuple(replace(freeze(votes.graphs, part), order=kept) for part in parts)
    return answer


class _Votes:
    """The trees' votes as graphs in one manager, and counts of them.

    Lists of node numbers in ``_held`` are kept up to date when dead nodes are cleared away.
    """

    def __init__(self, model: Ensemble, cells: Sequence[Cells], network: str, graphs: Apply) -> None:
        self.graphs = graphs
        self._network = network
        self._wires = 1 << (model.n_trees - 1).bit_length()
        self._held: list[list[int]] = []
        self._most = _SPARE
        trees = _ordered_trees if graphs.is_ordered else _free_trees
        self._trees = [self._hold(roots) for roots in trees(model, cells, graphs)]
        self._halves: dict[tuple[int, bool], list[int]] = {}

    def at_least(self, rank: int, label: int) -> int:
        """At least ``rank`` trees vote for the class."""
        return self._output(comparators(self._wires, self._network), self._answers(label, False), rank)

    def beats(self, i: int, others: Sequence[tuple[int, int]]) -> list[int]:
        """For each (j, least), at least that many answers "votes for i" or "does not vote for j"."""
        first = self._half(i, False)
        seconds = [self._half(j, True) for j, _ in others]
        found = self._hold([])
        for (_, least), second in zip(others, seconds, strict=True):
            found.append(self._output(merger(self._wires), first + second, least))
        self._held.pop()
        return found

    def all_of(self, parts: Sequence[int]) -> int:
        """The conjunction of graphs."""
        rest = self._hold([*parts, TRUE])
        while len(rest) > 1:
            rest.append(self.graphs.conjunction(rest.pop(), rest.pop()))
            self._clear()
        self._held.pop()
        return rest[0]

    def _half(self, label: int, negate: bool) -> list[int]:
        key = label, negate
        if key not in self._halves:
            pairs = comparators(self._wires, self._network)
            self._halves[key] = self._hold(self._answers(label, negate))
            self._sort(self._halves[key], pairs, range(self._wires))
        return self._halves[key]

    def _answers(self, label: int, negate: bool) -> list[int]:
        trees = self._trees[label]
        answers = [negation(self.graphs, n) for n in trees] if negate else trees
        return answers + [FALSE] * (self._wires - len(answers))

    def _output(self, pairs: NDArray[np.int32], inputs: list[int], rank: int) -> int:
        wires = self._hold(inputs)
        self._sort(wires, pairs, [rank - 1])
        self._held.pop()
        return wires[rank - 1]

    def _sort(self, wires: list[int], pairs: NDArray[np.int32], wanted: Sequence[int]) -> None:
        """Run the network on the wires in place; only the wanted ones hold their outputs then."""
        parts = needed(pairs, len(wires), list(wanted))
        for (i, j), part in zip(pairs.tolist(), parts.tolist(), strict=True):
            a, b = wires[i], wires[j]
            wires[i] = self.graphs.disjunction(a, b) if part & 1 else FALSE
            wires[j] = self.graphs.conjunction(a, b) if part & 2 else FALSE
            self._clear()

    def _hold(self, numbers: list[int]) -> list[int]:
        self._held.append(numbers)
        return numbers

    def _clear(self) -> None:
        """Clear dead nodes away once they may be more than half of all."""
        if self.graphs.n_nodes < self._most:
            return
        found = iter(self.graphs.collect([n for numbers in self._held for n in numbers]))
        for numbers in self._held:
            numbers[:] = [next(found) for _ in numbers]
        self._most = 2 * self.graphs.n_nodes + _SPARE


def _ordered_trees(model: Ensemble, cells: Sequence[Cells], graphs: Apply) -> list[list[int]]:
    """Per class and tree, the graph of "it votes for the class", its features in the manager's order."""
    circuit = Circuit(graphs.n_states, graphs.budget)
    formulas = tree_formulas(model, cells, circuit)
    roots = [formulas(label, False).tolist() for label in range(len(model.classes or ()))]
    made = {FALSE: FALSE, TRUE: TRUE}
    for n in range(TRUE + 1, circuit.n_nodes):
        made[n] = graph_of(graphs, circuit, n, made)
    return [[made[root] for root in row] for row in roots]


def _free_trees(model: Ensemble, cells: Sequence[Cells], graphs: Apply) -> list[list[int]]:
    """The same with the features in each tree's own order."""
    flat, splits = model.flat, Splits(model, cells)
    winner = np.argmax(model.votes, axis=1).astype(np.int32)
    nodes = parents_first(flat.left, flat.right, flat.roots)
    found = []
    for label in range(len(model.classes or ())):
        raw = raw_trees(graphs, flat.left, flat.right, nodes, flat.roots, splits, winner, label)
        found.append([graphs.conjunction(n, TRUE) for n in raw.tolist()])
    return found
