"""The weakest links of a tree, in numbers of twice the usual precision.

A number is an unevaluated sum ``hi + lo`` of two doubles with about 106 bits (T. J. Dekker, Numerische Mathematik 18,
1971), so that differences of long sums of risks, and equal links, come out as in exact arithmetic.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.returns((cython.double, cython.double))
def _plus(a_hi: cython.double, a_lo: cython.double, b_hi: cython.double, b_lo: cython.double):
    s: cython.double = a_hi + b_hi
    v: cython.double = s - a_hi
    e: cython.double = (a_hi - (s - v)) + (b_hi - v)
    t: cython.double = a_lo + b_lo
    w: cython.double = t - a_lo
    f: cython.double = (a_lo - (t - w)) + (b_lo - w)
    hi: cython.double = s + (e + t)
    low: cython.double = (e + t) - (hi - s) + f
    s = hi + low
    return s, low - (s - hi)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.returns((cython.double, cython.double))
def _over(hi: cython.double, lo: cython.double, n: cython.double):
    """``(hi + lo) / n``, for a whole n below 2^53."""
    q: cython.double = hi / n
    # q * n exactly, as p + e: both factors are cut into halves of 26 bits.
    a: cython.double = q * 134217729.0
    b: cython.double = n * 134217729.0
    q1: cython.double = a - (a - q)
    n1: cython.double = b - (b - n)
    q2: cython.double = q - q1
    n2: cython.double = n - n1
    p: cython.double = q * n
    e: cython.double = ((q1 * n1 - p) + q1 * n2 + q2 * n1) + q2 * n2
    rest: cython.double = ((hi - p) - e + lo) / n
    a = q + rest
    return a, rest - (a - q)


def gini_risks(counts: cython.const[cython.longlong][:, ::1], risk: cython.double[:, ::1]) -> None:
    """Fill in, as hi and lo, ``n - sum of c^2 / n`` for each row of class counts c with the sum n, 0 < n < 2^31."""
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    n: cython.longlong
    rest: cython.longlong
    top: cython.double
    with cython.nogil:
        for i in range(counts.shape[0]):
            n = 0
            for k in range(counts.shape[1]):
                n += counts[i, k]
            rest = n * n
            for k in range(counts.shape[1]):
                rest -= counts[i, k] * counts[i, k]
            top = cython.cast(cython.double, rest)
            risk[i, 0], risk[i, 1] = _over(
                top,
                cython.cast(cython.double, rest - cython.cast(cython.longlong, top)),
                cython.cast(cython.double, n),
            )


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _merge(
    a: cython.int,
    b: cython.int,
    below: cython.int[:, ::1],
    alpha: cython.double[:, ::1],
) -> cython.int:
    """The top of two skew heaps put together, the greatest alpha on top; -1 is the empty heap."""
    top: cython.int
    other: cython.int
    if a < 0:
        return b
    if b < 0:
        return a
    if alpha[a, 0] < alpha[b, 0] or (alpha[a, 0] == alpha[b, 0] and alpha[a, 1] < alpha[b, 1]):
        a, b = b, a
    top = a
    while b >= 0:
        other = below[a, 1]
        below[a, 1] = below[a, 0]
        if other >= 0 and (
            alpha[other, 0] < alpha[b, 0] or (alpha[other, 0] == alpha[b, 0] and alpha[other, 1] < alpha[b, 1])
        ):
            other, b = b, other
        elif other < 0:
            other, b = b, -1
        below[a, 0] = other
        a = other
    return top


def weakest_links(
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    risk: cython.const[cython.double][:, ::1],
    alpha: cython.double[:, ::1],
    drop: cython.double[:, ::1],
    fewer: cython.int[::1],
    stays: cython.schar[::1],
    heap: cython.int[::1],
    below: cython.int[:, ::1],
) -> None:
    """When each inner node becomes a leaf as alpha grows, if none above it does so before. Parents come first.

    ``risk``, float64 (n_nodes, 2), is the nodes' as hi and lo. Filled in for inner nodes: ``alpha`` (hi, lo) >= 0;
    ``drop`` (hi, lo) and ``fewer``, the risk that is added then and the leaves that are lost; ``stays``, 1 unless a
    node above becomes a leaf before. ``heap``, ``below`` (n_nodes, 2): room.

    The least cost of a subtree is a concave function of alpha, its bends are the alphas of its nodes. They are kept
    in a heap, which a node takes over from its children and cuts off where it becomes a leaf itself: O(J log J) for J
    nodes, whatever the depth.
    """
    t: cython.Py_ssize_t
    top: cython.int
    leaves: cython.int
    hi: cython.double
    lo: cython.double
    d_hi: cython.double
    d_lo: cython.double
    a_hi: cython.double
    a_lo: cython.double
    with cython.nogil:
        for t in range(left.shape[0] - 1, -1, -1):
            heap[t] = -1
            if left[t] < 0:
                continue
            top = _merge(heap[left[t]], heap[right[t]], below, alpha)
            hi, lo = _plus(risk[left[t], 0], risk[left[t], 1], risk[right[t], 0], risk[right[t], 1])
            leaves = 2
            while True:
                d_hi, d_lo = _plus(risk[t, 0], risk[t, 1], -hi, -lo)
                a_hi, a_lo = _over(d_hi, d_lo, cython.cast(cython.double, leaves - 1))
                if a_hi < 0:
                    a_hi, a_lo = 0.0, 0.0
                if top < 0 or a_hi > alpha[top, 0] or (a_hi == alpha[top, 0] and a_lo >= alpha[top, 1]):
                    break
                stays[top] = 0  # at the alpha of t, the node on top still has its leaves
                hi, lo = _plus(hi, lo, -drop[top, 0], -drop[top, 1])
                leaves += fewer[top]
                top = _merge(below[top, 0], below[top, 1], below, alpha)
            alpha[t, 0], alpha[t, 1] = a_hi, a_lo
            drop[t, 0], drop[t, 1] = d_hi, d_lo
            fewer[t] = leaves - 1
            stays[t] = 1
            below[t, 0] = -1
            below[t, 1] = -1
            heap[t] = _merge(top, cython.cast(cython.int, t), below, alpha)


def steps(
    order: cython.const[cython.longlong][::1],
    alpha: cython.const[cython.double][:, ::1],
    drop: cython.const[cython.double][:, ::1],
    fewer: cython.const[cython.int][::1],
    noise: cython.const[cython.double][::1],
    weight: cython.double,
    until: cython.longlong[::1],
    alphas: cython.double[::1],
    risks: cython.double[::1],
    leaves: cython.longlong[::1],
) -> int:
    """The path of trees: how many there are. Links that are equal but for their ``noise`` make one step.

    ``order``: the nodes that become leaves, by ascending alpha. ``risks[0]`` and ``leaves[0]`` are those of the whole
    tree; ``alphas`` and ``risks`` are divided by ``weight``. ``until[t]`` is the first tree in which t is no inner
    node, as far as t itself goes.
    """
    i: cython.Py_ssize_t
    t: cython.longlong
    k: cython.Py_ssize_t = 0
    first: cython.double = 0.0  # of this step, with its noise and its low part
    first_lo: cython.double = 0.0
    slack: cython.double = 0.0
    hi: cython.double = risks[0]
    lo: cython.double = 0.0
    alphas[0] = 0.0
    risks[0] = hi / weight
    with cython.nogil:
        for i in range(order.shape[0]):
            t = order[i]
            if (alpha[t, 0] - first) + (alpha[t, 1] - first_lo) > slack + noise[t] and (
                alpha[t, 0] / weight > alphas[k]
            ):
                first = alpha[t, 0]
                first_lo = alpha[t, 1]
                slack = noise[t]
                k += 1
                alphas[k] = first / weight
                leaves[k] = leaves[k - 1]
            until[t] = k
            hi, lo = _plus(hi, lo, drop[t, 0], drop[t, 1])
            risks[k] = hi / weight
            leaves[k] -= fewer[t]
    return k + 1


def spread(
    left: cython.const[cython.int][::1], right: cython.const[cython.int][::1], until: cython.longlong[::1]
) -> None:
    """Lower each node's number to its parent's where that is less, from the root down. Parents come first."""
    t: cython.Py_ssize_t
    with cython.nogil:
        for t in range(left.shape[0]):
            if left[t] >= 0:
                until[left[t]] = min(until[left[t]], until[t])
                until[right[t]] = min(until[right[t]], until[t])
