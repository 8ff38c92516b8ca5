"""Gini index, entropy and misclassification of class labels, from the weights of the classes."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.libc.math import INFINITY, log2
    from cython.cimports.xylogic.domain.machine_kernel import ahead, doubles, ints
    from cython.cimports.xylogic.grow.criterion_kernel import APART, LEFT, RIGHT, Criterion
else:
    from math import inf as INFINITY
    from math import log2

    from xylogic.domain.machine_kernel import ahead, doubles, ints
    from xylogic.grow.criterion_kernel import APART, LEFT, RIGHT, Criterion

AHEAD = cython.declare(cython.int, 12)  # rows: so much earlier are their codes fetched

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
        self.lasting = True
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
        self.left_rows = self.known_rows = 0
        self.left_weight = self.known_weight = 0.0
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
        y: cython.p_int = self.y
        w: cython.p_double = self.w
        count: cython.p_double = self.count
        self.n_rows = n
        self.weight = 0.0
        for k in range(self.n_classes):
            count[k] = 0.0
        if self.weighted:
            for i in range(at, at + n):
                count[y[rows[i]]] += w[rows[i]]
        else:
            for i in range(at, at + n):
                count[y[rows[i]]] += 1.0
        for k in range(self.n_classes):
            self.weight += count[k]  # exact, as all sums of weights are
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
    @cython.final
    @cython.exceptval(check=False)
    def start(self, way: cython.int) -> cython.double:
        """Begin a sweep with ``left`` and ``total`` of the classes; the loss of all rows that it splits."""
        k: cython.int
        self.left_rows = self.held_rows if way == LEFT else 0
        self.left_weight = self.held_weight if way == LEFT else 0.0
        self.known_rows = self.n_rows - (self.held_rows if way == APART else 0)
        self.known_weight = self.weight - (self.held_weight if way == APART else 0.0)
        for k in range(self.n_classes):
            self.left[k] = self.held[k] if way == LEFT else 0.0
            self.total[k] = self.count[k] - self.held[k] if way == APART else self.count[k]
        if way != APART:
            return self.loss
        return self.lost(self.count, 0, self.held, 0, self.known_weight)

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def gained(self, loss: cython.double, left: cython.double, weight: cython.double) -> cython.double:
        """What splitting the classes ``left`` off ``total`` gains, whose weights are these."""
        gain: cython.double = (
            loss
            - self.lost(self.left, 0, self.left, self.n_classes, left)
            - self.lost(self.total, 0, self.left, 0, weight - left)
        )
        return 0.0 if gain < self.grain else gain

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
        gain: cython.double
        loss: cython.double = self.start(way)
        left: cython.double = self.left_weight
        weight: cython.double = self.known_weight
        first: cython.Py_ssize_t = self.min_rows - self.left_rows
        last: cython.Py_ssize_t = self.known_rows - self.left_rows - self.min_rows
        for p in range(1, min(last, n if way == RIGHT else n - 1) + 1):
            row = order[at + p - 1]
            self.left[self.y[row]] += self.w[row] if self.weighted else 1.0
            left += self.w[row] if self.weighted else 1.0
            if p >= first and (self.loose or codes[column + order[at + p]] != codes[column + row]):
                if left < self.min_weight or weight - left < self.min_weight:
                    continue
                gain = self.gained(loss, left, weight)
                if gain > bar and (not self.bounded or self.orderly(self.left, 0, left, self.total, 0, weight)):
                    self.gain = gain
                    bar = gain + 1e-12 * self.loss
                    best = p
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sweep_groups(
        self, order: cython.p_int, ends: cython.p_int, n_groups: cython.int, way: cython.int, bar: cython.double
    ) -> cython.int:
        group: cython.int
        p: cython.int = 0
        row: cython.int
        best: cython.int = 0
        gain: cython.double
        loss: cython.double = self.start(way)
        left: cython.double = self.left_weight
        weight: cython.double = self.known_weight
        n_left: cython.Py_ssize_t = self.left_rows
        n_right: cython.Py_ssize_t = self.known_rows - n_left
        for group in range(n_groups if way == RIGHT else n_groups - 1):
            n_left += ends[group] - p
            n_right -= ends[group] - p
            for p in range(p, ends[group]):
                row = order[p]
                self.left[self.y[row]] += self.w[row] if self.weighted else 1.0
                left += self.w[row] if self.weighted else 1.0
            p = ends[group]
            if self.roomy(n_left, left, n_right, weight - left):
                gain = self.gained(loss, left, weight)
                if gain > bar and (not self.bounded or self.orderly(self.left, 0, left, self.total, 0, weight)):
                    self.gain = gain
                    bar = gain + 1e-12 * self.loss
                    best = group + 1
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
        table: cython.p_double,
    ) -> cython.void:
        i: cython.Py_ssize_t
        row: cython.int
        w: cython.double
        cell: cython.Py_ssize_t
        for i in range(at, at + n):
            row = rows[i]
            w = self.w[row] if self.weighted else 1.0
            cell = (2 + self.n_classes) * cython.cast(cython.Py_ssize_t, codes[column + row])
            table[cell] += 1.0
            table[cell + 1] += w
            table[cell + 2 + self.y[row]] += w

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
        k: cython.Py_ssize_t
        code_at: cython.Py_ssize_t
        cell: cython.Py_ssize_t
        stride: cython.Py_ssize_t = 2 + self.n_classes
        w: cython.double
        weighted: cython.bint = self.weighted
        for i in range(at, at + n):
            code_at = rows[i] * n_columns
            if i + AHEAD < at + n:
                ahead(codes, rows[i + AHEAD] * n_columns)
            k = 2 + self.y[rows[i]]
            w = self.w[rows[i]] if weighted else 1.0
            for j in range(begin, end):
                cell = first[j] + stride * cython.cast(cython.Py_ssize_t, codes[code_at + j])
                table[cell + 1] += w
                table[cell + k] += w
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
