"""The trees of Theorem 1 of "Efficient & Correct Predictive Equivalence for Decision Trees"."""

from __future__ import annotations

from collections.abc import Sequence

from xylogic import Ensemble, Feature, build_tree


def gadget_tree(r: int, columns: Sequence[int] | None = None) -> Ensemble:
    """r main gadgets and the final one: 6 r + 3 nodes, 2 r + 1 features of two states, in this order of columns."""

    def test(feature: int, low: int, high: int) -> dict:
        return {"feature": f"x{feature}", "cut": 0.5, "left": low, "right": high}

    nodes: list[dict] = []
    for k in range(1, r + 1):
        at = len(nodes)
        nodes += [test(2 * k - 1, at + 1, at + 2), test(2 * k, at + 3, at + 4), test(2 * k, at + 5, at + 6)]
        nodes += [{"class": 0}, {"class": 1}, {"class": 1}]
    at = len(nodes)
    nodes += [test(2 * r + 1, at + 1, at + 2), {"class": 0}, {"class": 1}]
    names = [f"x{f}" for f in columns or range(1, 2 * r + 2)]
    return build_tree(nodes, [Feature(name, "boolean") for name in names], [0, 1])
