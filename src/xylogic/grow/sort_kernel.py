"""Sorting: whole columns of floats once, and the few rows of a node by their codes."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import bits, ints
else:
    from xylogic.domain.machine_kernel import bits, ints

DIGIT = cython.declare(cython.int, 11)
LOW = cython.declare(cython.ulonglong, 0xFFFFFFFF)
EVERY = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
SIGN = cython.declare(cython.ulonglong, 0x8000000000000000)
SIGN_32 = cython.declare(cython.ulonglong, 0x80000000)
INFINITE_32 = cython.declare(cython.ulonglong, 0x7F800000)
INFINITE = cython.declare(cython.ulonglong, 0x7FF0000000000000)
FACTOR = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
SLOTS = cython.declare(cython.int, 512)
MANY = cython.declare(cython.int, 8192)  # from here on wider digits pay
FEW = cython.declare(cython.int, 48)  # up to here plain insertion is the fastest


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
def _pass(
    source: cython.p_ulonglong, target: cython.p_ulonglong, n: cython.Py_ssize_t, shift: cython.int, width: cython.int
) -> cython.bint:
    """One pass of a radix sort over ``width`` bits; whether anything was moved (not where all digits are equal)."""
    i: cython.Py_ssize_t
    total: cython.Py_ssize_t = 0
    count: cython.Py_ssize_t
    size: cython.int = 1 << width
    mask: cython.ulonglong = size - 1
    place = cython.declare(cython.Py_ssize_t[2048]) if cython.compiled else [0] * 2048
    for i in range(size):
        place[i] = 0
    for i in range(n):
        place[(source[i] >> shift) & mask] += 1
    if place[(source[0] >> shift) & mask] == n:
        return False
    for i in range(size):
        count = place[i]
        place[i] = total
        total += count
    for i in range(n):
        count = place[(source[i] >> shift) & mask]
        place[(source[i] >> shift) & mask] = count + 1
        target[count] = source[i]
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort_keys(
    keys: cython.p_ulonglong, spare: cython.p_ulonglong, n: cython.Py_ssize_t, n_bits: cython.int
) -> cython.void:
    """Sort ``keys`` by their bits 32 to 32 + ``n_bits`` - 1; the low halves have to ascend, and equal keys stay so.

    O(n * n_bits / 11), or O(n^2) for the smallest n.
    """
    i: cython.Py_ssize_t
    shift: cython.int = 0
    width: cython.int
    swapped: cython.bint = False
    if n <= FEW:
        _insert(keys, n)
        return
    width = 8 if n < MANY else DIGIT
    while shift < n_bits:
        if _pass(keys, spare, n, 32 + shift, width):
            keys, spare = spare, keys
            swapped = not swapped
        shift += width
    if swapped:
        for i in range(n):
            spare[i] = keys[i]


@cython.cclass
class Ranker:
    """Ranks columns of ``n`` numbers, at most ``few`` distinct ones without sorting. Zeros of either sign are equal.

    ``order`` gets the rows of a sorted column by ascending value, NaN last; ``codes`` each row's number among the
    distinct values, for NaN their count; ``first`` the first row of each value of a column with few.
    """

    def __init__(self, n: cython.Py_ssize_t, few: cython.int) -> None:
        self.n = n
        self.few = few
        self.keep = {name: np.empty(n + 1, np.uint64) for name in ("whole", "keys", "spare")}
        self.keep["rows"] = np.empty(n + 1, np.int32)
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

    def singles(
        self,
        raw: cython.const[cython.uint][:],
        order: cython.int[::1],
        codes: cython.int[::1],
        first: cython.int[::1],
    ) -> cython.int:
        """Rank a column of float32, given as its bits: the number of values, negative where they are few. O(n)."""
        i: cython.Py_ssize_t
        x: cython.ulonglong
        found: cython.int
        out: cython.p_int
        ranks: cython.p_int
        firsts: cython.p_int
        if self.n == 0:
            return 0
        self.n_known = self.n
        out, ranks, firsts = ints(order), ints(codes), ints(first)
        with cython.nogil:
            for i in range(self.n):
                x = raw[i]
                if (x & (SIGN_32 ^ LOW)) > INFINITE_32:
                    x = EVERY
                    self.n_known -= 1
                elif x == SIGN_32:
                    pass  # -0.0: the key of 0.0
                elif x & SIGN_32:
                    x ^= LOW
                else:
                    x |= SIGN_32
                self.whole[i] = x
            found = self.rank(False, out, ranks, firsts)
        return found

    def doubles(
        self,
        raw: cython.const[cython.ulonglong][:],
        order: cython.int[::1],
        codes: cython.int[::1],
        first: cython.int[::1],
    ) -> cython.int:
        """``singles`` for a column of float64. O(n)."""
        i: cython.Py_ssize_t
        x: cython.ulonglong
        found: cython.int
        out: cython.p_int
        ranks: cython.p_int
        firsts: cython.p_int
        if self.n == 0:
            return 0
        self.n_known = self.n
        out, ranks, firsts = ints(order), ints(codes), ints(first)
        with cython.nogil:
            for i in range(self.n):
                x = raw[i]
                if (x & (SIGN ^ EVERY)) > INFINITE:
                    x = EVERY
                    self.n_known -= 1
                elif (x & (SIGN ^ EVERY)) == 0:
                    x = SIGN
                elif x & SIGN:
                    x ^= EVERY
                else:
                    x |= SIGN
                self.whole[i] = x
            found = self.rank(True, out, ranks, firsts)
        return found

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def rank(self, wide: cython.bint, order: cython.p_int, codes: cython.p_int, first: cython.p_int) -> cython.int:
        """Rank the keys in ``whole``, of 32 bits or, if ``wide``, 64: by the lower halves, then by the upper ones."""
        i: cython.Py_ssize_t
        x: cython.ulonglong
        found: cython.int = self.few_codes(codes, first)
        if found != 0:
            return found
        for i in range(self.n):
            self.keys[i] = ((self.whole[i] & LOW) << 32) | cython.cast(cython.ulonglong, i)
        sort_keys(self.keys, self.spare, self.n, 32)
        for i in range(self.n):
            order[i] = cython.cast(cython.int, self.keys[i] & LOW)
        if wide:
            for i in range(self.n):
                self.rows[i] = order[i]
                x = self.whole[order[i]] >> 32
                self.keys[i] = (x << 32) | cython.cast(cython.ulonglong, i)
            sort_keys(self.keys, self.spare, self.n, 32)
            for i in range(self.n):
                order[i] = self.rows[self.keys[i] & LOW]
        return self.all_codes(order, codes)

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def all_codes(self, order: cython.p_int, codes: cython.p_int) -> cython.int:
        """Number the sorted rows' values; how many there are."""
        i: cython.Py_ssize_t
        code: cython.int = -1
        for i in range(self.n_known):
            if i == 0 or self.whole[order[i]] != self.whole[order[i - 1]]:
                code += 1
            codes[order[i]] = code
        for i in range(self.n_known, self.n):
            codes[order[i]] = code + 1
        return code + 1

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def few_codes(self, codes: cython.p_int, first: cython.p_int) -> cython.int:
        """Number the values by a hash table, if there are at most ``few``: minus their count, else 0."""
        i: cython.Py_ssize_t
        j: cython.int
        k: cython.int
        n_found: cython.int = 0
        x: cython.ulonglong
        slot: cython.Py_ssize_t
        for slot in range(SLOTS):
            self.place[slot] = -1
        for i in range(self.n):
            x = self.whole[i]
            if x == EVERY:
                codes[i] = -1
                continue
            slot = cython.cast(cython.Py_ssize_t, ((x * FACTOR) & EVERY) >> 55)
            while self.place[slot] >= 0 and self.found[self.place[slot]] != x:
                slot = (slot + 1) & (SLOTS - 1)
            if self.place[slot] < 0:
                if n_found == self.few:
                    return 0
                self.place[slot] = n_found
                self.found[n_found] = x
                self.rows[n_found] = cython.cast(cython.int, i)
                n_found += 1
            codes[i] = self.place[slot]
        for j in range(n_found):
            self.number[j] = 0
            for k in range(n_found):
                self.number[j] += self.found[k] < self.found[j]
            first[self.number[j]] = self.rows[j]
        for i in range(self.n):
            codes[i] = n_found if codes[i] < 0 else self.number[codes[i]]
        return -n_found


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
