"""Questions about decision graphs of free order: paths test features weakly once, in different orders."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from xylogic.budget import Budget
from xylogic.circuit import combine, counting
from xylogic.circuit.diagram import Diagram
from xylogic.circuit.graph import Graph
from xylogic.domain.cells import Cells
from xylogic.domain.feature import Feature
from xylogic.errors import BudgetExceeded

CELLS = tuple(Cells(Feature(name), (0.5, 1.5), "float64", False) for name in "XYZ")
ROWS = np.array(list(itertools.product(range(3), repeat=3)), dtype=float)


def graph_of(nodes, root, n_labels) -> Graph:
    """A graph from inner nodes (feature, [(lo, hi, child), ...]), numbered behind the leaves."""
    edges = [edge for _, out in nodes for edge in out]
    lo, hi, child = (np.array(part, np.int32) for part in zip(*edges, strict=True))
    return Graph(
        n_states=(3, 3, 3),
        n_labels=n_labels,
        feature=np.array([-1] * n_labels + [feature for feature, _ in nodes], np.int32),
        edge_at=np.cumsum([0] * (n_labels + 1) + [len(out) for _, out in nodes]).astype(np.int64),
        lo=lo,
        hi=hi,
        child=child,
        root=root,
    )


def figure_1() -> Graph:
    """The graph of Figure 1: Y is tested again where X is 1; labels c1, c2, c3."""
    x, y, z = 0, 1, 2
    again = (y, [(1, 1, 1), (2, 2, 0)])
    last = (z, [(0, 1, 1), (2, 2, 2)])
    return graph_of([again, last, (x, [(0, 0, 3), (1, 2, 4)]), (y, [(0, 0, 0), (1, 2, 5)])], 6, 3)


def labels() -> np.ndarray:
    x, y, z = ROWS.T
    low = np.where(x == 0, np.where(y == 1, 1, 0), np.where(z <= 1, 1, 2))
    return np.where(y == 0, 0, low)


def diagram(label: int) -> Diagram:
    """One class of Figure 1, its graph of free order as it stands."""
    graph = figure_1()
    moved = np.where(graph.child < 3, (graph.child == label).astype(np.int32), graph.child - 1).astype(np.int32)
    edge_at = graph.edge_at[1:]
    return Diagram(Graph((3, 3, 3), 2, graph.feature[1:], edge_at, graph.lo, graph.hi, moved, graph.root - 1), CELLS)


def test_known_counts():
    assert [counting.count(figure_1(), label) for label in range(3)] == [12, 11, 4]


@pytest.mark.parametrize("label", range(3))
def test_questions(label):
    free, wanted = diagram(label), labels() == label
    assert free.evaluate(ROWS).tolist() == wanted.tolist()
    assert (free.count(), (~free).count()) == (wanted.sum(), 27 - wanted.sum())
    assert free.probability() == pytest.approx(wanted.mean())
    boxes = list(free.boxes())
    rows = [dict(zip("XYZ", row, strict=True)) for row in ROWS.tolist()]
    assert [sum(box.matches(row) for box in boxes) for row in rows] == wanted.astype(int).tolist()
    assert free.evaluate([free.row()]).all()
    for f, name in enumerate("XYZ"):
        for state in range(3):
            inside = ROWS[:, f] == state
            smaller = free.restrict({name: float(state)})
            assert smaller.evaluate(ROWS[inside]).tolist() == wanted[inside].tolist()
            assert name not in smaller.features


def test_joined_and_compared():
    c1, c2, c3 = (diagram(label) for label in range(3))
    assert (c1 | c2 | c3).count() == 27
    assert (c1 & c2).count() == 0
    assert (c1 | c2) == ~c3 and c1 != c2
    for order in itertools.permutations(range(3)):
        made = combine.ordered(c2.graph, order, Budget())
        assert made.order == order and Diagram(made, CELLS) == c2
        assert (Diagram(made, CELLS) & ~c2).count() == 0


def test_budget():
    with pytest.raises(BudgetExceeded):
        diagram(0).joined("and", [diagram(1)], Budget(memory_limit=10))


def test_saved(tmp_path):
    diagram(1).save(tmp_path / "d.json")
    again = Diagram.load(tmp_path / "d.json")
    assert again.graph.order is None and again == diagram(1)
