"""Weak test-once graphs with leaves *false* and *true*, equal nodes being one node: a manager, without operations.

A node is the list of its feature and its edges (first state, last state, child), ascending; its edges together are one
run of states, and neighbours lead to different children. Children have smaller numbers. What the paths to a node
allow of the features tested from it on is part of the node (weak test-once), its *context*: a list of features with
first and last state, without those that may have any.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.circuit.lists_kernel import Lists
    from cython.cimports.xylogic.domain.machine_kernel import bits, ints, lowest_bit
else:
    from xylogic.circuit.lists_kernel import Lists
    from xylogic.domain.machine_kernel import bits, ints, lowest_bit


@cython.cclass
class Graphs(Lists):
    """Nodes over features of ``n_states`` states each; node 0 is *false*, node 1 is *true*.

    *Raw* nodes (kind 3) have the same form, each edge with all the states of its test, but keep no account of paths;
    restricting them makes them weak test-once. ``budget`` is kept as by :class:`Lists`.
    """

    def __init__(self, n_states: object, budget: object = None) -> None:
        self.paths = Lists()
        Lists.__init__(self)
        self.n_states = tuple(int(n) for n in n_states)
        self.n_features = len(self.n_states)
        self.width = max(1, (self.n_features + 63) // 64)
        self.keep["last"] = np.array([*self.n_states, 1], np.int32) - 1
        self.keep["lo"] = np.zeros(self.n_features + 1, np.int32)
        self.keep["hi"] = np.zeros(self.n_features + 1, np.int32)
        self.keep["tight"] = np.zeros(self.width, np.uint64)
        self.keep["joint"] = np.zeros(self.width, np.uint64)
        self.last = ints(self.keep["last"])
        self.lo = ints(self.keep["lo"])
        self.hi = ints(self.keep["hi"])
        self.tight = bits(self.keep["tight"])
        self.joint = bits(self.keep["joint"])
        self.paths._grow_scratch(3 * self.n_features + 8)
        self.paths.find(2, 0)  # the path that allows everything: number 2
        self.about_room = 0
        self._grow_about()
        self.context[0] = self.context[1] = 2
        self.open_path()
        if budget is not None:
            self.limit(budget)

    @property
    def n_bytes(self) -> object:
        """Bytes of all arrays."""
        own = sum(array.nbytes for array in self.keep.values())
        return own + self.paths.n_bytes

    @cython.cfunc
    def _grow_about(self):
        room: cython.Py_ssize_t = max(256, 2 * self.about_room)
        self._afford((8 * self.width + 4) * room)
        self.tested = bits(self._resized("tested", np.uint64, self.about_room * self.width, room * self.width))
        self.context = ints(self._resized("context", np.int32, self.about_room, room))
        self.about_room = room

    # ---------------------------------------------------------------- the path

    def open_path(self) -> cython.void:
        """Let the path allow every state."""
        f: cython.int
        w: cython.int
        for f in range(self.n_features):
            self.lo[f] = 0
            self.hi[f] = self.last[f]
        for w in range(self.width):
            self.tight[w] = 0

    def allow(self, f: cython.int, lo: cython.int, hi: cython.int) -> cython.void:
        """Let the path allow the states lo .. hi of feature f."""
        one: cython.ulonglong = 1
        self.lo[f] = lo
        self.hi[f] = hi
        if lo > 0 or hi < self.last[f]:
            self.tight[f >> 6] |= one << (f & 63)
        elif self.tight[f >> 6] & (one << (f & 63)):
            self.tight[f >> 6] ^= one << (f & 63)

    def joint_path(self) -> cython.int:
        """The path's part for the features of the bit set ``joint``, as a number of a list of ``paths``."""
        w: cython.int
        f: cython.int
        size: cython.int = 0
        word: cython.ulonglong
        for w in range(self.width):
            word = self.joint[w] & self.tight[w]
            while word:
                f = 64 * w + lowest_bit(word)
                word &= word - 1
                self.paths.scratch[size] = f
                self.paths.scratch[size + 1] = self.lo[f]
                self.paths.scratch[size + 2] = self.hi[f]
                size += 3
        return self.paths.find(2, size) if size else 2

    # ---------------------------------------------------------------- nodes

    def edge_of(self, n: cython.int, state: cython.int) -> cython.Py_ssize_t:
        """Where in ``items`` the edge of node n that holds a state begins."""
        low: cython.Py_ssize_t = 0
        high: cython.Py_ssize_t = self.size[n] // 3 - 1
        middle: cython.Py_ssize_t
        at: cython.Py_ssize_t = self.at[n] + 1
        while low < high:
            middle = (low + high) // 2
            if self.items[at + 3 * middle + 1] < state:
                low = middle + 1
            else:
                high = middle
        return at + 3 * low

    def descend(self, n: cython.int) -> cython.int:
        """Node n, or the first one below it whose test the path does not decide."""
        f: cython.int
        k: cython.Py_ssize_t
        one: cython.ulonglong = 1
        while n > 1:
            f = cython.cast(cython.int, self.items[self.at[n]])
            if self.kinds[n] == 2 and not self.tight[f >> 6] & (one << (f & 63)):
                break
            k = self.edge_of(n, self.lo[f])
            if self.items[k + 1] < self.hi[f]:
                break
            n = self.items[k + 2]
        return n

    def node(self, kind: cython.int, size: cython.int, context: cython.int) -> cython.int:
        """The node of the first ``size`` items of the scratch; kind 2, or 3 for a raw one. Context -1: the path's."""
        n: cython.int
        f: cython.int
        k: cython.Py_ssize_t
        w: cython.int
        child: cython.Py_ssize_t
        one: cython.ulonglong = 1
        if self.n >= self.about_room:
            with cython.gil:
                self._grow_about()
        n = cython.cast(cython.int, self.n)
        k = self.find(kind, size)
        if k < n:
            return cython.cast(cython.int, k)
        for w in range(self.width):
            self.joint[w] = 0
        f = cython.cast(cython.int, self.scratch[0])
        self.joint[f >> 6] |= one << (f & 63)
        for k in range(3, size, 3):
            child = self.scratch[k]
            for w in range(self.width):
                self.joint[w] |= self.tested[child * self.width + w]
        child = n
        for w in range(self.width):
            self.tested[child * self.width + w] = self.joint[w]
        self.context[n] = self.joint_path() if context < 0 else context
        return n

    def is_root(self, n: cython.int) -> cython.bint:
        """Whether node n stands for a graph: it exists, and no test before it has taken states away."""
        return 0 <= n < self.n and (self.context[n] == 2 or self.kinds[n] == 3)

    # ---------------------------------------------------------------- what is kept

    def collect(self, roots: object) -> object:
        """Forget all nodes but those that ``roots`` reach; returns the roots' new numbers. O(n_nodes + edges)"""
        marked = np.zeros(self.n, np.int32)
        marked[[0, 1, *roots]] = 1
        mark: cython.p_int = ints(marked)
        n: cython.Py_ssize_t
        k: cython.Py_ssize_t
        with cython.nogil:
            for n in range(self.n - 1, 1, -1):
                if mark[n]:
                    for k in range(self.at[n] + 3, self.at[n] + self.size[n], 3):
                        mark[self.items[k]] = 1
        image = np.cumsum(marked, dtype=np.int32) - 1
        kept = np.flatnonzero(marked)
        used = np.zeros(self.paths.n, np.int32)
        used[self.keep["context"][kept]] = 1
        used[:3] = 1
        path_image = np.cumsum(used, dtype=np.int32) - 1
        self.keep["context"][: len(kept)] = path_image[self.keep["context"][kept]]
        tested = self.keep["tested"].reshape(-1, self.width)
        tested[: len(kept)] = tested[kept]
        self.paths.compact(np.flatnonzero(used), None)
        self.compact(kept, image)
        return [int(image[root]) for root in roots]
