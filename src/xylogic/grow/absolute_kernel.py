"""Absolute error: the distance to the median."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython

if cython.compiled:
    from cython.cimports.libc.math import fabs
    from cython.cimports.xylogic.grow.criterion_kernel import APART, LEFT, NONE, RIGHT
    from cython.cimports.xylogic.grow.linked_kernel import Linked
    from cython.cimports.xylogic.grow.medians_kernel import Medians
else:
    from math import fabs

    from xylogic.grow.criterion_kernel import APART, LEFT, NONE, RIGHT
    from xylogic.grow.linked_kernel import Linked
    from xylogic.grow.medians_kernel import Medians


@cython.cclass
class Absolute(Linked):
    """Sweeps over sorted rows, and over groups of them: those of few groups by sums over buckets of the targets."""

    def __init__(
        self,
        target: cython.double[::1],
        ranks: cython.int[::1],
        weights: object,
        min_rows: cython.Py_ssize_t,
        min_weight: cython.double,
    ) -> None:
        Linked.__init__(self, target, ranks, weights, min_rows, min_weight)
        self.medians = Medians(target.shape[0])

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
        best: cython.Py_ssize_t = 0
        n_left: cython.Py_ssize_t = self.held_rows if way == LEFT else 0
        n_total: cython.Py_ssize_t = n + (self.held_rows if way == LEFT or way == RIGHT else 0)
        left: cython.double = self.held_weight if way == LEFT else 0.0
        weight: cython.double = self.weight - (self.held_weight if way == APART else 0.0)
        loss: cython.double = self.both_costs(order, at, n, way)
        gain: cython.double
        for p in range(1, n + 1 if way == RIGHT else n):
            if self.weighted:
                left += self.w[order[at + p - 1]]
            else:
                left += 1.0
            gain = loss - self.cost_left[p] - self.cost_right[p]
            if gain > bar and self.roomy(n_left + p, left, n_total - n_left - p, weight - left):
                if not self.loose and codes[column + order[at + p]] == codes[column + order[at + p - 1]]:
                    continue
                if self.bounded and not self.ranked(self.middle_left[p], self.middle_right[p]):
                    continue
                self.gain = gain
                bar = gain + 1e-12 * self.loss
                best = p
        return best

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def bucket_costs(
        self, order: cython.p_int, ends: cython.p_int, n_groups: cython.int, way: cython.int
    ) -> cython.double:
        """``both_costs`` at the ends of groups alone. Those set aside join the first group or come after the last."""
        group: cython.int
        p: cython.Py_ssize_t = 0
        value: cython.p_double = self.value
        group_at: cython.p_int = self.medians.group_at
        if way != NONE:
            for p in range(1, self.n_rows + 1):
                group_at[p] = 0 if way == LEFT else n_groups
            p = 0
        for group in range(n_groups):
            for p in range(p, ends[group]):
                group_at[self.place_of[order[p]]] = group
            p = ends[group]
        self.medians.summed(value, self.n_rows, n_groups)
        for group in range(n_groups):
            self.medians.move(group)
            self.cost_left[ends[group]] = self.medians.loss(value, self.n_rows, group, False)
            self.cost_right[ends[group]] = self.medians.loss(value, self.n_rows, group, True)
        return self.loss

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sweep_groups(
        self, order: cython.p_int, ends: cython.p_int, n_groups: cython.int, way: cython.int, bar: cython.double
    ) -> cython.int:
        group: cython.int
        p: cython.int = 0
        n: cython.Py_ssize_t = ends[n_groups - 1]
        best: cython.int = 0
        n_left: cython.Py_ssize_t = self.held_rows if way == LEFT else 0
        n_total: cython.Py_ssize_t = n + (self.held_rows if way == LEFT or way == RIGHT else 0)
        left: cython.double = self.held_weight if way == LEFT else 0.0
        weight: cython.double = self.weight - (self.held_weight if way == APART else 0.0)
        loss: cython.double
        gain: cython.double
        if way != APART and not self.weighted and not self.bounded and self.medians.pays(self.n_rows, n_groups):
            loss = self.bucket_costs(order, ends, n_groups, way)
        else:
            loss = self.both_costs(order, 0, n, way)
        for group in range(n_groups if way == RIGHT else n_groups - 1):
            left += self.weigh(order, p, ends[group] - p)
            p = ends[group]
            gain = loss - self.cost_left[p] - self.cost_right[p]
            if gain > bar and self.roomy(n_left + p, left, n_total - n_left - p, weight - left):
                if self.bounded and not self.ranked(self.middle_left[p], self.middle_right[p]):
                    continue
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
        """In place of its sum, a side's median."""
        i: cython.Py_ssize_t
        row: cython.int
        cell: cython.Py_ssize_t
        before: cython.double
        rest: cython.double
        for i in range(at, at + n):
            row = rows[i]
            cell = 3 * cython.cast(cython.Py_ssize_t, codes[column + row])
            table[cell] += 1.0
            table[cell + 1] += self.w[row] if self.weighted else 1.0
        for i in range(1, n + 1):  # by target; the weight becomes what lies above less what lies below
            row = self.row_at[i]
            cell = 3 * cython.cast(cython.Py_ssize_t, codes[column + row])
            before = table[cell + 1]
            rest = before - 2.0 * (self.w[row] if self.weighted else 1.0)
            table[cell + 1] = rest
            if before > 0.0 and rest <= 0.0:
                table[cell + 2] = self.value[i]
            elif before == 0.0:
                table[cell + 2] = table[cell + 2] / 2.0 + self.value[i] / 2.0
        for i in range(at, at + n):
            row = rows[i]
            cell = 3 * cython.cast(cython.Py_ssize_t, codes[column + row])
            table[cell + 1] = fabs(table[cell + 1])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def share(self, level: cython.p_double, at: cython.Py_ssize_t) -> cython.double:
        return level[at + 2]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def constant(self, out: cython.p_double, at: cython.Py_ssize_t) -> cython.void:
        out[at] = self.mean
