"""The arrays of a search as raw pointers, and room for its trails."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import bits, doubles, ints, longs
else:
    from xylogic.domain.machine_kernel import bits, doubles, ints, longs


@cython.cclass
class State:
    """Forest, games and scratch of one search; state_kernel.pxd says what each array is.

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
        self.list_tree = ints(forest.list_tree)
        self.n_listed = len(forest.listed)
        self.start_at = ints(forest.start_at)
        self.start = ints(forest.start)
        self.pair_at = ints(forest.pair_at)
        self.pair_tree = ints(forest.pair_tree)
        self.has_all_pairs = forest.has_all_pairs
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
        self.left_of = bits(games.left_of)
        self.right_of = bits(games.right_of)
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
        self.gain = doubles(work.gain)
        self.pace = doubles(work.pace)
        self.bonus = doubles(work.bonus)
        self.noted = ints(work.noted)
        self.noted_feature = ints(work.noted_feature)
        self.loose = ints(work.loose)

        self.nodes = 0
        self.unchecked = 0
        self.epoch = 0
        self.priced = self.has_kept = self.has_own = False
        self.trail_room = self.box_room = self.word_room = self.frame_room = 0
        self._grow_trail()
        self._grow_box()
        self._grow_words()
        self._grow_frames()

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
