"""The trees of Theorem 1 of "Efficient & Correct Predictive Equivalence for Decision Trees", and its Figure 1."""

from __future__ import annotations

from collections.abc import Sequence

from xylogic import Feature, build_tree


def gadget_nodes(r: int, *, last: tuple[int, int] = (0, 1)) -> list[dict]:
    """The 6r + 3 nodes, root first; ``last``: the labels of the final gadget."""
    nodes: list[dict] = []
    for k in range(1, r + 1):
        at = len(nodes)
        nodes += [
            {"feature": f"x{2 * k - 1}", "cut": 0.5, "left": at + 1, "right": at + 4},
            {"feature": f"x{2 * k}", "cut": 0.5, "left": at + 2, "right": at + 3},
            {"class": 0},
            {"class": 1},
            {"feature": f"x{2 * k}", "cut": 0.5, "left": at + 5, "right": at + 6},
            {"class": 1},
        ]
    at = len(nodes)
    nodes.append({"feature": f"x{2 * r + 1}", "cut": 0.5, "left": at + 1, "right": at + 2})
    return [*nodes, {"class": last[0]}, {"class": last[1]}]


def gadget(r: int, *, last: tuple[int, int] = (0, 1), columns: Sequence[int] | None = None):
    """The tree with 6r + 3 nodes over 2r + 1 booleans; row 1, ..., 1 has class 1, for which it has 2^r AXps.

    ``columns``: the numbers of the features in the order of the model's columns.
    """
    features = [Feature(f"x{i}", "boolean") for i in columns or range(1, 2 * r + 2)]
    return build_tree(gadget_nodes(r, last=last), features, (0, 1))


def figure_1():
    """T1, T2 and T3: x1 or x2, twice, and x1 or not x2."""
    features = [Feature("x1", "boolean"), Feature("x2", "boolean")]

    def tree(first: str, second: str, leaf_4: int, leaf_5: int):
        below = {"feature": second, "cut": 0.5, "left": {"class": leaf_4}, "right": {"class": leaf_5}}
        return build_tree({"feature": first, "cut": 0.5, "left": below, "right": {"class": 1}}, features, (0, 1))

    return tree("x1", "x2", 0, 1), tree("x2", "x1", 0, 1), tree("x1", "x2", 1, 0)
