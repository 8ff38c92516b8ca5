"""What questions are answered with: reasons, flips, and how far each answer is proven."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import EXACT, PARTIAL, Status
from xylogic.domain.box import Box
from xylogic.errors import InvalidInputError

__all__ = ["EXACT", "PARTIAL", "Flips", "Reasons", "Status", "by_size"]


class Reasons(Sequence[Box]):
    """Reasons sorted by size, then by column order; each becomes a ``Term`` or ``Clause`` when it is looked at.

    ``status`` is ``"exact"`` if these are all, else ``"partial"``.
    """

    def __init__(self, sets: Any, make: Callable[[Any], Box], status: str) -> None:
        self._unsorted = sets
        self._make = make
        self._made: dict[int, Box] = {}
        self.status = status

    @cached_property
    def _sets(self) -> Any:
        return by_size(self._unsorted)

    def __len__(self) -> int:
        return len(self._unsorted)

    @overload
    def __getitem__(self, index: int) -> Box: ...
    @overload
    def __getitem__(self, index: slice) -> list[Box]: ...
    def __getitem__(self, index: int | slice) -> Box | list[Box]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        position = range(len(self))[index]
        if position not in self._made:
            self._made[position] = self._make(self._sets[position])
        return self._made[position]

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} reasons, {self.status}>"

    def __str__(self) -> str:
        """A line for each reason."""
        return "\n".join(map(str, self))

    def __getstate__(self) -> dict[str, Any]:
        # With every reason made: what makes them stays behind.
        return {"_sets": self._sets, "_unsorted": self._sets, "_made": dict(enumerate(self)), "status": self.status}

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of features of each reason, ascending; no reason is made for it."""
        return np.bitwise_count(self._sets).sum(axis=1, dtype=np.int64)


def by_size(sets: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Bit sets (n, width) sorted by size, then as ascending lists of members."""
    if len(sets) < 2:
        return sets
    size = np.bitwise_count(sets).sum(axis=1)
    member = np.unpackbits(np.ascontiguousarray(sets).view(np.uint8), axis=1, bitorder="little")
    # Read as one number with feature 0 in front, the larger set of two equally large ones comes first.
    keys = ~np.packbits(member, axis=1).view(">u8").astype(np.uint64)
    return sets[np.lexsort((*keys.T[::-1], size))]


class Flips(Sequence[Box]):
    """All shortest flips as disjoint boxes; each lists the changed features' cells, all others stay as they are.

    ``status`` is ``"exact"`` if these are all, else ``"partial"``; ``n_flips`` counts the cells.
    """

    def __init__(self, boxes: Sequence[Box], rows: Callable[[Box], Iterator[dict[str, Any]]], status: str) -> None:
        self._boxes = list(boxes)
        self._rows = rows
        self.status = status

    def __len__(self) -> int:
        return len(self._boxes)

    @overload
    def __getitem__(self, index: int) -> Box: ...
    @overload
    def __getitem__(self, index: slice) -> list[Box]: ...
    def __getitem__(self, index: int | slice) -> Box | list[Box]:
        return self._boxes[index]

    def __getstate__(self) -> dict[str, Any]:
        return {"_boxes": self._boxes, "_rows": _no_rows, "status": self.status}

    def __repr__(self) -> str:
        return f"<{self.n_flips} shortest flips in {len(self)} boxes, {self.status}>"

    @property
    def n_flips(self) -> int:
        total = 0
        for box in self._boxes:
            cells = 1
            for allowed in box.values():
                cells *= len(allowed.states)
            total += cells
        return total

    def rows(self, n: int) -> list[dict[str, Any]]:
        """Up to ``n`` concrete rows, one a cell, box after box; each was predicted again by the model."""
        found: list[dict[str, Any]] = []
        for box in self._boxes:
            for row in self._rows(box):
                if len(found) >= n:
                    return found
                found.append(row)
        return found


def _no_rows(box: Box) -> Iterator[dict[str, Any]]:
    raise InvalidInputError("rows() needs the explanation that the flips came from; ask before they are pickled")
