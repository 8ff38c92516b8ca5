"""Cuts of columns sorted anew in each node: only the rows whose value is not the column's commonest one are sorted.

What the commonest value adds up to is what the others leave of the node's sums, which are exact.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import bit, bits, ints, shorts, small
else:
    from xylogic.domain.machine_kernel import bit, bits, ints, shorts, small

FEWER = cython.declare(cython.int, 12)  # up to here insertion is the fastest
FEW = cython.declare(cython.int, 48)  # up to here counting the lower ones
MOST_ROWS = cython.declare(cython.Py_ssize_t, 65536)  # of a node: a code and a place share 32 bits


@cython.cfunc
def words(array: cython.uint[::1]) -> cython.p_uint:
    if cython.compiled:
        return cython.address(array[0])
    else:
        return array


def shorten(
    codes: cython.int[:, ::1],
    columns: cython.int[::1],
    short: cython.ushort[:, ::1],
    common: cython.int[::1],
    other: cython.ulonglong[:, ::1],
) -> None:
    """Copy rows of ``codes``, those of ``columns``, to ``short``; ``common`` gets the code that most of each row have.

    Of equally common ones the lowest. Bit j & 63 of ``other[j >> 6]`` tells where ``short[j]`` has another code. The
    codes are below 65536. O(n) a column.
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
            if short[j, i] != best:
                other[j >> 6, i] |= bit(j & 63)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort_words(keys: cython.p_uint, spare: cython.p_uint, n: cython.Py_ssize_t, n_codes: cython.int) -> cython.void:
    """Sort ``keys`` by their upper 16 bits, which are below ``n_codes``; the low halves have to ascend.

    By insertion, by how many are lower, or by digits. O(n), or O(n^2) for the smallest n.
    """
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    key: cython.uint
    rank: cython.int
    width: cython.int
    size: cython.int
    mask: cython.uint
    shift: cython.int
    total: cython.int
    count: cython.int
    n_bits: cython.int = 1
    swapped: cython.bint = False
    place = cython.declare(cython.int[2048]) if cython.compiled else [0] * 2048
    if n <= FEWER:
        for i in range(1, n):
            key = keys[i]
            j = i
            while j > 0 and keys[j - 1] > key:
                keys[j] = keys[j - 1]
                j -= 1
            keys[j] = key
        return
    if n <= FEW:
        for i in range(n):
            key = keys[i]
            rank = 0
            for j in range(n):
                rank += keys[j] < key
            spare[rank] = key
        for i in range(n):
            keys[i] = spare[i]
        return
    while n_bits < 16 and (n_codes - 1) >> n_bits > 0:
        n_bits += 1
    width = n_bits if n_bits <= 8 or (n_bits <= 11 and 1 << n_bits <= 4 * n) else (n_bits + 1) // 2
    size = 1 << width
    mask = size - 1
    shift = 16
    while shift < 16 + n_bits:
        for rank in range(size):
            place[rank] = 0
        for i in range(n):
            place[(keys[i] >> shift) & mask] += 1
        total = 0
        for rank in range(size):
            count = place[rank]
            place[rank] = total
            total += count
        for i in range(n):
            rank = (keys[i] >> shift) & mask
            spare[place[rank]] = keys[i]
            place[rank] += 1
        keys, spare = spare, keys
        swapped = not swapped
        shift += width
    if swapped:
        for i in range(n):
            spare[i] = keys[i]


@cython.cclass
class Others:
    """Finds the best cut of one column for the node that ``criterion``, which ``cuts_others``, has begun.

    ``short``, uint16 (n_columns, n_all), has the columns' codes, ``common`` (n_columns,) their commonest ones; which
    rows have ``other`` ones: see ``shorten``; ``n_codes`` (n_columns + 1,), the last one 0; no value is missing.
    The answer: its ``gain``, the rows ``below`` and ``above``, and the ``code`` below.
    """

    def __init__(
        self,
        criterion: object,
        short: object,
        common: object,
        other: object,
        n_codes: object,
        n_rows: cython.Py_ssize_t,
    ) -> None:
        room = min(n_rows, MOST_ROWS) + 2
        self.criterion = criterion
        self.n_all = short.shape[1]
        self.room = room
        self.n_words = other.shape[0]
        self.keep = {
            "other": other.reshape(-1),
            "near": np.empty(room * self.n_words if len(n_codes) > 1 else 1, np.uint64),
            "some": np.zeros(self.n_words, np.uint64),
            "is_near": np.zeros(self.n_words, np.uint8),
            "short": short.reshape(-1),
            "common": common,
            "n_codes": n_codes,
            "keys": np.empty(room, np.uint32),
            "spare": np.empty(room, np.uint32),
        }
        self.short = shorts(self.keep["short"])
        self.common = ints(self.keep["common"])
        self.n_codes = ints(self.keep["n_codes"])
        self.other = bits(self.keep["other"])
        self.near = bits(self.keep["near"])
        self.some = bits(self.keep["some"])
        self.is_near = small(self.keep["is_near"])
        self.keys = words(self.keep["keys"])
        self.spare = words(self.keep["spare"])
        self.gain = 0.0
        self.below = self.above = self.code = -1
        self.varied = False

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def turn(self) -> cython.void:
        """Turn to another node."""
        word: cython.Py_ssize_t
        for word in range(self.n_words):
            self.is_near[word] = 0

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def gather(
        self, rows: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t, word: cython.Py_ssize_t
    ) -> cython.void:
        """Copy one word of ``other`` of the node's rows, one after the other; ``some``: the bits that are in any."""
        i: cython.Py_ssize_t
        x: cython.ulonglong
        some: cython.ulonglong = 0
        first: cython.Py_ssize_t = word * self.n_all
        base: cython.Py_ssize_t = word * self.room
        for i in range(n):
            x = self.other[first + rows[at + i]]
            self.near[base + i] = x
            some |= x
        self.some[word] = some
        self.is_near[word] = 1

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
        word: cython.Py_ssize_t = column >> 6
        shift: cython.int = cython.cast(cython.int, column & 63)
        base: cython.Py_ssize_t = word * self.room
        near: cython.p_ulonglong = self.near
        short: cython.p_ushort = self.short
        keys: cython.p_uint = self.keys
        if not self.is_near[word]:
            self.gather(rows, at, n, word)
        self.varied = (self.some[word] >> shift) & 1
        if not self.varied:
            return False
        for i in range(n):
            keys[m] = cython.cast(cython.uint, i)
            m += cython.cast(cython.int, (near[base + i] >> shift) & 1)
        for i in range(m):
            code = cython.cast(cython.uint, short[first + rows[at + keys[i]]])
            keys[i] |= code << 16
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
