"""Graphs out of a manager and into it: frozen, adopted, negated. All linear but for adopting what is not weak
test-once."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

from xylogic.circuit.graph import Graph
from xylogic.errors import InvalidInputError

if cython.compiled:
    from cython.cimports.xylogic.circuit.apply_kernel import Apply
    from cython.cimports.xylogic.circuit.graphs_kernel import Graphs
    from cython.cimports.xylogic.domain.machine_kernel import ints
else:
    from xylogic.circuit.apply_kernel import Apply
    from xylogic.circuit.graphs_kernel import Graphs
    from xylogic.domain.machine_kernel import ints


@cython.cfunc
def _reached(graphs: Graphs, root: cython.int) -> object:
    """The constants and the nodes on paths from ``root``, ascending."""
    marked = np.zeros(max(root, 1) + 1, np.int32)
    marked[[0, 1, root]] = 1
    mark: cython.p_int = ints(marked)
    n: cython.Py_ssize_t
    k: cython.Py_ssize_t
    with cython.nogil:
        for n in range(root, 1, -1):
            if mark[n]:
                k = graphs.at[n] + 3
                while k < graphs.at[n] + graphs.size[n]:
                    mark[graphs.items[k]] = 1
                    k += 3
    return np.flatnonzero(marked).astype(np.int32)


def freeze(graphs: Graphs, root: cython.int) -> object:
    """The graph below ``root`` as a :class:`Graph` with leaves *false* and *true*."""
    nodes = _reached(graphs, root)
    image = np.zeros(len(graphs.keep["size"]), np.int32)
    image[nodes] = np.arange(len(nodes), dtype=np.int32)
    n_edges = graphs.keep["size"][nodes] // 3
    edge_at = np.concatenate([np.zeros(1, np.int64), np.cumsum(n_edges, dtype=np.int64)])
    feature = np.full(len(nodes), -1, np.int32)
    lo, hi, child = (np.zeros(int(n_edges.sum()) + 1, np.int32) for _ in range(3))
    number: cython.p_int = ints(nodes)
    new: cython.p_int = ints(image)
    tested: cython.p_int = ints(feature)
    low: cython.p_int = ints(lo)
    high: cython.p_int = ints(hi)
    below: cython.p_int = ints(child)
    p: cython.Py_ssize_t
    k: cython.Py_ssize_t
    to: cython.Py_ssize_t = 0
    last: cython.Py_ssize_t = len(nodes)
    with cython.nogil:
        for p in range(2, last):
            k = graphs.at[number[p]]
            tested[p] = graphs.items[k]
            k += 1
            while k < graphs.at[number[p]] + graphs.size[number[p]]:
                low[to] = graphs.items[k]
                high[to] = graphs.items[k + 1]
                below[to] = new[graphs.items[k + 2]]
                to += 1
                k += 3
    return Graph(graphs.n_states, 2, feature, edge_at, lo[:to], hi[:to], child[:to], int(image[root]))


def adopt(graphs: Apply, graph: object) -> object:
    """The root of a :class:`Graph` in the manager, made weak test-once.

    Its leaves are *false* and *true*, and each of its tests leaves no state without an edge that a path can bring.
    """
    if graph.n_labels != 2 or graph.n_states != graphs.n_states:
        raise InvalidInputError("a graph with the manager's features and the leaves false and true is accepted")
    image = np.arange(graph.n_nodes + 1, dtype=np.int32)
    feature = np.append(graph.feature, np.int32(0))
    edge_at = np.array(graph.edge_at, np.int32)
    edges = np.append(np.stack([graph.lo, graph.hi, graph.child], axis=1).ravel(), np.int32(0)).astype(np.int32)
    new: cython.p_int = ints(image)
    tested: cython.p_int = ints(feature)
    first: cython.p_int = ints(edge_at)
    edge: cython.p_int = ints(edges)
    n: cython.Py_ssize_t
    k: cython.Py_ssize_t
    last: cython.Py_ssize_t = graph.n_nodes
    size: cython.int
    root: cython.int = graph.root
    with cython.nogil:
        for n in range(2, last):
            if 3 * (first[n + 1] - first[n]) + 1 > graphs.scratch_room:
                with cython.gil:
                    graphs._grow_scratch(3 * (first[n + 1] - first[n]) + 1)
            graphs.scratch[0] = tested[n]
            size = 1
            for k in range(first[n], first[n + 1]):
                graphs.scratch[size] = edge[3 * k]
                graphs.scratch[size + 1] = edge[3 * k + 1]
                graphs.scratch[size + 2] = new[edge[3 * k + 2]]
                size += 3
            new[n] = graphs.node(3, size, 0)
        root = graphs.join(new[root], 1, 3)
    return root


def negation(graphs: Graphs, root: cython.int) -> object:
    """The root of the graph with *false* and *true* exchanged. O(edges)"""
    nodes = _reached(graphs, root)
    image = np.zeros(max(root, 1) + 1, np.int32)
    image[0] = 1
    number: cython.p_int = ints(nodes)
    new: cython.p_int = ints(image)
    p: cython.Py_ssize_t
    k: cython.Py_ssize_t
    last: cython.Py_ssize_t = len(nodes)
    n: cython.int
    size: cython.int
    with cython.nogil:
        for p in range(2, last):
            n = number[p]
            size = graphs.size[n]
            if size > graphs.scratch_room:
                with cython.gil:
                    graphs._grow_scratch(size)
            for k in range(size):
                graphs.scratch[k] = graphs.items[graphs.at[n] + k]
            k = 3
            while k < size:
                graphs.scratch[k] = new[graphs.scratch[k]]
                k += 3
            new[n] = graphs.node(graphs.kinds[n], size, graphs.context[n])
    return int(image[root])
