"""What kernels share: single bits, a hash, and arrays as raw pointers (run from source, the array itself)."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython

if not cython.compiled:
    import numpy as np

    def bit(k):
        return np.uint64(1 << int(k))

    def lowest_bit(x):
        return (int(x) & -int(x)).bit_length() - 1

    def highest_bit(x):
        return int(x).bit_length() - 1

    def ahead(array, i):
        """Fetch an item of an array of bytes into the cache."""

    def mixed(code, item):
        """A hash, one item further."""
        code = ((int(code) ^ int(item)) * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        return code ^ (code >> 29)


@cython.cfunc
def ints(array: cython.int[::1]) -> cython.p_int:
    if cython.compiled:
        return cython.address(array[0])
    else:
        return array


@cython.cfunc
def longs(array: cython.longlong[::1]) -> cython.p_longlong:
    if cython.compiled:
        return cython.address(array[0])
    else:
        return array


@cython.cfunc
def bits(array: cython.ulonglong[::1]) -> cython.p_ulonglong:
    if cython.compiled:
        return cython.address(array[0])
    else:
        return array


@cython.cfunc
def doubles(array: cython.double[::1]) -> cython.p_double:
    if cython.compiled:
        return cython.address(array[0])
    else:
        return array


@cython.cfunc
def shorts(array: cython.ushort[::1]) -> cython.p_ushort:
    if cython.compiled:
        return cython.address(array[0])
    else:
        return array


@cython.cfunc
def small(array: cython.uchar[::1]) -> cython.p_uchar:
    if cython.compiled:
        return cython.address(array[0])
    else:
        return array
