"""Ordered, reduced, multi-valued diagrams: hash-consed nodes in arrays.

A node tests the feature of its *level*; its edges share out all states of that feature, ascending, neighbours leading
to different nodes. Equal functions are one node. Children are made before their parents, so they have smaller numbers.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

from xylogic.budget import Budget
from xylogic.circuit.graph import Graph
from xylogic.errors import BudgetExceeded

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import bits, ints, longs, mixed
else:
    from xylogic.domain.machine_kernel import bits, ints, longs, mixed

MOST_NODES = 2**31 - 2


@cython.cclass
class Nodes:
    """The nodes over levels of ``sizes`` states each. Nodes 0 .. n_labels - 1 are the leaves.

    ``budget`` bounds the bytes; when it raises BudgetExceeded, all nodes made so far stay usable.
    """

    def __init__(self, sizes: object, n_labels: cython.int, budget: object = None) -> None:
        self.sizes = tuple(int(size) for size in sizes)
        self.n_levels = len(self.sizes)
        self.n_labels = n_labels
        self.budget = Budget() if budget is None else budget
        self.keep = {"level_size": np.array([*self.sizes, 0], np.int32)}
        self.level_size = ints(self.keep["level_size"])
        self.room = self.item_room = 0
        self.n = self.n_items = 0
        label: cython.Py_ssize_t
        while self.room <= n_labels:
            self._grow_nodes()
        self._grow_items(0)
        for label in range(n_labels):
            self.level[label] = self.n_levels
            self.edge_at[label + 1] = 0
        self.n = n_labels

    @property
    def n_nodes(self) -> int:
        """Nodes made, leaves included."""
        return self.n

    @property
    def n_edges(self) -> int:
        return self.n_items

    @property
    def n_bytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self.keep.values())

    # ---------------------------------------------------------------- room

    @cython.cfunc
    def _resized(self, name: str, dtype: object, room: cython.Py_ssize_t):
        """The named array with ``room`` items, in place where the system can."""
        if name not in self.keep:
            self.keep[name] = np.zeros(room, dtype)
        else:
            self.keep[name].resize(room, refcheck=False)
        return self.keep[name]

    @cython.cfunc
    def _grow_nodes(self):
        room: cython.Py_ssize_t = max(512, 2 * self.room)
        if room > MOST_NODES:
            raise BudgetExceeded(f"a diagram holds at most {MOST_NODES} nodes")
        self.budget.check(0, self.n_bytes + 28 * (room - self.room))
        self.keep.pop("slots", None)
        self.level = ints(self._resized("level", np.int32, room))
        self.edge_at = longs(self._resized("edge_at", np.int64, room + 1))
        self.code = bits(self._resized("code", np.uint64, room))
        self.slots = ints(self._resized("slots", np.int32, 2 * room))
        self.slot_mask = 2 * room - 1
        self.room = room
        self._rehash()

    @cython.cfunc
    def _grow_items(self, more: cython.Py_ssize_t):
        room: cython.Py_ssize_t = max(1024, 2 * self.item_room, self.n_items + more)
        if room > 2**24:
            room = max(3 * self.item_room // 2, self.n_items + more)
        self.budget.check(0, self.n_bytes + 8 * (room - self.item_room))
        self.hi = ints(self._resized("hi", np.int32, room))
        self.child = ints(self._resized("child", np.int32, room))
        self.item_room = room

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _rehash(self) -> cython.void:
        n: cython.Py_ssize_t
        k: cython.ulonglong
        for n in range(self.n_labels, self.n):
            k = cython.cast(cython.ulonglong, self.code[n]) & self.slot_mask
            while self.slots[k]:
                k = (k + 1) & self.slot_mask
            self.slots[k] = cython.cast(cython.int, n)

    # ---------------------------------------------------------------- nodes

    def make(
        self, level: cython.int, hi: cython.p_int, child: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t
    ) -> cython.int:
        """The node of ``n`` edges, given by their last states ``hi[at:]`` and children; both are written over."""
        k: cython.Py_ssize_t
        m: cython.Py_ssize_t = at
        start: cython.Py_ssize_t
        found: cython.int
        slot: cython.ulonglong
        code: cython.ulonglong
        for k in range(at + 1, at + n):
            if child[k] != child[m]:
                m += 1
                child[m] = child[k]
            hi[m] = hi[k]
        n = m - at + 1
        if n == 1:
            return child[at]
        code = cython.cast(cython.ulonglong, level + 1)
        for k in range(at, at + n):
            code = mixed(code, (cython.cast(cython.ulonglong, child[k]) << 32) | cython.cast(cython.ulonglong, hi[k]))
        slot = code & self.slot_mask
        while self.slots[slot]:
            found = self.slots[slot]
            if self.code[found] == code and self.level[found] == level:
                start = self.edge_at[found]
                if self.edge_at[found + 1] - start == n:
                    k = 0
                    while k < n and self.child[start + k] == child[at + k] and self.hi[start + k] == hi[at + k]:
                        k += 1
                    if k == n:
                        return found
            slot = (slot + 1) & self.slot_mask
        if self.n + 1 >= self.room or self.n_items + n > self.item_room:
            with cython.gil:
                if self.n_items + n > self.item_room:
                    self._grow_items(n)
                if self.n + 1 >= self.room:
                    self._grow_nodes()
            slot = code & self.slot_mask
            while self.slots[slot]:
                slot = (slot + 1) & self.slot_mask
        found = cython.cast(cython.int, self.n)
        start = self.n_items
        for k in range(n):
            self.hi[start + k] = hi[at + k]
            self.child[start + k] = child[at + k]
        self.level[found] = level
        self.code[found] = code
        self.edge_at[found + 1] = start + n
        self.slots[slot] = found
        self.n_items += n
        self.n += 1
        return found

    def node(self, level: cython.int, hi: object, child: object) -> int:
        """The node of the edges with the last states ``hi``, ascending to the level's last one, and children."""
        his = np.array(hi, np.int32)
        children = np.array(child, np.int32)
        return self.make(level, ints(his), ints(children), 0, len(his))

    def reaches(self, root: cython.int, label: cython.int) -> bool:
        """Whether some path from ``root`` ends at a leaf. Linear."""
        marks = np.zeros(max(root, label) + 1, np.int32)
        self._reach(ints(marks), root)
        return bool(marks[label])

    @cython.cfunc
    def _reach(self, mark: cython.p_int, root: cython.Py_ssize_t):
        """Mark the nodes on paths from ``root``."""
        n: cython.Py_ssize_t
        k: cython.longlong
        with cython.nogil:
            mark[root] = 1
            for n in range(root, self.n_labels - 1, -1):
                if mark[n]:
                    for k in range(self.edge_at[n], self.edge_at[n + 1]):
                        mark[self.child[k]] = 1

    def graph(self, root: cython.int, order: tuple, n_states: tuple, n_labels: cython.int = -1) -> object:
        """What ``root`` reaches, as a :class:`Graph`; level l tests feature ``order[l]``. Linear.

        ``n_labels``: how many of the labels the graph is to have, the others being out of reach.
        """
        marks = np.zeros(max(root, self.n_labels) + 1, np.int32)
        self._reach(ints(marks), root)
        if n_labels < 0:
            n_labels = self.n_labels
        marks[:n_labels] = 1
        kept = np.flatnonzero(marks)
        place = np.cumsum(marks, dtype=np.int32) - np.int32(1)
        starts = self.keep["edge_at"][kept]
        sizes = self.keep["edge_at"][kept + 1] - starts
        edge_at = np.zeros(len(kept) + 1, np.int64)
        np.cumsum(sizes, out=edge_at[1:])
        begins, n_edges = edge_at[: len(kept)], int(sizes.sum())
        edges = np.arange(n_edges) + np.repeat(starts - begins, sizes)
        hi = self.keep["hi"][edges]
        lo = np.zeros_like(hi)
        lo[1:] = hi[: max(0, n_edges - 1)] + 1
        lo[begins[sizes > 0]] = 0
        features = np.append(np.array(order, np.int32), np.int32(-1))
        return Graph(
            n_states=n_states,
            n_labels=n_labels,
            feature=features[self.keep["level"][kept]],
            edge_at=edge_at,
            lo=lo,
            hi=hi,
            child=place[self.keep["child"][edges]],
            root=int(place[root]),
            order=order,
        )

    def whole(self, root: cython.int, order: tuple, n_states: tuple) -> object:
        """All nodes, numbered as they are, as a :class:`Graph` with the given root."""
        n: cython.Py_ssize_t = self.n
        hi = self.keep["hi"][: self.n_items].copy()
        edge_at = self.keep["edge_at"][: n + 1].copy()
        lo = np.zeros_like(hi)
        lo[1:] = hi[: max(0, len(hi) - 1)] + 1
        lo[edge_at[self.n_labels : n]] = 0
        feature = np.append(np.array(order, np.int32), np.int32(-1))[self.keep["level"][:n]]
        return Graph(
            n_states, self.n_labels, feature, edge_at, lo, hi, self.keep["child"][: self.n_items].copy(), root, order
        )
