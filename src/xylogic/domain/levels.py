"""The levels of categorical features: which cell of a table is which of them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.feature import Feature
from xylogic.domain.sheet import some
from xylogic.errors import InvalidInputError

__all__ = ["Levels", "is_missing", "read_levels", "refusal"]


class Levels:
    """The code of each cell of one categorical feature.

    A listed level is its position in ``feature.categories``. Without ``feature.other`` every other cell is refused.
    With it, every other cell is that level, if it could have been one: of text levels another text, of levels that
    are all whole numbers another whole number from 0 up. There -1, a data frame's code for it, is missing.
    """

    def __init__(self, feature: Feature) -> None:
        self.feature = feature
        self._codes = {level: float(code) for code, level in enumerate(feature.categories)}
        listed = [level for level in feature.categories if level != feature.other]
        self._text = bool(listed) and all(isinstance(level, str) for level in listed)
        self.whole = bool(listed) and all(isinstance(level, int) for level in listed)

    def code(self, cell: Any) -> float | None:
        """The code of a cell; NaN where it is missing, ``None`` where it is no level."""
        if is_missing(cell):
            return np.nan
        try:
            return self._codes[cell]
        except (KeyError, TypeError):
            return self._unlisted(cell)

    def listed(self, cells: Sequence[Any]) -> list[float | None]:
        """The codes of the cells that are listed levels, ``None`` for all others."""
        try:
            return list(map(self._codes.get, cells))
        except TypeError:  # some cell is not hashable
            return [None] * len(cells)

    def _unlisted(self, cell: Any) -> float | None:
        if self.feature.other is None or not isinstance(cell, Hashable):
            return None
        given: Any = cell
        if self.whole:
            if not isinstance(given, Real) or given != given // 1 or given < -1:
                return None
            if given == -1:
                return np.nan
        elif self._text and not isinstance(cell, str):
            return None
        return self._codes[self.feature.other]

    @property
    def accepted(self) -> str:
        """The cells that have a code, in words."""
        if self.feature.other is None:
            return f"a known category; accepted: {some(map(repr, self.feature.categories))}, or None for missing"
        if self.whole:
            return "a category; a whole number from 0 up, or -1 or None for missing, is accepted"
        return f"a category; {'text' if self._text else 'a hashable scalar'}, or None for missing, is accepted"

    def unlisted(self) -> Any:
        """A cell that no level lists and that ``feature.other`` stands for; ``None`` without it."""
        if self.feature.other is None:
            return None
        if self.whole:
            return max(level for level in self.feature.categories if isinstance(level, int)) + 1
        return "".join(map(str, self.feature.categories)) + "?"


def read_levels(cells: Any, feature: Feature) -> NDArray[np.float64]:
    """One column as codes, float64 (n,), NaN where missing. O(n), O(n log levels) for an array of numbers.

    Raises InvalidInputError, naming column and row, for what is no level.
    """
    levels = Levels(feature)
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "fiub" and levels.whole:
        return _read_whole(cells, levels)
    given = cells.tolist() if isinstance(cells, np.ndarray) else cells
    codes = levels.listed(given)
    for row, code in enumerate(codes):
        if code is None:
            codes[row] = levels.code(given[row])
            if codes[row] is None:
                raise refusal(feature, row, given[row], levels.accepted)
    return np.array(codes, dtype=np.float64)


def _read_whole(cells: NDArray[Any], levels: Levels) -> NDArray[np.float64]:
    """``read_levels`` where cells and levels are numbers: each distinct number is looked up once."""
    distinct, first, place = np.unique(cells, return_index=True, return_inverse=True)
    codes = np.empty(len(distinct), dtype=np.float64)
    for position in np.argsort(first):
        code = levels.code(distinct[position].item())
        if code is None:
            row = int(first[position])
            raise refusal(levels.feature, row, cells[row], levels.accepted)
        codes[position] = code
    return codes[place]


def is_missing(cell: Any) -> bool:
    """Whether a cell is ``None``, NaN, masked or a data frame's NA."""
    if cell is None or cell is np.ma.masked or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, float | np.floating | Decimal) and cell != cell


def refusal(feature: Feature, row: int, cell: Any, wanted: str) -> InvalidInputError:
    """The error for a cell that a column does not take."""
    shown = repr(cell.item() if isinstance(cell, np.generic) else cell)
    return InvalidInputError(f"column {feature.name!r}, row {row}: {shown[:80]} is not {wanted}")
