"""Can the decision change? Answered on dense leaf masks, for forests of shallow trees.

Each tree has a 16-bit mask of leaves; narrowing a feature is one sweep of ANDs over all trees, and so is counting their
votes. Both vectorise, which beats touching only the trees that change. search/masks.py says what the tables hold.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import bit, highest_bit, ints, longs, lowest_bit, shorts, small
    from cython.cimports.xylogic.search.dive_kernel import Search
else:
    from xylogic.domain.machine_kernel import bit, highest_bit, ints, longs, lowest_bit, shorts, small
    from xylogic.search.dive_kernel import Search


NONE = cython.declare(cython.int, 0)
SURE = cython.declare(cython.int, 1)
OPEN = cython.declare(cython.int, 2)


@cython.cclass
class Shallow(Search):
    """A search that answers :meth:`flip` on dense masks, and all else as any search does."""

    def __init__(self, forest: object, games: object, work: object, budget: object, masks: object):
        Search.__init__(self, forest, games, work, budget)
        self.counts = masks.counts
        self.width = masks.shared.width
        self.lanes = masks.lanes
        self.n_rows = masks.shared.n_rows
        self.keep = {
            "masks": masks,
            "own": np.zeros(
                (1 if masks.counts else self.n_constraints) * (self.n_features + 1) * self.lanes, np.uint16
            ),
            "slack": np.zeros(self.width, np.int64),
            "spread": np.zeros(self.width, np.uint16),
        }
        self.whole = shorts(masks.whole.reshape(-1))
        self.down = shorts(masks.down.reshape(-1))
        self.up = shorts(masks.up.reshape(-1))
        self.row_at = ints(masks.shared.row_at)
        self.meet = small(masks.shared.meet)
        self.positive = shorts(masks.positive.reshape(-1))
        self.not_negative = shorts(masks.not_negative.reshape(-1))
        self.negative = shorts(masks.negative.reshape(-1))
        self.not_positive = shorts(masks.not_positive.reshape(-1))
        self.value = longs(masks.value.reshape(-1))
        self.own = shorts(self.keep["own"])
        self.slack = longs(self.keep["slack"])
        self.spread = shorts(self.keep["spread"])
        self.level_room = 0
        self._grow_levels()

    @cython.cfunc
    def _grow_levels(self):
        self.level_room = max(64, 2 * self.level_room)
        old = self.keep.get("levels", np.zeros(0, np.uint16))
        new = np.zeros(self.level_room * self.lanes, np.uint16)
        new[: len(old)] = old
        self.keep["levels"] = new
        self.levels = shorts(new)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def lay_out_own(self) -> cython.void:
        """The leaves that agree with each of the instance's states, by table and feature."""
        c: cython.Py_ssize_t
        f: cython.int
        t: cython.Py_ssize_t
        row: cython.Py_ssize_t
        at: cython.Py_ssize_t
        lanes: cython.Py_ssize_t = self.lanes
        own: cython.p_ushort = self.own
        down: cython.p_ushort = self.down
        up: cython.p_ushort = self.up
        for c in range(1 if self.counts else self.n_constraints):
            for f in range(self.n_features):
                row = (c * self.n_rows + self.row_at[f] + self.x[f]) * lanes
                at = (c * self.n_features + f) * lanes
                for t in range(lanes):
                    own[at + t] = down[row + t] & up[row + t]
        self.has_own = True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def open_game(self, game: cython.int, free: cython.p_ulonglong) -> cython.void:
        """Level 0 becomes the leaves of the box where the features of ``free`` may be anything."""
        f: cython.int
        t: cython.Py_ssize_t
        at: cython.Py_ssize_t
        lanes: cython.Py_ssize_t = self.lanes
        levels: cython.p_ushort = self.levels
        own: cython.p_ushort = self.own
        whole: cython.p_ushort = self.whole
        self.first = self.game_at[game]
        self.n_active = 1
        self.table = 0 if self.counts else self.first
        for t in range(lanes):
            levels[t] = whole[self.table * lanes + t]
        for f in range(self.n_features):
            if free[f >> 6] & bit(f & 63) == 0:
                at = (self.table * self.n_features + f) * lanes
                for t in range(lanes):
                    levels[t] &= own[at + t]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sweep(self, level: cython.Py_ssize_t, n: cython.int, side: cython.int) -> cython.void:
        """Level + 1 becomes the level's leaves on one side of node n's test."""
        t: cython.Py_ssize_t
        lanes: cython.Py_ssize_t = self.lanes
        levels: cython.p_ushort = self.levels
        table: cython.p_ushort = self.up if side else self.down
        row: cython.Py_ssize_t = self.table * self.n_rows + self.row_at[self.node_feature[n]] + self.node_cut[n] + side
        level *= lanes
        row *= lanes
        for t in range(lanes):
            levels[level + lanes + t] = levels[level + t] & table[row + t]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def weigh(self, level: cython.Py_ssize_t) -> cython.int:
        """NONE, SURE or OPEN: whether the level's leaves reach the goal. Notes what each tree leaves open."""
        if self.counts:
            return self.count(level)
        return self.add_up(level)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count(self, level: cython.Py_ssize_t) -> cython.int:
        """:meth:`weigh` where each tree has a vote."""
        t: cython.Py_ssize_t
        width: cython.Py_ssize_t = self.width
        levels: cython.p_ushort = self.levels
        positive: cython.p_ushort = self.positive
        not_negative: cython.p_ushort = self.not_negative
        negative: cython.p_ushort = self.negative
        not_positive: cython.p_ushort = self.not_positive
        spread: cython.p_ushort = self.spread
        at: cython.Py_ssize_t = self.first * width
        mask: cython.ushort
        a: cython.ushort
        b: cython.ushort
        most: cython.ushort = 0
        least: cython.ushort = 0
        level *= width
        for t in range(width):
            mask = levels[level + t]
            a = (1 if mask & positive[at + t] else 0) + (1 if mask & not_negative[at + t] else 0)
            b = (1 if mask & negative[at + t] else 0) + (1 if mask & not_positive[at + t] else 0)
            spread[t] = a + b
            most += a
            least += b
        if most - self.n_trees < self.sure[self.first]:
            return NONE
        return OPEN if self.n_trees - least < self.sure[self.first] else SURE

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add_up(self, level: cython.Py_ssize_t) -> cython.int:
        """:meth:`weigh` where each tree adds a value."""
        t: cython.Py_ssize_t
        at: cython.Py_ssize_t = level * self.lanes + self.width
        values: cython.Py_ssize_t = 16 * self.first * self.width
        levels: cython.p_ushort = self.levels
        value: cython.p_longlong = self.value
        slack: cython.p_longlong = self.slack
        low: cython.longlong
        high: cython.longlong
        most: cython.longlong = 0
        least: cython.longlong = 0
        for t in range(self.n_trees):
            low = value[values + 16 * t + lowest_bit(levels[at + t])]
            high = value[values + 16 * t + highest_bit(levels[at + t])]
            slack[t] = high - low
            most += high
            least += low
        if most < self.never[self.first]:
            return NONE
        return OPEN if least < self.sure[self.first] else SURE

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def split(self, level: cython.Py_ssize_t) -> cython.int:
        """The node to branch on: the test that most undecided trees wait for; -1 when every tree is at a leaf."""
        t: cython.Py_ssize_t
        i: cython.int
        n: cython.int
        test: cython.int
        best: cython.int = -1
        most: cython.longlong = 0
        weight: cython.longlong
        n_touched: cython.int = 0
        mask: cython.ushort
        votes: cython.p_longlong = self.votes
        touched: cython.p_int = self.touched
        root: cython.p_int = self.root
        node_test: cython.p_int = self.node_test
        levels: cython.p_ushort = self.levels
        spread: cython.p_ushort = self.spread
        slack: cython.p_longlong = self.slack
        meet: cython.p_uchar = self.meet
        counts: cython.bint = self.counts
        level *= self.lanes
        for t in range(self.n_trees):
            weight = spread[t] - 2 if counts else slack[t]
            if weight == 0:
                continue
            mask = levels[level + t]
            n = root[t] + meet[256 * t + 16 * lowest_bit(mask) + highest_bit(mask)]
            test = node_test[n]
            if votes[test] == 0:
                touched[n_touched] = test
                n_touched += 1
            votes[test] += weight
            if votes[test] > most:
                most = votes[test]
                best = n
        for i in range(n_touched):
            votes[touched[i]] = 0
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def unresolved(self, depth: cython.Py_ssize_t) -> cython.int:
        """A node that the box of the first ``depth`` frames leaves open, though all leaves below it are worth the
        same; -1 when every tree is at a leaf."""
        t: cython.int
        n: cython.int
        self.enclose(depth)
        for t in range(self.n_trees):
            self.at[t] = self.root[t]
            n = self.lowest(t)
            if self.node_left[n] >= 0:
                return n
        return -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def enclose(self, depth: cython.Py_ssize_t) -> cython.void:
        """Lay out the box of the first ``depth`` frames; ``witness`` becomes the instance moved into it."""
        k: cython.Py_ssize_t
        f: cython.int
        cut: cython.int
        for f in range(self.n_features):
            self.witness[f] = self.x[f]
            self.missing[f] = 0
            self.lo[f] = 0
            self.hi[f] = self.n_values[f] - 1
            if self.free[f >> 6] & bit(f & 63) == 0:
                self.lo[f] = self.x[f]
                self.hi[f] = self.x[f]
        for k in range(depth):
            f = self.node_feature[self.frame_node[k]]
            cut = self.node_cut[self.frame_node[k]]
            if self.frame_side[k] & 1:
                self.lo[f] = max(self.lo[f], cut + 1)
            else:
                self.hi[f] = min(self.hi[f], cut)
            self.witness[f] = min(max(self.x[f], self.lo[f]), self.hi[f])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def search_masks(self) -> cython.int:
        """1 and a witness if a cell of level 0 reaches the goal, else 0: depth first, the side that the instance does
        not take first. A frame's side has bit 2 once the other one is done."""
        depth: cython.Py_ssize_t = 0
        n: cython.int = -1
        side: cython.int
        state: cython.int = self.weigh(0)
        while True:
            if state == OPEN:
                self.tick()
                n = self.split(depth)
                if n < 0:
                    n = self.unresolved(depth)
                    if n < 0:
                        state = self.resolve()
            if state == SURE:
                self.enclose(depth)
                return 1
            if state == OPEN:
                if depth + 2 >= self.level_room or depth >= self.frame_room:
                    with cython.gil:
                        self._grow_levels()
                        self._grow_frames()
                side = self.x[self.node_feature[n]] <= self.node_cut[n]
                self.frame_node[depth] = n
                self.frame_side[depth] = side
            else:
                while depth > 0 and self.frame_side[depth - 1] & 2:
                    depth -= 1
                if depth == 0:
                    return 0
                depth -= 1
                n = self.frame_node[depth]
                side = 1 - self.frame_side[depth]
                self.frame_side[depth] = side | 2
            self.sweep(depth, n, side)
            depth += 1
            state = self.weigh(depth)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def flip(self, free: cython.p_ulonglong) -> cython.int:
        """1 and a witness if changing only features of the bit set ``free`` reaches the goal of a game, else 0."""
        k: cython.int
        game: cython.int
        if self.restricted[self.n_features]:
            return Search.flip(self, free)
        if not self.has_own:
            self.lay_out_own()
        self.spend()
        self.free = free
        for k in range(self.n_games):
            game = (self.last_game + k) % self.n_games
            self.open_game(game, free)
            if self.search_masks():
                self.last_game = game
                return 1
        return 0


def fill_meetings(
    root: cython.int[::1],
    node_right: cython.int[::1],
    node_end: cython.int[::1],
    rank: cython.int[::1],
    end: cython.int[::1],
    meet: cython.uchar[::1],
) -> None:
    """Fill ``meet`` of search/masks.py; leaves ``rank[n] .. end[n] - 1`` of its tree lie below node n."""
    t: cython.Py_ssize_t
    n: cython.int
    a: cython.int
    b: cython.int
    with cython.nogil:
        for t in range(root.shape[0]):
            for n in range(root[t], node_end[root[t]]):
                if node_right[n] >= 0:
                    for a in range(rank[n], rank[node_right[n]]):
                        for b in range(rank[node_right[n]], end[n]):
                            meet[256 * t + 16 * a + b] = cython.cast(cython.uchar, n - root[t])


def fill_masks(
    root: cython.int[::1],
    node_feature: cython.int[::1],
    node_cut: cython.int[::1],
    node_right: cython.int[::1],
    node_end: cython.int[::1],
    leaves: cython.ushort[::1],
    row_at: cython.int[::1],
    lane: cython.Py_ssize_t,
    whole: cython.ushort[::1],
    down: cython.ushort[:, ::1],
    up: cython.ushort[:, ::1],
) -> None:
    """Fill the lanes from ``lane`` on of the tables of search/masks.py. O(nodes * states of a feature)."""
    t: cython.Py_ssize_t
    row: cython.Py_ssize_t
    border: cython.Py_ssize_t
    n: cython.int
    f: cython.int
    every: cython.ushort
    with cython.nogil:
        for t in range(root.shape[0]):
            every = leaves[root[t]]
            whole[lane + t] = every
            for row in range(down.shape[0]):
                down[row, lane + t] = every
                up[row, lane + t] = every
            for n in range(root[t], node_end[root[t]]):
                f = node_feature[n]
                if f >= 0:
                    border = row_at[f] + node_cut[n] + 1
                    for row in range(row_at[f], border):
                        down[row, lane + t] &= every ^ leaves[node_right[n]]
                    for row in range(border, row_at[f + 1]):
                        up[row, lane + t] &= every ^ leaves[n + 1]
            # Sides that no state of the domain takes.
            for f in range(row_at.shape[0] - 1):
                whole[lane + t] &= down[row_at[f + 1] - 1, lane + t] & up[row_at[f], lane + t]
