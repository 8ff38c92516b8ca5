"""Sets of terms as zero-suppressed diagrams over features of many states: hash-consed nodes, and their difference.

A node belongs to a *level* (a feature). Each edge has a *label*, a set of that feature's states, and leads to the rest
of all terms that have this label there; label 0 stands for terms without the feature. Nodes without any edge but that
one are left out (S. Minato, Zero-Suppressed BDDs for Set Manipulation in Combinatorial Problems, DAC 1993), so equal
sets are one node. Node 0 is the empty set, node 1 holds the empty term alone.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.circuit.lists_kernel import Lists
    from cython.cimports.xylogic.domain.machine_kernel import bits, ints, longs, mixed
else:
    from xylogic.circuit.lists_kernel import Lists
    from xylogic.domain.machine_kernel import bits, ints, longs, mixed


@cython.cclass
class TermSets(Lists):
    """Nodes over ``n_levels`` levels: lists of kind level + 2, of label and child of each edge, by label."""

    def __init__(self, n_levels: cython.int, budget: object) -> None:
        Lists.__init__(self)
        self.n_levels = n_levels
        keep = self.keep
        for name in ("frame_u", "frame_v"):
            keep[name] = np.zeros(n_levels + 2, np.int32)
        for name in ("frame_i", "frame_j", "frame_out"):
            keep[name] = np.zeros(n_levels + 2, np.int64)
        self.frame_u, self.frame_v = ints(keep["frame_u"]), ints(keep["frame_v"])
        self.frame_i, self.frame_j = longs(keep["frame_i"]), longs(keep["frame_j"])
        self.frame_out = longs(keep["frame_out"])
        self.n_pairs = 0
        self.empty_room = 0
        self._grow_pairs()
        self._grow_out(64)
        self._grow_empty()
        self.has_empty[1] = 1
        self.limit(budget)

    # ---------------------------------------------------------------- room

    @cython.cfunc
    def _grow_pairs(self):
        old = self.keep.get("pair"), self.keep.get("value")
        room: cython.Py_ssize_t = 1024 if old[0] is None else 4 * len(old[0])
        k: cython.Py_ssize_t
        slot: cython.ulonglong
        self._afford(12 * room)
        self.keep["pair"] = np.zeros(room, np.uint64)
        self.keep["value"] = np.zeros(room, np.int32)
        self.pair, self.value = bits(self.keep["pair"]), ints(self.keep["value"])
        self.pair_mask = room - 1
        if old[0] is not None:
            pairs: cython.p_ulonglong = bits(old[0])
            values: cython.p_int = ints(old[1])
            for k in range(room // 4):
                if pairs[k]:
                    slot = mixed(7, pairs[k]) & self.pair_mask
                    while self.pair[slot]:
                        slot = (slot + 1) & self.pair_mask
                    self.pair[slot] = pairs[k]
                    self.value[slot] = values[k]

    @cython.cfunc
    def _grow_out(self, room: cython.Py_ssize_t):
        used = len(self.keep["out"]) if "out" in self.keep else 0
        self._afford(4 * room)
        self.out = ints(self._resized("out", np.int32, used, room))
        self.out_room = room

    @cython.cfunc
    def _grow_empty(self):
        self._afford(4 * self.room)
        self.has_empty = ints(self._resized("has_empty", np.int32, self.empty_room, self.room))
        self.empty_room = self.room

    # ---------------------------------------------------------------- nodes

    def level(self, n: cython.int) -> cython.int:
        return self.kinds[n] - 2 if n > 1 else self.n_levels

    def without(self, n: cython.int) -> cython.int:
        """The terms of an inner node that lack its feature."""
        return self.items[self.at[n] + 1] if self.items[self.at[n]] == 0 else 0

    def node(self, level: cython.int, edges: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.int:
        """The set of ``n`` edges, label and child from ``edges[at:]`` on, by label; no child is 0."""
        k: cython.Py_ssize_t
        found: cython.int
        if n == 0:
            return 0
        if n == 1 and edges[at] == 0:
            return edges[at + 1]
        if 2 * n > self.scratch_room:
            with cython.gil:
                self._grow_scratch(2 * n)
        for k in range(2 * n):
            self.scratch[k] = edges[at + k]
        found = self.find(level + 2, cython.cast(cython.int, 2 * n))
        if self.room > self.empty_room:
            with cython.gil:
                self._grow_empty()
        self.has_empty[found] = self.has_empty[self.without(found)]
        return found

    # ---------------------------------------------------------------- difference

    def known(self, u: cython.int, v: cython.int) -> cython.int:
        """The difference where it takes no walk, else -1."""
        if u == 0 or u == v:
            return 0
        if v == 0 or (v == 1 and not self.has_empty[u]):
            return u
        if u == 1:
            return 0 if self.has_empty[v] else 1
        return -1

    def recall(self, u: cython.int, v: cython.int) -> cython.int:
        key: cython.ulonglong = (cython.cast(cython.ulonglong, u) << 32) | cython.cast(cython.ulonglong, v)
        slot: cython.ulonglong = mixed(7, key) & self.pair_mask
        while self.pair[slot]:
            if self.pair[slot] == key:
                return self.value[slot]
            slot = (slot + 1) & self.pair_mask
        return -1

    def remember(self, u: cython.int, v: cython.int, result: cython.int) -> cython.int:
        key: cython.ulonglong = (cython.cast(cython.ulonglong, u) << 32) | cython.cast(cython.ulonglong, v)
        slot: cython.ulonglong
        if 2 * self.n_pairs > cython.cast(cython.Py_ssize_t, self.pair_mask):
            with cython.gil:
                self._grow_pairs()
        slot = mixed(7, key) & self.pair_mask
        while self.pair[slot]:
            slot = (slot + 1) & self.pair_mask
        self.pair[slot] = key
        self.value[slot] = result
        self.n_pairs += 1
        return 0

    def difference(self, u: cython.int, v: cython.int) -> cython.int:
        """The terms of u that are not in v: depth first, one frame a level; O(|u| * |v|) at most."""
        d: cython.int = -1
        label: cython.int
        out: cython.Py_ssize_t = 0
        j: cython.longlong
        end: cython.longlong
        result: cython.int = self.known(u, v)
        if result >= 0:
            return result
        while True:
            if result < 0:  # (u, v) is to be walked
                while self.level(v) < self.level(u):
                    v = self.without(v)
                result = self.known(u, v)
                if result < 0:
                    result = self.recall(u, v)
                if result < 0:
                    if out + self.size[u] > self.out_room:
                        with cython.gil:
                            self._grow_out(2 * (out + self.size[u]))
                    d += 1
                    self.frame_u[d] = u
                    self.frame_v[d] = v
                    self.frame_i[d] = self.at[u]
                    self.frame_j[d] = self.at[v] if self.level(v) == self.level(u) else -1
                    self.frame_out[d] = out
            if result >= 0:
                if d < 0:
                    return result
                if result > 0:
                    self.out[out] = self.items[self.frame_i[d]]
                    self.out[out + 1] = result
                    out += 2
                self.frame_i[d] += 2
            u = self.frame_u[d]
            v = self.frame_v[d]
            if self.frame_i[d] == self.at[u] + self.size[u]:
                self.spend()
                result = self.node(self.level(u), self.out, self.frame_out[d], (out - self.frame_out[d]) // 2)
                self.remember(u, v, result)
                out = self.frame_out[d]
                d -= 1
                continue
            label = self.items[self.frame_i[d]]
            if self.frame_j[d] < 0:
                v = v if label == 0 else 0
            else:
                j = self.frame_j[d]
                end = self.at[v] + self.size[v]
                while j < end and self.items[j] < label:
                    j += 2
                self.frame_j[d] = j
                v = self.items[j + 1] if j < end and self.items[j] == label else 0
            u = self.items[self.frame_i[d] + 1]
            result = self.known(u, v)
