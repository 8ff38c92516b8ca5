"""What rows lose at every node on their way, added up from their leaves to the root."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython


def add_mistakes(
    leaf: cython.const[cython.int][::1],
    parent: cython.const[cython.longlong][::1],
    answer: cython.const[cython.longlong][::1],
    target: cython.const[cython.longlong][::1],
    weight: cython.const[cython.double][::1],
    loss: cython.double[::1],
) -> None:
    """Add the weight of each row to ``loss``, (n_nodes,), at the nodes above its leaf that answer another class.

    The root is its own parent. O(n_rows * depth).
    """
    i: cython.Py_ssize_t
    t: cython.longlong
    above: cython.longlong
    with cython.nogil:
        for i in range(leaf.shape[0]):
            above = leaf[i]
            t = -1
            while t != above:
                t = above
                if answer[t] != target[i]:
                    loss[t] += weight[i]
                above = parent[t]


def add_squares(
    leaf: cython.const[cython.int][::1],
    parent: cython.const[cython.longlong][::1],
    answer: cython.const[cython.double][::1],
    target: cython.const[cython.double][::1],
    weight: cython.const[cython.double][::1],
    loss: cython.double[::1],
) -> None:
    """``add_mistakes`` for numbers: the weighted square of what each node's answer is off by."""
    i: cython.Py_ssize_t
    t: cython.longlong
    above: cython.longlong
    off: cython.double
    with cython.nogil:
        for i in range(leaf.shape[0]):
            above = leaf[i]
            t = -1
            while t != above:
                t = above
                off = target[i] - answer[t]
                loss[t] += weight[i] * off * off
                above = parent[t]
