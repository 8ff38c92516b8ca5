"""Can the decision change? Answered on dense leaf masks, for forests of shallow trees that vote.

Each tree has one 16-bit mask of leaves; narrowing a feature is one sweep of ANDs over all trees, which also counts the
trees that can still vote for and against the goal. All of it vectorises. search/masks.py says what the tables hold.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.search.dive_kernel import Search
    from cython.cimports.xylogic.search.leaves_kernel import bit, highest_bit, lowest_bit
    from cython.cimports.xylogic.search.state_kernel import ints
else:
    from xylogic.search.dive_kernel import Search
    from xylogic.search.leaves_kernel import bit, highest_bit, lowest_bit
    from xylogic.search.state_kernel import ints


NONE = cython.declare(cython.int, 0)
SURE = cython.declare(cython.int, 1)
OPEN = cython.declare(cython.int, 2)


@cython.cfunc
def shorts(array: cython.ushort[::1]) -> cython.p_ushort:
    if cython.compiled:
        return cython.address(array[0])
    else:
        return array


@cython.cfunc
def bytes_of(array: cython.uchar[::1]) -> cython.p_uchar:
    if cython.compiled:
        return cython.address(array[0])
    else:
        return array


@cython.cclass
class Shallow(Search):
    """A search that answers :meth:`flip` on dense masks, and all else as any search does."""

    def __init__(self, forest: object, games: object, work: object, budget: object, masks: object, sides: object):
        Search.__init__(self, forest, games, work, budget)
        self.width = masks.width
        self.keep = {
            "tables": (masks, sides),
            "own": np.zeros((self.n_features + 1) * masks.width, np.uint16),
        }
        self.whole = shorts(masks.whole)
        self.down = shorts(masks.down.reshape(-1))
        self.up = shorts(masks.up.reshape(-1))
        self.row_at = ints(masks.row_at)
        self.meet = bytes_of(masks.meet)
        self.all_gain = shorts(sides.gain.reshape(-1))
        self.all_hold = shorts(sides.hold.reshape(-1))
        self.all_lose = shorts(sides.lose.reshape(-1))
        self.all_drop = shorts(sides.drop.reshape(-1))
        self.own = shorts(self.keep["own"])
        self.level_room = 0
        self._grow_levels()

    @cython.cfunc
    def _grow_levels(self):
        self.level_room = max(64, 2 * self.level_room)
        old = self.keep.get("levels", np.zeros(0, np.uint16))
        new = np.zeros(self.level_room * self.width, np.uint16)
        new[: len(old)] = old
        self.keep["levels"] = new
        self.levels = shorts(new)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def lay_out_own(self) -> cython.void:
        """Lay out the leaves that agree with each of the instance's states."""
        f: cython.int
        t: cython.Py_ssize_t
        row: cython.Py_ssize_t
        width: cython.Py_ssize_t = self.width
        for f in range(self.n_features):
            row = (self.row_at[f] + self.x[f]) * width
            for t in range(width):
                self.own[f * width + t] = self.down[row + t] & self.up[row + t]
        self.has_own = True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def start_masks(self, free: cython.p_ulonglong) -> cython.void:
        """Level 0 becomes the leaves of the box where the features of ``free`` may be anything."""
        f: cython.int
        t: cython.Py_ssize_t
        at: cython.Py_ssize_t
        width: cython.Py_ssize_t = self.width
        levels: cython.p_ushort = self.levels
        own: cython.p_ushort = self.own
        for t in range(width):
            levels[t] = self.whole[t]
        for f in range(self.n_features):
            if free[f >> 6] & bit(f & 63) == 0:
                at = f * width
                for t in range(width):
                    levels[t] &= own[at + t]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sweep(self, level: cython.Py_ssize_t, table: cython.p_ushort, row: cython.Py_ssize_t) -> cython.void:
        """Level + 1 becomes the level's leaves that ``row`` of ``table`` keeps."""
        t: cython.Py_ssize_t
        width: cython.Py_ssize_t = self.width
        levels: cython.p_ushort = self.levels
        source: cython.Py_ssize_t = level * width
        made: cython.Py_ssize_t = source + width
        row *= width
        for t in range(width):
            levels[made + t] = levels[source + t] & table[row + t]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count(self, level: cython.Py_ssize_t) -> cython.int:
        """NONE, SURE or OPEN: whether the votes that the level's leaves allow reach the goal."""
        t: cython.Py_ssize_t
        width: cython.Py_ssize_t = self.width
        levels: cython.p_ushort = self.levels
        gain: cython.p_ushort = self.all_gain
        hold: cython.p_ushort = self.all_hold
        lose: cython.p_ushort = self.all_lose
        drop: cython.p_ushort = self.all_drop
        at: cython.Py_ssize_t = self.first * width
        source: cython.Py_ssize_t = level * width
        mask: cython.ushort
        most: cython.ushort = 0
        least: cython.ushort = 0
        for t in range(width):
            mask = levels[source + t]
            most += (mask & gain[at + t] != 0) + (mask & hold[at + t] != 0)
            least += (mask & lose[at + t] != 0) + (mask & drop[at + t] != 0)
        if most - self.n_trees < self.sure[self.first]:
            return NONE
        return OPEN if self.n_trees - least < self.sure[self.first] else SURE

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def split(self, level: cython.Py_ssize_t) -> cython.int:
        """The node to branch on: the test that most undecided trees wait for."""
        t: cython.Py_ssize_t
        i: cython.int
        n: cython.int
        test: cython.int
        spread: cython.int
        best: cython.int = -1
        most: cython.longlong = 0
        n_touched: cython.int = 0
        mask: cython.ushort
        votes: cython.p_longlong = self.votes
        touched: cython.p_int = self.touched
        root: cython.p_int = self.root
        node_test: cython.p_int = self.node_test
        levels: cython.p_ushort = self.levels
        gain: cython.p_ushort = self.all_gain
        hold: cython.p_ushort = self.all_hold
        lose: cython.p_ushort = self.all_lose
        drop: cython.p_ushort = self.all_drop
        at: cython.Py_ssize_t = self.first * self.width
        source: cython.Py_ssize_t = level * self.width
        for t in range(self.n_trees):
            mask = levels[source + t]
            if mask & (mask - 1) == 0:
                continue
            spread = (mask & gain[at + t] != 0) + (mask & hold[at + t] != 0)
            spread += (mask & lose[at + t] != 0) + (mask & drop[at + t] != 0) - 2
            if spread == 0:
                continue
            n = root[t] + self.meet[256 * t + 16 * lowest_bit(mask) + highest_bit(mask)]
            test = node_test[n]
            if votes[test] == 0:
                touched[n_touched] = test
                n_touched += 1
            votes[test] += spread
            if votes[test] > most:
                most = votes[test]
                best = n
        for i in range(n_touched):
            votes[touched[i]] = 0
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def tell(self, depth: cython.Py_ssize_t) -> cython.void:
        """Make the witness: the instance, moved into the box of the first ``depth`` frames."""
        k: cython.Py_ssize_t
        f: cython.int
        cut: cython.int
        for f in range(self.n_features):
            self.witness[f] = self.x[f]
            self.lo[f] = 0
            self.hi[f] = self.n_values[f] - 1
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
        n: cython.int
        f: cython.int
        side: cython.int
        state: cython.int = self.count(0)
        while True:
            if state == SURE:
                self.tell(depth)
                return 1
            if state == OPEN:
                self.tick()
                n = self.split(depth)
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
            f = self.node_feature[n]
            if side:
                self.sweep(depth, self.up, self.row_at[f] + self.node_cut[n] + 1)
            else:
                self.sweep(depth, self.down, self.row_at[f] + self.node_cut[n])
            depth += 1
            state = self.count(depth)

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
        self.start_masks(free)
        for k in range(self.n_games):
            game = (self.last_game + k) % self.n_games
            self.first = self.game_at[game]
            if self.search_masks():
                self.last_game = game
                return 1
        return 0


def fill_masks(forest: object, masks: object) -> None:
    """Fill ``down``, ``up``, ``whole`` and ``meet`` of search/masks.py. O(nodes * states of a feature)."""
    _fill(
        forest.root, forest.node_feature, forest.node_cut, forest.node_right, forest.node_end,
        masks.leaves_before, masks.row_at, masks.whole, masks.down, masks.up, masks.meet,
    )  # fmt: skip


def _fill(
    root: cython.int[::1],
    node_feature: cython.int[::1],
    node_cut: cython.int[::1],
    node_right: cython.int[::1],
    node_end: cython.int[::1],
    leaves_before: cython.int[::1],
    row_at: cython.int[::1],
    whole: cython.ushort[::1],
    down: cython.ushort[:, ::1],
    up: cython.ushort[:, ::1],
    meet: cython.uchar[::1],
):
    t: cython.Py_ssize_t
    row: cython.Py_ssize_t
    n: cython.int
    stop: cython.int
    origin: cython.int
    first: cython.int
    middle: cython.int
    end: cython.int
    border: cython.Py_ssize_t
    kept: cython.ushort
    a: cython.int
    b: cython.int
    n_trees: cython.Py_ssize_t = root.shape[0]
    n_rows: cython.Py_ssize_t = down.shape[0]
    with cython.nogil:
        for t in range(n_trees):
            stop = node_end[root[t]]
            origin = leaves_before[root[t]]
            whole[t] = cython.cast(cython.ushort, (1 << (leaves_before[stop] - origin)) - 1)
            for row in range(n_rows):
                down[row, t] = whole[t]
                up[row, t] = whole[t]
            for n in range(root[t], stop):
                if node_feature[n] < 0:
                    continue
                # Leaves first .. middle - 1 lie left of the node's test, middle .. end - 1 right of it.
                first = leaves_before[n] - origin
                middle = leaves_before[node_right[n]] - origin
                end = leaves_before[node_end[n]] - origin
                border = row_at[node_feature[n]] + node_cut[n] + 1
                kept = cython.cast(cython.ushort, 0xFFFF - (1 << end) + (1 << middle))
                for row in range(row_at[node_feature[n]], border):
                    down[row, t] &= kept
                kept = cython.cast(cython.ushort, 0xFFFF - (1 << middle) + (1 << first))
                for row in range(border, row_at[node_feature[n] + 1]):
                    up[row, t] &= kept
                for a in range(first, middle):
                    for b in range(middle, end):
                        meet[256 * t + 16 * a + b] = cython.cast(cython.uchar, n - root[t])
