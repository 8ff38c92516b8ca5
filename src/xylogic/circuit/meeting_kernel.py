"""How many rows reach each pair of nodes of two ordered diagrams: top down, level by level, with exact counts.

A pair waits at the level that it tests first. Its weight is the number of cells whose paths meet there, as 32-bit
limbs: the count of all cells at the roots, divided by a level's states and multiplied by an edge's at every step.
Pairs that have passed their rows on are forgotten, so that the room is that of the pairs that wait.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import ints, longs, mixed
else:
    from xylogic.domain.machine_kernel import ints, longs, mixed

LOW = cython.declare(cython.ulonglong, 2**32 - 1)
CHECK_EVERY = cython.declare(cython.longlong, 4096)  # pairs of nodes


@cython.cfunc
def limbs(array: cython.uint[::1]) -> cython.p_uint:
    if cython.compiled:
        return cython.address(array[0])
    else:
        return array


@cython.cclass
class Meetings:
    """Two graphs whose paths keep to one order: ``level`` is each node's place in it, ``sizes`` the levels' states.

    ``meet`` (u, v): their roots; ``total``: all cells. ``tally`` (n_labels ** 2, n_limbs): the cells that got to each
    pair of labels. When ``budget`` raises BudgetExceeded, every cell is either there or waits.
    """

    keep: dict
    budget: object
    n_labels: cython.int
    n_levels: cython.int
    n_limbs: cython.int
    sizes: cython.p_int
    level_u: cython.p_int
    level_v: cython.p_int
    at_u: cython.p_longlong
    at_v: cython.p_longlong
    hi_u: cython.p_int
    hi_v: cython.p_int
    child_u: cython.p_int
    child_v: cython.p_int
    head: cython.p_int  # of each level's waiting pairs; 0 ends a list
    first: cython.p_int
    second: cython.p_int
    following: cython.p_int
    weight: cython.p_uint
    tally: cython.p_uint
    part: cython.p_uint
    slots: cython.p_int  # the table of pairs, with some that wait no longer
    slot_mask: cython.ulonglong
    n_slots: cython.longlong
    room: cython.longlong
    n: cython.longlong  # places used so far, of which ``free`` lists those that wait no longer
    free: cython.int
    n_free: cython.longlong
    passed: cython.longlong

    def __init__(self, u, v, level_u, level_v, sizes, total, budget) -> None:
        self.budget = budget
        self.n_labels = u.n_labels
        self.n_levels = len(sizes)
        self.n_limbs = max(1, -(-int(total).bit_length() // 32))
        zero = np.zeros(1, np.int32)  # an array of nothing has no address
        self.keep = {
            "sizes": np.append(np.asarray(sizes, np.int32), zero),
            "level_u": level_u, "level_v": level_v, "at_u": u.edge_at, "at_v": v.edge_at,
            "hi_u": np.append(u.hi, zero), "hi_v": np.append(v.hi, zero),
            "child_u": np.append(u.child, zero), "child_v": np.append(v.child, zero),
            "head": np.zeros(self.n_levels + 1, np.int32),
            "tally": np.zeros(self.n_labels * self.n_labels * self.n_limbs, np.uint32),
            "part": np.zeros(self.n_limbs, np.uint32),
        }  # fmt: skip
        keep = self.keep
        self.sizes, self.head = ints(keep["sizes"]), ints(keep["head"])
        self.level_u, self.level_v = ints(keep["level_u"]), ints(keep["level_v"])
        self.at_u, self.at_v = longs(keep["at_u"]), longs(keep["at_v"])
        self.hi_u, self.hi_v = ints(keep["hi_u"]), ints(keep["hi_v"])
        self.child_u, self.child_v = ints(keep["child_u"]), ints(keep["child_v"])
        self.tally, self.part = limbs(keep["tally"]), limbs(keep["part"])
        self.room = self.n_slots = self.free = self.n_free = self.passed = 0
        self.n = 1
        self._grow(1024)
        for k in range(self.n_limbs):
            self.part[k] = (int(total) >> (32 * k)) & 0xFFFFFFFF
        self.send(u.root, v.root, 1)

    @property
    def n_bytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self.keep.values())

    @property
    def n_places(self) -> int:
        """For how many pairs there is room."""
        return self.room

    @property
    def n_passed(self) -> int:
        """Pairs that have passed their rows on."""
        return self.passed

    @property
    def n_waiting(self) -> int:
        """Pairs that wait, at all levels."""
        return self.n - 1 - self.n_free

    def limit(self, budget: object) -> None:
        """Let ``budget`` bound what is done from now on; ``passed`` goes on counting."""
        self.budget = budget

    @cython.cfunc
    def _grow(self, room: cython.longlong):
        keep = self.keep
        self.budget.check(0, self.n_bytes + (12 + 4 * self.n_limbs) * (room - self.room) + 8 * room)
        for name in ("first", "second", "following"):
            array = np.zeros(room, np.int32)
            array[: self.room] = keep.get(name, array[:0])
            keep[name] = array
        array = np.zeros(room * self.n_limbs, np.uint32)
        array[: self.room * self.n_limbs] = keep.get("weight", array[:0])
        keep["weight"] = array
        keep.pop("slots", None)
        keep["slots"] = np.zeros(1 << int(2 * room - 1).bit_length(), np.int32)
        self.first, self.second = ints(keep["first"]), ints(keep["second"])
        self.following, self.weight = ints(keep["following"]), limbs(array)
        self.slots = ints(keep["slots"])
        self.slot_mask = len(keep["slots"]) - 1
        self.room = room
        self.rehash()

    # ---------------------------------------------------------------- the table of pairs

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def rehash(self) -> cython.void:
        """Forget the pairs that wait no longer."""
        level: cython.int
        n: cython.int
        slot: cython.ulonglong
        for slot in range(self.slot_mask + 1):
            self.slots[slot] = 0
        self.n_slots = 0
        for level in range(self.n_levels):
            n = self.head[level]
            while n:
                slot = self.slot_of(self.first[n], self.second[n])
                self.slots[slot] = n
                self.n_slots += 1
                n = self.following[n]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def slot_of(self, u: cython.int, v: cython.int) -> cython.ulonglong:
        """Where the pair is, or an empty slot."""
        key: cython.ulonglong = (cython.cast(cython.ulonglong, u) << 32) | cython.cast(cython.ulonglong, v)
        slot: cython.ulonglong = mixed(7, key) & self.slot_mask
        n: cython.int = self.slots[slot]
        while n and (self.first[n] != u or self.second[n] != v):
            slot = (slot + 1) & self.slot_mask
            n = self.slots[slot]
        return slot

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def send(self, u: cython.int, v: cython.int, width: cython.ulonglong) -> cython.void:
        """Add ``part`` times ``width`` cells to a pair; there is room for it."""
        n: cython.int
        k: cython.int
        at: cython.longlong
        slot: cython.ulonglong
        level: cython.int = min(self.level_u[u], self.level_v[v])
        if level == self.n_levels:
            at = (u * self.n_labels + v) * self.n_limbs
            self.add(self.tally, at, width)
            return
        slot = self.slot_of(u, v)
        n = self.slots[slot]
        if n == 0:
            if self.free:
                n = self.free
                self.free = self.following[n]
                self.n_free -= 1
            else:
                n = cython.cast(cython.int, self.n)
                self.n += 1
            self.slots[slot] = n
            self.n_slots += 1
            self.first[n] = u
            self.second[n] = v
            self.following[n] = self.head[level]
            self.head[level] = n
            at = cython.cast(cython.longlong, n) * self.n_limbs
            for k in range(self.n_limbs):
                self.weight[at + k] = 0
        self.add(self.weight, cython.cast(cython.longlong, n) * self.n_limbs, width)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add(self, to: cython.p_uint, at: cython.longlong, width: cython.ulonglong) -> cython.void:
        k: cython.int
        carry: cython.ulonglong = 0
        for k in range(self.n_limbs):
            carry += cython.cast(cython.ulonglong, self.part[k]) * width + cython.cast(cython.ulonglong, to[at + k])
            to[at + k] = cython.cast(cython.uint, carry & LOW)
            carry = carry >> 32

    # ---------------------------------------------------------------- passing rows on

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def divide(self, n: cython.int, size: cython.ulonglong) -> cython.void:
        """``part``: the cells of a pair for each state of its level."""
        k: cython.int
        at: cython.longlong = cython.cast(cython.longlong, n) * self.n_limbs
        rest: cython.ulonglong = 0
        for k in range(self.n_limbs - 1, -1, -1):
            rest = (rest << 32) | cython.cast(cython.ulonglong, self.weight[at + k])
            self.part[k] = cython.cast(cython.uint, rest // size)
            rest = rest % size

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def spread(self, level: cython.int) -> cython.int:
        n: cython.int
        u: cython.int
        v: cython.int
        a: cython.int
        b: cython.int
        hi: cython.int
        last: cython.int
        tests_u: cython.bint
        tests_v: cython.bint
        i: cython.longlong
        j: cython.longlong
        more: cython.longlong
        unchecked: cython.longlong = 0
        while self.head[level]:
            n = self.head[level]
            u = self.first[n]
            v = self.second[n]
            tests_u = self.level_u[u] == level
            tests_v = self.level_v[v] == level
            i = self.at_u[u] if tests_u else 0
            j = self.at_v[v] if tests_v else 0
            more = (self.at_u[u + 1] - i if tests_u else 0) + (self.at_v[v + 1] - j if tests_v else 0)
            if unchecked == 0 or self.n + more > self.room or self.n_slots + more > self.room:
                with cython.gil:
                    self._prepare(more)
                unchecked = CHECK_EVERY
            unchecked -= 1
            self.passed += 1
            self.divide(n, self.sizes[level])
            self.head[level] = self.following[n]
            last = -1
            while last < self.sizes[level] - 1:
                a = self.child_u[i] if tests_u else u
                b = self.child_v[j] if tests_v else v
                hi = self.hi_u[i] if tests_u else self.hi_v[j]
                if tests_v and self.hi_v[j] < hi:
                    hi = self.hi_v[j]
                self.send(a, b, cython.cast(cython.ulonglong, hi - last))
                if tests_u and self.hi_u[i] == hi:
                    i += 1
                if tests_v and self.hi_v[j] == hi:
                    j += 1
                last = hi
            self.following[n] = self.free
            self.free = n
            self.n_free += 1
        return 0

    @cython.cfunc
    def _prepare(self, more: cython.longlong):
        self.budget.check(self.passed, self.n_bytes)
        if self.n + more > self.room:
            self._grow(2 * self.room + more)
        elif self.n_slots + more > self.room:
            self.rehash()
            if 4 * self.n_slots > 3 * self.room:
                self._grow(2 * self.room + more)

    def pass_on(self, level: cython.int) -> None:
        """Let the pairs that wait at a level, whose upper ones are empty, pass their rows on."""
        with cython.nogil:
            self.spread(level)

    # ---------------------------------------------------------------- what waits

    def waiting(self, level: cython.int) -> object:
        """The places, int32, of a level's pairs."""
        found = np.zeros(self.n, np.int32)
        return found[: self._list(level, ints(found))]

    @cython.cfunc
    def _list(self, level: cython.int, found: cython.p_int) -> cython.longlong:
        count: cython.longlong = 0
        n: cython.int = self.head[level]
        while n:
            found[count] = n
            count += 1
            n = self.following[n]
        return count

    def weights(self, places: object) -> object:
        """The weights, uint32 (n, n_limbs), of pairs."""
        return self.keep["weight"].reshape(-1, self.n_limbs)[places]

    def keep_only(self, level: cython.int, kept: object, dropped: object) -> None:
        """Let ``kept`` wait at a level, and not ``dropped``, which is not empty."""
        following = self.keep["following"]
        following[dropped] = np.append(dropped[1:], self.free)
        following[kept] = np.append(kept[1:], 0)
        self.free = dropped[0]
        self.n_free += len(dropped)
        self.head[level] = kept[0]

    def tallied(self) -> object:
        """The cells that got to each pair of labels, uint32 (n_labels ** 2, n_limbs)."""
        return self.keep["tally"].reshape(-1, self.n_limbs).copy()
