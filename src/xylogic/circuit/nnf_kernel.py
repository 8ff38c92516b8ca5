"""Circuits in negation normal form: literals that are sets of states, conjunctions and disjunctions.

Equal nodes are one node. A gate is the list of its children, ascending; they are made first, so they have smaller
numbers. A literal is the list of its feature and the runs of its states, first and last by turns.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

from xylogic.errors import InvalidInputError

if cython.compiled:
    from cython.cimports.xylogic.circuit.lists_kernel import Lists
    from cython.cimports.xylogic.domain.machine_kernel import bits, ints
else:
    from xylogic.circuit.lists_kernel import Lists
    from xylogic.domain.machine_kernel import bits, ints

FALSE = 0
TRUE = 1
KINDS = ("false", "true", "literal", "and", "or")


@cython.cclass
class Circuit(Lists):
    """Hash-consed nodes over features of ``n_states`` states each; node 0 is *false*, node 1 is *true*.

    A literal is a set of states of one feature, neither empty nor full; as an argument it is an integer with a bit
    for each state. A gate has at least two children, distinct and ascending, none of them constant. ``budget`` bounds
    nodes, bytes and time of all that is made; when it raises BudgetExceeded, all nodes made so far stay usable.
    """

    def __init__(self, n_states: object, budget: object = None) -> None:
        Lists.__init__(self)
        self.n_states = tuple(int(n) for n in n_states)
        self.n_features = len(self.n_states)
        self.keep["states"] = np.array([*self.n_states, 0], np.int32)
        self.state_count = ints(self.keep["states"])
        if budget is not None:
            self.limit(budget)

    def literal_runs(
        self, feature: cython.int, runs: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t
    ) -> cython.int:
        """The literal of n runs of states, ascending and disjoint: ``runs[at]``, ``runs[at + 1]`` are the first and
        the last state of the first run, and so on. Constant where that is no state, or every one. O(n)."""
        size: cython.Py_ssize_t = 1
        i: cython.Py_ssize_t
        if 2 * n >= self.scratch_room:
            with cython.gil:
                self._grow_scratch(2 * n + 1)
        self.scratch[0] = feature
        for i in range(n):
            if size > 1 and self.scratch[size - 1] + 1 == runs[at + 2 * i]:
                self.scratch[size - 1] = runs[at + 2 * i + 1]
            else:
                self.scratch[size] = runs[at + 2 * i]
                self.scratch[size + 1] = runs[at + 2 * i + 1]
                size += 2
        if size == 1:
            return 0
        if size == 3 and self.scratch[1] == 0 and self.scratch[2] == self.state_count[feature] - 1:
            return 1
        return self.find(2, cython.cast(cython.int, size))

    def literal_at(self, feature: cython.int, words: cython.p_ulonglong, at: cython.Py_ssize_t) -> cython.int:
        """The literal of the states in the bit set that starts at ``words[at]``. O(n_states)."""
        size: cython.Py_ssize_t = 1
        s: cython.int
        n: cython.int = cython.cast(cython.int, self.state_count[feature])
        one: cython.ulonglong = 1
        if n + 2 >= self.scratch_room:
            with cython.gil:
                self._grow_scratch(n + 2)
        self.scratch[0] = feature
        for s in range(n):
            if (words[at + (s >> 6)] >> (s & 63)) & one:
                if size > 1 and self.scratch[size - 1] == s - 1:
                    self.scratch[size - 1] = s
                else:
                    self.scratch[size] = s
                    self.scratch[size + 1] = s
                    size += 2
        if size == 1:
            return 0
        if size == 3 and self.scratch[1] == 0 and self.scratch[2] == n - 1:
            return 1
        return self.find(2, cython.cast(cython.int, size))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sort_scratch(self, n: cython.Py_ssize_t) -> cython.void:
        """Sort the first n items of the scratch (Shell's sort)."""
        gap: cython.Py_ssize_t = 1
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        item: cython.int
        while 9 * gap < 4 * n:
            gap = (9 * gap) // 4 + 1
        while gap > 0:
            for i in range(gap, n):
                item = self.scratch[i]
                k = i
                while k >= gap and self.scratch[k - gap] > item:
                    self.scratch[k] = self.scratch[k - gap]
                    k -= gap
                self.scratch[k] = item
            gap = (4 * gap) // 9

    def gate(self, kind: cython.int, children: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.int:
        """The conjunction (kind 3) or disjunction (kind 4) of ``children[at : at + n]``. O(n log n)."""
        i: cython.Py_ssize_t
        if n > self.scratch_room:
            with cython.gil:
                self._grow_scratch(n)
        for i in range(n):
            self.scratch[i] = children[at + i]
        return self.gathered(kind, n)

    def flat_gate(self, kind: cython.int, a: cython.int, b: cython.int) -> cython.int:
        """The gate of two nodes which takes over the children of those that are of its kind themselves."""
        i: cython.Py_ssize_t
        k: cython.int
        n: cython.int
        size: cython.Py_ssize_t = 0
        if self.size[a] + self.size[b] + 2 > self.scratch_room:
            with cython.gil:
                self._grow_scratch(self.size[a] + self.size[b] + 2)
        for k in range(2):
            n = b if k else a
            if self.kinds[n] == kind:
                for i in range(self.size[n]):
                    self.scratch[size] = self.items[self.at[n] + i]
                    size += 1
            else:
                self.scratch[size] = n
                size += 1
        return self.gathered(kind, size)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def gathered(self, kind: cython.int, n: cython.Py_ssize_t) -> cython.int:
        """The gate of the first n items of the scratch."""
        unit: cython.int = 1 if kind == 3 else 0  # TRUE, FALSE
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        size: cython.Py_ssize_t = 0
        child: cython.int
        for i in range(n):
            child = self.scratch[i]
            if child == 1 - unit:
                return child
            if child != unit:
                self.scratch[size] = child
                size += 1
        if size > 1:
            self.sort_scratch(size)
            k = 0
            for i in range(1, size):
                if self.scratch[i] != self.scratch[k]:
                    k += 1
                    self.scratch[k] = self.scratch[i]
            size = k + 1
        if size == 0:
            return unit
        if size == 1:
            return self.scratch[0]
        return self.find(kind, cython.cast(cython.int, size))

    # ---------------------------------------------------------------- from Python

    def literal(self, feature: cython.int, words: object) -> object:
        """The literal of a state set given as uint64 words, ``(n_states + 63) // 64`` of them."""
        given = np.array(words, dtype=np.uint64)
        n = self.n_states[feature] if 0 <= feature < self.n_features else 0
        if n == 0 or len(given) != (n + 63) // 64 or (n % 64 and int(given[len(given) - 1]) >> n % 64):
            raise InvalidInputError(f"feature {feature}, {len(given)} words: no set of states of this circuit")
        return self.literal_at(feature, bits(given), 0)

    def literal_of(self, feature: cython.int, states: object) -> object:
        """The literal of a state set given as an integer, a bit for each state."""
        if not 0 <= feature < self.n_features or not 0 <= states < 1 << self.n_states[feature]:
            raise InvalidInputError(f"feature {feature}, states {states:#b}: no set of states of this circuit")
        width = (self.n_states[feature] + 63) // 64
        return self.literal(feature, np.frombuffer(states.to_bytes(8 * width, "little"), dtype="<u8"))

    def conjunction(self, ids: object) -> object:
        """The conjunction of nodes; constants and duplicates vanish. O(n log n)."""
        return self._gate_of(3, ids)

    def disjunction(self, ids: object) -> object:
        """The disjunction of nodes; constants and duplicates vanish. O(n log n)."""
        return self._gate_of(4, ids)

    @cython.cfunc
    def _gate_of(self, kind: cython.int, ids: object) -> object:
        children = np.array([*ids, 0], dtype=np.int32)
        for child in (children.min(), children.max()):
            self._known(child)
        return self.gate(kind, ints(children), 0, len(children) - 1)

    @property
    def n_edges(self) -> object:
        """The number of links from gates to their children. O(n_nodes)"""
        return int(self.keep["size"][: self.n][self.keep["kinds"][: self.n] > 2].sum())

    def kind(self, node: cython.int) -> object:
        """``"false"``, ``"true"``, ``"literal"``, ``"and"`` or ``"or"``."""
        return KINDS[self.kinds[self._known(node)]]

    def feature(self, node: cython.int) -> object:
        """The feature of a literal, else -1."""
        return self._items(node)[0] if self.kinds[self._known(node)] == 2 else -1

    def states(self, node: cython.int) -> object:
        """The states of a literal as an integer with a bit for each; 0 elsewhere."""
        return sum((2 << last) - (1 << first) for first, last in self.runs(node))

    def runs(self, node: cython.int) -> object:
        """The states of a literal as runs (first, last), ascending; none elsewhere."""
        items = self._items(node) if self.kinds[self._known(node)] == 2 else []
        return tuple(zip(items[1::2], items[2::2], strict=True))

    def children(self, node: cython.int) -> object:
        """The children of a gate, ascending; none elsewhere."""
        return tuple(self._items(node)) if self.kinds[self._known(node)] > 2 else ()

    @cython.cfunc
    def _items(self, node: cython.int) -> object:
        return self.keep["items"][self.at[node] : self.at[node] + self.size[node]].tolist()

    @cython.cfunc
    def _known(self, node: cython.int) -> object:
        if not 0 <= node < self.n:
            raise InvalidInputError(f"node {node} is none of the circuit's {self.n}")
        return node
