"""Reasons by dualization: minimal sets of features that keep a decision, and minimal sets that can change it.

The sufficient reasons are the minimal hitting sets of the necessary ones. Candidates are multiplied out edge by edge
(C. Berge, Hypergraphs, 1989, ch. 2); each is either confirmed by the search or gives a new necessary reason.
Feature sets are bit sets of ``width`` words.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import bit, bits, ints, longs, lowest_bit
    from cython.cimports.xylogic.search.dive_kernel import Search
else:
    from xylogic.domain.machine_kernel import bit, bits, ints, longs, lowest_bit
    from xylogic.search.dive_kernel import Search


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
            self.search.budget.check(self.search.nodes, (room + self.edge_room) * (24 * self.width + 8))
        sizes = {"sets": room * self.width, "spare": room * self.width, "bucket": room * self.width}
        sizes |= {"missing": room, "single": room}
        for name, size in sizes.items():
            old = self.keep.get(name, np.zeros(0))
            new = np.zeros(size, np.int32 if name in ("missing", "single") else np.uint64)
            new[: len(old)] = old
            self.keep[name] = new
        self.sets = bits(self.keep["sets"])
        self.spare = bits(self.keep["spare"])
        self.missing = ints(self.keep["missing"])
        self.single = ints(self.keep["single"])
        self.bucket = bits(self.keep["bucket"])
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
    @cython.exceptval(check=False)
    def find_needed(self) -> cython.void:
        """``needed`` becomes the features of ``edge`` that are all that some confirmed sufficient set has of it."""
        k: cython.Py_ssize_t
        i: cython.int
        w: cython.int = self.width
        word: cython.ulonglong
        needed: cython.ulonglong = 0
        met: cython.int
        alone: cython.int
        sets: cython.p_ulonglong = self.sets
        edge: cython.ulonglong = self.edge[0]
        if w == 1:
            for k in range(self.n_done):
                word = sets[k] & edge
                needed |= word if word & (word - 1) == 0 else 0
            self.needed[0] = needed
            return
        for i in range(w):
            self.needed[i] = 0
        for k in range(self.n_done):
            met = 0
            alone = 0
            for i in range(w):
                word = sets[k * w + i] & self.edge[i]
                if word:
                    met += 2 if word & (word - 1) else 1
                    alone = i
            if met == 1:
                self.needed[alone] |= sets[k * w + alone] & self.edge[alone]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def shrink(self) -> cython.int:
        """Make ``edge``, whose features can change the decision together, minimal.

        A confirmed sufficient set that meets the edge in one feature only shows that this one cannot be spared.
        """
        f: cython.int
        i: cython.int
        w: cython.int = self.width
        fresh: cython.bint = True
        for f in range(self.search.n_features):
            if fresh:
                fresh = False
                self.find_needed()
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
    @cython.exceptval(check=False)
    def sort_out(self) -> cython.void:
        """List the candidates that miss ``edge``, and put those that hit it once into the bucket of that feature."""
        k: cython.Py_ssize_t
        j: cython.Py_ssize_t
        i: cython.int
        b: cython.int
        w: cython.int = self.width
        n_missing: cython.Py_ssize_t = 0
        n_single: cython.Py_ssize_t = 0
        at: cython.Py_ssize_t = 0
        some: cython.int
        more: cython.int
        hits: cython.ulonglong
        sets: cython.p_ulonglong = self.sets
        edge: cython.ulonglong = self.edge[0]
        missing: cython.p_int = self.missing
        single: cython.p_int = self.single
        bucket_at: cython.p_longlong = self.bucket_at
        # Lists grow by a comparison, not a branch: which way it goes is anybody's guess.
        for k in range(self.n_sets):
            if w == 1:
                hits = sets[k] & edge
                some = 1 if hits else 0
                more = 1 if hits & (hits - some) else 0
            else:
                some = 0
                more = 0
                for i in range(w):
                    hits = sets[k * w + i] & self.edge[i]
                    if hits:
                        more = 1 if some or hits & (hits - 1) else 0
                        some = 1
                    if more:
                        break
            missing[n_missing] = cython.cast(cython.int, k)
            n_missing += 1 - some
            single[n_single] = cython.cast(cython.int, k)
            n_single += some - more
        self.n_missing = n_missing
        for b in range(self.n_features + 1):
            bucket_at[b] = 0
        for j in range(n_single):
            bucket_at[self.met(single[j])] += 1
        for b in range(self.n_features + 1):
            at += bucket_at[b]
            bucket_at[b] = at
        # Filled from behind, each bucket ends up at its beginning.
        for j in range(n_single - 1, -1, -1):
            k = single[j]
            b = self.met(k)
            bucket_at[b] -= 1
            for i in range(w):
                self.bucket[bucket_at[b] * w + i] = sets[k * w + i]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def met(self, k: cython.Py_ssize_t) -> cython.int:
        """The first feature of ``edge`` that set k holds."""
        i: cython.int = 0
        while self.sets[k * self.width + i] & self.edge[i] == 0:
            i += 1
        return 64 * i + lowest_bit(self.sets[k * self.width + i] & self.edge[i])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def holds_part(self, k: cython.Py_ssize_t, b: cython.int) -> cython.bint:
        """Whether a set of bucket b lies within set k and b."""
        j: cython.Py_ssize_t
        q: cython.int
        w: cython.int = self.width
        bucket: cython.p_ulonglong = self.bucket
        outside: cython.ulonglong
        if w == 1:
            outside = ~(self.sets[k] | bit(b))
            for j in range(self.bucket_at[b], self.bucket_at[b + 1]):
                if bucket[j] & outside == 0:
                    return True
            return False
        for j in range(self.bucket_at[b], self.bucket_at[b + 1]):
            for q in range(w):
                outside = bucket[j * w + q] & ~self.sets[k * w + q]
                if q == b >> 6:
                    outside &= ~bit(b & 63)
                if outside:
                    break
            else:
                return True
        return False

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
        b: cython.int
        q: cython.Py_ssize_t
        k: cython.Py_ssize_t
        m: cython.Py_ssize_t
        n: cython.Py_ssize_t = self.n_sets
        end: cython.Py_ssize_t
        kept: cython.Py_ssize_t
        n_new: cython.Py_ssize_t
        word: cython.ulonglong
        self.sort_out()
        # Extensions go to `spare`; then the sets that hit the edge close ranks and the extensions follow.
        n_new = 0
        for m in range(self.n_missing):
            k = self.missing[m]
            for i in range(w):
                word = self.edge[i]
                while word:
                    b = 64 * i + lowest_bit(word)
                    word &= word - 1
                    self.work += 1 + self.bucket_at[b + 1] - self.bucket_at[b]
                    if self.work > 1000000:
                        self.work = 0
                        with cython.gil:
                            self.search.budget.check(self.search.nodes)
                    if self.holds_part(k, b):
                        continue
                    if n_new + 1 >= self.room or n + n_new + 1 >= self.room:
                        with cython.gil:
                            self._grow(2 * self.room)
                    for q in range(w):
                        self.spare[n_new * w + q] = self.sets[k * w + q]
                    self.spare[n_new * w + (b >> 6)] |= bit(b & 63)
                    n_new += 1
        kept = n
        for m in range(self.n_missing):
            k = self.missing[m] + 1
            end = self.missing[m + 1] if m + 1 < self.n_missing else n
            if m == 0:
                kept = k - 1
            for q in range(k * w, end * w):
                self.sets[(kept - k) * w + q] = self.sets[q]
            kept += end - k
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
