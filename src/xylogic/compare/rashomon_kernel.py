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
    from cython.cimports.xylogic.domain.machine_kernel import bit, bits, ints, longs, mixed
else:
    from xylogic.compare.modular_kernel import minus, plus, times
    from xylogic.domain.machine_kernel import bit, bits, ints, longs, mixed

DONE, FULL, CROWDED, MANY, PAUSED = 0, 1, 2, 3, 4


def topological(
    split_at: cython.const[cython.int][::1],
    no: cython.const[cython.int][::1],
    yes: cython.const[cython.int][::1],
    roots: cython.const[cython.int][::1],
) -> object:
    """The OR nodes that the roots reach, children first: int32. Empty where they are on a cycle."""
    n: cython.Py_ssize_t = split_at.shape[0] - 1
    order = np.empty(n + 1, np.int32)
    state = np.zeros(n + 1, np.int32)  # 0 new, 1 begun, 2 done
    stack = np.empty(2 * yes.shape[0] + roots.shape[0] + 1, np.int32)
    out: cython.p_int = ints(order)
    st: cython.p_int = ints(state)
    sk: cython.p_int = ints(stack)
    top: cython.Py_ssize_t = 0
    k: cython.Py_ssize_t
    v: cython.int
    child: cython.int
    side: cython.int
    found: cython.Py_ssize_t = 0
    cycle: cython.bint = False
    with cython.nogil:
        for k in range(roots.shape[0]):
            sk[top] = roots[k]
            top += 1
        while top > 0 and not cycle:
            v = sk[top - 1]
            if st[v]:
                top -= 1
                if st[v] == 1:
                    st[v] = 2
                    out[found] = v
                    found += 1
                continue
            st[v] = 1
            for k in range(split_at[v], split_at[v + 1]):
                for side in range(2):
                    child = yes[k] if side else no[k]
                    if st[child] == 1:
                        cycle = True
                    elif st[child] == 0:
                        sk[top] = child
                        top += 1
    return order[: 0 if cycle else found]


def tested_again(
    split_at: cython.const[cython.int][::1],
    feature: cython.const[cython.int][::1],
    no: cython.const[cython.int][::1],
    yes: cython.const[cython.int][::1],
    n_features: cython.Py_ssize_t,
) -> object:
    """The first OR node with a split on a feature that a tree below it may test again; -1: there is none. Nodes come
    children first."""
    words: cython.Py_ssize_t = (n_features + 63) >> 6
    n_nodes: cython.Py_ssize_t = split_at.shape[0] - 1
    room = np.zeros(n_nodes * words + 1, np.uint64)
    below: cython.p_ulonglong = bits(room)  # of each node, the features tested in it or below
    n: cython.Py_ssize_t
    k: cython.Py_ssize_t
    w: cython.Py_ssize_t
    f: cython.int
    found: cython.Py_ssize_t = -1
    with cython.nogil:
        for n in range(n_nodes):
            for k in range(split_at[n], split_at[n + 1]):
                f = feature[k]
                if (below[no[k] * words + (f >> 6)] | below[yes[k] * words + (f >> 6)]) & bit(f & 63):
                    found = n
                    break
                for w in range(words):
                    below[n * words + w] |= below[no[k] * words + w] | below[yes[k] * words + w]
                below[n * words + (f >> 6)] |= bit(f & 63)
            if found >= 0:
                break
    return found


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


def grouped(
    first: cython.longlong[::1],
    second: cython.longlong[::1],
    size: cython.int[::1],
    loss: cython.longlong[::1],
    slots: cython.int[::1],
    group: cython.int[::1],
    best: cython.int[::1],
) -> object:
    """Number the distinct pairs (first, second) in order of appearance: how many there are. ``group``: of each entry;
    ``best``: of each group, its first entry of the least size, then loss. ``slots``: -1, a power of two, at least
    twice as many as entries."""
    n_groups: cython.int = 0
    i: cython.Py_ssize_t
    g: cython.int
    slot: cython.Py_ssize_t
    mask: cython.ulonglong = slots.shape[0] - 1
    code: cython.ulonglong
    with cython.nogil:
        for i in range(first.shape[0]):
            code = mixed(cython.cast(cython.ulonglong, first[i]), 0)
            slot = cython.cast(cython.Py_ssize_t, (code ^ (code >> 32)) & mask)
            while True:
                g = slots[slot]
                if g < 0:
                    slots[slot] = n_groups
                    best[n_groups] = cython.cast(cython.int, i)
                    group[i] = n_groups
                    n_groups += 1
                    break
                if first[best[g]] == first[i] and second[best[g]] == second[i]:
                    group[i] = g
                    if size[i] < size[best[g]] or (size[i] == size[best[g]] and loss[i] < loss[best[g]]):
                        best[g] = cython.cast(cython.int, i)
                    break
                slot = (slot + 1) & mask
    return n_groups


def answers(
    feature: cython.const[cython.int][::1],
    no: cython.const[cython.int][::1],
    yes: cython.const[cython.int][::1],
    column: cython.const[cython.ulonglong][::1],
    label: cython.const[cython.ulonglong][::1],
    out: cython.ulonglong[::1],
) -> None:
    """One bit of each entry's answer for 64 rows at once: ``column[f]`` holds feature f of the rows, ``label[c]`` is
    all ones where class c has the bit."""
    e: cython.Py_ssize_t
    with cython.nogil:
        for e in range(feature.shape[0]):
            if feature[e] < 0:
                out[e] = label[-1 - feature[e]]
            else:
                out[e] = (column[feature[e]] & out[yes[e]]) | (~column[feature[e]] & out[no[e]])


def tested(
    feature: cython.const[cython.int][::1],
    no: cython.const[cython.int][::1],
    yes: cython.const[cython.int][::1],
    first: cython.const[cython.longlong][::1],
    second: cython.const[cython.longlong][::1],
    f: cython.int,
    only_needed: cython.bint,
    out: cython.uchar[::1],
) -> None:
    """Whether each entry's tree tests feature f; ``only_needed``: whether its function depends on it, that is, two
    different functions meet at such a test."""
    e: cython.Py_ssize_t
    with cython.nogil:
        for e in range(feature.shape[0]):
            if feature[e] < 0:
                out[e] = 0
            elif feature[e] == f:
                out[e] = not only_needed or first[no[e]] != first[yes[e]] or second[no[e]] != second[yes[e]]
            else:
                out[e] = out[no[e]] | out[yes[e]]
