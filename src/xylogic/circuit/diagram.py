"""``Diagram``: a decision graph of two labels, as a set of rows in the user's terms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from xylogic.budget import Budget
from xylogic.circuit import combine, counting, paths
from xylogic.circuit.diagram_kernel import labels_of
from xylogic.circuit.graph import Graph
from xylogic.circuit.rows import read_box, read_states
from xylogic.domain.box import Box
from xylogic.domain.cells import Cells
from xylogic.errors import InvalidInputError

__all__ = ["Diagram", "distribution", "read_labels"]

FALSE, TRUE = 0, 1


class Diagram:
    """A decision diagram: true of some rows, false of the others.

    Parameters
    ----------
    graph : its decision graph, of the labels 0 (false) and 1 (true).
    cells : the states of every feature of the graph, in its order.
    """

    def __init__(self, graph: Graph, cells: Sequence[Cells]) -> None:
        if graph.n_labels != 2:
            raise InvalidInputError(f"the graph has {graph.n_labels} labels; a diagram has two, false and true")
        if graph.n_states != tuple(c.n_states for c in cells):
            raise InvalidInputError("the graph's features have other numbers of states than the cells")
        self.graph = graph
        self.cells = tuple(cells)

    @property
    def n_nodes(self) -> int:
        """Nodes, the two leaves included."""
        return self.graph.n_nodes

    @property
    def n_edges(self) -> int:
        return self.graph.n_edges

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features that some node tests, in column order."""
        tested = np.unique(self.graph.feature[self.graph.feature >= 0])
        return tuple(self.cells[f].name for f in tested.tolist())

    def __repr__(self) -> str:
        return f"<Diagram: {self.n_nodes} nodes, {self.n_edges} edges over {len(self.features)} features>"

    # ---------------------------------------------------------------- questions

    def evaluate(self, X: Any) -> NDArray[np.bool_]:
        """Whether each row of a table is one of the diagram's: bool (n,). O(n * features * log edges)."""
        return read_labels(self.graph, X, self.cells) == TRUE

    @cached_property
    def _count(self) -> int:
        return counting.count(self.graph, TRUE)

    def count(self) -> int:
        """How many cells (one state of each feature) are true: exact, linear in the edges."""
        return self._count

    @property
    def share(self) -> Fraction:
        """The share of all cells that are true: exact."""
        return Fraction(self._count, int(np.prod(np.array(self.graph.n_states, dtype=object))))

    def probability(self, marginals: Mapping[str, ArrayLike] | None = None) -> float:
        """The probability that a row is true if features are independent. O(states of all edges).

        ``marginals``: feature name -> probability of each of its states, in their order, float (n_states,);
        a feature left out has equal states. :meth:`marginals` counts them in a table.

        Raises InvalidInputError, naming the feature, for numbers that are no distribution.
        """
        given = dict(marginals or {})
        weights = [distribution(c, given.pop(c.name, None)) for c in self.cells]
        if given:
            raise InvalidInputError(
                f"there is no feature {next(iter(given))!r}; accepted: {', '.join(c.name for c in self.cells)}"
            )
        return counting.probability(self.graph, TRUE, weights)

    def marginals(self, X: Any) -> dict[str, NDArray[np.float64]]:
        """How often each state occurs in a table of at least one row, as :meth:`probability` takes it."""
        states = read_states(X, self.cells)
        if not len(states):
            raise InvalidInputError("the table has no rows; at least one is accepted")
        return {c.name: np.bincount(states[:, f], minlength=c.n_states) / len(states) for f, c in enumerate(self.cells)}

    def row(self) -> dict[str, Any] | None:
        """A row of the diagram, as Python scalars by name; ``None`` if it has none. O(edges)."""
        return paths.a_row(self.graph, TRUE, self.cells)

    def boxes(self) -> Iterator[Box]:
        """Disjoint boxes that together hold the diagram's rows, streamed: one for each path to *true*."""
        return paths.boxes(self.graph, TRUE, self.cells)

    # ---------------------------------------------------------------- diagrams from diagrams

    def __invert__(self) -> Diagram:
        graph = self.graph
        child = graph.child.copy()
        leaves = child < 2
        child[leaves] = 1 - child[leaves]
        root = 1 - graph.root if graph.root < 2 else graph.root
        turned = Graph(
            graph.n_states, 2, graph.feature, graph.edge_at, graph.lo, graph.hi, child, root, graph.order
        )  # fmt: skip
        return Diagram(turned, self.cells)

    def __and__(self, other: Diagram) -> Diagram:
        return self.joined("and", [other]) if isinstance(other, Diagram) else NotImplemented

    def __or__(self, other: Diagram) -> Diagram:
        return self.joined("or", [other]) if isinstance(other, Diagram) else NotImplemented

    def joined(self, operation: str, others: Sequence[Diagram], budget: Budget | None = None) -> Diagram:
        """The conjunction ("and") or disjunction ("or") with other diagrams of the same features and states.

        Raises BudgetExceeded, and InvalidInputError for diagrams of other features or states.
        """
        for other in others:
            self._check_alike(other)
        graphs = [self.graph, *(other.graph for other in others)]
        return Diagram(combine.combined(operation, graphs, budget or Budget()), self.cells)

    def restrict(self, box: Mapping[str, Any]) -> Diagram:
        """The diagram's rows inside a box (name -> value, set of values or interval), linear for an ordered one.

        A feature of a single value is tested no longer: the answer is about the other features.
        """
        inside = read_box(box, self.cells)
        return Diagram(combine.restricted(self.graph, inside, Budget()), self.cells)

    def __eq__(self, other: object) -> bool:
        """Whether both are the same function. Linear for two diagrams of the same order of features."""
        if not isinstance(other, Diagram):
            return NotImplemented
        self._check_alike(other)
        return combine.same(self.graph, other.graph, Budget())

    def __hash__(self) -> int:
        return hash((tuple(c.name for c in self.cells), self._count))

    def _check_alike(self, other: Diagram) -> None:
        for mine, its in zip(self.cells, other.cells, strict=False):
            if _identity(mine) != _identity(its):
                raise InvalidInputError(
                    f"feature {mine.name!r} has other states in the other diagram: one model's are accepted"
                )
        if len(self.cells) != len(other.cells):
            raise InvalidInputError(f"the diagrams have {len(self.cells)} and {len(other.cells)} features")

    # ---------------------------------------------------------------- the world outside

    def to_dot(self) -> str:
        """The diagram in the DOT language. O(edges)."""
        from xylogic.circuit.diagram_file import graph_dot

        return graph_dot(self.graph, self.cells, ("false", "true"))

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: what :meth:`save` writes."""
        from xylogic.circuit.diagram_file import to_dict

        return to_dict(self)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the diagram to ``path``, ``.json`` or ``.json.gz``; :meth:`load` reads it back equal."""
        from xylogic.circuit.diagram_file import save

        save(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Diagram:
        """Read what :meth:`save` wrote. Raises InvalidInputError for any other content, OSError as ``open`` does."""
        from xylogic.circuit.diagram_file import load

        return load(path)


def read_labels(graph: Graph, X: Any, cells: Sequence[Cells]) -> NDArray[np.int32]:
    """The label of each row of a table: int32 (n,)."""
    states = read_states(X, cells)
    labels = np.empty(len(states), np.int32)
    labels_of(graph.feature, graph.edge_at, graph.hi, graph.child, graph.root, states, labels)
    return labels


def _identity(cells: Cells) -> tuple[Any, ...]:
    feature = cells.feature
    return feature.name, feature.kind, feature.categories, cells.cuts, cells.cast, cells.missing


def distribution(cells: Cells, given: ArrayLike | None) -> NDArray[np.float64]:
    """The probability of each state, checked; ``None``: all alike."""
    if given is None:
        return np.full(cells.n_states, 1.0 / cells.n_states)
    try:
        weight = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        weight = np.zeros(0)
    if weight.shape != (cells.n_states,) or not (weight >= 0).all() or not abs(weight.sum() - 1.0) <= 1e-9:
        raise InvalidInputError(
            f"feature {cells.name!r}: {given!r} is no distribution; "
            f"{cells.n_states} probabilities of sum 1 are accepted"
        )
    return weight
