"""Small hitting sets of feature sets, by depth-first search."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython

if cython.compiled:
    from cython.cimports.xylogic.search.box_kernel import lowest_bit
else:
    from xylogic.search.box_kernel import lowest_bit


def hitting_set(
    edges: cython.ulonglong[:, ::1],
    allowed: cython.ulonglong[:, ::1],
    pending: cython.ulonglong[:, ::1],
    chosen: cython.ulonglong[:, ::1],
    used: cython.ulonglong[::1],
    size: cython.int,
    steps: cython.longlong,
    resume: cython.int,
) -> int:
    """Look for at most ``size`` features that meet every edge.

    All arrays are bit sets of ``width`` words: ``edges`` (n_edges, width); ``allowed[0]``, the features to choose from,
    and ``allowed``, ``pending``, ``chosen`` (size + 1, width) and ``used`` (width,) as the search's memory.
    Returns the depth d >= 0 at which ``chosen[d]`` is a hitting set, -1 if there is none, or -2 - d after ``steps``
    nodes: call again with ``resume = d``; start with ``resume = -1``. Exponential in ``size`` only.
    """
    n_edges: cython.Py_ssize_t = edges.shape[0]
    width: cython.Py_ssize_t = edges.shape[1]
    depth: cython.int = max(0, resume)
    e: cython.Py_ssize_t
    i: cython.Py_ssize_t
    bound: cython.int
    count: cython.int
    least: cython.int
    best: cython.Py_ssize_t
    hit: cython.bint
    clash: cython.bint
    word: cython.ulonglong
    one: cython.ulonglong = 1
    forward: cython.bint = resume < 0
    result: cython.int
    with cython.nogil:
        if resume < 0:
            for i in range(width):
                chosen[0, i] = 0
        while True:
            if forward:
                # The uncovered edge with the fewest allowed features; disjoint ones bound what is still needed.
                best = -1
                least = 0
                bound = 0
                for i in range(width):
                    used[i] = 0
                for e in range(n_edges):
                    hit = False
                    clash = False
                    count = 0
                    for i in range(width):
                        if edges[e, i] & chosen[depth, i]:
                            hit = True
                            break
                        word = edges[e, i] & allowed[depth, i]
                        if word & used[i]:
                            clash = True
                        while word:
                            count += 1
                            word &= word - 1
                    if hit:
                        continue
                    if not clash:
                        bound += 1
                        for i in range(width):
                            used[i] |= edges[e, i] & allowed[depth, i]
                    if best < 0 or count < least:
                        best = e
                        least = count
                if best < 0:
                    result = depth
                    break
                for i in range(width):
                    pending[depth, i] = 0
                if depth + bound <= size and least > 0:
                    for i in range(width):
                        pending[depth, i] = edges[best, i] & allowed[depth, i]
                steps -= 1
                if steps < 0:
                    result = -2 - depth
                    break
            # The next feature of this depth's edge; those tried before are out of the question below it.
            forward = False
            for i in range(width):
                word = pending[depth, i]
                if word:
                    word = one << lowest_bit(word)
                    pending[depth, i] &= ~word
                    allowed[depth, i] &= ~word
                    for e in range(width):
                        allowed[depth + 1, e] = allowed[depth, e]
                        chosen[depth + 1, e] = chosen[depth, e]
                    chosen[depth + 1, i] |= word
                    depth += 1
                    forward = True
                    break
            if not forward:
                if depth == 0:
                    result = -1
                    break
                depth -= 1
    return result
