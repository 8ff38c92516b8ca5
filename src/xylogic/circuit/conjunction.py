"""``Conjunction``: rows that several diagrams have in common, without joining them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from xylogic.budget import Budget
from xylogic.circuit.diagram import Diagram
from xylogic.domain.box import Box

__all__ = ["Conjunction"]


class Conjunction:
    """Diagrams of the same cells, ``parts``, that are all to hold: Algorithm 3B's form of a class formula.

    Reasons are read off the parts as they stand. Counting and comparing join them first (:meth:`joined`).
    """

    def __init__(self, parts: Sequence[Diagram]) -> None:
        self.parts = tuple(parts)
        self.cells = self.parts[0].cells
        self._joined: Diagram | None = None

    def __repr__(self) -> str:
        return f"<Conjunction of {len(self.parts)} diagrams: {self.n_nodes} nodes, {self.n_edges} edges>"

    @property
    def n_nodes(self) -> int:
        """Nodes of all parts."""
        return sum(part.n_nodes for part in self.parts)

    @property
    def n_edges(self) -> int:
        return sum(part.n_edges for part in self.parts)

    def evaluate(self, X: Any) -> NDArray[np.bool_]:
        """Whether each row of a table is in all parts: bool (n,)."""
        return np.logical_and.reduce([part.evaluate(X) for part in self.parts])

    def joined(self, budget: Budget | None = None) -> Diagram:
        """One diagram of the same rows; kept. At most the product of the parts' sizes. Raises BudgetExceeded."""
        if self._joined is None:
            self._joined = self.parts[0].joined("and", self.parts[1:], budget)
        return self._joined

    def count(self) -> int:
        """See :meth:`Diagram.count`."""
        return self.joined().count()

    @property
    def share(self) -> Fraction:
        """See :attr:`Diagram.share`."""
        return self.joined().share

    def probability(self, marginals: Mapping[str, ArrayLike] | None = None) -> float:
        """See :meth:`Diagram.probability`."""
        return self.joined().probability(marginals)

    def row(self) -> dict[str, Any] | None:
        """See :meth:`Diagram.row`."""
        return self.joined().row()

    def boxes(self) -> Iterator[Box]:
        """See :meth:`Diagram.boxes`."""
        return self.joined().boxes()

    def __invert__(self) -> Diagram:
        """The negation, one diagram."""
        return ~self.joined()

    def __and__(self, other: Diagram | Conjunction) -> Conjunction:
        if not isinstance(other, Diagram | Conjunction):
            return NotImplemented
        return Conjunction([*self.parts, *(other.parts if isinstance(other, Conjunction) else [other])])

    __rand__ = __and__

    def __or__(self, other: Diagram | Conjunction) -> Diagram:
        if not isinstance(other, Diagram | Conjunction):
            return NotImplemented
        return self.joined() | (other.joined() if isinstance(other, Conjunction) else other)

    __ror__ = __or__

    def restrict(self, box: Mapping[str, Any]) -> Conjunction:
        """See :meth:`Diagram.restrict`."""
        return Conjunction([part.restrict(box) for part in self.parts])

    def __eq__(self, other: object) -> bool:
        """Whether both are the same function."""
        if not isinstance(other, Diagram | Conjunction):
            return NotImplemented
        return self.joined() == (other.joined() if isinstance(other, Conjunction) else other)

    def __hash__(self) -> int:
        return hash(self.joined())
