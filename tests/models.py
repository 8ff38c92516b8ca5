"""Random small models, made through the public builder, with everything that tends to go wrong.

Ties and sums that differ in the last bit are frequent, cuts may be neighbouring numbers, rows stand on cuts and beside
them, values may be missing, integers leave cells empty, and the same boundary may be written in several ways.
One generator serves plain seeds (fast, for thousands of cases) and hypothesis (for shrinking): it asks a ``Draws``.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field, replace

import numpy as np

from oracle import Oracle, next_number
from xylogic import Feature, build_ensemble, build_tree

LEAF_VALUES = [0.0, 0.1, 0.2, 0.3, 1 / 3, 0.5, 1.0]
SIGNED_VALUES = [*LEAF_VALUES, -0.1, -0.2, -0.3, -1 / 3, -0.5]
WILD_VALUES = [0.0, 1.0, 3.0, 0.1, 1e-16, 1e16, 1e16 + 2, 1e8, 1 / 3]  # sums of these lose most of their digits
CLASS_NAMES = [("no", "yes", "maybe", ""), (0, 1, 2, 3), (-1, 7, 3, 12), ("b", "a", 'ä<"', "c")]
CATEGORIES = [("A", "B", "AB", "O"), (3, 1, 2, 40), ("", "x <= 1", "nan", "None"), ("red", 1, 2.5, "blue")]
POOLS = [(0.25, 0.5, 0.75), (0.1, 0.2, 0.3), (-1.5, 0.0, 2.0), (-2.0, -1.0, 16777216.5), (1e-3, 100.1, 1e6)]


class Draws:
    """Choices made by a seeded generator."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def whole(self, low: int, high: int) -> int:
        """An integer, both ends included."""
        return self._random.randint(low, high)

    def pick(self, options):
        return options[self.whole(0, len(options) - 1)]

    def chance(self, percent: int) -> bool:
        return self.whole(0, 99) >= 100 - percent

    def some(self, options, percent: int) -> list:
        return [option for option in options if self.chance(percent)]


class HypothesisDraws(Draws):
    """The same choices made by hypothesis, which can then shrink them (towards the first option and "no")."""

    def __init__(self, draw) -> None:
        self._draw = draw

    def whole(self, low: int, high: int) -> int:
        from hypothesis import strategies as st

        return self._draw(st.integers(low, high))


@dataclass
class Column:
    """A feature and the ways to write each boundary between its states: (comparison, number) pairs."""

    feature: Feature
    boundaries: list[list[tuple[str, float]]] = field(default_factory=list)

    @property
    def n_states(self) -> int:
        return len(self.feature.categories) or len(self.boundaries) + 1


@dataclass
class Case:
    """One model (``routes``: it takes missing values), one row of it and the settings of one explainer."""

    features: list[Feature]
    nodes: list[dict]
    settings: dict
    classes: tuple | None
    cast: str
    routes: bool = False
    model: object = None
    row: dict = field(default_factory=dict)
    ties: str = "model"
    missing: list[str] = field(default_factory=list)
    options: dict = field(default_factory=dict)
    band: object = None

    def build(self, order=None):
        """The ensemble, its trees in the given order."""
        trees = [build_tree(self.nodes[i], self.features, self.classes, cast=self.cast) for i in self.order(order)]
        return build_ensemble(trees, **self.settings)

    def order(self, order=None):
        return range(len(self.nodes)) if order is None else order

    def oracle(self, row=None, **changes) -> Oracle:
        given = {"ties": self.ties, "missing": self.missing, "features": self.options or None, "band": self.band}
        return Oracle(self.model, self.row if row is None else row, **{**given, **changes})

    def explainer_options(self) -> dict:
        given = {"ties": self.ties, "missing": self.missing or None, "features": self.options or None}
        return {**given, "band": self.band}

    def __str__(self) -> str:
        """Code that makes the same case again."""
        nodes = ",\n    ".join(map(repr, self.nodes))
        features = ", ".join(
            f"Feature({f.name!r}, {f.kind!r}, {f.categories!r}, may_be_missing={f.may_be_missing})"
            for f in self.features
        )
        return (
            f"\nfeatures = [{features}]\nnodes = [\n    {nodes}]\n"
            f"trees = [build_tree(n, features, {self.classes!r}, cast={self.cast!r}) for n in nodes]\n"
            f"model = build_ensemble(trees, **{self.settings!r})\nrow = {self.row!r}\n"
            f"explainer = Explainer(model, **{self.explainer_options()!r})\n"
        )


def draw_column(d: Draws, position: int, cast: str, may_be_missing: bool) -> Column:
    """A feature of 2-4 states (or 2-4 and some empty or twice as many narrow cells)."""
    name = d.pick([f"x{position}", f"x{position}", f"a <= {position} and b", f'naïve "{position}"'])
    kind = d.pick(["numeric", "numeric", "numeric", "categorical", "integer", "boolean"])
    n_states = 2 if kind == "boolean" else d.whole(2, 4)
    missing = may_be_missing and d.chance(50)
    if kind == "categorical":
        return Column(Feature(name, "categorical", d.pick(CATEGORIES)[:n_states], may_be_missing=missing))
    feature = Feature(name, kind, may_be_missing=missing)
    if kind == "boolean":
        return Column(feature, [[("<=", 0.5), ("<=", 0.0), ("<", 1.0), ("<=", 0.3)]])
    if kind == "integer":
        at, boundaries = d.pick([-2, 0, 5, 18]), []
        for _ in range(n_states - 1):
            boundaries.append([("<=", at + 0.5), ("<=", float(at)), ("<", at + 1.0), ("<=", at + 0.25)])
            at += d.whole(1, 3)
        return Column(feature, boundaries)
    if d.chance(15):  # neighbours: cells of a single number
        cut = 0.3 if cast == "float64" else float(np.float32(0.3))
        cuts = [cut, next_number(cut, cast), next_number(next_number(cut, cast), cast)]
        return Column(feature, [[("<=", cut)] for cut in cuts[: n_states - 1]])
    comparisons = d.pick([["<="], ["<="], ["<="], ["<"], ["<=", "<"]])
    return Column(feature, [[(compare, cut) for compare in comparisons] for cut in d.pick(POOLS)[: n_states - 1]])


def draw_nodes(d: Draws, columns: list[Column], leaf, depth: int, routes: bool, inside=None) -> dict:
    """A nested tree; every branch can be reached, by the states still open on its path (``inside``)."""
    inside = [set(range(column.n_states)) for column in columns] if inside is None else inside
    open_columns = [i for i, states in enumerate(inside) if len(states) > 1]
    if not open_columns or depth == 0 or d.chance(15):
        return leaf(d)
    chosen = d.pick(open_columns)
    column, states = columns[chosen], sorted(inside[chosen])
    node: dict = {"feature": column.feature.name}
    if column.feature.categories:
        left = {states[0], *d.some(states[1:-1], 50)}
        if d.chance(50):
            left = set(states) - left
        closed = [code for code in range(column.n_states) if code not in states]
        node["in"] = [column.feature.categories[code] for code in sorted(left | set(d.some(closed, 30)))]
    else:
        last = d.pick(states[:-1])
        left = {state for state in states if state <= last}
        node["compare"], node["cut"] = d.pick(column.boundaries[last])
    if routes:
        node["missing"] = d.pick(["left", "right"])
    for side, kept in (("left", left), ("right", set(states) - left)):
        below = [kept if i == chosen else states for i, states in enumerate(inside)]
        node[side] = draw_nodes(d, columns, leaf, depth - 1, routes, below)
    return node


def draw_leaf(d: Draws, voting: str, classes, outputs: int):
    """A function that draws leaves fit for the kind of model."""
    values = LEAF_VALUES if voting == "average" and classes else SIGNED_VALUES
    if d.chance(15):
        values = [*WILD_VALUES, *(-value for value in WILD_VALUES)]

    def leaf(d: Draws) -> dict:
        if voting == "majority" and d.chance(50):
            return {"class": d.pick(classes)}
        if outputs == 1:
            return {"value": d.pick(values)}
        return {"value": [d.pick(values) for _ in range(outputs)]}

    return leaf


def draw_value(d: Draws, oracle: Oracle, position: int, nan: bool):
    """A raw value of the feature: often on a cut or right beside it."""
    feature, states = oracle.features[position], oracle.states[position]
    if nan and d.chance(15):
        return math.nan
    numbers = [place for place, state in enumerate(states) if state.kind != "missing"]
    values = [value for value in oracle.values(position, d.pick(numbers)) if value is not None]
    value = d.pick(values)
    if feature.kind == "numeric" and d.chance(30) and oracle.cuts[position]:
        value = d.pick(
            [*oracle.cuts[position], *(next_number(cut, oracle.model.cast) for cut in oracle.cuts[position])]
        )
    return value


def draw_row(d: Draws, oracle: Oracle, nan: bool) -> dict:
    return {name: draw_value(d, oracle, i, nan) for i, name in enumerate(oracle.names)}


def draw_options(d: Draws, oracle: Oracle, changes: bool) -> dict:
    """What the user may say of the features, ``changes`` of changing them too: name -> options."""
    options: dict = {}
    for feature, cuts in zip(oracle.features, oracle.cuts, strict=True):
        chosen: dict = {}
        if feature.may_be_missing and d.chance(40):
            chosen["may_be_missing"] = False
        if not changes:
            options.update({feature.name: chosen} if chosen else {})
            continue
        if d.chance(20):
            chosen["mutable"] = False
        if d.chance(40):
            chosen["cost"] = d.pick([1.0, 2.0, 0.5, 0.1, 0.0])
        if feature.kind != "categorical" and d.chance(30):
            chosen["scale"] = d.pick([1.0, 2.0, 0.3])
        if feature.kind in ("numeric", "integer") and cuts and d.chance(40):
            bounds = sorted([d.pick(cuts) + d.pick([0.0, 0.0, 1.0, -0.125]), d.pick(cuts) + d.pick([0.0, 2.0])])
            which = d.pick([("lower",), ("upper",), ("lower", "upper")])
            chosen.update(
                {side: bound for side, bound in zip(("lower", "upper"), bounds, strict=True) if side in which}
            )
        if chosen:
            options[feature.name] = chosen
    return options


def draw_case(
    d: Draws, *, options: bool = False, voting: str | None = None, regression: bool | None = None, trees=(1, 8)
) -> Case:
    """A model of 1-8 trees, 2-5 features and 2-4 classes (or a regressor), a row and an explainer's settings."""
    regression = d.chance(15) if regression is None else regression
    voting = voting or d.pick(["average", "majority", "sum"])
    voting = "average" if regression and voting == "majority" else voting
    cast = d.pick(["float64", "float32"])
    routes = d.chance(30)
    n_features = d.whole(2, 5 if trees[1] <= 8 else 3)
    columns = [draw_column(d, position, cast, routes) for position in range(n_features)]
    names = {column.feature.name for column in columns}
    assert len(names) == len(columns)
    classes = None if regression else d.pick(CLASS_NAMES)[: d.whole(2, 4)]
    single = voting == "sum" and not regression and len(classes) == 2 and d.chance(60)
    outputs = 1 if regression or single else len(classes)
    leaf = draw_leaf(d, voting, classes, outputs)
    depth = d.whole(1, 4)
    nodes = [draw_nodes(d, columns, leaf, depth, routes) for _ in range(d.whole(*trees))]
    if d.chance(10):
        nodes.append(nodes[0])
    if not any("feature" in tree for tree in nodes):  # leaves only: nothing says where a missing value goes
        routes = False
        columns = [replace(column, feature=replace(column.feature, may_be_missing=False)) for column in columns]
    settings: dict = {"voting": voting}
    if voting == "sum" and d.chance(60):
        base = [d.pick(SIGNED_VALUES) for _ in range(outputs)]
        settings["base"] = base[0] if outputs == 1 else base
    if not regression and d.chance(25):
        settings["tie"] = "last"
    case = Case([column.feature for column in columns], nodes, settings, classes, cast, routes)
    case.model = case.build()
    plain = Oracle(case.model)
    case.ties = "model" if regression else d.pick(["model", "model", "winners", "merged"])
    case.missing = d.some(plain.names, 20) if routes else []
    case.options = draw_options(d, plain, options)
    case.row = draw_row(d, plain, routes)
    if regression:
        prediction = Oracle(case.model, case.row, band=0.0).prediction
        case.band = d.pick([0.0, 0.05, 0.1, (prediction - 0.1, prediction), (prediction, 1e9), (0.0, prediction)])
        if isinstance(case.band, tuple) and case.band[0] > case.band[1]:
            case.band = (prediction, prediction)
    return case


def seeded_case(seed: int, **wanted) -> Case:
    """The case of one seed."""
    return draw_case(Draws(seed), **wanted)
