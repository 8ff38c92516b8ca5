"""A sufficient set of bounded size, by one depth-first search over hitting sets that asks for edges when it needs them.

The edges are necessary sets. A node of the search hits all known edges or branches on one that it misses; a node that
hits them all is either sufficient or gives new edges, and the search goes on where it is.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import bit, bits, longs, lowest_bit
    from cython.cimports.xylogic.search.reason_kernel import Reasons
else:
    from xylogic.domain.machine_kernel import bit, bits, longs, lowest_bit
    from xylogic.search.reason_kernel import Reasons


@cython.cclass
class Smallest:
    """Keeps the edges found so far, shortest first, from one call of :meth:`find` to the next."""

    def __init__(self, reasons: Reasons, features: cython.ulonglong[::1]) -> None:
        width: cython.Py_ssize_t = features.shape[0]
        depths: cython.Py_ssize_t = 64 * width + 2
        self.reasons = reasons
        self.width = cython.cast(cython.int, width)
        self.n_features = 64 * self.width
        self.keep = {name: np.zeros(depths * width, np.uint64) for name in ("allowed", "pending", "chosen")}
        self.keep["used"] = np.zeros(width, np.uint64)
        self.keep["degree"] = np.zeros(self.n_features, np.int64)
        self.allowed = bits(self.keep["allowed"])
        self.pending = bits(self.keep["pending"])
        self.chosen = bits(self.keep["chosen"])
        self.used = bits(self.keep["used"])
        self.degree = longs(self.keep["degree"])
        self.room = 0
        self.n_edges = 0
        self._grow()

    @cython.cfunc
    def _grow(self):
        room = max(256, 2 * self.room)
        if self.room > 0:
            self.reasons.search.budget.check(self.reasons.search.nodes, 8 * room * self.width)
        edges = np.zeros(room * self.width, np.uint64)
        edges[: self.n_edges * self.width] = self.keep.get("edges", edges)[: self.n_edges * self.width]
        self.keep["edges"] = edges
        self.edges = bits(edges)
        self.room = room

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def insert(self) -> cython.int:
        """Add ``reasons.edge`` behind the edges that are no longer."""
        w: cython.Py_ssize_t = self.width
        k: cython.Py_ssize_t
        i: cython.Py_ssize_t
        size: cython.int = 0
        other: cython.int
        word: cython.ulonglong
        if self.n_edges >= self.room:
            with cython.gil:
                self._grow()
        for i in range(w):
            word = self.reasons.edge[i]
            while word:
                size += 1
                self.degree[64 * i + lowest_bit(word)] += 1
                word &= word - 1
        k = self.n_edges
        while k > 0:
            other = 0
            for i in range(w):
                word = self.edges[(k - 1) * w + i]
                while word:
                    other += 1
                    word &= word - 1
            if other <= size:
                break
            for i in range(w):
                self.edges[k * w + i] = self.edges[(k - 1) * w + i]
            k -= 1
        for i in range(w):
            self.edges[k * w + i] = self.reasons.edge[i]
        self.n_edges += 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def refute(self, depth: cython.int) -> cython.int:
        """Add disjoint edges that ``chosen[depth]`` misses; 0 if there are none, so that it is sufficient."""
        w: cython.Py_ssize_t = self.width
        i: cython.Py_ssize_t
        added: cython.int = 0
        for i in range(w):
            self.used[i] = self.reasons.every[i] & ~self.chosen[depth * w + i]
        while self.reasons.reduce(self.used):
            self.insert()
            added = 1
            for i in range(w):
                self.used[i] &= ~self.reasons.edge[i]
        return added

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def branch(self, depth: cython.int, size: cython.int) -> cython.int:
        """1: ``chosen[depth]`` hits all edges. Else 0, with ``pending[depth]`` the features to try next: those of the
        missed edge with the fewest allowed ones; none where disjoint missed edges need more than ``size`` in all."""
        w: cython.Py_ssize_t = self.width
        at: cython.Py_ssize_t = depth * w
        e: cython.Py_ssize_t
        i: cython.Py_ssize_t
        best: cython.Py_ssize_t = -1
        least: cython.int = 0
        count: cython.int
        bound: cython.int = depth
        hit: cython.bint
        clash: cython.bint
        word: cython.ulonglong
        for i in range(w):
            self.used[i] = 0
            self.pending[at + i] = 0
        for e in range(self.n_edges):
            hit = False
            for i in range(w):
                if self.edges[e * w + i] & self.chosen[at + i]:
                    hit = True
                    break
            if hit:
                continue
            count = 0
            clash = False
            for i in range(w):
                word = self.edges[e * w + i] & self.allowed[at + i]
                if word & self.used[i]:
                    clash = True
                while word:
                    count += 1
                    word &= word - 1
            if best < 0 or count < least:
                best = e
                least = count
                if count == 0:
                    return 0
            if not clash:
                bound += 1
                if bound > size:
                    return 0
                for i in range(w):
                    self.used[i] |= self.edges[e * w + i] & self.allowed[at + i]
        if best < 0:
            return 1
        for i in range(w):
            self.pending[at + i] = self.edges[best * w + i] & self.allowed[at + i]
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def descend(self, depth: cython.int) -> cython.int:
        """Choose the pending feature that most edges hold and forbid it to what is tried later; 0: none is left."""
        w: cython.Py_ssize_t = self.width
        at: cython.Py_ssize_t = depth * w
        i: cython.Py_ssize_t
        f: cython.int
        best: cython.int = -1
        word: cython.ulonglong
        for i in range(w):
            word = self.pending[at + i]
            while word:
                f = 64 * cython.cast(cython.int, i) + lowest_bit(word)
                word &= word - 1
                if best < 0 or self.degree[f] > self.degree[best]:
                    best = f
        if best < 0:
            return 0
        word = bit(best & 63)
        self.pending[at + (best >> 6)] &= ~word
        self.allowed[at + (best >> 6)] &= ~word
        for i in range(w):
            self.allowed[at + w + i] = self.allowed[at + i]
            self.chosen[at + w + i] = self.chosen[at + i]
        self.chosen[at + w + (best >> 6)] |= word
        return 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def dive(self, size: cython.int) -> cython.int:
        """The depth at which a sufficient set of at most ``size`` features was found, or -2 if there is none."""
        depth: cython.int = 0
        first: cython.int
        i: cython.Py_ssize_t
        word: cython.ulonglong
        # Features chosen from the start count as depth.
        for i in range(self.width):
            word = self.chosen[i]
            while word:
                depth += 1
                word &= word - 1
        first = depth
        for i in range(self.width):
            self.chosen[first * self.width + i] = self.chosen[i]
            self.allowed[first * self.width + i] = self.allowed[i]
        while True:
            self.reasons.search.tick()
            while self.branch(depth, size):
                if not self.refute(depth):
                    return depth
            while not self.descend(depth):
                if depth == first:
                    return -2
                depth -= 1
            depth += 1

    def find(self, size: int, chosen: cython.ulonglong[::1], allowed: cython.ulonglong[::1]) -> object:
        """A sufficient set of at most ``size`` features: those of ``chosen`` and others from ``allowed``, uint64
        (width,), or ``None``. Exponential in ``size``."""
        i: cython.Py_ssize_t
        depth: cython.int
        most: cython.int = size
        for i in range(self.width):
            self.chosen[i] = chosen[i]
            self.allowed[i] = allowed[i]
        with cython.nogil:
            depth = self.dive(most)
        if depth < 0:
            return None
        return self.keep["chosen"][depth * self.width : (depth + 1) * self.width].copy()
