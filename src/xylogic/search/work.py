"""The scratch arrays of one search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from xylogic.search.forest import SMALL_TREE, Forest
from xylogic.search.games import Games
from xylogic.search.sets import bit_set

__all__ = ["Work"]


class Work:
    """Arrays that one :class:`~xylogic.search.dive_kernel.Search` writes; see state_kernel.pxd for their meaning."""

    def __init__(self, forest: Forest, games: Games) -> None:
        self.instance: Any = None  # the states that the search was set to
        features, trees, rows = forest.n_features + 1, forest.n_trees + 1, games.max_constraints
        self.x, self.witness, self.point = (np.zeros(features, np.int32) for _ in range(3))
        self.lo, self.hi, self.missing, self.restricted = (np.zeros(features, np.int32) for _ in range(4))
        self.domain_lo, self.domain_hi, self.domain_missing = (np.zeros(features, np.int32) for _ in range(3))
        self.words, self.domain_words, self.single = (np.zeros(forest.n_words + 1, np.uint64) for _ in range(3))
        self.kept = np.zeros(max(1, games.n_constraints * forest.n_pairs), np.uint64)
        self.mask = np.zeros(rows * trees, np.uint64)
        self.low, self.high = (np.zeros(rows * trees, np.int64) for _ in range(2))
        self.low_sum, self.high_sum = (np.zeros(rows, np.int64) for _ in range(2))
        self.at, self.stamp, self.changed = (np.zeros(trees, np.int32) for _ in range(3))
        self.stack = np.zeros(forest.n_nodes + 1, np.int32)
        self.votes = np.zeros(forest.n_tests, np.int64)
        self.touched = np.zeros(trees, np.int32)
        self.sums = np.zeros(games.n_scores, np.float64)
        states = forest.n_states + 1
        self.cost, self.bonus = (np.zeros(states, np.float64) for _ in range(2))
        self.own_state = np.concatenate([*(np.arange(cells.n_states) for cells in forest.cells), np.zeros(1)]).astype(
            np.int32
        )  # each state's number within its feature
        self.next_up, self.next_down = (np.zeros(states, np.int32) for _ in range(2))
        self.step, self.box_cost, self.gain, self.pace = (np.zeros(features, np.float64) for _ in range(4))
        self.noted, self.noted_feature = (np.zeros(2 * SMALL_TREE, np.int32) for _ in range(2))
        self.loose = np.zeros(features, np.int32)
        empty: dict[str, Any] = {
            "trail_tree": np.int32, "trail_at": np.int32, "trail_mask": np.uint64, "trail_low": np.int64,
            "trail_high": np.int64, "box_feature": np.int32, "box_lo": np.int32, "box_hi": np.int32,
            "box_missing": np.int32, "word_trail": np.uint64, "frame_trail": np.int64, "frame_box": np.int64,
            "frame_node": np.int32, "frame_side": np.int32,
        }  # fmt: skip
        for name, dtype in empty.items():
            setattr(self, name, np.zeros(0, dtype))

    def resize(self, names: Sequence[str], size: int) -> None:
        """Give the named arrays ``size`` items, keeping what they hold."""
        for name in names:
            old = getattr(self, name)
            new = np.zeros(size, old.dtype)
            new[: len(old)] = old
            setattr(self, name, new)

    def restrict(self, forest: Forest, box: Sequence[Sequence[int]]) -> None:
        """Limit what free features range over: per feature its states, a run where it is ordered."""
        self.restricted[-1] = 1  # some feature is
        for f, states in enumerate(box):
            cells = forest.cells[f]
            self.restricted[f] = len(states) < cells.n_states
            if cells.is_set:
                at, width = int(forest.word_at[f]), int(forest.n_set_words[f])
                self.domain_words[at : at + width] = bit_set(states, width)
            else:
                values = [s for s in states if s < cells.n_values]
                self.domain_lo[f], self.domain_hi[f] = (values[0], values[-1]) if values else (cells.n_values, -1)
                self.domain_missing[f] = len(values) < len(states)
