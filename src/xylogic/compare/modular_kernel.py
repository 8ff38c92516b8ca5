"""Whole numbers modulo the prime 2^61 - 1: compiled, in 64 bits, as ``modular_kernel.pxd`` writes them in C."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython

if not cython.compiled:
    PRIME = 2**61 - 1

    def times(a, b):
        return int(a) * int(b) % PRIME

    def plus(a, b):
        return (int(a) + int(b)) % PRIME

    def minus(a, b):
        return (int(a) - int(b)) % PRIME

    def inverse(a):
        return pow(int(a), -1, PRIME)


def self_test(a: cython.longlong, b: cython.longlong) -> object:
    """Product, sum, difference and (0 for 0) the inverse of ``b``, for a test of the C code."""
    return times(a, b), plus(a, b), minus(a, b), inverse(b) if b else 0
