"""The plane as a model parts it, and the trees of a pruning path with their scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from xylogic.convert.read import read_model
from xylogic.domain.feature import Feature
from xylogic.errors import InvalidInputError
from xylogic.model import predict
from xylogic.model.ensemble import Ensemble
from xylogic.view.canvas import axes_of, class_colours, number_colours, tinted
from xylogic.view.text import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_partition", "plot_pruning"]

Floats = NDArray[np.float64]

_LABEL_WIDTH = 0.04  # of the axes


def plot_partition(
    model: Any,
    X: Any = None,
    y: Any = None,
    ax: Axes | None = None,
    *,
    features: Sequence[str | int] | None = None,
    at: Any = None,
    resolution: int = 1000,
) -> Axes:
    """Draw the regions that a model parts a plane of two features into, coloured by what it predicts there.

    The model is constant between its cuts, so the regions are exact; only where a feature has more than ``resolution``
    cuts are they drawn on that many even steps. Lines part the leaves of a single tree, and the classes of several.

    Parameters
    ----------
    model : whatever ``read_model`` takes.
    X, y : rows to draw as points, and their classes or targets; the plane spans them and the cuts. Points without a
        value in one of the two features are left out.
    ax : axes to draw on; without them those of a new figure, see ``plot_tree``.
    features : the two features, by name or position; may be left out where the model has no more.
    at : a row, the values of all other features.

    Returns
    -------
    The axes.

    Raises
    ------
    MissingLibraryError without matplotlib; InvalidInputError for features, rows and targets that do not fit the model.

    Notes
    -----
    O((c1 + 1) (c2 + 1)) predictions for c1 and c2 cuts.
    """
    read = read_model(model)
    first, second = _two_features(read, features)
    rows = None if X is None else read.encode(X)
    row = _fixed_row(read, at, {first, second})
    axes = [_edges(read, place, None if rows is None else rows[:, place], resolution) for place in (first, second)]
    grid = np.meshgrid(*(samples for _, samples in axes))
    values = np.repeat(row, grid[0].size, axis=0)
    values[:, first], values[:, second] = grid[0].ravel(), grid[1].ravel()
    scores = predict.scores(read, values)
    ax = axes_of(ax)
    edges = [ends for ends, _ in axes]
    shape = grid[0].shape
    if read.classes is None:
        colours, norm = number_colours(scores[:, 0])
        mesh = ax.pcolormesh(*edges, scores.reshape(shape), cmap=colours, norm=norm, alpha=0.6)
        ax.figure.colorbar(mesh, ax=ax)
        regions = scores[:, 0]
    else:
        regions = predict.decide(read, scores).astype(np.float64)
        tints = tinted(class_colours(len(read.classes)), 0.3)
        ax.pcolormesh(*edges, tints[regions.astype(np.intp)].reshape(*shape, 3))
    if read.n_trees == 1:
        regions = predict.apply(read, values)[:, 0].astype(np.float64)
    if read.n_trees == 1 or read.classes is not None:
        _draw_borders(ax, edges, regions.reshape(shape))
    for place, axis in ((first, ax.xaxis), (second, ax.yaxis)):
        feature = read.features[place]
        axis.set_label_text(printable(feature.name), parse_math=False)
        if feature.categories:
            axis.set_ticks(range(len(feature.categories)), [printable(level) for level in feature.categories])
    ax.set_xlim(edges[0][0], edges[0][-1])
    ax.set_ylim(edges[1][0], edges[1][-1])
    if rows is not None:
        _draw_points(ax, read, rows[:, [first, second]], y)
    return ax


def _two_features(model: Ensemble, features: Sequence[str | int] | None) -> tuple[int, int]:
    if features is None:
        if len(model.features) != 2:
            raise InvalidInputError(
                f"the model has {len(model.features)} features; name the two to draw: features=('a', 'b')"
            )
        return 0, 1
    places: list[int] = []
    for wanted in features:
        if isinstance(wanted, str) and wanted in model.feature_names:
            places.append(model.feature_names.index(wanted))
        elif isinstance(wanted, int | np.integer) and 0 <= wanted < len(model.features):
            places.append(int(wanted))
        else:
            raise InvalidInputError(f"feature {wanted!r} is none of the model's {len(model.features)}")
    if len(set(places)) != 2 or len(places) != 2:
        raise InvalidInputError(f"features are {list(features)!r}; two different ones are accepted")
    return places[0], places[1]


def _fixed_row(model: Ensemble, at: Any, drawn: set[int]) -> Floats:
    """One encoded row that holds the values of the features that are not drawn."""
    if at is not None:
        return model.encode([at] if isinstance(at, dict) else np.asarray(at, dtype=object).reshape(1, -1))
    if len(model.features) > len(drawn):
        others = [name for place, name in enumerate(model.feature_names) if place not in drawn]
        raise InvalidInputError(f"what values have the other features, {others[0]!r} first? Pass a row: at=...")
    return np.zeros((1, len(model.features)))


def _edges(model: Ensemble, place: int, held: Floats | None, resolution: int) -> tuple[Floats, Floats]:
    """The ends of the cells along one feature, and a value in each: its upper end, which belongs to it."""
    feature = model.features[place]
    if feature.categories:
        codes = np.arange(len(feature.categories), dtype=np.float64)
        return np.append(codes - 0.5, codes[-1] + 0.5), codes
    low, high = _span(feature, held)
    cuts = np.array([cut for cut in feature.cuts if low < cut < high])
    inner = cuts if len(cuts) <= resolution else np.linspace(low, high, resolution + 1)[1:-1]
    edges = np.concatenate([[low], inner, [high]])
    samples = edges[1:].astype(model.cast).astype(np.float64)
    return edges, samples


def _span(feature: Feature, held: Floats | None) -> tuple[float, float]:
    known = np.zeros(0) if held is None else held[np.isfinite(held)]
    points = np.concatenate([np.array(feature.cuts), known])
    if not len(points):
        return 0.0, 1.0
    low, high = float(points.min()), float(points.max())
    margin = 0.05 * (high - low) or 0.5 * max(abs(high), 1.0)
    return low - margin, high + margin


def _draw_borders(ax: Axes, edges: Sequence[Floats], regions: Floats) -> None:
    """Lines between neighbouring cells of different regions; ``regions``: (cells down, cells across)."""
    from matplotlib.collections import LineCollection

    x, y = edges
    row, column = np.nonzero(regions[:, 1:] != regions[:, :-1])
    upright = np.stack([x[column + 1], y[row], x[column + 1], y[row + 1]], axis=1)
    row, column = np.nonzero(regions[1:] != regions[:-1])
    level = np.stack([x[column], y[row + 1], x[column + 1], y[row + 1]], axis=1)
    lines: Any = np.concatenate([upright, level]).reshape(-1, 2, 2)
    ax.add_collection(LineCollection(lines, colors="0.3", linewidths=0.8), autolim=False)


def _draw_points(ax: Axes, model: Ensemble, points: Floats, y: Any) -> None:
    style: dict[str, Any] = {"s": 22, "edgecolors": "white", "linewidths": 0.6, "zorder": 3}
    if y is None:
        ax.scatter(points[:, 0], points[:, 1], color="0.2", **style)
        return
    targets = np.asarray(y)
    if targets.shape != (len(points),):
        raise InvalidInputError(
            f"y has shape {targets.shape}; one target for each of the {len(points)} rows is accepted"
        )
    if model.classes is None:
        mesh: Any = ax.collections[0]
        ax.scatter(points[:, 0], points[:, 1], c=targets, cmap=mesh.get_cmap(), norm=mesh.norm, **style)
        return
    colours = class_colours(len(model.classes))
    for label, colour in zip(model.classes, colours, strict=True):
        own = points[np.array([target == label for target in targets.tolist()], dtype=bool)]
        ax.scatter(own[:, 0], own[:, 1], color=colour, label=printable(label), **style)
    ax.legend()


def plot_pruning(result: Any, ax: Axes | None = None) -> Axes:
    """Draw how the trees of a pruning path score: ``result`` is what ``prune_cv`` returns.

    Each tree holds for the alphas from its own up to the next, so the line has steps; the band is one standard error
    to each side. The dotted line is the alpha chosen, the numbers on top are the leaves of the trees, where they fit.

    Parameters
    ----------
    result : has ``alphas``, ``leaves``, ``scores`` and ``errors``, each (n,), and ``best_alpha``.
    ax : axes to draw on; without them those of a new figure, see ``plot_tree``.

    Returns
    -------
    The axes.

    Raises
    ------
    MissingLibraryError without matplotlib; InvalidInputError for another object.
    """
    if not all(hasattr(result, part) for part in ("alphas", "leaves", "scores", "errors", "best_alpha")):
        raise InvalidInputError(f"result is {repr(result)[:80]}; what prune_cv returns is accepted")
    alphas, scores, errors = (
        np.asarray(part, dtype=np.float64) for part in (result.alphas, result.scores, result.errors)
    )
    ax = axes_of(ax)
    positive = alphas[alphas > 0]
    if len(positive):
        ax.set_xscale("symlog", linthresh=float(positive.min()))
    end = float(alphas[-1]) * 1.5 if alphas[-1] > 0 else 1.0
    steps, held, spread = np.append(alphas, end), np.append(scores, scores[-1]), np.append(errors, errors[-1])
    ax.fill_between(steps, held - spread, held + spread, step="post", alpha=0.2, linewidth=0)
    ax.step(steps, held, where="post")
    ax.plot(alphas, scores, "o", markersize=4, color=ax.lines[-1].get_color())
    ax.axvline(float(result.best_alpha), color="0.3", linestyle=":")
    ax.set(xlabel="alpha", ylabel="score of the held-out rows")
    ax.set_xlim(-0.1 * float(positive.min()) if len(positive) else -0.05, end)
    last = -1.0  # where the label before stands, of the axes' width
    for alpha, leaves in zip(alphas, result.leaves, strict=True):
        place = float(ax.transAxes.inverted().transform(ax.transData.transform((float(alpha), 0.0)))[0])
        if place - last < _LABEL_WIDTH and alpha != result.best_alpha:
            continue
        last = place
        ax.annotate(
            str(leaves), (alpha, 1.01), xycoords=("data", "axes fraction"), ha="center", va="bottom", fontsize=7
        )
    ax.annotate("leaves", (1.0, 1.06), xycoords="axes fraction", ha="right", va="bottom", fontsize=7, color="0.3")
    return ax
