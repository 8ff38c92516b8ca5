"""The product of a diagram with all trees of a forest, where only the model's own float sums can tell the label.

A state is a node of the diagram and a node of each tree; it is told apart from others by a 128-bit hash. Depth first
with one frame a level. Where the diagram cannot reach the label *unresolved* any more, its own nodes are the answer.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.circuit.nodes_kernel import Nodes
    from cython.cimports.xylogic.domain.machine_kernel import bits, ints, longs, mixed
else:
    from xylogic.circuit.nodes_kernel import Nodes
    from xylogic.domain.machine_kernel import bits, ints, longs, mixed

CHECK_EVERY = cython.declare(cython.longlong, 1024)  # states
SALT = cython.declare(cython.ulonglong, 0x13198A2E03707344)


@cython.cclass
class Resolver:
    """See ``compile/resolve.py`` for ``problem``'s arrays. ``nodes`` gets the answer."""

    def __init__(self, nodes: Nodes, problem: dict, budget: object) -> None:
        self.nodes, self.budget = nodes, budget
        self.n_parts, self.n_levels = len(problem["roots"]), nodes.n_levels
        self.n_columns, self.n_constraints = len(problem["base"]), len(problem["plus"])
        self.n_classes, self.n_product = problem["n_classes"], len(problem["place"])
        self.states = self.unchecked = 0
        depth = self.n_levels + 2
        self.keep = {
            **problem,
            "part": np.zeros(depth * self.n_parts, np.int32),
            "edge": np.zeros(depth * self.n_parts, np.int64),
            "frame_level": np.zeros(depth, np.int32),
            "frame_out": np.zeros(depth, np.int32),
            "frame_key": np.zeros(2 * depth, np.uint64),
            "out_hi": np.zeros(sum(nodes.sizes) + 1, np.int32),
            "out_child": np.zeros(sum(nodes.sizes) + 1, np.int32),
            "beaten": np.zeros(self.n_classes + 1, np.int32),
            "sums": np.zeros(self.n_columns),
        }
        keep = self.keep
        self.level, self.edge_at = ints(keep["level"]), longs(keep["edge_at"])
        self.hi, self.child, self.place = ints(keep["hi"]), ints(keep["child"]), ints(keep["place"])
        self.value, self.base, self.sums = keep["value"], keep["base"], keep["sums"]
        self.number, self.divisor = keep["number"], keep["divisor"]
        self.plus, self.minus, self.strict = ints(keep["plus"]), ints(keep["minus"]), ints(keep["strict"])
        self.winner, self.loser, self.beaten = ints(keep["winner"]), ints(keep["loser"]), ints(keep["beaten"])
        self.part, self.edge = ints(keep["part"]), longs(keep["edge"])
        self.frame_level, self.frame_out = ints(keep["frame_level"]), ints(keep["frame_out"])
        self.frame_key = bits(keep["frame_key"])
        self.out_hi, self.out_child = ints(keep["out_hi"]), ints(keep["out_child"])
        self.n_slots = 0
        self.slot_mask = 0
        self._grow_slots()

    @cython.cfunc
    def _grow_slots(self):
        old = self.keep.get("slot_key"), self.keep.get("slot_node")
        room: cython.Py_ssize_t = 1024 if old[0] is None else 2 * len(old[1])
        k: cython.longlong
        self.budget.check(0, self.nodes.n_bytes + 30 * room)
        self.keep["slot_key"], self.keep["slot_node"] = np.zeros(2 * room, np.uint64), np.full(room, -1, np.int32)
        self.slot_key, self.slot_node = bits(self.keep["slot_key"]), ints(self.keep["slot_node"])
        self.slot_mask = room - 1
        if old[0] is not None:
            for j in np.flatnonzero(old[1] >= 0).tolist():
                k = self.find(int(old[0][2 * j]), int(old[0][2 * j + 1]))
                self.slot_key[2 * k] = int(old[0][2 * j])
                self.slot_key[2 * k + 1] = int(old[0][2 * j + 1])
                self.slot_node[k] = int(old[1][j])

    def find(self, a: cython.ulonglong, b: cython.ulonglong) -> cython.longlong:
        """The slot of a key, or the empty one where it would stand."""
        k: cython.ulonglong = a & self.slot_mask
        while self.slot_node[k] >= 0:
            if self.slot_key[2 * k] == a and self.slot_key[2 * k + 1] == b:
                break
            k = (k + 1) & self.slot_mask
        return cython.cast(cython.longlong, k)

    def label(self, at: cython.Py_ssize_t) -> cython.int:
        """The label of the leaves at ``part[at + 1:]``, by the model's own sums in tree order."""
        t: cython.int
        k: cython.int
        c: cython.int
        v: cython.Py_ssize_t
        a: cython.double
        b: cython.double
        holds: cython.bint
        every: cython.bint = True
        for k in range(self.n_columns):
            self.sums[k] = self.base[k]
        for t in range(1, self.n_parts):
            v = cython.cast(cython.Py_ssize_t, self.part[at + t] - self.n_product) * self.n_columns
            for k in range(self.n_columns):
                self.sums[k] = self.sums[k] + self.value[v + k]
        for k in range(self.n_columns):
            self.sums[k] = self.sums[k] / self.divisor
        for c in range(self.n_classes):
            self.beaten[c] = 0
        for c in range(self.n_constraints):
            a = self.sums[self.plus[c]] if self.plus[c] >= 0 else self.number[c]
            b = self.sums[self.minus[c]] if self.minus[c] >= 0 else self.number[c]
            holds = a > b or (a == b and not self.strict[c])
            every = every and holds
            if self.n_classes:
                self.beaten[self.loser[c] if holds else self.winner[c]] = 1
        if self.n_classes == 0:
            return 1 if every else 0
        c = 0
        while self.beaten[c]:
            c += 1
        return c

    def settled(self, at: cython.Py_ssize_t) -> cython.int:
        """The node of the state at ``part[at:]`` where it takes no walk, else -1."""
        t: cython.int
        if self.place[self.part[at]] >= 0:
            return self.place[self.part[at]]
        for t in range(1, self.n_parts):
            if self.level[self.part[at + t]] < self.n_levels:
                return -1
        return self.label(at)

    def open(self, d: cython.int) -> cython.void:
        """Begin frame d, whose parts stand already."""
        at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, d) * self.n_parts
        t: cython.int
        level: cython.int = self.n_levels
        for t in range(self.n_parts):
            level = min(level, self.level[self.part[at + t]])
        for t in range(self.n_parts):
            self.edge[at + t] = self.edge_at[self.part[at + t]] if self.level[self.part[at + t]] == level else -1
        self.frame_level[d] = level

    def search(self) -> cython.int:
        """The node of the state at ``part[:n_parts]``."""
        n: cython.Py_ssize_t = self.n_parts
        at: cython.Py_ssize_t
        d: cython.int = 0
        out: cython.int = 0
        hi: cython.int
        t: cython.int
        level: cython.int
        result: cython.int = self.settled(0)
        e: cython.longlong
        k: cython.longlong
        a: cython.ulonglong
        b: cython.ulonglong
        if result >= 0:
            return result
        self.frame_key[0] = 0
        self.frame_key[1] = 0
        self.frame_out[0] = 0
        self.open(0)
        while True:
            at = d * n
            a = 0
            b = 0
            for t in range(n):
                e = self.edge[at + t]
                self.part[at + n + t] = self.part[at + t] if e < 0 else self.child[e]
                a = mixed(a, cython.cast(cython.ulonglong, self.part[at + n + t] + 1))
                b = mixed(b ^ SALT, cython.cast(cython.ulonglong, self.part[at + n + t] + 1))
            result = self.settled(at + n)
            if result < 0:
                k = self.find(a, b)
                result = self.slot_node[k]
            if result < 0:
                self.states += 1
                self.unchecked += 1
                if self.unchecked >= CHECK_EVERY:
                    self.unchecked = 0
                    with cython.gil:
                        self.budget.check(self.states, self.nodes.n_bytes + 30 * (self.slot_mask + 1))
                d += 1
                self.frame_key[2 * d] = a
                self.frame_key[2 * d + 1] = b
                self.frame_out[d] = out
                self.open(d)
                continue
            while True:
                at = d * n
                level = self.frame_level[d]
                hi = self.nodes.level_size[level] - 1
                for t in range(n):
                    e = self.edge[at + t]
                    if e >= 0 and self.hi[e] < hi:
                        hi = self.hi[e]
                self.out_hi[out] = hi
                self.out_child[out] = result
                out += 1
                if hi < self.nodes.level_size[level] - 1:
                    for t in range(n):
                        e = self.edge[at + t]
                        if e >= 0 and self.hi[e] == hi:
                            self.edge[at + t] = e + 1
                    break
                result = self.nodes.make(level, self.out_hi, self.out_child, self.frame_out[d], out - self.frame_out[d])
                out = self.frame_out[d]
                if d == 0:
                    return result
                if 2 * self.n_slots > cython.cast(cython.Py_ssize_t, self.slot_mask):
                    with cython.gil:
                        self._grow_slots()
                k = self.find(
                    cython.cast(cython.ulonglong, self.frame_key[2 * d]),
                    cython.cast(cython.ulonglong, self.frame_key[2 * d + 1]),
                )
                self.slot_key[2 * k] = self.frame_key[2 * d]
                self.slot_key[2 * k + 1] = self.frame_key[2 * d + 1]
                self.slot_node[k] = result
                self.n_slots += 1
                d -= 1

    def run(self) -> int:
        """The answer's root."""
        result: cython.int
        for t, root in enumerate(self.keep["roots"].tolist()):
            self.part[t] = root
        with cython.nogil:
            result = self.search()
        return result
