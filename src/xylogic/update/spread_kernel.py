"""Range and deviation of the columns of a table."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import doubles
else:
    from xylogic.domain.machine_kernel import doubles


def spread(
    values: cython.const[cython.double][:, ::1],
    lowest: cython.double[::1],
    highest: cython.double[::1],
    mean: cython.double[::1],
    squares: cython.double[::1],
) -> None:
    """Fill each column's least and greatest value, mean, and sum of squares about it; (n, m) and (m,) each, n > 0.

    What is not finite, or too large for its square, leaves ``squares`` not finite. O(n * m).
    """
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    n: cython.Py_ssize_t = values.shape[0]
    m: cython.Py_ssize_t = values.shape[1]
    x: cython.double
    low: cython.p_double = doubles(lowest)
    high: cython.p_double = doubles(highest)
    middle: cython.p_double = doubles(mean)
    total: cython.p_double = doubles(squares)
    with cython.nogil:
        for j in range(m):
            low[j] = high[j] = values[0, j]
            middle[j] = total[j] = 0.0
        for i in range(n):
            for j in range(m):
                x = values[i, j]
                low[j] = x if x < low[j] else low[j]
                high[j] = x if x > high[j] else high[j]
                middle[j] += x - values[0, j]
        for j in range(m):
            middle[j] = values[0, j] + middle[j] / n
        for i in range(n):
            for j in range(m):
                x = values[i, j] - middle[j]
                total[j] += x * x
