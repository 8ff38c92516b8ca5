"""Dense leaf masks of a forest of shallow trees that vote: what the fast search of such forests reads."""

from __future__ import annotations

import numpy as np

from xylogic.search.forest import Forest
from xylogic.search.games import Games, Scores
from xylogic.search.shallow_kernel import fill_masks

__all__ = ["ForestMasks", "GameMasks"]

_MOST_LEAVES = 16  # bits of a mask
_LARGEST = 2**25  # bytes of tables


class ForestMasks:
    """Per state of each feature, the leaves of every tree that it reaches, leaves numbered from left to right.

    Attributes
    ----------
    width : trees, rounded up to whole vectors; the masks of the spare ones are empty.
    whole : uint16 (width,), all leaves.
    row_at : int32 (n_features + 1,), where each feature's rows begin.
    down, up : uint16 (n_rows, width); row ``row_at[f] + s`` holds the leaves that states <= s, or >= s, of f reach.
    leaves_before : int32 (n_nodes + 1,), the leaves of all trees to the left of each node.
    meet : uint8 (256 * n_trees,), for each tree and two of its leaves the node, counted from the root, where the paths to two leaves part.
    """

    def __init__(self, forest: Forest) -> None:
        self.width = -(-forest.n_trees // 16) * 16
        n_states = forest.n_values[: forest.n_features]
        self.row_at = np.cumsum([0, *n_states], dtype=np.int32)
        self.whole = np.zeros(self.width, np.uint16)
        self.down = np.zeros((int(self.row_at[-1]) + 1, self.width), np.uint16)
        self.up = np.zeros_like(self.down)
        self.meet = np.zeros(256 * forest.n_trees, np.uint8)
        leaf = forest.node_feature < 0
        self.leaves_before = np.cumsum([0, *leaf], dtype=np.int32)
        fill_masks(forest, self)

    @staticmethod
    def fits(forest: Forest) -> bool:
        """Whether every tree has at most 16 leaves, every feature is ordered and never missing, and the tables are
        small."""
        n_leaves = np.diff([*forest.leaf_at, forest.n_leaves])
        size = 4 * (int(forest.n_values.sum()) + 1) * (forest.n_trees + 16)
        plain = not forest.is_set.any() and not forest.has_missing.any()
        return plain and size <= _LARGEST and int(n_leaves.max()) <= _MOST_LEAVES


class GameMasks:
    """The leaves by what they add to each constraint: 1, 0 or -1.

    Attributes
    ----------
    gain, hold, lose, drop : uint16 (n_constraints, width), leaves worth 1, at least 0, -1, at most 0.
    """

    def __init__(self, forest: Forest, masks: ForestMasks, games: Games) -> None:
        leaf = np.flatnonzero(forest.node_feature < 0)
        tree = forest.node_tree[leaf]
        rank = masks.leaves_before[leaf] - forest.leaf_at[tree]
        position = np.left_shift(1, rank).astype(np.uint16)
        worth = games.low_below.reshape(-1, forest.n_nodes)[:, leaf]
        shape = (len(worth), masks.width)
        self.gain, self.hold, self.lose, self.drop = (np.zeros(shape, np.uint16) for _ in range(4))
        for table, chosen in (
            (self.gain, worth > 0), (self.hold, worth >= 0), (self.lose, worth < 0), (self.drop, worth <= 0)
        ):  # fmt: skip
            for row, members in zip(table, chosen, strict=True):
                np.bitwise_or.at(row, tree[members], position[members])

    @staticmethod
    def fits(scores: Scores, games: Games) -> bool:
        """Whether every game is one constraint on a count of votes."""
        votes = scores.exact and scores.scale == 1.0 and int(np.abs(games.ranked).max(initial=0)) <= 1
        return votes and games.n_games == games.n_constraints > 0 and bool((games.sure == games.never).all())
