"""Edge-valued diagrams: functions from states to vectors of whole numbers, the numbers standing on the edges.

The value of a row is the sum of what the edges on its path add. A node's least sums are 0 in every place (what is
more moves up to the edges above it), so that functions which differ by a constant are one node.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.circuit.ordered_kernel import Ordered
    from cython.cimports.xylogic.domain.machine_kernel import bits, ints, longs, mixed
else:
    from xylogic.circuit.ordered_kernel import Ordered
    from xylogic.domain.machine_kernel import bits, ints, longs, mixed

CHECK_EVERY = cython.declare(cython.longlong, 4096)  # pairs of nodes


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def scrambled(number: cython.ulonglong, salt: cython.ulonglong) -> cython.ulonglong:
    """A word that looks random, so that sums of such words tell multisets apart."""
    word: cython.ulonglong = mixed(salt, number)
    k: cython.int
    for k in range(4):
        word = mixed(word, salt ^ (word >> 31))
    return word


@cython.cclass
class Sums:
    """Hash-consed nodes over levels of ``sizes`` states each, of vectors of ``width`` numbers. Node 0 is the zero."""

    def __init__(self, sizes: object, width: cython.int, budget: object) -> None:
        self.sizes = tuple(int(size) for size in sizes)
        self.n_levels = len(self.sizes)
        self.width = width
        self.budget = budget
        n_out: cython.Py_ssize_t = sum(self.sizes) + 1
        self.keep = {
            "level_size": np.array([*self.sizes, 0], np.int32),
            **{name: np.zeros(self.n_levels + 2, np.int32) for name in ("frame_u", "frame_v")},
            **{name: np.zeros(self.n_levels + 2, np.int64) for name in ("frame_i", "frame_j", "frame_out")},
            **{name: np.zeros(n_out, np.int32) for name in ("out_hi", "out_child")},
            "out_worth": np.zeros((n_out + 1) * width, np.int64),
            "low": np.zeros(width, np.int64),
        }
        keep = self.keep
        self.level_size = ints(keep["level_size"])
        self.frame_u, self.frame_v = ints(keep["frame_u"]), ints(keep["frame_v"])
        self.frame_i, self.frame_j = longs(keep["frame_i"]), longs(keep["frame_j"])
        self.frame_out = longs(keep["frame_out"])
        self.out_hi, self.out_child = ints(keep["out_hi"]), ints(keep["out_child"])
        self.out_worth, self.low = longs(keep["out_worth"]), longs(keep["low"])
        self.room = self.item_room = 0
        self.n = self.n_items = 0
        self.n_pairs = 0
        self.pair_mask = 0
        self.epoch = 1
        self.unchecked = 0
        self._grow_nodes()
        self._grow_items(0)
        self._grow_pairs()
        self.level[0] = self.n_levels
        self.edge_at[1] = 0
        self.n = 1

    @property
    def n_nodes(self) -> int:
        return self.n

    @property
    def n_bytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self.keep.values())

    # ---------------------------------------------------------------- room

    @cython.cfunc
    def _resized(self, name: str, dtype: object, room: cython.Py_ssize_t):
        if name not in self.keep:
            self.keep[name] = np.zeros(room, dtype)
        else:
            self.keep[name].resize(room, refcheck=False)
        return self.keep[name]

    @cython.cfunc
    def _grow_nodes(self):
        room: cython.Py_ssize_t = max(512, 2 * self.room)
        self.budget.check(0, self.n_bytes + (44 + 8 * self.width) * (room - self.room))
        self.keep.pop("slots", None)
        self.level = ints(self._resized("level", np.int32, room))
        self.edge_at = longs(self._resized("edge_at", np.int64, room + 1))
        self.code = bits(self._resized("code", np.uint64, room))
        self.first_word = bits(self._resized("first_word", np.uint64, room))
        self.second_word = bits(self._resized("second_word", np.uint64, room))
        self.top = longs(self._resized("top", np.int64, room * self.width))
        self.slots = ints(self._resized("slots", np.int32, 2 * room))
        self.slot_mask = 2 * room - 1
        self.room = room
        self._rehash()

    @cython.cfunc
    def _grow_items(self, more: cython.Py_ssize_t):
        room: cython.Py_ssize_t = max(1024, 2 * self.item_room, self.n_items + more)
        self.budget.check(0, self.n_bytes + 8 * (1 + self.width) * (room - self.item_room))
        self.hi = ints(self._resized("hi", np.int32, room))
        self.child = ints(self._resized("child", np.int32, room))
        self.worth = longs(self._resized("worth", np.int64, room * self.width))
        self.item_room = room

    @cython.cfunc
    def _grow_pairs(self):
        """Four times the room for results; what is known so far is forgotten, which costs time only."""
        room: cython.Py_ssize_t = 4 * (self.pair_mask + 1) if self.pair_mask else 8192
        self.budget.check(0, self.n_bytes + 16 * room + 4 * room * self.width)
        for name in ("pair", "value", "stamp", "pair_worth"):
            self.keep.pop(name, None)
        self.pair = bits(self._resized("pair", np.uint64, room))
        self.value = ints(self._resized("value", np.int32, room))
        self.stamp = ints(self._resized("stamp", np.int32, room))
        self.pair_worth = longs(self._resized("pair_worth", np.int64, room * self.width))
        self.pair_mask = room - 1
        self.n_pairs = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _rehash(self) -> cython.void:
        n: cython.Py_ssize_t
        k: cython.ulonglong
        for n in range(1, self.n):
            k = cython.cast(cython.ulonglong, self.code[n]) & self.slot_mask
            while self.slots[k]:
                k = (k + 1) & self.slot_mask
            self.slots[k] = cython.cast(cython.int, n)

    # ---------------------------------------------------------------- nodes

    def make(self, level: cython.int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.int:
        """The node of the ``n`` edges at ``out_...[at:]``, which are written over; ``low`` becomes what it lacks."""
        width: cython.Py_ssize_t = self.width
        k: cython.Py_ssize_t
        p: cython.Py_ssize_t
        m: cython.Py_ssize_t = at
        start: cython.Py_ssize_t
        found: cython.int
        same: cython.bint
        slot: cython.ulonglong
        code: cython.ulonglong
        worth: cython.p_longlong = self.out_worth
        for k in range(at + 1, at + n):
            same = self.out_child[k] == self.out_child[m]
            p = 0
            while same and p < width:
                same = worth[k * width + p] == worth[m * width + p]
                p += 1
            if not same:
                m += 1
                self.out_child[m] = self.out_child[k]
                for p in range(width):
                    worth[m * width + p] = worth[k * width + p]
            self.out_hi[m] = self.out_hi[k]
        n = m - at + 1
        for p in range(width):
            self.low[p] = worth[at * width + p]
            for k in range(at + 1, at + n):
                self.low[p] = min(self.low[p], worth[k * width + p])
        if n == 1:
            return self.out_child[at]
        code = cython.cast(cython.ulonglong, level + 1)
        for k in range(at, at + n):
            code = mixed(
                code,
                (cython.cast(cython.ulonglong, self.out_child[k]) << 32)
                | cython.cast(cython.ulonglong, self.out_hi[k]),
            )
            for p in range(width):
                worth[k * width + p] -= self.low[p]
                code = mixed(code, cython.cast(cython.ulonglong, worth[k * width + p]))
        slot = code & self.slot_mask
        while self.slots[slot]:
            found = self.slots[slot]
            start = self.edge_at[found]
            if self.code[found] == code and self.level[found] == level and self.edge_at[found + 1] - start == n:
                same = True
                for k in range(n):
                    if self.child[start + k] != self.out_child[at + k] or self.hi[start + k] != self.out_hi[at + k]:
                        same = False
                        break
                k = 0
                while same and k < n * width:
                    same = self.worth[start * width + k] == worth[at * width + k]
                    k += 1
                if same:
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
        for p in range(width):
            self.top[found * width + p] = 0
        for k in range(n):
            self.hi[start + k] = self.out_hi[at + k]
            self.child[start + k] = self.out_child[at + k]
            for p in range(width):
                self.worth[(start + k) * width + p] = worth[(at + k) * width + p]
                self.top[found * width + p] = max(
                    self.top[found * width + p],
                    worth[(at + k) * width + p] + self.top[self.out_child[at + k] * width + p],
                )
        self.level[found] = level
        self.code[found] = code
        self.first_word[found] = scrambled(found, 0x243F6A8885A308D3)
        self.second_word[found] = scrambled(found, 0x13198A2E03707344)
        self.edge_at[found + 1] = start + n
        self.slots[slot] = found
        self.n_items += n
        self.n += 1
        return found

    # ---------------------------------------------------------------- sums

    def recall(self, u: cython.int, v: cython.int) -> cython.longlong:
        """Where the result of a pair stands, or -1."""
        key: cython.ulonglong = (cython.cast(cython.ulonglong, u) << 32) | cython.cast(cython.ulonglong, v)
        slot: cython.ulonglong = mixed(7, key) & self.pair_mask
        while self.stamp[slot] == self.epoch:
            if self.pair[slot] == key:
                return cython.cast(cython.longlong, slot)
            slot = (slot + 1) & self.pair_mask
        return -1

    def remember(self, u: cython.int, v: cython.int, value: cython.int) -> cython.longlong:
        """Keep ``value`` and ``low`` as the result of a pair; where it stands."""
        key: cython.ulonglong = (cython.cast(cython.ulonglong, u) << 32) | cython.cast(cython.ulonglong, v)
        slot: cython.ulonglong
        p: cython.Py_ssize_t
        if 2 * self.n_pairs > cython.cast(cython.Py_ssize_t, self.pair_mask):
            with cython.gil:
                self._grow_pairs()
        slot = mixed(7, key) & self.pair_mask
        while self.stamp[slot] == self.epoch:
            slot = (slot + 1) & self.pair_mask
        self.pair[slot] = key
        self.value[slot] = value
        self.stamp[slot] = self.epoch
        for p in range(self.width):
            self.pair_worth[slot * self.width + p] = self.low[p]
        self.n_pairs += 1
        return cython.cast(cython.longlong, slot)

    def sum(self, u: cython.int, v: cython.int, most: cython.Py_ssize_t) -> cython.int:
        """The node of u + v, what it lacks in ``low``; -1 where more than ``most`` pairs of nodes would be met."""
        width: cython.Py_ssize_t = self.width
        p: cython.Py_ssize_t
        d: cython.int = -1
        a: cython.int
        b: cython.int
        top: cython.int
        hi: cython.int
        result: cython.int = -1
        out: cython.longlong = 0
        i: cython.longlong
        j: cython.longlong
        slot: cython.longlong = -1
        pairs: cython.Py_ssize_t = 0
        if u == 0 or v == 0:
            for p in range(width):
                self.low[p] = 0
            return u + v
        self.epoch += 1
        self.n_pairs = 0
        while True:
            if result < 0:
                d += 1
                top = min(self.level[u], self.level[v])
                self.frame_u[d] = u
                self.frame_v[d] = v
                self.frame_i[d] = self.edge_at[u] if self.level[u] == top else -1
                self.frame_j[d] = self.edge_at[v] if self.level[v] == top else -1
                self.frame_out[d] = out
            else:
                i = self.frame_i[d]
                j = self.frame_j[d]
                hi = self.hi[i] if i >= 0 else self.hi[j]
                if j >= 0 and self.hi[j] < hi:
                    hi = self.hi[j]
                self.out_hi[out] = hi
                self.out_child[out] = result
                for p in range(width):
                    self.out_worth[out * width + p] = self.pair_worth[slot * width + p] if slot >= 0 else 0
                if i >= 0:
                    for p in range(width):
                        self.out_worth[out * width + p] += self.worth[i * width + p]
                if j >= 0:
                    for p in range(width):
                        self.out_worth[out * width + p] += self.worth[j * width + p]
                out += 1
                if i >= 0 and self.hi[i] == hi:
                    self.frame_i[d] = i + 1
                if j >= 0 and self.hi[j] == hi:
                    self.frame_j[d] = j + 1
            u = self.frame_u[d]
            v = self.frame_v[d]
            top = min(self.level[u], self.level[v])
            if out > self.frame_out[d] and self.out_hi[out - 1] == self.level_size[top] - 1:
                pairs += 1
                self.unchecked += 1
                if self.unchecked >= CHECK_EVERY:
                    self.unchecked = 0
                    with cython.gil:
                        self.budget.check(0, self.n_bytes)
                if pairs > most:
                    return -1
                result = self.make(top, self.frame_out[d], out - self.frame_out[d])
                out = self.frame_out[d]
                d -= 1
                if d < 0:
                    return result
                slot = self.remember(u, v, result)
                continue
            a = self.child[self.frame_i[d]] if self.frame_i[d] >= 0 else u
            b = self.child[self.frame_j[d]] if self.frame_j[d] >= 0 else v
            if a > b:
                a, b = b, a
            if a == 0:
                result = b
                slot = -1
            else:
                slot = self.recall(a, b)
                result = self.value[slot] if slot >= 0 else -1
            u = a
            v = b

    def add(self, u: cython.int, v: cython.int, most: cython.Py_ssize_t) -> object:
        """The node of u + v and its constants, int64 (width,); or None, see :meth:`sum`."""
        result: cython.int
        with cython.nogil:
            result = self.sum(u, v, most)
        return None if result < 0 else (result, self.keep["low"].copy())

    def convert(self, nodes: Ordered, worth: object, roots: object) -> object:
        """The diagrams of ``roots`` with label l worth ``worth[l]``, int64 (n_labels, width): nodes int32 and
        constants int64 (len(roots), width). Linear in the nodes made."""
        width: cython.Py_ssize_t = self.width
        marks = np.zeros(nodes.n_nodes + 1, np.int32)
        marks[list(roots)] = 1
        places = np.zeros(nodes.n_nodes + 1, np.int32)
        constants = np.zeros((nodes.n_nodes + 1, width), np.int64)
        constants[: nodes.n_labels] = worth
        flat = constants.reshape(-1)
        mark: cython.p_int = ints(marks)
        place: cython.p_int = ints(places)
        constant: cython.p_longlong = longs(flat)
        n: cython.Py_ssize_t
        k: cython.longlong
        p: cython.Py_ssize_t
        m: cython.Py_ssize_t
        with cython.nogil:
            for n in range(nodes.n - 1, nodes.n_labels - 1, -1):
                if mark[n]:
                    for k in range(nodes.edge_at[n], nodes.edge_at[n + 1]):
                        mark[nodes.child[k]] = 1
            for n in range(nodes.n_labels, nodes.n):
                if mark[n]:
                    m = 0
                    for k in range(nodes.edge_at[n], nodes.edge_at[n + 1]):
                        self.out_hi[m] = nodes.hi[k]
                        self.out_child[m] = place[nodes.child[k]]
                        for p in range(width):
                            self.out_worth[m * width + p] = constant[nodes.child[k] * width + p]
                        m += 1
                    place[n] = self.make(nodes.level[n], 0, m)
                    for p in range(width):
                        constant[n * width + p] = self.low[p]
        chosen = np.asarray(list(roots), np.int64)
        return places[chosen], constants[chosen]
