"""Bottom-up and top-down passes over tree arrays."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython


def preorder(
    left: cython.int[::1],
    right: cython.int[::1],
    roots: cython.int[::1],
    order: cython.int[::1],
    place: cython.int[::1],
    end: cython.int[::1],
) -> None:
    """Number the nodes of a forest in preorder, tree after tree.

    ``order[p]`` becomes the node at position p, ``place`` its inverse, ``end[p]`` the position behind its subtree;
    all have n_nodes items. O(n_nodes).
    """
    n_nodes: cython.Py_ssize_t = left.shape[0]
    top: cython.Py_ssize_t
    t: cython.Py_ssize_t
    position: cython.Py_ssize_t = 0
    p: cython.Py_ssize_t
    node: cython.int
    with cython.nogil:
        for t in range(roots.shape[0]):
            # `place` is the stack until its own turn; a stack never outgrows the nodes not yet numbered.
            top = n_nodes - 1
            place[top] = roots[t]
            while top < n_nodes:
                node = place[top]
                top += 1
                order[position] = node
                position += 1
                if left[node] >= 0:
                    top -= 2
                    place[top] = left[node]
                    place[top + 1] = right[node]
        for p in range(n_nodes):
            place[order[p]] = cython.cast(cython.int, p)
        for p in range(n_nodes - 1, -1, -1):
            node = order[p]
            if left[node] < 0:
                end[p] = cython.cast(cython.int, p + 1)
            else:
                end[p] = end[place[right[node]]]


def accumulate(
    left: cython.int[::1],
    right: cython.int[::1],
    sides: cython.int[::1],
    leaves: cython.ulonglong[::1],
    reachable: cython.ulonglong[::1],
    low: cython.longlong[::1],
    high: cython.longlong[::1],
) -> None:
    """Fill inner nodes from their children; nodes are in preorder, leaves are filled already.

    ``leaves``: bits of the leaves below; ``reachable``: those among them that some input reaches, where ``sides``
    has bit 1 (left) and bit 2 (right) for the sides that the whole domain can take; ``low``, ``high``: least and
    greatest leaf value below. O(n_nodes).
    """
    n: cython.Py_ssize_t
    a: cython.int
    b: cython.int
    with cython.nogil:
        for n in range(left.shape[0] - 1, -1, -1):
            a = left[n]
            if a >= 0:
                b = right[n]
                leaves[n] = leaves[a] | leaves[b]
                reachable[n] = 0
                if sides[n] & 1:
                    reachable[n] = reachable[n] | reachable[a]
                if sides[n] & 2:
                    reachable[n] = reachable[n] | reachable[b]
                low[n] = min(low[a], low[b])
                high[n] = max(high[a], high[b])


def locate(
    values: cython.double[::1],
    columns: cython.int[::1],
    cut_at: cython.int[::1],
    cuts: cython.double[::1],
    is_set: cython.int[::1],
    n_values: cython.int[::1],
    states: cython.int[::1],
) -> bool:
    """The state of each feature of one row (float64, cast, categories as codes, NaN missing); whether some value is
    missing. O(features log cuts).

    Feature f reads ``values[columns[f]]``; its cuts are ``cuts[cut_at[f] : cut_at[f + 1]]``.
    """
    f: cython.Py_ssize_t
    lo: cython.int
    hi: cython.int
    middle: cython.int
    x: cython.double
    absent: cython.bint = False
    with cython.nogil:
        for f in range(columns.shape[0]):
            x = values[columns[f]]
            if x != x:
                absent = True
                states[f] = n_values[f]
            elif is_set[f]:
                states[f] = cython.cast(cython.int, x)
            else:
                lo = cut_at[f]
                hi = cut_at[f + 1]
                while lo < hi:
                    middle = (lo + hi) // 2
                    if x <= cuts[middle]:
                        hi = middle
                    else:
                        lo = middle + 1
                states[f] = lo - cut_at[f]
    return absent
