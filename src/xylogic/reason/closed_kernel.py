"""Complete and general reasons in closed form on a weak-test-once decision graph (A. Darwiche and A. Ji, On the
computation of necessary and sufficient explanations, 2022; A. Ji and A. Darwiche, 2023). Linear in the graph.

A node that tests X, seen from a row with X = i, becomes the conjunction of (child or literal) over its edges' sets S.
Complete reason: no literal where S holds i; {i} where another edge holds it; none where no edge does, since the path
has the literal already. General reason: no literal where S holds i, else all states but S, of the whole domain.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.circuit.nnf_kernel import Circuit
    from cython.cimports.xylogic.domain.machine_kernel import ints, longs
else:
    from xylogic.circuit.nnf_kernel import Circuit
    from xylogic.domain.machine_kernel import ints, longs


def closed_form(circuit: Circuit, graph: object, accepted: object, states: object, general: cython.bint) -> int:
    """The node, in ``circuit``, of the complete or ``general`` reason why a row's label is an accepted one.

    Parameters
    ----------
    circuit : over the graph's features.
    graph : a weak-test-once :class:`~xylogic.circuit.graph.Graph`.
    accepted : bool (n_labels,), labels that count as true.
    states : int32 (n_features,), the row.

    Raises BudgetExceeded by the circuit's budget. O(edges).
    """
    form = Closed(circuit, graph, states)
    return form.run(accepted, general)


@cython.cclass
class Closed:
    """The pass over one graph."""

    circuit: Circuit
    keep: object
    n_labels: cython.int
    root: cython.int
    feature: cython.p_int
    edge_at: cython.p_longlong
    lo: cython.p_int
    hi: cython.p_int
    child: cython.p_int
    x: cython.p_int
    form: cython.p_int
    group: cython.p_int
    first: cython.p_longlong
    last: cython.p_longlong
    following: cython.p_longlong
    parts: cython.p_int
    runs: cython.p_int
    pair: cython.p_int

    def __init__(self, circuit: Circuit, graph: object, states: object) -> None:
        degree = int(np.diff(graph.edge_at).max(initial=0))
        self.circuit = circuit
        self.n_labels = graph.n_labels
        self.root = graph.root
        edges = {name: np.append(getattr(graph, name), 0).astype(np.int32) for name in ("lo", "hi", "child")}
        self.keep = {
            **edges,
            "feature": np.ascontiguousarray(graph.feature, dtype=np.int32),
            "edge_at": np.ascontiguousarray(graph.edge_at, dtype=np.int64),
            "x": np.append(states, 0).astype(np.int32),
            "form": np.full(graph.n_nodes, -1, np.int32),
            "group": np.full(graph.n_nodes, -1, np.int32),
            "first": np.zeros(graph.n_nodes, np.int64),
            "last": np.zeros(graph.n_nodes, np.int64),
            "following": np.zeros(graph.n_edges + 1, np.int64),
            "parts": np.zeros(degree + 2, np.int32),
            "runs": np.zeros(2 * degree + 4, np.int32),
            "pair": np.zeros(2, np.int32),
        }
        self.feature = ints(self.keep["feature"])
        self.edge_at = longs(self.keep["edge_at"])
        self.lo = ints(self.keep["lo"])
        self.hi = ints(self.keep["hi"])
        self.child = ints(self.keep["child"])
        self.x = ints(self.keep["x"])
        self.form = ints(self.keep["form"])
        self.group = ints(self.keep["group"])
        self.first = longs(self.keep["first"])
        self.last = longs(self.keep["last"])
        self.following = longs(self.keep["following"])
        self.parts = ints(self.keep["parts"])
        self.runs = ints(self.keep["runs"])
        self.pair = ints(self.keep["pair"])

    @cython.cfunc
    def run(self, accepted: object, general: cython.bint):
        n: cython.int
        e: cython.Py_ssize_t
        wanted = np.append(accepted, 0).astype(np.int32)
        good: cython.p_int = ints(wanted)
        with cython.nogil:
            # Only what the root reaches.
            self.group[self.root] = 0
            for n in range(self.root, self.n_labels - 1, -1):
                if self.group[n] == 0:
                    for e in range(self.edge_at[n], self.edge_at[n + 1]):
                        self.group[self.child[e]] = 0
            for n in range(self.root + 1):
                if n < self.n_labels:
                    self.form[n] = good[n]
                elif self.group[n] == 0:
                    self.form[n] = self.general_at(n) if general else self.complete_at(n)
        return int(self.form[self.root])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def complete_at(self, n: cython.int) -> cython.int:
        """The form at node n, its edges that the row does not take put together: r(own) and ({i} or all others)."""
        e: cython.Py_ssize_t
        size: cython.Py_ssize_t = 0
        own: cython.int = -1
        i: cython.int = self.x[self.feature[n]]
        for e in range(self.edge_at[n], self.edge_at[n + 1]):
            if self.lo[e] <= i and i <= self.hi[e]:
                own = self.child[e]
        for e in range(self.edge_at[n], self.edge_at[n + 1]):
            # Other edges to the own child count with the own one: below them X may be tested again.
            if self.child[e] != own:
                self.parts[size] = self.form[self.child[e]]
                size += 1
        self.pair[0] = self.circuit.gate(3, self.parts, 0, size)
        if own < 0:
            return self.pair[0]
        self.runs[0] = i
        self.runs[1] = i
        self.pair[1] = self.circuit.literal_runs(self.feature[n], self.runs, 0, 1)
        self.pair[0] = self.circuit.gate(4, self.pair, 0, 2)
        self.pair[1] = self.form[own]
        return self.circuit.gate(3, self.pair, 0, 2)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def general_at(self, n: cython.int) -> cython.int:
        """The form at node n; edges to one child count as one."""
        e: cython.Py_ssize_t
        k: cython.longlong
        c: cython.int
        f: cython.int = self.feature[n]
        i: cython.int = self.x[f]
        size: cython.Py_ssize_t = 0
        n_runs: cython.Py_ssize_t
        upto: cython.int
        own: cython.bint
        for e in range(self.edge_at[n], self.edge_at[n + 1]):
            c = self.child[e]
            if self.group[c] != n:
                self.group[c] = n
                self.first[c] = e
            else:
                self.following[self.last[c]] = e
            self.last[c] = e
            self.following[e] = -1
        for e in range(self.edge_at[n], self.edge_at[n + 1]):
            c = self.child[e]
            if self.first[c] != e or self.group[c] != n:
                continue
            # All states but those of the edges to c, as runs.
            n_runs = 0
            upto = 0
            own = False
            k = e
            while k >= 0:
                own = own or (self.lo[k] <= i and i <= self.hi[k])
                if self.lo[k] > upto:
                    self.runs[2 * n_runs] = upto
                    self.runs[2 * n_runs + 1] = self.lo[k] - 1
                    n_runs += 1
                upto = self.hi[k] + 1
                k = self.following[k]
            self.pair[0] = self.form[c]
            self.pair[1] = 0
            if not own:
                if upto < self.circuit.state_count[f]:
                    self.runs[2 * n_runs] = upto
                    self.runs[2 * n_runs + 1] = self.circuit.state_count[f] - 1
                    n_runs += 1
                self.pair[1] = self.circuit.literal_runs(f, self.runs, 0, n_runs)
            self.parts[size] = self.circuit.gate(4, self.pair, 0, 2)
            size += 1
        return self.circuit.gate(3, self.parts, 0, size)
