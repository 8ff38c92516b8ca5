"""The grower's table of nodes as the arrays of a frozen tree."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.libc.math import INFINITY, nextafterf
    from cython.cimports.xylogic.grow.column_kernel import BINNED, CATEGORY
    from cython.cimports.xylogic.grow.frontier_kernel import (
        ABOVE,
        BELOW,
        CUT,
        FEATURE,
        GAIN,
        LEFT_CHILD,
        LOSS,
        N_DOUBLES,
        N_INTS,
        N_ROWS,
        RIGHT_CHILD,
        WAY,
        WEIGHT,
        Frontier,
    )
else:
    from math import inf as INFINITY

    from xylogic.grow.column_kernel import BINNED, CATEGORY
    from xylogic.grow.frontier_kernel import (
        ABOVE,
        BELOW,
        CUT,
        FEATURE,
        GAIN,
        LEFT_CHILD,
        LOSS,
        N_DOUBLES,
        N_INTS,
        N_ROWS,
        RIGHT_CHILD,
        WAY,
        WEIGHT,
        Frontier,
    )

    def nextafterf(x, to):
        return np.nextafter(np.float32(x), np.float32(to))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def between(low: cython.double, high: cython.double) -> cython.double:
    """A number half-way, not below ``low`` and below ``high``."""
    middle: cython.double = low / 2.0 + high / 2.0
    return middle if low <= middle and middle < high else low


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def single_below(cut: cython.double) -> cython.double:
    """The highest number of single precision that is not above ``cut``."""
    x: cython.float
    if cython.compiled:
        x = cython.cast(cython.float, cut)
    else:
        x = np.float32(cut)
    return nextafterf(x, -INFINITY) if float(x) > cut else x


def freeze(
    nodes: Frontier,
    is_single: cython.bint,
    single: cython.const[cython.float][:, :],
    wide: cython.const[cython.double][:, :],
    kind: cython.const[cython.int][::1],
    value_at: cython.const[cython.longlong][::1],
    values: cython.const[cython.double][::1],
    lowest: cython.const[cython.double][::1],
    unit: cython.double,
    links: cython.int[:, ::1],
    ways: cython.schar[::1],
    n_rows: cython.longlong[::1],
    numbers: cython.double[:, ::1],
    constants: cython.double[:, :, ::1],
) -> cython.int:
    """Fill ``links`` with features and children, ``ways`` with the children that missing values go to, ``numbers`` with
    cuts, weights, impurities and gains, ``constants`` with those of leaves (0 elsewhere) and of all nodes. O(n_nodes).

    A cut lies half-way between the values beside it, unless the splitter named one, and is of the table's precision;
    +inf splits missing rows off. The table is ``single`` or ``wide``, ``unit`` that of weights, all else from
    ``Columns``. How many cuts are -inf.
    """
    node: cython.Py_ssize_t
    k: cython.Py_ssize_t
    a: cython.Py_ssize_t
    d: cython.Py_ssize_t
    f: cython.int
    below: cython.int
    above: cython.int
    cut: cython.double
    first: cython.longlong
    inner: cython.bint
    n_lowest: cython.int = 0
    n_values: cython.Py_ssize_t = constants.shape[2]
    ints: cython.p_int = nodes.ints
    doubles: cython.p_double = nodes.doubles
    with cython.nogil:
        for node in range(nodes.n_nodes):
            a = node * N_INTS
            d = node * nodes.width
            inner = ints[a + LEFT_CHILD] >= 0
            links[0, node] = f = ints[a + FEATURE] if inner else -1
            links[1, node] = ints[a + LEFT_CHILD]
            links[2, node] = ints[a + RIGHT_CHILD]
            ways[node] = ints[a + WAY] if inner else 0
            n_rows[node] = ints[a + N_ROWS]
            numbers[1, node] = doubles[d + WEIGHT] * unit
            numbers[2, node] = doubles[d + LOSS] / doubles[d + WEIGHT]
            numbers[3, node] = doubles[d + GAIN] * unit if inner else 0.0
            for k in range(n_values):
                constants[0, node, k] = 0.0 if inner else doubles[d + N_DOUBLES + k]
                constants[1, node, k] = doubles[d + N_DOUBLES + k]
            cut = 0.0
            if inner and kind[f] != CATEGORY:
                cut = doubles[d + CUT]
                below, above = ints[a + BELOW], ints[a + ABOVE]
                if cut != cut and above < 0:
                    cut = INFINITY
                elif cut != cut and kind[f] == BINNED:
                    first = value_at[f]
                    cut = between(values[first + below], lowest[first + above])
                elif cut != cut and is_single:
                    cut = between(float(single[below, f]), float(single[above, f]))
                elif cut != cut:
                    cut = between(wide[below, f], wide[above, f])
                if is_single:
                    cut = single_below(cut)
                n_lowest += cut == -INFINITY
            numbers[0, node] = cut + 0.0  # -0.0 becomes 0.0
    return n_lowest
