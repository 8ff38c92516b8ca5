"""Draws Figures 2 to 4 from `results/update_paths.json` into `docs/figures`: how CART's point moves with the strength.

python benchmarks/update_pictures.py [--results FOLDER] [--figures FOLDER]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import common
import update_data
from matplotlib.figure import Figure
from update_paths import KINDS

FIGURES = Path(__file__).parent.parent / "docs" / "figures"
COLOURS = dict(zip(KINDS, ("C0", "C1", "C2", "C3"), strict=True))


def trajectories(records: list[dict[str, Any]], sets: list[str], loss: str) -> Figure:
    """Figure 2 or 3: a row of pictures a set; loss against each dissimilarity, a path for each variant."""
    figure = Figure(figsize=(12, 2.4 * len(sets)), layout="constrained")
    grid = figure.subplots(len(sets), len(KINDS), squeeze=False)
    for row, name in zip(grid, sets, strict=True):
        cart = _path(records, name, "cart")[0]
        for axes, measure in zip(row, KINDS, strict=True):
            for kind in KINDS:
                path = [cart, *_path(records, name, kind)]
                axes.plot(
                    [point[measure] for point in path], [point["loss"] for point in path],
                    ".-", color=COLOURS[kind], markersize=4, linewidth=1, label=f"grown for {kind.upper()}",
                )  # fmt: skip
            axes.plot(cart[measure], cart["loss"], "k*", label="CART")
            axes.axhline(cart["old loss"], color="0.6", linestyle="--", linewidth=0.8, label="old tree")
            axes.axhline(cart["loss"], color="0.6", linestyle=":", linewidth=0.8)
            axes.axvline(cart[measure], color="0.6", linestyle=":", linewidth=0.8)
            axes.set_xlabel(measure.upper(), fontsize=8)
            axes.tick_params(labelsize=7)
        row[0].set_ylabel(f"{name}\n{loss}", fontsize=8)
    grid[0][0].legend(fontsize=6)
    return figure


def predictions(records: list[dict[str, Any]], sets: list[str]) -> Figure:
    """Figure 4: BCP against the strength."""
    columns = 4
    n_rows = -(-len(sets) // columns)
    figure = Figure(figsize=(12, 2.4 * n_rows), layout="constrained")
    grid = figure.subplots(n_rows, columns, squeeze=False).ravel()
    for axes in grid[len(sets) :]:
        axes.set_axis_off()
    for axes, name in zip(grid, sets, strict=False):
        for kind in KINDS:
            path = _path(records, name, kind)
            axes.plot(
                [point["strength"] for point in path], [point["bcp"] for point in path],
                ".-", color=COLOURS[kind], markersize=4, linewidth=1, label=f"grown for {kind.upper()}",
            )  # fmt: skip
        axes.axhline(_path(records, name, "cart")[0]["bcp"], color="0.6", linestyle="--", linewidth=0.8, label="CART")
        axes.set_xscale("log")
        axes.set_title(name, fontsize=8)
        axes.tick_params(labelsize=7)
    grid[0].legend(fontsize=6)
    return figure


def _path(records: list[dict[str, Any]], name: str, kind: str) -> list[dict[str, Any]]:
    held = [record for record in records if record["set"] == name and record["grown for"] == kind]
    return sorted(held, key=lambda record: record["strength"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=common.RESULTS)
    parser.add_argument("--figures", type=Path, default=FIGURES)
    args = parser.parse_args()
    records = json.loads((args.results / "update_paths.json").read_text(encoding="utf-8"))["records"]
    sets = list(dict.fromkeys(record["set"] for record in records))
    drawn = {"update_bcp": predictions(records, sets)}
    for name, chosen, loss in (
        ("update_classes", update_data.CLASSES, "error rate"),
        ("update_numbers", update_data.NUMBERS, "RMSE"),
    ):
        held = [one for one in sets if one in chosen]
        if held:
            drawn[name] = trajectories(records, held, loss)
    for name, figure in drawn.items():
        figure.savefig(args.figures / f"{name}.png", dpi=80, metadata={"Software": None})


if __name__ == "__main__":
    main()
