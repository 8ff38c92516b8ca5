"""Passes over the nodes of a circuit: what roots reach, values on rows, and copies under a change. All linear."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.circuit.nnf_kernel import Circuit
    from cython.cimports.xylogic.domain.machine_kernel import bits, ints
else:
    from xylogic.circuit.nnf_kernel import Circuit
    from xylogic.domain.machine_kernel import bits, ints

BLOCK = cython.declare(cython.int, 16)  # words of 64 rows that one pass evaluates


def reachable(circuit: Circuit, roots: object) -> object:
    """The nodes on paths from ``roots``, ascending: int32. O(greatest root + edges)."""
    seen = np.zeros(max(roots, default=0) + 1, np.int32)
    seen[list(roots)] = 1
    mark: cython.p_int = ints(seen)
    n: cython.Py_ssize_t
    k: cython.Py_ssize_t
    last: cython.Py_ssize_t = len(seen) - 1
    with cython.nogil:
        for n in range(last, 1, -1):
            if mark[n] and circuit.kinds[n] > 2:
                for k in range(circuit.size[n]):
                    mark[circuit.items[circuit.at[n] + k]] = 1
    return np.flatnonzero(seen).astype(np.int32)


def n_links(circuit: Circuit, nodes: object) -> object:
    """How many links lead from gates among ``nodes`` (int32) to their children."""
    return int(circuit.keep["size"][nodes][circuit.keep["kinds"][nodes] > 2].sum())


def literal_features(circuit: Circuit, nodes: object) -> object:
    """The features of the literals among ``nodes`` (int32), ascending: int32."""
    literals = nodes[circuit.keep["kinds"][nodes] == 2]
    return np.unique(circuit.keep["items"][circuit.keep["at"][literals]])


def evaluate(circuit: Circuit, root: cython.int, rows: object) -> object:
    """The value at ``root`` for rows of states, int32 (n, n_features): bool (n,). O(n * edges / 64 + n * literals)."""
    nodes = reachable(circuit, [root])
    place = np.zeros(root + 1, np.int32)
    place[nodes] = np.arange(len(nodes), dtype=np.int32)
    columns = np.ascontiguousarray(np.append(np.asarray(rows, np.int32).T.ravel(), 0), dtype=np.int32)
    answer = np.zeros(len(rows) + 1, np.int32)
    value = np.zeros(len(nodes) * BLOCK, np.uint64)
    node: cython.p_int = ints(nodes)
    at: cython.p_int = ints(place)
    column: cython.p_int = ints(columns)
    word: cython.p_ulonglong = bits(value)
    out: cython.p_int = ints(answer)
    n_nodes: cython.Py_ssize_t = len(nodes)
    n_rows: cython.Py_ssize_t = len(rows)
    with cython.nogil:
        _evaluate(circuit, node, at, n_nodes, column, n_rows, word, out)
    return answer[:n_rows] != 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _evaluate(
    circuit: Circuit,
    nodes: cython.p_int,
    place: cython.p_int,
    n_nodes: cython.Py_ssize_t,
    columns: cython.p_int,
    n_rows: cython.Py_ssize_t,
    value: cython.p_ulonglong,
    answer: cython.p_int,
) -> cython.void:
    first: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    r: cython.Py_ssize_t
    p: cython.Py_ssize_t
    at: cython.Py_ssize_t
    k: cython.Py_ssize_t
    child: cython.Py_ssize_t
    last: cython.Py_ssize_t
    w: cython.int
    n: cython.int
    s: cython.int
    one: cython.ulonglong = 1
    every: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    first = 0
    while first < n_rows:
        stop = min(n_rows, first + 64 * BLOCK)
        for p in range(n_nodes):
            n = nodes[p]
            at = p * BLOCK
            if circuit.kinds[n] == 2:
                for w in range(BLOCK):
                    value[at + w] = 0
                child = circuit.at[n]
                last = child + circuit.size[n]
                for r in range(first, stop):
                    s = columns[circuit.items[child] * n_rows + r]
                    k = child + 2
                    while k < last and circuit.items[k] < s:
                        k += 2
                    if k < last and circuit.items[k - 1] <= s:
                        value[at + ((r - first) >> 6)] |= one << ((r - first) & 63)
                continue
            for w in range(BLOCK):
                value[at + w] = every if circuit.kinds[n] & 1 else 0
            for k in range(circuit.size[n] if circuit.kinds[n] > 2 else 0):
                child = place[circuit.items[circuit.at[n] + k]]
                child *= BLOCK
                if circuit.kinds[n] == 3:
                    for w in range(BLOCK):
                        value[at + w] &= value[child + w]
                else:
                    for w in range(BLOCK):
                        value[at + w] |= value[child + w]
        at = (n_nodes - 1) * BLOCK  # the root
        for r in range(first, stop):
            if (value[at + ((r - first) >> 6)] >> ((r - first) & 63)) & one:
                answer[r] = 1
        first = stop


def rebuild(target: Circuit, source: Circuit, root: cython.int, negate: cython.bint, allowed: object = None) -> object:
    """A copy of ``root`` in ``target``, negated (by De Morgan) or not, given that every feature is in a set of states.

    ``allowed``: feature -> its states; features left out are in any. A literal that these decide becomes constant.
    The circuits have equal features. O(edges + states).
    """
    nodes = reachable(source, [root])
    image = np.zeros(root + 1, np.int32)
    below, below_at = _counts(source.n_states, allowed or {})
    scratch = np.zeros(int(source.keep["size"][nodes].max(initial=1)) + 4, np.int32)
    node: cython.p_int = ints(nodes)
    count: cython.p_int = ints(below)
    count_at: cython.p_int = ints(below_at)
    new: cython.p_int = ints(image)
    gathered: cython.p_int = ints(scratch)
    n_nodes: cython.Py_ssize_t = len(nodes)
    with cython.nogil:
        _rebuild(target, source, node, n_nodes, negate, count, count_at, new, gathered)
    return int(image[root])


def _counts(n_states: object, allowed: object) -> object:
    """How many allowed states of each feature are below s, for s = 0 .. n_states; and where each feature begins."""
    flags = [np.zeros(n + 1, np.int32) for n in n_states]
    for f, flag in enumerate(flags):
        flag[1:] = 1
        if f in allowed:
            flag[1:] = 0
            flag[1 + np.array(allowed[f], np.int64)] = 1
    below = np.concatenate([np.cumsum(flag, dtype=np.int32) for flag in flags] + [np.zeros(1, np.int32)])
    return below, np.cumsum([0] + [len(flag) for flag in flags], dtype=np.int32)


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def _rebuild(
    target: Circuit,
    source: Circuit,
    nodes: cython.p_int,
    n_nodes: cython.Py_ssize_t,
    negate: cython.bint,
    below: cython.p_int,
    below_at: cython.p_int,
    image: cython.p_int,
    scratch: cython.p_int,
) -> cython.int:
    p: cython.Py_ssize_t
    k: cython.Py_ssize_t
    at: cython.Py_ssize_t
    size: cython.Py_ssize_t
    n: cython.int
    f: cython.int
    first: cython.int
    inside: cython.int
    for p in range(n_nodes):
        n = nodes[p]
        at = source.at[n]
        size = source.size[n]
        if source.kinds[n] < 2:
            image[n] = 1 - n if negate else n
        elif source.kinds[n] == 2:
            f = source.items[at]
            inside = 0
            for k in range(at + 1, at + size, 2):
                inside += below[below_at[f] + source.items[k + 1] + 1] - below[below_at[f] + source.items[k]]
            if inside == 0 or inside == below[below_at[f] + source.state_count[f]]:
                image[n] = (inside > 0) != negate
            elif not negate:
                image[n] = target.literal_runs(f, source.items, at + 1, size // 2)
            else:
                first = 0
                size = 0
                for k in range(at + 1, at + source.size[n], 2):
                    if first < source.items[k]:
                        scratch[size] = first
                        scratch[size + 1] = source.items[k] - 1
                        size += 2
                    first = source.items[k + 1] + 1
                if first < source.state_count[f]:
                    scratch[size] = first
                    scratch[size + 1] = source.state_count[f] - 1
                    size += 2
                image[n] = target.literal_runs(f, scratch, 0, size // 2)
        else:
            for k in range(size):
                scratch[k] = image[source.items[at + k]]
            image[n] = target.gate(7 - source.kinds[n] if negate else source.kinds[n], scratch, 0, size)
    return 0
