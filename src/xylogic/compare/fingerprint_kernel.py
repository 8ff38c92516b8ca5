"""Fingerprints modulo 2^61 - 1: the sum over leaves of code(label) * product over features of the weight of what the
leaf's box leaves of the feature. All weights of a feature add up to 1, so a feature that is not tested drops out.

Two fingerprints at once: arrays with two rows hold the weights of each.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.compare.modular_kernel import inverse, minus, plus, times
    from cython.cimports.xylogic.domain.machine_kernel import ints, longs, small
else:
    from xylogic.compare.modular_kernel import inverse, minus, plus, times
    from xylogic.domain.machine_kernel import ints, longs, small


def tree_sums(
    feature: cython.const[cython.int][::1],
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    missing: cython.const[cython.schar][::1],
    set_ptr: cython.const[cython.int][::1],
    set_items: cython.const[cython.int][::1],
    rank: cython.const[cython.int][::1],
    label: cython.const[cython.int][::1],
    kind: cython.const[cython.uchar][::1],
    start: cython.const[cython.int][::1],
    weight: cython.const[cython.longlong][:, ::1],
    absent: cython.const[cython.longlong][:, ::1],
    code: cython.const[cython.longlong][:, ::1],
) -> object:
    """Both fingerprints of a tree: int64 (2,). O(nodes, times the categories of a category test); never recurses.

    ``feature`` to ``set_items`` are a ``Tree``'s. Node n sends to the left what is at or below level ``rank[n]`` of its
    feature f; the weights of f begin at ``start[f]``: of an ordered one (``kind`` bit 0 not set) the running sums up to
    each level, from 0; of a categorical one (bit 0) of each category. ``absent[:, f]``: of "missing", which is a
    state where bit 1 of ``kind`` is set. ``label[n]``: the leaf's position in ``code``.
    """
    n_nodes: cython.Py_ssize_t = left.shape[0]
    n_features: cython.Py_ssize_t = kind.shape[0]
    room_low = np.zeros(n_features + 1, np.int32)
    room_high = np.zeros(n_features + 1, np.int32)
    room_open = np.zeros(n_features + 1, np.uint8)  # whether "missing" is still possible
    room_now = np.ones(2 * n_features + 1, np.int64)
    room_inside = np.ones(weight.shape[1] + 1, np.uint8)
    room_marked = np.zeros(weight.shape[1] + 1, np.uint8)
    room_log = np.empty(weight.shape[1] + 1, np.int32)  # categories lost on the path: each at most once
    frame = np.empty(6 * n_nodes + 1, np.int32)
    saved = np.empty(2 * n_nodes + 1, np.int64)
    parent = np.empty(n_nodes + 1, np.int32)
    at = np.empty(n_nodes + 1, np.int32)
    before = np.empty(2 * n_nodes + 1, np.int64)
    after = np.empty(2 * n_nodes + 1, np.int64)
    result = np.zeros(2, np.int64)
    low: cython.p_int = ints(room_low)
    high: cython.p_int = ints(room_high)
    open_: cython.p_uchar = small(room_open)
    now: cython.p_longlong = longs(room_now)
    inside: cython.p_uchar = small(room_inside)
    marked: cython.p_uchar = small(room_marked)
    log: cython.p_int = ints(room_log)
    fr: cython.p_int = ints(frame)
    sv: cython.p_longlong = longs(saved)
    par: cython.p_int = ints(parent)
    nd: cython.p_int = ints(at)
    bef: cython.p_longlong = longs(before)
    aft: cython.p_longlong = longs(after)
    res: cython.p_longlong = longs(result)
    f: cython.Py_ssize_t
    n: cython.Py_ssize_t
    k: cython.Py_ssize_t
    lane: cython.Py_ssize_t
    top: cython.Py_ssize_t = 0
    n_log: cython.int = 0
    n_visits: cython.int = 1
    stage: cython.int
    child: cython.int
    cut: cython.int
    begin: cython.int
    stop: cython.int
    alive: cython.bint
    side: cython.bint
    total: cython.longlong
    with cython.nogil:
        for f in range(n_features):
            open_[f] = (kind[f] >> 1) & 1
            if not kind[f] & 1:
                high[f] = start[f + 1] - start[f] - 1
        par[0] = nd[0] = 0
        # a frame: node, its visit, stage, low, high (or the log's length), open
        fr[0] = fr[1] = fr[2] = 0
        while top >= 0:
            n = fr[6 * top]
            if left[n] < 0:
                top -= 1
                continue
            f = feature[n]
            stage = fr[6 * top + 2]
            if stage == 0:
                fr[6 * top + 3] = low[f]
                fr[6 * top + 4] = n_log if kind[f] & 1 else high[f]
                fr[6 * top + 5] = open_[f]
                sv[2 * top] = now[2 * f]
                sv[2 * top + 1] = now[2 * f + 1]
            else:  # undo what the last child narrowed
                open_[f] = cython.cast(cython.uchar, fr[6 * top + 5])
                now[2 * f] = sv[2 * top]
                now[2 * f + 1] = sv[2 * top + 1]
                if kind[f] & 1:
                    while n_log > fr[6 * top + 4]:
                        n_log -= 1
                        inside[log[n_log]] = 1
                else:
                    low[f] = fr[6 * top + 3]
                    high[f] = fr[6 * top + 4]
                if stage == 2:
                    top -= 1
                    continue
            fr[6 * top + 2] = stage + 1
            side = stage == 0
            child = left[n] if side else right[n]
            if open_[f]:
                open_[f] = missing[n] == (1 if side else 2)
            if kind[f] & 1:
                alive = False
                begin = set_ptr[n]
                stop = set_ptr[n + 1]
                for k in range(begin, stop):
                    marked[start[f] + set_items[k]] = 1
                for lane in range(2):
                    now[2 * f + lane] = absent[lane, f] if open_[f] else 0
                for k in range(start[f], start[f + 1]):
                    if not inside[k]:
                        continue
                    if (marked[k] != 0) == side:
                        alive = True
                        for lane in range(2):
                            now[2 * f + lane] = plus(now[2 * f + lane], weight[lane, k])
                    else:
                        inside[k] = 0
                        log[n_log] = cython.cast(cython.int, k)
                        n_log += 1
                for k in range(begin, stop):
                    marked[start[f] + set_items[k]] = 0
            else:
                cut = rank[n]
                if side:
                    high[f] = min(high[f], cut)
                else:
                    low[f] = max(low[f], cut)
                alive = low[f] < high[f]
                for lane in range(2):
                    total = absent[lane, f] if open_[f] else 0
                    if alive:
                        total = plus(total, minus(weight[lane, start[f] + high[f]], weight[lane, start[f] + low[f]]))
                    now[2 * f + lane] = total
            if not (alive or open_[f]):
                continue
            par[n_visits] = fr[6 * top + 1]
            nd[n_visits] = child
            for lane in range(2):
                bef[2 * n_visits + lane] = sv[2 * top + lane]
                aft[2 * n_visits + lane] = now[2 * f + lane]
            top += 1
            fr[6 * top] = child
            fr[6 * top + 1] = n_visits
            fr[6 * top + 2] = 0
            n_visits += 1
    for lane in range(2):
        res[lane] = _leaf_sum(left, label, code[lane], at, parent, before, after, lane, n_visits)
    return result


@cython.cfunc
def _leaf_sum(
    left: cython.const[cython.int][::1],
    label: cython.const[cython.int][::1],
    code: cython.const[cython.longlong][::1],
    at: cython.int[::1],
    parent: cython.int[::1],
    before: cython.longlong[::1],
    after: cython.longlong[::1],
    lane: cython.Py_ssize_t,
    n_visits: cython.Py_ssize_t,
) -> cython.longlong:
    """The sum of code times product over the visited leaves. A retest replaces the feature's factor ``before`` by
    ``after``; the divisors are inverted together (P. Montgomery's trick), factors 0 are counted instead."""
    room_prefix = np.empty(n_visits, np.int64)
    room_zeros = np.zeros(n_visits, np.int32)
    prefix: cython.p_longlong = longs(room_prefix)
    zeros: cython.p_int = ints(room_zeros)
    v: cython.Py_ssize_t
    running: cython.longlong = 1
    found: cython.longlong = 0
    b: cython.longlong
    a: cython.longlong
    with cython.nogil:
        for v in range(1, n_visits):
            b = before[2 * v + lane]
            if b > 1:
                prefix[v] = running
                running = times(running, b)
        if running != 1:
            running = inverse(running)
        for v in range(n_visits - 1, 0, -1):
            b = before[2 * v + lane]
            if b > 1:
                prefix[v] = times(prefix[v], running)
                running = times(running, b)
        prefix[0] = 1
        for v in range(n_visits):
            if v > 0:
                b = before[2 * v + lane]
                a = after[2 * v + lane]
                zeros[v] = zeros[parent[v]] + (a == 0) - (b == 0)
                b = times(prefix[v], prefix[parent[v]]) if b > 1 else prefix[parent[v]]
                prefix[v] = times(a, b) if a else b
            if left[at[v]] < 0 and zeros[v] == 0:
                found = plus(found, times(code[label[at[v]]], prefix[v]))
    return found


def graph_sums(
    feature: cython.const[cython.int][::1],
    edge_at: cython.const[cython.longlong][::1],
    lo: cython.const[cython.int][::1],
    hi: cython.const[cython.int][::1],
    child: cython.const[cython.int][::1],
    start: cython.const[cython.int][::1],
    weight: cython.const[cython.longlong][:, ::1],
    value: cython.longlong[:, ::1],
) -> None:
    """Fill in both fingerprints of every node of a test-once decision graph: ``value``, int64 (2, n_nodes), which
    holds those of the leaves. ``weight``: of each feature f, from ``start[f]``, the running sums over its states."""
    n: cython.Py_ssize_t
    e: cython.Py_ssize_t
    f: cython.Py_ssize_t
    lane: cython.Py_ssize_t
    total: cython.longlong
    share: cython.longlong
    with cython.nogil:
        for lane in range(2):
            for n in range(feature.shape[0]):
                f = feature[n]
                if f < 0:
                    continue
                total = 0
                for e in range(edge_at[n], edge_at[n + 1]):
                    share = minus(weight[lane, start[f] + hi[e] + 1], weight[lane, start[f] + lo[e]])
                    total = plus(total, times(share, value[lane, child[e]]))
                value[lane, n] = total
