"""Targets that are numbers, put on a grid in each node so that their sums are exact whatever the order of adding."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.libc.math import ceil, ldexp, log2, rint
    from cython.cimports.xylogic.domain.machine_kernel import doubles
    from cython.cimports.xylogic.grow.criterion_kernel import Criterion
else:
    from math import ceil, ldexp, log2

    from numpy import rint

    from xylogic.domain.machine_kernel import doubles
    from xylogic.grow.criterion_kernel import Criterion

BITS = cython.declare(cython.int, 51)  # of a sum on the grid; 53 are exact

HIGHEST = cython.declare(cython.int, 1000)  # power of two


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
        self.grid = doubles(self.keep["grid"])
        self.mean = self.least = self.most = self.shift = 0.0
        self.step = 1.0
        self.total = self.held_total = 0.0

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def place(
        self, rows: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t, centred: cython.bint
    ) -> cython.void:
        """Fill ``grid`` for the node's rows, as multiples of 1 / ``step`` above ``shift``; find weight, mean and ends.

        ``centred`` puts the grid's zero near the mean, else ``shift`` is 0.
        """
        i: cython.Py_ssize_t
        row: cython.int
        w: cython.double = 1.0
        x: cython.double
        next_total: cython.double
        total: cython.double = 0.0
        lost: cython.double = 0.0
        on_grid: cython.double = 0.0
        self.n_rows = n
        self.weight = self.weigh(rows, at, n)
        self.least = self.most = self.target[rows[at]]
        for i in range(at, at + n):
            row = rows[i]
            x = self.target[row]
            self.least = min(self.least, x)
            self.most = max(self.most, x)
            if self.weighted:
                x *= self.w[row]
            next_total = total + x  # Knuth's two-sum keeps what the addition loses
            lost += (total - (next_total - (next_total - total))) + (x - (next_total - total))
            total = next_total
        self.mean = min(max((total + lost) / self.weight, self.least), self.most)
        self.pure = self.least == self.most
        self.shift = self.least if centred else 0.0
        self.step = 1.0
        x = (self.most - self.shift) * self.weight
        if x > 0.0:
            self.step = ldexp(1.0, min(BITS - cython.cast(cython.int, ceil(log2(x))), HIGHEST))
        for i in range(at, at + n):
            row = rows[i]
            x = rint((self.target[row] - self.shift) * self.step)
            self.grid[row] = x
            on_grid += x * self.w[row] if self.weighted else x
        x = rint(on_grid / self.weight) if centred else 0.0
        self.shift += x / self.step
        for i in range(at, at + n):
            row = rows[i]
            w = self.w[row] if self.weighted else 1.0
            self.grid[row] = rint(w * (self.grid[row] - x))

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
        for i in range(at, at + n):
            row = rows[i]
            cell = 3 * cython.cast(cython.Py_ssize_t, codes[column + row])
            table[cell] += 1.0
            table[cell + 1] += self.w[row] if self.weighted else 1.0
            table[cell + 2] += self.grid[row]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def share(self, level: cython.p_double, at: cython.Py_ssize_t) -> cython.double:
        return level[at + 2] / level[at + 1]
