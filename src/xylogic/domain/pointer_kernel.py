"""Arrays as raw pointers; run from source, the array itself."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython

if not cython.compiled:

    def first_bit(x):
        """The number of the lowest bit that is set."""
        return (int(x) & -int(x)).bit_length() - 1


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
