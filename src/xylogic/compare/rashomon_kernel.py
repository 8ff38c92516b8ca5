"""Counts the functions of an AND/OR graph of trees without expanding the trees.

An OR node stands for a set of trees: its leaves, and for each of its splits every tree of the "no" node beside every
tree of the "yes" node, as far as the losses add up to no more than the node's budget. Its entries are the distinct
(function, loss) of those trees, each with how many trees compute it and one smallest of them. Functions are told apart
by two fingerprints modulo 2^61 - 1; a split on a 0/1 feature of weight w for 0 has that of yes + w * (no - yes).
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.compare.modular_kernel import minus, plus, times
    from cython.cimports.xylogic.domain.machine_kernel import ints, longs, mixed
else:
    from xylogic.compare.modular_kernel import minus, plus, times
    from xylogic.domain.machine_kernel import ints, longs, mixed

DONE, FULL, CROWDED, MANY, PAUSED = 0, 1, 2, 3, 4


@cython.cclass
class Entries:
    """The entries of OR nodes, end to end in arrays; entry e is a leaf (``feature[e]`` = -1 - label) or the split of
    the entries ``no[e]`` and ``yes[e]``, which come before it."""

    def __init__(self, n_nodes: object) -> None:
        self.n = self.begin = self.next_node = self.made = self.room = 0
        self.split = self.left = -1
        self.keep = {}
        self.keep["at"] = np.zeros(n_nodes + 1, np.int64)
        self.at = longs(self.keep["at"])
        self.grow(1 << 10)
        self.crowd(1 << 10)

    @property
    def arrays(self) -> object:
        """The arrays by name, as far as they are filled."""
        filled = {name: array[: self.n] for name, array in self.keep.items() if name not in ("at", "slots")}
        return {**filled, "at": self.keep["at"]}

    @property
    def n_entries(self) -> object:
        return self.n

    @property
    def n_made(self) -> object:
        """Pairs of entries that were joined."""
        return self.made

    @property
    def n_bytes(self) -> object:
        return sum(array.nbytes for array in self.keep.values())

    def grow(self, room: object) -> None:
        """Make room for more entries."""
        for name, kind in (
            ("first", np.int64), ("second", np.int64), ("loss", np.int64), ("count", np.int64),
            ("size", np.int32), ("feature", np.int32), ("no", np.int32), ("yes", np.int32),
        ):  # fmt: skip
            old = self.keep.get(name)
            array = np.empty(room, kind)
            if old is not None:
                array[: self.n] = old[: self.n]
            self.keep[name] = array
        self.room = room
        self.first = longs(self.keep["first"])
        self.second = longs(self.keep["second"])
        self.loss = longs(self.keep["loss"])
        self.count = longs(self.keep["count"])
        self.size = ints(self.keep["size"])
        self.feature = ints(self.keep["feature"])
        self.no = ints(self.keep["no"])
        self.yes = ints(self.keep["yes"])

    def crowd(self, slots: object) -> None:
        """Make the table of one node's entries larger (a power of two)."""
        e: cython.Py_ssize_t
        slot: cython.Py_ssize_t
        self.keep["slots"] = np.full(slots, -1, np.int32)
        self.slots = ints(self.keep["slots"])
        self.mask = slots - 1
        for e in range(self.begin, self.n):
            slot = self._slot(self.first[e], self.loss[e])
            while self.slots[slot] >= 0:
                slot = (slot + 1) & self.mask
            self.slots[slot] = cython.cast(cython.int, e)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _slot(self, first: cython.longlong, loss: cython.longlong) -> cython.Py_ssize_t:
        code: cython.ulonglong = mixed(cython.cast(cython.ulonglong, first), cython.cast(cython.ulonglong, loss))
        return cython.cast(cython.Py_ssize_t, (code ^ (code >> 32)) & self.mask)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _add(
        self,
        first: cython.longlong,
        second: cython.longlong,
        loss: cython.longlong,
        count: cython.longlong,
        size: cython.int,
        feature: cython.int,
        no: cython.int,
        yes: cython.int,
    ) -> cython.int:
        """Add trees to the entry of their function and loss in the node at work, or as a new one."""
        slot: cython.Py_ssize_t = self._slot(first, loss)
        e: cython.Py_ssize_t
        most: cython.longlong = 0x7FFFFFFFFFFFFFFF
        while True:
            e = self.slots[slot]
            # what an earlier node left behind counts as empty
            if e < self.begin or e >= self.n:
                break
            if self.first[e] == first and self.loss[e] == loss and self.second[e] == second:
                if self.count[e] > most - count:
                    return 3
                self.count[e] += count
                if size < self.size[e]:
                    self.size[e] = size
                    self.feature[e] = feature
                    self.no[e] = no
                    self.yes[e] = yes
                return 0
            slot = (slot + 1) & self.mask
        if self.n >= self.room:
            return 1
        if 2 * (self.n - self.begin) > cython.cast(cython.Py_ssize_t, self.mask):
            return 2
        e = self.n
        self.slots[slot] = cython.cast(cython.int, e)
        self.first[e] = first
        self.second[e] = second
        self.loss[e] = loss
        self.count[e] = count
        self.size[e] = size
        self.feature[e] = feature
        self.no[e] = no
        self.yes[e] = yes
        self.n += 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _fill(
        self,
        leaf_at: cython.const[cython.int][::1],
        leaf_label: cython.const[cython.int][::1],
        leaf_loss: cython.const[cython.longlong][::1],
        split_at: cython.const[cython.int][::1],
        feature: cython.const[cython.int][::1],
        no: cython.const[cython.int][::1],
        yes: cython.const[cython.int][::1],
        budget: cython.longlong,
        code: cython.const[cython.longlong][:, ::1],
        weight: cython.const[cython.longlong][:, ::1],
        stop: cython.longlong,
    ) -> cython.int:
        """Go on with the entries of the next node, whose children have theirs; see ``fill``."""
        node: cython.Py_ssize_t = self.next_node
        k: cython.Py_ssize_t
        a: cython.Py_ssize_t
        b: cython.Py_ssize_t
        a_stop: cython.Py_ssize_t
        b_stop: cython.Py_ssize_t
        failed: cython.int
        w1: cython.longlong
        w2: cython.longlong
        most: cython.longlong = 0x7FFFFFFFFFFFFFFF
        if self.split < 0:
            self.n = self.begin
            for k in range(leaf_at[node], leaf_at[node + 1]):
                failed = self._add(
                    code[0, leaf_label[k]], code[1, leaf_label[k]], leaf_loss[k], 1, 1, -1 - leaf_label[k], -1, -1
                )
                if failed:
                    return failed
            self.split = split_at[node]
        while self.split < split_at[node + 1]:
            k = self.split
            w1 = weight[0, feature[k]]
            w2 = weight[1, feature[k]]
            a_stop = self.at[no[k] + 1]
            b_stop = self.at[yes[k] + 1]
            if self.left < 0:
                self.left = self.at[no[k]]
                self.right = self.at[yes[k]]
            for a in range(self.left, a_stop):
                for b in range(self.right, b_stop):
                    if self.loss[a] + self.loss[b] > budget:
                        continue
                    failed = 4 if self.made >= stop else 0
                    if self.count[a] > 1 and self.count[b] > most // self.count[a]:
                        failed = 3
                    if not failed:
                        failed = self._add(
                            plus(self.first[b], times(w1, minus(self.first[a], self.first[b]))),
                            plus(self.second[b], times(w2, minus(self.second[a], self.second[b]))),
                            self.loss[a] + self.loss[b],
                            self.count[a] * self.count[b],
                            self.size[a] + self.size[b],
                            feature[k],
                            cython.cast(cython.int, a),
                            cython.cast(cython.int, b),
                        )
                    if failed:
                        self.left = a
                        self.right = b
                        return failed
                    self.made += 1
                self.right = self.at[yes[k]]
            self.left = -1
            self.split += 1
        self.next_node += 1
        self.at[self.next_node] = self.begin = self.n
        self.split = -1
        return 0

    def fill(
        self,
        leaf_at: cython.const[cython.int][::1],
        leaf_label: cython.const[cython.int][::1],
        leaf_loss: cython.const[cython.longlong][::1],
        split_at: cython.const[cython.int][::1],
        feature: cython.const[cython.int][::1],
        no: cython.const[cython.int][::1],
        yes: cython.const[cython.int][::1],
        budget: cython.const[cython.longlong][::1],
        code: cython.const[cython.longlong][:, ::1],
        weight: cython.const[cython.longlong][:, ::1],
        pairs: cython.longlong,
    ) -> object:
        """Go on until all nodes are done (DONE), ``pairs`` pairs were joined (PAUSED), there is no room (FULL), the
        table is half full (CROWDED), or a count passes 2^63 (MANY). Nodes come children first; O(1) a pair,
        expected."""
        stop: cython.longlong = self.made + pairs
        failed: cython.int = 0
        n_nodes: cython.Py_ssize_t = split_at.shape[0] - 1
        with cython.nogil:
            while self.next_node < n_nodes and not failed:
                failed = self._fill(
                    leaf_at, leaf_label, leaf_loss, split_at, feature, no, yes, budget[self.next_node], code, weight,
                    stop,
                )  # fmt: skip
        return failed
