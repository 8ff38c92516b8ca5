"""Trees as raw graphs: each node once, with the states that its test sends to either side."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.circuit.graphs_kernel import Graphs
    from cython.cimports.xylogic.domain.machine_kernel import ints
else:
    from xylogic.circuit.graphs_kernel import Graphs
    from xylogic.domain.machine_kernel import ints


def raw_trees(
    graphs: Graphs,
    left: cython.int[::1],
    right: cython.int[::1],
    order: cython.int[::1],
    roots: cython.int[::1],
    splits: object,
    vote: cython.int[::1],
    label: cython.int,
) -> object:
    """Per tree, the raw graph of "its leaf votes for ``label``"; int32 (n_trees,). ``order``: parents first. O(runs)"""
    answer = np.zeros(left.shape[0] + 1, np.int32)
    value: cython.p_int = ints(answer)
    test: cython.p_int = ints(splits.of_node)
    feature: cython.p_int = ints(splits.feature)
    left_at: cython.p_int = ints(splits.left.at)
    right_at: cython.p_int = ints(splits.right.at)
    left_runs: cython.p_int = ints(splits.left.runs)
    right_runs: cython.p_int = ints(splits.right.runs)
    p: cython.Py_ssize_t
    last: cython.Py_ssize_t = order.shape[0] - 1
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    i_end: cython.Py_ssize_t
    j_end: cython.Py_ssize_t
    n: cython.int
    size: cython.int
    with cython.nogil:
        for p in range(last, -1, -1):
            n = order[p]
            if left[n] < 0:
                value[n] = vote[n] == label
                continue
            i = left_at[test[n]]
            i_end = left_at[test[n] + 1]
            j = right_at[test[n]]
            j_end = right_at[test[n] + 1]
            if i == i_end or value[left[n]] == value[right[n]]:
                value[n] = value[right[n]]
                continue
            if j == j_end:
                value[n] = value[left[n]]
                continue
            if 3 * (i_end - i + j_end - j) + 1 > graphs.scratch_room:
                with cython.gil:
                    graphs._grow_scratch(3 * (i_end - i + j_end - j) + 1)
            graphs.scratch[0] = feature[test[n]]
            size = 1
            while i < i_end or j < j_end:
                if j == j_end or (i < i_end and left_runs[2 * i] < right_runs[2 * j]):
                    graphs.scratch[size] = left_runs[2 * i]
                    graphs.scratch[size + 1] = left_runs[2 * i + 1]
                    graphs.scratch[size + 2] = value[left[n]]
                    i += 1
                else:
                    graphs.scratch[size] = right_runs[2 * j]
                    graphs.scratch[size + 1] = right_runs[2 * j + 1]
                    graphs.scratch[size + 2] = value[right[n]]
                    j += 1
                size += 3
            value[n] = graphs.node(3, size, 0)
    return answer[np.asarray(roots)]
