"""Pairs of models: one function written differently by real transformations, and others by one changed leaf."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

import oracle
from models import Draws, seeded_case
from xylogic.model.build import make_ensemble, make_tree

Rows = np.ndarray


def parts(tree) -> dict:
    """A tree's arrays as lists, and its sets, to be changed and built again."""
    found = {name: getattr(tree, name).tolist() for name in ("feature", "cut", "left", "right", "missing", "value")}
    sets = {n: tree.left_codes(n).tolist() for n in range(tree.n_nodes) if tree.is_categorical(n)}
    return {**found, "sets": sets}


def built(p: dict, n_features: int):
    return make_tree(
        p["feature"], p["cut"], p["left"], p["right"], p["value"],
        missing=p["missing"], cast="float64", n_features=n_features, sets=p["sets"], infinite=True,
    )  # fmt: skip


def tests_of(model) -> list[tuple]:
    """Every test of a model: feature, cut, way of missing values, set of codes."""
    found = []
    for tree in model.trees:
        for n in np.flatnonzero(tree.left >= 0):
            codes = tree.left_codes(n).tolist() if tree.is_categorical(n) else None
            found.append((int(tree.feature[n]), float(tree.cut[n]), int(tree.missing[n]), codes))
    return found


def put_test(p: dict, n: int, test: tuple, left: int, right: int) -> None:
    p["feature"][n], p["cut"][n], p["missing"][n], codes = test
    p["left"][n], p["right"][n] = left, right
    if codes is not None:
        p["sets"][n] = codes


def split_leaf(tree, d: Draws, tests: list[tuple], n_features: int):
    """A leaf becomes a test with that leaf on both sides."""
    p = parts(tree)
    n = d.pick([n for n in range(tree.n_nodes) if p["left"][n] < 0])
    for _ in range(2):
        for name, item in (("feature", -1), ("cut", 0.0), ("left", -1), ("right", -1), ("missing", 0)):
            p[name].append(item)
        p["value"].append(list(p["value"][n]))
    put_test(p, n, d.pick(tests), tree.n_nodes, tree.n_nodes + 1)
    return built(p, n_features)


def doubled(tree, d: Draws, tests: list[tuple], n_features: int):
    """A test in front of two copies of the tree: with one of its own tests, the order of tests is another."""
    p, n = parts(tree), tree.n_nodes
    made: dict = {"sets": {}}
    for name in ("feature", "cut", "missing", "value"):
        made[name] = [p[name][0], *p[name], *p[name]]
    for name in ("left", "right"):
        made[name] = [0, *(c + 1 if c >= 0 else -1 for c in p[name]), *(c + 1 + n if c >= 0 else -1 for c in p[name])]
    for node, codes in p["sets"].items():
        made["sets"][node + 1] = made["sets"][node + 1 + n] = codes
    put_test(made, 0, d.pick(tests), 1, 1 + n)
    return built(made, n_features)


def with_trees(model, trees):
    made = make_ensemble(trees, model.features, model.classes, voting=model.voting, cast=model.cast, base=model.base)
    return replace(model, trees=made.trees, features=made.features)


def rewritten(model, d: Draws):
    """The same function, tree by tree, by other trees."""
    tests = tests_of(model)
    trees = []
    for tree in model.trees:
        for change in d.some([split_leaf, split_leaf, doubled], 40) if tests else []:
            tree = change(tree, d, tests, len(model.features))
        trees.append(tree)
    return with_trees(model, trees)


def changed_leaf(model, d: Draws):
    """One leaf of one tree answers what another leaf does."""
    trees = list(model.trees)
    t = d.whole(0, len(trees) - 1)
    p = parts(trees[t])
    n = d.pick([n for n in range(trees[t].n_nodes) if p["left"][n] < 0])
    other = d.pick(trees)
    p["value"][n] = other.value[d.pick(np.flatnonzero(other.left < 0).tolist())].tolist()
    trees[t] = built(p, len(model.features))
    return with_trees(model, trees)


def turned(model, d: Draws):
    """The same function with columns, categories and (where no tie rule hangs on their order) classes reordered."""
    n = len(model.features)
    order = sorted(range(n), key=lambda _: d.whole(0, 999))
    place = {f: position for position, f in enumerate(order)}
    features = [replace(model.features[f], categories=model.features[f].categories[::-1]) for f in order]
    trees = []
    for tree in model.trees:
        p = parts(tree)
        sizes = {m: len(model.features[f].categories) for m, f in enumerate(p["feature"]) if m in p["sets"]}
        p["sets"] = {m: sorted(sizes[m] - 1 - code for code in codes) for m, codes in p["sets"].items()}
        p["feature"] = [place.get(f, -1) for f in p["feature"]]
        trees.append(built(p, n))
    made = make_ensemble(trees, features, model.classes, voting=model.voting, cast=model.cast, base=model.base)
    return replace(model, trees=made.trees, features=made.features)


def reclassed(model):
    """The classes in the opposite order: ties go to other classes."""
    if model.classes is None or model.n_outputs == 1:
        return model
    trees = [replace(tree, value=np.ascontiguousarray(tree.value[:, ::-1])) for tree in model.trees]
    return replace(model, trees=tuple(trees), classes=model.classes[::-1], base=model.base[::-1])


CHANGES = ("same", "rewritten", "changed", "turned", "reclassed", "order", "fewer", "tie")


@dataclass
class ModelPair:
    """Two models of the same columns (by name), and every cell that their cuts make."""

    how: str
    a: object
    b: object
    states: list
    tables: tuple[Rows, Rows]

    def answers(self, side: int, output: str) -> np.ndarray:
        """Per cell: the position of the label in a's order, numbers (cells, 1), or probabilities in a's order."""
        model = (self.a, self.b)[side]
        scores = oracle.scores_of(model, self.tables[side])
        if model.classes is None:
            return scores
        order = [model.classes.index(label) for label in self.a.classes]
        if output == "label":
            return np.array([order.index(c) for c in oracle.predicted(model, scores)])[:, None]
        share = scores / len(model.trees) if model.voting == "majority" else scores
        return share[:, order]

    def differ(self, output: str, tolerance: float) -> np.ndarray:
        return (np.abs(self.answers(0, output) - self.answers(1, output)) > tolerance).any(axis=1)

    def rows(self) -> list[dict]:
        """One row a cell."""
        features = self.a.features
        kinds = {"numeric": float, "integer": int, "boolean": bool}
        return [
            {
                f.name: x if x != x else f.categories[int(x)] if f.categories else kinds[f.kind](x)
                for f, x in zip(features, row.tolist(), strict=True)
            }
            for row in self.tables[0]
        ]

    def share(self, cells: np.ndarray) -> Fraction:
        return Fraction(int(cells.sum()), len(cells))


def seeded_pair(seed: int, **wanted) -> ModelPair:
    d = Draws(seed + 7)
    a = seeded_case(seed, **wanted).model
    how = CHANGES[seed % len(CHANGES)]
    b = rewritten(a, d) if how in ("rewritten", "changed") else a
    if how == "changed":
        b = changed_leaf(b, d)
    elif how == "turned":
        b = turned(rewritten(a, d), d)
    elif how == "reclassed":
        b = reclassed(a)
    elif how == "order":
        b = replace(a, trees=a.trees[::-1])
    elif how == "fewer":
        b = with_trees(a, a.trees[: max(1, len(a.trees) - 1)])
    elif how == "tie":
        b = replace(a, tie="last" if a.tie == "first" else "first")
    return paired(how, a, b)


def paired(how: str, a, b) -> ModelPair:
    place = [b.feature_names.index(name) for name in a.feature_names]
    states = [
        oracle.states_of(f, sorted({*oracle.cuts_of(a, i), *oracle.cuts_of(b, place[i])}), a.cast, f.may_be_missing)
        for i, f in enumerate(a.features)
    ]
    table = np.array(list(itertools.product(*([s.sample() for s in column] for column in states))), float)
    other = np.empty_like(table)
    for i, p in enumerate(place):
        known = a.features[i].categories
        codes = [b.features[p].categories.index(level) for level in known]
        column = table[:, i]
        if known:
            column = np.where(np.isnan(column), np.nan, np.array(codes)[np.nan_to_num(column).astype(int)])
        other[:, p] = column
    return ModelPair(how, a, b, states, (table, other))
