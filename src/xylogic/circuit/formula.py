"""``Formula``: one node of a circuit, as a set of rows in the user's terms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from xylogic.budget import Budget
from xylogic.circuit.diagram import Diagram
from xylogic.circuit.formula_graph import ordered_graph
from xylogic.circuit.nnf_kernel import Circuit
from xylogic.circuit.rows import read_box, read_states
from xylogic.circuit.text import formula_dot, formula_text
from xylogic.circuit.walk_kernel import evaluate, literal_features, n_links, reachable, rebuild
from xylogic.domain.box import Box
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
        self._diagram: Diagram | None = None

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
        links: int = n_links(self.circuit, self.nodes)
        return links

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features that some literal is of, in column order."""
        return tuple(self.cells[f].name for f in literal_features(self.circuit, self.nodes).tolist())

    def evaluate(self, X: Any) -> NDArray[np.bool_]:
        """Whether each row of a table makes the formula true: bool (n,). O(n * nodes / 64 + n * literals)."""
        return evaluate(self.circuit, self.root, read_states(X, self.cells))

    def count(self) -> int:
        """How many cells (one state of each feature) are true: exact. Easy once :meth:`diagram` is made."""
        return self.diagram().count()

    @property
    def share(self) -> Fraction:
        """The share of all cells that are true: exact. Easy once :meth:`diagram` is made."""
        return self.diagram().share

    def probability(self, marginals: Mapping[str, ArrayLike] | None = None) -> float:
        """See ``Diagram.probability``. Easy once :meth:`diagram` is made."""
        return self.diagram().probability(marginals)

    def row(self) -> dict[str, Any] | None:
        """A row that makes the formula true, ``None`` if there is none. Easy once :meth:`diagram` is made."""
        return self.diagram().row()

    def boxes(self) -> Iterator[Box]:
        """Disjoint boxes that together hold all rows of the formula. Streamed once :meth:`diagram` is made."""
        return self.diagram().boxes()

    def diagram(self, budget: Budget | None = None) -> Diagram:
        """The formula as an ordered decision diagram, made once. At worst exponential in the features.

        ``budget`` bounds it; by default the circuit's own limits do, anew. Raises BudgetExceeded.
        """
        if self._diagram is None:
            graph = ordered_graph(self.circuit, self.nodes.tolist(), budget or self._limits())
            self._diagram = Diagram(graph, self.cells)
        return self._diagram

    def _limits(self) -> Budget:
        """The limits of the circuit's budget, its time starting now."""
        budget = self.circuit.budget
        return Budget(budget.time_limit, budget.node_limit, budget.memory_limit)

    def __eq__(self, other: object) -> bool:
        """Whether both are the same function. Easy where both are one node, or their diagrams are made."""
        if isinstance(other, Diagram):
            return self.diagram() == other
        if not isinstance(other, Formula):
            return NotImplemented
        self._check_alike(other)
        if self.circuit is other.circuit and self.root == other.root:
            return True
        return self.diagram() == other.diagram()

    def __hash__(self) -> int:
        return hash(tuple(c.name for c in self.cells))

    def __invert__(self) -> Formula:
        return self._rebuilt(True)

    def __and__(self, other: Formula) -> Formula:
        return self._joined(other, self.circuit.conjunction)

    def __or__(self, other: Formula) -> Formula:
        return self._joined(other, self.circuit.disjunction)

    def _joined(self, other: Any, join: Any) -> Formula:
        if not isinstance(other, Formula):
            return NotImplemented
        self._check_alike(other)
        self.circuit.limit(self._limits())
        node = other.root
        if other.circuit is not self.circuit:
            node = rebuild(self.circuit, other.circuit, other.root, False)
        return Formula(self.circuit, join([self.root, node]), self.cells)

    def _check_alike(self, other: Formula) -> None:
        if other.cells != self.cells:
            raise InvalidInputError("the formulas are over different features or states: one model's are accepted")

    def restrict(self, box: Mapping[str, Any]) -> Formula:
        """The formula's rows inside a box (name -> value, set of values or interval). A feature of a single value
        vanishes: the answer is about the other features. O(edges)."""
        inside = read_box(box, self.cells)
        found = self._rebuilt(False, inside)
        sides = [
            self.circuit.literal_of(f, sum(1 << s for s in states))
            for f, states in inside.items()
            if 1 < len(states) < self.cells[f].n_states
        ]
        return Formula(self.circuit, self.circuit.conjunction([found.root, *sides]), self.cells) if sides else found

    def _rebuilt(self, negate: bool, inside: Mapping[int, Sequence[int]] | None = None) -> Formula:
        self.circuit.limit(self._limits())
        return Formula(self.circuit, rebuild(self.circuit, self.circuit, self.root, negate, inside), self.cells)

    def __str__(self) -> str:
        return formula_text(self.circuit, self.nodes.tolist(), self.cells)

    def __repr__(self) -> str:
        return f"<Formula: {self.n_nodes} nodes over {len(self.features)} features>"

    def to_dot(self) -> str:
        """The formula as a graph in the DOT language. O(edges)."""
        return formula_dot(self.circuit, self.nodes.tolist(), self.cells)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: what :meth:`save` writes."""
        from xylogic.circuit.formula_file import to_dict

        return to_dict(self)

    def __reduce__(self) -> Any:
        from xylogic.circuit.formula_file import from_dict

        return from_dict, (self.to_dict(),)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the formula to ``path``, ``.json`` or ``.json.gz``; :meth:`load` reads it back, node for node."""
        from xylogic.circuit.formula_file import save

        save(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Formula:
        """Read what :meth:`save` wrote. Raises InvalidInputError for any other content, OSError as ``open`` does."""
        from xylogic.circuit.formula_file import load

        return load(path)
