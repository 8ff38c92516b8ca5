"""The table of a growing tree's nodes, and those of them that wait to be split."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import doubles, ints, small
else:
    from xylogic.domain.machine_kernel import doubles, ints, small

# The columns of the node table that are whole numbers ...
FEATURE = 0
LEFT_CHILD = 1
RIGHT_CHILD = 2
DEPTH = 3
START = 4
N_ROWS = 5
CODE = 6
BELOW = 7
ABOVE = 8
WAY = 9
SET_AT = 10
TABLE = 11
N_INTS = 12
# ... and numbers; the values stand behind them.
WEIGHT = 0
LOSS = 1
GAIN = 2
CUT = 3
LOWER = 4
UPPER = 5
N_DOUBLES = 6


@cython.cclass
class Frontier:
    """Nodes as rows of ``ints`` (N_INTS each) and ``doubles`` (``width`` each: N_DOUBLES and ``n_values`` values).

    A node whose FEATURE is >= 0 and whose LEFT_CHILD is -1 has found a split that was not made; it is a leaf. CODE is
    the highest code that goes left, of categories the chosen sides stand at SET_AT in ``set_codes``: 1 left, 0 right,
    for each level and for missing. BELOW and ABOVE are rows next to the cut, of BINNED columns codes; ABOVE is -1 where
    only missing rows go right. TABLE is the node's among ``Tables``, until it is split. WAY says where missing rows
    go, LEFT or RIGHT.

    The node that came last is split next, or with ``best_first`` the one of the highest gain, until there are
    ``max_nodes``.
    """

    def __init__(
        self,
        n_values: cython.int,
        most_levels: cython.Py_ssize_t,
        best_first: cython.bint,
        max_nodes: cython.Py_ssize_t,
        n_rows: cython.Py_ssize_t,
    ) -> None:
        self.width = N_DOUBLES + n_values
        self.most_levels = most_levels
        self.best_first = best_first
        self.max_nodes = max_nodes
        self.n_nodes = self.n_waiting = self.n_set_codes = 0
        self.room = min(max(n_rows // 4, 32), 2048)  # half of the first one
        self.set_room = 0
        self.arrays = {
            "ints": np.zeros(0, np.int32),
            "doubles": np.zeros(0),
            "waiting": np.zeros(0, np.int32),
            "set_codes": np.zeros(0, np.uint8),
        }
        self.enlarge()
        self.enlarge_sets()

    @cython.cfunc
    def enlarge(self):
        """Make room for twice the nodes."""
        room = 2 * self.room
        for name, width in (("ints", N_INTS), ("doubles", self.width), ("waiting", 1)):
            old = self.arrays[name]
            self.arrays[name] = np.zeros(room * width, old.dtype)
            self.arrays[name][: len(old)] = old
        self.ints = ints(self.arrays["ints"])
        self.doubles = doubles(self.arrays["doubles"])
        self.waiting = ints(self.arrays["waiting"])
        self.room = room

    @cython.cfunc
    def enlarge_sets(self):
        """Make room for twice the category sets, and for one more in any case."""
        room = 2 * self.set_room + self.most_levels
        self.arrays["set_codes"] = np.concatenate([self.arrays["set_codes"], np.zeros(room - self.set_room, np.uint8)])
        self.set_codes = small(self.arrays["set_codes"])
        self.set_room = room

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def ahead(self, a: cython.int, b: cython.int) -> cython.bint:
        """Whether node ``a`` is split before node ``b``: the higher gain, then the older one."""
        width: cython.Py_ssize_t = self.width
        first: cython.double = self.doubles[a * width + GAIN]
        second: cython.double = self.doubles[b * width + GAIN]
        return first > second or (first == second and a < b)

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def wait(self, node: cython.int) -> cython.void:
        """Put a node on the stack, or into the heap."""
        i: cython.Py_ssize_t = self.n_waiting
        self.waiting[i] = node
        self.n_waiting += 1
        while self.best_first and i > 0 and self.ahead(node, self.waiting[(i - 1) // 2]):
            self.waiting[i] = self.waiting[(i - 1) // 2]
            i = (i - 1) // 2
            self.waiting[i] = node

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def take(self) -> cython.int:
        """The node to split next, -1 if there is none or no more are allowed."""
        i: cython.Py_ssize_t = 0
        k: cython.Py_ssize_t
        node: cython.int
        last: cython.int
        if self.n_waiting == 0 or (self.best_first and self.n_nodes + 2 > self.max_nodes):
            return -1
        self.n_waiting -= 1
        last = self.waiting[self.n_waiting]
        if not self.best_first or self.n_waiting == 0:
            return last
        node = self.waiting[0]
        while 2 * i + 1 < self.n_waiting:
            k = 2 * i + 1
            if k + 1 < self.n_waiting and self.ahead(self.waiting[k + 1], self.waiting[k]):
                k += 1
            if not self.ahead(self.waiting[k], last):
                break
            self.waiting[i] = self.waiting[k]
            i = k
        self.waiting[i] = last
        return node
