"""Growth: nodes wait, the next one is split, its rows are divided, its children look for their own splits."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.grow.column_kernel import CATEGORY
    from cython.cimports.xylogic.grow.divider_kernel import Divider
    from cython.cimports.xylogic.grow.frontier_kernel import (
        ABOVE,
        BELOW,
        CODE,
        CUT,
        DEPTH,
        FEATURE,
        GAIN,
        LEFT_CHILD,
        LOSS,
        LOWER,
        N_DOUBLES,
        N_INTS,
        N_ROWS,
        RIGHT_CHILD,
        SET_AT,
        START,
        TABLE,
        UPPER,
        WAY,
        WEIGHT,
    )
else:
    from xylogic.grow.column_kernel import CATEGORY
    from xylogic.grow.divider_kernel import Divider
    from xylogic.grow.frontier_kernel import (
        ABOVE,
        BELOW,
        CODE,
        CUT,
        DEPTH,
        FEATURE,
        GAIN,
        LEFT_CHILD,
        LOSS,
        LOWER,
        N_DOUBLES,
        N_INTS,
        N_ROWS,
        RIGHT_CHILD,
        SET_AT,
        START,
        TABLE,
        UPPER,
        WAY,
        WEIGHT,
    )

PATIENCE = cython.declare(cython.longlong, 20_000_000)  # cells between two looks at the budget


@cython.cclass
class Grower(Divider):
    """Grows one tree, which ``nodes`` holds afterwards."""

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
        Divider.__init__(self, columns, criterion, rows, order, options, seed)
        self.budget = budget
        self.max_depth = options.max_depth
        self.min_split = options.min_split
        self.min_gain = options.min_gain
        self.bounded = options.bounded
        self.criterion.bounded = self.bounded
        self.root_weight = 1.0
        self.work = 0

    @cython.cfunc
    def check(self):
        self.work = 0
        self.budget.check()

    def grow(self) -> None:
        """Grow the tree. O(n_rows * n_features * depth). Raises BudgetExceeded."""
        node: cython.int
        self.nodes.ints[DEPTH] = 0
        self.nodes.ints[START] = 0
        self.nodes.ints[N_ROWS] = cython.cast(cython.int, self.n_rows)
        self.nodes.doubles[LOWER] = -np.inf
        self.nodes.doubles[UPPER] = np.inf
        self.nodes.n_nodes = 1
        with cython.nogil:
            if self.open(0, -1):
                self.root_weight = self.criterion.weight
                self.decide(0)
            while True:
                node = self.nodes.take()
                if node < 0:
                    break
                self.split(node)

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def open(self, node: cython.int, parent: cython.int) -> cython.bint:
        """Turn the criterion to a node and note what it says; whether the node may be split."""
        a: cython.p_int = self.nodes.ints
        at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, node) * N_INTS
        to: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, node) * self.nodes.width
        n: cython.Py_ssize_t = a[at + N_ROWS]
        self.criterion.enter(a, node, parent)
        self.criterion.begin(self.rows, a[at + START], n)
        a[at + FEATURE] = a[at + LEFT_CHILD] = a[at + RIGHT_CHILD] = -1
        self.nodes.doubles[to + WEIGHT] = self.criterion.weight
        self.nodes.doubles[to + LOSS] = self.criterion.loss * self.criterion.unit
        self.nodes.doubles[to + GAIN] = 0.0
        self.criterion.constant(self.nodes.doubles, to + N_DOUBLES)
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
        found: cython.bint
        at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, node) * N_INTS
        to: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, node) * self.nodes.width
        n: cython.Py_ssize_t = self.nodes.ints[at + N_ROWS]
        self.work += n * min(self.n_features, self.max_features)
        if self.work > PATIENCE:
            with cython.gil:
                self.check()
        self.criterion.lower = self.nodes.doubles[to + LOWER]
        self.criterion.upper = self.nodes.doubles[to + UPPER]
        self.binned.turn(self.nodes.ints[at + START], n, self.nodes.ints[at + TABLE])
        found = self.seek(self.nodes.ints[at + START], n)
        self.gain = max(self.gain, 0.0)  # a split that gains nothing may seem to lose a little
        if not found or self.gain * self.criterion.unit / self.root_weight + 2.3e-16 < self.min_gain:
            self.binned.tables.give_back(self.binned.held)
            return 0
        self.nodes.ints[at + TABLE] = self.binned.held
        self.nodes.ints[at + FEATURE] = self.feature
        self.nodes.ints[at + CODE] = self.code
        self.nodes.ints[at + BELOW] = self.below
        self.nodes.ints[at + ABOVE] = self.above
        self.nodes.ints[at + WAY] = self.way
        self.nodes.doubles[to + GAIN] = self.gain * self.criterion.unit
        self.nodes.doubles[to + CUT] = self.cut
        if self.kind[self.feature] == CATEGORY:
            n_levels = self.n_codes[self.feature] + 1
            if self.nodes.n_set_codes + n_levels > self.nodes.set_room:
                with cython.gil:
                    self.nodes.enlarge_sets()
            self.nodes.ints[at + SET_AT] = cython.cast(cython.int, self.nodes.n_set_codes)
            for i in range(n_levels):
                self.nodes.set_codes[self.nodes.n_set_codes + i] = self.chosen[i]
            self.nodes.n_set_codes += n_levels
        self.nodes.wait(node)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def value_of(self, node: cython.int) -> cython.double:
        """What monotonic constraints compare: the mean or median, of two classes the share of the second."""
        to: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, node) * self.nodes.width
        return self.nodes.doubles[to + self.nodes.width - 1]

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def bound(self, node: cython.int, left: cython.int, right: cython.int) -> cython.void:
        """Hand on the node's bounds; a constrained split parts them half-way between the children's values."""
        width: cython.Py_ssize_t = self.nodes.width
        d: cython.p_double = self.nodes.doubles
        sign: cython.int = self.sign[self.nodes.ints[cython.cast(cython.Py_ssize_t, node) * N_INTS + FEATURE]]
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
        a: cython.p_int
        to: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, node) * N_INTS
        left: cython.int = cython.cast(cython.int, self.nodes.n_nodes)
        right: cython.int = left + 1
        at: cython.Py_ssize_t
        n: cython.Py_ssize_t
        n_left: cython.Py_ssize_t
        depth: cython.int
        left_open: cython.bint
        right_open: cython.bint = False
        if self.nodes.n_nodes + 2 > self.nodes.room:
            with cython.gil:
                self.nodes.enlarge()
        a = self.nodes.ints
        at, n, depth = a[to + START], a[to + N_ROWS], a[to + DEPTH]
        n_left = self.mark(node)
        self.divide(self.rows, at, n)
        self.nodes.n_nodes += 2
        a[to + LEFT_CHILD], a[to + RIGHT_CHILD] = left, right
        a[left * N_INTS + START], a[right * N_INTS + START] = at, at + n_left
        a[left * N_INTS + N_ROWS], a[right * N_INTS + N_ROWS] = n_left, n - n_left
        a[left * N_INTS + DEPTH] = a[right * N_INTS + DEPTH] = depth + 1
        left_open = self.open(left, node)
        if self.bounded:  # by the values of both
            self.open(right, node)
            self.bound(node, left, right)
            left_open = self.open(left, node)
        if not left_open:
            right_open = self.open(right, node)
        self.divide_sorted(
            at, n, left_open and n_left > self.brief, (left_open or right_open) and n - n_left > self.brief
        )
        # Whether the right child is pure is told by opening it, after the left one is done with.
        self.binned.hand_on(self.rows, a[to + TABLE], at, n_left, n, left_open, left_open or right_open)
        a[left * N_INTS + TABLE], a[right * N_INTS + TABLE] = self.binned.held_left, self.binned.held_right
        if left_open:
            self.decide(left)
            right_open = self.open(right, node)
        if right_open:
            self.decide(right)
        else:
            self.binned.tables.give_back(a[right * N_INTS + TABLE])
        return 0
