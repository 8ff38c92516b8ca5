"""Reasons by dualization: minimal sets of features that keep a decision, and minimal sets that can change it.

The sufficient reasons are the minimal hitting sets of the necessary ones. Candidates are multiplied out edge by edge
(C. Berge, Hypergraphs, 1989, ch. 2); each is either confirmed by the search or gives a new necessary reason.
Feature sets are bit sets of ``width`` words.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.search.dive_kernel import Search
    from cython.cimports.xylogic.search.leaves_kernel import bit, lowest_bit
    from cython.cimports.xylogic.search.state_kernel import bits, ints, longs
else:
    from xylogic.search.dive_kernel import Search
    from xylogic.search.leaves_kernel import bit, lowest_bit
    from xylogic.search.state_kernel import bits, ints, longs


@cython.cclass
class Reasons:
    """Enumerates the reasons of one instance; ``features`` is the bit set of those that may change.

    Before each call, :meth:`use` names a search that holds the instance. A call that a limit or Ctrl-C stops leaves
    all that was found in place, and the next one goes on from there.
    """

    def __init__(self, features: cython.ulonglong[::1]) -> None:
        self.width = cython.cast(cython.int, features.shape[0])
        self.n_features = 64 * self.width
        self.keep = {
            "every": np.array(features, dtype=np.uint64),
            "free": np.zeros(self.width, np.uint64),
            "edge": np.zeros(self.width, np.uint64),
            "needed": np.zeros(self.width, np.uint64),
            "bucket_at": np.zeros(self.n_features + 2, np.int64),
        }
        self.every = bits(self.keep["every"])
        self.free = bits(self.keep["free"])
        self.edge = bits(self.keep["edge"])
        self.needed = bits(self.keep["needed"])
        self.bucket_at = longs(self.keep["bucket_at"])
        self.room = self.edge_room = 0
        self.work = 0
        self._grow(64)
        self._grow_edges()
        self.reset()

    def reset(self) -> None:
        """Forget all reasons. The first candidate is the empty set."""
        i: cython.int
        for i in range(self.width):
            self.sets[i] = 0
        self.n_sets = 1
        self.n_done = 0
        self.n_edges = 0

    def use(self, search: Search) -> None:
        """Go on with this search."""
        self.search = search

    @cython.cfunc
    def _grow(self, room: cython.longlong):
        if self.room > 0:
            self.search.budget.check(self.search.nodes, (room + self.edge_room) * (16 * self.width + 12))
        sizes = {"sets": room * self.width, "spare": room * self.width, "single": room, "bucket": room}
        for name, size in sizes.items():
            old = self.keep.get(name, np.zeros(0))
            new = np.zeros(size, {"single": np.int32, "bucket": np.int64}.get(name, np.uint64))
            new[: len(old)] = old
            self.keep[name] = new
        self.sets = bits(self.keep["sets"])
        self.spare = bits(self.keep["spare"])
        self.single = ints(self.keep["single"])
        self.bucket = longs(self.keep["bucket"])
        self.room = room

    @cython.cfunc
    def _grow_edges(self):
        self.edge_room = max(64, 2 * self.edge_room)
        old = self.keep.get("edges", np.zeros(0))
        new = np.zeros(self.edge_room * self.width, np.uint64)
        new[: len(old)] = old
        self.keep["edges"] = new
        self.edges = bits(new)

    @property
    def found(self) -> object:
        """The set that :meth:`sufficient` or :meth:`necessary` found, uint64 (width,)."""
        return self.keep["edge"].copy()

    @property
    def sufficient_sets(self) -> object:
        """The sufficient reasons that :meth:`run` found so far, in that order: uint64 (n, width)."""
        return self.keep["sets"][: self.n_done * self.width].reshape(-1, self.width).copy()

    @property
    def necessary_sets(self) -> object:
        """The necessary reasons that :meth:`run` found so far, in that order: uint64 (n, width)."""
        return self.keep["edges"][: self.n_edges * self.width].reshape(-1, self.width).copy()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def difference(self) -> cython.void:
        """``edge`` becomes the features in which the search's witness differs from the instance."""
        f: cython.int
        i: cython.int
        for i in range(self.width):
            self.edge[i] = 0
        for f in range(self.search.n_features):
            if self.search.witness[f] != self.search.x[f]:
                self.edge[f >> 6] |= bit(f & 63)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def shrink(self) -> cython.int:
        """Make ``edge``, whose features can change the decision together, minimal.

        A confirmed sufficient set that meets the edge in one feature only shows that this one cannot be spared.
        """
        f: cython.int
        i: cython.int
        k: cython.Py_ssize_t
        w: cython.int = self.width
        word: cython.ulonglong
        met: cython.int
        alone: cython.int
        fresh: cython.bint = True
        for f in range(self.search.n_features):
            if fresh:
                fresh = False
                for i in range(w):
                    self.needed[i] = 0
                for k in range(self.n_done):
                    met = 0
                    alone = 0
                    for i in range(w):
                        word = self.sets[k * w + i] & self.edge[i]
                        if word:
                            met += 2 if word & (word - 1) else 1
                            alone = i
                    if met == 1:
                        self.needed[alone] |= self.sets[k * w + alone] & self.edge[alone]
            if self.edge[f >> 6] & ~self.needed[f >> 6] & bit(f & 63):
                for i in range(w):
                    self.free[i] = self.edge[i]
                self.free[f >> 6] &= ~bit(f & 63)
                if self.search.flip(self.free):
                    self.difference()
                    fresh = True
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def multiply(self) -> cython.int:
        """Replace the candidates that miss ``edge`` by their minimal extensions that hit it.

        Confirmed candidates (the first ``n_done``) hit it already. An extension z + b is not minimal exactly if a
        candidate that hits the edge in b alone lies within it.
        """
        w: cython.int = self.width
        i: cython.int
        q: cython.int
        b: cython.int
        k: cython.Py_ssize_t
        j: cython.Py_ssize_t
        o: cython.Py_ssize_t
        n: cython.Py_ssize_t = self.n_sets
        kept: cython.Py_ssize_t
        n_new: cython.Py_ssize_t
        word: cython.ulonglong
        hits: cython.ulonglong
        within: cython.bint
        # single[k]: -1 where set k misses the edge, the feature where it hits it once, else n_features.
        for b in range(self.n_features + 2):
            self.bucket_at[b] = 0
        for k in range(n):
            self.single[k] = -1
            for i in range(w):
                hits = self.sets[k * w + i] & self.edge[i]
                if hits:
                    if self.single[k] >= 0 or hits & (hits - 1):
                        self.single[k] = self.n_features
                        break
                    self.single[k] = 64 * i + lowest_bit(hits)
            if 0 <= self.single[k] and self.single[k] < self.n_features:
                self.bucket_at[self.single[k] + 2] += 1
        for b in range(self.n_features):
            self.bucket_at[b + 2] += self.bucket_at[b + 1]
        for k in range(n):
            b = self.single[k]
            if 0 <= b and b < self.n_features:
                self.bucket[self.bucket_at[b + 1]] = k
                self.bucket_at[b + 1] += 1
        # Extensions go to `spare`; then the sets that hit the edge close ranks and the extensions follow.
        n_new = 0
        for k in range(n):
            if self.single[k] >= 0:
                continue
            for i in range(w):
                word = self.edge[i]
                while word:
                    b = 64 * i + lowest_bit(word)
                    word &= word - 1
                    within = False
                    for j in range(self.bucket_at[b], self.bucket_at[b + 1]):
                        o = self.bucket[j]
                        within = True
                        for q in range(w):
                            hits = self.sets[o * w + q] & ~self.sets[k * w + q]
                            if q == b >> 6:
                                hits &= ~bit(b & 63)
                            if hits:
                                within = False
                                break
                        if within:
                            break
                    self.work += 1 + self.bucket_at[b + 1] - self.bucket_at[b]
                    if self.work > 1000000:
                        self.work = 0
                        with cython.gil:
                            self.search.budget.check(self.search.nodes)
                    if within:
                        continue
                    if n_new + 1 >= self.room or n + n_new + 1 >= self.room:
                        with cython.gil:
                            self._grow(2 * self.room)
                    for q in range(w):
                        self.spare[n_new * w + q] = self.sets[k * w + q]
                    self.spare[n_new * w + (b >> 6)] |= bit(b & 63)
                    n_new += 1
        kept = 0
        for k in range(n):
            if self.single[k] >= 0:
                for q in range(w):
                    self.sets[kept * w + q] = self.sets[k * w + q]
                kept += 1
        for k in range(n_new):
            for q in range(w):
                self.sets[(kept + k) * w + q] = self.spare[k * w + q]
        self.n_sets = kept + n_new
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def advance(self) -> cython.int:
        """Find one more reason, into ``edge``: 1 sufficient, 2 necessary, 0 there is none left."""
        i: cython.int
        w: cython.int = self.width
        k: cython.Py_ssize_t
        word: cython.ulonglong
        if self.n_done == self.n_sets:
            return 0
        k = self.n_sets - 1
        for i in range(w):
            self.free[i] = self.every[i] & ~self.sets[k * w + i]
        if self.search.flip(self.free):
            self.difference()
            self.shrink()
            if self.n_edges >= self.edge_room:
                with cython.gil:
                    self._grow_edges()
            self.multiply()
            for i in range(w):
                self.edges[self.n_edges * w + i] = self.edge[i]
            self.n_edges += 1
            return 2
        for i in range(w):
            self.edge[i] = self.sets[k * w + i]
            word = self.sets[self.n_done * w + i]
            self.sets[self.n_done * w + i] = self.edge[i]
            self.sets[k * w + i] = word
        self.n_done += 1
        return 1

    def run(self, limit: cython.longlong) -> bool:
        """Find up to ``limit`` more reasons of either kind; False once all are found."""
        kind: cython.int = 1
        with cython.nogil:
            while limit > 0 and kind != 0:
                kind = self.advance()
                limit -= 1
        return kind != 0

    def sufficient(self, order: cython.int[::1]) -> None:
        """One minimal sufficient reason by deletion, into :attr:`found`, trying to free features in this order.

        Stopped early, :attr:`found` is sufficient all the same.
        """
        k: cython.Py_ssize_t
        i: cython.int
        f: cython.int
        for i in range(self.width):
            self.edge[i] = self.every[i]
        with cython.nogil:
            for k in range(order.shape[0]):
                f = order[k]
                for i in range(self.width):
                    self.free[i] = self.every[i] & ~self.edge[i]
                self.free[f >> 6] |= bit(f & 63)
                if not self.search.flip(self.free):
                    self.edge[f >> 6] &= ~bit(f & 63)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def reduce(self, free: cython.p_ulonglong) -> cython.int:
        """1 if changing features of ``free`` can change the decision; then ``edge`` is a minimal such set."""
        i: cython.int
        for i in range(self.width):
            self.free[i] = free[i]
        if self.search.flip(self.free):
            self.difference()
            self.shrink()
            return 1
        return 0

    def necessary(self, free: cython.ulonglong[::1]) -> bool:
        """Whether changing features of ``free`` can change the decision; if so :attr:`found` is a minimal such set."""
        can: cython.int
        with cython.nogil:
            if cython.compiled:
                can = self.reduce(cython.address(free[0]))
            else:
                can = self.reduce(free)
        return can != 0
