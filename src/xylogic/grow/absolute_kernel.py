"""Absolute error: the distance to the median.

The losses of all sides of a sweep are read off a linked list of the node's rows by target, from which they are dropped
one by one; its median moves by a step or so each time (weights may make it more). So a sweep takes O(n).
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import bits, doubles, ints
    from cython.cimports.xylogic.grow.criterion_kernel import APART, LEFT, RIGHT
    from cython.cimports.xylogic.grow.numbers_kernel import WHOLE, Numbers
    from cython.cimports.xylogic.grow.sort_kernel import sort_keys
else:
    from xylogic.domain.machine_kernel import bits, doubles, ints
    from xylogic.grow.criterion_kernel import APART, LEFT, RIGHT
    from xylogic.grow.numbers_kernel import WHOLE, Numbers
    from xylogic.grow.sort_kernel import sort_keys


@cython.cclass
class Absolute(Numbers):
    """``ranks``, int32 by row, orders the targets.

    The node's rows by target stand at places 0 to n - 1, linked by ``before`` and ``after``; a side's ``middle`` is the
    place of a median of it, ``below`` and ``above`` are the weights on either side of that, with their sums.
    """

    def __init__(
        self,
        target: cython.double[::1],
        ranks: cython.int[::1],
        weights: object,
        min_rows: cython.Py_ssize_t,
        min_weight: cython.double,
    ) -> None:
        n: cython.Py_ssize_t = target.shape[0]
        Numbers.__init__(self, target, weights, min_rows, min_weight)
        self.additive = False
        for name in ("row_at", "place_of", "before", "after", "aside"):
            self.keep[name] = np.zeros(n + 2, np.int32)
        for name in ("value", "cost", "middle_at"):
            self.keep[name] = np.zeros(n + 2)
        for name in ("keys", "spare"):
            self.keep[name] = np.zeros(n + 2, np.uint64)
        self.keep["ranks"] = np.asarray(ranks)
        self.ranks = ints(ranks)
        self.row_at = ints(self.keep["row_at"])
        self.place_of = ints(self.keep["place_of"])
        self.before = ints(self.keep["before"])
        self.after = ints(self.keep["after"])
        self.aside = ints(self.keep["aside"])
        self.value = doubles(self.keep["value"])
        self.cost = doubles(self.keep["cost"])
        self.middle_at = doubles(self.keep["middle_at"])
        self.keys = bits(self.keep["keys"])
        self.spare = bits(self.keep["spare"])
        self.middle = -1
        self.below = self.above = self.sum_below = self.sum_above = 0.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def begin(self, rows: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        i: cython.Py_ssize_t
        row: cython.int
        n_bits: cython.int = 1
        most: cython.int = 0
        self.place(rows, at, n, True)
        self.unit = 1.0 / self.step
        self.held_rows = 0
        self.loss = 0.0
        if self.pure:
            return
        for i in range(n):
            row = rows[at + i]
            most = max(most, self.ranks[row])
            self.keys[i] = (cython.cast(cython.ulonglong, self.ranks[row]) << 32) | cython.cast(cython.ulonglong, row)
        while n_bits < 31 and (most >> n_bits) > 0:
            n_bits += 1
        sort_keys(self.keys, self.spare, n, n_bits)
        for i in range(n):
            row = cython.cast(cython.int, self.keys[i] & 0x7FFFFFFF)
            self.row_at[i] = row
            self.place_of[row] = cython.cast(cython.int, i)
            self.value[i] = (self.target[row] - self.shift) * self.step + WHOLE - WHOLE
            self.aside[i] = 0
        self.loss = self.listed(True)
        self.mean = self.middle_value()

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def listed(self, with_held: cython.bint) -> cython.double:
        """Link up the node's rows, with or without those set aside; their loss."""
        i: cython.int
        last: cython.int = -1
        w: cython.double
        weight: cython.double = self.weight if with_held else self.weight - self.held_weight
        self.middle = -1
        self.below = self.above = self.sum_below = self.sum_above = 0.0
        for i in range(cython.cast(cython.int, self.n_rows)):
            if self.aside[i] and not with_held:
                continue
            w = self.w[self.row_at[i]] if self.weighted else 1.0
            self.before[i] = last
            if last >= 0:
                self.after[last] = i
            last = i
            if self.middle < 0 and 2.0 * (self.below + w) >= weight:
                self.middle = i
            elif self.middle < 0:
                self.below += w
                self.sum_below += w * self.value[i]
            else:
                self.above += w
                self.sum_above += w * self.value[i]
        if last >= 0:
            self.after[last] = -1
        return self.remaining()

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def remaining(self) -> cython.double:
        """The loss of the rows that are linked."""
        if self.middle < 0:
            return 0.0
        return self.sum_above - self.sum_below + (self.below - self.above) * self.value[self.middle]

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def middle_value(self) -> cython.double:
        """The median of the rows that are linked: half-way where it is not unique."""
        here: cython.int = self.middle
        there: cython.int = here
        w: cython.double = self.w[self.row_at[here]] if self.weighted else 1.0
        if self.above == self.below + w:
            there = self.after[here]
        elif self.below == self.above + w:
            there = self.before[here]
        return self.target[self.row_at[here]] / 2 + self.target[self.row_at[there]] / 2

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def drop(self, row: cython.int) -> cython.void:
        """Take one row out of the list."""
        place: cython.int = self.place_of[row]
        w: cython.double = self.w[row] if self.weighted else 1.0
        left: cython.int = self.before[place]
        right: cython.int = self.after[place]
        if left >= 0:
            self.after[left] = right
        if right >= 0:
            self.before[right] = left
        if place < self.middle:
            self.below -= w
            self.sum_below -= w * self.value[place]
        elif place > self.middle:
            self.above -= w
            self.sum_above -= w * self.value[place]
        elif right >= 0:
            self.middle = right
            w = self.w[self.row_at[right]] if self.weighted else 1.0
            self.above -= w
            self.sum_above -= w * self.value[right]
        else:
            self.middle = left
            if left >= 0:
                w = self.w[self.row_at[left]] if self.weighted else 1.0
                self.below -= w
                self.sum_below -= w * self.value[left]
        self.balance()

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def balance(self) -> cython.void:
        """Move the middle until neither side of it weighs more than half."""
        w: cython.double
        while self.middle >= 0:
            w = self.w[self.row_at[self.middle]] if self.weighted else 1.0
            if self.below > self.above + w and self.before[self.middle] >= 0:
                self.above += w
                self.sum_above += w * self.value[self.middle]
                self.middle = self.before[self.middle]
                w = self.w[self.row_at[self.middle]] if self.weighted else 1.0
                self.below -= w
                self.sum_below -= w * self.value[self.middle]
            elif self.above > self.below + w and self.after[self.middle] >= 0:
                self.below += w
                self.sum_below += w * self.value[self.middle]
                self.middle = self.after[self.middle]
                w = self.w[self.row_at[self.middle]] if self.weighted else 1.0
                self.above -= w
                self.sum_above -= w * self.value[self.middle]
            else:
                return

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def hold(self, rows: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        i: cython.Py_ssize_t
        for i in range(self.n_rows):
            self.aside[i] = 0
        self.held_rows = n
        self.held_weight = self.weigh(rows, at, n)
        for i in range(at, at + n):
            self.aside[self.place_of[rows[i]]] = 1

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
        n_left: cython.Py_ssize_t = self.held_rows if way == LEFT else 0
        n_total: cython.Py_ssize_t = n + (self.held_rows if way == LEFT or way == RIGHT else 0)
        left: cython.double = self.held_weight if way == LEFT else 0.0
        weight: cython.double = self.weight - (self.held_weight if way == APART else 0.0)
        loss: cython.double = self.listed(way == LEFT)
        tie: cython.double = 1e-12 * self.loss
        gain: cython.double
        if way == RIGHT or way == LEFT:
            loss = self.loss
        p = n
        while p > 0:
            self.cost[p] = self.remaining()
            if self.bounded:
                self.middle_at[p] = self.middle_value()
            self.drop(order[at + p - 1])
            p -= 1
        self.listed(way == RIGHT)
        for p in range(1, n + 1 if way == RIGHT else n):
            row = order[at + p - 1]
            left += self.w[row] if self.weighted else 1.0
            self.drop(row)
            if not self.loose and codes[column + order[at + p]] == codes[column + row]:
                continue
            gain = loss - self.cost[p] - self.remaining()
            if gain > bar and self.roomy(n_left + p, left, n_total - n_left - p, weight - left):
                if not self.bounded or self.ranked(self.middle_at[p], self.middle_value()):
                    self.gain = gain
                    bar = gain + tie
                    best = p
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def constant(self, out: cython.p_double, at: cython.Py_ssize_t) -> cython.void:
        out[at] = self.mean
