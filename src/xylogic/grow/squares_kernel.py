"""Squared error, and with it the Gini index of two classes: twice the variance of the labels 0 and 1."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.libc.math import INFINITY
    from cython.cimports.xylogic.domain.machine_kernel import bit, doubles, lowest_bit
    from cython.cimports.xylogic.grow.criterion_kernel import APART, LEFT, RIGHT
    from cython.cimports.xylogic.grow.numbers_kernel import Numbers
else:
    from math import inf as INFINITY

    from xylogic.domain.machine_kernel import bit, doubles, lowest_bit
    from xylogic.grow.criterion_kernel import APART, LEFT, RIGHT
    from xylogic.grow.numbers_kernel import Numbers


@cython.cclass
class Squares(Numbers):
    """With ``binary`` the targets are 0 and 1, and the constant the shares of both.

    A split that gives the left side the weight w and the sum s gains d^2 * W / (w * (W - w)), where d = s - w * S / W.
    """

    def __init__(
        self,
        target: cython.double[::1],
        weights: object,
        min_rows: cython.Py_ssize_t,
        min_weight: cython.double,
        binary: cython.bint,
    ) -> None:
        row: cython.Py_ssize_t
        Numbers.__init__(self, target, weights, min_rows, min_weight)
        self.binary = binary
        self.cuts_few = min_rows <= 1 and min_weight <= 0.0
        self.cuts_others = True
        self.lasting = binary
        self.keep["by_level"] = np.zeros(2 * 64)
        self.by_level = doubles(self.keep["by_level"])
        if binary:
            self.n_outputs = 2
            for row in range(target.shape[0]):
                self.grid[row] = target[row] * self.w[row] if self.weighted else target[row]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def begin(self, rows: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        i: cython.Py_ssize_t
        total: cython.double = 0.0
        weight: cython.double = 0.0
        grid: cython.p_double = self.grid
        w: cython.p_double = self.w
        if not self.binary:
            self.place(rows, at, n, True)
            self.unit = 1.0 / self.step / self.step
            self.loss = max(self.squares - self.total / self.weight * self.total, 0.0)
            return
        self.n_rows = n
        self.unit = 2.0
        self.is_near = False
        for i in range(at, at + n):
            total += grid[rows[i]]
            if self.weighted:
                weight += w[rows[i]]
        self.total = total
        self.weight = weight if self.weighted else n
        self.mean = self.total / self.weight
        self.pure = self.total == 0.0 or self.total == self.weight
        self.loss = self.total * (1.0 - self.mean)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sweep(
        self,
        order: cython.p_int,
        at: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        codes: cython.p_int,
        column: cython.Py_ssize_t,
        way: cython.int,
        bar: cython.double,
    ) -> cython.Py_ssize_t:
        p: cython.Py_ssize_t
        row: cython.int
        best: cython.Py_ssize_t = 0
        first: cython.Py_ssize_t = self.min_rows
        last: cython.Py_ssize_t = n - self.min_rows
        tie: cython.double = 1e-12 * self.loss
        sum_left: cython.double = 0.0
        left: cython.double = 0.0
        total: cython.double = self.total
        weight: cython.double = self.weight
        mean: cython.double
        d: cython.double
        grid: cython.p_double = self.grid
        w: cython.p_double = self.w
        weighted: cython.bint = self.weighted
        loose: cython.bint = self.loose
        if way == LEFT:
            sum_left, left = self.held_total, self.held_weight
            first -= self.held_rows
        elif way == RIGHT:
            last += self.held_rows
        elif way == APART:
            total -= self.held_total
            weight -= self.held_weight
        first = max(first, 1)
        last = min(last, n if way == RIGHT else n - 1)
        mean = total / weight
        for p in range(1, first):
            row = order[at + p - 1]
            sum_left += grid[row]
            left += w[row] if weighted else 1.0
        for p in range(first, last + 1):
            row = order[at + p - 1]
            sum_left += grid[row]
            left += w[row] if weighted else 1.0
            d = sum_left - left * mean
            if d * d * weight > bar * (left * (weight - left)):
                if not loose and codes[column + order[at + p]] == codes[column + row]:
                    continue
                if left < self.min_weight or weight - left < self.min_weight:
                    continue
                if self.bounded and not self.orderly(sum_left, left, total - sum_left, weight - left):
                    continue
                self.gain = d * d * weight / (left * (weight - left))
                bar = self.gain + tie
                best = p
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def cuts(
        self,
        table: cython.p_double,
        at: cython.Py_ssize_t,
        present: cython.p_int,
        n_present: cython.int,
        missing: cython.int,
        total: cython.p_double,
        way: cython.int,
        bar: cython.double,
    ) -> cython.int:
        i: cython.int
        cell: cython.Py_ssize_t
        best: cython.int = 0
        n_left: cython.double = 0.0
        sum_left: cython.double = 0.0
        left: cython.double = 0.0
        weight: cython.double = total[1]
        mean: cython.double = total[2] / weight
        d: cython.double
        if way == LEFT:
            cell = at + 3 * missing
            n_left, left, sum_left = table[cell], table[cell + 1], table[cell + 2]
        for i in range(n_present if way == RIGHT else n_present - 1):
            cell = at + 3 * present[i]
            n_left += table[cell]
            left += table[cell + 1]
            sum_left += table[cell + 2]
            d = sum_left - left * mean
            if d * d * weight > bar * (left * (weight - left)) and self.roomy(
                n_left, left, total[0] - n_left, weight - left
            ):
                if self.bounded and not self.orderly(sum_left, left, total[2] - sum_left, weight - left):
                    continue
                self.gain = d * d * weight / (left * (weight - left))
                bar = self.gain + 1e-12 * self.loss
                best = i + 1
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def cut_few(
        self,
        rows: cython.p_int,
        at: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        codes: cython.p_uchar,
        n_columns: cython.Py_ssize_t,
        column: cython.int,
        bar: cython.double,
    ) -> cython.int:
        i: cython.Py_ssize_t
        row: cython.Py_ssize_t
        level: cython.int
        best: cython.int = -1
        rest: cython.ulonglong = 0
        by_level: cython.p_double = self.by_level  # weight and sum, in turn
        level_weight: cython.double
        level_total: cython.double
        near: cython.p_double = self.near
        w: cython.p_double = self.w
        weighted: cython.bint = self.weighted
        sum_left: cython.double = 0.0
        left: cython.double = 0.0
        weight: cython.double = self.weight
        mean: cython.double = self.total / weight
        d: cython.double
        self.gather(rows, at, n)
        for i in range(n):
            row = rows[at + i]
            level = codes[row * n_columns + column]
            rest |= bit(level)
            level_weight = by_level[2 * level] + (w[row] if weighted else 1.0)
            level_total = by_level[2 * level + 1] + near[i]
            by_level[2 * level], by_level[2 * level + 1] = level_weight, level_total
        self.levels = rest
        while rest != 0:
            level = lowest_bit(rest)
            rest &= rest - 1
            left += by_level[2 * level]
            sum_left += by_level[2 * level + 1]
            by_level[2 * level] = by_level[2 * level + 1] = 0.0
            d = sum_left - left * mean
            if d * d * weight > bar * (left * (weight - left)) and rest != 0:
                self.gain = d * d * weight / (left * (weight - left))
                bar = self.gain + 1e-12 * self.loss
                best = level
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def cut_others(
        self,
        rows: cython.p_int,
        at: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        keys: cython.p_uint,
        m: cython.Py_ssize_t,
        common: cython.uint,
        bar: cython.double,
    ) -> cython.Py_ssize_t:
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        best: cython.Py_ssize_t = 0
        n_left: cython.Py_ssize_t = 0
        n_lower: cython.Py_ssize_t = 0
        near: cython.p_double = self.near
        weights: cython.p_double = self.near_weight
        tie: cython.double = 1e-12 * self.loss
        sum_left: cython.double = 0.0
        left: cython.double = 0.0
        weight: cython.double = self.weight
        rest: cython.double = self.total  # of the rows that are not listed
        rest_weight: cython.double = self.weight
        mean: cython.double = self.total / weight
        d: cython.double
        self.gather(rows, at, n)
        if m == n:
            n_lower = n  # never reached
        else:
            for i in range(m):
                k = keys[i] & 0xFFFF
                rest -= near[k]
                rest_weight -= weights[k]
                n_lower += (keys[i] >> 16) < common
        for i in range(m - 1 if m == n else m):
            j = i - (i > n_lower)
            if i == n_lower:
                sum_left += rest
                left += rest_weight
                n_left += n - m
            else:
                k = keys[j] & 0xFFFF
                sum_left += near[k]
                left += weights[k]
                n_left += 1
            d = sum_left - left * mean
            if d * d * weight > bar * (left * (weight - left)):
                if i != n_lower and i + 1 != n_lower and keys[j] >> 16 == keys[j + 1] >> 16:
                    continue
                if not self.roomy(n_left, left, n - n_left, weight - left):
                    continue
                self.gain = d * d * weight / (left * (weight - left))
                bar = self.gain + tie
                best = n_left
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def worth(
        self, left: cython.p_double, at: cython.Py_ssize_t, total: cython.p_double, of: cython.Py_ssize_t
    ) -> cython.double:
        other: cython.double = total[of + 1] - left[at + 1]
        d: cython.double
        if not self.roomy(left[at], left[at + 1], total[of] - left[at], other):
            return -INFINITY
        if self.bounded and not self.orderly(left[at + 2], left[at + 1], total[of + 2] - left[at + 2], other):
            return -INFINITY
        d = left[at + 2] - left[at + 1] * (total[of + 2] / total[of + 1])
        return d * d * total[of + 1] / (left[at + 1] * other)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def constant(self, out: cython.p_double, at: cython.Py_ssize_t) -> cython.void:
        if self.binary:
            out[at + 1] = self.mean
            out[at] = (self.weight - self.total) / self.weight
        else:
            out[at] = self.mean
