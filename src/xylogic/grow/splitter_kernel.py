"""The best split of one node: which feature, and where."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.libc.math import INFINITY, NAN
    from cython.cimports.xylogic.domain.machine_kernel import bits, doubles, ints, longs, small
    from cython.cimports.xylogic.grow.criterion_kernel import APART, LEFT, NONE, RIGHT
    from cython.cimports.xylogic.grow.levels_kernel import Levels
    from cython.cimports.xylogic.grow.sort_kernel import sort_keys
else:
    from math import inf as INFINITY
    from math import nan as NAN

    from xylogic.domain.machine_kernel import bits, doubles, ints, longs, small
    from xylogic.grow.criterion_kernel import APART, LEFT, NONE, RIGHT
    from xylogic.grow.levels_kernel import Levels
    from xylogic.grow.sort_kernel import sort_keys

# How a column is kept; see grow/columns.py.
SORTED = 0
BINNED = 1
RANKED = 2
CATEGORY = 3

FEW_ROWS = cython.declare(cython.int, 64)
MOST_CODES = cython.declare(cython.int, 33554432)  # FEW_ROWS times as many are whole numbers
BRIEF = cython.declare(cython.int, 32)  # where few columns are looked at, nodes so small sort their rows themselves
EVERY = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
FACTOR = cython.declare(cython.ulonglong, 0x2545F4914F6CDD1D)
TINY = cython.declare(cython.double, 1e-300)


@cython.cclass
class Splitter:
    """Finds splits of the rows that ``criterion`` has begun.

    Ties: a split replaces the best one where it gains clearly more, or as much with a lower feature; within a feature
    the lowest cut wins, and missing on the right.

    ``columns``: see grow/columns.py; ``rows``, int32 ascending, are those that take part; ``order`` has a row of them
    for every SORTED column. ``options``: see grow/grower.py.
    """

    def __init__(
        self,
        columns: object,
        criterion: object,
        rows: cython.int[::1],
        order: cython.int[::1],
        options: object,
        seed: cython.ulonglong,
    ) -> None:
        n_rows: cython.Py_ssize_t = rows.shape[0]
        n_all: cython.Py_ssize_t = columns.codes.shape[1]
        most: cython.Py_ssize_t = columns.most_levels
        self.criterion = criterion
        self.levels = Levels(
            criterion,
            most,
            n_all,
            options.n_orders,
            options.most_subsets,
            options.missing == "level",
            options.ordered_best,
            columns.small.reshape(-1),
        )
        self.n_rows = n_rows
        self.n_all = n_all
        self.n_features = columns.codes.shape[0]
        self.max_features = options.max_features or self.n_features
        self.sampled = self.max_features < self.n_features
        self.random = columns.mode == "random"
        self.apart = options.missing == "surrogate"
        self.brief = BRIEF if self.sampled and not self.apart else 0
        self.refuse_zero = not options.zero_gain
        self.state = seed
        self.arrays = {
            "columns": columns,
            "rows": np.asarray(rows),
            "order": np.asarray(order),
            "codes": columns.codes.reshape(-1),
            "sign": options.sign,
            "drawn": np.arange(self.n_features, dtype=np.int32),
            "scratch": np.empty(n_rows + 2, np.int32),
            "keys": np.empty(n_rows + 2, np.uint64),
            "spare": np.empty(n_rows + 2, np.uint64),
            "chosen": np.zeros(most + 2, np.uint8),
            "held": np.zeros(FEW_ROWS, np.int32),
            "half": np.zeros(most + 2, np.int32),
            "halves": np.empty(n_all + 1 if columns.mode == "random" else 1, np.int32),
        }
        self.rows = ints(rows)
        self.order = ints(self.arrays["order"])
        self.codes = ints(self.arrays["codes"])
        self.n_codes = ints(columns.n_codes)
        self.kind = ints(columns.kind)
        self.slot = ints(columns.slot)
        self.has_missing = ints(columns.has_missing)
        self.value_at = longs(columns.value_at)
        self.values = doubles(columns.values)
        self.sign = ints(self.arrays["sign"])
        self.drawn = ints(self.arrays["drawn"])
        self.scratch = ints(self.arrays["scratch"])
        self.keys = bits(self.arrays["keys"])
        self.spare = bits(self.arrays["spare"])
        self.chosen = small(self.arrays["chosen"])
        self.held = ints(self.arrays["held"])
        self.half = ints(self.arrays["half"])
        self.halves = ints(self.arrays["halves"])
        self.gain = self.cut = 0.0
        self.feature = self.code = self.below = self.above = -1
        self.way = 0
        self.varied = False  # whether the column searched last differs among the rows

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def draw(self) -> cython.ulonglong:
        """The next number of a xorshift generator (Vigna 2016, xorshift64*)."""
        x: cython.ulonglong = self.state
        x ^= x >> 12
        x ^= (x << 25) & EVERY
        x ^= x >> 27
        self.state = x
        return ((x * FACTOR) & EVERY) >> 11

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def uniform(self) -> cython.double:
        """A random number in [0, 1)."""
        return self.draw() * (1.0 / 9007199254740992.0)

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def sorted_column(
        self, f: cython.int, order: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t, bar: cython.double
    ) -> cython.bint:
        """Search the rows ``order[at:at + n]``, which are sorted by their codes."""
        column: cython.Py_ssize_t = f * self.n_all
        known: cython.Py_ssize_t = n
        low: cython.Py_ssize_t = 0
        middle: cython.Py_ssize_t
        p: cython.Py_ssize_t
        way: cython.int = NONE
        fraction: cython.double = 1.0  # of the weight, where missing rows stay apart
        found: cython.bint = False
        # Codes are scattered: with few equal ones it is faster not to look at them for every boundary.
        loose: cython.bint = (
            2 * self.n_codes[f] > self.n_all and not self.criterion.bounded and self.criterion.min_weight <= 0.0
        )
        if self.has_missing[f]:
            while low < known:
                middle = (low + known) // 2
                if self.codes[column + order[at + middle]] == self.n_codes[f]:
                    known = middle
                else:
                    low = middle + 1
        if known == 0:
            return False
        if known < n:
            self.criterion.hold(order, at + known, n - known)
            way = APART if self.apart else RIGHT
            if self.apart:
                fraction = 1.0 - self.criterion.held_weight / self.criterion.weight
        if not loose and way != RIGHT and self.codes[column + order[at]] == self.codes[column + order[at + known - 1]]:
            return False
        while True:
            self.criterion.loose = loose
            p = self.criterion.sweep(order, at, known, self.codes, column, way, bar / fraction)
            if (
                loose
                and 0 < p
                and p < known
                and self.codes[column + order[at + p]] == self.codes[column + order[at + p - 1]]
            ):
                self.criterion.loose = False
                p = self.criterion.sweep(order, at, known, self.codes, column, way, bar / fraction)
            if p > 0:
                self.gain = self.criterion.gain * fraction
                self.cut = NAN
                bar = self.gain + 1e-12 * self.criterion.loss
                self.below = order[at + p - 1]
                self.above = order[at + p] if p < known else -1
                self.code = self.codes[column + self.below]
                if self.kind[f] == BINNED:
                    self.below = self.code
                    self.above = self.codes[column + self.above] if p < known else -1
                self.way = way
                found = True
            if way != RIGHT:
                return found
            way = LEFT

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def sort_rows(self, f: cython.int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        """Fill ``scratch`` with the node's rows by their codes."""
        i: cython.Py_ssize_t
        row: cython.int
        column: cython.Py_ssize_t = f * self.n_all
        n_bits: cython.int = 1
        j: cython.Py_ssize_t
        key: cython.int
        place: cython.int
        held: cython.p_int = self.held
        if n <= FEW_ROWS and self.n_codes[f] < MOST_CODES:  # each goes to the place that as many smaller ones leave it
            for i in range(n):
                held[i] = self.codes[column + self.rows[at + i]] * FEW_ROWS + cython.cast(cython.int, i)
            for i in range(n):
                key = held[i]
                place = 0
                for j in range(n):
                    place += held[j] < key
                self.scratch[place] = self.rows[at + i]
            return
        while n_bits < 31 and (self.n_codes[f] >> n_bits) > 0:
            n_bits += 1
        for i in range(n):
            row = self.rows[at + i]
            self.keys[i] = (cython.cast(cython.ulonglong, self.codes[column + row]) << 32) | cython.cast(
                cython.ulonglong, row
            )
        sort_keys(self.keys, self.spare, n, n_bits)
        for i in range(n):
            self.scratch[i] = cython.cast(cython.int, self.keys[i] & 0x7FFFFFFF)

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def level_column(
        self, f: cython.int, at: cython.Py_ssize_t, n: cython.Py_ssize_t, bar: cython.double
    ) -> cython.bint:
        """Search by sums over levels."""
        i: cython.int
        left: cython.int
        level: cython.int
        n_levels: cython.int = self.n_codes[f]
        categories: cython.bint = self.kind[f] == CATEGORY
        self.levels.small_at = -1 if categories else self.slot[f] * self.n_all
        if not self.levels.search(self.rows, at, n, self.codes, f * self.n_all, n_levels, categories, self.apart, bar):
            return False
        self.gain = self.levels.gain
        self.way = self.levels.way
        if categories:
            for i in range(n_levels + 1):
                self.chosen[i] = 2
            for i in range(self.levels.n_present):
                level = self.levels.present[i]
                self.chosen[level] = self.levels.chosen[level]
        else:
            left = self.levels.best_left
            self.below = self.levels.present[left - 1]
            self.above = self.levels.present[left] if left < self.levels.n_present else -1
            self.code = self.below
            self.cut = NAN
        return True

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
        self.levels.small_at = -1
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
    def column(self, f: cython.int, at: cython.Py_ssize_t, n: cython.Py_ssize_t, bar: cython.double) -> cython.bint:
        """Search one feature; whether it gains more than ``bar``."""
        self.criterion.sign = self.sign[f]
        self.criterion.feature = f
        if self.random:
            return self.random_column(f, at, n, bar)
        if self.kind[f] == SORTED and n > self.brief:
            return self.sorted_column(f, self.order, self.slot[f] * self.n_rows + at, n, bar)
        if self.kind[f] == CATEGORY or (
            self.kind[f] == BINNED and self.criterion.additive and 2 * n >= self.n_codes[f] * self.criterion.width
        ):
            return self.level_column(f, at, n, bar)
        self.sort_rows(f, at, n)
        return self.sorted_column(f, self.scratch, 0, n, bar)

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def seek(self, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.bint:
        """The best split of ``rows[at:at + n]``, which the criterion has begun; whether there is one.

        Where features are sampled, they are drawn until ``max_features`` were tried and one of them varies.
        """
        i: cython.int
        k: cython.int
        f: cython.int
        found: cython.bint = False
        some: cython.bint = False
        better: cython.bint
        tie: cython.double = 1e-12 * self.criterion.loss
        bar: cython.double = tie if self.refuse_zero else -tie - TINY
        for i in range(self.n_features):
            f = i
            if self.sampled:
                k = i + cython.cast(cython.int, self.draw() % cython.cast(cython.ulonglong, self.n_features - i))
                f = self.drawn[k]
                self.drawn[k] = self.drawn[i]
                self.drawn[i] = f
                if i >= self.max_features and some:
                    break
                some = some or (not self.random and self.varies(f, at, n))
            better = self.column(f, at, n, bar)
            some = some or (self.random and self.varied)
            if better:
                self.feature = f
                bar = self.gain + tie
                found = True
                if self.criterion.capped and bar >= self.criterion.loss:  # both sides are pure: nothing gains more
                    break
        return found
