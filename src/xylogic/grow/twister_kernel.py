"""The Mersenne Twister (Matsumoto and Nishimura 1998), and whole numbers as numpy's RandomState draws them.

Of each number as many low bits are taken as the bound needs; what is not below the bound is passed over.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

SIZE = cython.declare(cython.int, 624)
APART = cython.declare(cython.int, 397)
FACTOR = cython.declare(cython.ulonglong, 1812433253)
TOP = cython.declare(cython.ulonglong, 0x80000000)
REST = cython.declare(cython.ulonglong, 0x7FFFFFFF)
TWIST = cython.declare(cython.ulonglong, 0x9908B0DF)
SECOND = cython.declare(cython.ulonglong, 0x9D2C5680)
THIRD = cython.declare(cython.ulonglong, 0xEFC60000)
LOW = cython.declare(cython.ulonglong, 0xFFFFFFFF)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _seed(state: cython.ulonglong[::1], seed: cython.ulonglong) -> cython.void:
    i: cython.int
    for i in range(SIZE):
        state[i] = seed
        seed = (FACTOR * (seed ^ (seed >> 30)) + i + 1) & LOW


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _twist(state: cython.ulonglong[::1]) -> cython.void:
    """Make the next 624 numbers, not yet tempered."""
    i: cython.int
    x: cython.ulonglong
    for i in range(SIZE - APART):
        x = (state[i] & TOP) | (state[i + 1] & REST)
        state[i] = state[i + APART] ^ (x >> 1) ^ ((x & 1) * TWIST)
    for i in range(SIZE - APART, SIZE - 1):
        x = (state[i] & TOP) | (state[i + 1] & REST)
        state[i] = state[i + APART - SIZE] ^ (x >> 1) ^ ((x & 1) * TWIST)
    x = (state[SIZE - 1] & TOP) | (state[0] & REST)
    state[SIZE - 1] = state[APART - 1] ^ (x >> 1) ^ ((x & 1) * TWIST)


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _tempered(x: cython.ulonglong) -> cython.ulonglong:
    x ^= x >> 11
    x ^= (x << 7) & SECOND
    x ^= (x << 15) & THIRD
    return x ^ (x >> 18)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _mask(most: cython.ulonglong) -> cython.ulonglong:
    mask: cython.ulonglong = 1
    while mask < most:
        mask = 2 * mask + 1
    return mask


def whole_numbers(seed: cython.ulonglong, below: cython.longlong, out: cython.longlong[::1]) -> None:
    """Fill ``out``, but for its last cell, which is spare: ``RandomState(seed).randint(below, size=len(out) - 1)``.

    ``seed`` < 2^32, 1 <= ``below`` < 2^32. O(624 + len(out)).
    """
    i: cython.int = SIZE
    n: cython.Py_ssize_t = 0
    wanted: cython.Py_ssize_t = out.shape[0] - 1
    most: cython.ulonglong = below - 1
    x: cython.ulonglong
    mask: cython.ulonglong = _mask(most)
    state: cython.ulonglong[::1] = np.empty(SIZE, np.uint64) if cython.compiled else [0] * SIZE
    with cython.nogil:
        if most == 0:
            for n in range(wanted):
                out[n] = 0
            wanted = 0
        _seed(state, seed)
        while n < wanted:
            if i == SIZE:
                _twist(state)
                i = 0
            x = _tempered(state[i]) & mask
            i += 1
            out[n] = x
            n += x <= most


def how_often(seed: cython.ulonglong, below: cython.longlong, n_draws: cython.longlong) -> object:
    """How often ``whole_numbers`` draws each of them: int64 (below,). O(624 + below + n_draws)."""
    i: cython.int = SIZE
    n: cython.longlong = 0
    most: cython.ulonglong = below - 1
    x: cython.ulonglong
    mask: cython.ulonglong = _mask(most)
    found = np.zeros(mask + 1, np.int64)
    count: cython.longlong[::1] = found
    state: cython.ulonglong[::1] = np.empty(SIZE, np.uint64) if cython.compiled else [0] * SIZE
    with cython.nogil:
        if most == 0:
            count[0] = n_draws
            n = n_draws
        _seed(state, seed)
        while n < n_draws:
            if i == SIZE:
                _twist(state)
                i = 0
            x = _tempered(state[i]) & mask
            i += 1
            count[x] += 1
            n += x <= most
    return found[:below]
