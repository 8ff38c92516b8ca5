"""Nodes of a tree that test the same feature one right below the other, as one node of many edges."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython


def collapse(
    feature: cython.int[::1],
    edge_at: cython.longlong[::1],
    hi: cython.int[::1],
    child: cython.int[::1],
    wanted: cython.int[::1],
    stack: cython.int[:, ::1],
    made_at: cython.longlong[::1],
    made_hi: cython.int[::1],
    made_child: cython.int[::1],
) -> int:
    """The edges of each node with ``wanted``, children of its own feature passed through; how many in all.

    A node's edges are ``hi[edge_at[n]:]`` and ``child``, ascending, each beginning behind the one before. The new ones
    are written to ``made_hi`` and ``made_child`` as far as these have room, ``made_at`` says where each node's begin.
    ``stack``: room for as many rows (node, first state, last state) as there are edges, and one. Linear in what is
    made and passed.
    """
    n: cython.Py_ssize_t
    node: cython.int
    first: cython.int
    last: cython.int
    start: cython.int
    k: cython.longlong
    top: cython.Py_ssize_t
    count: cython.Py_ssize_t = 0
    room: cython.Py_ssize_t = made_hi.shape[0]
    with cython.nogil:
        for n in range(feature.shape[0]):
            made_at[n] = count
            if feature[n] < 0 or not wanted[n]:
                continue
            stack[0, 0] = cython.cast(cython.int, n)
            stack[0, 1] = 0
            stack[0, 2] = hi[edge_at[n + 1] - 1]
            top = 1
            while top > 0:
                top -= 1
                node = stack[top, 0]
                first = stack[top, 1]
                last = stack[top, 2]
                if feature[node] != feature[n]:
                    if count < room:
                        made_hi[count] = last
                        made_child[count] = node
                    count += 1
                    continue
                # Pushed from the last edge to the first, so that they are popped ascending.
                for k in range(edge_at[node + 1] - 1, edge_at[node] - 1, -1):
                    start = hi[k - 1] + 1 if k > edge_at[node] else 0
                    if start <= last and hi[k] >= first:
                        stack[top, 0] = child[k]
                        stack[top, 1] = max(start, first)
                        stack[top, 2] = min(hi[k], last)
                        top += 1
        made_at[feature.shape[0]] = count
    return count
