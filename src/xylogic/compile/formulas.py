"""``ClassFormulas``: what ``compile_model`` answers, a formula for each class."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from xylogic.circuit.diagram import read_labels
from xylogic.circuit.formula import Formula
from xylogic.circuit.graph import Graph
from xylogic.circuit.walk_kernel import reachable
from xylogic.domain.cells import Cells
from xylogic.domain.labels import label_position
from xylogic.errors import InvalidInputError
from xylogic.model.ensemble import Ensemble, label_array

__all__ = ["ClassFormulas"]


class ClassFormulas(Mapping[Hashable, Any]):
    """A mapping from class label to its formula: a ``Diagram``, a ``Conjunction`` of diagrams, or a ``Formula``.

    A regression model's labels are True, the prediction is within the band, and False.

    Attributes
    ----------
    model, cells : what was compiled, over which states.
    method, form, ties : how.
    joint : the graph of the predicted class, label c standing for the c-th class, where there is one (form "joint",
        ties "model", method "product"); else ``None``.
    """

    def __init__(
        self,
        model: Ensemble,
        cells: Sequence[Cells],
        labels: Sequence[Hashable],
        made: Callable[[int], Any],
        *,
        method: str,
        form: str,
        ties: str,
        joint: Graph | None = None,
    ) -> None:
        self.model, self.cells = model, tuple(cells)
        self.method, self.form, self.ties, self.joint = method, form, ties, joint
        self._labels = tuple(labels)
        self._made = made
        self._formulas: dict[int, Any] = {}

    def __getitem__(self, label: Hashable) -> Any:
        """Raises InvalidInputError (a ValueError and, here, a KeyError as well) for a label that is no class."""
        position = label_position(label, self._labels)
        if position is None:
            raise UnknownClassError(f"there is no class {label!r}; accepted: {', '.join(map(repr, self._labels))}")
        if position not in self._formulas:
            self._formulas[position] = self._made(position)
        return self._formulas[position]

    def __getstate__(self) -> dict[str, Any]:
        # With every formula made: what makes them stays behind.
        return {**self.__dict__, "_formulas": {p: self[label] for p, label in enumerate(self._labels)}, "_made": None}

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._labels)

    def __len__(self) -> int:
        return len(self._labels)

    def __repr__(self) -> str:
        return f"<ClassFormulas: {self.method}, {self.form}, ties {self.ties!r}, {len(self)} classes>"

    @property
    def n_nodes(self) -> int:
        """Nodes of the joint graph, of the circuit that the classes share, or of all classes' diagrams."""
        if self.joint is not None:
            return self.joint.n_nodes
        formulas = [self[label] for label in self]
        if formulas and isinstance(formulas[0], Formula):
            return len(reachable(formulas[0].circuit, [formula.root for formula in formulas]))
        return sum(formula.n_nodes for formula in formulas)

    @property
    def n_edges(self) -> int:
        """Edges of the joint graph, or of all classes' formulas."""
        return self.joint.n_edges if self.joint is not None else sum(self[label].n_edges for label in self)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row, read off the joint graph: (n,). Raises InvalidInputError where there is none."""
        if self.joint is None:
            raise InvalidInputError("only a joint form that follows the model's tie rule predicts one class")
        return label_array(self._labels)[read_labels(self.joint, X, self.cells)]


class UnknownClassError(InvalidInputError, KeyError):
    """A label that is no class of the model."""

    def __str__(self) -> str:
        return str(self.args[0])
