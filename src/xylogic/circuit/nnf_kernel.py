"""Circuits in negation normal form: literals that are sets of states, conjunctions and disjunctions.

Equal nodes are one node (hash-consing): a kind and a run of ``items`` each, found through an open-addressing table of
node numbers. A gate's items are its children, ascending; they are made first, so they have smaller numbers. A
literal's items are its feature and the runs of its states, first and last by turns.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

from xylogic.budget import Budget
from xylogic.errors import BudgetExceeded, InvalidInputError

if cython.compiled:
    from cython.cimports.xylogic.domain.pointer_kernel import bits, ints, longs
else:
    from xylogic.domain.pointer_kernel import bits, ints, longs

FALSE = 0
TRUE = 1
KINDS = ("false", "true", "literal", "and", "or")
MOST_NODES = 2**31 - 2
ALL_BITS = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
FACTOR = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
CHECK_EVERY = cython.declare(cython.int, 20000)  # gates asked for


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def mixed(code: cython.ulonglong, item: cython.ulonglong) -> cython.ulonglong:
    """A hash, one item further."""
    code = ((code ^ item) * FACTOR) & ALL_BITS
    return code ^ (code >> 29)


@cython.cclass
class Circuit:
    """Hash-consed nodes over features of ``n_states`` states each; node 0 is *false*, node 1 is *true*.

    A literal is a set of states of one feature, neither empty nor full; as an argument it is an integer with a bit
    for each state. A gate has at least two children, distinct and ascending, none of them constant. ``budget`` bounds
    nodes, bytes and time of all that is made; when it raises BudgetExceeded, all nodes made so far stay usable.
    """

    def __init__(self, n_states: object, budget: object = None) -> None:
        self.n_states = tuple(int(n) for n in n_states)
        self.n_features = len(self.n_states)
        self.budget = Budget()
        self.keep = {"states": np.array([*self.n_states, 0], np.int32)}
        self.state_count = ints(self.keep["states"])
        self.n = self.n_items = self.n_links = 0
        self.room = self.item_room = self.scratch_room = 0
        self.unchecked = 0
        self._grow_nodes()
        self._grow_items(0)
        self._grow_scratch(0)
        self.kinds[1] = 1
        self.n = 2
        self.limit(self.budget if budget is None else budget)

    def limit(self, budget: object) -> None:
        """Let ``budget`` bound what is made from now on."""
        self.budget = budget
        self.most = MOST_NODES if budget.node_limit is None else int(min(budget.node_limit, MOST_NODES))

    # ---------------------------------------------------------------- room

    @cython.cfunc
    def _resized(self, name: str, dtype: object, used: cython.Py_ssize_t, room: cython.Py_ssize_t):
        new = np.zeros(room, dtype)
        if used:
            new[:used] = self.keep[name][:used]
        self.keep[name] = new
        return new

    @cython.cfunc
    def _afford(self, more: cython.Py_ssize_t):
        """Raise unless the budget allows ``more`` bytes beside those in use."""
        self.budget.check(0, self.n_bytes + more)

    @cython.cfunc
    def _grow_nodes(self):
        room: cython.Py_ssize_t = max(256, 2 * self.room)
        self._afford(24 * (room - self.room) + 8 * room)
        self.kinds = ints(self._resized("kinds", np.int32, self.n, room))
        self.size = ints(self._resized("size", np.int32, self.n, room))
        self.at = longs(self._resized("at", np.int64, self.n, room))
        self.code = bits(self._resized("code", np.uint64, self.n, room))
        self.slots = ints(self._resized("slots", np.int32, 0, 2 * room))
        self.slot_mask = 2 * room - 1
        self.room = room
        self._rehash()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _rehash(self) -> cython.void:
        n: cython.Py_ssize_t
        k: cython.Py_ssize_t
        for n in range(2, self.n):
            k = cython.cast(cython.Py_ssize_t, self.code[n] & self.slot_mask)
            while self.slots[k]:
                k = (k + 1) & cython.cast(cython.Py_ssize_t, self.slot_mask)
            self.slots[k] = cython.cast(cython.int, n)

    @cython.cfunc
    def _grow_items(self, n: cython.Py_ssize_t):
        room: cython.Py_ssize_t = max(512, 2 * self.item_room, 2 * (self.n_items + n))
        self._afford(4 * room)
        self.items = ints(self._resized("items", np.int32, self.n_items, room))
        self.item_room = room

    @cython.cfunc
    def _grow_scratch(self, n: cython.Py_ssize_t):
        room: cython.Py_ssize_t = max(64, 2 * n)
        self._afford(4 * room)
        self.scratch = ints(self._resized("scratch", np.int32, 0, room))
        self.scratch_room = room

    # ---------------------------------------------------------------- making nodes

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def spend(self) -> cython.int:
        """Make room for one more node; now and then check the budget."""
        self.unchecked += 1
        if self.unchecked >= CHECK_EVERY:
            self.unchecked = 0
            with cython.gil:
                self.budget.check(0, self.n_bytes)
        if self.n >= self.most:
            with cython.gil:
                self.budget.check(self.n + 1, self.n_bytes)
                raise BudgetExceeded(f"a circuit holds at most {MOST_NODES} nodes")
        if self.n >= self.room:
            with cython.gil:
                self._grow_nodes()
        return 0

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
        unit: cython.int = 1 if kind == 3 else 0  # TRUE, FALSE
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        size: cython.Py_ssize_t = 0
        child: cython.int
        if n > self.scratch_room:
            with cython.gil:
                self._grow_scratch(n)
        for i in range(n):
            child = children[at + i]
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

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def find(self, kind: cython.int, size: cython.int) -> cython.int:
        """The node whose items are the first ``size`` ones of the scratch, made if need be."""
        code: cython.ulonglong = cython.cast(cython.ulonglong, kind)
        k: cython.Py_ssize_t
        i: cython.int
        n: cython.int
        for i in range(size):
            code = mixed(code, cython.cast(cython.ulonglong, self.scratch[i]))
        self.spend()
        if self.n_items + size > self.item_room:
            with cython.gil:
                self._grow_items(size)
        k = cython.cast(cython.Py_ssize_t, code & self.slot_mask)
        while self.slots[k]:
            n = self.slots[k]
            if self.code[n] == code and self.kinds[n] == kind and self.size[n] == size:
                i = 0
                while i < size and self.items[self.at[n] + i] == self.scratch[i]:
                    i += 1
                if i == size:
                    return n
            k = (k + 1) & cython.cast(cython.Py_ssize_t, self.slot_mask)
        n = cython.cast(cython.int, self.n)
        for i in range(size):
            self.items[self.n_items + i] = self.scratch[i]
        self.kinds[n] = kind
        self.size[n] = size
        self.at[n] = self.n_items
        self.code[n] = code
        self.slots[k] = n
        self.n_items += size
        if kind > 2:
            self.n_links += size
        self.n += 1
        return n

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
    def n_nodes(self) -> object:
        return self.n

    @property
    def n_edges(self) -> object:
        return self.n_links

    @property
    def n_bytes(self) -> object:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self.keep.values())

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
