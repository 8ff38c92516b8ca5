"""Trees written differently that are one function, and trees one leaf apart, with the oracle's word on which is so."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

import xylogic as xl
from models import Case, Draws
from oracle import Oracle, predicted
from xylogic import Feature


def transformed(d: Draws, case: Case):
    """The case's single tree after a few changes that keep its function, its columns, levels and classes reordered."""
    nodes = case.nodes[0]
    for _ in range(d.whole(1, 4)):
        nodes = d.pick([_doubled, _swapped, _redundant, _split_leaf])(d, case, nodes)
    features = [_shuffled_levels(d, feature) for feature in case.features]
    order = sorted(range(len(features)), key=lambda _: d.whole(0, 99))
    model = _built(nodes, [features[i] for i in order], case)
    if case.settings.get("voting") is not None:
        model = xl.build_ensemble([model], **case.settings)
    return model


def _built(nodes: dict, features: list[Feature], case: Case):
    """A tree of any shape, nodes that nothing reaches included: ``build_tree`` would refuse those."""
    from xylogic.model import handmade

    check, handmade.check_reachable = handmade.check_reachable, lambda *_: None
    try:
        return xl.build_tree(nodes, features, case.classes, cast=case.cast)
    finally:
        handmade.check_reachable = check


def _somewhere(d: Draws, nodes: dict, change, keep: int = 60) -> dict:
    """``nodes`` with one subtree changed."""
    if "feature" not in nodes or d.chance(100 - keep):
        return change(nodes)
    side = d.pick(["left", "right"])
    return {**nodes, side: _somewhere(d, nodes[side], change, keep)}


def _a_test(d: Draws, case: Case) -> dict:
    feature = d.pick(case.features)
    test: dict = {"feature": feature.name}
    if feature.kind == "categorical":
        test["in"] = d.some(feature.categories, 50) or [feature.categories[0]]
    else:
        test["cut"] = d.pick([0.25, 0.5, -1.0, 2.2, 2.7, 5.0, 18.4])
    return test | ({"missing": d.pick(["left", "right"])} if case.routes else {})


def _doubled(d: Draws, case: Case, nodes: dict) -> dict:
    """A test with the same subtree on both sides."""
    return _somewhere(d, nodes, lambda sub: {**_a_test(d, case), "left": sub, "right": sub})


def _split_leaf(d: Draws, case: Case, nodes: dict) -> dict:
    return _somewhere(d, nodes, lambda sub: {**_a_test(d, case), "left": sub, "right": sub}, keep=100)


def _redundant(d: Draws, case: Case, nodes: dict) -> dict:
    """The same test again below itself, with anything where nothing comes."""

    def change(sub: dict) -> dict:
        if "feature" not in sub:
            return sub
        side, other = d.pick([("left", "right"), ("right", "left")])
        return {**sub, side: {**sub, side: sub[side], other: sub[other]}}

    return _somewhere(d, nodes, change)


def _swapped(d: Draws, case: Case, nodes: dict) -> dict:
    """``f ? (g ? a : b) : (g ? c : d)`` as ``g ? (f ? a : c) : (f ? b : d)``, where both sides test the same."""

    def change(sub: dict) -> dict:
        if "feature" not in sub:
            return sub
        test = lambda node: {k: v for k, v in node.items() if k not in ("left", "right")}  # noqa: E731
        left, right = sub["left"], sub["right"]
        inner = left if "feature" in left else right if "feature" in right else None
        if inner is None:
            return sub
        g = test(inner)
        parts = [
            [side["left"], side["right"]] if "feature" in side and test(side) == g else [side, side]
            for side in (left, right)
        ]
        f = test(sub)
        return {
            **g,
            "left": {**f, "left": parts[0][0], "right": parts[1][0]},
            "right": {**f, "left": parts[0][1], "right": parts[1][1]},
        }

    return _somewhere(d, nodes, change)


def _shuffled_levels(d: Draws, feature: Feature) -> Feature:
    return replace(feature, categories=tuple(sorted(feature.categories, key=lambda _: d.whole(0, 99))))


def changed(d: Draws, model):
    """The single tree with another answer at one leaf; ``None`` where it has one class only."""
    tree = model.trees[0]
    leaves = np.flatnonzero(tree.left < 0)
    leaf = int(d.pick(leaves.tolist()))
    value = tree.value.copy()
    if model.classes is None:
        value[leaf] += 1.0
    elif model.is_binary_sum:
        value[leaf] = -value[leaf] + d.pick([-0.5, 0.5])
    else:
        value[leaf] = np.roll(value[leaf], 1)
    return replace(model, trees=(replace(tree, value=value),))


def same_function(a, b) -> bool:
    """Whether two models of the same tests answer the same in every cell."""
    one, other = Oracle(a), Oracle(b)
    return bool((predicted(a, one.scores) == predicted(b, other.scores)).all())


def normal_pieces(model, feature, states) -> list[float]:
    """The upper end of each ordered state, as the definition of the weights wants it: a float64 number."""
    ends = []
    for state in states:
        if state.kind == "missing":
            continue
        end = state.high
        if math.isfinite(end) and model.cast == "float32":
            end = last_double(end)
        ends.append(float(math.floor(end)) if math.isfinite(end) and feature.kind != "numeric" else end)
    return ends


def last_double(cut: float) -> float:
    """The largest double that single precision rounds to at most ``cut``, by bisection."""
    low, high = cut, float(np.nextafter(np.float32(cut), np.float32(np.inf)))
    while True:
        middle = low + (high - low) / 2
        if middle in (low, high):
            return low
        low, high = (middle, high) if float(np.float32(middle)) <= cut else (low, middle)
