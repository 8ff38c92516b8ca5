"""Gini index of several classes: where weights are whole, the sums of squared counts change in O(1) a row."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import bit, ints, lowest_bit
    from cython.cimports.xylogic.grow.classes_kernel import Classes
    from cython.cimports.xylogic.grow.criterion_kernel import LEFT, RIGHT, Criterion
else:
    from xylogic.domain.machine_kernel import bit, ints, lowest_bit
    from xylogic.grow.classes_kernel import Classes
    from xylogic.grow.criterion_kernel import LEFT, RIGHT, Criterion

MOST_LEVELS = cython.declare(cython.int, 64)  # of few
CLASS_BITS = cython.declare(cython.int, 24)


@cython.cclass
class Gini(Classes):
    """A split of weight W into w and W - w with the squared counts s and t gains s / w + t / (W - w) - S / W."""

    def __init__(
        self,
        y: cython.int[::1],
        n_classes: cython.int,
        weights: object,
        min_rows: cython.Py_ssize_t,
        min_weight: cython.double,
        rule: cython.int,
        price: object,
        table: cython.double[::1],
        exact: cython.bint,
    ) -> None:
        Classes.__init__(self, y, n_classes, weights, min_rows, min_weight, rule, price, table, exact)
        few: cython.bint = n_classes < 1 << CLASS_BITS
        self.cuts_few = few and exact and weights is None and min_rows <= 1 and min_weight <= 0.0
        for name, size in (("near", len(y)), ("near_level", len(y)), ("by_level", len(y)), ("end", MOST_LEVELS)):
            self.keep[name] = np.zeros(size + 1, np.int32)
        self.near = ints(self.keep["near"])
        self.near_level = ints(self.keep["near_level"])
        self.by_level = ints(self.keep["by_level"])
        self.end = ints(self.keep["end"])
        self.squares = 0.0
        self.is_near = False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def begin(self, rows: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        Classes.begin(self, rows, at, n)
        self.is_near = False

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
        k: cython.int
        level: cython.int
        place: cython.int = 0
        best: cython.int = -1
        rest: cython.ulonglong = 0
        near: cython.p_int = self.near
        levels: cython.p_int = self.near_level
        order: cython.p_int = self.by_level  # a level and, in the lower bits, a class
        end: cython.p_int = self.end
        counts: cython.p_double = self.left
        totals: cython.p_double = self.count
        left: cython.double = 0.0
        weight: cython.double = self.weight
        squares_left: cython.double = 0.0
        squares_right: cython.double
        before: cython.double
        tie: cython.double = 1e-12 * self.loss
        c: cython.double
        score: cython.double
        if not self.is_near:
            for i in range(n):
                near[i] = self.y[rows[at + i]]
            self.squares = 0.0
            for k in range(self.n_classes):
                self.squares += totals[k] * totals[k]
            self.is_near = True
        squares_right = self.squares
        before = self.squares / weight
        for level in range(MOST_LEVELS):
            end[level] = 0
        for i in range(n):
            level = codes[rows[at + i] * n_columns + column]
            levels[i] = level
            end[level] += 1
            rest |= bit(level)
        self.levels = rest
        if rest & (rest - 1) == 0:
            return -1
        while rest != 0:
            level = lowest_bit(rest)
            rest &= rest - 1
            k = end[level]
            end[level] = place
            place += k
        for i in range(n):
            level = levels[i]
            order[end[level]] = (level << CLASS_BITS) + near[i]
            end[level] += 1
        for k in range(self.n_classes):
            counts[k] = 0.0
        for i in range(n - 1):
            k = order[i] & ((1 << CLASS_BITS) - 1)
            c = counts[k]
            counts[k] = c + 1.0
            left += 1.0
            squares_left += 2.0 * c + 1.0
            squares_right -= 2.0 * (totals[k] - c) - 1.0
            score = squares_left * (weight - left) + squares_right * left
            if (
                score > (bar + before) * (left * (weight - left))
                and order[i] >> CLASS_BITS != order[i + 1] >> CLASS_BITS
            ):
                self.gain = score / (left * (weight - left)) - before
                bar = self.gain + tie
                best = cython.cast(cython.int, order[i] >> CLASS_BITS)
        return best

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def square(self) -> cython.void:
        """Sum the squares of ``left``, of ``total`` without it, and of ``total`` by its weight."""
        k: cython.int
        self.squares_left = self.squares_right = self.before = 0.0
        for k in range(self.n_classes):
            self.squares_left += self.left[k] * self.left[k]
            self.squares_right += (self.total[k] - self.left[k]) * (self.total[k] - self.left[k])
            self.before += self.total[k] * self.total[k]
        self.before /= self.known_weight

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
        if not self.exact or self.bounded or self.min_weight > 0.0:
            return Classes.sweep(self, order, at, n, codes, column, way, bar)
        p: cython.Py_ssize_t
        k: cython.int
        row: cython.int
        best: cython.Py_ssize_t = 0
        self.start(way)
        self.square()
        y: cython.p_int = self.y
        counts: cython.p_double = self.left
        totals: cython.p_double = self.total
        left: cython.double = self.left_weight
        weight: cython.double = self.known_weight
        squares_left: cython.double = self.squares_left
        squares_right: cython.double = self.squares_right
        before: cython.double = self.before
        tie: cython.double = 1e-12 * self.loss
        loose: cython.bint = self.loose
        weights: cython.p_double = self.w
        weighted: cython.bint = self.weighted
        first: cython.Py_ssize_t = self.min_rows - self.left_rows
        last: cython.Py_ssize_t = min(self.known_rows - self.left_rows - self.min_rows, n if way == RIGHT else n - 1)
        w: cython.double = 1.0
        c: cython.double
        score: cython.double
        for p in range(1, last + 1):
            row = order[at + p - 1]
            k = y[row]
            c = counts[k]
            if weighted:
                w = weights[row]
            counts[k] = c + w
            left += w
            squares_left += w * (2.0 * c + w)
            squares_right -= w * (2.0 * (totals[k] - c) - w)
            score = squares_left * (weight - left) + squares_right * left
            if (
                score > (bar + before) * (left * (weight - left))
                and p >= first
                and (loose or codes[column + order[at + p]] != codes[column + row])
            ):
                self.gain = score / (left * (weight - left)) - before
                bar = self.gain + tie
                best = p
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sweep_groups(
        self, order: cython.p_int, ends: cython.p_int, n_groups: cython.int, way: cython.int, bar: cython.double
    ) -> cython.int:
        if not self.exact or self.bounded:
            return Classes.sweep_groups(self, order, ends, n_groups, way, bar)
        group: cython.int
        p: cython.int
        begin: cython.int = 0
        k: cython.int
        best: cython.int = 0
        self.start(way)
        self.square()
        y: cython.p_int = self.y
        counts: cython.p_double = self.left
        totals: cython.p_double = self.total
        left: cython.double = self.left_weight
        weight: cython.double = self.known_weight
        squares_left: cython.double = self.squares_left
        squares_right: cython.double = self.squares_right
        weights: cython.p_double = self.w
        weighted: cython.bint = self.weighted
        n_left: cython.Py_ssize_t = self.left_rows
        n_total: cython.Py_ssize_t = self.known_rows
        w: cython.double = 1.0
        c: cython.double
        score: cython.double
        for group in range(n_groups if way == RIGHT else n_groups - 1):
            for p in range(begin, ends[group]):
                k = y[order[p]]
                c = counts[k]
                if weighted:
                    w = weights[order[p]]
                counts[k] = c + w
                left += w
                squares_left += w * (2.0 * c + w)
                squares_right -= w * (2.0 * (totals[k] - c) - w)
            n_left += ends[group] - begin
            begin = ends[group]
            score = squares_left * (weight - left) + squares_right * left
            if score > (bar + self.before) * (left * (weight - left)) and self.roomy(
                n_left, left, n_total - n_left, weight - left
            ):
                self.gain = score / (left * (weight - left)) - self.before
                bar = self.gain + 1e-12 * self.loss
                best = group + 1
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
        if self.bounded:
            return Criterion.cuts(self, table, at, present, n_present, missing, total, way, bar)
        i: cython.int
        k: cython.int
        stride: cython.Py_ssize_t = 2 + self.n_classes
        cell: cython.Py_ssize_t = at + missing * stride
        best: cython.int = 0
        counts: cython.p_double = self.left
        n_left: cython.double = 0.0
        left: cython.double = 0.0
        weight: cython.double = total[1]
        before: cython.double = 0.0
        squares_left: cython.double
        squares_right: cython.double
        c: cython.double
        gain: cython.double
        if way == LEFT:
            n_left, left = table[cell], table[cell + 1]
        for k in range(self.n_classes):
            counts[k] = table[cell + 2 + k] if way == LEFT else 0.0
            before += total[2 + k] * total[2 + k]
        before /= weight
        for i in range(n_present if way == RIGHT else n_present - 1):
            cell = at + present[i] * stride
            n_left += table[cell]
            left += table[cell + 1]
            squares_left = squares_right = 0.0
            for k in range(self.n_classes):
                c = counts[k] + table[cell + 2 + k]
                counts[k] = c
                squares_left += c * c
                c = total[2 + k] - c
                squares_right += c * c
            gain = squares_left / left + squares_right / (weight - left) - before
            if gain > bar and self.roomy(n_left, left, total[0] - n_left, weight - left):
                self.gain = gain
                bar = gain + 1e-12 * self.loss
                best = i + 1
        return best
