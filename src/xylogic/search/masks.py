"""Dense leaf masks of a forest of shallow trees: the tables of the fast search (search/shallow_kernel.py)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from xylogic.search.forest import Forest
from xylogic.search.games import Games
from xylogic.search.shallow_kernel import fill_masks, fill_meetings

__all__ = ["MOST_LEAVES", "ForestMasks", "GameMasks", "fits"]

MOST_LEAVES = 16  # bits of a mask
_MOST_TREES = 2**15
_LARGEST = 2**25  # bytes of tables


def fits(forest: Forest, games: Games) -> bool:
    """Whether there are few enough trees for 16 bits to count, trees have at most 16 leaves, features are ordered and
    never missing, every game is one constraint, and the tables are small."""
    n_leaves = np.diff([*forest.leaf_at, forest.n_leaves])
    size = 8 * int(forest.n_values.sum() + 1) * (forest.n_trees + MOST_LEAVES) * (games.n_constraints + 1)
    plain = not forest.is_set.any() and not forest.has_missing.any()
    single = games.n_games == games.n_constraints > 0
    return forest.n_trees < _MOST_TREES and plain and single and size <= _LARGEST and int(n_leaves.max()) <= MOST_LEAVES


class ForestMasks:
    """What all games share: leaves numbered from left to right.

    Attributes
    ----------
    width : trees, rounded up to whole vectors; the masks of the spare ones are empty.
    row_at : int32 (n_features + 1,), where each feature's rows begin; row ``row_at[f] + s`` is of its state s.
    rank : int32 (n_nodes,), the leaves of its tree to the left of each node.
    meet : uint8 (256 * n_trees,), for each tree and two of its leaves the node, counted from the root, where the
        paths to them part.
    n_rows : rows of a table.
    votes : ``whole``, ``down`` and ``up`` of all games that count votes (see :class:`GameMasks`), once there is one.
    """

    def __init__(self, forest: Forest) -> None:
        self.width = -(-forest.n_trees // 16) * 16
        self.row_at = np.cumsum([0, *forest.n_values[: forest.n_features]], dtype=np.int32)
        self.n_rows = int(self.row_at[-1]) + 1
        leaf = forest.node_feature < 0
        before = np.cumsum([0, *leaf], dtype=np.int32)
        first = forest.leaf_at[forest.node_tree]
        self.rank = (before[:-1] - first).astype(np.int32)
        end = before[forest.node_end] - first
        self.leaves = (np.left_shift(1, end) - np.left_shift(1, self.rank)).astype(np.uint16)
        self.meet = np.zeros(256 * forest.n_trees, np.uint8)
        fill_meetings(forest.root, forest.node_right, forest.node_end, self.rank, end.astype(np.int32), self.meet)
        self.votes: tuple[NDArray[np.uint16], ...] | None = None

    def tables(self, forest: Forest, numberings: list[NDArray[np.uint16]]) -> tuple[NDArray[np.uint16], ...]:
        """``whole`` (lanes,), ``down`` and ``up`` (n_rows, lanes), one vector of trees for each numbering of leaves,
        which gives the leaves below each node."""
        lanes = self.width * len(numberings)
        whole = np.zeros(lanes, np.uint16)
        down, up = (np.zeros((self.n_rows, lanes), np.uint16) for _ in range(2))
        for k, leaves in enumerate(numberings):
            fill_masks(
                forest.root, forest.node_feature, forest.node_cut, forest.node_right, forest.node_end,
                leaves, self.row_at, k * self.width, whole, down, up,
            )  # fmt: skip
        return whole, down, up


class GameMasks:
    """The tables of some games. Where all leaves are worth 1, 0 or -1 votes are counted, else values are added up.

    Attributes
    ----------
    counts : whether votes are counted.
    lanes : masks of a row: a vector of trees; where values are added a second one, with leaves by ascending value.
    whole : uint16 (lanes,), all leaves; down, up : uint16 (n_rows, lanes), the leaves that states <= s, or >= s,
        reach. Where votes are counted all constraints share one table, else each has its own.
    positive, not_negative, negative, not_positive : uint16 (n_constraints, width), the leaves so worth.
    value : int64 (n_constraints, 16 * width), each tree's leaf values ascending.
    """

    def __init__(self, forest: Forest, masks: ForestMasks, games: Games) -> None:
        self.shared = masks
        worth = games.ranked.reshape(-1, forest.n_leaves)
        self.counts = bool(np.abs(worth).max(initial=0) <= 1 and (games.sure == games.never).all())
        self.lanes = masks.width * (1 if self.counts else 2)
        leaf = np.flatnonzero(forest.node_feature < 0)
        tree = forest.node_tree[leaf]
        if self.counts:
            if masks.votes is None:
                masks.votes = masks.tables(forest, [masks.leaves])
            self.whole, self.down, self.up = masks.votes
        else:
            by_value = games.leaves.reshape(len(worth), -1).astype(np.uint16)
            each = [masks.tables(forest, [masks.leaves, leaves]) for leaves in by_value]
            self.whole, self.down, self.up = (np.stack(tables) for tables in zip(*each, strict=True))
        worth_of = games.low_below.reshape(len(worth), -1)[:, leaf]
        self.positive, self.not_negative, self.negative, self.not_positive = (
            _chosen(tree, masks.leaves[leaf], chosen, masks.width)
            for chosen in (worth_of > 0, worth_of >= 0, worth_of < 0, worth_of <= 0)
        )
        self.value = np.zeros((len(worth), MOST_LEAVES * masks.width), np.int64)
        self.value[:, MOST_LEAVES * tree + np.arange(forest.n_leaves) - forest.leaf_at[tree]] = worth


def _chosen(
    tree: NDArray[np.int32], leaves: NDArray[np.uint16], chosen: NDArray[np.bool_], width: int
) -> NDArray[np.uint16]:
    masks = np.zeros((len(chosen), width), np.uint16)
    for row, members in zip(masks, chosen, strict=True):
        np.bitwise_or.at(row, tree[members], leaves[members])
    return masks
