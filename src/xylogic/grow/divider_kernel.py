"""Which side of a split each of a node's rows goes to, and the rows put in order by it."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.libc.string import memcpy
    from cython.cimports.xylogic.domain.machine_kernel import ints, small
    from cython.cimports.xylogic.grow.column_kernel import BINNED, CATEGORY, RANKED
    from cython.cimports.xylogic.grow.criterion_kernel import LEFT, RIGHT
    from cython.cimports.xylogic.grow.frontier_kernel import CODE, FEATURE, N_INTS, N_ROWS, SET_AT, START, WAY, Frontier
    from cython.cimports.xylogic.grow.splitter_kernel import Splitter
else:
    from xylogic.domain.machine_kernel import ints, small
    from xylogic.grow.column_kernel import BINNED, CATEGORY, RANKED
    from xylogic.grow.criterion_kernel import LEFT, RIGHT
    from xylogic.grow.frontier_kernel import CODE, FEATURE, N_INTS, N_ROWS, SET_AT, START, WAY, Frontier
    from xylogic.grow.splitter_kernel import Splitter

MANY_LEVELS = cython.declare(cython.int, 64)


@cython.cclass
class Divider(Splitter):
    """Divides the rows of nodes, which ``nodes`` holds."""

    def __init__(
        self,
        columns: object,
        criterion: object,
        rows: cython.int[::1],
        order: cython.int[::1],
        options: object,
        seed: cython.ulonglong,
    ) -> None:
        Splitter.__init__(self, columns, criterion, rows, order, options, seed)
        self.n_sorted = columns.order.shape[0]
        self.arrays["side"] = np.empty(self.n_all + 1, np.uint8)
        self.arrays["moved"] = np.empty(self.n_rows + 1, np.int32)
        self.side = small(self.arrays["side"])
        self.moved = ints(self.arrays["moved"])
        most_levels = len(self.arrays["chosen"])
        self.nodes = Frontier(criterion.n_outputs, most_levels, options.best_first, options.max_nodes, self.n_rows)

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
