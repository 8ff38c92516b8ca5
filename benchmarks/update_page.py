"""The sections of docs/benchmarks.md on trees that replace an old one, from results/update_*.json."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import common

PATHS = """\
Figures 2 to 4 of "Backward Compatibility in Tree-Based Explanations and Enhanced CART Algorithm": means over trials, on
rows that no tree was grown on; BCP and dissimilarities over those that the old tree answers right. Shown: CART, and
each variant at strength {strength:g}; the pictures have all strengths, from CART's star on.

![classes](figures/update_classes.png)

![numbers](figures/update_numbers.png)

![BCP against the strength](figures/update_bcp.png)"""
SHOWN = 0.05
TIME = """\
Its Figure 5. Processor milliseconds of fits in turn, the least of the rounds. *cart*: ours; *within*: JAC, JLU and MSE
<= 1.3 x cart, MAE <= 1.5 x; *as fast as wanted*: all of them 8 times as fast as scikit-learn's plain CART, asked for
from 10,000 rows on."""
INCREMENTAL = """\
Its Figure 6: 1,000 old and 2,000 other, new rows, strength 0.005 for MSE; River's trees with grace period 50, tau 0.15
and, for HAT, a drift window threshold of 100. Every side is compared with an old tree of its own kind. A tree of one
leaf explains nothing and so keeps to its explanations."""
TREES = """\
Old and new trees of spambase, as the paper's appendix has them; `update.py --parts trees` prints their rules.

![old and new trees](figures/update_trees.png)"""
FORESTS = """\
`update_forest` grows each tree against the old tree of its position; *plain forest*: trees that know nothing of the old
ones."""


def paths(document: dict[str, Any]) -> str:
    """Figures 2 to 4."""
    columns = ("set", "grown for", "loss", "old loss", "bcp", "jac", "jlu", "mae", "mse", "leaves")
    held = [record for record in document["records"] if record["strength"] in (0.0, SHOWN)]
    lines = [{column: record[column] for column in columns} for record in held]
    return f"{PATHS.format(strength=SHOWN)}\n\n{common.table(lines, columns)}"


def plain(text: str) -> Callable[[dict[str, Any]], str]:
    """A text and the records as they are, but for figures that no record has."""

    def render(document: dict[str, Any]) -> str:
        records = document["records"]
        shown = list(dict.fromkeys(column for record in records for column in record))
        return f"{text}\n\n{common.table([{c: record.get(c) for c in shown} for record in records], shown)}"

    return render


SECTIONS: dict[str, tuple[str, Callable[[dict[str, Any]], str]]] = {
    "update_paths": ("Compatible trees: loss against compatibility", paths),
    "update_time": ("Compatible trees: time", plain(TIME)),
    "update_incremental": ("Compatible trees beside incremental ones", plain(INCREMENTAL)),
    "update_trees": ("An old tree and the trees that replace it", plain(TREES)),
    "update_forests": ("Compatible forests", plain(FORESTS)),
}
