"""Cuts of columns with few values: rows are summed up by level, or put in groups of equal levels.

The codes of a row stand side by side in bytes. A node with many rows sums up all columns in one pass over them; one
with few looks at the levels it has and at no others. Where the sums do not depend on the node, a split's larger child
has its parent's less those of the smaller one.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import bit, bits, doubles, ints, lowest_bit, small
    from cython.cimports.xylogic.grow.criterion_kernel import APART, LEFT, NONE, RIGHT
    from cython.cimports.xylogic.grow.tables_kernel import Tables
else:
    from xylogic.domain.machine_kernel import bit, bits, doubles, ints, lowest_bit, small
    from xylogic.grow.criterion_kernel import APART, LEFT, NONE, RIGHT
    from xylogic.grow.tables_kernel import Tables

CACHED = cython.declare(cython.int, 2048)  # numbers of the tables filled in one pass
FEW = cython.declare(cython.int, 64)
MOST_TABLES = cython.declare(cython.int, 64)
BLOCK = cython.declare(cython.int, 512)  # rows copied at a time


def side_by_side(codes: cython.int[:, ::1], columns: cython.int[::1], small: cython.uchar[:, ::1]) -> None:
    """Copy rows of ``codes``, those of ``columns``, to the columns of ``small``, block by block."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    n: cython.Py_ssize_t = small.shape[0]
    for begin in range(0, n, BLOCK):
        for j in range(columns.shape[0]):
            for i in range(begin, min(begin + BLOCK, n)):
                small[i, j] = cython.cast(cython.uchar, codes[columns[j], i])


@cython.cclass
class Binned:
    """Finds the best cut of one column for the node that ``criterion`` has begun and ``turn`` was called for.

    ``codes``, uint8 (n, n_columns): level ``n_levels[j]``, which do not fall with j, stands for missing. ``single``:
    few columns of a node will be asked for.
    The answer: its ``gain``, the way of missing rows, the levels ``below`` and ``above`` (-1: missing ones alone).
    """

    def __init__(
        self, criterion: object, codes: object, n_levels: object, n_rows: cython.int, single: cython.bint
    ) -> None:
        n_columns: cython.int = codes.shape[1]
        self.criterion = criterion
        self.stride = 2 + criterion.width
        self.n_columns = n_columns
        self.single = single
        few, cells = np.zeros((2, len(n_levels) + 1), np.int32)
        few[:-1] = n_levels
        most = int(few[-2]) + 2 if len(n_levels) else 2
        (few[:-1] + 1).cumsum(out=cells[1:])
        cells *= self.stride
        size: cython.Py_ssize_t = int(cells[-1]) + 1
        # Together they are no larger than the codes.
        lent: cython.Py_ssize_t = 0 if single or not criterion.lasting else codes.size // (2 * size)
        self.tables = Tables(size, min(lent, MOST_TABLES))
        self.keep = {
            "codes": codes.reshape(-1),
            "n_levels": few,
            "first": cells,
            "total": np.zeros(self.stride),
            "near": np.zeros(n_rows + 1, np.uint8),
            "order": np.zeros(n_rows + 1, np.int32),
            "present": np.zeros(most, np.int32),
            "end": np.zeros(most, np.int32),
            "ends": np.zeros(most, np.int32),
            "mask": np.zeros(4, np.uint64),
        }
        self.codes = small(self.keep["codes"])
        self.n_levels = ints(self.keep["n_levels"])
        self.first = ints(self.keep["first"])
        self.table = self.tables.at(0)
        self.total = doubles(self.keep["total"])
        self.near = small(self.keep["near"])
        self.order = ints(self.keep["order"])
        self.present = ints(self.keep["present"])
        self.end = ints(self.keep["end"])
        self.ends = ints(self.keep["ends"])
        self.mask = bits(self.keep["mask"])
        self.at = self.n = 0
        self.n_present = self.n_summed = 0
        self.held = self.held_left = self.held_right = 0
        self.way = self.below = self.above = 0
        self.gain = 0.0

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def turn(self, at: cython.Py_ssize_t, n: cython.Py_ssize_t, held: cython.int) -> cython.void:
        """Turn to the node of ``rows[at:at + n]``, whose table is number ``held``, 0 if it was not summed up."""
        self.at = at
        self.n = n
        self.held = held
        self.table = self.tables.at(held)
        self.n_summed = self.n_many() if held > 0 else 0

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def n_many(self) -> cython.int:
        """How many columns the node has ``many`` rows for; they are the first ones."""
        column: cython.int = 0
        while column < self.n_columns and self.many(column):
            column += 1
        return column

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def hand_on(
        self,
        rows: cython.p_int,
        held: cython.int,
        at: cython.Py_ssize_t,
        n_left: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        left_open: cython.bint,
        right_open: cython.bint,
    ) -> cython.void:
        """Turn a node's table into ``held_left`` and ``held_right``, those of its children, as far as that pays.

        The children have ``rows[at:at + n_left]`` and the rows up to ``at + n``; only the open ones need tables.
        """
        left_smaller: cython.bint = 2 * n_left <= n
        few: cython.Py_ssize_t = n_left if left_smaller else n - n_left
        few_open: cython.bint = left_open if left_smaller else right_open
        to_column: cython.int
        other: cython.int
        self.held_left = self.held_right = 0
        if held == 0:
            return
        self.n = n - few
        to_column = self.n_many()
        self.n = few
        few_open = few_open and self.n_many() > 0
        if not (right_open if left_smaller else left_open) or (
            4 * (n - few - (0 if few_open else few)) * to_column <= self.first[to_column]
        ):
            self.tables.give_back(held)
            return
        other = self.tables.borrow()
        self.at = at if left_smaller else at + n_left
        self.table = self.tables.at(other)
        self.fill(rows, 0, to_column)
        self.tables.subtract(held, other, self.first[to_column])
        if not few_open:
            self.tables.give_back(other)
            other = 0
        self.held_left = other if left_smaller else held
        self.held_right = held if left_smaller else other

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def many(self, column: cython.int) -> cython.bint:
        """Whether the node has so many rows that going through all levels of a column takes no longer."""
        if self.criterion.cuts_few and self.criterion.width == 1:
            return self.n >= 3 * self.n_levels[column]
        return 4 * self.n >= self.n_levels[column] * self.criterion.width

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def sum_up(self, rows: cython.p_int, column: cython.int) -> cython.void:
        """Fill the tables of all columns that have few levels for so many rows, or of this one alone."""
        if self.single:
            self.fill(rows, column, column + 1)
            return
        self.held = self.tables.borrow()
        self.table = self.tables.at(self.held)
        self.n_summed = self.n_many()
        self.fill(rows, 0, self.n_summed)

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def fill(self, rows: cython.p_int, from_column: cython.int, to_column: cython.int) -> cython.void:
        """Fill the tables of some columns."""
        i: cython.Py_ssize_t
        column: cython.int
        first: cython.p_int = self.first
        table: cython.p_double = self.table
        for i in range(first[from_column], first[to_column]):
            table[i] = 0.0
        while from_column < to_column:
            column = from_column + 1
            while column < to_column and first[column + 1] - first[from_column] <= CACHED:
                column += 1
            self.criterion.tally(rows, self.at, self.n, self.codes, self.n_columns, from_column, column, first, table)
            from_column = column

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def list_summed(self, column: cython.int) -> cython.bint:
        """List the present levels of a column that was summed up; whether values are missing."""
        level: cython.int
        n_present: cython.int = 0
        n_levels: cython.int = self.n_levels[column]
        cell: cython.Py_ssize_t = self.first[column]
        present: cython.p_int = self.present
        table: cython.p_double = self.table
        weighted: cython.bint = self.criterion.weighted
        for level in range(n_levels):
            present[n_present] = level
            n_present += table[cell + 1] > 0.0
            if not weighted:
                table[cell] = table[cell + 1]
            cell += self.stride
        if not weighted:
            table[cell] = table[cell + 1]
        self.n_present = n_present
        return table[cell] > 0.0

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def look(self, rows: cython.p_int, column: cython.int) -> cython.bint:
        """Copy the rows' codes of one column and list the levels among them; whether values are missing."""
        i: cython.Py_ssize_t
        code: cython.int
        word: cython.int
        n_present: cython.int = 0
        n_levels: cython.int = self.n_levels[column]
        left: cython.ulonglong
        mask: cython.p_ulonglong = self.mask
        near: cython.p_uchar = self.near
        codes: cython.p_uchar = self.codes
        n_columns: cython.Py_ssize_t = self.n_columns
        if n_levels < 64:
            left = 0
            for i in range(self.n):
                code = codes[rows[self.at + i] * n_columns + column]
                near[i] = code
                left |= bit(code)
            mask[0] = left
        else:
            mask[0] = mask[1] = mask[2] = mask[3] = 0
            for i in range(self.n):
                code = codes[rows[self.at + i] * n_columns + column]
                near[i] = code
                mask[code >> 6] |= bit(code & 63)
        for word in range((n_levels >> 6) + 1):
            left = mask[word]
            while left != 0:
                self.present[n_present] = 64 * word + lowest_bit(left)
                n_present += 1
                left &= left - 1
        self.n_present = n_present
        if self.present[n_present - 1] == n_levels:
            self.n_present -= 1
            return True
        return False

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def sum_few(self, rows: cython.p_int, column: cython.int, missing: cython.bint) -> cython.void:
        """Fill the table of a column at its present levels."""
        k: cython.int
        j: cython.int
        stride: cython.int = self.stride
        cell: cython.Py_ssize_t
        table: cython.p_double = self.table
        for k in range(self.n_present + missing):
            cell = self.first[column] + self.present[k] * stride
            for j in range(stride):
                table[cell + j] = 0.0
        self.criterion.tally(
            rows, self.at, self.n, self.codes, self.n_columns, column, column + 1, self.first, self.table
        )
        if not self.criterion.weighted:
            for k in range(self.n_present + missing):
                cell = self.first[column] + self.present[k] * stride
                table[cell] = table[cell + 1]

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def group(self, rows: cython.p_int, missing: cython.bint) -> cython.Py_ssize_t:
        """Put the rows in ``order`` by level; how many there are whose value is not missing, which come last."""
        i: cython.Py_ssize_t
        k: cython.int
        at: cython.int
        n_groups: cython.int = self.n_present + missing
        end: cython.p_int = self.end
        near: cython.p_uchar = self.near
        order: cython.p_int = self.order
        for k in range(n_groups):
            end[self.present[k]] = 0
        for i in range(self.n):
            end[near[i]] += 1
        at = 0
        for k in range(n_groups):
            i = end[self.present[k]]
            end[self.present[k]] = at
            at += i
            self.ends[k] = at
        for i in range(self.n):
            at = end[near[i]]
            end[near[i]] = at + 1
            order[at] = rows[self.at + i]
        return self.ends[self.n_present - 1]

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def search_few(self, rows: cython.p_int, column: cython.int, bar: cython.double) -> cython.bint:
        """``search`` of a column of at most FEW levels and no missing values, for few rows."""
        above: cython.ulonglong
        self.below = self.criterion.cut_few(rows, self.at, self.n, self.codes, self.n_columns, column, bar)
        if self.below < 0:
            return False
        above = self.criterion.levels >> (self.below + 1)
        self.above = self.below + 1 + lowest_bit(above)
        self.gain = self.criterion.gain
        self.way = NONE
        return True

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def search(
        self, rows: cython.p_int, column: cython.int, has_missing: cython.bint, apart: cython.bint, bar: cython.double
    ) -> cython.bint:
        """The best cut of a column; whether it gains more than ``bar``. O(n + levels * width)."""
        j: cython.int
        grouped: cython.bint
        missing: cython.bint
        known: cython.Py_ssize_t
        cell: cython.Py_ssize_t = self.first[column]
        n_levels: cython.int = self.n_levels[column]
        fraction: cython.double = 1.0  # of the weight, where missing rows stay apart
        way: cython.int
        n_left: cython.int
        found: cython.bint = False
        if not has_missing and self.criterion.cuts_few and not self.criterion.bounded and n_levels <= FEW:
            if not self.many(column) or (self.single and self.criterion.width == 1):
                return self.search_few(rows, column, bar)
        if self.criterion.additive and self.many(column):
            grouped = False
            if self.single or column >= self.n_summed:
                self.sum_up(rows, column)
            missing = self.list_summed(column)
        else:
            missing = self.look(rows, column)
            grouped = self.criterion.width > 1 or not self.criterion.additive
            if not grouped:
                self.sum_few(rows, column, missing)
        if self.n_present + (missing and not apart) < 2:
            return False
        way = NONE if not missing else APART if apart else RIGHT
        if grouped:
            known = self.group(rows, missing)
            if missing:
                self.criterion.hold(self.order, known, self.n - known)
                if apart:
                    fraction = 1.0 - self.criterion.held_weight / self.criterion.weight
        else:
            self.criterion.sum_up(self.total)
            if missing and apart:
                for j in range(self.stride):
                    self.total[j] -= self.table[cell + n_levels * self.stride + j]
                fraction = self.total[1] / self.criterion.weight
        while True:
            if grouped:
                n_left = self.criterion.sweep_groups(self.order, self.ends, self.n_present, way, bar / fraction)
            else:
                n_left = self.criterion.cuts(
                    self.table,
                    cell,
                    self.present,
                    self.n_present,
                    self.n_levels[column],
                    self.total,
                    way,
                    bar / fraction,
                )
            if n_left > 0:
                self.gain = self.criterion.gain * fraction
                bar = self.gain + 1e-12 * self.criterion.loss
                self.below = self.present[n_left - 1]
                self.above = self.present[n_left] if n_left < self.n_present else -1
                self.way = way
                found = True
            if way != RIGHT:
                return found
            way = LEFT
