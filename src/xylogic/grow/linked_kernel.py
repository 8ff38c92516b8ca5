"""The losses of both sides of all boundaries of sorted rows, by the distance to the median.

They are read off a linked list of the node's rows by target, from which they are dropped
one by one; its median moves by a step or so each time (weights may make it more). So a sweep takes O(n).
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.libc.math import fabs
    from cython.cimports.xylogic.domain.machine_kernel import bit, bits, doubles, highest_bit, ints, lowest_bit
    from cython.cimports.xylogic.grow.criterion_kernel import APART, LEFT, NONE, RIGHT
    from cython.cimports.xylogic.grow.numbers_kernel import Numbers
    from cython.cimports.xylogic.grow.sort_kernel import sort_keys
else:
    from math import fabs

    from xylogic.domain.machine_kernel import bit, bits, doubles, highest_bit, ints, lowest_bit
    from xylogic.grow.criterion_kernel import APART, LEFT, NONE, RIGHT
    from xylogic.grow.numbers_kernel import Numbers
    from xylogic.grow.sort_kernel import sort_keys

FEW = cython.declare(cython.Py_ssize_t, 62)  # rows: their places and both ends are bits of one word


@cython.cclass
class Linked(Numbers):
    """``ranks``, int32 by row, orders the targets.

    The node's rows by target stand at places 1 to n, linked by ``before`` and ``after``; places 0 and n + 1 are ends.
    ``middle`` is the place of a median of those linked; ``below`` and ``above`` are the weights on either side of it,
    with their sums.
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
        for name in ("row_at", "place_of", "before", "after", "other_before", "other_after", "aside"):
            self.keep[name] = np.zeros(n + 2, np.int32)
        for name in ("value", "cost_left", "cost_right", "middle_left", "middle_right"):
            self.keep[name] = np.zeros(n + 2)
        for name in ("keys", "spare"):
            self.keep[name] = np.zeros(n + 2, np.uint64)
        self.keep["ranks"] = np.asarray(ranks)
        self.ranks = ints(ranks)
        self.row_at = ints(self.keep["row_at"])
        self.place_of = ints(self.keep["place_of"])
        self.before = ints(self.keep["before"])
        self.after = ints(self.keep["after"])
        self.other_before = ints(self.keep["other_before"])
        self.other_after = ints(self.keep["other_after"])
        self.aside = ints(self.keep["aside"])
        self.value = doubles(self.keep["value"])
        self.cost_left = doubles(self.keep["cost_left"])
        self.cost_right = doubles(self.keep["cost_right"])
        self.middle_left = doubles(self.keep["middle_left"])
        self.middle_right = doubles(self.keep["middle_right"])
        self.keys = bits(self.keep["keys"])
        self.spare = bits(self.keep["spare"])
        self.middle = self.first_middle = 0
        self.n_linked = 0
        self.below = self.above = self.sum_below = self.sum_above = 0.0
        # ``middle`` and all of these when every row is linked.
        self.first_below = self.first_above = self.first_sum_below = self.first_sum_above = 0.0

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
            self.row_at[i + 1] = row
            self.place_of[row] = cython.cast(cython.int, i + 1)
            self.value[i + 1] = self.on_grid(row)
            self.aside[i + 1] = 0
        self.first_middle = 0
        self.loss = self.link(True)
        self.mean = self.middle_value()
        self.first_middle = self.middle
        self.first_below, self.first_above = self.below, self.above
        self.first_sum_below, self.first_sum_above = self.sum_below, self.sum_above

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def weight_at(self, place: cython.int) -> cython.double:
        return self.w[self.row_at[place]] if self.weighted else 1.0

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def link(self, with_held: cython.bint) -> cython.double:
        """Link up the node's rows, with or without those set aside; their loss."""
        i: cython.int
        last: cython.int = 0
        w: cython.double
        weight: cython.double = self.weight if with_held else self.weight - self.held_weight
        if with_held and self.first_middle > 0:
            for i in range(1, cython.cast(cython.int, self.n_rows) + 2):
                self.before[i] = i - 1
                self.after[i - 1] = i
            self.n_linked = self.n_rows
            self.middle = self.first_middle
            self.below, self.above = self.first_below, self.first_above
            self.sum_below, self.sum_above = self.first_sum_below, self.first_sum_above
            return self.loss
        self.middle = 0
        self.n_linked = 0
        self.below = self.above = self.sum_below = self.sum_above = 0.0
        for i in range(1, cython.cast(cython.int, self.n_rows) + 1):
            if self.aside[i] and not with_held:
                continue
            w = self.weight_at(i)
            self.before[i] = last
            self.after[last] = i
            last = i
            self.n_linked += 1
            if self.middle == 0 and 2.0 * (self.below + w) >= weight:
                self.middle = i
            elif self.middle == 0:
                self.below += w
                self.sum_below += self.grid[self.row_at[i]]
            else:
                self.above += w
                self.sum_above += self.grid[self.row_at[i]]
        self.after[last] = cython.cast(cython.int, self.n_rows) + 1
        self.before[self.n_rows + 1] = last
        return self.remaining()

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def remaining(self) -> cython.double:
        """The loss of the rows that are linked."""
        return self.sum_above - self.sum_below + (self.below - self.above) * self.value[self.middle]

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def middle_value(self) -> cython.double:
        """The median of the rows that are linked: half-way where it is not unique."""
        here: cython.int = self.middle
        there: cython.int = here
        w: cython.double = self.weight_at(here)
        slack: cython.double = self.n_rows if self.heavy else 0.0  # for weights that were rounded
        if fabs(self.above - self.below - w) <= slack:
            there = self.after[here]
        elif fabs(self.below - self.above - w) <= slack:
            there = self.before[here]
        return self.target[self.row_at[here]] / 2 + self.target[self.row_at[there]] / 2

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def drop(self, row: cython.int) -> cython.void:
        """Take one row out of the list, and move the middle until neither side of it weighs more than half."""
        place: cython.int = self.place_of[row]
        w: cython.double = self.w[row] if self.weighted else 1.0
        self.after[self.before[place]] = self.after[place]
        self.before[self.after[place]] = self.before[place]
        self.n_linked -= 1
        if place < self.middle:
            self.below -= w
            self.sum_below -= self.grid[row]
        elif place > self.middle:
            self.above -= w
            self.sum_above -= self.grid[row]
        elif self.n_linked == 0:
            return
        elif self.after[place] <= self.n_rows:
            self.middle = self.after[place]
            w = self.weight_at(self.middle)
            self.above -= w
            self.sum_above -= self.grid[self.row_at[self.middle]]
        else:
            self.middle = self.before[place]
            w = self.weight_at(self.middle)
            self.below -= w
            self.sum_below -= self.grid[self.row_at[self.middle]]
        while True:
            w = self.weight_at(self.middle)
            if self.below > self.above + w:
                self.above += w
                self.sum_above += self.grid[self.row_at[self.middle]]
                self.middle = self.before[self.middle]
                self.below -= self.weight_at(self.middle)
                self.sum_below -= self.grid[self.row_at[self.middle]]
            elif self.above > self.below + w:
                self.below += w
                self.sum_below += self.grid[self.row_at[self.middle]]
                self.middle = self.after[self.middle]
                self.above -= self.weight_at(self.middle)
                self.sum_above -= self.grid[self.row_at[self.middle]]
            else:
                return

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def peel(
        self,
        order: cython.p_int,
        at: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        from_right: cython.bint,
        cost: cython.p_double,
        median: cython.p_double,
    ) -> cython.void:
        """Drop ``order[at:at + n]``, the last one first if ``from_right``.

        ``cost[p]`` gets the loss of those linked when the boundary p lies beside them, ``median[p]`` their median.
        """
        i: cython.Py_ssize_t
        p: cython.Py_ssize_t
        for i in range(n):
            p = n - i if from_right else i
            cost[p] = self.remaining()
            if self.bounded and self.n_linked > 0:
                median[p] = self.middle_value()
            self.drop(order[at + p - 1] if from_right else order[at + p])
        p = 0 if from_right else n
        cost[p] = self.remaining()
        if self.bounded and self.n_linked > 0:
            median[p] = self.middle_value()

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def peel_plain(
        self, order: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t, way: cython.int
    ) -> cython.void:
        """``peel`` of both sides at once where all rows weigh the same.

        The middle is the lower median and moves by one link at most. A median of an odd number of rows stays one of
        the others whichever is dropped; of the two medians of an even number the one does that is not on the dropped
        row's side. From it the loss falls by that row's distance.
        """
        p: cython.Py_ssize_t
        left: cython.double = self.link(way == LEFT or way == NONE)
        middle: cython.int = self.middle
        odd: cython.int = self.n_linked & 1
        before: cython.p_int = self.before
        after: cython.p_int = self.after
        right: cython.double
        other_middle: cython.int
        other_odd: cython.int
        other_before: cython.p_int
        other_after: cython.p_int
        place: cython.int
        kept: cython.int
        lower: cython.int
        upper: cython.int
        place_of: cython.p_int = self.place_of
        value: cython.p_double = self.value
        cost_left: cython.p_double = self.cost_left
        cost_right: cython.p_double = self.cost_right
        self.before, self.other_before = self.other_before, self.before
        self.after, self.other_after = self.other_after, self.after
        right = self.link(way == RIGHT or way == NONE)
        other_middle = self.middle
        other_odd = self.n_linked & 1
        other_before = self.before
        other_after = self.after
        cost_left[n] = left
        cost_right[0] = right
        for p in range(n):  # no branches but those that are taken in turn: others could not be predicted
            place = place_of[order[at + n - 1 - p]]
            lower, upper = before[place], after[place]
            after[lower], before[upper] = upper, lower
            kept = middle
            if odd:
                middle += (before[middle] - middle) * (place >= middle)
            else:
                middle += (after[middle] - middle) * (place <= middle)
                kept = middle
            left -= fabs(value[place] - value[kept])
            cost_left[n - 1 - p] = left
            odd ^= 1
            place = place_of[order[at + p]]
            lower, upper = other_before[place], other_after[place]
            other_after[lower], other_before[upper] = upper, lower
            kept = other_middle
            if other_odd:
                other_middle += (other_before[other_middle] - other_middle) * (place >= other_middle)
            else:
                other_middle += (other_after[other_middle] - other_middle) * (place <= other_middle)
                kept = other_middle
            right -= fabs(value[place] - value[kept])
            cost_right[p + 1] = right
            other_odd ^= 1

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def peel_few(self, order: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        """``peel_plain`` of all of a node's rows, at most FEW; those linked are bits, neighbours are found by them."""
        p: cython.Py_ssize_t
        place: cython.int
        kept: cython.int
        middle: cython.int = self.first_middle
        other_middle: cython.int = middle
        linked: cython.ulonglong = bit(cython.cast(cython.int, n) + 1) - 1  # and place 0, the end
        others: cython.ulonglong = linked
        odd: cython.bint = n & 1
        left: cython.double = self.loss
        right: cython.double = left
        place_of: cython.p_int = self.place_of
        value: cython.p_double = self.value
        cost_left: cython.p_double = self.cost_left
        cost_right: cython.p_double = self.cost_right
        cost_left[n] = left
        cost_right[0] = right
        for p in range(n):
            place = place_of[order[at + n - 1 - p]]
            linked ^= bit(place)
            kept = middle
            if odd:
                middle = highest_bit(linked & (bit(middle + (place < middle)) - 1))
            else:
                middle = lowest_bit(linked & ~(bit(middle + (place <= middle)) - 1))
                kept = middle
            left -= fabs(value[place] - value[kept])
            cost_left[n - 1 - p] = left
            place = place_of[order[at + p]]
            others ^= bit(place)
            kept = other_middle
            if odd:
                other_middle = highest_bit(others & (bit(other_middle + (place < other_middle)) - 1))
            else:
                other_middle = lowest_bit(others & ~(bit(other_middle + (place <= other_middle)) - 1))
                kept = other_middle
            right -= fabs(value[place] - value[kept])
            cost_right[p + 1] = right
            odd = not odd

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def hold(self, rows: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        i: cython.Py_ssize_t
        for i in range(1, self.n_rows + 1):
            self.aside[i] = 0
        self.held_rows = n
        self.held_weight = self.weigh(rows, at, n)
        for i in range(at, at + n):
            self.aside[self.place_of[rows[i]]] = 1

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def both_costs(
        self, order: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t, way: cython.int
    ) -> cython.double:
        """Find the losses of both sides of every boundary; the loss of all rows that are split."""
        loss: cython.double = self.loss
        if way == APART:
            loss = self.link(False)
        if self.weighted or self.bounded:
            self.link(way == LEFT or way == NONE)
            self.peel(order, at, n, True, self.cost_left, self.middle_left)
            self.link(way == RIGHT or way == NONE)
            self.peel(order, at, n, False, self.cost_right, self.middle_right)
        elif way == NONE and n <= FEW:
            self.peel_few(order, at, n)
        else:
            self.peel_plain(order, at, n, way)
        return loss
