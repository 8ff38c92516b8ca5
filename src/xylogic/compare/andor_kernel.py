"""Walks over AND/OR graphs of trees (see ``rashomon_kernel.py``) and over the entries that stand for functions."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import bit, bits, ints, mixed
else:
    from xylogic.domain.machine_kernel import bit, bits, ints, mixed


def topological(
    split_at: cython.const[cython.int][::1],
    no: cython.const[cython.int][::1],
    yes: cython.const[cython.int][::1],
    roots: cython.const[cython.int][::1],
) -> object:
    """The OR nodes that the roots reach, children first: int32. Empty where they are on a cycle."""
    n: cython.Py_ssize_t = split_at.shape[0] - 1
    order = np.empty(n + 1, np.int32)
    state = np.zeros(n + 1, np.int32)  # 0 new, 1 begun, 2 done
    stack = np.empty(2 * yes.shape[0] + roots.shape[0] + 1, np.int32)
    out: cython.p_int = ints(order)
    st: cython.p_int = ints(state)
    sk: cython.p_int = ints(stack)
    top: cython.Py_ssize_t = 0
    k: cython.Py_ssize_t
    v: cython.int
    child: cython.int
    side: cython.int
    found: cython.Py_ssize_t = 0
    cycle: cython.bint = False
    with cython.nogil:
        for k in range(roots.shape[0]):
            sk[top] = roots[k]
            top += 1
        while top > 0 and not cycle:
            v = sk[top - 1]
            if st[v]:
                top -= 1
                if st[v] == 1:
                    st[v] = 2
                    out[found] = v
                    found += 1
                continue
            st[v] = 1
            for k in range(split_at[v], split_at[v + 1]):
                for side in range(2):
                    child = yes[k] if side else no[k]
                    if st[child] == 1:
                        cycle = True
                    elif st[child] == 0:
                        sk[top] = child
                        top += 1
    return order[: 0 if cycle else found]


def tested_again(
    split_at: cython.const[cython.int][::1],
    feature: cython.const[cython.int][::1],
    no: cython.const[cython.int][::1],
    yes: cython.const[cython.int][::1],
    n_features: cython.Py_ssize_t,
) -> object:
    """The first OR node with a split on a feature that a tree below it may test again; -1: there is none. Nodes come
    children first."""
    words: cython.Py_ssize_t = (n_features + 63) >> 6
    n_nodes: cython.Py_ssize_t = split_at.shape[0] - 1
    room = np.zeros(n_nodes * words + 1, np.uint64)
    below: cython.p_ulonglong = bits(room)  # of each node, the features tested in it or below
    n: cython.Py_ssize_t
    k: cython.Py_ssize_t
    w: cython.Py_ssize_t
    f: cython.int
    found: cython.Py_ssize_t = -1
    with cython.nogil:
        for n in range(n_nodes):
            for k in range(split_at[n], split_at[n + 1]):
                f = feature[k]
                if (below[no[k] * words + (f >> 6)] | below[yes[k] * words + (f >> 6)]) & bit(f & 63):
                    found = n
                    break
                for w in range(words):
                    below[n * words + w] |= below[no[k] * words + w] | below[yes[k] * words + w]
                below[n * words + (f >> 6)] |= bit(f & 63)
            if found >= 0:
                break
    return found


def grouped(
    first: cython.longlong[::1],
    second: cython.longlong[::1],
    size: cython.int[::1],
    loss: cython.longlong[::1],
    slots: cython.int[::1],
    group: cython.int[::1],
    best: cython.int[::1],
) -> object:
    """Number the distinct pairs (first, second) in order of appearance: how many there are. ``group``: of each entry;
    ``best``: of each group, its first entry of the least size, then loss. ``slots``: -1, a power of two, at least
    twice as many as entries."""
    n_groups: cython.int = 0
    i: cython.Py_ssize_t
    g: cython.int
    slot: cython.Py_ssize_t
    mask: cython.ulonglong = slots.shape[0] - 1
    code: cython.ulonglong
    with cython.nogil:
        for i in range(first.shape[0]):
            code = mixed(cython.cast(cython.ulonglong, first[i]), 0)
            slot = cython.cast(cython.Py_ssize_t, (code ^ (code >> 32)) & mask)
            while True:
                g = slots[slot]
                if g < 0:
                    slots[slot] = n_groups
                    best[n_groups] = cython.cast(cython.int, i)
                    group[i] = n_groups
                    n_groups += 1
                    break
                if first[best[g]] == first[i] and second[best[g]] == second[i]:
                    group[i] = g
                    if size[i] < size[best[g]] or (size[i] == size[best[g]] and loss[i] < loss[best[g]]):
                        best[g] = cython.cast(cython.int, i)
                    break
                slot = (slot + 1) & mask
    return n_groups


def answers(
    feature: cython.const[cython.int][::1],
    no: cython.const[cython.int][::1],
    yes: cython.const[cython.int][::1],
    column: cython.const[cython.ulonglong][::1],
    label: cython.const[cython.ulonglong][::1],
    out: cython.ulonglong[::1],
) -> None:
    """One bit of each entry's answer for 64 rows at once: ``column[f]`` holds feature f of the rows, ``label[c]`` is
    all ones where class c has the bit."""
    e: cython.Py_ssize_t
    with cython.nogil:
        for e in range(feature.shape[0]):
            if feature[e] < 0:
                out[e] = label[-1 - feature[e]]
            else:
                out[e] = (column[feature[e]] & out[yes[e]]) | (~column[feature[e]] & out[no[e]])


def tested(
    feature: cython.const[cython.int][::1],
    no: cython.const[cython.int][::1],
    yes: cython.const[cython.int][::1],
    first: cython.const[cython.longlong][::1],
    second: cython.const[cython.longlong][::1],
    f: cython.int,
    only_needed: cython.bint,
    out: cython.uchar[::1],
) -> None:
    """Whether each entry's tree tests feature f; ``only_needed``: whether its function depends on it, that is, two
    different functions meet at such a test."""
    e: cython.Py_ssize_t
    with cython.nogil:
        for e in range(feature.shape[0]):
            if feature[e] < 0:
                out[e] = 0
            elif feature[e] == f:
                out[e] = not only_needed or first[no[e]] != first[yes[e]] or second[no[e]] != second[yes[e]]
            else:
                out[e] = out[no[e]] | out[yes[e]]
