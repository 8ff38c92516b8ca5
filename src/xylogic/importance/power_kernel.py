"""All features' pivot probabilities from a game's diagram, by quadrature.

Where feature i is present with probability p_i, the chance F(p) of winning is the game's multilinear extension
(G. Owen, Multilinear extensions of games, 1972). Feature i's Shapley value is the integral of dF/dp_i along
p = (t, ..., t) for t from 0 to 1, a polynomial of degree below the number of features; its Banzhaf value is dF/dp_i at
t = 1/2.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import doubles, ints
else:
    from xylogic.domain.machine_kernel import doubles, ints

CHECK_EVERY = cython.declare(cython.longlong, 20000000)  # nodes passed


def slopes(
    level: object, low: object, high: object, root: cython.int, points: object, weights: object, budget: object
) -> object:
    """The sum over points p of weight times dF/dp_i at (p, ..., p), per level i: float64 (n_levels,).

    ``level``, ``low``, ``high``: int32 (n_nodes,), children first; nodes 0 and 1 are the constants, whose level is the
    number of levels. All terms are >= 0 for a monotone game. O(points * nodes); raises BudgetExceeded.
    """
    n_nodes: cython.Py_ssize_t = len(level)
    n_points: cython.Py_ssize_t = len(points)
    n: cython.Py_ssize_t
    k: cython.Py_ssize_t
    passed: cython.longlong = 0
    p: cython.double
    share: cython.double
    gain: cython.double
    at: cython.p_int = ints(level)
    absent: cython.p_int = ints(low)
    present: cython.p_int = ints(high)
    chance = np.zeros(n_nodes)  # of winning from a node on
    reach = np.zeros(n_nodes)  # of coming to it, times the point's weight
    total = np.zeros(int(level[0]) + 1)
    win: cython.p_double = doubles(chance)
    come: cython.p_double = doubles(reach)
    out: cython.p_double = doubles(total)
    places = np.append(points, 0.0)
    shares = np.append(weights, 0.0)
    where: cython.p_double = doubles(places)
    weight: cython.p_double = doubles(shares)
    win[1] = 1.0
    with cython.nogil:
        for k in range(n_points):
            passed += n_nodes
            if passed > CHECK_EVERY:
                passed = 0
                with cython.gil:
                    budget.check()
            p = where[k]
            for n in range(2, n_nodes):
                win[n] = p * win[present[n]] + (1.0 - p) * win[absent[n]]
                come[n] = 0.0
            come[root] = weight[k]
            for n in range(n_nodes - 1, 1, -1):
                share = come[n]
                if share > 0.0:
                    gain = win[present[n]] - win[absent[n]]
                    out[at[n]] += share * gain if gain > 0.0 else 0.0
                    come[present[n]] += p * share
                    come[absent[n]] += (1.0 - p) * share
    return total[: len(total) - 1]
