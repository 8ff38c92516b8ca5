"""Two trees walked together: every pair of leaves that some row reaches both of, and that answer differently."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import bits, doubles, ints
    from cython.cimports.xylogic.search.path_kernel import Nodes, Path, same_tests
else:
    from xylogic.domain.machine_kernel import bits, doubles, ints
    from xylogic.search.path_kernel import Nodes, Path, same_tests

PAUSED, FOUND, DONE = 0, 1, 2


def spread(tree: Nodes, worth: cython.double[::1], low: cython.double[::1], high: cython.double[::1]) -> None:
    """``low`` and ``high`` become the least and greatest ``worth`` (by label) of the leaves below each node. O(n)."""
    n: cython.int
    with cython.nogil:
        for n in range(tree.n_nodes - 1, -1, -1):
            if tree.feature[n] < 0:
                low[n] = high[n] = worth[tree.label[n]]
            else:
                low[n] = min(low[tree.left[n]], low[tree.right[n]])
                high[n] = max(high[tree.left[n]], high[tree.right[n]])


@cython.final
@cython.cclass
class Walk:
    """A depth-first walk over pairs of nodes (a, b); the box of a pair is what reaches both, and never empty.

    A test that the box decides is stepped over; a test that both share splits both; otherwise the tree with more
    nodes below is split, and the box with it. A pair is left where both trees are the same (``alike``: equal labels
    are worth the same), or where no two leaves below can differ by more than
    ``tolerance``: ``spans`` are the least and greatest worth below each node of either tree. O(pairs of leaves that
    meet), at most the product of the leaves.
    """

    def __init__(self, a: Nodes, b: Nodes, path: Path, spans: object, tolerance: float, alike: bool) -> None:
        room = a.keep.depth + b.keep.depth + 2
        frame_a, frame_b, frame_side, stack_a, stack_b = (np.empty(room, np.int32) for _ in range(5))
        self.keep = (spans, frame_a, frame_b, frame_side, stack_a, stack_b)
        self.alike = alike
        self.code_a, self.code_b = bits(a.keep.code), bits(b.keep.code)
        self.stack_a, self.stack_b = ints(stack_a), ints(stack_b)
        self.a, self.b, self.path, self.tolerance = a, b, path, tolerance
        self.low_a, self.high_a, self.low_b, self.high_b = (
            doubles(spans[0]), doubles(spans[1]), doubles(spans[2]), doubles(spans[3])
        )  # fmt: skip
        self.end_a, self.end_b = ints(a.keep.end), ints(b.keep.end)
        self.frame_a, self.frame_b, self.frame_side = ints(frame_a), ints(frame_b), ints(frame_side)
        self.n_frames = self.at_a = self.at_b = 0
        self.resting = False

    def run(self, steps: cython.longlong) -> object:
        """Go on for so many pairs at most: ``FOUND`` at a pair of leaves (``at_a``, ``at_b``), ``DONE``, or
        ``PAUSED``."""
        state: cython.int
        with cython.nogil:
            state = self.step(steps)
        return state

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def step(self, steps: cython.longlong) -> cython.int:
        a: cython.int = self.at_a
        b: cython.int = self.at_b
        n: cython.int
        side: cython.int
        sides: cython.int
        while True:
            if self.resting:  # the pair is done with: on to the right of the last test that was split to the left
                while True:
                    n = self.n_frames - 1
                    if n < 0:
                        return 2
                    self.path.undo()
                    if self.frame_side[n] & 1:
                        break
                    self.n_frames = n
                self.frame_side[n] ^= 3
                a = self.frame_a[n]
                b = self.frame_b[n]
                side = self.frame_side[n]
                if side & 4:
                    self.path.narrow(self.b, b, 2)
                else:
                    self.path.narrow(self.a, a, 2)
                    a = self.a.right[a]
                if side & 12:
                    b = self.b.right[b]
                self.resting = False
            if steps <= 0:
                self.at_a = a
                self.at_b = b
                return 0
            steps -= 1
            while self.a.feature[a] >= 0:
                sides = self.path.sides(self.a, a)
                if sides == 3:
                    break
                a = self.a.left[a] if sides == 1 else self.a.right[a]
            while self.b.feature[b] >= 0:
                sides = self.path.sides(self.b, b)
                if sides == 3:
                    break
                b = self.b.left[b] if sides == 1 else self.b.right[b]
            if self.high_a[a] - self.low_b[b] <= self.tolerance and self.high_b[b] - self.low_a[a] <= self.tolerance:
                self.resting = True
                continue
            if (
                self.alike
                and self.code_a[a] == self.code_b[b]
                and same_tests(self.a, a, self.b, b, self.path, self.stack_a, self.stack_b)
            ):
                self.resting = True
                continue
            n = self.n_frames
            self.frame_a[n] = a
            self.frame_b[n] = b
            if self.a.feature[a] < 0 and self.b.feature[b] < 0:
                self.at_a = a
                self.at_b = b
                self.resting = True
                return 1
            if self.same_test(a, b):
                self.frame_side[n] = 9
                self.path.narrow(self.a, a, 1)
                a = self.a.left[a]
                b = self.b.left[b]
            elif self.end_a[a] - a >= self.end_b[b] - b:
                self.frame_side[n] = 1
                self.path.narrow(self.a, a, 1)
                a = self.a.left[a]
            else:
                self.frame_side[n] = 5
                self.path.narrow(self.b, b, 1)
                b = self.b.left[b]
            self.n_frames = n + 1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def same_test(self, a: cython.int, b: cython.int) -> cython.bint:
        """Whether two nodes send every number, and a missing value, the same way."""
        c: cython.int = self.a.feature[a]
        return (
            c == self.b.feature[b]
            and not self.path.is_set[c]
            and self.a.cut[a] == self.b.cut[b]
            and (not self.path.missing[c] or self.a.way[a] == self.b.way[b])
        )
