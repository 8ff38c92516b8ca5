"""General reasons: the widest boxes over some features that keep clear of a goal.

A box allows each of its features a set of states; the other features are free, or keep the instance's state. As with
feature sets (search/reason_kernel.py), candidates are multiplied out: the search looks for a goal in a candidate, and
whatever box of goals it finds is cut off all candidates, along one feature at a time; only inclusion-maximal ones stay.
A candidate without a goal is confirmed. Sets of states are bits in 64-bit words, each feature on words of its own.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.search.dive_kernel import Search
    from cython.cimports.xylogic.search.leaves_kernel import bit
    from cython.cimports.xylogic.search.state_kernel import bits, ints
else:
    from xylogic.search.dive_kernel import Search
    from xylogic.search.leaves_kernel import bit
    from xylogic.search.state_kernel import bits, ints

OPEN = cython.declare(cython.int, 2)  # as in search/dive_kernel.py
SURE = cython.declare(cython.int, 1)


@cython.cclass
class Widest:
    """Enumerates the widest boxes over ``features`` that hold no goal of ``search``.

    Feature k of the list has the words ``at[k] : at[k + 1]``. ``start`` holds the states that a box may allow, ``own``
    those that each box must; where ``own`` is empty a box must allow some state. ``free`` is the bit set of features
    that range over their states; the search looks first on the instance's side of a test, or (``away``) on the other.
    A call that a limit or Ctrl-C stops leaves all that was found in place, and the next one goes on from there.
    """

    def __init__(
        self,
        features: cython.int[::1],
        at: cython.int[::1],
        start: cython.ulonglong[::1],
        own: cython.ulonglong[::1],
        free: cython.ulonglong[::1],
        away: cython.bint,
    ) -> None:
        i: cython.int
        self.n = cython.cast(cython.int, at.shape[0] - 1)
        self.width = at[self.n]
        self.away = away
        self.keep = {
            "feature": np.append(features, 0).astype(np.int32),
            "at": np.array(at, dtype=np.int32),
            "own": np.append(own, 0).astype(np.uint64),
            "free": np.array(free, dtype=np.uint64),
            "bad": np.zeros(self.width + 1, np.uint64),
        }
        self.feature = ints(self.keep["feature"])
        self.at = ints(self.keep["at"])
        self.own = bits(self.keep["own"])
        self.free = bits(self.keep["free"])
        self.bad = bits(self.keep["bad"])
        self.room = 0
        self.work = 0
        self._grow(16)
        for i in range(self.width):
            self.boxes[i] = start[i]
        self.n_boxes = 1
        self.n_done = 0

    def use(self, search: Search) -> None:
        """Go on with this search, which holds the instance."""
        self.search = search

    @cython.cfunc
    def _grow(self, room: cython.longlong):
        if self.room > 0:
            self.search.budget.check(self.search.nodes, room * (16 * self.width + 4))
        sizes = {"boxes": room * self.width + 1, "spare": room * self.width + 1, "avoids": room}
        for name, size in sizes.items():
            old = self.keep.get(name, np.zeros(0))
            new = np.zeros(size, np.int32 if name == "avoids" else np.uint64)
            new[: len(old)] = old
            self.keep[name] = new
        self.boxes = bits(self.keep["boxes"])
        self.spare = bits(self.keep["spare"])
        self.avoids = ints(self.keep["avoids"])
        self.room = room

    @property
    def found(self) -> object:
        """The boxes found so far, in that order: uint64 (n, width)."""
        return self.keep["boxes"][: self.n_done * self.width].reshape(self.n_done, self.width).copy()

    # ---- is there a goal in a box? -----------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def restrict(self, box: cython.Py_ssize_t) -> cython.void:
        """Let the search's features range over the states that a candidate allows."""
        k: cython.int
        f: cython.int
        s: cython.int
        i: cython.int
        last: cython.int
        base: cython.Py_ssize_t
        at: cython.Py_ssize_t
        for k in range(self.n):
            f = self.feature[k]
            base = box * self.width + self.at[k]
            self.search.restricted[f] = 1
            if self.search.is_set[f]:
                for i in range(self.search.n_set_words[f]):
                    self.search.domain_words[self.search.word_at[f] + i] = self.boxes[base + i]
                continue
            # The nearest allowed state from each one on, up and down.
            at = self.search.state_at[f]
            last = -1
            for s in range(self.search.n_values[f]):
                if self.boxes[base + (s >> 6)] & bit(s & 63):
                    last = s
                self.search.next_down[at + s] = last
            self.search.domain_hi[f] = last
            last = self.search.n_values[f]
            for i in range(self.search.n_values[f]):
                s = self.search.n_values[f] - 1 - i
                if self.boxes[base + (s >> 6)] & bit(s & 63):
                    last = s
                self.search.next_up[at + s] = last
            self.search.domain_lo[f] = last
            s = self.search.n_values[f]
            self.search.domain_missing[f] = 0
            if self.search.has_missing[f] and self.boxes[base + (s >> 6)] & bit(s & 63):
                self.search.domain_missing[f] = 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def tighten(self, f: cython.int) -> cython.int:
        """Let the ends of the search's box be allowed states of feature f; 0 if it has none."""
        lo: cython.int = self.search.lo[f]
        hi: cython.int = self.search.hi[f]
        at: cython.Py_ssize_t = self.search.state_at[f]
        if not self.search.restricted[f] or self.search.is_set[f]:
            return 1
        if lo <= hi:
            lo = self.search.next_up[at + lo]
            hi = self.search.next_down[at + hi]
        if lo > hi and not self.search.missing[f]:
            return 0
        if lo <= hi and (lo != self.search.lo[f] or hi != self.search.hi[f]):
            self.search.prepare()
            self.search.narrow(f, lo, hi, self.search.missing[f])
            self.search.settle()
        elif lo > hi and self.search.lo[f] <= self.search.hi[f]:
            self.search.prepare()
            self.search.narrow(f, 0, -1, 1)
            self.search.settle()
        return 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def enter(self, n: cython.int, side: cython.int) -> cython.int:
        """Narrow the search's box to one side of node n's test, and judge it."""
        self.search.enter(n, side)
        if self.tighten(self.search.node_feature[n]) == 0:
            return 0
        return self.search.judge()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def dive(self) -> cython.int:
        """Depth-first branch and bound; 1 as soon as every cell of the search's box is a goal."""
        n: cython.int
        side: cython.int
        k: cython.longlong
        state: cython.int = self.search.judge()
        while True:
            if state == OPEN:
                self.search.tick()
                n = self.search.choose()
                if n < 0:
                    state = self.search.resolve()
                else:
                    if self.search.frame_top >= self.search.frame_room:
                        with cython.gil:
                            self.search._grow_frames()
                    side = self.search.own_side(n) ^ self.away
                    k = self.search.frame_top
                    self.search.frame_top += 1
                    self.search.frame_trail[k] = self.search.trail_top
                    self.search.frame_box[k] = self.search.box_top
                    self.search.frame_node[k] = n
                    self.search.frame_side[k] = 1 - side
                    state = self.enter(n, side)
                    continue
            if state == SURE:
                return 1
            if self.search.frame_top == 0:
                return 0
            self.search.frame_top -= 1
            k = self.search.frame_top
            self.search.undo(self.search.frame_trail[k], self.search.frame_box[k])
            state = self.enter(self.search.frame_node[k], self.search.frame_side[k])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def hit(self, box: cython.Py_ssize_t) -> cython.int:
        """1 if a candidate holds a goal; then ``bad`` is a box of goals that meets it."""
        k: cython.int
        game: cython.int
        self.search.mode = 0
        self.search.priced = False
        self.restrict(box)
        for k in range(self.search.n_games):
            game = (self.search.last_game + k) % self.search.n_games
            self.search.begin(game, self.free)
            if self.dive():
                self.search.last_game = game
                self.take_box()
                return 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def take_box(self) -> cython.void:
        """``bad`` becomes the search's box."""
        k: cython.int
        f: cython.int
        i: cython.int
        s: cython.int
        for k in range(self.n):
            f = self.feature[k]
            for i in range(self.at[k], self.at[k + 1]):
                self.bad[i] = 0
            if self.search.is_set[f]:
                for i in range(self.search.n_set_words[f]):
                    self.bad[self.at[k] + i] = self.search.words[self.search.word_at[f] + i]
                continue
            for s in range(self.search.lo[f], self.search.hi[f] + 1):
                self.bad[self.at[k] + (s >> 6)] |= bit(s & 63)
            if self.search.missing[f]:
                s = self.search.n_values[f]
                self.bad[self.at[k] + (s >> 6)] |= bit(s & 63)

    # ---- candidates --------------------------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def contains(
        self, outer: cython.p_ulonglong, i: cython.Py_ssize_t, inner: cython.p_ulonglong, j: cython.Py_ssize_t
    ) -> cython.bint:
        """Whether box i of one list contains box j of another."""
        q: cython.int
        for q in range(self.width):
            if inner[j * self.width + q] & ~outer[i * self.width + q]:
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def cut(
        self, box: cython.Py_ssize_t, x: cython.int, n_new: cython.Py_ssize_t, group: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """Add candidate ``box`` less ``bad``'s states of the x-th feature to ``spare``, which holds ``n_new`` boxes;
        those from ``group`` on were cut along it too. Boxes that others contain are left out. Returns the new count.

        A box cut along one feature is never within one cut along another: there it still meets ``bad``.
        """
        q: cython.int
        k: cython.Py_ssize_t
        kept: cython.Py_ssize_t
        w: cython.Py_ssize_t = self.width
        some: cython.ulonglong = 0
        for q in range(self.at[x], self.at[x + 1]):
            if self.own[q] & self.bad[q]:
                return n_new
            some |= self.boxes[box * w + q] & ~self.bad[q]
        if some == 0:
            return n_new
        if n_new + 1 >= self.room or self.n_boxes + n_new + 1 >= self.room:
            with cython.gil:
                self._grow(2 * self.room)
        for q in range(self.width):
            self.spare[n_new * w + q] = self.boxes[box * w + q]
        for q in range(self.at[x], self.at[x + 1]):
            self.spare[n_new * w + q] &= ~self.bad[q]
        self.work += self.n_boxes + n_new - group
        if self.work > 300000:
            self.work = 0
            with cython.gil:
                self.search.budget.check(self.search.nodes)
        for k in range(self.n_boxes):
            if self.avoids[k] and self.contains(self.boxes, k, self.spare, n_new):
                return n_new
        for k in range(group, n_new):
            if self.contains(self.spare, k, self.spare, n_new):
                return n_new
        kept = group
        for k in range(group, n_new + 1):
            if k == n_new or not self.contains(self.spare, n_new, self.spare, k):
                if kept != k:
                    for q in range(self.width):
                        self.spare[kept * w + q] = self.spare[k * w + q]
                kept += 1
        return kept

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def multiply(self) -> cython.int:
        """Replace the candidates that meet ``bad`` by the widest boxes within them that do not."""
        k: cython.Py_ssize_t
        x: cython.int
        q: cython.int
        n_new: cython.Py_ssize_t = 0
        group: cython.Py_ssize_t
        kept: cython.Py_ssize_t = 0
        w: cython.Py_ssize_t = self.width
        meet: cython.ulonglong
        for k in range(self.n_boxes):
            self.avoids[k] = 0
            for x in range(self.n):
                meet = 0
                for q in range(self.at[x], self.at[x + 1]):
                    meet |= self.boxes[k * w + q] & self.bad[q]
                if meet == 0:
                    self.avoids[k] = 1
                    break
        for x in range(self.n):
            group = n_new
            for k in range(self.n_done, self.n_boxes):
                if not self.avoids[k]:
                    n_new = self.cut(k, x, n_new, group)
        for k in range(self.n_boxes):
            if self.avoids[k]:
                if kept != k:
                    for q in range(self.width):
                        self.boxes[kept * w + q] = self.boxes[k * w + q]
                kept += 1
        for k in range(n_new * w):
            self.boxes[kept * w + k] = self.spare[k]
        self.n_boxes = kept + n_new
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def advance(self) -> cython.int:
        """1 a candidate was confirmed, 2 some were cut, 0 there is none left."""
        q: cython.int
        k: cython.Py_ssize_t
        word: cython.ulonglong
        w: cython.Py_ssize_t = self.width
        if self.n_done == self.n_boxes:
            return 0
        k = self.n_boxes - 1
        if self.hit(k):
            self.multiply()
            return 2
        for q in range(self.width):
            word = self.boxes[k * w + q]
            self.boxes[k * w + q] = self.boxes[self.n_done * w + q]
            self.boxes[self.n_done * w + q] = word
        self.n_done += 1
        return 1

    def run(self, limit: cython.longlong) -> bool:
        """Find up to ``limit`` more boxes; False once all are found."""
        kind: cython.int = 1
        with cython.nogil:
            while limit > 0 and kind != 0:
                kind = self.advance()
                if kind == 1:
                    limit -= 1
        return self.n_done < self.n_boxes
