"""The best split of one node: which feature, and where."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython

if cython.compiled:
    from cython.cimports.libc.math import INFINITY, NAN
    from cython.cimports.xylogic.grow.column_kernel import BINNED, CATEGORY, FEW_ROWS, RANKED, SORTED, ColumnSearch
    from cython.cimports.xylogic.grow.criterion_kernel import NONE
    from cython.cimports.xylogic.grow.others_kernel import MOST_ROWS
else:
    from math import inf as INFINITY
    from math import nan as NAN

    from xylogic.grow.column_kernel import BINNED, CATEGORY, FEW_ROWS, RANKED, SORTED, ColumnSearch
    from xylogic.grow.criterion_kernel import NONE
    from xylogic.grow.others_kernel import MOST_ROWS

TINY = cython.declare(cython.double, 1e-300)


@cython.cclass
class Splitter(ColumnSearch):
    """Ties: a split replaces the best one where it gains clearly more, or as much with a lower feature."""

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def two_sided(
        self,
        f: cython.int,
        at: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        last: cython.int,
        cut: cython.double,
        bar: cython.double,
    ) -> cython.bint:
        """Take the cut after code ``last`` if it gains more than ``bar``; no value is missing."""
        gain: cython.double
        self.criterion.beyond(self.rows, at, n, self.codes, f * self.n_all, last, self.criterion.side)
        self.criterion.sum_up(self.levels.total)
        gain = self.criterion.worth(self.criterion.side, 0, self.levels.total, 0)
        if gain <= bar:
            return False
        self.gain, self.cut, self.code, self.way = gain, cut, last, NONE
        self.below = self.above = -1
        return True

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def random_column(
        self, f: cython.int, at: cython.Py_ssize_t, n: cython.Py_ssize_t, bar: cython.double
    ) -> cython.bint:
        """Try one random cut between the node's ends (Geurts et al. 2006), or one random set of categories."""
        apart: cython.bint
        absent: cython.bint = False
        i: cython.Py_ssize_t
        code: cython.int
        column: cython.Py_ssize_t = f * self.n_all
        missing: cython.int = self.n_codes[f]
        low: cython.int = missing
        high: cython.int = -1
        middle: cython.int
        guess: cython.bint
        least: cython.double
        most: cython.double
        cut: cython.double = NAN
        first: cython.p_double = self.values
        base: cython.longlong = self.value_at[f]
        categories: cython.bint = self.kind[f] == CATEGORY
        for i in range(at, at + n):
            code = self.codes[column + self.rows[i]]
            if code < missing:
                low = min(low, code)
                high = max(high, code)
            else:
                absent = True
        self.varied = low < high or (absent and high >= 0)
        if not self.varied:
            return False
        if categories:
            for code in range(missing):
                self.half[code] = cython.cast(cython.int, self.draw() & 1)
            self.half[high] = 1 if low < high else 0
            self.half[low] = 0
        elif low < high:
            cut = first[base + low] + self.uniform() * (first[base + high] - first[base + low])
            if not (first[base + low] <= cut and cut < first[base + high]):
                cut = first[base + low]
            middle = high
            least = first[base + low]
            most = first[base + high]
            guess = True
            while middle - low > 1:  # the values at low and below are at most the cut, those at middle above it
                code = (low + middle) // 2
                if guess and most - least < INFINITY:  # by interpolation, and by halves in turn
                    code = low + cython.cast(cython.int, (middle - low) * ((cut - least) / (most - least)))
                    code = min(max(code, low + 1), middle - 1)
                guess = not guess
                if first[base + code] <= cut:
                    low = code
                    least = first[base + code]
                else:
                    middle = code
                    most = first[base + code]
        if not categories and not absent and self.criterion.additive:
            return self.two_sided(f, at, n, low, cut, bar)
        for i in range(at, at + n):
            code = self.codes[column + self.rows[i]]
            self.halves[self.rows[i]] = (
                2 if code == missing else self.half[code] if categories else 0 if code <= low else 1
            )
        if not self.levels.search(self.rows, at, n, self.halves, 0, 2, False, self.apart, bar):
            return False
        self.gain = self.levels.gain
        self.way = self.levels.way
        apart = self.levels.best_left == self.levels.n_present  # missing rows from all others
        self.code = missing - 1 if apart else low
        self.below = self.above = -1
        self.cut = INFINITY if apart else cut
        if categories:
            for code in range(missing + 1):
                self.chosen[code] = 2
            for i in range(at, at + n):
                code = self.codes[column + self.rows[i]]
                if code < missing:
                    self.chosen[code] = apart or self.half[code] == 0
        return True

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def varies(self, f: cython.int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.bint:
        """Whether the node's rows differ in a feature."""
        i: cython.Py_ssize_t
        column: cython.Py_ssize_t = f * self.n_all
        code: cython.int = self.codes[column + self.rows[at]]
        for i in range(at + 1, at + n):
            if self.codes[column + self.rows[i]] != code:
                return True
        return False

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def by_others(self, f: cython.int, n: cython.Py_ssize_t) -> cython.bint:
        """Whether only the rows of a feature without its commonest value are sorted."""
        return (
            self.kind[f] == RANKED
            and self.slot[f] >= 0
            and n <= MOST_ROWS
            and self.criterion.cuts_others
            and not self.criterion.bounded
        )

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def column(self, f: cython.int, at: cython.Py_ssize_t, n: cython.Py_ssize_t, bar: cython.double) -> cython.bint:
        """Search one feature; whether it gains more than ``bar``."""
        self.criterion.sign = self.sign[f]
        self.criterion.feature = f
        if self.random:
            return self.random_column(f, at, n, bar)
        if self.by_others(f, n):
            return self.others_column(f, at, n, bar)
        if self.kind[f] == SORTED and n > self.brief:
            return self.sorted_column(f, self.order, self.slot[f] * self.n_rows + at, n, bar)
        if self.kind[f] == BINNED:
            return self.binned_column(f, bar)
        if self.kind[f] == CATEGORY:
            return self.category_column(f, at, n, bar)
        if self.criterion.additive and n > FEW_ROWS and 2 * n >= self.n_codes[f] * self.criterion.width:
            return self.summed_column(f, at, n, bar)
        self.sort_rows(f, at, n)
        return self.sorted_column(f, self.scratch, 0, n, bar)

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def seek(self, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.bint:
        """The best split of ``rows[at:at + n]``, which criterion and ``binned`` have begun; whether there is one.

        Where features are sampled, they are drawn until ``max_features`` were tried and one of them varies.
        """
        i: cython.int
        k: cython.int
        f: cython.int
        found: cython.bint = False
        some: cython.bint = False
        told: cython.bint  # by the search, whether the feature varies
        better: cython.bint
        tie: cython.double = 1e-12 * self.criterion.loss
        bar: cython.double = tie if self.refuse_zero else -tie - TINY
        self.others.turn()
        for i in range(self.n_features):
            f = i
            if self.sampled:
                k = i + cython.cast(cython.int, self.draw() % cython.cast(cython.ulonglong, self.n_features - i))
                f = self.drawn[k]
                self.drawn[k] = self.drawn[i]
                self.drawn[i] = f
                if i >= self.max_features and some:
                    break
            told = self.random or self.by_others(f, n)
            if self.sampled and not told:
                some = some or self.varies(f, at, n)
            better = self.column(f, at, n, bar)
            some = some or (told and self.varied)
            if better:
                self.feature = f
                bar = self.gain + tie
                found = True
                if self.criterion.capped and bar >= self.criterion.loss:  # both sides are pure: nothing gains more
                    break
        return found
