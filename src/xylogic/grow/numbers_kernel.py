"""Targets that are numbers, put on a grid in each node so that their sums are exact whatever the order of adding."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.libc.math import fabs, ldexp, logb
    from cython.cimports.xylogic.domain.machine_kernel import ahead, doubles
    from cython.cimports.xylogic.grow.criterion_kernel import Criterion
else:
    from math import fabs, frexp, ldexp

    from xylogic.domain.machine_kernel import ahead, doubles
    from xylogic.grow.criterion_kernel import Criterion

BITS = cython.declare(cython.int, 49)  # of a sum on the grid, less one; 53 are exact
WHOLE = 6755399441055744.0  # 1.5 * 2^52: adding it rounds to a whole number

# Weighted targets are on the grid. Below this weight of a node the targets themselves are so too, and count like
# repeated rows; above, as many bits as the weights take would be lost.
MANY = cython.declare(cython.double, 1048576.0)

AHEAD = cython.declare(cython.int, 12)  # rows: so much earlier are their codes fetched

SPLITTER = cython.declare(cython.double, 134217729.0)  # 2^27 + 1

HIGHEST = cython.declare(cython.int, 1000)  # power of two

if not cython.compiled:

    def logb(x):
        return frexp(x)[1] - 1


@cython.cclass
class Numbers(Criterion):
    """``target`` is float64 by row. On the grid a row stands for its target times its weight."""

    def __init__(
        self, target: cython.double[::1], weights: object, min_rows: cython.Py_ssize_t, min_weight: cython.double
    ) -> None:
        Criterion.__init__(self, weights, 1, min_rows, min_weight)
        self.keep["target"] = np.asarray(target)
        self.keep["grid"] = np.zeros(len(target) + 1)
        self.target = doubles(target)
        self.keep["near"] = np.zeros(len(target) + 1)
        self.grid = doubles(self.keep["grid"])
        self.near = doubles(self.keep["near"])
        self.keep["near_weight"] = np.ones(len(target) + 1)
        self.near_weight = doubles(self.keep["near_weight"])
        self.is_near = False  # whether ``near`` and ``near_weight`` hold the node's rows, one after the other
        self.mean = self.least = self.most = self.shift = self.origin = self.offset = 0.0
        self.heavy = False
        self.step = 1.0
        self.total = self.squares = self.held_total = 0.0

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def place(
        self, rows: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t, centred: cython.bint
    ) -> cython.void:
        """Fill ``grid`` for the node's rows, as multiples of 1 / ``step`` above ``shift``.

        Their weight, mean, ends, sum and sum of squares are found, too.

        ``centred`` puts the grid's zero near the mean, else ``shift`` is 0. Rows of equal targets stay off the grid.
        """
        i: cython.Py_ssize_t
        row: cython.int
        target: cython.p_double = self.target
        grid: cython.p_double = self.grid
        weights: cython.p_double = self.w
        weighted: cython.bint = self.weighted
        w: cython.double = 1.0
        x: cython.double
        y: cython.double
        next_total: cython.double
        total: cython.double = 0.0
        lost: cython.double = 0.0
        squares: cython.double = 0.0
        least: cython.double = target[rows[at]]
        most: cython.double = least
        step: cython.double = 1.0
        shift: cython.double
        heavy: cython.bint
        self.n_rows = n
        self.weight = self.weigh(rows, at, n)
        heavy = self.heavy = weighted and self.weight > MANY
        for i in range(at, at + n):
            x = target[rows[i]]
            least = min(least, x)
            most = max(most, x)
            if weighted:
                w = weights[rows[i]]
                y = x * SPLITTER
                y = y - (y - x) if fabs(x) < 1e290 else x  # Dekker's high half: whole weights of it are exact
                lost += w * (x - y)
                x = w * y
            next_total = total + x  # Knuth's two-sum keeps what the addition loses
            lost += (total - (next_total - (next_total - total))) + (x - (next_total - total))
            total = next_total
        self.is_near = False
        self.least, self.most = least, most
        self.mean = min(max((total + lost) / self.weight, least), most)
        self.pure = least == most
        self.total = self.squares = self.shift = 0.0
        self.step = 1.0
        if self.pure:
            return
        shift = least if centred else 0.0
        step = ldexp(1.0, min(BITS - cython.cast(cython.int, logb((most - shift) * self.weight)), HIGHEST))
        total = 0.0
        for i in range(at, at + n):
            row = rows[i]
            x = (target[row] - shift) * step
            if not heavy:
                x = x + WHOLE - WHOLE
            grid[row] = x
            if weighted:
                x = x * weights[row] + WHOLE - WHOLE
            total += x
        y = total / self.weight if centred else 0.0
        if not heavy:
            y = y + WHOLE - WHOLE
        total = 0.0
        for i in range(at, at + n):
            row = rows[i]
            x = grid[row] - y
            if weighted:
                w = weights[row]
                x = w * x + WHOLE - WHOLE
            grid[row] = x
            total += x
            squares += x * x / w if weighted else x * x
        self.total, self.squares = total, squares
        self.origin, self.offset = shift, y
        self.shift = shift + y / step
        self.step = step

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def on_grid(self, row: cython.int) -> cython.double:
        """A row's target in the units of ``grid``, without its weight; on the grid unless the node is heavy."""
        x: cython.double = (self.target[row] - self.origin) * self.step
        if not self.heavy:
            x = x + WHOLE - WHOLE
        return x - self.offset

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def hold(self, rows: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        i: cython.Py_ssize_t
        self.held_rows = n
        self.held_weight = self.weigh(rows, at, n)
        self.held_total = 0.0
        for i in range(at, at + n):
            self.held_total += self.grid[rows[i]]

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def orderly(
        self, left: cython.double, left_weight: cython.double, right: cython.double, right_weight: cython.double
    ) -> cython.bint:
        """``ranked``, of the means of two sides."""
        return self.ranked(self.shift + left / left_weight / self.step, self.shift + right / right_weight / self.step)

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def gather(self, rows: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        """Fill ``near`` and ``near_weight``, once in a node."""
        i: cython.Py_ssize_t
        if not self.is_near:
            for i in range(n):
                self.near[i] = self.grid[rows[at + i]]
            if self.weighted:
                for i in range(n):
                    self.near_weight[i] = self.w[rows[at + i]]
            self.is_near = True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def collect(
        self,
        rows: cython.p_int,
        at: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        codes: cython.p_int,
        column: cython.Py_ssize_t,
        table: cython.p_double,
    ) -> cython.void:
        i: cython.Py_ssize_t
        row: cython.int
        cell: cython.Py_ssize_t
        near: cython.p_double = self.near
        self.gather(rows, at, n)
        for i in range(n):
            row = rows[at + i]
            cell = 3 * cython.cast(cython.Py_ssize_t, codes[column + row])
            table[cell] += 1.0
            table[cell + 2] += near[i]
            if self.weighted:
                table[cell + 1] += self.w[row]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def tally(
        self,
        rows: cython.p_int,
        at: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        codes: cython.p_uchar,
        n_columns: cython.Py_ssize_t,
        begin: cython.int,
        end: cython.int,
        first: cython.p_int,
        table: cython.p_double,
    ) -> cython.void:
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        code_at: cython.Py_ssize_t
        cell: cython.Py_ssize_t
        x: cython.double
        w: cython.double
        weight: cython.double
        total: cython.double
        grid: cython.p_double = self.grid
        weighted: cython.bint = self.weighted
        for i in range(at, at + n):
            code_at = rows[i] * n_columns
            if i + AHEAD < at + n:
                ahead(codes, rows[i + AHEAD] * n_columns)
            x = grid[rows[i]]
            w = self.w[rows[i]] if weighted else 1.0
            for j in range(begin, end):
                cell = first[j] + 3 * cython.cast(cython.Py_ssize_t, codes[code_at + j])
                weight = table[cell + 1] + w  # both are read before one is written: then they are added at once
                total = table[cell + 2] + x
                table[cell + 1], table[cell + 2] = weight, total
                if weighted:
                    table[cell] += 1.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def beyond(
        self,
        rows: cython.p_int,
        at: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        codes: cython.p_int,
        column: cython.Py_ssize_t,
        last: cython.int,
        side: cython.p_double,
    ) -> cython.void:
        i: cython.Py_ssize_t
        row: cython.int
        above: cython.double
        n_above: cython.double = 0.0
        weight: cython.double = 0.0
        total: cython.double = 0.0
        for i in range(at, at + n):
            row = rows[i]
            above = codes[column + row] > last
            n_above += above
            weight += above * self.w[row] if self.weighted else above
            total += above * self.grid[row]
        side[0], side[1], side[2] = n_above, weight, total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sum_up(self, side: cython.p_double) -> cython.void:
        side[0], side[1], side[2] = self.n_rows, self.weight, self.total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def share(self, level: cython.p_double, at: cython.Py_ssize_t) -> cython.double:
        return level[at + 2] / level[at + 1]
