"""Algorithm 3: class formulas of a voting forest as circuits, by sorting the trees' votes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.checks import check_choice
from xylogic.circuit.formula import Formula
from xylogic.circuit.nnf_kernel import FALSE, Circuit
from xylogic.circuit.sorting import comparators, merger
from xylogic.circuit.sorting_kernel import needed, sort
from xylogic.compile.formula_kernel import class_formulas, literals, parents_first
from xylogic.compile.splits import Splits
from xylogic.domain.cells import Cells
from xylogic.errors import InvalidInputError
from xylogic.model.ensemble import Ensemble

__all__ = ["TIES", "check_votes", "compile_sortnet", "rank", "tree_formulas"]

TIES = ("model", "winners", "merged")

_Nodes = NDArray[np.int32]


def compile_sortnet(
    model: Ensemble,
    cells: Sequence[Cells],
    ties: str = "model",
    network: str = "odd-even",
    interleaved: bool = False,
    budget: Budget | None = None,
) -> dict[Hashable, Formula]:
    """Class label -> the formula of the rows that the forest gives that class, all in one circuit (Algorithm 3).

    Parameters
    ----------
    model : a forest that votes by majority.
    cells : the states of every model feature.
    ties : ``"model"``: the model's own rule picks one of tied classes, so that the formulas exclude each other;
        ``"winners"``: each tied class has the row (the text's reading), on which ``"merged"`` builds too.
    network : the kind of sorting network, ``"odd-even"`` or ``"pairwise"``.
    interleaved : for more than two classes, whether the votes for the one class and against the other alternate on the
        wires, as printed (with indices 2l - 1, 2l); else they lie in two halves, and a half is sorted once for all.
    budget : bounds nodes, bytes and time.

    Raises InvalidInputError for other models and options, and BudgetExceeded. O(nodes + trees log^2 trees) a class;
    interleaved, a pair of classes.
    """
    classes = check_votes(model, ties)
    votes = _Votes(model, cells, network, Circuit([c.n_states for c in cells], budget))
    roots = []
    for i in range(len(classes)):
        if len(classes) == 2:
            roots.append(votes.at_least(rank(model, ties, i, 1 - i), i))
        else:
            others = (j for j in range(len(classes)) if j != i)
            beats = votes.beats_interleaved if interleaved else votes.beats
            roots.append(votes.circuit.conjunction([beats(i, j, rank(model, ties, i, j)) for j in others]))
    return {label: Formula(votes.circuit, root, cells) for label, root in zip(classes, roots, strict=True)}


def check_votes(model: Ensemble, ties: str) -> tuple[Hashable, ...]:
    """The classes of a forest whose votes can be counted; raises InvalidInputError for other models and options."""
    check_choice("ties", ties, TIES)
    if model.voting != "majority" or model.classes is None:
        advice = "" if model.voting == "sum" else ", as model.with_voting('majority') is"
        raise InvalidInputError(
            f"a sorting network counts votes, and this model's voting is {model.voting!r}; a forest that votes by "
            f"majority is accepted{advice}"
        )
    return model.classes


def rank(model: Ensemble, ties: str, i: int, j: int) -> int:
    """How many of the trees' answers "i" and "not j" class i needs against class j; of the n answers "i" alone, where
    there are two classes (FORMULAS 2.7). A class that loses ties needs one more."""
    loses_ties = ties == "model" and (j < i) == (model.tie == "first")
    n = model.n_trees
    if len(model.classes or ()) == 2:
        return n // 2 + 1 if loses_ties else (n + 1) // 2
    return n + 1 if loses_ties else n


def tree_formulas(model: Ensemble, cells: Sequence[Cells], circuit: Circuit) -> Callable[[int, bool], _Nodes]:
    """A function of a class and whether to negate, which makes each tree's formula that it votes so: int32 (n_trees,).

    O(n_nodes) a call.
    """
    flat, splits = model.flat, Splits(model, cells)
    winner = np.argmax(model.votes, axis=1).astype(np.int32)
    sides = [literals(circuit, splits.feature, side) for side in (splits.left, splits.right)]
    order = parents_first(flat.left, flat.right, flat.roots)
    forest = flat.left, flat.right, order, flat.roots, splits.of_node, *sides, winner

    def formulas(label: int, negate: bool) -> _Nodes:
        return class_formulas(circuit, *forest, label, negate)

    return formulas


class _Votes:
    """The trees' votes as nodes of a circuit, and counts of them."""

    def __init__(self, model: Ensemble, cells: Sequence[Cells], network: str, circuit: Circuit) -> None:
        self.circuit = circuit
        self._formulas = tree_formulas(model, cells, circuit)
        self._network = network
        self._wires = 1 << (model.n_trees - 1).bit_length()
        self._sorted: dict[tuple[int, bool], _Nodes] = {}

    def at_least(self, rank: int, label: int) -> int:
        """At least ``rank`` trees vote for the class."""
        return self._output(self._pad(self._formulas(label, False)), rank)

    def beats(self, i: int, j: int, rank: int) -> int:
        """At least ``rank`` answers "i" or "not j": Algorithm 1 up to its last merge, once a class, then that merge."""
        halves = np.concatenate([self._half(i, False), self._half(j, True)])
        pairs = merger(self._wires)
        return int(sort(self.circuit, pairs, needed(pairs, len(halves), [rank - 1]), halves)[rank - 1])

    def beats_interleaved(self, i: int, j: int, rank: int) -> int:
        """:meth:`beats` with the answers on alternate wires."""
        wires = [self._pad(self._formulas(j, True)), self._pad(self._formulas(i, False))]
        return self._output(np.stack(wires, axis=1).ravel(), rank)

    def _half(self, label: int, negate: bool) -> _Nodes:
        key = label, negate
        if key not in self._sorted:
            inputs = self._pad(self._formulas(label, negate))
            pairs = comparators(len(inputs), self._network)
            self._sorted[key] = sort(self.circuit, pairs, np.full(len(pairs), 3), inputs)
        return self._sorted[key]

    def _output(self, inputs: _Nodes, rank: int) -> int:
        pairs = comparators(len(inputs), self._network)
        return int(sort(self.circuit, pairs, needed(pairs, len(inputs), [rank - 1]), inputs)[rank - 1])

    def _pad(self, inputs: _Nodes) -> _Nodes:
        return np.append(inputs, np.full(self._wires - len(inputs), FALSE, np.int32))
