"""Gini index, entropy and misclassification of class labels, from the weights of the classes."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.libc.math import INFINITY, log2
    from cython.cimports.xylogic.domain.machine_kernel import doubles, ints
    from cython.cimports.xylogic.grow.criterion_kernel import APART, LEFT, RIGHT, Criterion
else:
    from math import inf as INFINITY
    from math import log2

    from xylogic.domain.machine_kernel import doubles, ints
    from xylogic.grow.criterion_kernel import APART, LEFT, RIGHT, Criterion

GINI = cython.declare(cython.int, 0)
ENTROPY = cython.declare(cython.int, 1)
ERROR = cython.declare(cython.int, 2)


@cython.cclass
class Classes(Criterion):
    """``y``, int32 by row, numbers the classes; ``price`` (n_classes, n_classes), or ``None``, is what a row of class k
    costs where class j is predicted, for ``rule`` ERROR.

    ``table``: x * log2(x) of the whole numbers, rounded so that sums of them are exact; used while counts are whole.
    ``left``: the class weights left of a boundary, and as many zeros.
    ``exact``: counts are whole and their squares, summed, are so too.
    """

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
        Criterion.__init__(self, weights, n_classes, min_rows, min_weight)
        self.n_classes = n_classes
        self.rule = rule
        self.width = n_classes
        self.exact = exact
        self.priced = price is not None
        sizes = {"count": n_classes, "held": n_classes, "total": n_classes, "left": 2 * n_classes}
        for name, size in sizes.items():
            self.keep[name] = np.zeros(size)
        self.keep["price"] = np.zeros(1) if price is None else np.ascontiguousarray(price, dtype=np.float64).ravel()
        self.keep["y"] = np.asarray(y)
        self.keep["table"] = np.asarray(table)
        self.y = ints(y)
        self.count = doubles(self.keep["count"])
        self.held = doubles(self.keep["held"])
        self.total = doubles(self.keep["total"])
        self.left = doubles(self.keep["left"])
        self.price = doubles(self.keep["price"])
        self.table = doubles(table)
        self.n_table = table.shape[0]
        # An entropy's gain below this is nothing but rounding.
        self.grain = 0.0

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def scaled_log(self, x: cython.double) -> cython.double:
        """x * log2(x)."""
        if x < self.n_table and self.exact:
            return self.table[cython.cast(cython.Py_ssize_t, x)]
        return x * log2(x) if x > 0.0 else 0.0

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def lost(
        self,
        count: cython.p_double,
        at: cython.Py_ssize_t,
        part: cython.p_double,
        of: cython.Py_ssize_t,
        weight: cython.double,
    ) -> cython.double:
        """The loss of a side with the class weights ``count[at:] - part[of:]``, ``weight`` in all."""
        k: cython.int
        j: cython.int
        c: cython.double
        total: cython.double = 0.0
        best: cython.double = INFINITY
        if self.rule == GINI:
            for k in range(self.n_classes):
                c = count[at + k] - part[of + k]
                total += c * c
            return weight - total / weight
        if self.rule == ENTROPY:
            for k in range(self.n_classes):
                total += self.scaled_log(count[at + k] - part[of + k])
            return self.scaled_log(weight) - total
        for j in range(self.n_classes):
            total = 0.0
            if self.priced:
                for k in range(self.n_classes):
                    total += self.price[k * self.n_classes + j] * (count[at + k] - part[of + k])
            else:
                total = weight - (count[at + j] - part[of + j])
            best = min(best, total)
        return best

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def orderly(
        self,
        left: cython.p_double,
        at: cython.Py_ssize_t,
        weight: cython.double,
        total: cython.p_double,
        of: cython.Py_ssize_t,
        whole: cython.double,
    ) -> cython.bint:
        """``ranked``, of the shares of class 1."""
        return self.ranked(left[at + 1] / weight, (total[of + 1] - left[at + 1]) / (whole - weight))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def begin(self, rows: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        i: cython.Py_ssize_t
        most: cython.double
        k: cython.int
        self.n_rows = n
        self.weight = self.weigh(rows, at, n)
        for k in range(self.n_classes):
            self.count[k] = 0.0
        for i in range(at, at + n):
            self.count[self.y[rows[i]]] += self.w[rows[i]] if self.weighted else 1.0
        self.pure = False
        for k in range(self.n_classes):
            if self.count[k] == self.weight:
                self.pure = True
        self.loss = max(self.lost(self.count, 0, self.left, self.n_classes, self.weight), 0.0)
        if self.pure and not self.priced:
            self.loss = 0.0
        if self.rule == ENTROPY:
            most = self.scaled_log(self.weight)
            if self.exact and self.weight < self.n_table:  # the table's own grid
                most = self.table[self.n_table - 1]
            self.grain = 1.8e-15 * most * (self.n_classes + 2)
        if self.loss == 0.0:  # prices may make several classes cost nothing
            self.pure = True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def hold(self, rows: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        i: cython.Py_ssize_t
        k: cython.int
        self.held_rows = n
        self.held_weight = self.weigh(rows, at, n)
        for k in range(self.n_classes):
            self.held[k] = 0.0
        for i in range(at, at + n):
            self.held[self.y[rows[i]]] += self.w[rows[i]] if self.weighted else 1.0

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
        k: cython.int
        row: cython.int
        best: cython.Py_ssize_t = 0
        first: cython.Py_ssize_t = max(self.min_rows, 1)
        last: cython.Py_ssize_t = n - first
        left: cython.double = 0.0
        weight: cython.double = self.weight
        loss: cython.double = self.loss
        gain: cython.double
        for k in range(self.n_classes):
            self.left[k] = self.held[k] if way == LEFT else 0.0
            self.total[k] = self.count[k] - self.held[k] if way == APART else self.count[k]
        if way == LEFT:
            left = self.held_weight
            first -= self.held_rows
        elif way == RIGHT:
            last += self.held_rows
        elif way == APART:
            weight -= self.held_weight
            loss = self.lost(self.count, 0, self.held, 0, weight)
        first = max(first, 1)
        last = min(last, n if way == RIGHT else n - 1)
        for p in range(1, first):
            row = order[at + p - 1]
            self.left[self.y[row]] += self.w[row] if self.weighted else 1.0
            left += self.w[row] if self.weighted else 1.0
        if self.rule == GINI and self.exact and not self.bounded and self.min_weight <= 0.0:
            return self.sweep_gini(order, at, first, last, codes, column, weight, bar)
        for p in range(first, last + 1):
            row = order[at + p - 1]
            self.left[self.y[row]] += self.w[row] if self.weighted else 1.0
            left += self.w[row] if self.weighted else 1.0
            if self.loose or codes[column + order[at + p]] != codes[column + row]:
                if left < self.min_weight or weight - left < self.min_weight:
                    continue
                gain = (
                    loss
                    - self.lost(self.left, 0, self.left, self.n_classes, left)
                    - self.lost(self.total, 0, self.left, 0, weight - left)
                )
                if gain < self.grain:
                    gain = 0.0
                if gain > bar and (not self.bounded or self.orderly(self.left, 0, left, self.total, 0, weight)):
                    self.gain = gain
                    bar = gain + 1e-12 * self.loss
                    best = p
        return best

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def sweep_gini(
        self,
        order: cython.p_int,
        at: cython.Py_ssize_t,
        first: cython.Py_ssize_t,
        last: cython.Py_ssize_t,
        codes: cython.p_int,
        column: cython.Py_ssize_t,
        weight: cython.double,
        bar: cython.double,
    ) -> cython.Py_ssize_t:
        """The rest of a sweep where weights are whole: the sums of the squared counts change in O(1) a row."""
        p: cython.Py_ssize_t
        k: cython.int
        row: cython.int
        best: cython.Py_ssize_t = 0
        y: cython.p_int = self.y
        counts: cython.p_double = self.left
        totals: cython.p_double = self.total
        left: cython.double = 0.0
        squares_left: cython.double = 0.0
        squares_right: cython.double = 0.0
        before: cython.double = 0.0
        tie: cython.double = 1e-12 * self.loss
        loose: cython.bint = self.loose
        weights: cython.p_double = self.w
        weighted: cython.bint = self.weighted
        w: cython.double = 1.0
        c: cython.double
        score: cython.double
        for k in range(self.n_classes):
            left += counts[k]
            squares_left += counts[k] * counts[k]
            squares_right += (totals[k] - counts[k]) * (totals[k] - counts[k])
            before += totals[k] * totals[k]
        before /= weight
        for p in range(first, last + 1):
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
            if score > (bar + before) * (left * (weight - left)) and (
                loose or codes[column + order[at + p]] != codes[column + row]
            ):
                self.gain = score / (left * (weight - left)) - before
                bar = self.gain + tie
                best = p
        return best

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
        small: cython.p_uchar,
        small_at: cython.Py_ssize_t,
        table: cython.p_double,
    ) -> cython.void:
        i: cython.Py_ssize_t
        row: cython.int
        w: cython.double
        in_bytes: cython.bint = small_at >= 0
        level: cython.Py_ssize_t
        cell: cython.Py_ssize_t
        for i in range(at, at + n):
            row = rows[i]
            w = self.w[row] if self.weighted else 1.0
            level = small[small_at + row] if in_bytes else codes[column + row]
            cell = (2 + self.n_classes) * level
            table[cell] += 1.0
            table[cell + 1] += w
            table[cell + 2 + self.y[row]] += w

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
        k: cython.int
        row: cython.int
        w: cython.double
        above: cython.double
        for k in range(2 + self.n_classes):
            side[k] = 0.0
        for i in range(at, at + n):
            row = rows[i]
            above = codes[column + row] > last
            w = above * self.w[row] if self.weighted else above
            side[0] += above
            side[1] += w
            side[2 + self.y[row]] += w

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sum_up(self, side: cython.p_double) -> cython.void:
        k: cython.int
        side[0], side[1] = self.n_rows, self.weight
        for k in range(self.n_classes):
            side[2 + k] = self.count[k]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def worth(
        self, left: cython.p_double, at: cython.Py_ssize_t, total: cython.p_double, of: cython.Py_ssize_t
    ) -> cython.double:
        other: cython.double = total[of + 1] - left[at + 1]
        gain: cython.double
        if not self.roomy(left[at], left[at + 1], total[of] - left[at], other):
            return -INFINITY
        if self.bounded and not self.orderly(left, at + 2, left[at + 1], total, of + 2, total[of + 1]):
            return -INFINITY
        gain = (
            self.lost(total, of + 2, self.left, self.n_classes, total[of + 1])
            - self.lost(left, at + 2, self.left, self.n_classes, left[at + 1])
            - self.lost(total, of + 2, left, at + 2, other)
        )
        return 0.0 if gain < self.grain else gain

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def cuts(
        self,
        table: cython.p_double,
        present: cython.p_int,
        n_present: cython.int,
        missing: cython.int,
        total: cython.p_double,
        way: cython.int,
        bar: cython.double,
    ) -> cython.int:
        if self.rule != GINI or self.bounded:
            return Criterion.cuts(self, table, present, n_present, missing, total, way, bar)
        i: cython.int
        k: cython.int
        cell: cython.Py_ssize_t
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
        cell = cython.cast(cython.Py_ssize_t, missing) * (2 + self.n_classes)
        if way == LEFT:
            n_left, left = table[cell], table[cell + 1]
        for k in range(self.n_classes):
            counts[k] = table[cell + 2 + k] if way == LEFT else 0.0
            before += total[2 + k] * total[2 + k]
        before /= weight
        for i in range(n_present if way == RIGHT else n_present - 1):
            cell = cython.cast(cython.Py_ssize_t, present[i]) * (2 + self.n_classes)
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

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def share(self, level: cython.p_double, at: cython.Py_ssize_t) -> cython.double:
        """The share of class 1, by which two classes are ordered."""
        return level[at + 3] / level[at + 1]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def constant(self, out: cython.p_double, at: cython.Py_ssize_t) -> cython.void:
        k: cython.int
        for k in range(self.n_classes):
            out[at + k] = self.count[k] / self.weight
