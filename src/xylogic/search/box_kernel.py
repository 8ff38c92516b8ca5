"""A box of cells and, for every tree, which of its leaves the box still reaches; narrowing and taking back.

Trees of up to 64 leaves keep a bit mask, leaves numbered by ascending value, so that the least and the greatest
reachable value are two bit scans. Larger trees keep the lowest node that all reachable leaves lie below, whose subtree
is walked. Narrowing a feature touches only the nodes whose test it decides, and is undone from a trail.

A *game* is a conjunction of constraints on sums of leaf values, integers in fixed point (see search/games.py); every
constraint has its own values, hence its own masks.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython

if cython.compiled:
    from cython.cimports.xylogic.search.state_kernel import State
else:
    import numpy as np

    from xylogic.search.state_kernel import State

    def bit(k):
        return np.uint64(1 << int(k))

    def lowest_bit(x):
        return (int(x) & -int(x)).bit_length() - 1

    def highest_bit(x):
        return int(x).bit_length() - 1


CHECK_EVERY = cython.declare(cython.int, 2048)


@cython.cclass
class Box(State):
    """The current box in one forest's cells, and the trees' reachable leaves in the current game."""

    def __init__(self, forest: object, games: object, work: object, budget: object) -> None:
        State.__init__(self, forest, games, work, budget)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def tick(self) -> cython.int:
        """Count a search node; now and then let the budget (and a pending Ctrl-C) stop the search."""
        self.nodes += 1
        if self.nodes - self.checked >= CHECK_EVERY:
            self.checked = self.nodes
            with cython.gil:
                self.budget.check(self.nodes)
        return 0

    # ---- tests and boxes --------------------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sides(self, n: cython.int) -> cython.int:
        """Which sides of node n the current box reaches: bit 1 left, bit 2 right."""
        f: cython.int = self.node_feature[n]
        open_sides: cython.int = 0
        i: cython.int
        at: cython.int
        width: cython.int
        word: cython.ulonglong
        if not self.is_set[f]:
            if self.lo[f] <= self.node_cut[n]:
                open_sides = 1
            if self.hi[f] > self.node_cut[n]:
                open_sides |= 2
            if self.missing[f]:
                open_sides |= self.node_missing[n]
            return open_sides
        at = self.node_set[n]
        width = self.n_set_words[f]
        for i in range(width):
            word = self.words[self.word_at[f] + i]
            if word & self.set_words[at + i]:
                open_sides |= 1
            if word & self.set_words[at + width + i]:
                open_sides |= 2
        return open_sides

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def holds_x(self, f: cython.int) -> cython.bint:
        """Whether the box still contains the instance's own state of feature f."""
        s: cython.int = self.x[f]
        if self.is_set[f]:
            return self.words[self.word_at[f] + (s >> 6)] & bit(s & 63) != 0
        if s == self.n_values[f]:
            return self.missing[f] != 0
        return self.lo[f] <= s and s <= self.hi[f]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
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

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def price(self, f: cython.int) -> cython.void:
        """Set the cost of bringing feature f into the box."""
        s: cython.int = self.nearest(f)
        if s < 0:
            self.box_cost[f] = 1e300
        elif s == self.x[f]:
            self.box_cost[f] = 0.0
        else:
            self.box_cost[f] = self.cost[self.state_at[f] + s]

    # ---- narrowing --------------------------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def touch(self, t: cython.int) -> cython.void:
        """Note tree t on the trail, once in a narrowing."""
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        if self.stamp[t] != self.epoch:
            self.stamp[t] = self.epoch
            self.changed[self.n_changed] = t
            self.n_changed += 1
            k = self.trail_top
            self.trail_top += 1
            self.trail_tree[k] = t
            self.trail_at[k] = self.at[t]
            k *= self.max_constraints
            for i in range(self.n_active):
                self.trail_mask[k + i] = self.mask[i * self.n_trees + t]
                self.trail_low[k + i] = self.low[i * self.n_trees + t]
                self.trail_high[k + i] = self.high[i * self.n_trees + t]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def drop(
        self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, below: cython.p_ulonglong, kept_by: cython.int
    ) -> cython.void:
        """One side of the listed nodes start..stop is reached no longer; ``below`` holds that side's leaves.

        Where ``node_missing`` has the bit ``kept_by``, the state "missing" still reaches it.
        """
        k: cython.Py_ssize_t
        i: cython.Py_ssize_t
        t: cython.int
        n: cython.int
        base: cython.Py_ssize_t = self.first * self.n_listed
        list_tree: cython.p_int = self.list_tree
        mask: cython.p_ulonglong = self.mask
        for k in range(start, stop):
            t = list_tree[k]
            if mask[t] & below[base + k] == 0:
                continue
            if kept_by and self.node_missing[self.listed[k]] & kept_by:
                continue
            if self.is_small[t]:
                self.touch(t)
                for i in range(self.n_active):
                    mask[i * self.n_trees + t] &= ~below[base + k + i * self.n_listed]
            else:
                n = self.listed[k]
                if n >= self.at[t] and n < self.node_end[self.at[t]]:
                    self.touch(t)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def walk(self, t: cython.int, i: cython.int) -> cython.void:
        """Least and greatest reachable leaf value of a large tree, skipping subtrees that cannot widen them."""
        at: cython.Py_ssize_t = (self.first + i) * self.n_nodes
        top: cython.int = 1
        n: cython.int
        side: cython.int
        least: cython.longlong = 0
        most: cython.longlong = 0
        empty: cython.bint = True
        self.stack[0] = self.at[t]
        while top > 0:
            top -= 1
            n = self.stack[top]
            while empty or self.low_below[at + n] < least or self.high_below[at + n] > most:
                if self.node_left[n] < 0:
                    least = self.low_below[at + n] if empty else min(least, self.low_below[at + n])
                    most = self.high_below[at + n] if empty else max(most, self.high_below[at + n])
                    empty = False
                    break
                side = self.sides(n)
                if side == 3:
                    self.stack[top] = self.node_right[n]
                    top += 1
                n = self.node_left[n] if side & 1 else self.node_right[n]
        self.low[i * self.n_trees + t] = least
        self.high[i * self.n_trees + t] = most

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def lowest(self, t: cython.int) -> cython.int:
        """The lowest node of tree t, from ``at[t]`` on, that the current box does not decide."""
        n: cython.int = self.at[t] if self.at[t] >= 0 else ~self.at[t]
        side: cython.int
        while self.node_left[n] >= 0:
            side = self.sides(n)
            if side == 3:
                break
            n = self.node_left[n] if side == 1 else self.node_right[n]
        return n

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def measure(self, t: cython.int) -> cython.void:
        """Set tree t's least and greatest values; where they are equal in every constraint, close it (no mask)."""
        i: cython.int
        u: cython.Py_ssize_t = t
        k: cython.Py_ssize_t
        mask: cython.ulonglong
        closed: cython.bint = True
        low: cython.longlong
        high: cython.longlong
        if self.is_small[t] and self.n_active == 1:
            # The usual case by itself, for speed.
            mask = self.mask[t]
            k = self.first * self.n_leaves + self.leaf_at[t]
            low = self.ranked[k + lowest_bit(mask)]
            high = low if mask & (mask - 1) == 0 else self.ranked[k + highest_bit(mask)]
            self.low[t] = low
            self.high[t] = high
            if low == high:
                self.mask[t] = 0
            elif self.at[t] >= 0:
                self.at[t] = ~self.at[t]
            return
        if self.is_small[t]:
            for i in range(self.n_active):
                k = (self.first + i) * self.n_leaves + self.leaf_at[t]
                mask = self.mask[u]
                self.low[u] = self.ranked[k + lowest_bit(mask)]
                self.high[u] = self.ranked[k + highest_bit(mask)]
                closed = closed and self.low[u] == self.high[u]
                u += self.n_trees
        else:
            self.at[t] = self.lowest(t)
            for i in range(self.n_active):
                self.walk(t, i)
                closed = closed and self.low[u] == self.high[u]
                u += self.n_trees
        if closed:
            self.mask[t] = 0
        elif self.is_small[t] and self.at[t] >= 0:
            self.at[t] = ~self.at[t]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def settle(self) -> cython.void:
        """After a narrowing: the changed trees' bounds and their sums."""
        k: cython.int
        i: cython.Py_ssize_t
        u: cython.Py_ssize_t
        for k in range(self.n_changed):
            for i in range(self.n_active):
                u = i * self.n_trees + self.changed[k]
                self.low_sum[i] -= self.low[u]
                self.high_sum[i] -= self.high[u]
            self.measure(self.changed[k])
            for i in range(self.n_active):
                u = i * self.n_trees + self.changed[k]
                self.low_sum[i] += self.low[u]
                self.high_sum[i] += self.high[u]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
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

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
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

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
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

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
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

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
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

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
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

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_fixed(self, f: cython.int) -> cython.bint:
        """Whether the box leaves feature f one state (a categorical feature: never said so)."""
        if self.is_set[f]:
            return False
        if self.missing[f]:
            return self.lo[f] > self.hi[f]
        return self.lo[f] == self.hi[f]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
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

    # ---- the start of a game -----------------------------------------------------------------------------------

    def set_instance(self, x: cython.int[::1]) -> None:
        """Make ``x`` (a state per feature) the instance: which leaves of every tree agree with each of its states."""
        c: cython.Py_ssize_t
        k: cython.Py_ssize_t
        n: cython.int
        f: cython.int
        side: cython.int
        at: cython.Py_ssize_t
        gone: cython.ulonglong
        keep: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        with cython.nogil:
            for k in range(cython.cast(cython.Py_ssize_t, self.n_constraints) * self.n_pairs):
                self.kept[k] = keep
            for f in range(self.n_features):
                self.x[f] = x[f]
                self.missing[f] = x[f] == self.n_values[f]
                self.lo[f] = x[f]
                self.hi[f] = -1 if self.missing[f] else x[f]
                for k in range(self.n_set_words[f]):
                    self.words[self.word_at[f] + k] = 0
                if self.is_set[f]:
                    self.words[self.word_at[f] + (x[f] >> 6)] = bit(x[f] & 63)
                for k in range(self.list_at[f], self.list_at[f + 1]):
                    n = self.listed[k]
                    side = self.sides(n)
                    if side == 3 or not self.is_small[self.node_tree[n]]:
                        continue
                    for c in range(self.n_constraints):
                        at = c * self.n_listed + k
                        gone = self.right_of[at] if side == 1 else self.left_of[at]
                        self.kept[c * self.n_pairs + self.node_pair[n]] &= ~gone

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
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
