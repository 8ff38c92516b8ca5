"""Algorithm 4: conjunction and disjunction of weak test-once graphs, without recursion.

A pair of nodes is worked on under a path, which says what states of each feature are left; the cache is keyed by the
pair, the operation, and the path's part for the features that the pair tests (FORMULAS 2.7). Nodes whose test the path
decides are passed over first, and a graph that the path leaves as it is is not walked.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

from xylogic.errors import InvalidInputError

if cython.compiled:
    from cython.cimports.xylogic.circuit.graphs_kernel import Graphs
    from cython.cimports.xylogic.domain.machine_kernel import ints, mixed
else:
    from xylogic.circuit.graphs_kernel import Graphs
    from xylogic.domain.machine_kernel import ints, mixed

AND = 3
OR = 4
CHECK_EVERY = cython.declare(cython.int, 20000)  # pairs worked on
MOST_KEPT = cython.declare(cython.Py_ssize_t, 1 << 21)  # cache entries that outlive an operation


@cython.cclass
class Apply(Graphs):
    """A manager of weak test-once graphs that joins them.

    ``order``: features from first to last; of two nodes that test different ones, the earlier is tested first. Without
    it the first operand's is, as printed.
    """

    def __init__(self, n_states: object, budget: object = None, order: object = None) -> None:
        Graphs.__init__(self, n_states)
        rank = np.zeros(self.n_features + 1, np.int32)
        if order is not None:
            rank[list(order)] = np.arange(self.n_features, dtype=np.int32)
        self.keep["rank"] = rank
        self.rank = ints(rank)
        self.ordered = order is not None
        self.frame_room = self.edge_room = self.cache_room = 0
        self._grow_frames()
        self._grow_edges()
        self._grow_cache()
        if budget is not None:
            self.limit(budget)

    @property
    def is_ordered(self) -> object:
        """Whether an order of features was given."""
        return bool(self.ordered)

    # ---------------------------------------------------------------- room

    @cython.cfunc
    def _grow_frames(self):
        room: cython.Py_ssize_t = max(64, 2 * self.frame_room)
        self._afford(48 * (room - self.frame_room))
        used = self.frame_room
        self.frame_a = ints(self._resized("frame_a", np.int32, used, room))
        self.frame_b = ints(self._resized("frame_b", np.int32, used, room))
        self.frame_a_edge = ints(self._resized("frame_a_edge", np.int32, used, room))
        self.frame_b_edge = ints(self._resized("frame_b_edge", np.int32, used, room))
        self.frame_op = ints(self._resized("frame_op", np.int32, used, room))
        self.frame_path = ints(self._resized("frame_path", np.int32, used, room))
        self.frame_feature = ints(self._resized("frame_feature", np.int32, used, room))
        self.frame_from = ints(self._resized("frame_from", np.int32, used, room))
        self.frame_at = ints(self._resized("frame_at", np.int32, used, room))
        self.frame_end = ints(self._resized("frame_end", np.int32, used, room))
        self.frame_to = ints(self._resized("frame_to", np.int32, used, room))
        self.frame_edges = ints(self._resized("frame_edges", np.int32, used, room))
        self.frame_room = room

    @cython.cfunc
    def _grow_edges(self):
        room: cython.Py_ssize_t = max(256, 2 * self.edge_room)
        self._afford(4 * (room - self.edge_room))
        self.edges = ints(self._resized("edges", np.int32, self.edge_room, room))
        self.edge_room = room

    @cython.cfunc
    def _grow_cache(self):
        """Twice the room, with all entries, or an empty cache of the smallest size."""
        old = {name: self.keep.get(name) for name in ("cached_a", "cached_b", "cached_path", "cached")}
        room: cython.Py_ssize_t = max(1 << 12, 2 * self.cache_room)
        self._afford(16 * room)
        self.cached_a = ints(self._resized("cached_a", np.int32, 0, room))
        self.cached_b = ints(self._resized("cached_b", np.int32, 0, room))
        self.cached_path = ints(self._resized("cached_path", np.int32, 0, room))
        self.cached = ints(self._resized("cached", np.int32, 0, room))
        self.n_cached = 0
        before: cython.Py_ssize_t = self.cache_room
        self.cache_room = room
        if before:
            a: cython.p_int = ints(old["cached_a"])
            b: cython.p_int = ints(old["cached_b"])
            path: cython.p_int = ints(old["cached_path"])
            result: cython.p_int = ints(old["cached"])
            k: cython.Py_ssize_t
            with cython.nogil:
                for k in range(before):
                    if a[k]:
                        self.remember(a[k], b[k] >> 1, 3 + (b[k] & 1), path[k], result[k])

    @cython.cfunc
    def forget(self):
        """Empty the cache."""
        for name in ("cached_a", "cached_b", "cached_path", "cached"):
            self.keep[name][:] = 0
        self.n_cached = 0

    # ---------------------------------------------------------------- cache

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def place(self, a: cython.int, b: cython.int, op: cython.int, path: cython.int) -> cython.Py_ssize_t:
        """Where in the cache the entry is, or is to be."""
        second: cython.int = 2 * b + op - 3
        code: cython.ulonglong = mixed(1, cython.cast(cython.ulonglong, a))
        code = mixed(mixed(code, cython.cast(cython.ulonglong, second)), cython.cast(cython.ulonglong, path))
        k: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, code & (self.cache_room - 1))
        while self.cached_a[k] and not (
            self.cached_a[k] == a and self.cached_b[k] == second and self.cached_path[k] == path
        ):
            k = (k + 1) & (self.cache_room - 1)
        return k

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def remember(
        self, a: cython.int, b: cython.int, op: cython.int, path: cython.int, result: cython.int
    ) -> cython.void:
        k: cython.Py_ssize_t = self.place(a, b, op, path)
        self.cached_a[k] = a
        self.cached_b[k] = 2 * b + op - 3
        self.cached_path[k] = path
        self.cached[k] = result
        self.n_cached += 1

    # ---------------------------------------------------------------- Algorithm 4

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-2, check=False)
    def enter(self, a: cython.int, b: cython.int, op: cython.int) -> cython.int:
        """``a op b`` under the current path where that is known or evident; else -1, and a frame to work it out."""
        swap: cython.int
        path: cython.int
        w: cython.int
        f: cython.int
        k: cython.Py_ssize_t
        x: cython.Py_ssize_t
        y: cython.Py_ssize_t
        a = self.descend(a)
        b = self.descend(b)
        if a < 2 or (b > 1 and self.goes_before(b, a)):
            swap = a
            a = b
            b = swap
        if b < 2 and b == (0 if op == 3 else 1):
            return b
        if b < 2 or a == b:  # what is left is to restrict a to the path: "a and true"
            op = 3
            b = 1
        if a < 2:
            return a
        x = a
        y = b
        for w in range(self.width):
            self.joint[w] = self.tested[x * self.width + w] | self.tested[y * self.width + w]
        path = self.joint_path()
        if b == 1 and self.context[a] == path and self.kinds[a] == 2:
            return a
        k = self.place(a, b, op, path)
        if self.cached_a[k]:
            return self.cached[k]
        self.unchecked += 1
        if self.unchecked >= CHECK_EVERY:
            self.unchecked = 0
            with cython.gil:
                self.budget.check(0, self.n_bytes)
        if self.top >= self.frame_room:
            with cython.gil:
                self._grow_frames()
        f = self.items[self.at[a]]
        k = self.top
        self.frame_a[k] = a
        self.frame_b[k] = b
        self.frame_op[k] = op
        self.frame_path[k] = path
        self.frame_feature[k] = f
        self.frame_from[k] = self.lo[f]
        self.frame_at[k] = self.lo[f]
        self.frame_to[k] = self.hi[f]
        self.frame_a_edge[k] = 1
        self.frame_b_edge[k] = 1
        self.frame_edges[k] = cython.cast(cython.int, self.n_edge_items)
        self.top += 1
        return -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def goes_before(self, b: cython.int, a: cython.int) -> cython.bint:
        """Whether node b's test is to be made before node a's."""
        x: cython.int
        y: cython.int
        if not self.ordered:
            return False
        x = self.rank[self.items[self.at[a]]]
        y = self.rank[self.items[self.at[b]]]
        return y < x or (y == x and b > a)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-2, check=False)
    def follow(self, k: cython.Py_ssize_t) -> cython.int:
        """Enter the next pair of children of frame k."""
        f: cython.int = cython.cast(cython.int, self.frame_feature[k])
        a: cython.int = self.frame_a[k]
        b: cython.int = self.frame_b[k]
        state: cython.int = self.frame_at[k]
        e: cython.Py_ssize_t = self.at[a] + self.frame_a_edge[k]
        end: cython.int
        while self.items[e + 1] < state:
            e += 3
        self.frame_a_edge[k] = cython.cast(cython.int, e - self.at[a])
        end = min(self.frame_to[k], self.items[e + 1])
        a = self.items[e + 2]
        if b > 1 and self.items[self.at[b]] == f:
            e = self.at[b] + self.frame_b_edge[k]
            while self.items[e + 1] < state:
                e += 3
            self.frame_b_edge[k] = cython.cast(cython.int, e - self.at[b])
            end = min(end, self.items[e + 1])
            b = self.items[e + 2]
        self.frame_end[k] = end
        self.allow(f, state, end)
        return self.enter(a, b, self.frame_op[k])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-2, check=False)
    def take(self, k: cython.Py_ssize_t, child: cython.int) -> cython.int:
        """One more edge of frame k: its current run of states leads to ``child``."""
        n: cython.Py_ssize_t = self.n_edge_items
        if n > self.frame_edges[k] and self.edges[n - 1] == child:
            self.edges[n - 2] = self.frame_end[k]
        else:
            if n + 3 > self.edge_room:
                with cython.gil:
                    self._grow_edges()
            self.edges[n] = self.frame_at[k]
            self.edges[n + 1] = self.frame_end[k]
            self.edges[n + 2] = child
            self.n_edge_items = n + 3
        self.frame_at[k] = self.frame_end[k] + 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-2, check=False)
    def close(self, k: cython.Py_ssize_t) -> cython.int:
        """The node of frame k, the last one, whose edges are complete."""
        first: cython.Py_ssize_t = self.frame_edges[k]
        i: cython.Py_ssize_t
        size: cython.Py_ssize_t = self.n_edge_items - first
        result: cython.int
        self.allow(cython.cast(cython.int, self.frame_feature[k]), self.frame_from[k], self.frame_to[k])
        if size == 3:
            result = self.edges[first + 2]
        else:
            if size + 1 > self.scratch_room:
                with cython.gil:
                    self._grow_scratch(size + 1)
            self.scratch[0] = self.frame_feature[k]
            for i in range(size):
                self.scratch[i + 1] = self.edges[first + i]
            result = self.node(2, cython.cast(cython.int, size + 1), -1)
        if 2 * self.n_cached >= self.cache_room:
            with cython.gil:
                self._grow_cache()
        self.remember(self.frame_a[k], self.frame_b[k], self.frame_op[k], self.frame_path[k], result)
        self.n_edge_items = first
        self.top -= 1
        return result

    def join(self, a: cython.int, b: cython.int, op: cython.int) -> cython.int:
        """``a and b`` (op 3) or ``a or b`` (op 4), as a weak test-once graph; ``join(a, 1, 3)`` makes a raw one so."""
        k: cython.Py_ssize_t
        result: cython.int
        if self.n_cached > MOST_KEPT:
            with cython.gil:
                self.forget()
        self.open_path()
        self.top = 0
        self.n_edge_items = 0
        result = self.enter(a, b, op)
        while self.top > 0:
            k = self.top - 1
            if result >= 0:
                self.take(k, result)
            if self.frame_at[k] > self.frame_to[k]:
                result = self.close(k)
            else:
                result = self.follow(k)
        return result

    # ---------------------------------------------------------------- from Python

    def conjunction(self, a: cython.int, b: cython.int) -> object:
        """The graph of ``a and b``. No useful bound is known; at worst exponential in the features."""
        return self._joined(a, b, 3)

    def disjunction(self, a: cython.int, b: cython.int) -> object:
        """The graph of ``a or b``."""
        return self._joined(a, b, 4)

    @cython.cfunc
    def _joined(self, a: cython.int, b: cython.int, op: cython.int) -> object:
        result: cython.int
        for n in (a, b):
            if not self.is_root(n):
                raise InvalidInputError(f"node {n} is no graph of this manager: it does not exist, or paths lead to it")
        with cython.nogil:
            result = self.join(a, b, op)
        return result

    def collect(self, roots: object) -> object:
        """Forget all nodes but those that ``roots`` reach; returns the roots' new numbers. O(n_nodes + edges)"""
        self.forget()
        return Graphs.collect(self, roots)
