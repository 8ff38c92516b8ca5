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
    width: cython.int = 6
    swapped: cython.bint = False
    if n <= FEW:
        _insert(keys, n)
        return
    while (1 << width) < n and width < DIGIT:
        width += 1
    while shift < n_bits:
        if _pass(keys, spare, n, 32 + shift, width):
            keys, spare = spare, keys
            swapped = not swapped
        shift += width
    if swapped:
        for i in range(n):
            spare[i] = keys[i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _number(
    keys: cython.p_ulonglong, n: cython.Py_ssize_t, n_known: cython.Py_ssize_t, order: cython.p_int, codes: cython.p_int
) -> cython.int:
    """Fill ``order`` and ``codes`` from sorted 32-bit keys over rows; how many distinct ones there are."""
    i: cython.Py_ssize_t
    code: cython.int = -1
    for i in range(n_known):
        if i == 0 or (keys[i] >> 32) != (keys[i - 1] >> 32):
            code += 1
        order[i] = cython.cast(cython.int, keys[i] & LOW)
        codes[order[i]] = code
    for i in range(n_known, n):
        order[i] = cython.cast(cython.int, keys[i] & LOW)
        codes[order[i]] = code + 1
    return code + 1


def rank_singles(raw: cython.const[cython.uint][:], order: cython.int[::1], codes: cython.int[::1]) -> cython.int:
    """Sort a column of float32, given as its bits: ``order``, int32 (n,), gets the rows by ascending value, NaN last.

    ``codes``, int32 (n,), gets each row's number among the distinct values, which are counted; NaN gets their count.
    Zeros of either sign are equal. O(n).
    """
    n: cython.Py_ssize_t = raw.shape[0]
    i: cython.Py_ssize_t
    n_known: cython.Py_ssize_t = n
    x: cython.ulonglong
    held = (np.empty(n + 1, np.uint64), np.empty(n + 1, np.uint64))
    keys: cython.p_ulonglong = bits(held[0])
    spare: cython.p_ulonglong = bits(held[1])
    out: cython.p_int = ints(order) if n else ints(np.zeros(1, np.int32))
    ranks: cython.p_int = ints(codes) if n else out
    found: cython.int
    with cython.nogil:
        for i in range(n):
            x = raw[i]
            if (x & (SIGN_32 ^ LOW)) > INFINITE_32:
                x = LOW
                n_known -= 1
            elif x == SIGN_32:
                pass  # -0.0: the key of 0.0
            elif x & SIGN_32:
                x ^= LOW
            else:
                x |= SIGN_32
            keys[i] = (x << 32) | cython.cast(cython.ulonglong, i)
        sort_keys(keys, spare, n, 32)
        found = _number(keys, n, n_known, out, ranks)
    return found


def rank_doubles(raw: cython.const[cython.ulonglong][:], order: cython.int[::1], codes: cython.int[::1]) -> cython.int:
    """``rank_singles`` for a column of float64. O(n)."""
    n: cython.Py_ssize_t = raw.shape[0]
    i: cython.Py_ssize_t
    n_known: cython.Py_ssize_t = n
    row: cython.Py_ssize_t
    code: cython.int = -1
    x: cython.ulonglong
    held = (np.empty(n + 1, np.uint64), np.empty(n + 1, np.uint64), np.empty(n + 1, np.uint64))
    keys: cython.p_ulonglong = bits(held[0])
    spare: cython.p_ulonglong = bits(held[1])
    whole: cython.p_ulonglong = bits(held[2])
    first = np.empty(n + 1, np.int32)
    rows: cython.p_int = ints(first)
    out: cython.p_int = ints(order) if n else ints(np.zeros(1, np.int32))
    ranks: cython.p_int = ints(codes) if n else out
    with cython.nogil:
        for i in range(n):
            x = raw[i]
            if (x & (SIGN ^ EVERY)) > INFINITE:
                x = EVERY
                n_known -= 1
            elif (x & (SIGN ^ EVERY)) == 0:
                x = SIGN
            elif x & SIGN:
                x ^= EVERY
            else:
                x |= SIGN
            whole[i] = x
            keys[i] = ((x & LOW) << 32) | cython.cast(cython.ulonglong, i)
        sort_keys(keys, spare, n, 32)
        for i in range(n):
            rows[i] = cython.cast(cython.int, keys[i] & LOW)
        for i in range(n):
            keys[i] = ((whole[rows[i]] >> 32) << 32) | cython.cast(cython.ulonglong, i)
        sort_keys(keys, spare, n, 32)
        for i in range(n):
            row = rows[keys[i] & LOW]
            out[i] = cython.cast(cython.int, row)
            if i < n_known and (i == 0 or whole[row] != whole[out[i - 1]]):
                code += 1
            ranks[row] = code if i < n_known else code + 1
    return code + 1
