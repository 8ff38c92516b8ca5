"""Cuts off what no row reaches, and tests that decide nothing."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import bits, doubles, ints, mixed
    from cython.cimports.xylogic.search.path_kernel import Nodes, Path, same_tests
else:
    from xylogic.domain.machine_kernel import bits, doubles, ints, mixed
    from xylogic.search.path_kernel import Nodes, Path, same_tests


def trim(tree: Nodes, path: Path, out: object) -> object:
    """Copy the tree to ``out`` in preorder, without the tests that the path to them decides: number of nodes.

    ``out`` has the arrays of :class:`Nodes`, and besides ``source``: the node's own number, ``parent`` (-1 at the
    root), ``low``, ``high``: the interval that the path leaves to the tested column. ``way`` and ``words`` are what
    the path leaves to each side: left codes, and behind them right ones. O(nodes * words of a set).
    """
    feature: cython.p_int = ints(out.feature)
    left: cython.p_int = ints(out.left)
    right: cython.p_int = ints(out.right)
    way: cython.p_int = ints(out.way)
    set_at: cython.p_int = ints(out.set_at)
    label: cython.p_int = ints(out.label)
    source: cython.p_int = ints(out.source)
    parent: cython.p_int = ints(out.parent)
    cut: cython.p_double = doubles(out.cut)
    low: cython.p_double = doubles(out.low)
    high: cython.p_double = doubles(out.high)
    words: cython.p_ulonglong = bits(out.words)
    n: cython.int = 0  # nodes written
    n_words: cython.int = 0
    above: cython.int = -1  # the written node that the walk is below
    node: cython.int = 0
    c: cython.int
    k: cython.int
    sides: cython.int
    with cython.nogil:
        while True:
            sides = 3
            while tree.feature[node] >= 0:
                sides = path.sides(tree, node)
                if sides == 3:
                    break
                node = tree.left[node] if sides == 1 else tree.right[node]
            c = tree.feature[node]
            source[n] = node
            parent[n] = above
            feature[n] = c
            label[n] = tree.label[node]
            left[n] = right[n] = -1
            if c >= 0:
                cut[n] = tree.cut[node]
                way[n] = tree.way[node] if path.missing[c] else 0
                low[n] = path.low[c]
                high[n] = path.high[c]
                if path.is_set[c]:
                    set_at[n] = n_words
                    for k in range(path.width[c]):
                        words[n_words + k] = path.word[path.word_at[c] + k] & tree.words[tree.set_at[node] + k]
                        words[n_words + path.width[c] + k] = (
                            path.word[path.word_at[c] + k] & ~tree.words[tree.set_at[node] + k]
                        )
                    n_words += 2 * path.width[c]
                left[n] = n + 1
                path.narrow(tree, node, 1)
                above = n
                node = tree.left[node]
                n += 1
                continue
            n += 1
            while above >= 0 and right[above] >= 0:
                path.undo()
                above = parent[above]
            if above < 0:
                break
            right[above] = n
            path.undo()
            path.narrow(tree, source[above], 2)
            node = tree.right[source[above]]
    return n


def settle(tree: Nodes, path: Path, out: object) -> object:
    """Drop the tests both of whose sides are the same tree: (nodes left, their depth). O(nodes).

    ``tree`` is in preorder and loses its right children there. Of what is left, in preorder: ``out.order``: the nodes;
    ``out.left``, ``out.right``, ``out.parent``, ``out.end``: links and the node behind the last one below, int32;
    ``out.code``: a hash of the tree below, uint64.
    """
    order: cython.p_int = ints(out.order)
    left: cython.p_int = ints(out.left)
    right: cython.p_int = ints(out.right)
    parent: cython.p_int = ints(out.parent)
    end: cython.p_int = ints(out.end)
    stands: cython.p_int = ints(out.stands)
    stack_a: cython.p_int = ints(out.stack_a)
    stack_b: cython.p_int = ints(out.stack_b)
    code: cython.p_ulonglong = bits(out.code)
    below: cython.p_ulonglong = bits(out.below)
    number: cython.p_ulonglong = bits(out.cut_bits)
    n: cython.int
    k: cython.int
    c: cython.int
    a: cython.int
    b: cython.int
    top: cython.int = 1
    n_left: cython.int = 0
    deepest: cython.int = 0
    hashed: cython.ulonglong
    with cython.nogil:
        for n in range(tree.n_nodes - 1, -1, -1):
            stands[n] = n
            c = tree.feature[n]
            if c < 0:
                below[n] = mixed(1, cython.cast(cython.ulonglong, tree.label[n]) + 7)
                continue
            a = stands[tree.left[n]]
            b = stands[tree.right[n]]
            tree.left[n] = a
            tree.right[n] = b
            if below[a] == below[b] and same_tests(tree, a, tree, b, path, stack_a, stack_b):
                stands[n] = a
            hashed = mixed(
                mixed(cython.cast(cython.ulonglong, c), number[n]), cython.cast(cython.ulonglong, tree.way[n])
            )
            if path.is_set[c]:
                for k in range(path.width[c]):
                    hashed = mixed(hashed, tree.words[tree.set_at[n] + k])
            below[n] = mixed(mixed(hashed, below[a]), below[b] ^ 5)
        # Each entry: a node, and where it hangs: twice its parent's number, and 1 more on the right.
        stack_a[0] = stands[0]
        stack_b[0] = -1
        while top:
            top -= 1
            n = stack_a[top]
            k = stack_b[top]
            order[n_left] = n
            code[n_left] = below[n]
            left[n_left] = right[n_left] = -1
            end[n_left] = 1
            parent[n_left] = -1
            if k >= 0:
                parent[n_left] = k >> 1
                end[n_left] = end[k >> 1] + 1  # for now the depth, from 1
                if k & 1:
                    right[k >> 1] = n_left
                else:
                    left[k >> 1] = n_left
            deepest = max(deepest, end[n_left])
            if tree.feature[n] >= 0:
                stack_a[top] = tree.right[n]
                stack_b[top] = 2 * n_left + 1
                stack_a[top + 1] = tree.left[n]
                stack_b[top + 1] = 2 * n_left
                top += 2
            n_left += 1
        for n in range(n_left - 1, -1, -1):
            end[n] = n + 1 if left[n] < 0 else end[right[n]]
    return n_left, deepest - 1
