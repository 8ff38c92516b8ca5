"""Branch and bound over boxes of cells: is there a cell where a game's goal holds, and which is the cheapest?

``sure`` and ``never`` enclose the sums where rounding could matter: there the leaves are resolved and the model's own
float sum, in tree order, decides. Nothing recurses.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import lowest_bit
    from cython.cimports.xylogic.search.reach_kernel import Reach
else:
    from xylogic.domain.machine_kernel import lowest_bit
    from xylogic.search.reach_kernel import Reach

# What the search is after: any goal, the cheapest one, or every box of goals within a cost.
ANY = cython.declare(cython.int, 0)
CHEAPEST = cython.declare(cython.int, 1)
EVERY = cython.declare(cython.int, 2)
# What is known of a box.
NONE = cython.declare(cython.int, 0)
SURE = cython.declare(cython.int, 1)
OPEN = cython.declare(cython.int, 2)


@cython.cclass
class Search(Reach):
    """Depth-first branch and bound on boxes; see search/engine.py for its callers."""

    def __init__(self, forest: object, games: object, work: object, budget: object) -> None:
        Reach.__init__(self, forest, games, work, budget)
        self.sink = None
        self.mode = ANY
        self.last_game = 0
        self.found = False
        self.gap = self.best = 0.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def judge(self) -> cython.int:
        """NONE: no cell of the box is a goal within the bound. SURE: every cell (its cheapest one at least) is."""
        i: cython.int
        state: cython.int = SURE
        if self.mode != ANY and not self.affordable():
            return NONE
        for i in range(self.n_active):
            if self.high_sum[i] < self.never[self.first + i]:
                return NONE
            if self.low_sum[i] < self.sure[self.first + i]:
                state = OPEN
        if state == OPEN and self.mode != ANY:
            for i in range(self.n_active):
                if self.low_sum[i] < self.sure[self.first + i] and not self.within_reach(i):
                    return NONE
        return state

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def choose(self) -> cython.int:
        """The node to branch on: the test that most undecided trees wait for; -1 when every tree is at a leaf."""
        i: cython.int
        t: cython.int
        n: cython.int
        test: cython.int
        focus: cython.int = 0
        best: cython.int = -1
        n_touched: cython.int = 0
        row: cython.Py_ssize_t
        most: cython.longlong = 0
        least: cython.longlong = 0
        room: cython.longlong
        some: cython.bint = False
        for i in range(self.n_active):
            if self.low_sum[i] < self.sure[self.first + i]:
                room = self.high_sum[i] - self.never[self.first + i]
                if not some or room < least:
                    some = True
                    least = room
                    focus = i
        row = focus * self.n_trees
        for t in range(self.n_trees):
            if self.mask[t] and self.low[row + t] != self.high[row + t]:
                n = self.at[t]
                if n < 0:
                    n = self.crossing(t, focus)
                    self.at[t] = n
                test = self.node_test[n]
                if self.votes[test] == 0:
                    self.touched[n_touched] = test
                    n_touched += 1
                self.votes[test] += self.high[row + t] - self.low[row + t]
                if self.votes[test] > most:
                    most = self.votes[test]
                    best = n
        for i in range(n_touched):
            self.votes[self.touched[i]] = 0
        if best < 0:
            # The sums are known but for rounding: which leaves are reached matters now, not only their values.
            for t in range(self.n_trees):
                n = self.lowest(t)
                if self.node_left[n] >= 0:
                    return n
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def crossing(self, t: cython.int, i: cython.int) -> cython.int:
        """The lowest node of small tree t, below ``~at[t]``, that all its reachable leaves lie below."""
        n: cython.int = ~self.at[t]
        right: cython.int
        c: cython.Py_ssize_t = (self.first + i) * self.n_nodes
        mask: cython.ulonglong = self.mask[i * self.n_trees + t]
        while True:
            right = self.node_right[n]
            if mask & self.leaves[c + n + 1] == 0:
                n = right
            elif mask & self.leaves[c + right] == 0:
                n += 1
            else:
                return n

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def resolve(self) -> cython.int:
        """Whether the game's goal holds by the model's own sums; every tree is down to one leaf."""
        t: cython.int
        k: cython.int
        i: cython.int
        n: cython.Py_ssize_t
        c: cython.Py_ssize_t
        a: cython.double
        b: cython.double
        width: cython.int = self.n_scores
        for k in range(width):
            self.sums[k] = self.base[k]
        for t in range(self.n_trees):
            n = self.lowest(t)
            for k in range(width):
                self.sums[k] += self.score[n * width + k]
        for k in range(width):
            self.sums[k] /= self.divisor
        for i in range(self.n_active):
            c = self.first + i
            a = self.sums[self.plus[c]] if self.plus[c] >= 0 else self.level[c]
            b = self.sums[self.minus[c]] if self.minus[c] >= 0 else self.level[c]
            if a < b or (a == b and self.strict[c]):
                return NONE
        return SURE

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def clamp(self) -> cython.void:
        """Make the witness: the instance where the box allows, else the nearest (any mode) or cheapest state."""
        f: cython.int
        i: cython.int
        s: cython.int
        for f in range(self.n_features):
            s = self.x[f]
            if not self.holds_x(f):
                if self.mode != ANY:
                    s = self.nearest(f)
                elif self.is_set[f]:
                    for i in range(self.n_set_words[f]):
                        if self.words[self.word_at[f] + i]:
                            s = 64 * i + lowest_bit(self.words[self.word_at[f] + i])
                            break
                elif self.lo[f] <= self.hi[f]:
                    s = self.hi[f] if s > self.hi[f] and s < self.n_values[f] else self.lo[f]
                else:
                    s = self.n_values[f]
            self.point[f] = s

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def accept(self) -> cython.int:
        """A box of goals was reached; 1 ends the search."""
        f: cython.int
        better: cython.bint
        if self.mode == EVERY:
            with cython.gil:
                self.sink()
            return 0
        self.clamp()
        if self.mode == CHEAPEST:
            better = not self.found or self.total < self.best
            if not better:
                # Equal cost: the lexicographically first row of states.
                for f in range(self.n_features):
                    if self.point[f] != self.witness[f]:
                        better = self.point[f] < self.witness[f]
                        break
            if not better:
                return 0
            self.best = self.total
            self.bound = self.total - self.gap
        self.found = True
        for f in range(self.n_features):
            self.witness[f] = self.point[f]
        return self.mode == ANY

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def dive(self) -> cython.int:
        """Depth-first branch and bound from the box that :meth:`begin` laid out; 1 if a goal ended it early.

        The side of a test that the instance does not take comes first: changes lie there.
        """
        n: cython.int
        state: cython.int
        side: cython.int
        k: cython.longlong
        state = self.judge()
        while True:
            if state == OPEN:
                self.tick()
                n = self.choose()
                if n < 0:
                    # All trees are at a leaf, hence so is the cheapest cell of the box.
                    state = self.resolve()
                else:
                    if self.frame_top >= self.frame_room:
                        with cython.gil:
                            self._grow_frames()
                    side = 1 - self.own_side(n)
                    k = self.frame_top
                    self.frame_top += 1
                    self.frame_trail[k] = self.trail_top
                    self.frame_box[k] = self.box_top
                    self.frame_node[k] = n
                    self.frame_side[k] = 1 - side
                    self.enter(n, side)
                    state = self.judge()
                    continue
            if state == SURE and self.accept() == 1:
                return 1
            if self.frame_top == 0:
                return 0
            self.frame_top -= 1
            k = self.frame_top
            self.undo(self.frame_trail[k], self.frame_box[k])
            self.enter(self.frame_node[k], self.frame_side[k])
            state = self.judge()

    # ---- questions --------------------------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def flip(self, free: cython.p_ulonglong) -> cython.int:
        """1 and a witness if changing only features of the bit set ``free`` reaches the goal of a game, else 0."""
        k: cython.int
        game: cython.int
        self.mode = ANY
        self.priced = False
        for k in range(self.n_games):
            game = (self.last_game + k) % self.n_games
            self.begin(game, free)
            self.found = False
            if self.dive():
                self.last_game = game
                return 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def range_over(self, free: cython.p_ulonglong) -> cython.int:
        """Play every game to its end in the current mode."""
        game: cython.int
        self.found = False
        for game in range(self.n_games):
            self.begin(game, free)
            self.dive()
        return self.found

    def can_flip(self, free: cython.ulonglong[::1]) -> bool:
        """Whether changing only features of the bit set ``free`` reaches a goal; then ``witness`` holds the states."""
        result: cython.int
        with cython.nogil:
            if cython.compiled:
                result = self.flip(cython.address(free[0]))
            else:
                result = self.flip(free)
        return result != 0

    def restart(self, budget: object) -> None:
        """Put the search under a new budget."""
        self.budget = budget
        self.nodes = 0
        self.unchecked = 0
        self.found = False

    def cheapest(self, free: cython.ulonglong[::1], bound: cython.double, gap: cython.double) -> bool:
        """Whether a goal costs at most ``bound``; then ``witness`` holds the cheapest one and ``best`` its cost.

        Costs are known to differ by at least ``gap``; with 0, equal costs give the first row of states. Stopped
        early, ``found`` says whether there is a witness so far.
        """
        self.bound = bound
        self.gap = gap
        self.mode = CHEAPEST
        self.priced = True
        self._range(free)
        return bool(self.found)

    def every(self, free: cython.ulonglong[::1], bound: cython.double, sink: object) -> None:
        """Call ``sink()`` at each of the disjoint boxes (``lo``, ``hi``, ``missing``, ``words``) that together
        hold all goals of cost ``bound``, which must be the least cost."""
        self.bound = bound
        self.mode = EVERY
        self.priced = True
        self.sink = sink
        try:
            self._range(free)
        finally:
            self.sink = None

    @cython.cfunc
    def _range(self, free: cython.ulonglong[::1]):
        with cython.nogil:
            if cython.compiled:
                self.range_over(cython.address(free[0]))
            else:
                self.range_over(free)
