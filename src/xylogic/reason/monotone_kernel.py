"""Minimal sets of features from a complete reason, by decision diagrams.

A complete reason is monotone in "X keeps the row's state". It becomes an ordered binary decision diagram over the
features; the minimal sets that make it true are its sufficient reasons, and those of its dual the necessary ones
(A. Rauzy, New algorithms for fault trees analysis, 1993), held as a zero-suppressed diagram (S. Minato, 1993). Both
kinds of node live in one table: a level, and where absence (``low``) and presence (``high``) of its feature lead.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.circuit.nnf_kernel import Circuit
    from cython.cimports.xylogic.domain.machine_kernel import bits, ints
else:
    from xylogic.circuit.nnf_kernel import Circuit
    from xylogic.domain.machine_kernel import bits, ints

AND = cython.declare(cython.int, 0)
OR = cython.declare(cython.int, 1)
WITHOUT = cython.declare(cython.int, 2)  # the sets of a family that contain no set of another
FACTOR = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
ALL_BITS = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
LAST = cython.declare(cython.int, 2147483647)  # the level of the constants
CHECK_EVERY = cython.declare(cython.int, 20000)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def hashed(a: cython.int, b: cython.int, c: cython.int) -> cython.ulonglong:
    code: cython.ulonglong = cython.cast(cython.ulonglong, a)
    code = (code * FACTOR) & ALL_BITS
    code = ((code ^ (code >> 31) ^ cython.cast(cython.ulonglong, b)) * FACTOR) & ALL_BITS
    code = ((code ^ (code >> 31) ^ cython.cast(cython.ulonglong, c)) * FACTOR) & ALL_BITS
    return code ^ (code >> 31)


@cython.cclass
class Monotone:
    """Diagrams over levels 0 .. n_levels - 1; node 0 is *false* (no set), node 1 *true* (the empty set alone).

    ``budget`` bounds nodes, bytes and time; when it raises BudgetExceeded, all nodes stay usable.
    """

    budget: object
    keep: object
    n_levels: cython.int
    n = cython.declare(cython.int, visibility="readonly")
    n_out = cython.declare(cython.longlong, visibility="readonly")
    room: cython.Py_ssize_t
    unchecked: cython.int
    slot_mask: cython.ulonglong
    memo_mask: cython.ulonglong
    level: cython.p_int
    low: cython.p_int
    high: cython.p_int
    slots: cython.p_int
    memo: cython.p_int
    left: cython.p_int
    right: cython.p_int
    step: cython.p_int
    part: cython.p_int
    kept: cython.p_int

    def __init__(self, n_levels: cython.int, budget: object) -> None:
        self.budget = budget
        self.n_levels = n_levels
        self.keep = {name: np.zeros(n_levels + 3, np.int32) for name in ("left", "right", "step", "part", "kept")}
        self.left = ints(self.keep["left"])
        self.right = ints(self.keep["right"])
        self.step = ints(self.keep["step"])
        self.part = ints(self.keep["part"])
        self.kept = ints(self.keep["kept"])
        self.room = self.unchecked = 0
        self.n = 0
        self.n_out = 0
        self._grow()
        self.level[0] = self.level[1] = LAST
        self.n = 2

    def limit(self, budget: object) -> None:
        """Let ``budget`` bound what is done from now on."""
        self.budget = budget

    @cython.cfunc
    def _grow(self):
        room: cython.Py_ssize_t = max(1024, 2 * self.room)
        self.budget.check(self.n, 36 * room)
        for name in ("level", "low", "high"):
            new = np.zeros(room, np.int32)
            if self.room:
                new[: self.n] = self.keep[name][: self.n]
            self.keep[name] = new
        self.keep["slots"] = np.zeros(2 * room, np.int32)
        self.keep["memo"] = np.zeros(4 * room, np.int32)  # op + 1, left, right, result; the newest one of a place
        self.level = ints(self.keep["level"])
        self.low = ints(self.keep["low"])
        self.high = ints(self.keep["high"])
        self.slots = ints(self.keep["slots"])
        self.memo = ints(self.keep["memo"])
        self.slot_mask = 2 * room - 1
        self.memo_mask = room - 1
        self.room = room
        self._rehash()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _rehash(self) -> cython.void:
        n: cython.int
        k: cython.ulonglong
        for n in range(2, self.n):
            k = hashed(self.level[n], self.low[n], self.high[n]) & self.slot_mask
            while self.slots[k]:
                k = (k + 1) & self.slot_mask
            self.slots[k] = n

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def node(self, level: cython.int, low: cython.int, high: cython.int) -> cython.int:
        """The node with these parts."""
        k: cython.ulonglong
        n: cython.int
        if self.n >= self.room:
            with cython.gil:
                self._grow()
        k = hashed(level, low, high) & self.slot_mask
        while self.slots[k]:
            n = self.slots[k]
            if self.level[n] == level and self.low[n] == low and self.high[n] == high:
                return n
            k = (k + 1) & self.slot_mask
        n = self.n
        self.level[n] = level
        self.low[n] = low
        self.high[n] = high
        self.slots[k] = n
        self.n += 1
        return n

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-2, check=False)
    def trivial(self, op: cython.int, a: cython.int, b: cython.int) -> cython.int:
        """The result where it needs no look at nodes, else -1."""
        if op == WITHOUT:
            if a == 0 or b == 1 or a == b:
                return 0
            return a if b == 0 or a == 1 else -1
        if a == b or b == 1 - op:
            return a
        if a == 1 - op:
            return b
        return op if a == op or b == op else -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def apply(self, op: cython.int, a: cython.int, b: cython.int) -> cython.int:
        """Conjunction or disjunction of two functions, or a family WITHOUT another. O(nodes of a * nodes of b)."""
        top: cython.int = 0
        level: cython.int
        done: cython.int
        step: cython.int
        k: cython.ulonglong
        self.left[0] = a
        self.right[0] = b
        self.step[0] = 0
        while True:
            a = self.left[top]
            b = self.right[top]
            step = self.step[top]
            if step == 0:
                self.unchecked += 1
                if self.unchecked >= CHECK_EVERY:
                    self.unchecked = 0
                    with cython.gil:
                        self.budget.check(self.n, 36 * self.room)
                if op != WITHOUT and a > b:
                    a = self.right[top]
                    b = self.left[top]
                    self.left[top] = a
                    self.right[top] = b
                done = self.trivial(op, a, b)
                if done < 0:
                    k = 4 * (hashed(op, a, b) & self.memo_mask)
                    if self.memo[k] == op + 1 and self.memo[k + 1] == a and self.memo[k + 2] == b:
                        done = self.memo[k + 3]
                if done >= 0:
                    if top == 0:
                        return done
                    top -= 1
                    self.part[top] = done
                    continue
            level = min(self.level[a], self.level[b])
            if op == WITHOUT and self.level[a] > level:
                # No set of the family has the feature: only the other's sets without it matter.
                self.right[top] = self.low[b]
                continue
            self.step[top] = step + 1
            if step == 0:
                self.left[top + 1] = self.low[a] if self.level[a] == level else a
                self.right[top + 1] = self.low[b] if self.level[b] == level else b
            elif step == 1:
                self.kept[top] = self.part[top]
                self.left[top + 1] = self.high[a] if self.level[a] == level else a
                self.right[top + 1] = self.high[b] if self.level[b] == level else b
            elif step == 2 and op == WITHOUT and self.level[b] == level:
                # The other's sets without the feature count too.
                self.left[top + 1] = self.part[top]
                self.right[top + 1] = self.low[b]
            else:
                done = self.kept[top]
                if self.part[top] != (0 if op == WITHOUT else done):
                    done = self.node(level, done, self.part[top])
                k = 4 * (hashed(op, a, b) & self.memo_mask)
                self.memo[k] = op + 1
                self.memo[k + 1] = a
                self.memo[k + 2] = b
                self.memo[k + 3] = done
                if top == 0:
                    return done
                top -= 1
                self.part[top] = done
                continue
            top += 1
            self.step[top] = 0

    def read(self, circuit: Circuit, root: cython.int, level_of: object) -> int:
        """The diagram of a monotone circuit; ``level_of``: int32 (n_features,), the level of each feature."""
        n: cython.int
        k: cython.int
        made: cython.int
        form = np.full(root + 1, -1, np.int32)
        places = np.append(level_of, 0).astype(np.int32)
        value: cython.p_int = ints(form)
        level: cython.p_int = ints(places)
        value[root] = 0
        with cython.nogil:
            for n in range(root, 1, -1):
                if value[n] == 0 and circuit.kinds[n] > 2:
                    for k in range(circuit.size[n]):
                        value[circuit.items[circuit.at[n] + k]] = 0
            for n in range(root + 1):
                if n < 2:
                    value[n] = n
                elif value[n] == 0 and circuit.kinds[n] == 2:
                    value[n] = self.node(level[circuit.items[circuit.at[n]]], 0, 1)
                elif value[n] == 0:
                    made = 1 if circuit.kinds[n] == 3 else 0
                    for k in range(circuit.size[n]):
                        made = self.apply(
                            AND if circuit.kinds[n] == 3 else OR, made, value[circuit.items[circuit.at[n] + k]]
                        )
                    value[n] = made
        return int(value[root])

    def minimal(self, root: cython.int, dual: cython.bint) -> int:
        """The family of minimal sets of levels that make a monotone function (or its dual) true."""
        n: cython.int
        low: cython.int
        high: cython.int
        form = np.full(root + 1, -1, np.int32)
        value: cython.p_int = ints(form)
        value[root] = 0
        with cython.nogil:
            for n in range(root, 1, -1):
                if value[n] == 0:
                    value[self.low[n]] = 0
                    value[self.high[n]] = 0
            for n in range(root + 1):
                if n < 2:
                    value[n] = 1 - n if dual else n
                elif value[n] == 0:
                    low = value[self.high[n] if dual else self.low[n]]
                    high = self.apply(WITHOUT, value[self.low[n] if dual else self.high[n]], low)
                    value[n] = low if high == 0 else self.node(self.level[n], low, high)
        return int(value[root])

    def arrays(self, root: cython.int) -> object:
        """What ``root`` reaches, numbered anew, children first: level, low and high, int32 (n_nodes,), and the root.

        Nodes 0 and 1 stay the constants, at the level after the last one. Linear.
        """
        n: cython.int
        kept: cython.int = 2
        form = np.full(max(root, 1) + 1, -1, np.int32)
        place: cython.p_int = ints(form)
        with cython.nogil:
            place[root] = 0
            for n in range(root, 1, -1):
                if place[n] == 0:
                    place[self.low[n]] = 0
                    place[self.high[n]] = 0
            place[0] = 0
            place[1] = 1
            for n in range(2, root + 1):
                if place[n] == 0:
                    place[n] = kept
                    kept += 1
        chosen = np.flatnonzero(form[2:] >= 0) + 2
        level, low, high = (np.zeros(kept, np.int32) for _ in range(3))
        level[:2] = self.n_levels
        level[2:] = self.keep["level"][chosen]
        low[2:] = form[self.keep["low"][chosen]]
        high[2:] = form[self.keep["high"][chosen]]
        return level, low, high, int(form[root])

    def count(self, root: cython.int) -> int:
        """How many sets a family has."""
        total = {0: 0, 1: 1}
        for n in self._below(root):
            total[n] = total[self.low[n]] + total[self.high[n]]
        return total[root]

    def _below(self, root: cython.int) -> object:
        """The inner nodes that ``root`` reaches, ascending."""
        found = set()
        waiting = [root]
        while waiting:
            n = waiting.pop()
            if n > 1 and n not in found:
                found.add(n)
                waiting += (self.low[n], self.high[n])
        return sorted(found)

    def sets(self, root: cython.int, features: object, out: object) -> None:
        """Write the sets of a family as bit sets of ``features[level]`` into ``out``, uint64 (n, width), as many as
        fit. Stopped early, ``n_out`` says how many it holds."""
        width: cython.Py_ssize_t = out.shape[1]
        room: cython.Py_ssize_t = out.shape[0]
        names = np.append(features, 0).astype(np.int32)
        feature: cython.p_int = ints(names)
        current = np.zeros(width, np.uint64)
        flat = out.reshape(-1) if room else np.zeros(1, np.uint64)
        bit_set: cython.p_ulonglong = bits(current)
        rows: cython.p_ulonglong = bits(flat)
        masks = np.left_shift(np.uint64(1), (names & 63).astype(np.uint64))
        mask: cython.p_ulonglong = bits(masks)
        top: cython.Py_ssize_t = 0
        q: cython.Py_ssize_t
        n: cython.int
        f: cython.int
        self.n_out = 0
        self.left[0] = root
        self.step[0] = 0
        with cython.nogil:
            while top >= 0 and self.n_out < room:
                n = self.left[top]
                if n == 1:
                    for q in range(width):
                        rows[self.n_out * width + q] = bit_set[q]
                    self.n_out += 1
                    if self.n_out % CHECK_EVERY == 0:
                        with cython.gil:
                            self.budget.check(self.n, 36 * self.room)
                if n < 2 or self.step[top] == 2:
                    top -= 1
                    continue
                f = self.level[n]
                self.step[top] += 1
                if self.step[top] == 1:
                    bit_set[feature[f] >> 6] |= mask[f]
                    self.left[top + 1] = self.high[n]
                else:
                    bit_set[feature[f] >> 6] &= ~mask[f]
                    self.left[top + 1] = self.low[n]
                top += 1
                self.step[top] = 0
