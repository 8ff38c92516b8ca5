"""Cuts of columns sorted anew in each node: only the rows whose value is not the column's commonest one are sorted.

What the commonest value adds up to is what the others leave of the node's sums, which are exact.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import ints, shorts
    from cython.cimports.xylogic.grow.sort_kernel import sort_words
else:
    from xylogic.domain.machine_kernel import ints, shorts
    from xylogic.grow.sort_kernel import sort_words

MOST_ROWS = cython.declare(cython.Py_ssize_t, 65536)  # of a node: a code and a place share 32 bits


@cython.cfunc
def words(array: cython.uint[::1]) -> cython.p_uint:
    if cython.compiled:
        return cython.address(array[0])
    else:
        return array


def shorten(
    codes: cython.int[:, ::1], columns: cython.int[::1], short: cython.ushort[:, ::1], common: cython.int[::1]
) -> None:
    """Copy rows of ``codes``, those of ``columns``, to ``short``; ``common`` gets the code that most of each row have.

    Of equally common ones the lowest. The codes are below 65536. O(n) a column.
    """
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    n: cython.Py_ssize_t = short.shape[1]
    count: cython.int[::1] = np.zeros(65536, np.int32)
    code: cython.int
    best: cython.int
    for j in range(columns.shape[0]):
        best = 0
        for i in range(n):
            code = codes[columns[j], i]
            short[j, i] = cython.cast(cython.ushort, code)
            count[code] += 1
        for i in range(n):
            code = short[j, i]
            if count[code] > count[best] or (count[code] == count[best] and code < best):
                best = code
        common[j] = best
        for i in range(n):
            count[short[j, i]] = 0


@cython.cclass
class Others:
    """Finds the best cut of one column for the node that ``criterion``, which ``cuts_others``, has begun.

    ``short``, uint16 (n_columns, n_all), has the columns' codes, ``common`` (n_columns,) their commonest ones,
    ``n_codes`` (n_columns,) how many there are; no value is missing.
    The answer: its ``gain``, the rows ``below`` and ``above``, and the ``code`` below.
    """

    def __init__(
        self,
        criterion: object,
        short: cython.ushort[:, ::1],
        common: cython.int[::1],
        n_codes: cython.int[::1],
        n_rows: cython.Py_ssize_t,
    ) -> None:
        room = min(n_rows, MOST_ROWS) + 2
        self.criterion = criterion
        self.n_all = short.shape[1]
        self.keep = {
            "short": np.asarray(short).reshape(-1),
            "common": np.asarray(common),
            "n_codes": np.asarray(n_codes),
            "keys": np.empty(room, np.uint32),
            "spare": np.empty(room, np.uint32),
        }
        self.short = shorts(self.keep["short"])
        self.common = ints(self.keep["common"])
        self.n_codes = ints(self.keep["n_codes"])
        self.keys = words(self.keep["keys"])
        self.spare = words(self.keep["spare"])
        self.gain = 0.0
        self.below = self.above = self.code = -1
        self.varied = False

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def search(
        self, rows: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t, column: cython.int, bar: cython.double
    ) -> cython.bint:
        """The best cut of ``rows[at:at + n]``; whether it gains more than ``bar``. ``varied`` tells if they differ."""
        i: cython.Py_ssize_t
        m: cython.Py_ssize_t = 0
        n_lower: cython.Py_ssize_t = 0
        n_left: cython.Py_ssize_t
        code: cython.uint
        common: cython.uint = self.common[column]
        first: cython.Py_ssize_t = column * self.n_all
        short: cython.p_ushort = self.short
        keys: cython.p_uint = self.keys
        for i in range(n):
            code = cython.cast(cython.uint, short[first + rows[at + i]])
            keys[m] = (code << 16) | cython.cast(cython.uint, i)
            m += code != common
        self.varied = m > 0
        if m == 0:
            return False
        sort_words(keys, self.spare, m, self.n_codes[column])
        if m == n:
            self.varied = keys[0] >> 16 != keys[m - 1] >> 16
            if not self.varied:
                return False
        n_left = self.criterion.cut_others(rows, at, n, keys, m, common, bar)
        if n_left == 0:
            return False
        self.gain = self.criterion.gain
        while n_lower < m and keys[n_lower] >> 16 < common:
            n_lower += 1
        self.below = self.row_at(rows, at, n, column, n_left - 1, n_lower, m)
        self.above = self.row_at(rows, at, n, column, n_left, n_lower, m)
        self.code = short[first + self.below]
        return True

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def row_at(
        self,
        rows: cython.p_int,
        at: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        column: cython.int,
        place: cython.Py_ssize_t,
        n_lower: cython.Py_ssize_t,
        m: cython.Py_ssize_t,
    ) -> cython.int:
        """A row with the code at a place of the node's sorted rows, of which ``m`` have other codes than the common."""
        i: cython.Py_ssize_t = at
        first: cython.Py_ssize_t = column * self.n_all
        if place < n_lower:
            return rows[at + (self.keys[place] & 0xFFFF)]
        if place >= n_lower + n - m:
            return rows[at + (self.keys[place - (n - m)] & 0xFFFF)]
        while cython.cast(cython.int, self.short[first + rows[i]]) != self.common[column]:
            i += 1
        return rows[i]
