"""A box of cells and, for every tree, which of its leaves the box still reaches; narrowing and taking back.

Trees of up to 64 leaves keep a bit mask, leaves numbered by ascending value, so that the least and the greatest
reachable value are two bit scans. Larger trees keep the lowest node that all reachable leaves lie below, whose subtree
is walked. Narrowing a feature touches only the nodes whose test it decides, and is undone from a trail.

A *game* is a conjunction of constraints on sums of leaf values, integers in fixed point (see search/games.py); every
constraint has its own values, hence its own masks.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython

if not cython.compiled:

    def lowest_bit(x):
        return (int(x) & -int(x)).bit_length() - 1

    def highest_bit(x):
        return int(x).bit_length() - 1


CHECK_EVERY = cython.declare(cython.int, 2048)


@cython.cfunc
def ints(array: cython.int[::1]) -> cython.p_int:
    if cython.compiled:
        return cython.address(array[0])
    else:
        return array


@cython.cfunc
def longs(array: cython.longlong[::1]) -> cython.p_longlong:
    if cython.compiled:
        return cython.address(array[0])
    else:
        return array


@cython.cfunc
def bits(array: cython.ulonglong[::1]) -> cython.p_ulonglong:
    if cython.compiled:
        return cython.address(array[0])
    else:
        return array


@cython.cfunc
def doubles(array: cython.double[::1]) -> cython.p_double:
    if cython.compiled:
        return cython.address(array[0])
    else:
        return array


@cython.cclass
class Box:
    """The current box in one forest's cells, and the trees' reachable leaves in the current game.

    ``forest`` and ``games`` are read only and may be shared by threads; ``work`` belongs to this object alone.
    """

    def __init__(self, forest, games, work, budget):
        self.arrays = [forest, games, work]
        self.budget = budget
        self.n_nodes = forest.n_nodes
        self.n_trees = forest.n_trees
        self.n_features = forest.n_features
        self.n_tests = forest.n_tests
        self.n_words = forest.n_words
        self.n_pairs = forest.n_pairs
        self.n_leaves = forest.n_leaves
        self.node_feature = ints(forest.node_feature)
        self.node_cut = ints(forest.node_cut)
        self.node_missing = ints(forest.node_missing)
        self.node_set = ints(forest.node_set)
        self.node_left = ints(forest.node_left)
        self.node_right = ints(forest.node_right)
        self.node_end = ints(forest.node_end)
        self.node_tree = ints(forest.node_tree)
        self.node_test = ints(forest.node_test)
        self.root = ints(forest.root)
        self.is_small = ints(forest.is_small)
        self.leaf_at = ints(forest.leaf_at)
        self.is_set = ints(forest.is_set)
        self.n_values = ints(forest.n_values)
        self.has_missing = ints(forest.has_missing)
        self.n_set_words = ints(forest.n_set_words)
        self.word_at = ints(forest.word_at)
        self.state_at = ints(forest.state_at)
        self.list_at = ints(forest.list_at)
        self.listed = ints(forest.listed)
        self.start_at = ints(forest.start_at)
        self.start = ints(forest.start)
        self.pair_at = ints(forest.pair_at)
        self.pair_tree = ints(forest.pair_tree)
        self.node_pair = ints(forest.node_pair)
        self.every_word = bits(forest.every_word)
        self.set_words = bits(forest.set_words)

        self.n_games = games.n_games
        self.n_constraints = games.n_constraints
        self.max_constraints = games.max_constraints
        self.n_scores = games.n_scores
        self.game_at = ints(games.game_at)
        self.leaves = bits(games.leaves)
        self.all_leaves = bits(games.all_leaves)
        self.ranked = longs(games.ranked)
        self.low_below = longs(games.low_below)
        self.high_below = longs(games.high_below)
        self.sure = longs(games.sure)
        self.never = longs(games.never)
        self.plus = ints(games.plus)
        self.minus = ints(games.minus)
        self.strict = ints(games.strict)
        self.level = doubles(games.level)
        self.score = doubles(games.score)
        self.base = doubles(games.base)
        self.divisor = games.divisor

        self.x = ints(work.x)
        self.kept = bits(work.kept)
        self.witness = ints(work.witness)
        self.point = ints(work.point)
        self.single = bits(work.single)
        self.lo = ints(work.lo)
        self.hi = ints(work.hi)
        self.missing = ints(work.missing)
        self.words = bits(work.words)
        self.mask = bits(work.mask)
        self.low = longs(work.low)
        self.high = longs(work.high)
        self.low_sum = longs(work.low_sum)
        self.high_sum = longs(work.high_sum)
        self.at = ints(work.at)
        self.stamp = ints(work.stamp)
        self.changed = ints(work.changed)
        self.stack = ints(work.stack)
        self.votes = longs(work.votes)
        self.touched = ints(work.touched)
        self.sums = doubles(work.sums)
        self.domain_lo = ints(work.domain_lo)
        self.domain_hi = ints(work.domain_hi)
        self.domain_missing = ints(work.domain_missing)
        self.domain_words = bits(work.domain_words)
        self.restricted = ints(work.restricted)
        self.cost = doubles(work.cost)
        self.step = doubles(work.step)
        self.next_up = ints(work.next_up)
        self.next_down = ints(work.next_down)
        self.box_cost = doubles(work.box_cost)

        self.nodes = 0
        self.checked = 0
        self.epoch = 0
        self.priced = False
        self.trail_room = self.box_room = self.word_room = self.frame_room = 0
        self._grow_trail()
        self._grow_box()
        self._grow_words()
        self._grow_frames()

    # ---- room -------------------------------------------------------------------------------------------------

    @cython.cfunc
    def _grow_trail(self):
        work = self.arrays[2]
        room = max(4 * self.n_trees + 1024, 2 * self.trail_room)
        work.resize(("trail_tree", "trail_at"), room)
        work.resize(("trail_mask", "trail_low", "trail_high"), room * self.max_constraints)
        self.trail_tree = ints(work.trail_tree)
        self.trail_at = ints(work.trail_at)
        self.trail_mask = bits(work.trail_mask)
        self.trail_low = longs(work.trail_low)
        self.trail_high = longs(work.trail_high)
        self.trail_room = room

    @cython.cfunc
    def _grow_box(self):
        work = self.arrays[2]
        room = max(4 * self.n_features + 256, 2 * self.box_room)
        work.resize(("box_feature", "box_lo", "box_hi", "box_missing"), room)
        self.box_feature = ints(work.box_feature)
        self.box_lo = ints(work.box_lo)
        self.box_hi = ints(work.box_hi)
        self.box_missing = ints(work.box_missing)
        self.box_room = room

    @cython.cfunc
    def _grow_words(self):
        work = self.arrays[2]
        room = max(4 * self.n_words + 64, 2 * self.word_room)
        work.resize(("word_trail",), room)
        self.word_trail = bits(work.word_trail)
        self.word_room = room

    @cython.cfunc
    def _grow_frames(self):
        work = self.arrays[2]
        room = max(256, 2 * self.frame_room)
        work.resize(("frame_trail", "frame_box", "frame_node", "frame_side"), room)
        self.frame_trail = longs(work.frame_trail)
        self.frame_box = longs(work.frame_box)
        self.frame_node = ints(work.frame_node)
        self.frame_side = ints(work.frame_side)
        self.frame_room = room

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
            return (self.words[self.word_at[f] + (s >> 6)] >> (s & 63)) & 1 != 0
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
    def drop(self, n: cython.int, child: cython.int) -> cython.void:
        """The leaves below ``child`` of node n are reached no longer."""
        t: cython.int = self.node_tree[n]
        top: cython.int = self.at[t]
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        width: cython.Py_ssize_t = self.max_constraints
        mask: cython.ulonglong
        gone: cython.ulonglong
        if n < top or n >= self.node_end[top]:
            return
        if self.is_small[t]:
            if self.mask[t] & self.leaves[cython.cast(cython.Py_ssize_t, self.first) * self.n_nodes + child] == 0:
                return
        if self.stamp[t] != self.epoch:
            self.stamp[t] = self.epoch
            self.changed[self.n_changed] = t
            self.n_changed += 1
            k = self.trail_top
            self.trail_top += 1
            self.trail_tree[k] = t
            self.trail_at[k] = top
            for i in range(self.n_active):
                self.trail_mask[k * width + i] = self.mask[i * self.n_trees + t]
                self.trail_low[k * width + i] = self.low[i * self.n_trees + t]
                self.trail_high[k * width + i] = self.high[i * self.n_trees + t]
        if self.is_small[t]:
            for i in range(self.n_active):
                gone = self.leaves[(self.first + i) * self.n_nodes + child]
                mask = self.mask[i * self.n_trees + t]
                self.mask[i * self.n_trees + t] = mask & ~gone

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def walk(self, t: cython.int, i: cython.int) -> cython.void:
        """Least and greatest reachable leaf value of a large tree, skipping subtrees that cannot widen them."""
        at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, self.first + i) * self.n_nodes
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
    def descend(self, t: cython.int) -> cython.void:
        """Move ``at[t]`` to the lowest node that all reachable leaves of tree t lie below."""
        n: cython.int = self.at[t]
        side: cython.int
        while self.node_left[n] >= 0:
            side = self.sides(n)
            if side == 3:
                break
            n = self.node_left[n] if side == 1 else self.node_right[n]
        self.at[t] = n

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def measure(self, t: cython.int, i: cython.int) -> cython.void:
        """Set the least and greatest value of tree t in constraint i of the current game."""
        k: cython.Py_ssize_t
        mask: cython.ulonglong
        if self.is_small[t]:
            k = cython.cast(cython.Py_ssize_t, self.first + i) * self.n_leaves + self.leaf_at[t]
            mask = self.mask[i * self.n_trees + t]
            self.low[i * self.n_trees + t] = self.ranked[k + lowest_bit(mask)]
            self.high[i * self.n_trees + t] = self.ranked[k + highest_bit(mask)]
        else:
            self.walk(t, i)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def settle(self) -> cython.void:
        """After a narrowing: the changed trees' bounds, their sums and residual roots."""
        k: cython.int
        t: cython.int
        i: cython.int
        u: cython.Py_ssize_t
        for k in range(self.n_changed):
            t = self.changed[k]
            self.descend(t)
            for i in range(self.n_active):
                u = i * self.n_trees + t
                self.low_sum[i] -= self.low[u]
                self.high_sum[i] -= self.high[u]
                self.measure(t, i)
                self.low_sum[i] += self.low[u]
                self.high_sum[i] += self.high[u]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def remember(self, f: cython.int) -> cython.int:
        """Note feature f's part of the box on the trail and open a new narrowing."""
        i: cython.int
        if self.trail_top + self.n_trees > self.trail_room:
            with cython.gil:
                self._grow_trail()
        if self.box_top >= self.box_room:
            with cython.gil:
                self._grow_box()
        self.box_feature[self.box_top] = f
        self.box_lo[self.box_top] = self.lo[f]
        self.box_hi[self.box_top] = self.hi[f]
        self.box_missing[self.box_top] = self.missing[f]
        self.box_top += 1
        if self.is_set[f]:
            if self.word_top + self.n_words > self.word_room:
                with cython.gil:
                    self._grow_words()
            for i in range(self.n_set_words[f]):
                self.word_trail[self.word_top] = self.words[self.word_at[f] + i]
                self.word_top += 1
        self.epoch += 1
        self.n_changed = 0
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def narrow(self, f: cython.int, lo: cython.int, hi: cython.int, missing: cython.int) -> cython.int:
        """Narrow an ordered feature to the states lo..hi (none if lo > hi) and, maybe, "missing"."""
        k: cython.int
        n: cython.int
        old_lo: cython.int = self.lo[f]
        old_hi: cython.int = self.hi[f]
        lost_missing: cython.bint = self.missing[f] and not missing
        at: cython.int = self.start_at[f] + 1
        if lo > hi:
            lo = self.n_values[f]
            hi = -1
        self.remember(f)
        self.lo[f] = lo
        self.hi[f] = hi
        self.missing[f] = missing
        if lost_missing:
            for k in range(self.list_at[f], self.list_at[f + 1]):
                n = self.listed[k]
                if hi <= self.node_cut[n]:
                    self.drop(n, self.node_right[n])
                elif lo > self.node_cut[n]:
                    self.drop(n, self.node_left[n])
        else:
            if hi < old_hi:
                for k in range(self.start[at + hi], self.start[at + old_hi]):
                    n = self.listed[k]
                    if not (missing and self.node_missing[n] & 2):
                        self.drop(n, self.node_right[n])
            if lo > old_lo:
                for k in range(self.start[at + old_lo], self.start[at + lo]):
                    n = self.listed[k]
                    if not (missing and self.node_missing[n] & 1):
                        self.drop(n, self.node_left[n])
        self.settle()
        if self.priced:
            self.price(f)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def narrow_set(self, f: cython.int, allowed: cython.p_ulonglong, at: cython.int) -> cython.int:
        """Narrow a categorical feature to the states of the bit set that starts at ``allowed[at]``."""
        i: cython.int
        k: cython.int
        n: cython.int
        side: cython.int
        self.remember(f)
        for i in range(self.n_set_words[f]):
            self.words[self.word_at[f] + i] &= allowed[at + i]
        for k in range(self.list_at[f], self.list_at[f + 1]):
            n = self.listed[k]
            side = self.sides(n)
            if side == 1:
                self.drop(n, self.node_right[n])
            elif side == 2:
                self.drop(n, self.node_left[n])
        self.settle()
        if self.priced:
            self.price(f)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def enter(self, n: cython.int, side: cython.int) -> cython.int:
        """Narrow the box to one side (0 left, 1 right) of node n's test."""
        f: cython.int = self.node_feature[n]
        cut: cython.int = self.node_cut[n]
        if self.is_set[f]:
            return self.narrow_set(f, self.set_words, self.node_set[n] + side * self.n_set_words[f])
        if side == 0:
            return self.narrow(f, self.lo[f], min(self.hi[f], cut), self.missing[f] & self.node_missing[n] & 1)
        return self.narrow(f, max(self.lo[f], cut + 1), self.hi[f], self.missing[f] & (self.node_missing[n] >> 1))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def fix(self, f: cython.int) -> cython.int:
        """Narrow feature f to the instance's own state."""
        s: cython.int = self.x[f]
        i: cython.int
        one: cython.ulonglong = 1
        if self.is_set[f]:
            for i in range(self.n_set_words[f]):
                self.single[i] = 0
            self.single[s >> 6] = one << (s & 63)
            return self.narrow_set(f, self.single, 0)
        if s == self.n_values[f]:
            return self.narrow(f, s, -1, 1)
        return self.narrow(f, s, s, 0)

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
        keep: cython.ulonglong = 0
        one: cython.ulonglong = 1
        keep = ~keep
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
                    self.words[self.word_at[f] + (x[f] >> 6)] = one << (x[f] & 63)
                for k in range(self.list_at[f], self.list_at[f + 1]):
                    n = self.listed[k]
                    side = self.sides(n)
                    if side == 3 or not self.is_small[self.node_tree[n]]:
                        continue
                    n = self.node_right[n] if side == 1 else self.node_left[n]
                    for c in range(self.n_constraints):
                        self.kept[c * self.n_pairs + self.node_pair[self.listed[k]]] &= ~self.leaves[c * self.n_nodes + n]

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
        one: cython.ulonglong = 1
        row: cython.Py_ssize_t
        column: cython.Py_ssize_t
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
            if (free[f >> 6] >> (f & 63)) & 1:
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
                self.words[self.word_at[f] + (s >> 6)] = one << (s & 63)
            for i in range(self.n_active):
                row = i * self.n_trees
                column = (self.first + i) * cython.cast(cython.Py_ssize_t, self.n_pairs)
                for k in range(self.pair_at[f], self.pair_at[f + 1]):
                    self.mask[row + self.pair_tree[k]] &= self.kept[column + k]
        for t in range(self.n_trees):
            self.at[t] = self.root[t]
            if not self.is_small[t] or self.mask[t] & (self.mask[t] - 1):
                self.descend(t)
        for i in range(self.n_active):
            self.low_sum[i] = 0
            self.high_sum[i] = 0
            for t in range(self.n_trees):
                self.measure(t, cython.cast(cython.int, i))
                self.low_sum[i] += self.low[i * self.n_trees + t]
                self.high_sum[i] += self.high[i * self.n_trees + t]
        for f in range(self.n_features):
            if self.restricted[f] and (free[f >> 6] >> (f & 63)) & 1:
                if self.is_set[f]:
                    self.narrow_set(f, self.domain_words, self.word_at[f])
                else:
                    self.narrow(f, self.domain_lo[f], self.domain_hi[f], self.domain_missing[f])
            if self.priced:
                self.price(f)
        return 0
