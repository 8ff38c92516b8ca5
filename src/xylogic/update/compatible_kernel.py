"""CART-BCTX: a criterion whose gains add those in compatibility with an old tree's explanations to another's in loss.

"Backward Compatibility in Tree-Based Explanations and Enhanced CART Algorithm", Algorithms 2 and 3. A feature is swept
as in CART, for more than the best total gain less the most that any of its cuts gains in compatibility; only where
there is such a cut are its candidates gone through one by one.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import bit, doubles, ints
    from cython.cimports.xylogic.grow.criterion_kernel import NONE
    from cython.cimports.xylogic.grow.frontier_kernel import ABOVE, BELOW, FEATURE, LEFT_CHILD, N_INTS
    from cython.cimports.xylogic.update.candidates_kernel import Candidates
else:
    from xylogic.domain.machine_kernel import bit, doubles, ints
    from xylogic.grow.criterion_kernel import NONE
    from xylogic.grow.frontier_kernel import ABOVE, BELOW, FEATURE, LEFT_CHILD, N_INTS
    from xylogic.update.candidates_kernel import Candidates

EQUAL = cython.declare(cython.double, 1e-12)  # total gains closer than this are equal, and below it 0


@cython.cclass
class Compatible(Candidates):
    """``loss`` is the criterion of the loss, Squares or Classes, and decides all but splits.

    A node's gain is that of ``loss`` and ``rate`` times that of ``drift``. ``total_weight`` is that of all rows;
    ``columns``, without missing values and categories: see grow/columns.py; ``cuts`` measures theirs.
    """

    def __init__(
        self,
        loss: object,
        drift: object,
        rate: cython.double,
        total_weight: cython.double,
        columns: object,
        cuts: object,
        weights: object,
    ) -> None:
        Candidates.__init__(self, loss, columns, weights)
        self.drift = drift
        self.rate = rate
        self.total_weight = total_weight
        self.capped = False
        self.cuts_few = loss.cuts_few
        self.cutter = cuts
        self.keep["order"] = np.empty(self.n_all + 1, np.int32)
        self.keep["start"] = np.zeros(columns.most_levels + 2, np.int32)
        self.keep["cuts"], self.keep["drifts"] = np.empty((2, self.n_all + 1))
        self.n_codes = ints(columns.n_codes)
        self.order = ints(self.keep["order"])
        self.start = ints(self.keep["start"])
        self.cut_at = doubles(self.keep["cuts"])
        self.drifts = doubles(self.keep["drifts"])
        self.at = self.n = 0
        self.ready = False
        self.best = self.least = self.factor = self.most = 0.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def enter(self, nodes: cython.p_int, node: cython.int, parent: cython.int) -> cython.void:
        at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, parent) * N_INTS
        f: cython.int
        if parent < 0:
            self.drift.enter(node, parent, 0, False, 0.0)
            return
        f = nodes[at + FEATURE]
        self.drift.enter(
            node,
            parent,
            f,
            nodes[at + LEFT_CHILD] == node,
            self.cutter.between(f, nodes[at + BELOW], nodes[at + ABOVE]),
        )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def begin(self, rows: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        f: cython.int
        self.inner.begin(rows, at, n)
        self.n_rows = n
        self.weight = self.inner.weight
        self.loss = self.inner.loss
        self.unit = self.inner.unit
        self.pure = self.inner.pure
        self.single_class = self.pure
        self.rows = rows
        self.at = at
        self.n = n
        self.ready = False
        self.best = 0.0
        self.least = EQUAL * self.total_weight / self.unit
        self.factor = self.rate / self.unit
        if self.pure:  # it may still be split for the sake of explanations alone
            self.prepare()
            for f in range(self.drift.n_features):
                if self.drift.most[f] * self.factor > self.least:
                    self.pure = False
                    break

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def prepare(self) -> cython.void:
        """Once in a node that may be split."""
        if not self.ready:
            self.drift.turn(self.rows, self.at, self.n)
            self.ready = True

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def hopeless(self, bar: cython.double) -> cython.bint:
        """Whether the feature cannot gain more than ``bar``; ``most`` is set to its most in compatibility.

        ``steady`` tells whether all of its cuts gain that.
        """
        self.prepare()
        self.most = self.drift.most[self.feature] * self.factor
        self.steady = self.drift.steady[self.feature]
        return self.loss + self.most <= bar

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
        bar = max(bar, self.best + self.least)
        if self.hopeless(bar):
            return 0
        if not self.steady or self.single_class:
            return self.trace(order, at, n, bar)
        self.inner.loose = self.loose
        p = self.inner.sweep(order, at, n, codes, column, way, bar - self.most)
        if p > 0:
            self.gain = self.inner.gain + self.most
            if codes[column + order[at + p]] != codes[column + order[at + p - 1]]:
                self.best = self.gain
        return p

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def trace(
        self, order: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t, bar: cython.double
    ) -> cython.Py_ssize_t:
        """``sweep``, by listing the candidates that gain enough in loss and then looking at these. O(n)."""
        f: cython.int = self.feature
        column: cython.Py_ssize_t = f * self.n_all
        c: cython.Py_ssize_t
        first: cython.Py_ssize_t = 0
        best: cython.Py_ssize_t = 0
        n_listed: cython.Py_ssize_t
        drifts: cython.p_double = self.drifts
        gain: cython.double
        if not self.single_class:
            self.inner.loose = False
            first = self.inner.sweep(order, at, n, self.codes, column, NONE, bar - self.most)
            if first == 0:
                return 0
            self.places[0] = cython.cast(cython.int, first)
            # What gains most in loss mostly gains most of all: its total gain leaves few others to look at.
            self.drift_of(order, at, 1)
            bar = max(bar, self.inner.gain + self.factor * drifts[0] - self.least)
        if self.squares is not None and not self.single_class:
            n_listed = self.list_squares(order, at, n, bar - self.most)
        else:
            n_listed = self.list_classes(order, at, n, bar - self.most)
        if n_listed > 1 or self.places[0] != first:
            self.drift_of(order, at, n_listed)
        for c in range(n_listed):
            gain = self.listed[c] + self.factor * drifts[c]
            if gain > bar:
                self.gain = self.best = gain
                bar = gain + self.least
                best = self.places[c]
        return best

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def drift_of(self, order: cython.p_int, at: cython.Py_ssize_t, n_listed: cython.Py_ssize_t) -> cython.void:
        """What the listed boundaries gain in compatibility, in ``drifts``."""
        f: cython.int = self.feature
        c: cython.Py_ssize_t
        p: cython.Py_ssize_t
        cuts: cython.p_double = self.cut_at
        if self.steady:
            for c in range(n_listed):
                self.drifts[c] = self.most / self.factor
            return
        for c in range(n_listed):
            p = at + self.places[c]
            cuts[c] = self.cutter.between_rows(f, order[p - 1], order[p])
        self.drift.trace(f, order, at, self.places, cuts, n_listed, self.drifts)

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
        self.inner.collect(rows, at, n, codes, column, table)

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
        self.inner.tally(rows, at, n, codes, n_columns, begin, end, first, table)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sum_up(self, side: cython.p_double) -> cython.void:
        self.inner.sum_up(side)

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
        n_left: cython.int
        last: cython.int
        bar = max(bar, self.best + self.least)
        if self.hopeless(bar):
            return 0
        if not self.single_class and (self.steady or self.most < bar):
            n_left = self.inner.cuts(table, at, present, n_present, missing, total, way, bar - self.most)
            if n_left > 0 and self.steady:
                self.gain = self.best = self.inner.gain + self.most
            if n_left == 0 or self.steady:
                return n_left
        last = self.trace_codes(bar)
        if last < 0:
            return 0
        n_left = 1
        while present[n_left - 1] < last:
            n_left += 1
        return n_left

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
        bar = max(bar, self.best + self.least)
        if self.hopeless(bar):
            return -1
        if not self.single_class and (self.steady or self.most < bar):
            level = self.inner.cut_few(rows, at, n, codes, n_columns, column, bar - self.most)
            self.levels = self.inner.levels
            if level >= 0 and self.steady:
                self.gain = self.best = self.inner.gain + self.most
            if level < 0 or self.steady:
                return level
        else:
            self.levels = 0
            for i in range(at, at + n):
                row = rows[i]
                self.levels |= bit(codes[row * n_columns + column])
        return self.trace_codes(bar)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sweep_groups(
        self, order: cython.p_int, ends: cython.p_int, n_groups: cython.int, way: cython.int, bar: cython.double
    ) -> cython.int:
        n_left: cython.int
        p: cython.Py_ssize_t
        bar = max(bar, self.best + self.least)
        if self.hopeless(bar):
            return 0
        if self.steady and not self.single_class:
            n_left = self.inner.sweep_groups(order, ends, n_groups, way, bar - self.most)
            if n_left > 0:
                self.gain = self.best = self.inner.gain + self.most
            return n_left
        p = self.trace(order, 0, self.n, bar)
        if p == 0:
            return 0
        n_left = 1
        while ends[n_left - 1] < p:
            n_left += 1
        return n_left

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def trace_codes(self, bar: cython.double) -> cython.int:
        """``trace`` over the node's rows, put in the order of their codes first: the code below the cut, or -1."""
        i: cython.Py_ssize_t
        k: cython.int
        row: cython.int
        column: cython.Py_ssize_t = self.feature * self.n_all
        end: cython.int = 0
        p: cython.Py_ssize_t
        start: cython.p_int = self.start
        codes: cython.p_int = self.codes
        rows: cython.p_int = self.rows
        for k in range(self.n_codes[self.feature]):
            start[k] = 0
        for i in range(self.at, self.at + self.n):
            start[codes[column + rows[i]]] += 1
        for k in range(self.n_codes[self.feature]):
            row = start[k]
            start[k] = end
            end += row
        for i in range(self.at, self.at + self.n):
            row = rows[i]
            k = codes[column + row]
            self.order[start[k]] = row
            start[k] += 1
        p = self.trace(self.order, 0, self.n, bar)
        if p == 0:
            return -1
        k = codes[column + self.order[p - 1]]
        return cython.cast(cython.int, k)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def worth(
        self, left: cython.p_double, at: cython.Py_ssize_t, total: cython.p_double, of: cython.Py_ssize_t
    ) -> cython.double:
        return self.inner.worth(left, at, total, of)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def constant(self, out: cython.p_double, at: cython.Py_ssize_t) -> cython.void:
        self.inner.constant(out, at)
