"""A tree as a picture: boxes with tests and answers, the root on top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from xylogic.convert.read import read_model
from xylogic.errors import InvalidInputError
from xylogic.model.ensemble import Ensemble
from xylogic.model.tree import Tree
from xylogic.view.canvas import axes_of, class_colours, number_colours, tinted
from xylogic.view.text import apart, count, number, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from xylogic.grow.grown import Grown

__all__ = ["Layout", "lay_out", "plot_tree"]

LARGEST = 60.0  # inches of a new figure
FONT = 9.0  # points
WIDE, TALL = 0.62, 1.35  # of a character and of a line, in font sizes
PAD = 1.8  # around a box and between boxes, in font sizes


def plot_tree(
    model: Any,
    ax: Axes | None = None,
    *,
    tree: int = 0,
    max_depth: int | None = None,
    max_nodes: int = 127,
    digits: int | None = None,
) -> Axes:
    """Draw one tree; a test that holds leads left.

    Parameters
    ----------
    model : whatever ``read_model`` takes; of a tree that xylogic grew, the boxes also tell how many training rows
        came by and how impure they were.
    ax : axes to draw on. Without them a figure is made that is as large as the tree needs:
        ``plot_tree(model).figure.savefig("tree.svg")``. Nothing is shown, and ``pyplot`` is not touched.
    tree : which tree of an ensemble.
    max_depth, max_nodes : what is deeper, or comes after so many nodes (level by level), is collapsed into a box that
        says how many nodes it hides.
    digits : significant digits of the numbers shown; ``None``: all, as a rounded cut would mislead.

    Returns
    -------
    The axes, with one text a node (``ax.texts``) and the edges in one collection.

    Raises
    ------
    MissingLibraryError without matplotlib; InvalidInputError for a tree or a limit that does not exist; and what
    ``read_model`` raises.

    Notes
    -----
    O(n_nodes), without recursion: trees of any depth.
    """
    read, grown = _read(model, tree)
    for name, least, given in (("max_depth", 0, max_depth), ("max_nodes", 1, max_nodes)):
        if given is not None and (not isinstance(given, int | np.integer) or given < least):
            raise InvalidInputError(f"{name} is {given!r}; a whole number >= {least} is accepted")
    shown = read.trees[tree]
    layout = lay_out(shown, max_depth, max_nodes)
    words = _Words(read, shown, grown, digits)
    boxes = [
        [count(hidden, "node") + " hidden"] if hidden else words.lines(node)
        for node, hidden in zip(layout.nodes, layout.hidden, strict=True)
    ]
    rows = int(layout.depth.max()) + 1
    across = layout.n_slots * _slot(layout, np.array([max(map(len, lines)) for lines in boxes]))  # in font sizes
    down = rows * (TALL * max(map(len, boxes)) + 2 * PAD)
    ax = axes_of(ax, *(min(sizes * FONT / 72 + 0.5, LARGEST) for sizes in (across, down)))
    ax.set_axis_off()
    width, height = _room(ax)
    font = float(np.clip(min(width / across, height / down), 1.0, FONT))
    ax.set_xlim(-0.5, layout.n_slots - 0.5)
    ax.set_ylim(-rows + 0.5, 0.5)
    _draw_edges(ax, layout, font)
    for place, (node, lines) in enumerate(zip(layout.nodes, boxes, strict=True)):
        face = "white" if layout.hidden[place] else words.colour(node)
        style = {"boxstyle": "round,pad=0.35", "facecolor": face, "edgecolor": "0.4", "linewidth": 0.6}
        if layout.hidden[place]:
            style["linestyle"] = ":"
        at = layout.x[place], -layout.depth[place]
        ax.text(*at, "\n".join(lines), ha="center", va="center", fontsize=font, parse_math=False, bbox=style)
    if layout.hidden.any():
        ax.set_title(f"{layout.hidden.sum()} of {count(shown.n_nodes, 'node')} hidden", fontsize=FONT, color="0.3")
    return ax


@dataclass(frozen=True)
class Layout:
    """Where the visible nodes stand, level by level from the root.

    nodes : the node of each place. parent : the place of its parent, -1 for the root. depth, x : its row, and its
    column in slots of one leaf each. hidden : how many nodes a collapsed place stands for; 0 for a node shown.
    """

    nodes: NDArray[np.intp]
    parent: NDArray[np.intp]
    depth: NDArray[np.intp]
    x: NDArray[np.float64]
    hidden: NDArray[np.intp]
    n_slots: int


def lay_out(tree: Tree, max_depth: int | None, max_nodes: int) -> Layout:
    """Places for the first ``max_nodes`` nodes by level, and for collapsed boxes in place of what hangs below them.

    Two children are shown or collapsed together. O(n_nodes), without recursion.
    """
    below = _subtree_sizes(tree) - 1
    nodes, parent, depth, hidden = [0], [-1], [0], [0]
    children: list[list[int]] = []
    n_shown, place = 1, 0
    while place < len(nodes):  # children are put behind, so that places run level by level
        node = nodes[place]
        found: list[tuple[int, int]] = []
        if not hidden[place] and tree.left[node] >= 0:
            fits = n_shown + 2 <= max_nodes and (max_depth is None or depth[place] < max_depth)
            n_shown += 2 * fits
            found = [(int(tree.left[node]), 0), (int(tree.right[node]), 0)] if fits else [(node, int(below[node]))]
        children.append(list(range(len(nodes), len(nodes) + len(found))))
        for child, hides in found:
            nodes.append(child)
            hidden.append(hides)
            parent.append(place)
            depth.append(depth[place] + 1)
        place += 1
    x = np.zeros(len(nodes))
    n_slots, waiting = 0, [0]
    while waiting:
        place = waiting.pop()
        if not children[place]:
            x[place] = n_slots
            n_slots += 1
        waiting += reversed(children[place])
    for place in range(len(nodes) - 1, -1, -1):
        if children[place]:
            x[place] = x[children[place]].mean()
    return Layout(np.array(nodes), np.array(parent), np.array(depth), x, np.array(hidden), n_slots)


def _subtree_sizes(tree: Tree) -> NDArray[np.intp]:
    """How many nodes hang on each node, itself included."""
    order = [0]
    for node in order:
        if tree.left[node] >= 0:
            order += [int(tree.left[node]), int(tree.right[node])]
    sizes = np.ones(tree.n_nodes, dtype=np.intp)
    for node in reversed(order):
        if tree.left[node] >= 0:
            sizes[node] += sizes[tree.left[node]] + sizes[tree.right[node]]
    return sizes


def _read(source: Any, tree: int) -> tuple[Ensemble, Grown | None]:
    model = read_model(source)
    if not isinstance(tree, int | np.integer) or not 0 <= tree < model.n_trees:
        raise InvalidInputError(f"tree {tree!r} of an ensemble of {model.n_trees} is asked for; they count from 0")
    grown = getattr(source, "grown_", None)
    if isinstance(grown, Sequence):  # of a forest
        grown = grown[tree]
    same = grown is not None and all(
        np.array_equal(getattr(grown.tree, part), getattr(model.trees[tree], part))
        for part in ("left", "feature", "cut")
    )
    return model, grown if same else None


class _Words:
    """What stands in a node's box, and its colour."""

    def __init__(self, model: Ensemble, tree: Tree, grown: Grown | None, digits: int | None) -> None:
        self.model, self.tree, self.grown, self.digits = model, tree, grown, digits
        self.values = tree.value if grown is None else grown.value
        self.told = tree.left < 0 if grown is None else np.ones(tree.n_nodes, dtype=bool)
        classes = model.classes
        self.by_class = classes is not None and tree.n_outputs == len(classes)
        if self.by_class:
            self.colours = class_colours(tree.n_outputs)
        else:
            self.map, self.norm = number_colours(self.values[self.told])

    def lines(self, node: int) -> list[str]:
        leaf = self.tree.left[node] < 0
        lines = [self.answer(node) if leaf else self.test(node)]
        if self.grown is not None:
            impurity = f"{float(self.grown.impurity[node]):.{self.digits or 4}g}"
            lines.append(f"{count(int(self.grown.n_rows[node]), 'row')}, impurity {impurity}")
            if not leaf:
                lines.append(self.answer(node))
        return lines

    def test(self, node: int) -> str:
        feature = self.model.features[self.tree.feature[node]]
        name, cut = printable(feature.name), float(self.tree.cut[node])
        if self.tree.is_categorical(node):
            levels = [printable(feature.categories[code]) for code in self.tree.left_codes(node)]
            more = [f"{len(levels) - 3} more"] if len(levels) > 4 else []
            words = (
                f"{name} = {levels[0]}"
                if len(levels) == 1
                else f"{name} in {{{', '.join(levels[: 4 - len(more)] + more)}}}"
            )
        elif np.isinf(cut):
            return f"{name} is known" if cut > 0 else f"{name} is missing"
        else:
            words = f"{name} <= {self.number(cut)}"
        return f"{words} or missing" if feature.may_be_missing and self.tree.missing[node] == 1 else words

    def answer(self, node: int) -> str:
        value = self.values[node]
        if not self.by_class:
            return self.number(value[0])
        assert self.model.classes is not None
        winner = int(
            np.argmax(self.tree.value[node] if self.tree.left[node] < 0 else value)
        )  # losses may outvote shares
        label, total = printable(self.model.classes[winner]), float(value.sum())
        if value.min() < 0 or total <= 0:
            return f"{label}: {self.number(value[winner])}"
        return f"{label}: {apart([100 * value[winner] / total, 100.0], 3)[0]} %"  # 100 % only where it is

    def number(self, value: float) -> str:
        if self.digits is not None:
            return f"{value:.{self.digits}g}"
        single = float(np.float32(value)) == value
        return number(float(str(np.float32(value))) if single else float(value))

    def colour(self, node: int) -> Any:
        if not self.told[node]:
            return "white"
        value = self.values[node]
        if not self.by_class:
            return tinted(self.map(self.norm(value[0])), 0.55)
        most, total = float(value.max()), float(value.sum())
        evenly = 1.0 / len(value)
        if value.min() < 0 or total <= 0 or len(value) == 1:
            return tinted(self.colours[int(np.argmax(value))], 0.55)
        return tinted(self.colours[int(np.argmax(value))], 0.08 + 0.62 * (most / total - evenly) / (1.0 - evenly))


def _slot(layout: Layout, characters: NDArray[np.intp]) -> float:
    """How many font sizes a slot must be wide so that no two neighbouring boxes of a row touch."""
    widths = WIDE * characters + PAD
    order = np.lexsort((layout.x, layout.depth))
    left, right = order[:-1], order[1:]
    beside = layout.depth[left] == layout.depth[right]
    apart = (layout.x[right] - layout.x[left])[beside]
    touching = (widths[left] + widths[right])[beside] / 2 / apart
    return float(max(touching.max(initial=0.0), widths.max() / layout.n_slots))


def _room(ax: Axes) -> tuple[float, float]:
    """Width and height of the axes in points, once the figure is laid out."""
    settle = getattr(ax.figure, "draw_without_rendering", None)
    if settle is not None:
        settle()
    room, dpi = ax.get_window_extent(), float(getattr(ax.figure, "dpi", 72.0))
    return room.width * 72 / dpi, room.height * 72 / dpi


def _draw_edges(ax: Axes, layout: Layout, font: float) -> None:
    from matplotlib.collections import LineCollection

    places = np.flatnonzero(layout.parent >= 0)
    above = layout.parent[places]
    ends: Any = np.stack([layout.x[above], -layout.depth[above], layout.x[places], -layout.depth[places]], axis=1)
    ax.add_collection(LineCollection(ends.reshape(-1, 2, 2), colors="0.5", linewidths=0.8, zorder=0), autolim=False)
    if len(places) >= 2 and layout.parent[2] == 0:  # the root's own edges say which side is which
        for place, word, side in ((1, "yes", "right"), (2, "no", "left")):
            middle = (layout.x[0] + layout.x[place]) / 2, -0.5
            ax.text(*middle, f" {word} ", ha=side, va="center", fontsize=font, color="0.3")
