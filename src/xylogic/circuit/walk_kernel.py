"""Passes over the nodes of a circuit: what roots reach, values on rows, and copies under a change. All linear."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.circuit.nnf_kernel import Circuit
    from cython.cimports.xylogic.domain.pointer_kernel import bits, ints
else:
    from xylogic.circuit.nnf_kernel import Circuit
    from xylogic.domain.pointer_kernel import bits, ints

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
                for r in range(first, stop):
                    s = cython.cast(cython.int, columns[circuit.size[n] * n_rows + r])
                    if (circuit.words[circuit.at[n] + (s >> 6)] >> (s & 63)) & one:
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


def rebuild(target: Circuit, source: Circuit, root: cython.int, negate: cython.bint, allowed: object) -> object:
    """A copy of ``root`` in ``target``, negated (by De Morgan) or not, given that every feature is in a set of states.

    ``allowed``: uint64, the sets of all features, each in (n_states + 63) // 64 words; or ``None``. A literal that the
    sets decide becomes constant. The circuits have equal features. O(edges).
    """
    nodes = reachable(source, [root])
    image = np.zeros(root + 1, np.int32)
    widths = [(n + 63) // 64 for n in source.n_states]
    word_at = np.cumsum([0, *widths], dtype=np.int32)
    given = np.append(np.full(word_at[len(widths)], 2**64 - 1, np.uint64) if allowed is None else allowed, np.uint64(0))
    spare = np.zeros(max(widths, default=1), np.uint64)
    longest = int(source.keep["size"][nodes[source.keep["kinds"][nodes] > 2]].max(initial=1))
    children = np.zeros(longest, np.int32)
    node: cython.p_int = ints(nodes)
    first_word: cython.p_int = ints(word_at)
    set_words: cython.p_ulonglong = bits(given)
    new: cython.p_int = ints(image)
    gathered: cython.p_int = ints(children)
    scratch: cython.p_ulonglong = bits(spare)
    n_nodes: cython.Py_ssize_t = len(nodes)
    with cython.nogil:
        _rebuild(target, source, node, n_nodes, negate, first_word, set_words, new, gathered, scratch)
    return int(image[root])


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def _rebuild(
    target: Circuit,
    source: Circuit,
    nodes: cython.p_int,
    n_nodes: cython.Py_ssize_t,
    negate: cython.bint,
    word_at: cython.p_int,
    allowed: cython.p_ulonglong,
    image: cython.p_int,
    children: cython.p_int,
    spare: cython.p_ulonglong,
) -> cython.int:
    p: cython.Py_ssize_t
    k: cython.Py_ssize_t
    at: cython.Py_ssize_t
    n: cython.int
    f: cython.int
    i: cython.int
    rest: cython.int
    full: cython.ulonglong
    some: cython.ulonglong
    other: cython.ulonglong
    for p in range(n_nodes):
        n = nodes[p]
        at = source.at[n]
        if source.kinds[n] < 2:
            image[n] = n ^ negate
        elif source.kinds[n] == 2:
            f = source.size[n]
            rest = cython.cast(cython.int, source.state_count[f])
            some = 0
            other = 0
            for i in range(source.width[f]):
                full = 0xFFFFFFFFFFFFFFFF
                if rest < 64:
                    full >>= 64 - rest
                rest -= 64
                spare[i] = source.words[at + i]
                if negate:
                    spare[i] ^= full
                some |= spare[i] & allowed[word_at[f] + i]
                other |= (spare[i] ^ full) & allowed[word_at[f] + i]
            if some == 0:
                image[n] = 0
            elif other == 0:
                image[n] = 1
            else:
                image[n] = target.literal_at(f, spare, 0)
        else:
            for k in range(source.size[n]):
                children[k] = image[source.items[at + k]]
            image[n] = target.gate(source.kinds[n] ^ (7 if negate else 0), children, 0, source.size[n])
    return 0
