"""Operations on ordered diagrams: conjunction, disjunction, difference, and making any decision graph ordered.

An operation walks two diagrams together, depth first with one frame a level, and keeps the result of each pair of
nodes that it met: O(|u| * |v|) at most.
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

SPLICE = cython.declare(cython.int, 0)  # u where the level's state is at most the cut, else v
AND = cython.declare(cython.int, 1)
OR = cython.declare(cython.int, 2)
DIFFER = cython.declare(cython.int, 3)
CHECK_EVERY = cython.declare(cython.longlong, 4096)  # pairs of nodes
OPERATIONS = {"and": 1, "or": 2, "differ": 3}


@cython.cclass
class Ordered(Nodes):
    """Nodes, and operations on them."""

    def __init__(self, sizes: object, n_labels: cython.int, budget: object = None) -> None:
        Nodes.__init__(self, sizes, n_labels, budget)
        keep = self.keep
        for name in ("frame_u", "frame_v"):
            keep[name] = np.zeros(self.n_levels + 2, np.int32)
        for name in ("frame_i", "frame_j", "frame_out"):
            keep[name] = np.zeros(self.n_levels + 2, np.int64)
        widest = max(self.sizes, default=1)
        for name in ("out_hi", "out_child"):
            keep[name] = np.zeros(sum(self.sizes) + widest + 1, np.int32)
        for name in ("fold_hi", "fold_child"):
            keep[name] = np.zeros(widest + 1, np.int32)
        self.frame_u, self.frame_v = ints(keep["frame_u"]), ints(keep["frame_v"])
        self.frame_i, self.frame_j = longs(keep["frame_i"]), longs(keep["frame_j"])
        self.frame_out = longs(keep["frame_out"])
        self.out_hi, self.out_child = ints(keep["out_hi"]), ints(keep["out_child"])
        self.fold_hi, self.fold_child = ints(keep["fold_hi"]), ints(keep["fold_child"])
        self.fold_at = sum(self.sizes)
        self.epoch = 1
        self.n_pairs = 0
        self.pair_mask = 0
        self.steps = self.unchecked = 0
        self.lasting = 0
        self._grow_pairs()

    @cython.cfunc
    def _grow_pairs(self):
        old = self.keep.get("pair"), self.keep.get("value"), self.keep.get("stamp")
        room: cython.Py_ssize_t = 1024 if old[0] is None else 4 * len(old[0])
        self.budget.check(0, self.n_bytes + 16 * room)
        self.keep["pair"] = np.zeros(room, np.uint64)
        self.keep["value"] = np.zeros(room, np.int32)
        self.keep["stamp"] = np.zeros(room, np.int32)
        self.pair, self.value = bits(self.keep["pair"]), ints(self.keep["value"])
        self.stamp = ints(self.keep["stamp"])
        self.pair_mask = room - 1
        if old[0] is not None:
            for k in np.flatnonzero(old[2] == self.epoch).tolist():
                slot = int(mixed(7, int(old[0][k]))) & (room - 1)
                while self.keep["stamp"][slot] == self.epoch:
                    slot = (slot + 1) & (room - 1)
                for array, held in zip((self.keep["pair"], self.keep["value"], self.keep["stamp"]), old, strict=True):
                    array[slot] = held[k]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def spend(self) -> cython.int:
        self.steps += 1
        self.unchecked += 1
        if self.unchecked >= CHECK_EVERY:
            self.unchecked = 0
            with cython.gil:
                self.budget.check(self.steps, self.n_bytes)
        return 0

    # ---------------------------------------------------------------- one operation

    def known(self, op: cython.int, level: cython.int, u: cython.int, v: cython.int) -> cython.int:
        """The result where it takes no walk, else -1."""
        if u == v:
            return 0 if op == DIFFER else u
        if op == SPLICE:
            return -1
        if op == DIFFER:
            if u > 1 or v > 1:
                return v if u == 0 else (u if v == 0 else -1)
            return 1
        if u > v:
            u, v = v, u
        if u == 0:
            return 0 if op == AND else v
        if u == 1:
            return v if op == AND else 1
        return -1

    def recall(self, u: cython.int, v: cython.int) -> cython.int:
        key: cython.ulonglong = (cython.cast(cython.ulonglong, u) << 32) | cython.cast(cython.ulonglong, v)
        slot: cython.ulonglong = mixed(7, key) & self.pair_mask
        while self.stamp[slot] == self.epoch:
            if self.pair[slot] == key:
                return self.value[slot]
            slot = (slot + 1) & self.pair_mask
        return -1

    def remember(self, u: cython.int, v: cython.int, value: cython.int) -> cython.int:
        key: cython.ulonglong = (cython.cast(cython.ulonglong, u) << 32) | cython.cast(cython.ulonglong, v)
        slot: cython.ulonglong
        if 2 * self.n_pairs > cython.cast(cython.Py_ssize_t, self.pair_mask):
            with cython.gil:
                self._grow_pairs()
        slot = mixed(7, key) & self.pair_mask
        while self.stamp[slot] == self.epoch:
            slot = (slot + 1) & self.pair_mask
        self.pair[slot] = key
        self.value[slot] = value
        self.stamp[slot] = self.epoch
        self.n_pairs += 1
        return 0

    def spliced(self, level: cython.int, cut: cython.int, u: cython.int, v: cython.int) -> cython.int:
        """u up to the cut, v behind it; neither tests anything above ``level``."""
        last: cython.int = self.level_size[level] - 1
        n: cython.int = 0
        k: cython.longlong
        if self.level[u] == level:
            k = self.edge_at[u]
            while self.hi[k] < cut:
                self.fold_hi[n] = self.hi[k]
                self.fold_child[n] = self.child[k]
                n += 1
                k += 1
            self.fold_child[n] = self.child[k]
        else:
            self.fold_child[n] = u
        self.fold_hi[n] = cut
        n += 1
        if self.level[v] == level:
            k = self.edge_at[v]
            while self.hi[k] <= cut:
                k += 1
            while k < self.edge_at[v + 1]:
                self.fold_hi[n] = self.hi[k]
                self.fold_child[n] = self.child[k]
                n += 1
                k += 1
        else:
            self.fold_hi[n] = last
            self.fold_child[n] = v
            n += 1
        return self.make(level, self.fold_hi, self.fold_child, 0, n)

    def apply(self, op: cython.int, level: cython.int, cut: cython.int, u: cython.int, v: cython.int) -> cython.int:
        """``op`` of two diagrams; ``level`` and ``cut`` are for SPLICE."""
        d: cython.int = -1
        a: cython.int
        b: cython.int
        top: cython.int
        hi: cython.int
        result: cython.int = self.known(op, level, u, v)
        out: cython.longlong = 0
        i: cython.longlong
        j: cython.longlong
        if result >= 0:
            return result
        if self.lasting:
            if u > v:
                u, v = v, u
            result = self.recall(u, v)
            if result >= 0:
                return result
        else:
            self.epoch += 1
            self.n_pairs = 0
        while True:
            # (u, v) is to be walked, unless ``result`` is known already.
            if result < 0:
                top = min(self.level[u], self.level[v])
                if op == SPLICE and top >= level:
                    result = self.spliced(level, cut, u, v)
                    self.remember(u, v, result)
                else:
                    d += 1
                    self.frame_u[d] = u
                    self.frame_v[d] = v
                    self.frame_i[d] = self.edge_at[u] if self.level[u] == top else -1
                    self.frame_j[d] = self.edge_at[v] if self.level[v] == top else -1
                    self.frame_out[d] = out
            if result >= 0:
                if d < 0:
                    return result
                i = self.frame_i[d]
                j = self.frame_j[d]
                hi = self.hi[i] if i >= 0 else self.hi[j]
                if j >= 0 and self.hi[j] < hi:
                    hi = self.hi[j]
                self.out_hi[out] = hi
                self.out_child[out] = result
                out += 1
                if i >= 0 and self.hi[i] == hi:
                    self.frame_i[d] = i + 1
                if j >= 0 and self.hi[j] == hi:
                    self.frame_j[d] = j + 1
            u = self.frame_u[d]
            v = self.frame_v[d]
            top = min(self.level[u], self.level[v])
            if out > self.frame_out[d] and self.out_hi[out - 1] == self.level_size[top] - 1:
                self.spend()
                result = self.make(top, self.out_hi, self.out_child, self.frame_out[d], out - self.frame_out[d])
                self.remember(u, v, result)
                out = self.frame_out[d]
                d -= 1
                continue
            a = self.child[self.frame_i[d]] if self.frame_i[d] >= 0 else u
            b = self.child[self.frame_j[d]] if self.frame_j[d] >= 0 else v
            if op != SPLICE and a > b:
                a, b = b, a
            result = self.known(op, level, a, b)
            if result < 0:
                result = self.recall(a, b)
            u = a
            v = b

    def combine(self, op: str, u: cython.int, v: cython.int) -> int:
        """The node of "and", "or" or "differ" of two nodes; leaves are 0 (false) and 1 (true)."""
        code: cython.int = OPERATIONS[op]
        result: cython.int
        with cython.nogil:
            result = self.apply(code, 0, 0, u, v)
        return result

    # ---------------------------------------------------------------- other graphs

    def fold(self, level: cython.int, n: cython.int) -> cython.int:
        """A test of ``level`` over n diagrams, ``fold_hi`` and ``fold_child``, in balanced pairs."""
        k: cython.int
        direct: cython.bint = True
        his: cython.p_int = self.out_hi
        children: cython.p_int = self.out_child
        at: cython.Py_ssize_t = self.fold_at
        for k in range(n):
            direct = direct and self.level[self.fold_child[k]] > level
        if direct:
            return self.make(level, self.fold_hi, self.fold_child, 0, n)
        for k in range(n):
            his[at + k] = self.fold_hi[k]
            children[at + k] = self.fold_child[k]
        while n > 1:
            for k in range(n // 2):
                children[at + k] = self.apply(
                    SPLICE, level, his[at + 2 * k], children[at + 2 * k], children[at + 2 * k + 1]
                )
                his[at + k] = his[at + 2 * k + 1]
            if n & 1:
                children[at + n // 2] = children[at + n - 1]
                his[at + n // 2] = his[at + n - 1]
            n = (n + 1) // 2
        return children[at]

    def place(
        self,
        level_of: cython.p_int,
        feature: cython.p_int,
        edge_at: cython.p_longlong,
        lo: cython.p_int,
        hi: cython.p_int,
        child: cython.p_int,
        n_nodes: cython.Py_ssize_t,
        allowed_at: cython.p_int,
        allowed: cython.p_int,
        where: cython.p_int,
    ) -> cython.int:
        """Make the inner nodes of a graph; ``where`` holds those of its leaves and becomes all nodes' places.

        Of level l, ``allowed[allowed_at[l] + s]`` states below s are of interest.
        """
        n: cython.Py_ssize_t
        k: cython.longlong
        level: cython.int
        m: cython.int
        at: cython.Py_ssize_t
        for n in range(n_nodes):
            if feature[n] < 0 or edge_at[n] == edge_at[n + 1]:
                continue
            self.spend()
            level = level_of[feature[n]]
            at = allowed_at[level]
            m = 0
            for k in range(edge_at[n], edge_at[n + 1]):
                if allowed[at + hi[k] + 1] > allowed[at + lo[k]]:
                    self.fold_hi[m] = hi[k]
                    self.fold_child[m] = where[child[k]]
                    m += 1
            if m > 0:
                self.fold_hi[m - 1] = self.level_size[level] - 1
                where[n] = self.fold(level, m)
        return 0

    def add(self, graph: object, labels: object, level_of: object, inside: object = None) -> object:
        """The places, int32 (graph.n_nodes,), of a decision graph's nodes, its leaves being at ``labels``.

        ``level_of``: int32, the level of each feature; ``inside``: dict level -> the states that are of interest.
        A graph whose paths keep to the order of the levels takes linear time; another may grow exponentially.
        States that no edge of a node has, or that are of no interest, may lead anywhere.
        """
        where = np.zeros(graph.n_nodes, np.int32)
        where[: graph.n_labels] = labels
        level = np.append(np.asarray(level_of, np.int32), np.int32(0))
        sizes = np.array(self.sizes, np.int64) + 1
        starts = np.cumsum(np.append(0, sizes))
        counts = np.append(np.arange(starts[-1]) - np.repeat(starts[:-1], sizes), 0).astype(np.int32)
        for number, states in ({} if inside is None else inside).items():
            chosen = np.zeros(self.sizes[number], np.int32)
            chosen[list(states)] = 1
            counts[starts[number] + 1 : starts[number + 1]] = np.cumsum(chosen)
        self._place(graph, level, starts.astype(np.int32), counts, where)
        return where

    def _place(self, graph, level, starts, counts, where):
        n: cython.Py_ssize_t = graph.n_nodes
        level_of: cython.p_int = ints(level)
        feature: cython.p_int = ints(graph.feature)
        edge_at: cython.p_longlong = longs(graph.edge_at)
        lo: cython.p_int = ints(graph.lo)
        hi: cython.p_int = ints(graph.hi)
        child: cython.p_int = ints(graph.child)
        allowed_at: cython.p_int = ints(starts)
        allowed: cython.p_int = ints(counts)
        places: cython.p_int = ints(where)
        with cython.nogil:
            self.place(level_of, feature, edge_at, lo, hi, child, n, allowed_at, allowed, places)
