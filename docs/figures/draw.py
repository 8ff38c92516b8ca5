"""Draws the pictures of this folder: a tree and the plane it parts, and trees of growing depth on two samples.

python docs/figures/draw.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import xylogic as xl

# 18 points, two classes that swap sides with x1: class 1 lies low on the left and high on the right.
POINTS = np.array([
    (0.18, 0.27), (0.23, 0.11), (0.41, 0.93), (0.34, 0.36), (0.15, 0.95), (0.25, 0.71), (0.34, 0.54), (0.09, 0.43),
    (0.78, 0.44), (0.73, 0.31), (0.94, 0.26), (0.47, 0.63), (0.52, 0.53), (0.58, 0.79), (0.64, 0.90), (0.63, 0.66),
    (0.93, 0.83), (0.81, 0.59),
])  # fmt: skip
CLASSES = np.array([1, 1, *[0] * 9, *[1] * 7])

DEPTHS = {"stump": 1, "depth 3": 3, "fully grown": None}
NOISE, SIZE, SEED = 0.4, 40, 19


def wave(x: np.ndarray) -> np.ndarray:
    """What the targets of the samples scatter around."""
    return np.sin(2 * np.pi * x)


def samples() -> list[tuple[np.ndarray, np.ndarray]]:
    """Two samples to grow on, and a large one to test on."""
    rng = np.random.default_rng(SEED)
    drawn = []
    for size in (SIZE, SIZE, 10_000):
        x = rng.uniform(size=size)
        drawn.append((x[:, None], wave(x) + NOISE * rng.normal(size=size)))
    return drawn


def partition() -> Figure:
    """The tree of the 18 points, and its regions."""
    rows = [{"x1": x1, "x2": x2} for x1, x2 in POINTS.tolist()]
    tree = xl.DecisionTreeClassifier().fit(rows, CLASSES)
    figure = Figure(figsize=(11, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    xl.plot_tree(tree, left)
    xl.plot_partition(tree, rows, CLASSES, right)
    return figure


def depths() -> Figure:
    """Trees of three depths on two samples: how far they are apart, and how wrong."""
    *grown_on, (X_test, y_test) = samples()
    x = np.linspace(0, 1, 2001)
    figure = Figure(figsize=(12, 3.6), layout="constrained")
    for axes, (name, depth) in zip(figure.subplots(1, 3, sharey=True), DEPTHS.items(), strict=True):
        axes.plot(x, wave(x), color="0.6", linestyle="--")
        curves, errors = [], []
        for number, (X, y) in enumerate(grown_on):
            tree = xl.DecisionTreeRegressor(max_depth=depth).fit(X, y)
            curves.append(tree.predict(x[:, None]))
            errors.append(float(np.mean((tree.predict(X_test) - y_test) ** 2)))
            axes.scatter(X[:, 0], y, s=8, color=f"C{number}")
            axes.plot(x, curves[-1], color=f"C{number}")
        gap = float(np.mean(np.abs(curves[0] - curves[1])))
        axes.set_title(f"{name}: test error {np.mean(errors):.2f}, gap {gap:.2f}", fontsize=10)
        axes.set_xlabel("x")
    return figure


FIGURES = {"partition": partition, "depths": depths}


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    for name, draw in FIGURES.items():
        draw().savefig(folder / f"{name}.png", dpi=100, metadata={"Software": None})


if __name__ == "__main__":
    main()
