"""Sorting: whole columns of floats once, and the few rows of a node by their codes."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import bits, ints
else:
    from xylogic.domain.machine_kernel import bits, ints

LOW = cython.declare(cython.ulonglong, 0xFFFFFFFF)
EVERY = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
SIGN = cython.declare(cython.ulonglong, 0x8000000000000000)
SIGN_32 = cython.declare(cython.ulonglong, 0x80000000)
INFINITE_32 = cython.declare(cython.ulonglong, 0x7F800000)
INFINITE = cython.declare(cython.ulonglong, 0x7FF0000000000000)
FACTOR = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
SLOTS = cython.declare(cython.int, 512)
SOME = cython.declare(cython.int, 8192)  # below, numbers are told apart by most of their bits
ROW_BITS = cython.declare(cython.int, 24)
MANY = cython.declare(cython.int, 8192)  # from here on wider digits pay
FEW = cython.declare(cython.int, 48)  # up to here plain insertion is the fastest


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def row_of(table: cython.int[:, ::1], i: cython.Py_ssize_t) -> cython.p_int:
    """Where a row begins."""
    if cython.compiled:
        return cython.address(table[i, 0])
    else:
        return table[i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _insert(keys: cython.p_ulonglong, n: cython.Py_ssize_t) -> cython.void:
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    key: cython.ulonglong
    for i in range(1, n):
        key = keys[i]
        j = i
        while j > 0 and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = key


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort_keys(
    keys: cython.p_ulonglong, spare: cython.p_ulonglong, n: cython.Py_ssize_t, n_bits: cython.int
) -> cython.void:
    """Sort ``keys`` by their bits 32 to 32 + ``n_bits`` - 1; the low halves have to ascend, and equal keys stay so.

    A radix sort whose digits are all counted in one pass. O(n * n_bits / 11), or O(n^2) for the smallest n.
    """
    i: cython.Py_ssize_t
    x: cython.ulonglong
    digit: cython.int
    at: cython.int
    shift: cython.int
    total: cython.int
    count: cython.int
    width: cython.int = 8 if n < MANY else 11
    size: cython.int = 1 << width
    mask: cython.ulonglong = size - 1
    n_digits: cython.int = (n_bits + width - 1) // width
    swapped: cython.bint = False
    place = cython.declare(cython.int[3 * 2048]) if cython.compiled else [0] * (3 * 2048)
    if n <= FEW:
        _insert(keys, n)
        return
    for at in range(n_digits * size):
        place[at] = 0
    for i in range(n):
        x = keys[i] >> 32
        for digit in range(n_digits):
            place[digit * size + cython.cast(cython.int, x & mask)] += 1
            x >>= width
    for digit in range(n_digits):
        shift = 32 + digit * width
        at = digit * size
        if place[at + cython.cast(cython.int, (keys[0] >> shift) & mask)] == n:
            continue  # all digits are equal
        total = 0
        for at in range(digit * size, (digit + 1) * size):
            count = place[at]
            place[at] = total
            total += count
        for i in range(n):
            at = digit * size + cython.cast(cython.int, (keys[i] >> shift) & mask)
            spare[place[at]] = keys[i]
            place[at] += 1
        keys, spare = spare, keys
        swapped = not swapped
    if swapped:
        for i in range(n):
            spare[i] = keys[i]


@cython.cclass
class Ranker:
    """Ranks columns of ``n`` numbers, at most ``few`` distinct ones without sorting. Zeros of either sign are equal."""

    def __init__(self, n: cython.Py_ssize_t, few: cython.int) -> None:
        self.n = n
        self.few = few
        self.keep = {name: np.empty(n + 1, np.uint64) for name in ("whole", "keys", "spare")}
        self.keep["rows"] = np.empty(max(n, few) + 1, np.int32)
        self.keep["found"] = np.empty(few + 2, np.uint64)
        self.keep["place"] = np.empty(SLOTS, np.int32)
        self.keep["number"] = np.empty(few + 2, np.int32)
        self.whole = bits(self.keep["whole"])
        self.keys = bits(self.keep["keys"])
        self.spare = bits(self.keep["spare"])
        self.rows = ints(self.keep["rows"])
        self.found = bits(self.keep["found"])
        self.place = ints(self.keep["place"])
        self.number = ints(self.keep["number"])
        self.n_known = 0

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def read_single(self, i: cython.Py_ssize_t, x: cython.ulonglong) -> cython.void:
        """Note the bits ``x`` of a float32 as a whole number that orders alike, NaN as the highest."""
        if (x & (SIGN_32 ^ LOW)) > INFINITE_32:
            self.whole[i] = EVERY
            self.n_known -= 1
            return
        x *= x != SIGN_32  # -0.0 becomes 0.0
        self.whole[i] = x ^ (((x >> 31) * LOW) | SIGN_32)  # without branches: signs cannot be predicted

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def read_double(self, i: cython.Py_ssize_t, x: cython.ulonglong) -> cython.void:
        """``read_single`` of a float64."""
        if (x & (SIGN ^ EVERY)) > INFINITE:
            self.whole[i] = EVERY
            self.n_known -= 1
            return
        x *= x != SIGN
        self.whole[i] = x ^ (((x >> 63) * EVERY) | SIGN)

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def rank(self, wide: cython.bint, order: cython.p_int, codes: cython.p_int, first: cython.p_int) -> cython.int:
        """Rank the numbers read, of 32 bits or, if ``wide``, 64; see ``rank_columns``."""
        i: cython.Py_ssize_t
        shift: cython.int = 32 if wide else 0
        found: cython.int = self.few_codes(codes, first)
        if found != 0 or self.n == 0:
            return found
        if self.n >= SOME or not self.sort_some(shift):
            for i in range(self.n):
                self.keys[i] = (((self.whole[i] >> shift) & LOW) << 32) | cython.cast(cython.ulonglong, i)
            sort_keys(self.keys, self.spare, self.n, 32)
        if wide and not self.part_ties():
            self.sort_halves()
        return self.all_codes(wide, order, codes)

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def sort_some(self, shift: cython.int) -> cython.bint:
        """Sort less than SOME numbers by their bits from ``shift`` on, 32 of them: by the upper 24, which part most of
        them, then by insertion; whether that was enough.
        """
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        key: cython.ulonglong
        keys: cython.p_ulonglong = self.keys
        for i in range(self.n):
            keys[i] = (((self.whole[i] >> shift) & LOW) << ROW_BITS) | cython.cast(cython.ulonglong, i)
        sort_keys(keys, self.spare, self.n, ROW_BITS)
        for i in range(1, self.n):
            key = keys[i]
            if keys[i - 1] < key:
                continue
            j = i
            while j > 0 and keys[j - 1] > key:
                keys[j] = keys[j - 1]
                j -= 1
            keys[j] = key
            if i - j > FEW:
                return False
        for i in range(self.n):
            key = keys[i]
            keys[i] = ((key >> ROW_BITS) << 32) | (key & (LOW >> (32 - ROW_BITS)))
        return True

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def part_ties(self) -> cython.bint:
        """Sort those by insertion whose upper 32 bits are equal; whether they were near their places."""
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        start: cython.Py_ssize_t = 0
        key: cython.ulonglong
        x: cython.ulonglong
        for i in range(1, self.n_known):
            key = self.keys[i]
            if key >> 32 != self.keys[start] >> 32:
                start = i
                continue
            x = self.whole[key & LOW]
            j = i
            while j > start and self.whole[self.keys[j - 1] & LOW] > x:
                self.keys[j] = self.keys[j - 1]
                j -= 1
            self.keys[j] = key
            if i - j > FEW:
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def sort_halves(self) -> cython.void:
        """Sort the numbers by the lower halves of 64 bits, then by the upper ones."""
        i: cython.Py_ssize_t
        row: cython.int
        for i in range(self.n):
            self.keys[i] = ((self.whole[i] & LOW) << 32) | cython.cast(cython.ulonglong, i)
        sort_keys(self.keys, self.spare, self.n, 32)
        for i in range(self.n):
            row = cython.cast(cython.int, self.keys[i] & LOW)
            self.rows[i] = row
            self.keys[i] = ((self.whole[row] >> 32) << 32) | cython.cast(cython.ulonglong, i)
        sort_keys(self.keys, self.spare, self.n, 32)
        for i in range(self.n):
            row = self.rows[self.keys[i] & LOW]
            self.keys[i] = (self.keys[i] & (LOW << 32)) | cython.cast(cython.ulonglong, row)

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def all_codes(self, wide: cython.bint, order: cython.p_int, codes: cython.p_int) -> cython.int:
        """Write down the sorted rows and number their values; how many there are."""
        i: cython.Py_ssize_t
        row: cython.int
        before: cython.int = 0
        code: cython.int = -1
        for i in range(self.n):
            row = cython.cast(cython.int, self.keys[i] & LOW)
            order[i] = row
            code += (
                i == 0 or (self.keys[i] ^ self.keys[i - 1]) > LOW or (wide and self.whole[row] != self.whole[before])
            )
            codes[row] = code
            before = row
        return code if self.n_known < self.n else code + 1

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def few_codes(self, codes: cython.p_int, first: cython.p_int) -> cython.int:
        """Number the values by a hash table, if there are at most ``few``: minus their count, else 0."""
        i: cython.Py_ssize_t
        j: cython.int
        k: cython.int
        rank: cython.int
        n_found: cython.int = 0
        x: cython.ulonglong
        slot: cython.Py_ssize_t
        whole: cython.p_ulonglong = self.whole
        values: cython.p_ulonglong = self.found
        place: cython.p_int = self.place
        number: cython.p_int = self.number
        for slot in range(SLOTS):
            place[slot] = -1
        for i in range(self.n):
            x = whole[i]
            if x == EVERY:
                codes[i] = self.few
                continue
            slot = cython.cast(cython.Py_ssize_t, ((x * FACTOR) & EVERY) >> 55)
            j = place[slot]
            while j >= 0 and values[j] != x:
                slot = (slot + 1) & (SLOTS - 1)
                j = place[slot]
            if j < 0:
                if n_found == self.few:
                    return 0
                j = n_found
                place[slot] = j
                values[j] = x
                self.rows[j] = cython.cast(cython.int, i)
                n_found += 1
            codes[i] = j
        for j in range(n_found):
            rank = 0
            for k in range(n_found):
                rank += values[k] < values[j]
            number[j] = rank
            first[rank] = self.rows[j]
        number[self.few] = n_found  # of what is missing
        for i in range(self.n):
            codes[i] = number[codes[i]]
        return -n_found


def rank_columns(
    single: cython.const[cython.uint][:, :],
    wide: cython.const[cython.ulonglong][:, :],
    few: cython.int,
    numbers: cython.const[cython.int][::1],
    keep_order: cython.bint,
    order: cython.int[:, ::1],
    codes: cython.int[:, ::1],
    first: cython.int[:, ::1],
    found: cython.int[::1],
    missing: cython.int[::1],
) -> None:
    """Rank the columns ``numbers`` of a table, given as the bits of float32 or, where these are none, of float64.

    ``codes`` gets each row's number among the distinct values of column j, for NaN their count, and ``found[j]`` that
    count: negative where there are at most ``few``, of each of which ``first[j]`` then names a row. The rows of all
    other columns by ascending value, NaN last, come one after the other into ``order``, or without ``keep_order`` into
    its first row. ``missing[j]`` is 1 where there are NaN. O(n) a column.
    """
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    j: cython.int
    to: cython.Py_ssize_t = 0
    is_wide: cython.bint = single.shape[1] == 0
    ranker: Ranker = Ranker(codes.shape[1], few)
    n: cython.Py_ssize_t = ranker.n
    if n == 0:
        return
    with cython.nogil:
        for k in range(numbers.shape[0]):
            j = numbers[k]
            ranker.n_known = n
            if is_wide:
                for i in range(n):
                    ranker.read_double(i, wide[i, j])
            else:
                for i in range(n):
                    ranker.read_single(i, single[i, j])
            found[j] = ranker.rank(is_wide, row_of(order, to), row_of(codes, j), row_of(first, j))
            missing[j] = ranker.n_known < n
            to += keep_order and found[j] > 0


def kept(order: cython.const[cython.int][:, ::1], keep: cython.const[cython.uchar][::1], out: cython.int[::1]) -> None:
    """Fill ``out``, which has a cell to spare, with the entries e of ``order``, row by row, where ``keep[e]`` is 1."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    n: cython.Py_ssize_t = order.shape[1]
    to: cython.p_int = ints(out)
    with cython.nogil:
        for j in range(order.shape[0]):
            for i in range(n):
                to[at] = order[j, i]
                at += keep[order[j, i]]
