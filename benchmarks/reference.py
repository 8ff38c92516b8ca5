"""The native references: builds them, writes forests for them, reads what they print."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
from common import floor32
from sklearn.ensemble import RandomForestClassifier

_LINE = re.compile(
    r"prep (?P<prep_ms>[\d.]+)ms #NR (?P<n_nr>[\d.]+) #SR (?P<n_sr>[\d.]+) r (?P<robustness>[\d.]+) \| "
    r"(?P<ms>[\d.]+) ms/inst \(max (?P<max_ms>[\d.]+)\).* done (?P<rows>\d+) timeouts (?P<timeouts>\d+)"
)

_PRODUCT = re.compile(
    r"nodes/class (?P<nodes>[\d.]+) edges/class (?P<edges>[\d.]+) sec/class (?P<s>[\d.]+) .* MB (?P<MB>\d+) bad 0"
)


def build(sources: Path | None, folder: Path, name: str = "search") -> tuple[Path | None, str]:
    """Compile NAME.cpp into `folder` for this processor; (program, "") or (None, the reason it is skipped)."""
    if sources is None:
        return None, "no --reference-dir"
    compiler = shutil.which("g++")
    if compiler is None:
        return None, "no g++"
    program = folder / name
    command = [compiler, "-O3", "-march=native", "-std=c++17", str(sources / f"{name}.cpp"), "-o", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (program, "") if done.returncode == 0 else (None, f"does not compile: {done.stderr.splitlines()[:1]}")


def write_forest(forest: RandomForestClassifier, rows: np.ndarray, path: Path) -> None:
    """The forest and rows in the reference's text format: each value as the number of its cell.

    Thresholds between the same two float32 numbers are one cut: scikit-learn cannot tell them apart, and a cell between
    them would hold no value.
    """
    trees = [member.tree_ for member in forest.estimators_]
    features = range(trees[0].n_features)
    cuts = [np.unique(floor32(np.concatenate([t.threshold[t.feature == f] for t in trees]))) for f in features]
    lines = [f"{len(cuts)} {len(forest.classes_)} {len(trees)}", " ".join(str(len(c) + 1) for c in cuts)]
    for tree in trees:
        lines.append(str(tree.node_count))
        for node in range(tree.node_count):
            left, right, feature = tree.children_left[node], tree.children_right[node], tree.feature[node]
            if left >= 0:
                lines.append(
                    f"{feature} {np.searchsorted(cuts[feature], floor32(tree.threshold[node]))} {left} {right}"
                )
            else:
                shares = tree.value[node][0] / tree.value[node][0].sum()
                lines.append(f"-1 {np.argmax(tree.value[node][0])} " + " ".join(f"{share:.9f}" for share in shares))
    lines.append(str(len(rows)))
    lines += [" ".join(str(np.searchsorted(cuts[f], row[f])) for f in features) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


def run(program: Path, forest: Path, vote: str, seconds: float) -> dict[str, Any]:
    """All reasons of every row of the file: means over the rows (`ms`, `n_sr`, `n_nr`, `robustness`)."""
    command = [str(program), str(forest), vote, str(seconds), "100"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = _LINE.search(printed)
    if found is None:
        raise RuntimeError(f"the reference printed something else: {printed[:200]!r}")
    return {key: float(text) for key, text in found.groupdict().items()}


def run_product(program: Path, forest: Path, vote: str, group_cap: int, seconds: float) -> dict[str, Any]:
    """Nodes, edges and seconds a class of the threshold product; nothing where it does not finish."""
    command = [str(program), str(forest), vote, str(group_cap), "0", "-1", str(seconds)]
    printed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    found = _PRODUCT.search(printed)
    return {} if found is None else {key: float(text) for key, text in found.groupdict().items()}
