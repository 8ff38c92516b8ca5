"""Linear passes over a decision graph: rows down to their labels, shares and probabilities of a label."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython


def labels_of(
    feature: cython.int[::1],
    edge_at: cython.longlong[::1],
    hi: cython.int[::1],
    child: cython.int[::1],
    root: cython.int,
    states: cython.int[:, ::1],
    labels: cython.int[::1],
) -> None:
    """Fill ``labels``, int32 (n,), for rows of ``states``, int32 (n, n_features). O(n * depth * log edges)."""
    row: cython.Py_ssize_t
    n: cython.int
    state: cython.int
    low: cython.longlong
    high: cython.longlong
    middle: cython.longlong
    with cython.nogil:
        for row in range(states.shape[0]):
            n = root
            while feature[n] >= 0:
                state = states[row, feature[n]]
                low = edge_at[n]
                high = edge_at[n + 1] - 1
                while low < high:
                    middle = (low + high) >> 1
                    if hi[middle] < state:
                        low = middle + 1
                    else:
                        high = middle
                n = child[low]
            labels[row] = n


def share_modulo(
    feature: cython.int[::1],
    edge_at: cython.longlong[::1],
    lo: cython.int[::1],
    hi: cython.int[::1],
    child: cython.int[::1],
    prime: cython.ulonglong,
    inverse: cython.ulonglong[::1],
    share: cython.ulonglong[::1],
) -> None:
    """Fill ``share``, uint64 (n_nodes,), with each node's share of rows that reach a label, modulo a prime < 2^31.

    The leaves' shares are given. ``inverse[w]`` is 1/w modulo the prime. A node's share is the mean of its children's,
    weighted by the states that lead there, among those that the node's edges have. O(n_edges).
    """
    n: cython.Py_ssize_t
    k: cython.longlong
    width: cython.ulonglong
    total: cython.ulonglong
    weighted: cython.ulonglong
    with cython.nogil:
        for n in range(feature.shape[0]):
            if feature[n] < 0:
                continue
            total = 0
            weighted = 0
            for k in range(edge_at[n], edge_at[n + 1]):
                width = cython.cast(cython.ulonglong, hi[k] - lo[k] + 1)
                total += width
                weighted = (weighted + width * cython.cast(cython.ulonglong, share[child[k]])) % prime
            share[n] = weighted * cython.cast(cython.ulonglong, inverse[total]) % prime


def probabilities(
    feature: cython.int[::1],
    edge_at: cython.longlong[::1],
    lo: cython.int[::1],
    hi: cython.int[::1],
    child: cython.int[::1],
    state_at: cython.int[::1],
    weight: cython.double[::1],
    value: cython.double[::1],
) -> None:
    """Fill ``value``, float64 (n_nodes,), with each node's probability of a label; the leaves' are given.

    State s of feature f has the probability ``weight[state_at[f] + s]``. O(states of all edges).
    """
    n: cython.Py_ssize_t
    k: cython.longlong
    s: cython.Py_ssize_t
    at: cython.Py_ssize_t
    part: cython.double
    total: cython.double
    weighted: cython.double
    with cython.nogil:
        for n in range(feature.shape[0]):
            if feature[n] < 0:
                continue
            at = state_at[feature[n]]
            total = 0.0
            weighted = 0.0
            for k in range(edge_at[n], edge_at[n + 1]):
                part = 0.0
                for s in range(at + lo[k], at + hi[k] + 1):
                    part += weight[s]
                total += part
                weighted += part * value[child[k]]
            value[n] = weighted / total if total > 0.0 else 0.0


def reaching(
    feature: cython.int[::1],
    edge_at: cython.longlong[::1],
    child: cython.int[::1],
    marks: cython.int[::1],
) -> None:
    """Mark, in int32 (n_nodes,), the nodes with a path to a marked leaf. O(n_edges)."""
    n: cython.Py_ssize_t
    k: cython.longlong
    with cython.nogil:
        for n in range(feature.shape[0]):
            if feature[n] < 0:
                continue
            for k in range(edge_at[n], edge_at[n + 1]):
                if marks[child[k]]:
                    marks[n] = 1
                    break
