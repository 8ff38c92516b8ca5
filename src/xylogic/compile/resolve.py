"""Sums too close for fixed point, decided by the model's own float arithmetic.

Where the product ends at the label *unresolved*, the sums of a constraint lie within the rounding error of the
model's own summation. Below nodes that lead there, every tree is followed down to its leaf, and the leaves' values
are added in the model's order. Elsewhere the diagram stays as it is.
"""

from __future__ import annotations

import numpy as np

from xylogic.budget import Budget
from xylogic.circuit.diagram_kernel import reaching
from xylogic.circuit.graph import Graph
from xylogic.circuit.ordered_kernel import Ordered
from xylogic.compile.resolve_kernel import Resolver
from xylogic.compile.trees import Trees
from xylogic.compile.votes import Question
from xylogic.model.sums import Scores

__all__ = ["resolved"]


def resolved(trees: Trees, scores: Scores, question: Question, product: Graph, budget: Budget) -> Graph:
    """``product``'s graph (its last label is *unresolved*) with every row at a label of ``question``.

    A product of the graph with all trees, below the nodes that reach *unresolved*: exponential in the worst case, and
    small where sums seldom tie.
    """
    n_states, order = product.n_states, trees.order
    level_of = np.zeros(len(n_states) + 1, np.int32)
    level_of[list(order)] = np.arange(len(order), dtype=np.int32)
    level_of[-1] = len(order)  # of leaves, whose feature is -1
    sizes = [n_states[f] for f in order]
    marks = np.zeros(product.n_nodes, np.int32)
    marks[question.n_labels] = 1
    reaching(product.feature, product.edge_at, product.child, marks)
    out = Ordered(sizes, question.n_labels, budget)
    places = out.add(product, [*range(question.n_labels), 0], level_of)
    places[marks > 0] = -1
    # Only some scores matter; leaves that agree in these are one.
    columns = sorted({c for held in question.constraints for c in (held.plus, held.minus) if c >= 0})
    place = {-1: -1, **{column: position for position, column in enumerate(columns)}}
    values, label = np.unique(scores.values[trees.forest.leaf][:, columns], axis=0, return_inverse=True)
    leaves = Ordered(sizes, len(values), budget)
    roots = leaves.add(trees.graph(), label.reshape(-1), level_of)[trees.roots]
    forest = leaves.whole(int(roots[-1]), order, n_states)
    shift = product.n_nodes
    problem = {
        "level": np.concatenate([level_of[product.feature], level_of[forest.feature]]),
        "edge_at": np.concatenate([product.edge_at, forest.edge_at[1:] + product.n_edges]),
        "hi": np.concatenate([product.hi, forest.hi]),
        "child": np.concatenate([product.child, forest.child + np.int32(shift)]),
        "place": places,
        "roots": np.append(np.int32(product.root), roots + np.int32(shift)),
        "value": np.ascontiguousarray(values).reshape(-1),
        "base": np.ascontiguousarray(scores.base[columns]),
        "divisor": scores.divisor,
        "plus": np.array([place[c.plus] for c in question.constraints], np.int32),
        "minus": np.array([place[c.minus] for c in question.constraints], np.int32),
        "strict": np.array([c.strict for c in question.constraints], np.int32),
        "number": np.array([c.level for c in question.constraints]),
        "n_classes": question.n_classes,
        "winner": question.plus,
        "loser": question.minus,
    }
    root = Resolver(out, problem, budget).run()
    found: Graph = out.graph(root, order, n_states)
    return found
