"""A wide box of goals within a given box, for the general reasons (search/widen_kernel.py).

A box allows each of some features a set of states, bits in 64-bit words, each feature on words of its own; the other
features are free, or keep the instance's state. Ordered features may have gaps: the search's intervals then end at
allowed states.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import bit, bits, ints, lowest_bit
    from cython.cimports.xylogic.search.dive_kernel import Search
else:
    from xylogic.domain.machine_kernel import bit, bits, ints, lowest_bit
    from xylogic.search.dive_kernel import Search

SURE = cython.declare(cython.int, 1)  # as in search/dive_kernel.py
OPEN = cython.declare(cython.int, 2)


@cython.cclass
class Goals:
    """Looks for goals of a search in boxes over ``features``.

    Feature k of the list has the words ``at[k] : at[k + 1]``. ``free`` is the bit set of features that range over
    their states. ``around``: all boxes hold the instance's states.
    """

    def __init__(
        self, features: cython.int[::1], at: cython.int[::1], free: cython.ulonglong[::1], around: cython.bint
    ) -> None:
        self.n = cython.cast(cython.int, at.shape[0] - 1)
        self.width = at[self.n]
        self.around = around
        self.game = 0
        self.keep = {
            "feature": np.append(features, 0).astype(np.int32),
            "at": np.array(at, dtype=np.int32),
            "free": np.array(free, dtype=np.uint64),
            "bad": np.zeros(self.width + 1, np.uint64),
            "loose": np.zeros(free.shape[0], np.uint64),
            "cell": np.zeros(64 * free.shape[0], np.int32),
            **{name: np.zeros(self.n + 1, np.int32) for name in ("lo", "hi", "missing", "whole")},
        }
        self.feature = ints(self.keep["feature"])
        self.at = ints(self.keep["at"])
        self.free = bits(self.keep["free"])
        self.bad = bits(self.keep["bad"])
        self.loose = bits(self.keep["loose"])
        self.cell = ints(self.keep["cell"])
        self.lo = ints(self.keep["lo"])
        self.hi = ints(self.keep["hi"])
        self.missing = ints(self.keep["missing"])
        self.whole = ints(self.keep["whole"])

    def use(self, search: Search) -> None:
        """Go on with this search, which holds the instance."""
        self.search = search

    # ---- is there a goal in a box? -----------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def restrict(self, boxes: cython.p_ulonglong, box: cython.Py_ssize_t) -> cython.void:
        """Let the search's features range over the states that a box of a list allows."""
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
                    self.search.domain_words[self.search.word_at[f] + i] = boxes[base + i]
                continue
            # The nearest allowed state from each one on, up and down.
            at = self.search.state_at[f]
            last = -1
            for s in range(self.search.n_values[f]):
                if boxes[base + (s >> 6)] & bit(s & 63):
                    last = s
                self.search.next_down[at + s] = last
            self.search.domain_hi[f] = last
            last = self.search.n_values[f]
            for i in range(self.search.n_values[f]):
                s = self.search.n_values[f] - 1 - i
                if boxes[base + (s >> 6)] & bit(s & 63):
                    last = s
                self.search.next_up[at + s] = last
            self.search.domain_lo[f] = last
            s = self.search.n_values[f]
            self.search.domain_missing[f] = 0
            if self.search.has_missing[f] and boxes[base + (s >> 6)] & bit(s & 63):
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
                    side = self.search.own_side(n) ^ self.around
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
    def look(self) -> cython.int:
        """1 if there is a goal among the states that the features of ``loose`` may take; then it is noted."""
        k: cython.int
        game: cython.int
        for k in range(self.search.n_games):
            game = (self.search.last_game + k) % self.search.n_games
            self.search.begin(game, self.loose)
            if self.dive():
                self.search.last_game = game
                self.game = game
                self.take_box()
                return 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def hit(self, boxes: cython.p_ulonglong, box: cython.Py_ssize_t) -> cython.int:
        """1 if a box of a list holds a goal; then ``bad`` is a wide box of goals that meets it."""
        k: cython.int
        self.search.mode = 0
        self.search.priced = False
        self.restrict(boxes, box)
        for k in range((self.search.n_features + 63) // 64):
            self.loose[k] = self.free[k]
        for k in range(self.n):
            self.whole[k] = 0
        if self.look() == 0:
            return 0
        if self.around:
            self.shrink()
        self.relax()
        self.write_box()
        return 1

    # ---- the box of goals, made wide ----------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def take_box(self) -> cython.void:
        """Note what the search's box allows the features, and one state in it of each other feature."""
        k: cython.int
        f: cython.int
        i: cython.int
        for k in range(self.n):
            f = self.feature[k]
            self.lo[k] = self.search.lo[f]
            self.hi[k] = self.search.hi[f]
            self.missing[k] = self.search.missing[f]
            for i in range(self.search.n_set_words[f]):
                self.bad[self.at[k] + i] = self.search.words[self.search.word_at[f] + i]
        for f in range(self.search.n_features):
            self.cell[f] = self.search.x[f]
            if self.search.holds_x(f):
                continue
            self.cell[f] = self.search.lo[f] if self.search.lo[f] <= self.search.hi[f] else self.search.n_values[f]
            for i in range(self.search.n_set_words[f]):
                if self.search.words[self.search.word_at[f] + i]:
                    self.cell[f] = 64 * i + lowest_bit(self.search.words[self.search.word_at[f] + i])
                    break

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def shrink(self) -> cython.int:
        """Let the noted goals leave the instance's states in a minimal set of features.

        The others count as ``whole``: a box around the instance meets the goals there whatever it allows.
        """
        j: cython.int
        k: cython.int
        f: cython.int
        for j in range(-1, self.n):
            if j >= 0:
                f = self.feature[j]
                if self.whole[j]:
                    continue
                self.loose[f >> 6] &= ~bit(f & 63)
                if self.look() == 0:
                    self.loose[f >> 6] |= bit(f & 63)
                    continue
            for k in range(self.n):
                f = self.feature[k]
                if not self.whole[k] and not self.spares(k):
                    self.whole[k] = 1
                    self.loose[f >> 6] &= ~bit(f & 63)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def settle_others(self) -> cython.void:
        """Restrict the features that boxes do not limit to their noted states. ``loose`` becomes the bit set of those
        that leave the instance's state there, and of the features that may yet be widened."""
        f: cython.int
        k: cython.int
        i: cython.int
        s: cython.int
        for k in range((self.search.n_features + 63) // 64):
            self.loose[k] = 0
        for f in range(self.search.n_features):
            s = self.cell[f]
            if s == self.search.x[f]:
                continue
            self.loose[f >> 6] |= bit(f & 63)
            self.search.restricted[f] = 1
            if self.search.is_set[f]:
                for i in range(self.search.n_set_words[f]):
                    self.search.domain_words[self.search.word_at[f] + i] = 0
                self.search.domain_words[self.search.word_at[f] + (s >> 6)] = bit(s & 63)
            else:
                self.search.domain_missing[f] = s == self.search.n_values[f]
                self.search.domain_lo[f] = s
                self.search.domain_hi[f] = -1 if s == self.search.n_values[f] else s
        for k in range(self.n):
            f = self.feature[k]
            self.search.restricted[f] = 0
            if not self.whole[k]:
                self.loose[f >> 6] |= bit(f & 63)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def narrow(self, k: cython.int) -> cython.int:
        """Narrow the search's box to the k-th feature's noted states."""
        f: cython.int = self.feature[k]
        if self.search.is_set[f]:
            self.search.narrow_set(f, self.bad, self.at[k])
        else:
            self.search.narrow(f, self.lo[k], self.hi[k], self.missing[k])
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def holds_when(self, k: cython.int) -> cython.int:
        """Whether bounds show that all cells are goals once the k-th feature is narrowed to its noted states."""
        trail: cython.longlong = self.search.trail_top
        box: cython.longlong = self.search.box_top
        state: cython.int
        self.search.spend()
        self.search.prepare()
        self.narrow(k)
        self.search.settle()
        state = self.search.judge()
        self.search.undo(trail, box)
        return state == SURE

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def spares(self, k: cython.int) -> cython.bint:
        """Whether the k-th feature's noted states leave out the instance's."""
        f: cython.int = self.feature[k]
        s: cython.int = self.search.x[f]
        if self.search.is_set[f]:
            return self.bad[self.at[k] + (s >> 6)] & bit(s & 63) == 0
        if s == self.search.n_values[f]:
            return self.missing[k] == 0
        return s < self.lo[k] or s > self.hi[k]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def relax(self) -> cython.int:
        """Widen the noted goals where bounds show that all cells are goals still: a feature's states all join, unless
        boxes go around the instance, or else its interval grows."""
        k: cython.int
        j: cython.int
        turn: cython.int
        trail: cython.longlong
        box: cython.longlong
        self.settle_others()
        self.search.begin(self.game, self.loose)
        trail = self.search.trail_top
        box = self.search.box_top
        for turn in range(1 if self.around else 0, 2):
            for k in range(self.n):
                if self.whole[k]:
                    continue
                self.search.undo(trail, box)
                self.search.prepare()
                for j in range(self.n):
                    if j != k and not self.whole[j]:
                        self.narrow(j)
                self.search.settle()
                if turn == 1:
                    self.extend(k)
                elif self.search.judge() == SURE:
                    self.whole[k] = 1
        self.search.undo(trail, box)
        for k in range(self.search.n_features):
            self.search.restricted[k] = 0
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def extend(self, k: cython.int) -> cython.int:
        """Widen the k-th feature's noted states: an interval at both ends by bisection, a set state by state."""
        f: cython.int = self.feature[k]
        s: cython.int
        low: cython.int
        high: cython.int
        i: cython.Py_ssize_t
        if self.search.is_set[f]:
            for s in range(self.search.n_values[f] + self.search.has_missing[f]):
                i = self.at[k] + (s >> 6)
                if self.bad[i] & bit(s & 63) == 0:
                    self.bad[i] |= bit(s & 63)
                    if not self.holds_when(k):
                        self.bad[i] &= ~bit(s & 63)
            return 0
        if self.search.has_missing[f] and not self.missing[k]:
            self.missing[k] = 1
            self.missing[k] = self.holds_when(k)
        if self.lo[k] > self.hi[k]:
            return 0
        low = 0
        high = self.lo[k]
        while low < high:
            self.lo[k] = (low + high) // 2
            if self.holds_when(k):
                high = self.lo[k]
            else:
                low = self.lo[k] + 1
        self.lo[k] = high
        low = self.hi[k]
        high = self.search.n_values[f] - 1
        while low < high:
            self.hi[k] = (low + high + 1) // 2
            if self.holds_when(k):
                low = self.hi[k]
            else:
                high = self.hi[k] - 1
        self.hi[k] = low
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def write_box(self) -> cython.void:
        """``bad`` becomes the noted box."""
        k: cython.int
        f: cython.int
        i: cython.int
        s: cython.int
        for k in range(self.n):
            f = self.feature[k]
            if self.search.is_set[f] and not self.whole[k]:
                continue
            for i in range(self.at[k], self.at[k + 1]):
                self.bad[i] = 0
            if self.whole[k]:
                self.lo[k] = 0
                self.hi[k] = self.search.n_values[f] - 1
                self.missing[k] = self.search.has_missing[f]
            for s in range(self.lo[k], self.hi[k] + 1):
                self.bad[self.at[k] + (s >> 6)] |= bit(s & 63)
            if self.missing[k]:
                s = self.search.n_values[f]
                self.bad[self.at[k] + (s >> 6)] |= bit(s & 63)
