"""The best split of one node by one column, searched in the way that its kind asks for."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.libc.math import NAN
    from cython.cimports.xylogic.domain.machine_kernel import bits, doubles, ints, longs, small
    from cython.cimports.xylogic.grow.binned_kernel import Binned
    from cython.cimports.xylogic.grow.criterion_kernel import APART, LEFT, NONE, RIGHT
    from cython.cimports.xylogic.grow.levels_kernel import Levels
    from cython.cimports.xylogic.grow.others_kernel import Others
    from cython.cimports.xylogic.grow.sort_kernel import sort_keys
else:
    from math import nan as NAN

    from xylogic.domain.machine_kernel import bits, doubles, ints, longs, small
    from xylogic.grow.binned_kernel import Binned
    from xylogic.grow.criterion_kernel import APART, LEFT, NONE, RIGHT
    from xylogic.grow.levels_kernel import Levels
    from xylogic.grow.others_kernel import Others
    from xylogic.grow.sort_kernel import sort_keys

# How a column is kept; see grow/columns.py.
SORTED = 0
BINNED = 1
RANKED = 2
CATEGORY = 3

FEW_ROWS = 64
MOST_CODES = cython.declare(cython.int, 33554432)  # FEW_ROWS times as many are whole numbers
BRIEF = cython.declare(cython.int, 32)  # where few columns are looked at, nodes so small sort their rows themselves
EVERY = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
FACTOR = cython.declare(cython.ulonglong, 0x2545F4914F6CDD1D)


@cython.cclass
class ColumnSearch:
    """Searches columns for the rows that ``criterion`` has begun.

    Within a feature the lowest cut wins, and missing on the right.

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
        )
        self.n_rows = n_rows
        self.n_all = n_all
        self.n_features = columns.codes.shape[0]
        self.max_features = options.max_features or self.n_features
        self.sampled = self.max_features < self.n_features
        self.binned = Binned(criterion, columns.small, columns.small_codes, n_rows, self.sampled)
        self.others = Others(criterion, columns.short, columns.common, columns.other, columns.short_codes, n_rows)
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
    def binned_column(self, f: cython.int, bar: cython.double) -> cython.bint:
        """Search a column of few values."""
        if not self.binned.search(self.rows, self.slot[f], self.has_missing[f] != 0, self.apart, bar):
            return False
        self.gain = self.binned.gain
        self.way = self.binned.way
        self.below = self.code = self.binned.below
        self.above = self.binned.above
        self.cut = NAN
        return True

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def others_column(
        self, f: cython.int, at: cython.Py_ssize_t, n: cython.Py_ssize_t, bar: cython.double
    ) -> cython.bint:
        """Search a RANKED column of short codes; ``varied`` tells whether the rows differ."""
        found: cython.bint = self.others.search(self.rows, at, n, self.slot[f], bar)
        self.varied = self.others.varied
        if found:
            self.gain = self.others.gain
            self.below = self.others.below
            self.above = self.others.above
            self.code = self.others.code
            self.way = NONE
            self.cut = NAN
        return found

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def summed_column(
        self, f: cython.int, at: cython.Py_ssize_t, n: cython.Py_ssize_t, bar: cython.double
    ) -> cython.bint:
        """Search a RANKED column of numbers by sums over its codes, of which there are not many more than rows."""
        i: cython.Py_ssize_t
        code: cython.int
        above: cython.int = -1
        column: cython.Py_ssize_t = f * self.n_all
        if not self.levels.search(self.rows, at, n, self.codes, column, self.n_codes[f], False, self.apart, bar):
            return False
        self.gain = self.levels.gain
        self.way = self.levels.way
        self.code = self.levels.present[self.levels.best_left - 1]
        if self.levels.best_left < self.levels.n_present:
            above = self.levels.present[self.levels.best_left]
        self.cut = NAN
        self.above = -1
        for i in range(at, at + n):
            code = self.codes[column + self.rows[i]]
            if code == self.code:
                self.below = self.rows[i]
            elif code == above:
                self.above = self.rows[i]
        return True

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def category_column(
        self, f: cython.int, at: cython.Py_ssize_t, n: cython.Py_ssize_t, bar: cython.double
    ) -> cython.bint:
        """Search the sets of a column's categories."""
        i: cython.int
        level: cython.int
        n_levels: cython.int = self.n_codes[f]
        if not self.levels.search(self.rows, at, n, self.codes, f * self.n_all, n_levels, True, self.apart, bar):
            return False
        self.gain = self.levels.gain
        self.way = self.levels.way
        for i in range(n_levels + 1):
            self.chosen[i] = 2
        for i in range(self.levels.n_present):
            level = self.levels.present[i]
            self.chosen[level] = self.levels.chosen[level]
        return True
