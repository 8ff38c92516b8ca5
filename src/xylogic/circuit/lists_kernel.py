"""Numbered lists of integers, equal ones being one list (hash-consing): what circuits and decision graphs consist of.

One array for every property of a list, all items end to end, and an open-addressing table of list numbers.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

from xylogic.budget import Budget
from xylogic.errors import BudgetExceeded

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import bits, ints, longs, mixed
else:
    from xylogic.domain.machine_kernel import bits, ints, longs, mixed

MOST_LISTS = 2**31 - 2
CHECK_EVERY = cython.declare(cython.int, 20000)  # lists asked for


@cython.cclass
class Lists:
    """Lists with a kind each. Numbers 0 and 1 are taken by constants of kinds 0 and 1, without items.

    ``budget`` bounds number, bytes and time of all that is made; when it raises BudgetExceeded, what was made so far
    stays usable.
    """

    def __init__(self) -> None:
        self.budget = Budget()
        self.most = MOST_LISTS
        self.keep = {}
        self.n = self.n_items = 0
        self.room = self.item_room = self.scratch_room = 0
        self.unchecked = 0
        self._grow_nodes()
        self._grow_items(0)
        self._grow_scratch(0)
        self.kinds[1] = 1
        self.n = 2

    def limit(self, budget: object) -> None:
        """Let ``budget`` bound what is made from now on."""
        self.budget = budget
        self.most = MOST_LISTS if budget.node_limit is None else int(min(budget.node_limit, MOST_LISTS))

    @property
    def n_nodes(self) -> object:
        """The number of lists, constants included."""
        return self.n

    @property
    def n_bytes(self) -> object:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self.keep.values())

    @cython.cfunc
    def _resized(self, name: str, dtype: object, used: cython.Py_ssize_t, room: cython.Py_ssize_t):
        new = np.zeros(room, dtype)
        if used:
            new[:used] = self.keep[name][:used]
        self.keep[name] = new
        return new

    @cython.cfunc
    def _afford(self, more: cython.Py_ssize_t):
        """Raise unless the budget allows ``more`` bytes beside those in use."""
        self.budget.check(0, self.n_bytes + more)

    @cython.cfunc
    def _grow_nodes(self):
        room: cython.Py_ssize_t = max(256, 2 * self.room)
        self._afford(24 * (room - self.room) + 8 * room)
        self.kinds = ints(self._resized("kinds", np.int32, self.n, room))
        self.size = ints(self._resized("size", np.int32, self.n, room))
        self.at = longs(self._resized("at", np.int64, self.n, room))
        self.code = bits(self._resized("code", np.uint64, self.n, room))
        self.slots = ints(self._resized("slots", np.int32, 0, 2 * room))
        self.slot_mask = 2 * room - 1
        self.room = room
        self._rehash()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _rehash(self) -> cython.void:
        n: cython.Py_ssize_t
        k: cython.Py_ssize_t
        for n in range(2, self.n):
            k = cython.cast(cython.Py_ssize_t, self.code[n] & self.slot_mask)
            while self.slots[k]:
                k = (k + 1) & cython.cast(cython.Py_ssize_t, self.slot_mask)
            self.slots[k] = cython.cast(cython.int, n)

    @cython.cfunc
    def _grow_items(self, n: cython.Py_ssize_t):
        room: cython.Py_ssize_t = max(512, 2 * self.item_room, 2 * (self.n_items + n))
        self._afford(4 * room)
        self.items = ints(self._resized("items", np.int32, self.n_items, room))
        self.item_room = room

    @cython.cfunc
    def _grow_scratch(self, n: cython.Py_ssize_t):
        room: cython.Py_ssize_t = max(64, 2 * n)
        self._afford(4 * room)
        self.scratch = ints(self._resized("scratch", np.int32, 0, room))
        self.scratch_room = room

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def spend(self) -> cython.int:
        """Make room for one more list; now and then check the budget."""
        self.unchecked += 1
        if self.unchecked >= CHECK_EVERY:
            self.unchecked = 0
            with cython.gil:
                self.budget.check(0, self.n_bytes)
        if self.n >= self.most:
            with cython.gil:
                self.budget.check(self.n + 1, self.n_bytes)
                raise BudgetExceeded(f"there can be at most {MOST_LISTS} nodes")
        if self.n >= self.room:
            with cython.gil:
                self._grow_nodes()
        return 0

    @cython.cfunc
    def compact(self, kept: object, image: object):
        """Keep the lists of numbers ``kept`` (ascending, the constants first) only, renumbered in that order.

        Every third item behind the first is such a number itself, which ``image`` maps (``None``: no item is).
        """
        numbers = np.append(kept, 0).astype(np.int32)
        images = np.zeros(1, np.int32) if image is None else image
        old: cython.p_int = ints(numbers)
        new: cython.p_int = ints(images)
        mapped: cython.bint = image is not None
        n: cython.Py_ssize_t
        k: cython.Py_ssize_t
        last: cython.Py_ssize_t = len(kept)
        to: cython.Py_ssize_t = 0
        source: cython.Py_ssize_t
        m: cython.int
        with cython.nogil:
            for n in range(last):
                m = old[n]
                source = self.at[m]
                self.kinds[n] = self.kinds[m]
                self.size[n] = self.size[m]
                self.at[n] = to
                for k in range(self.size[n]):
                    self.items[to + k] = self.items[source + k]
                if mapped:
                    for k in range(to + 3, to + self.size[n], 3):
                        self.items[k] = new[self.items[k]]
                self.code[n] = self.hashed(self.kinds[n], self.items, to, self.size[n])
                to += self.size[n]
            self.n = last
            self.n_items = to
            for k in range(cython.cast(cython.Py_ssize_t, self.slot_mask) + 1):
                self.slots[k] = 0
            self._rehash()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def hashed(
        self, kind: cython.int, items: cython.p_int, at: cython.Py_ssize_t, size: cython.Py_ssize_t
    ) -> cython.ulonglong:
        code: cython.ulonglong = cython.cast(cython.ulonglong, kind)
        i: cython.Py_ssize_t
        for i in range(size):
            code = mixed(code, cython.cast(cython.ulonglong, items[at + i]))
        return code

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def find(self, kind: cython.int, size: cython.int) -> cython.int:
        """The list of the first ``size`` items of the scratch, made if need be."""
        code: cython.ulonglong = self.hashed(kind, self.scratch, 0, size)
        k: cython.Py_ssize_t
        i: cython.int
        n: cython.int
        self.spend()
        if self.n_items + size > self.item_room:
            with cython.gil:
                self._grow_items(size)
        k = cython.cast(cython.Py_ssize_t, code & self.slot_mask)
        while self.slots[k]:
            n = self.slots[k]
            if self.code[n] == code and self.kinds[n] == kind and self.size[n] == size:
                i = 0
                while i < size and self.items[self.at[n] + i] == self.scratch[i]:
                    i += 1
                if i == size:
                    return n
            k = (k + 1) & cython.cast(cython.Py_ssize_t, self.slot_mask)
        n = cython.cast(cython.int, self.n)
        for i in range(size):
            self.items[self.n_items + i] = self.scratch[i]
        self.kinds[n] = kind
        self.size[n] = size
        self.at[n] = self.n_items
        self.code[n] = code
        self.slots[k] = n
        self.n_items += size
        self.n += 1
        return n
