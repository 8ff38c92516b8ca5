"""Cuts off what no row reaches, and tests that decide nothing."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import bits, doubles, ints
    from cython.cimports.xylogic.search.path_kernel import Nodes, Path
else:
    from xylogic.domain.machine_kernel import bits, doubles, ints
    from xylogic.search.path_kernel import Nodes, Path


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


def settle(
    feature: cython.int[::1],
    left: cython.int[::1],
    right: cython.int[::1],
    parent: cython.int[::1],
    label: cython.int[::1],
    low: cython.int[::1],
    high: cython.int[::1],
    kept: cython.int[::1],
    size: cython.int[::1],
) -> int:
    """Give tests above leaves of one label that label and no children: depth of what is left.

    ``kept`` becomes whether a node is still reached, ``size`` how many nodes that leaves from it on down, ``low`` and
    ``high`` the least and greatest label below it.

    Nodes are in preorder. O(n_nodes).
    """
    n: cython.Py_ssize_t
    p: cython.int
    deepest: cython.int = 0
    with cython.nogil:
        for n in range(feature.shape[0] - 1, -1, -1):
            if feature[n] < 0:
                low[n] = high[n] = label[n]
                size[n] = 1
                continue
            low[n] = min(low[left[n]], low[right[n]])
            high[n] = max(high[left[n]], high[right[n]])
            size[n] = 1 + size[left[n]] + size[right[n]]
            if low[n] == high[n]:
                size[n] = 1
                feature[n] = left[n] = right[n] = -1
                label[n] = low[n]
        # For now `kept` is the depth of a node, from 1; 0 where a leaf has taken the place of the nodes above it.
        for n in range(feature.shape[0]):
            p = parent[n]
            if p < 0:
                kept[n] = 1
            elif kept[p] and feature[p] >= 0:
                kept[n] = kept[p] + 1
            else:
                kept[n] = 0
            deepest = max(deepest, kept[n])
        for n in range(feature.shape[0]):
            kept[n] = kept[n] > 0
    return deepest - 1
