"""``Formula``: one node of a circuit, as a set of rows in the user's terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.circuit.nnf_kernel import Circuit
from xylogic.circuit.rows import read_box, read_states
from xylogic.circuit.text import formula_dot, formula_text
from xylogic.circuit.walk_kernel import evaluate, reachable, rebuild
from xylogic.domain.cells import Cells
from xylogic.errors import InvalidInputError

__all__ = ["Formula"]


class Formula:
    """A formula in negation normal form over the states of some features: conjunctions and disjunctions of
    literals, a literal being a set of states. True of some rows.

    Parameters
    ----------
    circuit : the manager that holds the nodes.
    root : the formula's node.
    cells : the states of every feature of the circuit, in its order.
    """

    def __init__(self, circuit: Circuit, root: int, cells: Sequence[Cells]) -> None:
        self.circuit = circuit
        self.root = int(root)
        self.cells = tuple(cells)
        if circuit.n_states != tuple(c.n_states for c in self.cells):
            raise InvalidInputError("the circuit's features have other numbers of states than the cells")

    @cached_property
    def nodes(self) -> NDArray[np.int32]:
        """The circuit's nodes that the formula consists of, ascending."""
        return reachable(self.circuit, [self.root])

    @property
    def n_nodes(self) -> int:
        """Distinct nodes: gates, literals and constants."""
        return len(self.nodes)

    @property
    def n_edges(self) -> int:
        """Links from gates to their children."""
        return sum(len(self.circuit.children(n)) for n in self.nodes.tolist())

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features that some literal is of, in column order."""
        found = {self.circuit.feature(n) for n in self.nodes.tolist()} - {-1}
        return tuple(self.cells[f].name for f in sorted(found))

    def evaluate(self, X: Any) -> NDArray[np.bool_]:
        """Whether each row of a table makes the formula true: bool (n,). O(n * nodes / 64 + n * literals)."""
        return evaluate(self.circuit, self.root, read_states(X, self.cells))

    def __invert__(self) -> Formula:
        return Formula(self.circuit, rebuild(self.circuit, self.circuit, self.root, True), self.cells)

    def __and__(self, other: Formula) -> Formula:
        return self._joined(other, self.circuit.conjunction)

    def __or__(self, other: Formula) -> Formula:
        return self._joined(other, self.circuit.disjunction)

    def _joined(self, other: Any, join: Any) -> Formula:
        if not isinstance(other, Formula):
            return NotImplemented
        return Formula(self.circuit, join([self.root, self._own(other)]), self.cells)

    def _own(self, other: Formula) -> int:
        """The node of ``other`` in this formula's circuit, copied into it where need be."""
        if other.cells != self.cells:
            raise InvalidInputError("the formulas are over different features or states: one model's are accepted")
        if other.circuit is self.circuit:
            return other.root
        return rebuild(self.circuit, other.circuit, other.root, False)

    def restrict(self, box: Mapping[str, Any]) -> Formula:
        """The formula for rows inside a box (name -> value, set of values or interval); literals that the box decides
        vanish, and with single values so do the features. O(edges)."""
        root = rebuild(self.circuit, self.circuit, self.root, False, read_box(box, self.cells))
        return Formula(self.circuit, root, self.cells)

    def __str__(self) -> str:
        return formula_text(self.circuit, self.nodes.tolist(), self.cells)

    def __repr__(self) -> str:
        return f"<Formula: {self.n_nodes} nodes over {len(self.features)} features>"

    def to_dot(self) -> str:
        """The formula as a graph in the DOT language. O(edges)."""
        return formula_dot(self.circuit, self.nodes.tolist(), self.cells)
