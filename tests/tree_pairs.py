"""Two random trees over the same columns, and every kind of row that they can tell apart."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np

import oracle
from models import CLASS_NAMES, Column, Draws, draw_column, draw_leaf, draw_nodes
from xylogic import build_ensemble, build_tree
from xylogic.model.states import model_cells
from xylogic.search.single import Single


@dataclass
class TreePair:
    """Two one-tree models.

    ``absent``: what may be missing; ``table``: a row of model input (float64, codes, NaN) per cell of both together.
    """

    a: object
    b: object
    nodes: tuple[dict, dict]
    absent: list[str]
    table: np.ndarray

    def singles(self, by: str = "label") -> tuple[Single, Single]:
        """Both trees over the same cells."""
        return Single(self.a, self.cells(self.a), by=by), Single(self.b, self.cells(self.b), by=by)

    def cells(self, model):
        return model_cells(model, missing=self.absent)

    def predicted(self, model) -> np.ndarray:
        """Class positions or numbers, by the definition of prediction."""
        return oracle.predicted(model, oracle.scores_of(model, self.table))

    @property
    def differ(self) -> np.ndarray:
        """Which rows of the table they disagree on."""
        return self.predicted(self.a) != self.predicted(self.b)


def draw_columns(d: Draws, cast: str, routes: bool, n: int) -> list[Column]:
    return [draw_column(d, position, cast, routes) for position in range(n)]


def tree_model(nodes: dict, columns: list[Column], classes, cast: str, voting: str):
    """The one-tree ensemble."""
    return build_ensemble([build_tree(nodes, [c.feature for c in columns], classes, cast=cast)], voting=voting)


def seeded_pair(seed: int, *, regression: bool | None = None) -> TreePair:
    """The pair of one seed: classes or numbers, all kinds of columns, missing values, redundant tests."""
    d = Draws(seed)
    regression = d.chance(20) if regression is None else regression
    cast, routes = d.pick(["float64", "float32"]), d.chance(40)
    columns = draw_columns(d, cast, routes, d.whole(1, 4))
    classes = None if regression else d.pick(CLASS_NAMES)[: d.whole(2, 4)]
    voting = "average" if regression else d.pick(["average", "majority", "sum"])
    leaf = draw_leaf(d, voting, classes, 1 if regression else len(classes))
    depth = d.whole(1, 5)
    a = draw_nodes(d, columns, leaf, depth, routes)
    b = draw_nodes(d, columns, leaf, depth, routes) if d.chance(50) else rewritten(d, a, columns, leaf, routes)
    if not ("feature" in a and "feature" in b):  # a leaf has no rule for missing values
        a, b = without_routes(a), without_routes(b)
        columns = [Column(replace(c.feature, may_be_missing=False), c.boundaries) for c in columns]
    models = [tree_model(nodes, columns, classes, cast, voting) for nodes in (a, b)]
    absent = sorted({f.name for model in models for f in model.features if f.may_be_missing})
    return TreePair(*models, (a, b), absent, every_row(models, absent))


def without_routes(nodes: dict) -> dict:
    if "feature" not in nodes:
        return nodes
    kept = {key: value for key, value in nodes.items() if key != "missing"}
    return {**kept, **{side: without_routes(nodes[side]) for side in ("left", "right")}}


def rewritten(d: Draws, nodes: dict, columns: list[Column], leaf, routes: bool) -> dict:
    """The same function by another tree (tests doubled, swapped with their children), now and then one leaf new."""
    if "feature" not in nodes:
        return leaf(d) if d.chance(5) else nodes
    nodes = {**nodes, **{side: rewritten(d, nodes[side], columns, leaf, routes) for side in ("left", "right")}}
    left, right = nodes["left"], nodes["right"]
    test = {key: value for key, value in nodes.items() if key not in ("left", "right")}
    if d.chance(30) and "feature" in left and "feature" in right:
        inner = {key: value for key, value in left.items() if key not in ("left", "right")}
        if inner == {key: value for key, value in right.items() if key not in ("left", "right")}:
            return {
                **inner,
                "left": {**test, "left": left["left"], "right": right["left"]},
                "right": {**test, "left": left["right"], "right": right["right"]},
            }
    return nodes


def every_row(models, absent) -> np.ndarray:
    """A value in each cell that the cuts of all models make of each column, in all combinations."""
    first = models[0]
    values = []
    for position, feature in enumerate(first.features):
        cuts = sorted({cut for model in models for cut in model.features[position].cuts})
        if feature.kind == "categorical":
            chosen = [float(code) for code in range(len(feature.categories))]
        elif feature.kind == "boolean":
            chosen = [0.0, 1.0]
        elif feature.kind == "integer":
            wholes = {math.floor(cut) for cut in cuts} | {oracle.next_integer(cut, first.cast) for cut in cuts}
            chosen = [float(number) for number in sorted(wholes)] or [0.0]
        else:
            ends = {oracle.cast_number(cut, first.cast) for cut in cuts}
            chosen = sorted(ends | {oracle.next_number(cut, first.cast) for cut in ends}) or [0.0]
        values.append([*chosen, math.nan] if feature.name in absent else chosen)
    return np.array(list(itertools.product(*values)), dtype=np.float64)


def inside(domain, low, high, missing, words, row: np.ndarray) -> bool:
    """Whether a box (see ``search.pair.Difference``) holds a row."""
    for c, x in enumerate(row):
        if math.isnan(x):
            holds = missing[c] == 1
        elif domain.is_set[c]:
            holds = int(words[domain.word_at[c] + int(x) // 64]) >> (int(x) % 64) & 1
        else:
            holds = low[c] < x <= high[c]
        if not holds:
            return False
    return True
