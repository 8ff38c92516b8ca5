"""The terms of a zero-suppressed diagram in order of size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

__all__ = ["terms_by_size"]

Edges = Sequence[tuple[int, int]]


def terms_by_size(nodes: Sequence[Edges], root: int) -> Iterator[list[tuple[int, int]]]:
    """Every term as a list of (node, label), the shortest first, those of one size in the order of edges.

    ``nodes[n]`` holds the edges (label, child) of node n, whose numbers are below n; label 0 is no part of a term, node
    0 holds no term and node 1 the empty one. O(nodes) numbers of as many bits as terms are long, and then no step that
    does not lead to a term.
    """
    sizes = [0, 1]  # bit k: the node holds a term of k labels
    for edges in nodes[2:]:
        own = 0
        for label, child in edges:
            own |= sizes[child] << 1 if label else sizes[child]
        sizes.append(own)
    for size in range(sizes[root].bit_length()):
        if sizes[root] >> size & 1:
            yield from _terms_of_size(nodes, sizes, root, size)


def _terms_of_size(
    nodes: Sequence[Edges], sizes: Sequence[int], root: int, size: int
) -> Iterator[list[tuple[int, int]]]:
    path: list[tuple[int, int]] = []
    waiting = [(root, size, 0, 0, 0)]  # node, labels it must add, and how it was come by: path so far, node, label
    while waiting:
        n, left, before, source, taken = waiting.pop()
        del path[before:]
        if taken:
            path.append((source, taken))
        if n == 1:
            yield path.copy()
            continue
        before = len(path)
        for label, child in reversed(nodes[n]):
            rest = left - 1 if label else left
            if rest >= 0 and sizes[child] >> rest & 1:
                waiting.append((child, rest, before, n, label))
