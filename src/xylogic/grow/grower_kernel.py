"""Growth: nodes wait, the next one is split, its rows are divided, its children look for their own splits."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.libc.string import memcpy
    from cython.cimports.xylogic.domain.machine_kernel import ints, small
    from cython.cimports.xylogic.grow.column_kernel import BINNED, CATEGORY, RANKED
    from cython.cimports.xylogic.grow.criterion_kernel import LEFT, RIGHT
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
        UPPER,
        WAY,
        WEIGHT,
        Frontier,
    )
    from cython.cimports.xylogic.grow.splitter_kernel import Splitter
else:
    from xylogic.domain.machine_kernel import ints, small
    from xylogic.grow.column_kernel import BINNED, CATEGORY, RANKED
    from xylogic.grow.criterion_kernel import LEFT, RIGHT
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
        UPPER,
        WAY,
        WEIGHT,
        Frontier,
    )
    from xylogic.grow.splitter_kernel import Splitter

MANY_LEVELS = cython.declare(cython.int, 64)
PATIENCE = cython.declare(cython.longlong, 20_000_000)  # cells between two looks at the budget


@cython.cclass
class Grower(Splitter):
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
        Splitter.__init__(self, columns, criterion, rows, order, options, seed)
        self.budget = budget
        self.n_sorted = columns.order.shape[0]
        self.n_values = criterion.n_outputs
        self.max_depth = options.max_depth
        self.min_split = options.min_split
        self.min_gain = options.min_gain
        self.bounded = options.bounded
        self.criterion.bounded = self.bounded
        self.root_weight = 1.0
        self.work = 0
        self.arrays["side"] = np.empty(self.n_all + 1, np.uint8)
        self.arrays["moved"] = np.empty(self.n_rows + 1, np.int32)
        self.side = small(self.arrays["side"])
        self.moved = ints(self.arrays["moved"])
        most_levels = len(self.arrays["chosen"])
        self.nodes = Frontier(self.n_values, most_levels, options.best_first, options.max_nodes, self.n_rows)

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
        at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, node) * N_INTS
        to: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, node) * self.nodes.width
        n: cython.Py_ssize_t = self.nodes.ints[at + N_ROWS]
        self.work += n * min(self.n_features, self.max_features)
        if self.work > PATIENCE:
            with cython.gil:
                self.check()
        self.criterion.lower = self.nodes.doubles[to + LOWER]
        self.criterion.upper = self.nodes.doubles[to + UPPER]
        if not self.seek(self.nodes.ints[at + START], n):
            return 0
        self.gain = max(self.gain, 0.0)  # a split that gains nothing may seem to lose a little
        if self.gain * self.criterion.unit / self.root_weight + 2.3e-16 < self.min_gain:
            return 0
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
    @cython.exceptval(check=False)
    def settle(self, node: cython.int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        """Say in ``side`` where each of ``rows[at:at + n]`` goes whose value is missing, and in WAY where others go.

        They follow the split's WAY; where it has none, the larger child.
        """
        i: cython.Py_ssize_t
        row: cython.int
        a: cython.p_int = self.nodes.ints
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
        a: cython.p_int = self.nodes.ints
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
                self.side[row] = self.nodes.set_codes[chosen + k]
            else:
                self.side[row] = 1 if k <= last else 0
        self.settle(node, at, n)
        for i in range(at, at + n):
            n_left += self.side[self.rows[i]]
        if self.kind[f] == CATEGORY and self.fill_set(node, chosen, missing, at, n):
            return n - n_left
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
        at: cython.Py_ssize_t = self.nodes.ints[to + START]
        n: cython.Py_ssize_t = self.nodes.ints[to + N_ROWS]
        n_left: cython.Py_ssize_t = 0
        left: cython.double = 0.0
        total: cython.double = self.nodes.doubles[cython.cast(cython.Py_ssize_t, node) * self.nodes.width]
        rows: cython.p_int = self.rows
        codes: cython.p_int = self.codes
        w: cython.p_double = self.criterion.w
        side: cython.p_uchar = self.side
        weighted: cython.bint = self.criterion.weighted
        f: cython.int = self.nodes.ints[to + FEATURE]
        binned: cython.bint = self.kind[f] == BINNED
        small: cython.p_uchar = self.binned.codes
        n_columns: cython.Py_ssize_t = self.binned.n_columns
        slot: cython.Py_ssize_t = self.slot[f]
        in_short: cython.bint = self.kind[f] == RANKED and slot >= 0
        short: cython.p_ushort = self.others.short
        short_at: cython.Py_ssize_t = slot * self.n_all
        for i in range(at, at + n):
            row = rows[i]
            if in_short:
                goes_left = short[short_at + row] <= last
            elif binned:
                goes_left = small[row * n_columns + slot] <= last
            else:
                goes_left = codes[column + row] <= last
            side[row] = goes_left
            n_left += goes_left
            if weighted:
                left += w[row] * goes_left
        if not weighted:
            left = n_left
        self.nodes.ints[to + WAY] = LEFT if 2.0 * left >= total else RIGHT
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
    ) -> cython.bint:
        """Send the levels that the node has no row of to its larger child.

        Of many levels, listing these would take most of a tree's memory; so the larger child is made the right one.
        Whether the sides were swapped.
        """
        i: cython.Py_ssize_t
        to: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, node) * N_INTS
        on_right: cython.bint = False
        swapped: cython.bint
        left: cython.double = 0.0
        total: cython.double = self.criterion.weigh(self.rows, at, n)
        larger: cython.uchar
        for i in range(at, at + n):
            if self.side[self.rows[i]] == 1:
                left += self.criterion.w[self.rows[i]] if self.criterion.weighted else 1.0
        larger = 1 if 2.0 * left >= total else 0
        for i in range(n_levels):
            on_right = on_right or self.nodes.set_codes[chosen + i] == 0
        swapped = larger == 1 and n_levels > MANY_LEVELS and on_right and not self.apart
        if swapped:
            self.nodes.ints[to + WAY] = LEFT + RIGHT - self.nodes.ints[to + WAY]
            for i in range(at, at + n):
                self.side[self.rows[i]] = 1 - self.side[self.rows[i]]
        for i in range(n_levels):
            if self.nodes.set_codes[chosen + i] == 2:
                self.nodes.set_codes[chosen + i] = 0 if swapped else larger
            elif swapped:
                self.nodes.set_codes[chosen + i] = 1 - self.nodes.set_codes[chosen + i]
        return swapped

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
    def divide_sorted(
        self, at: cython.Py_ssize_t, n: cython.Py_ssize_t, keep_left: cython.bint, keep_right: cython.bint
    ) -> cython.void:
        """``divide`` the node's rows in every SORTED column; what is not kept is never read again."""
        i: cython.Py_ssize_t
        j: cython.int
        to: cython.Py_ssize_t
        start: cython.Py_ssize_t
        row: cython.int
        side: cython.p_uchar = self.side
        order: cython.p_int = self.order
        for j in range(self.n_sorted):
            start = j * self.n_rows + at
            if keep_left and keep_right:
                self.divide(order, start, n)
            elif keep_left:
                to = start
                for i in range(start, start + n):
                    row = order[i]
                    order[to] = row
                    to += side[row]
            elif keep_right:
                to = start + n - 1
                for i in range(start + n - 1, start - 1, -1):
                    row = order[i]
                    order[to] = row
                    to -= 1 - side[row]

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
        if left_open:
            self.decide(left)
            right_open = self.open(right, node)
        if right_open:
            self.decide(right)
        return 0
