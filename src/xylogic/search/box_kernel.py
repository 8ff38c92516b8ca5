"""The current box of cells: its states of every feature, narrowing it, and taking that back.

Narrowing a feature touches only the nodes whose test it decides, and is undone from a trail. One narrowing may take in
many features: ``prepare``, then the features, then ``settle``.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import bit, lowest_bit
    from cython.cimports.xylogic.search.leaves_kernel import Leaves
else:
    from xylogic.domain.machine_kernel import bit, lowest_bit
    from xylogic.search.leaves_kernel import Leaves


@cython.cclass
class Box(Leaves):
    """The current box in one forest's cells."""

    def __init__(self, forest: object, games: object, work: object, budget: object) -> None:
        Leaves.__init__(self, forest, games, work, budget)

    def holds_x(self, f: cython.int) -> cython.bint:
        """Whether the box still contains the instance's own state of feature f."""
        s: cython.int = self.x[f]
        if self.is_set[f]:
            return self.words[self.word_at[f] + (s >> 6)] & bit(s & 63) != 0
        if s == self.n_values[f]:
            return self.missing[f] != 0
        return self.lo[f] <= s and s <= self.hi[f]

    def nearest(self, f: cython.int) -> cython.int:
        """The state of feature f in the box that costs least (the lowest one at ties); -1 if none is allowed."""
        s: cython.int = self.x[f]
        at: cython.int = self.state_at[f]
        best: cython.int = -1
        i: cython.int
        k: cython.int
        word: cython.ulonglong
        if self.holds_x(f):
            return s
        if self.is_set[f]:
            for i in range(self.n_set_words[f]):
                word = self.words[self.word_at[f] + i]
                while word:
                    k = 64 * i + lowest_bit(word)
                    word &= word - 1
                    if self.next_up[at + k] == k and (best < 0 or self.cost[at + k] < self.cost[at + best]):
                        best = k
            return best
        if self.lo[f] <= self.hi[f]:
            if self.hi[f] < s and s < self.n_values[f]:
                k = self.next_down[at + self.hi[f]]
                if k >= self.lo[f]:
                    best = k
            else:
                k = self.next_up[at + self.lo[f]]
                if k <= self.hi[f]:
                    best = k
        if self.missing[f]:
            k = self.n_values[f]
            if self.next_up[at + k] == k and (best < 0 or self.cost[at + k] < self.cost[at + best]):
                best = k
        return best

    def price(self, f: cython.int) -> cython.void:
        """Set the cost of bringing feature f into the box."""
        s: cython.int = self.nearest(f)
        if s < 0:
            self.box_cost[f] = 1e300
        elif s == self.x[f]:
            self.box_cost[f] = 0.0
        else:
            self.box_cost[f] = self.cost[self.state_at[f] + s]

    def prepare(self) -> cython.int:
        """Open a narrowing, of one feature or of many; :meth:`settle` closes it."""
        if self.trail_top + self.n_trees > self.trail_room:
            with cython.gil:
                self._grow_trail()
        if self.box_top + self.n_features > self.box_room:
            with cython.gil:
                self._grow_box()
        if self.word_top + self.n_words > self.word_room:
            with cython.gil:
                self._grow_words()
        self.epoch += 1
        self.n_changed = 0
        return 0

    def remember(self, f: cython.int) -> cython.void:
        """Note feature f's part of the box on the trail."""
        i: cython.int
        self.box_feature[self.box_top] = f
        self.box_lo[self.box_top] = self.lo[f]
        self.box_hi[self.box_top] = self.hi[f]
        self.box_missing[self.box_top] = self.missing[f]
        self.box_top += 1
        for i in range(self.n_set_words[f]):
            self.word_trail[self.word_top] = self.words[self.word_at[f] + i]
            self.word_top += 1

    def narrow(self, f: cython.int, lo: cython.int, hi: cython.int, missing: cython.int) -> cython.void:
        """Narrow an ordered feature to the states lo..hi (none if lo > hi) and, maybe, "missing"."""
        old_lo: cython.int = self.lo[f]
        old_hi: cython.int = self.hi[f]
        at: cython.int = self.start_at[f] + 1
        self.remember(f)
        if self.missing[f] and not missing:
            # "Missing" may have been all that held a side open: every node is looked at again.
            old_hi, old_lo = self.n_values[f], -1
        if lo > hi:
            lo = self.n_values[f]
            hi = -1
        self.lo[f] = lo
        self.hi[f] = hi
        self.missing[f] = missing
        if hi < old_hi:
            self.drop(self.start[at + hi], self.start[at + old_hi], self.right_of, 2 if missing else 0)
        if lo > old_lo:
            self.drop(self.start[at + old_lo], self.start[at + lo], self.left_of, 1 if missing else 0)
        if self.priced:
            self.price(f)

    def narrow_set(self, f: cython.int, allowed: cython.p_ulonglong, at: cython.int) -> cython.void:
        """Narrow a categorical feature to the states of the bit set that starts at ``allowed[at]``."""
        i: cython.int
        k: cython.int
        side: cython.int
        self.remember(f)
        for i in range(self.n_set_words[f]):
            self.words[self.word_at[f] + i] &= allowed[at + i]
        for k in range(self.list_at[f], self.list_at[f + 1]):
            side = self.sides(self.listed[k])
            if side == 1:
                self.drop(k, k + 1, self.right_of, 0)
            elif side == 2:
                self.drop(k, k + 1, self.left_of, 0)
        if self.priced:
            self.price(f)

    def enter(self, n: cython.int, side: cython.int) -> cython.int:
        """Narrow the box to one side (0 left, 1 right) of node n's test."""
        f: cython.int = self.node_feature[n]
        cut: cython.int = self.node_cut[n]
        self.prepare()
        if self.is_set[f]:
            self.narrow_set(f, self.set_words, self.node_set[n] + side * self.n_set_words[f])
        elif side == 0:
            self.narrow(f, self.lo[f], min(self.hi[f], cut), self.missing[f] & self.node_missing[n] & 1)
        else:
            self.narrow(f, max(self.lo[f], cut + 1), self.hi[f], self.missing[f] & (self.node_missing[n] >> 1))
        self.settle()
        return 0

    def fix(self, f: cython.int) -> cython.void:
        """Narrow feature f to the instance's own state."""
        s: cython.int = self.x[f]
        i: cython.int
        if self.is_set[f]:
            for i in range(self.n_set_words[f]):
                self.single[i] = 0
            self.single[s >> 6] = bit(s & 63)
            self.narrow_set(f, self.single, 0)
        elif s == self.n_values[f]:
            self.narrow(f, s, -1, 1)
        else:
            self.narrow(f, s, s, 0)

    def is_fixed(self, f: cython.int) -> cython.bint:
        """Whether the box leaves feature f one state (a categorical feature: never said so)."""
        if self.is_set[f]:
            return False
        if self.missing[f]:
            return self.lo[f] > self.hi[f]
        return self.lo[f] == self.hi[f]

    def undo(self, trail: cython.longlong, box: cython.longlong) -> cython.void:
        """Take back every narrowing since the two trails had these lengths."""
        k: cython.Py_ssize_t
        i: cython.Py_ssize_t
        u: cython.Py_ssize_t
        t: cython.int
        f: cython.int
        width: cython.Py_ssize_t = self.max_constraints
        while self.trail_top > trail:
            self.trail_top -= 1
            k = self.trail_top
            t = self.trail_tree[k]
            self.at[t] = self.trail_at[k]
            for i in range(self.n_active):
                u = i * self.n_trees + t
                self.mask[u] = self.trail_mask[k * width + i]
                self.low_sum[i] += self.trail_low[k * width + i] - self.low[u]
                self.high_sum[i] += self.trail_high[k * width + i] - self.high[u]
                self.low[u] = self.trail_low[k * width + i]
                self.high[u] = self.trail_high[k * width + i]
        while self.box_top > box:
            self.box_top -= 1
            f = self.box_feature[self.box_top]
            self.lo[f] = self.box_lo[self.box_top]
            self.hi[f] = self.box_hi[self.box_top]
            self.missing[f] = self.box_missing[self.box_top]
            if self.is_set[f]:
                self.word_top -= self.n_set_words[f]
                for i in range(self.n_set_words[f]):
                    self.words[self.word_at[f] + i] = self.word_trail[self.word_top + i]
            if self.priced:
                self.price(f)

    def set_instance(self, x: cython.int[::1]) -> None:
        """Make ``x`` (a state per feature) the instance."""
        f: cython.int
        for f in range(self.n_features):
            self.x[f] = x[f]
        self.has_kept = self.has_own = False

    def lay_out_kept(self) -> cython.void:
        """Which leaves of every tree agree with each of the instance's states."""
        c: cython.Py_ssize_t
        k: cython.Py_ssize_t
        n: cython.int
        f: cython.int
        s: cython.int
        side: cython.int
        at: cython.Py_ssize_t
        gone: cython.ulonglong
        keep: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        for k in range(cython.cast(cython.Py_ssize_t, self.n_constraints) * self.n_pairs):
            self.kept[k] = keep
        for f in range(self.n_features):
            s = self.x[f]
            self.missing[f] = s == self.n_values[f]
            self.lo[f] = s
            self.hi[f] = -1 if self.missing[f] else s
            for k in range(self.n_set_words[f]):
                self.words[self.word_at[f] + k] = 0
            if self.is_set[f]:
                self.words[self.word_at[f] + (s >> 6)] = bit(s & 63)
            for k in range(self.list_at[f], self.list_at[f + 1]):
                n = self.listed[k]
                side = self.sides(n)
                if side == 3 or not self.is_small[self.node_tree[n]]:
                    continue
                for c in range(self.n_constraints):
                    at = c * self.n_listed + k
                    gone = self.right_of[at] if side == 1 else self.left_of[at]
                    self.kept[c * self.n_pairs + self.node_pair[n]] &= ~gone
        self.has_kept = True

    def begin(self, game: cython.int, free: cython.p_ulonglong) -> cython.int:
        """Start a game in the box where the features of the bit set ``free`` range over their domain and the
        others keep the instance's state."""
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        t: cython.int
        f: cython.int
        s: cython.int
        row: cython.Py_ssize_t
        column: cython.Py_ssize_t
        mask: cython.p_ulonglong
        kept: cython.p_ulonglong
        self.spend()
        if not self.has_kept:
            self.lay_out_kept()
        self.first = self.game_at[game]
        self.n_active = self.game_at[game + 1] - self.first
        self.trail_top = self.box_top = self.word_top = self.frame_top = 0
        for i in range(self.n_active):
            row = i * self.n_trees
            column = (self.first + i) * cython.cast(cython.Py_ssize_t, self.n_trees)
            for t in range(self.n_trees):
                self.mask[row + t] = self.all_leaves[column + t]
        for f in range(self.n_features):
            s = self.x[f]
            if free[f >> 6] & bit(f & 63):
                self.lo[f] = 0
                self.hi[f] = self.n_values[f] - 1
                self.missing[f] = self.has_missing[f]
                for i in range(self.n_set_words[f]):
                    self.words[self.word_at[f] + i] = self.every_word[self.word_at[f] + i]
                continue
            self.missing[f] = s == self.n_values[f] and self.has_missing[f]
            self.lo[f] = s
            self.hi[f] = -1 if self.missing[f] else s
            if self.is_set[f]:
                for i in range(self.n_set_words[f]):
                    self.words[self.word_at[f] + i] = 0
                self.words[self.word_at[f] + (s >> 6)] = bit(s & 63)
            for i in range(self.n_active):
                row = i * self.n_trees
                column = (self.first + i) * cython.cast(cython.Py_ssize_t, self.n_pairs)
                if self.has_all_pairs:
                    mask = self.mask
                    kept = self.kept
                    column += self.pair_at[f]
                    for k in range(self.n_trees):
                        mask[row + k] &= kept[column + k]
                else:
                    for k in range(self.pair_at[f], self.pair_at[f + 1]):
                        self.mask[row + self.pair_tree[k]] &= self.kept[column + k]
        for t in range(self.n_trees):
            self.at[t] = self.root[t]
            self.measure(t)
        for i in range(self.n_active):
            self.low_sum[i] = 0
            self.high_sum[i] = 0
            for t in range(self.n_trees):
                self.low_sum[i] += self.low[i * self.n_trees + t]
                self.high_sum[i] += self.high[i * self.n_trees + t]
        self.prepare()
        for f in range(self.n_features):
            if self.restricted[f] and free[f >> 6] & bit(f & 63):
                if self.is_set[f]:
                    self.narrow_set(f, self.domain_words, self.word_at[f])
                else:
                    self.narrow(f, self.domain_lo[f], self.domain_hi[f], self.domain_missing[f])
            elif self.priced:
                self.price(f)
        self.settle()
        return 0
