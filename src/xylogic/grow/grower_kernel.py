"""Growth: nodes wait, the next one is split, its rows are divided, its children look for their own splits."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.libc.string import memcpy
    from cython.cimports.xylogic.domain.machine_kernel import doubles, ints, small
    from cython.cimports.xylogic.grow.criterion_kernel import LEFT, RIGHT
    from cython.cimports.xylogic.grow.splitter_kernel import CATEGORY, SORTED, Splitter
else:
    from xylogic.domain.machine_kernel import doubles, ints, small
    from xylogic.grow.criterion_kernel import LEFT, RIGHT
    from xylogic.grow.splitter_kernel import CATEGORY, SORTED, Splitter

# The columns of the node table that are whole numbers ...
FEATURE = cython.declare(cython.int, 0)
LEFT_CHILD = cython.declare(cython.int, 1)
RIGHT_CHILD = cython.declare(cython.int, 2)
DEPTH = cython.declare(cython.int, 3)
START = cython.declare(cython.int, 4)
N_ROWS = cython.declare(cython.int, 5)
CODE = cython.declare(cython.int, 6)
BELOW = cython.declare(cython.int, 7)
ABOVE = cython.declare(cython.int, 8)
WAY = cython.declare(cython.int, 9)
SET_AT = cython.declare(cython.int, 10)
N_INTS = cython.declare(cython.int, 11)
# ... and numbers; the values stand behind them.
WEIGHT = cython.declare(cython.int, 0)
LOSS = cython.declare(cython.int, 1)
GAIN = cython.declare(cython.int, 2)
CUT = cython.declare(cython.int, 3)
LOWER = cython.declare(cython.int, 4)
UPPER = cython.declare(cython.int, 5)
N_DOUBLES = cython.declare(cython.int, 6)

PATIENCE = cython.declare(cython.longlong, 20_000_000)  # cells between two looks at the budget


@cython.cclass
class Grower(Splitter):
    """Grows one tree. ``nodes`` holds it afterwards: ``ints`` (n_nodes, N_INTS), ``doubles``, ``set_codes``.

    A node whose FEATURE is >= 0 and whose LEFT_CHILD is -1 has found a split that was not made; it is a leaf. CODE is
    the highest code that goes left, of categories the chosen sides stand at SET_AT: 1 left, 0 right, for each level
    and for missing. BELOW and ABOVE are rows next to the cut, of BINNED columns codes; ABOVE is -1 where only missing
    rows go right. WAY says where missing rows go, LEFT or RIGHT.
    """

    def __init__(
        self,
        columns: object,
        criterion: object,
        rows: cython.int[::1],
        order: cython.int[::1],
        options: object,
        seed: cython.ulonglong,
        budget: object,
    ) -> None:
        Splitter.__init__(self, columns, criterion, rows, order, options, seed)
        self.budget = budget
        self.n_sorted = int((np.asarray(columns.kind) == SORTED).sum())
        self.n_values = criterion.n_outputs
        self.max_depth = options.max_depth
        self.max_nodes = options.max_nodes
        self.min_split = options.min_split
        self.min_gain = options.min_gain
        self.best_first = options.best_first
        self.bounded = bool(np.any(options.sign))
        self.criterion.bounded = self.bounded
        self.root_weight = 1.0
        self.n_nodes = self.n_waiting = self.n_set_codes = 0
        self.room = self.set_room = 0
        self.work = 0
        self.arrays["side"] = np.zeros(self.n_all + 1, np.uint8)
        self.arrays["moved"] = np.zeros(self.n_rows + 1, np.int32)
        self.side = small(self.arrays["side"])
        self.moved = ints(self.arrays["moved"])
        self.nodes = {
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
        room = max(64, 2 * self.room)
        for name, width in (("ints", N_INTS), ("doubles", N_DOUBLES + self.n_values), ("waiting", 1)):
            self.nodes[name] = np.concatenate(
                [self.nodes[name], np.zeros((room - self.room) * width, self.nodes[name].dtype)]
            )
        self.ints_at = ints(self.nodes["ints"])
        self.doubles_at = doubles(self.nodes["doubles"])
        self.waiting = ints(self.nodes["waiting"])
        self.room = room

    @cython.cfunc
    def enlarge_sets(self):
        """Make room for twice the category sets, and for one more in any case."""
        room = 2 * self.set_room + len(self.arrays["chosen"])
        self.nodes["set_codes"] = np.concatenate([self.nodes["set_codes"], np.zeros(room - self.set_room, np.uint8)])
        self.set_codes = small(self.nodes["set_codes"])
        self.set_room = room

    @cython.cfunc
    def check(self):
        self.work = 0
        self.budget.check()

    def grow(self) -> None:
        """Grow the tree. O(n_rows * n_features * depth). Raises BudgetExceeded."""
        node: cython.int
        self.ints_at[DEPTH] = 0
        self.ints_at[START] = 0
        self.ints_at[N_ROWS] = cython.cast(cython.int, self.n_rows)
        self.doubles_at[LOWER] = -np.inf
        self.doubles_at[UPPER] = np.inf
        self.n_nodes = 1
        with cython.nogil:
            if self.open(0):
                self.root_weight = self.criterion.weight
                self.decide(0)
            while True:
                node = self.take()
                if node < 0:
                    break
                self.split(node)

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def ahead(self, a: cython.int, b: cython.int) -> cython.bint:
        """Whether node ``a`` is split before node ``b``: the higher gain, then the older one."""
        width: cython.Py_ssize_t = N_DOUBLES + self.n_values
        first: cython.double = self.doubles_at[a * width + GAIN]
        second: cython.double = self.doubles_at[b * width + GAIN]
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

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def open(self, node: cython.int) -> cython.bint:
        """Turn the criterion to a node and note what it says; whether the node may be split."""
        a: cython.p_int = self.ints_at
        at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, node) * N_INTS
        to: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, node) * (N_DOUBLES + self.n_values)
        n: cython.Py_ssize_t = a[at + N_ROWS]
        self.criterion.begin(self.rows, a[at + START], n)
        a[at + FEATURE] = a[at + LEFT_CHILD] = a[at + RIGHT_CHILD] = -1
        self.doubles_at[to + WEIGHT] = self.criterion.weight
        self.doubles_at[to + LOSS] = self.criterion.loss * self.criterion.unit
        self.doubles_at[to + GAIN] = 0.0
        self.criterion.constant(self.doubles_at, to + N_DOUBLES)
        return (
            not self.criterion.pure
            and a[at + DEPTH] < self.max_depth
            and n >= self.min_split
            and n >= 2 * self.criterion.min_rows
            and self.criterion.weight >= 2.0 * self.criterion.min_weight
        )

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(-1, check=False)
    def decide(self, node: cython.int) -> cython.int:
        """Find the split of the node that is open; have it wait for being made."""
        i: cython.int
        n_levels: cython.int
        at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, node) * N_INTS
        to: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, node) * (N_DOUBLES + self.n_values)
        n: cython.Py_ssize_t = self.ints_at[at + N_ROWS]
        self.work += n * min(self.n_features, self.max_features)
        if self.work > PATIENCE:
            with cython.gil:
                self.check()
        self.criterion.lower = self.doubles_at[to + LOWER]
        self.criterion.upper = self.doubles_at[to + UPPER]
        if not self.seek(self.ints_at[at + START], n):
            return 0
        self.gain = max(self.gain, 0.0)  # a split that gains nothing may seem to lose a little
        if self.gain * self.criterion.unit / self.root_weight + 2.3e-16 < self.min_gain:
            return 0
        self.ints_at[at + FEATURE] = self.feature
        self.ints_at[at + CODE] = self.code
        self.ints_at[at + BELOW] = self.below
        self.ints_at[at + ABOVE] = self.above
        self.ints_at[at + WAY] = self.way
        self.doubles_at[to + GAIN] = self.gain * self.criterion.unit
        self.doubles_at[to + CUT] = self.cut
        if self.kind[self.feature] == CATEGORY:
            n_levels = self.n_codes[self.feature] + 1
            if self.n_set_codes + n_levels > self.set_room:
                with cython.gil:
                    self.enlarge_sets()
            self.ints_at[at + SET_AT] = cython.cast(cython.int, self.n_set_codes)
            for i in range(n_levels):
                self.set_codes[self.n_set_codes + i] = self.chosen[i]
            self.n_set_codes += n_levels
        self.wait(node)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def settle(self, node: cython.int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        """Say in ``side`` where each of ``rows[at:at + n]`` goes whose value is missing, and in WAY where others go.

        They follow the split's WAY; where it has none, the larger child.
        """
        i: cython.Py_ssize_t
        row: cython.int
        a: cython.p_int = self.ints_at
        to: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, node) * N_INTS
        left: cython.double = 0.0
        right: cython.double = 0.0
        w: cython.double
        if a[to + WAY] != LEFT and a[to + WAY] != RIGHT:
            for i in range(at, at + n):
                row = self.rows[i]
                w = self.criterion.w[row] if self.criterion.weighted else 1.0
                if self.side[row] == 1:
                    left += w
                elif self.side[row] == 0:
                    right += w
            a[to + WAY] = LEFT if left >= right else RIGHT
        for i in range(at, at + n):
            if self.side[self.rows[i]] == 2:
                self.side[self.rows[i]] = 1 if a[to + WAY] == LEFT else 0

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def mark(self, node: cython.int) -> cython.Py_ssize_t:
        """Fill ``side`` for the node's rows, 1 for left; how many go left. Levels not present get a side, too."""
        i: cython.Py_ssize_t
        k: cython.int
        row: cython.int
        a: cython.p_int = self.ints_at
        to: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, node) * N_INTS
        at: cython.Py_ssize_t = a[to + START]
        n: cython.Py_ssize_t = a[to + N_ROWS]
        f: cython.int = a[to + FEATURE]
        column: cython.Py_ssize_t = f * self.n_all
        missing: cython.int = self.n_codes[f]
        last: cython.int = a[to + CODE]
        chosen: cython.Py_ssize_t = a[to + SET_AT]
        n_left: cython.Py_ssize_t = 0
        if self.kind[f] != CATEGORY and not self.has_missing[f] and not self.apart:
            return self.mark_known(node, column, last)
        for i in range(at, at + n):
            row = self.rows[i]
            k = self.codes[column + row]
            if k == missing:
                self.side[row] = 2
            elif self.kind[f] == CATEGORY:
                self.side[row] = self.set_codes[chosen + k]
            else:
                self.side[row] = 1 if k <= last else 0
        self.settle(node, at, n)
        for i in range(at, at + n):
            n_left += self.side[self.rows[i]]
        if self.kind[f] == CATEGORY:
            self.fill_set(node, chosen, missing, at, n)
        return n_left

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def mark_known(self, node: cython.int, column: cython.Py_ssize_t, last: cython.int) -> cython.Py_ssize_t:
        """``mark`` for numbers of which none is missing: what is later follows the larger child."""
        i: cython.Py_ssize_t
        row: cython.int
        goes_left: cython.uchar
        to: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, node) * N_INTS
        at: cython.Py_ssize_t = self.ints_at[to + START]
        n: cython.Py_ssize_t = self.ints_at[to + N_ROWS]
        n_left: cython.Py_ssize_t = 0
        left: cython.double = 0.0
        total: cython.double = self.doubles_at[cython.cast(cython.Py_ssize_t, node) * (N_DOUBLES + self.n_values)]
        rows: cython.p_int = self.rows
        codes: cython.p_int = self.codes
        w: cython.p_double = self.criterion.w
        side: cython.p_uchar = self.side
        weighted: cython.bint = self.criterion.weighted
        for i in range(at, at + n):
            row = rows[i]
            goes_left = codes[column + row] <= last
            side[row] = goes_left
            n_left += goes_left
            if weighted:
                left += w[row] * goes_left
        if not weighted:
            left = n_left
        self.ints_at[to + WAY] = LEFT if 2.0 * left >= total else RIGHT
        return n_left

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def fill_set(
        self,
        node: cython.int,
        chosen: cython.Py_ssize_t,
        n_levels: cython.int,
        at: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
    ) -> cython.void:
        """Send the levels that the node has no row of to its larger child."""
        i: cython.Py_ssize_t
        left: cython.double = 0.0
        total: cython.double = self.criterion.weigh(self.rows, at, n)
        larger: cython.uchar
        for i in range(at, at + n):
            if self.side[self.rows[i]] == 1:
                left += self.criterion.w[self.rows[i]] if self.criterion.weighted else 1.0
        larger = 1 if 2.0 * left >= total else 0
        for i in range(n_levels):
            if self.set_codes[chosen + i] == 2:
                self.set_codes[chosen + i] = larger

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def divide(self, items: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        """Move the rows that go left to the front of ``items[at:at + n]``; both parts keep their order."""
        i: cython.Py_ssize_t
        left: cython.Py_ssize_t = at
        right: cython.Py_ssize_t
        row: cython.int
        side: cython.p_uchar = self.side
        moved: cython.p_int = self.moved
        for i in range(at, at + n):
            row = items[i]
            items[left] = row
            moved[i - left] = row
            left += side[row]
        right = at + n - left
        if cython.compiled:
            memcpy(cython.address(items[left]), moved, right * cython.sizeof(cython.int))
        else:
            items[left : left + right] = moved[:right]

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def value_of(self, node: cython.int) -> cython.double:
        """What monotonic constraints compare: the mean or median, of two classes the share of the second."""
        to: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, node) * (N_DOUBLES + self.n_values)
        return self.doubles_at[to + N_DOUBLES + self.n_values - 1]

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def bound(self, node: cython.int, left: cython.int, right: cython.int) -> cython.void:
        """Hand on the node's bounds; a constrained split parts them half-way between the children's values."""
        width: cython.Py_ssize_t = N_DOUBLES + self.n_values
        d: cython.p_double = self.doubles_at
        sign: cython.int = self.sign[self.ints_at[cython.cast(cython.Py_ssize_t, node) * N_INTS + FEATURE]]
        middle: cython.double
        d[left * width + LOWER] = d[right * width + LOWER] = d[node * width + LOWER]
        d[left * width + UPPER] = d[right * width + UPPER] = d[node * width + UPPER]
        if sign != 0:
            middle = self.value_of(left) / 2.0 + self.value_of(right) / 2.0
            d[(left if sign > 0 else right) * width + UPPER] = middle
            d[(right if sign > 0 else left) * width + LOWER] = middle

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(-1, check=False)
    def split(self, node: cython.int) -> cython.int:
        """Make the node's split, and find those of its children."""
        j: cython.int
        a: cython.p_int
        to: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, node) * N_INTS
        left: cython.int = cython.cast(cython.int, self.n_nodes)
        right: cython.int = left + 1
        at: cython.Py_ssize_t
        n: cython.Py_ssize_t
        n_left: cython.Py_ssize_t
        depth: cython.int
        left_open: cython.bint
        right_open: cython.bint = False
        if self.n_nodes + 2 > self.room:
            with cython.gil:
                self.enlarge()
        a = self.ints_at
        at, n, depth = a[to + START], a[to + N_ROWS], a[to + DEPTH]
        n_left = self.mark(node)
        self.divide(self.rows, at, n)
        self.n_nodes += 2
        a[to + LEFT_CHILD], a[to + RIGHT_CHILD] = left, right
        a[left * N_INTS + START], a[right * N_INTS + START] = at, at + n_left
        a[left * N_INTS + N_ROWS], a[right * N_INTS + N_ROWS] = n_left, n - n_left
        a[left * N_INTS + DEPTH] = a[right * N_INTS + DEPTH] = depth + 1
        left_open = self.open(left)
        if self.bounded:  # by the values of both
            self.open(right)
            self.bound(node, left, right)
            left_open = self.open(left)
        if not left_open:
            right_open = self.open(right)
        if (left_open or right_open) and max(n_left, n - n_left) > self.brief:
            for j in range(self.n_sorted):
                self.divide(self.order, j * self.n_rows + at, n)
        if left_open:
            self.decide(left)
            right_open = self.open(right)
        if right_open:
            self.decide(right)
        return 0
