"""Splits of columns with few levels: cuts between ordered ones, sets of categories.

Sums are taken by level first. Categories are put in an order and split as numbers are: by their share of class 1 or
their mean, which is optimal for two classes and for squared error (Breiman et al. 1984, 4.2.2); for more classes by
the share of each class in turn; for the absolute error by the median. Where an order need not be optimal, or a limit
could forbid what it finds, all subsets of few categories are tried; with many, single ones change sides as long as that
helps (not for the absolute error).
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import doubles, ints, small
    from cython.cimports.xylogic.grow.criterion_kernel import APART, LEFT, NONE, RIGHT
else:
    from xylogic.domain.machine_kernel import doubles, ints, small
    from xylogic.grow.criterion_kernel import APART, LEFT, NONE, RIGHT


@cython.cclass
class Levels:
    """Finds the best split of one column for the node that ``criterion`` has begun.

    ``most_levels``: of any column; level ``n_levels`` stands for missing ones. ``n_orders``: 1, or the number of
    classes. ``most_subsets``: how many subsets may be tried. ``as_level``: missing is one more category.
    ``ordered_best``: the one order holds a best split, unless a limit forbids it.
    The answer: its ``gain``; the levels ``chosen`` for the left, missing ones among them.
    """

    def __init__(
        self,
        criterion: object,
        most_levels: cython.int,
        n_rows: cython.Py_ssize_t,
        n_orders: cython.int,
        most_subsets: cython.int,
        as_level: cython.bint,
        ordered_best: cython.bint,
    ) -> None:
        self.criterion = criterion
        self.stride = 2 + criterion.width
        self.n_orders = n_orders
        self.most_subsets = most_subsets
        self.as_level = as_level
        self.ordered_best = ordered_best
        size = most_levels + 2
        self.keep = {
            "table": np.zeros(size * self.stride),
            "total": np.zeros(self.stride),
            "side": np.zeros(self.stride),
            "key": np.zeros(size),
            "present": np.zeros(size, np.int32),
            "chosen": np.zeros(size, np.uint8),
            "by_group": np.zeros(n_rows + 1, np.int32),
            "group": np.zeros(size, np.int32),
            "start": np.zeros(size + 1, np.int32),
        }
        self.table = doubles(self.keep["table"])
        self.total = doubles(self.keep["total"])
        self.side = doubles(self.keep["side"])
        self.key = doubles(self.keep["key"])
        self.present = ints(self.keep["present"])
        self.chosen = small(self.keep["chosen"])
        self.by_group = ints(self.keep["by_group"])
        self.group = ints(self.keep["group"])
        self.start = ints(self.keep["start"])
        self.n_present = self.best_left = self.way = 0
        self.gain = self.bar = 0.0

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def tabulate(
        self,
        rows: cython.p_int,
        at: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        codes: cython.p_int,
        column: cython.Py_ssize_t,
        n_levels: cython.int,
        apart: cython.bint,
    ) -> cython.int:
        """Sum up by level; list the levels that are present, without the missing one, which is returned, or -1.

        ``apart`` leaves missing rows out of the total.
        """
        i: cython.Py_ssize_t
        j: cython.int
        level: cython.int
        n_present: cython.int = 0
        stride: cython.int = self.stride
        table: cython.p_double = self.table
        present: cython.p_int = self.present
        for i in range((n_levels + 1) * stride):
            table[i] = 0.0
        self.criterion.collect(rows, at, n, codes, column, table)
        self.criterion.sum_up(self.total)
        for level in range(n_levels):
            present[n_present] = level
            n_present += table[level * stride] > 0.0
        self.n_present = n_present
        if not self.criterion.weighted:
            for level in range(n_levels + 1):
                table[level * stride + 1] = table[level * stride]
        if table[n_levels * stride] == 0.0:
            return -1
        for j in range(stride if apart else 0):
            self.total[j] -= table[n_levels * stride + j]
        return n_levels

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def sort_present(self, k: cython.int) -> cython.void:
        """Order the present levels by their share of class ``k`` where there are several orders, else by ``share``."""
        i: cython.int
        j: cython.int
        level: cython.int
        for i in range(self.n_present):
            level = self.present[i]
            if self.n_orders > 1:
                self.key[level] = self.table[level * self.stride + 2 + k] / self.table[level * self.stride + 1]
            else:
                self.key[level] = self.criterion.share(self.table, level * self.stride)
        gap: cython.int = 1
        while 3 * gap + 1 < self.n_present:
            gap = 3 * gap + 1
        while gap > 0:  # Shell's sort
            for i in range(gap, self.n_present):
                level = self.present[i]
                j = i
                while j >= gap and (
                    self.key[self.present[j - gap]] > self.key[level]
                    or (self.key[self.present[j - gap]] == self.key[level] and self.present[j - gap] > level)
                ):
                    self.present[j] = self.present[j - gap]
                    j -= gap
                self.present[j] = level
            gap //= 3

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def prefixes(self, missing: cython.int, way: cython.int) -> cython.bint:
        """Try the first i present levels as the left side, for every i; whether one is better than the best."""
        n_left: cython.int = self.criterion.cuts(
            self.table, 0, self.present, self.n_present, missing, self.total, way, self.bar
        )
        if n_left == 0:
            return False
        self.gain = self.criterion.gain
        self.bar = self.gain + 1e-12 * self.criterion.loss
        self.best_left = n_left
        self.way = way
        return True

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def swept(
        self,
        rows: cython.p_int,
        at: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        codes: cython.p_int,
        column: cython.Py_ssize_t,
        n_groups: cython.int,
        missing: cython.int,
        apart: cython.bint,
    ) -> cython.bint:
        """``prefixes`` of the groups of levels ``group``, for a criterion that is not additive: by sweeps over rows."""
        i: cython.Py_ssize_t
        n_left: cython.int
        k: cython.int
        way: cython.int
        known: cython.Py_ssize_t
        found: cython.bint = False
        if missing >= 0:
            self.group[missing] = n_groups
        for k in range(n_groups + 2):
            self.start[k] = 0
        for i in range(at, at + n):
            self.start[self.group[codes[column + rows[i]]] + 1] += 1
        for k in range(n_groups + 1):
            self.start[k + 1] += self.start[k]
        known = self.start[n_groups]
        for i in range(at, at + n):
            k = self.group[codes[column + rows[i]]]
            self.by_group[self.start[k]] = rows[i]
            self.start[k] += 1
        if known < n:
            self.criterion.hold(self.by_group, known, n - known)
        way = NONE if known == n else APART if apart else RIGHT
        while True:
            n_left = self.criterion.sweep_groups(self.by_group, self.start, n_groups, way, self.bar)
            if n_left > 0:
                self.gain = self.criterion.gain
                self.bar = self.gain + 1e-12 * self.criterion.loss
                self.best_left = n_left
                self.way = way
                found = True
            if way != RIGHT:
                return found
            way = LEFT

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def subset(
        self,
        rows: cython.p_int,
        at: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        codes: cython.p_int,
        column: cython.Py_ssize_t,
        members: cython.int,
    ) -> cython.bint:
        """Try the present levels i > 0 whose bit i - 1 is in ``members`` as the left side, the others as the right."""
        i: cython.int
        j: cython.int
        gain: cython.double
        for i in range(self.n_present):
            self.group[self.present[i]] = 0 if i > 0 and (members >> (i - 1)) & 1 else 1
        if not self.criterion.additive:
            return self.swept(rows, at, n, codes, column, 2, -1, False)
        for j in range(self.stride):
            self.side[j] = 0.0
        for i in range(1, self.n_present):
            if self.group[self.present[i]] == 0:
                for j in range(self.stride):
                    self.side[j] += self.table[self.present[i] * self.stride + j]
        gain = self.criterion.worth(self.side, 0, self.total, 0)
        if gain <= self.bar:
            return False
        self.gain = gain
        self.bar = gain + 1e-12 * self.criterion.loss
        return True

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def choose(self, n_left: cython.int, missing: cython.int) -> cython.void:
        """``chosen``: the first ``n_left`` present levels, and the missing one where it goes left."""
        i: cython.int
        for i in range(self.n_present):
            self.chosen[self.present[i]] = i < n_left
        if missing >= 0:
            self.chosen[missing] = self.way == LEFT

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def in_order(
        self,
        rows: cython.p_int,
        at: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        codes: cython.p_int,
        column: cython.Py_ssize_t,
        missing: cython.int,
        apart: cython.bint,
    ) -> cython.bint:
        """Try all cuts of the present levels in their order, and the missing one on either side unless ``apart``."""
        i: cython.int
        found: cython.bint
        if not self.criterion.additive:
            for i in range(self.n_present):
                self.group[self.present[i]] = i
            found = self.swept(rows, at, n, codes, column, self.n_present, missing, apart)
        elif missing < 0 or apart:
            found = self.prefixes(missing, NONE)
        else:
            found = self.prefixes(missing, RIGHT)
            found = self.prefixes(missing, LEFT) or found
        if found:
            self.choose(self.best_left, missing)
        return found

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def search(
        self,
        rows: cython.p_int,
        at: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        codes: cython.p_int,
        column: cython.Py_ssize_t,
        n_levels: cython.int,
        categories: cython.bint,
        apart: cython.bint,
        bar: cython.double,
    ) -> cython.bint:
        """The best split of ``rows[at:at + n]`` by their levels ``codes[column + row]``; whether it gains over ``bar``.

        O(n + n_levels * n_orders * width), with subsets tried at most ``most_subsets`` times that.
        """
        fraction: cython.double
        missing: cython.int = self.tabulate(rows, at, n, codes, column, n_levels, apart)
        fraction = self.total[1] / self.criterion.weight  # below 1 where missing rows stay apart
        self.bar = bar / fraction
        if not self.searched(rows, at, n, codes, column, n_levels, missing, categories, apart):
            return False
        self.gain *= fraction
        return True

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def searched(
        self,
        rows: cython.p_int,
        at: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        codes: cython.p_int,
        column: cython.Py_ssize_t,
        n_levels: cython.int,
        missing: cython.int,
        categories: cython.bint,
        apart: cython.bint,
    ) -> cython.bint:
        i: cython.int
        k: cython.int
        members: cython.int
        found: cython.bint = False
        appended: cython.bint = False
        known_left: cython.bint = False
        ordered: cython.bint = self.ordered_best
        limited: cython.bint = self.criterion.min_rows > 1 or self.criterion.min_weight > 0.0 or self.criterion.bounded
        if self.n_present + (missing >= 0 and not apart) < 2:
            return False
        if not categories:
            return self.in_order(rows, at, n, codes, column, missing, apart)
        if limited and self.few(missing >= 0 and not apart):
            ordered = False  # every ordered split may be forbidden, and another one not
        if ordered and not self.as_level:
            self.sort_present(0)
            found = self.in_order(rows, at, n, codes, column, missing, apart)
            if found and limited:
                self.climb(-1 if apart else missing)
            return found
        if missing >= 0 and not apart and (self.as_level or self.few(1)):
            self.present[self.n_present] = missing
            self.n_present += 1
            appended = True
            missing = -1
        if self.few(0) and not ordered:
            k = 0
            for members in range(1, 1 << (self.n_present - 1)):
                if self.subset(rows, at, n, codes, column, members):
                    k = members
            if k > 0:
                for i in range(self.n_present):
                    self.chosen[self.present[i]] = i > 0 and (k >> (i - 1)) & 1
                self.way = NONE
                found = True
        else:
            for k in range(self.n_orders):
                self.sort_present(k)
                found = self.in_order(rows, at, n, codes, column, missing, apart) or found
            if found and self.criterion.additive and (limited or not self.ordered_best):
                self.climb(-1 if apart else missing)
        if found and appended:
            for i in range(self.n_present):  # a left side of missing rows alone is made the right one
                known_left = known_left or (self.present[i] < n_levels and self.chosen[self.present[i]])
            for i in range(self.n_present):
                self.chosen[self.present[i]] ^= not known_left
            self.way = LEFT if self.chosen[n_levels] else RIGHT
        return found

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def climb(self, missing: cython.int) -> cython.void:
        """Let the present level change sides that gains the most by it, while one does; missing rows stay."""
        i: cython.int
        j: cython.int
        level: cython.int
        best: cython.int = 0
        n_left: cython.int = 0
        stride: cython.int = self.stride
        gain: cython.double
        sign: cython.double
        for j in range(stride):
            self.side[j] = self.table[missing * stride + j] if missing >= 0 and self.way == LEFT else 0.0
        for i in range(self.n_present):
            if self.chosen[self.present[i]]:
                n_left += 1
                for j in range(stride):
                    self.side[j] += self.table[self.present[i] * stride + j]
        while best >= 0:
            best = -1
            for i in range(self.n_present):
                level = self.present[i]
                if self.chosen[level] and n_left == 1:
                    continue
                sign = -1.0 if self.chosen[level] else 1.0
                for j in range(stride):
                    self.side[j] += sign * self.table[level * stride + j]
                gain = self.criterion.worth(self.side, 0, self.total, 0)
                for j in range(stride):
                    self.side[j] -= sign * self.table[level * stride + j]
                if gain > self.bar:
                    self.gain = gain
                    self.bar = gain + 1e-12 * self.criterion.loss
                    best = level
            if best >= 0:
                sign = -1.0 if self.chosen[best] else 1.0
                for j in range(stride):
                    self.side[j] += sign * self.table[best * stride + j]
                n_left += 1 if sign > 0.0 else -1
                self.chosen[best] = 1 - self.chosen[best]

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def few(self, more: cython.int) -> cython.bint:
        """Whether all subsets of the present levels, and ``more`` of them, may be tried."""
        return self.n_present + more <= 30 and (1 << (self.n_present + more - 1)) - 1 <= self.most_subsets
