"""Sorting networks over the nodes of a circuit: a comparator is a disjunction and a conjunction."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.circuit.nnf_kernel import Circuit
    from cython.cimports.xylogic.domain.machine_kernel import ints
else:
    from xylogic.circuit.nnf_kernel import Circuit
    from xylogic.domain.machine_kernel import ints


def needed(pairs: object, n: cython.Py_ssize_t, wanted: object) -> object:
    """Which results of each comparator, int32 (n_comparators, 2), lead to a wanted output of n wires: bit 1 the
    greater one, bit 2 the smaller one; int32 (n_comparators,). O(n_comparators)."""
    network = np.array(pairs, np.int32).ravel()
    marked = np.zeros(n, np.int32)
    marked[wanted] = 1
    answer = np.zeros(len(pairs) + 1, np.int32)
    network = np.append(network, np.int32(0))
    wires: cython.p_int = ints(network)
    mark: cython.p_int = ints(marked)
    parts: cython.p_int = ints(answer)
    c: cython.Py_ssize_t
    size: cython.Py_ssize_t = len(pairs)
    with cython.nogil:
        for c in range(size - 1, -1, -1):
            parts[c] = mark[wires[2 * c]] + 2 * mark[wires[2 * c + 1]]
            if parts[c]:
                mark[wires[2 * c]] = 1
                mark[wires[2 * c + 1]] = 1
    return answer[:size]


def sort(circuit: Circuit, pairs: object, parts: object, inputs: object) -> object:
    """The outputs, greatest first, of a network whose wires carry the nodes ``inputs``; int32 like them.

    ``parts`` is what :func:`needed` says of the wanted outputs; the others are not to be used. Where a comparator has
    one result only, nobody else reads its inputs, so it takes over their children where it can. O(n_comparators)
    """
    network = np.append(np.array(pairs, np.int32).ravel(), np.int32(0))
    which = np.append(np.array(parts, np.int32), np.int32(0))
    values = np.array(inputs, np.int32)
    both = np.zeros(2, np.int32)
    wires: cython.p_int = ints(network)
    part: cython.p_int = ints(which)
    value: cython.p_int = ints(values)
    two: cython.p_int = ints(both)
    c: cython.Py_ssize_t
    size: cython.Py_ssize_t = len(pairs)
    i: cython.int
    j: cython.int
    with cython.nogil:
        for c in range(size):
            i = wires[2 * c]
            j = wires[2 * c + 1]
            if part[c] == 3:
                two[0] = value[i]
                two[1] = value[j]
                value[i] = circuit.gate(4, two, 0, 2)
                value[j] = circuit.gate(3, two, 0, 2)
            elif part[c] == 1:
                value[i] = circuit.flat_gate(4, value[i], value[j])
            elif part[c] == 2:
                value[j] = circuit.flat_gate(3, value[i], value[j])
    return values
