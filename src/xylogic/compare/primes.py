"""``prime_implicants``: all prime implicants of a class, held as one diagram instead of a list."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.circuit.diagram import Diagram
from xylogic.circuit.ordered_kernel import Ordered
from xylogic.circuit.rows import read_box
from xylogic.compare.cover import MinimumDNF, minimum_dnf
from xylogic.compare.needed_cuts import over_needed_cuts, read_set
from xylogic.compare.primes_kernel import PrimeSets
from xylogic.compare.short_terms import terms_by_size
from xylogic.compile.compiling import compile_ensemble
from xylogic.convert.read import read_model
from xylogic.domain.box import Term
from xylogic.domain.cells import StateSet
from xylogic.errors import BudgetExceeded, InvalidInputError

__all__ = ["Primes", "prime_implicants"]


def prime_implicants(
    model: Any,
    cls: Hashable,
    *,
    band: tuple[float, float] | None = None,
    missing: Iterable[str] = (),
    time_limit: float | None = None,
    node_limit: int | None = None,
    memory_limit: int | None = None,
) -> Primes:
    """The prime implicants of a class: the widest conditions under which the model is sure to decide for it.

    A term gives some features a set of states each; it is an implicant if the model decides for ``cls`` in every row
    that satisfies it, and prime if no set can be widened by a single state, nor a feature dropped, without losing
    that. For features of two states these are the classical prime implicants, their disjunction the Blake canonical
    form, BCF, of "Efficient & Correct Predictive Equivalence for Decision Trees" (Section 3). For features of more
    states they are the multi-valued ones (R. Rudell, A. Sangiovanni-Vincentelli, Multiple-Valued Minimization for PLA
    Optimization, 1987), the same language in which general reasons are given: any set of states is a literal, so sets
    of numbers may have gaps (an interval being a special case), "missing" is a state like others, and the general
    sufficient reasons of a row are prime implicants of the general reason, not of the class. Equal functions over the
    same features have equal primes; states that no tree tells apart go together.

    Implicit: the class as an ordered diagram, its primes as a zero-suppressed one (see ``primes_kernel``). Linear in
    practice for the paper's trees, with 3 * 2^r - 2 primes; exponential at worst, both in features and in the
    different outcomes of one feature.

    Parameters
    ----------
    model : whatever ``read_model`` takes, trees and ensembles.
    cls : a class label; of a regression model True or False, the prediction is within ``band`` or not.
    band : the closed interval (low, high) of predictions, for a regression model.
    missing : names of features that may be missing beside those that say so.
    time_limit, node_limit, memory_limit : seconds in all; states, functions or sets of terms visited in each step;
        bytes of each step.

    Raises InvalidInputError for a label that is no class, BudgetExceeded, and what ``read_model`` raises.
    """
    budget = Budget(time_limit, node_limit, memory_limit)
    formulas = compile_ensemble(
        read_model(model), band=band, missing=missing,
        time_limit=time_limit, node_limit=node_limit, memory_limit=memory_limit,
    )  # fmt: skip
    return primes_of(formulas[cls], budget)


def primes_of(diagram: Diagram, budget: Budget) -> Primes:
    """The prime implicants of an ordered diagram. Raises BudgetExceeded; the diagram stays as it was."""
    diagram = over_needed_cuts(diagram)
    graph = diagram.graph
    order = graph.order
    assert order is not None
    level_of = np.zeros(len(graph.n_states), np.int32)
    level_of[list(order)] = np.arange(len(order), dtype=np.int32)
    nodes = Ordered([graph.n_states[f] for f in order], 2, budget)
    root = int(nodes.add(graph, np.arange(2), level_of)[graph.root])
    sets = PrimeSets(nodes, budget)
    try:
        primes = sets.run(root)
    except BudgetExceeded as stop:
        stop.bounds |= {"functions": nodes.n_nodes, "sets of terms": sets.n_sets}
        raise
    level, edge_at, label, child, top = sets.arrays(primes)
    labels = {int(number): sets.states(number) for number in np.unique(label) if number}
    return Primes(diagram, level, edge_at, label, child, top, labels)


class Primes:
    """A set of prime implicants. Iterating gives each as a ``Term``, the ones of fewest features first, lazily.

    ``len`` is for counts below 2^63; ``count`` for all.

    Attributes
    ----------
    diagram : the class.
    cells : the states of each feature, in column order, made by the cuts that the class depends on.
    n_nodes : the size of the diagram that holds the set.
    """

    def __init__(
        self,
        diagram: Diagram,
        level: NDArray[np.int32],
        edge_at: NDArray[np.int64],
        label: NDArray[np.int32],
        child: NDArray[np.int32],
        root: int,
        labels: Mapping[int, int],
    ) -> None:
        """``level`` .. ``root``: a zero-suppressed diagram as of ``PrimeSets.arrays``, its levels being those of
        ``diagram``; ``labels``: the states of each label, as the bits of a number."""
        self.diagram, self.cells = diagram, diagram.cells
        self._order, self._root, self._labels = diagram.graph.order or (), root, dict(labels)
        self._level, self._edge_at, self._label, self._child = level, edge_at, label, child

    @property
    def n_nodes(self) -> int:
        return len(self._level)

    @cached_property
    def count(self) -> int:
        """How many there are: exact. O(edges) additions."""
        at, child = self._edge_at.tolist(), self._child.tolist()
        counts = [0, 1]
        for n in range(2, len(self._level)):
            counts.append(sum([counts[c] for c in child[at[n] : at[n + 1]]]))
        return counts[self._root]

    def __len__(self) -> int:
        return self.count

    def __bool__(self) -> bool:
        return self._root != 0

    def __iter__(self) -> Iterator[Term]:
        edges = list(zip(self._label.tolist(), self._child.tolist(), strict=True))
        at = self._edge_at.tolist()
        level = self._level.tolist()
        for path in terms_by_size([edges[a:b] for a, b in pairwise(at)], self._root):
            yield self._term({self._order[level[n]]: label for n, label in path})

    def _term(self, labels: Mapping[int, int]) -> Term:
        return Term({self.cells[f].name: self._set(f, labels[f]) for f in sorted(labels)})

    def _set(self, feature: int, label: int) -> StateSet:
        states = self._labels[label]
        cells = self.cells[feature]
        return StateSet(cells, tuple(s for s in range(cells.n_states) if states >> s & 1))

    def smallest(self) -> Term | None:
        """One of fewest features, the first of the iteration; ``None`` if the class is never decided for."""
        return next(iter(self), None)

    def __contains__(self, term: object) -> bool:
        """Whether a term is one of them: a ``Term`` of any model of these features, or a mapping from feature name to
        a value, a set of values or an interval.

        O(features and edges on one path). Raises InvalidInputError, naming the feature, for what is none of this model.
        """
        if not isinstance(term, Mapping):
            return False
        wanted = self._read(term)
        if wanted is None:
            return False
        n = self._root
        while n > 1:
            n = self._step(n, wanted.pop(self._order[self._level[n]], 0))
        return n == 1 and not wanted

    def _read(self, term: Mapping[str, Any]) -> dict[int, int] | None:
        """Feature -> its states as bits, without full sets; ``None`` if a set is none of these states."""
        plain = {name: entry for name, entry in term.items() if not isinstance(entry, StateSet)}
        found = {f: sum(1 << s for s in states) for f, states in read_box(plain, self.cells).items()}
        position = {c.name: f for f, c in enumerate(self.cells)}
        for name, entry in term.items():
            if name not in position:
                raise InvalidInputError(f"there is no feature {name!r}; accepted: {', '.join(position)}")
            if isinstance(entry, StateSet):
                states = read_set(entry, self.cells[position[name]])
                if not states:
                    return None
                found[position[name]] = states
        return {f: states for f, states in found.items() if states != (1 << self.cells[f].n_states) - 1}

    def _step(self, n: int, states: int) -> int:
        """The node behind the edge of these states, 0 without one."""
        for edge in range(int(self._edge_at[n]), int(self._edge_at[n + 1])):
            if self._labels.get(int(self._label[edge]), 0) == states:
                return int(self._child[edge])
        return 0

    def __eq__(self, other: object) -> bool:
        """Whether both are the same set of terms: as fast as comparing the classes' diagrams.

        A function and its prime implicants determine each other (Theorem 6), given the features and their states.
        """
        if not isinstance(other, Primes):
            return NotImplemented
        return self.cells == other.cells and self.diagram == other.diagram

    def __hash__(self) -> int:
        return hash((self.cells, self.count))

    def __repr__(self) -> str:
        bits = self.count.bit_length()
        count = f"{self.count:,}" if bits <= 64 else f"about 2^{bits - 1}"
        return f"<Primes: {count}, in {self.n_nodes:,} nodes>"

    def minimum_dnf(
        self, *, time_limit: float | None = None, node_limit: int | None = 100_000, memory_limit: int | None = None
    ) -> MinimumDNF:
        """A disjunction of as few primes as possible that is true of exactly the class's rows: an exact minimum cover.

        All primes are listed, and rows grouped by the primes that hold there: ``node_limit`` bounds both. Exponential.
        A time limit that comes later leaves a cover that is not proven to be smallest, with the bound reached.

        Raises BudgetExceeded, which leaves the primes as they are.
        """
        budget = Budget(time_limit, node_limit, memory_limit)
        listed: list[Term] = []
        budget.check(self.count)
        for term in self:
            budget.check(len(listed))
            listed.append(term)
        return minimum_dnf(listed, self.cells, budget)
