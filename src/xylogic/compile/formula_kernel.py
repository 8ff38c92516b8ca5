"""Class formulas of trees as circuits (FORMULAS 2.2 for two-way tests)."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.circuit.nnf_kernel import Circuit
    from cython.cimports.xylogic.domain.machine_kernel import ints
else:
    from xylogic.circuit.nnf_kernel import Circuit
    from xylogic.domain.machine_kernel import ints


def literals(circuit: Circuit, features: cython.int[::1], sides: object) -> object:
    """The literal of one side of each test (constant where it is empty or full); int32 (n_tests + 1,). O(runs)"""
    answer = np.zeros(len(sides.at), np.int32)
    feature: cython.p_int = ints(features)
    at: cython.p_int = ints(sides.at)
    run: cython.p_int = ints(sides.runs)
    out: cython.p_int = ints(answer)
    t: cython.Py_ssize_t
    n: cython.Py_ssize_t = len(answer) - 1
    with cython.nogil:
        for t in range(n):
            out[t] = circuit.literal_runs(feature[t], run, 2 * at[t], at[t + 1] - at[t])
    return answer


def parents_first(left: cython.int[::1], right: cython.int[::1], roots: cython.int[::1]) -> object:
    """The nodes of a forest, each before those below it, tree after tree: int32. O(n_nodes)"""
    answer = np.zeros(left.shape[0] + 1, np.int32)
    waiting = np.zeros(left.shape[0] + 2, np.int32)
    order: cython.p_int = ints(answer)
    stack: cython.p_int = ints(waiting)
    n_trees: cython.Py_ssize_t = roots.shape[0]
    t: cython.Py_ssize_t
    n: cython.int
    top: cython.Py_ssize_t
    done: cython.Py_ssize_t = 0
    with cython.nogil:
        for t in range(n_trees):
            stack[0] = roots[t]
            top = 1
            while top > 0:
                top -= 1
                n = stack[top]
                order[done] = n
                done += 1
                if left[n] >= 0:
                    stack[top] = right[n]
                    stack[top + 1] = left[n]
                    top += 2
    return answer[:done]


def class_formulas(
    circuit: Circuit,
    left: cython.int[::1],
    right: cython.int[::1],
    order: cython.int[::1],
    roots: cython.int[::1],
    test: cython.int[::1],
    left_literal: cython.int[::1],
    right_literal: cython.int[::1],
    vote: cython.int[::1],
    label: cython.int,
    negate: cython.bint,
) -> object:
    """Per tree, the formula that its leaf votes for ``label`` (``negate``: that it does not); int32 (n_trees,).

    A test with literals L and R for its sides, and formulas f and g below them, is (f or R) and (g or L), or as well
    (f and L) or (g and R): whichever lets more of f and g join their gates. With a constant below, one gate does.
    ``order``: parents first. O(n_nodes), each tree node's gate being gathered once.
    """
    builder = TreeBuilder(circuit, left.shape[0])
    answer = np.zeros(roots.shape[0] + 1, np.int32)
    out: cython.p_int = ints(answer)
    n_trees: cython.Py_ssize_t = roots.shape[0]
    p: cython.Py_ssize_t
    last: cython.Py_ssize_t = order.shape[0] - 1
    n: cython.int
    with cython.nogil:
        for p in range(last, -1, -1):
            n = order[p]
            if left[n] < 0:
                builder.value[n] = (vote[n] == label) != negate
            else:
                builder.join(n, left[n], right[n], left_literal[test[n]], right_literal[test[n]])
        for p in range(n_trees):
            out[p] = builder.finished(roots[p], 0, 1)
    return answer[:n_trees]


@cython.cclass
class TreeBuilder:
    """Formulas of the nodes of trees: finished, as a node of the circuit, or a gate whose children are still gathered.

    A node's list is taken over by the one node above it, so lists are chains that grow at their head.
    """

    def __init__(self, circuit: Circuit, n_nodes: cython.Py_ssize_t) -> None:
        self.circuit = circuit
        names = ("value", "kind", "head", "item", "next", "gathered")
        self.keep = {name: np.zeros(2 * n_nodes + 4, np.int32) for name in names}
        self.value = ints(self.keep["value"])
        self.kind = ints(self.keep["kind"])
        self.head = ints(self.keep["head"])
        self.item = ints(self.keep["item"])
        self.next = ints(self.keep["next"])
        self.gathered = ints(self.keep["gathered"])
        self.n_items = 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def push(self, n: cython.int, item: cython.int) -> cython.void:
        """One more child of node n's unfinished gate."""
        self.item[self.n_items] = item
        self.next[self.n_items] = self.head[n]
        self.head[n] = self.n_items
        self.n_items += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def finished(self, n: cython.int, kind: cython.int, literal: cython.int) -> cython.int:
        """Node n's formula, joined with a literal by a gate of ``kind`` (0: as it is) into one gate where it can be."""
        k: cython.int
        size: cython.Py_ssize_t = 0
        if self.kind[n]:
            k = self.head[n]
            while k:
                self.gathered[size] = self.item[k]
                size += 1
                k = self.next[k]
            if self.kind[n] != kind and kind:
                self.gathered[0] = self.circuit.gate(self.kind[n], self.gathered, 0, size)
                size = 1
        else:
            self.gathered[0] = self.value[n]
            size = 1
        if kind:
            self.gathered[size] = literal
            size += 1
        elif size == 1:
            return self.gathered[0]
        return self.circuit.gate(kind if kind else self.kind[n], self.gathered, 0, size)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def extend(self, n: cython.int, child: cython.int, kind: cython.int, literal: cython.int) -> cython.int:
        """Node n becomes its child's formula joined with a literal."""
        self.kind[n] = kind
        if self.kind[child] == kind:
            self.head[n] = self.head[child]
        else:
            self.head[n] = 0
            self.push(n, self.finished(child, 0, 1))
        self.push(n, literal)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def join(
        self, n: cython.int, left: cython.int, right: cython.int, left_literal: cython.int, right_literal: cython.int
    ) -> cython.int:
        """The formula of node n from those of its children."""
        a: cython.int = -1 if self.kind[left] else self.value[left]  # -1: unfinished
        b: cython.int = -1 if self.kind[right] else self.value[right]
        kind: cython.int
        part: cython.int
        self.kind[n] = 0
        if right_literal == 0 or (a >= 0 and a == b):
            self.kind[n] = self.kind[left]
            self.value[n] = self.value[left]
            self.head[n] = self.head[left]
        elif left_literal == 0:
            self.kind[n] = self.kind[right]
            self.value[n] = self.value[right]
            self.head[n] = self.head[right]
        elif (a == 0 or a == 1) and (b == 0 or b == 1):
            self.value[n] = left_literal if a == 1 else right_literal
        elif a == 0 or a == 1:
            self.extend(n, right, 4 if a == 1 else 3, left_literal if a == 1 else right_literal)
        elif b == 0 or b == 1:
            self.extend(n, left, 4 if b == 1 else 3, right_literal if b == 1 else left_literal)
        else:
            kind = self.kind[left] if self.kind[left] else self.kind[right]
            kind = 3 if kind == 3 else 4  # of the two gates below node n's own
            part = self.finished(left, kind, left_literal if kind == 3 else right_literal)
            self.head[n] = 0
            self.push(n, part)
            part = self.finished(right, kind, right_literal if kind == 3 else left_literal)
            self.push(n, part)
            self.kind[n] = 7 - kind
        return 0
