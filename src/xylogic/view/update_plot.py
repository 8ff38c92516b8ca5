"""The trajectory of trees of rising strength of compatibility, away from plain CART."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from xylogic.checks import check_choice
from xylogic.errors import InvalidInputError
from xylogic.view.canvas import axes_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_update_path"]

_NAMES = {
    "bcp": "right before and still right",
    "jac": "mean dissimilarity (JAC)",
    "jlu": "mean dissimilarity (JLU)",
    "mae": "mean dissimilarity (MAE)",
    "mse": "mean dissimilarity (MSE)",
}


_DOTTED: dict[str, Any] = {"linestyle": ":", "linewidth": 0.8}


def plot_update_path(
    path: Any, ax: Axes | None = None, *, measure: str | None = None, label: str | None = None
) -> Axes:
    """Draw the loss of the trees of an ``UpdatePath`` against how far they keep to the old tree.

    The star is plain CART, from which the line runs as the strength grows; strengths stand beside the points. Dotted
    lines are the loss of the old tree, and loss and measure of CART. Several paths and measures may be drawn on the
    same axes, which are then called after all of them.

    Parameters
    ----------
    path : what ``update_path`` returns.
    ax : axes to draw on; without them those of a new figure, see ``plot_tree``.
    measure : ``"bcp"``, ``"jac"``, ``"jlu"``, ``"mae"`` or ``"mse"``; ``None``, what the trees were grown by.
    label : the line's name in the legend; ``None``, what the trees were grown by, and the measure if it is another.

    Returns
    -------
    The axes.

    Raises
    ------
    MissingLibraryError without matplotlib; InvalidInputError for another object, measure or axes.
    """
    if not all(hasattr(path, part) for part in ("strengths", "loss", "dissimilarity", "old_loss", "loss_name")):
        raise InvalidInputError(f"path is {repr(path)[:80]}; what update_path returns is accepted")
    measure = path.dissimilarity if measure is None else measure
    check_choice("measure", measure, _NAMES)
    across, up = np.asarray(getattr(path, measure)), np.asarray(path.loss)
    ax = axes_of(ax)
    first = not ax.lines
    # Axes that show several measures name them all, and each line its own.
    labels = _joined(ax.get_xlabel(), _NAMES[measure]), _joined(ax.get_ylabel(), path.loss_name)
    new_measure = ax.get_xlabel() != labels[0]
    own = path.dissimilarity.upper() + ("" if measure == path.dissimilarity else f", by {measure.upper()}")
    (line,) = ax.plot(across, up, "-o", markersize=4, label=own if label is None else label)
    ax.plot(across[:1], up[:1], "*", markersize=12, color=line.get_color(), zorder=3)
    for strength, x, y in zip(path.strengths[1:], across[1:], up[1:], strict=True):
        if np.isfinite(x):
            ax.annotate(f"{strength:g}", (x, y), xytext=(3, 3), textcoords="offset points", fontsize=7, color="0.3")
    if first:
        ax.axhline(path.old_loss, color="0.6", label="old tree", **_DOTTED)
        ax.axhline(up[0], color="0.3", label="CART", **_DOTTED)
    if new_measure and np.isfinite(across[0]):
        ax.axvline(across[0], color="0.3" if first else line.get_color(), **_DOTTED)
    ax.set(xlabel=labels[0], ylabel=labels[1])
    ax.legend()
    return ax


def _joined(known: str, name: str) -> str:
    """What an axis is called that shows this too."""
    names = known.split("\n") if known else []
    return "\n".join(names if name in names else [*names, name])
