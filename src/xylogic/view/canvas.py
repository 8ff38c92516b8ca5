"""What all pictures share: matplotlib on first use, axes to draw on, colours of classes and of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from xylogic.errors import InvalidInputError, MissingLibraryError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize

__all__ = ["axes_of", "class_colours", "number_colours", "tinted"]

# Okabe and Ito's palette, told apart by all kinds of colour vision; further classes repeat it darker.
_PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#666666")


def axes_of(ax: Axes | None, width: float = 6.0, height: float = 4.5) -> Axes:
    """The given axes, or those of a new figure (inches) that belongs to nobody: ``pyplot`` does not know of it.

    Raises MissingLibraryError where matplotlib is not installed, and InvalidInputError for what is no axes.
    """
    try:
        from matplotlib.axes import Axes
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingLibraryError("pictures need matplotlib; install it with pip install 'xylogic[plot]'") from error
    if ax is not None and not isinstance(ax, Axes):
        raise InvalidInputError(f"ax is {repr(ax)[:80]}; one Axes of matplotlib's, or None, is accepted")
    if ax is not None:
        return ax
    made: Axes = Figure(figsize=(width, height), layout="constrained").add_subplot()
    return made


def class_colours(n_classes: int) -> NDArray[np.float64]:
    """One colour a class: red, green and blue from 0 to 1, float64 (n_classes, 3)."""
    from matplotlib.colors import to_rgb

    rounds = [0.65 ** (k // len(_PALETTE)) for k in range(n_classes)]
    return np.array([to_rgb(_PALETTE[k % len(_PALETTE)]) for k in range(n_classes)]) * np.array(rounds)[:, None]


def number_colours(numbers: Any) -> tuple[Any, Normalize]:
    """A colour map and the norm that spreads the numbers over it."""
    from matplotlib import colormaps
    from matplotlib.colors import Normalize

    low, high = float(np.min(numbers)), float(np.max(numbers))
    return colormaps["viridis"], Normalize(low, high if high > low else low + 1.0)


def tinted(colour: Any, strength: float) -> NDArray[np.float64]:
    """A colour mixed with white: all of it at strength 1."""
    return 1.0 - strength * (1.0 - np.asarray(colour, dtype=np.float64)[..., :3])
