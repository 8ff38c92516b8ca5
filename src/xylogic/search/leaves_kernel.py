"""Which leaves of every tree the current box still reaches, and what they are worth.

Trees of up to 64 leaves keep a bit mask, leaves numbered by ascending value, so that the least and the greatest
reachable value are two bit scans. Larger trees keep the lowest node that all reachable leaves lie below, whose subtree
is walked. A *game* is a conjunction of constraints on sums of leaf values, integers in fixed point (see
search/games.py); every constraint has its own values, hence its own masks.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import highest_bit, lowest_bit
    from cython.cimports.xylogic.search.state_kernel import State
else:
    from xylogic.domain.machine_kernel import highest_bit, lowest_bit
    from xylogic.search.state_kernel import State

CHECK_EVERY = cython.declare(cython.int, 100000)  # trees looked at


@cython.cclass
class Leaves(State):
    """The trees' reachable leaves in the current game; what changes is noted on a trail."""

    def __init__(self, forest: object, games: object, work: object, budget: object) -> None:
        State.__init__(self, forest, games, work, budget)

    def tick(self) -> cython.int:
        """Count a search node; now and then let the budget (and a pending Ctrl-C) stop the search."""
        self.nodes += 1
        return self.spend()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def spend(self) -> cython.int:
        """Count the work of looking at all trees; now and then check the budget."""
        self.unchecked += self.n_trees + 16
        if self.unchecked >= CHECK_EVERY:
            self.unchecked = 0
            with cython.gil:
                self.budget.check(self.nodes)
        return 0

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
