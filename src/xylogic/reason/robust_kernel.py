"""Robustness from a complete reason: Algorithm 5 of "Circuit Representations of Random Forests with Applications to
XAI", its numbers by one pass over the circuit."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.circuit.nnf_kernel import Circuit
    from cython.cimports.xylogic.domain.machine_kernel import ints
else:
    from xylogic.circuit.nnf_kernel import Circuit
    from xylogic.domain.machine_kernel import ints

NEVER = 2**30


def least_changes(circuit: Circuit, root: cython.int) -> object:
    """At each node up to ``root``, the fewest literals that must fail to make it false: int32; NEVER: none can.

    For or-decomposable circuits in which each feature has one literal. -1 where the root does not reach. O(edges).
    """
    n: cython.int
    k: cython.int
    child: cython.int
    total: cython.longlong
    never: cython.int = NEVER
    form = np.full(root + 1, -1, np.int32)
    value: cython.p_int = ints(form)
    value[root] = 0
    with cython.nogil:
        for n in range(root, 1, -1):
            if value[n] == 0 and circuit.kinds[n] > 2:
                for k in range(circuit.size[n]):
                    value[circuit.items[circuit.at[n] + k]] = 0
        for n in range(root + 1):
            if value[n] < 0:
                continue
            if n < 2:
                value[n] = never if n == 1 else 0
            elif circuit.kinds[n] == 2:
                value[n] = 1
            else:
                total = never if circuit.kinds[n] == 3 else 0
                for k in range(circuit.size[n]):
                    child = value[circuit.items[circuit.at[n] + k]]
                    total = min(total, child) if circuit.kinds[n] == 3 else min(total + child, never)
                value[n] = cython.cast(cython.int, total)
    return form
