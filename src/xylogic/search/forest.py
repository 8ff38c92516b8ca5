"""An ensemble in state numbers: the arrays that the search kernels read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.cells import Cells
from xylogic.errors import InvalidInputError
from xylogic.model.ensemble import Ensemble
from xylogic.search.layout_kernel import locate, preorder

__all__ = ["SMALL_TREE", "Forest"]

SMALL_TREE = 64  # leaves that one mask word holds


class Forest:
    """The trees of ``model`` over the states of ``cells`` (one per model feature). Read only, shared by all searches.

    Nodes of all trees are numbered in preorder. Arrays are int32 unless said otherwise; *feature* means a position
    in ``columns``, the model features that some node tests.

    Attributes
    ----------
    columns : model feature of each feature.
    node_feature, node_cut, node_missing, node_set, node_left, node_right, node_end, node_tree, node_test, node_pair :
        per node; feature and children are -1 at leaves. Ordered tests send states <= ``node_cut`` left;
        ``node_missing`` has bit 1 (left) or 2 (right) for where the state "missing" goes, no bit where it cannot come.
        Category tests have their left states as a bit set at ``set_words[node_set]`` and behind it their right ones,
        both restricted to what the path leaves possible. Nodes behind ``node_end`` are not below the node; equal
        tests have equal ``node_test``; ``node_pair`` is the (feature, tree) pair.
    root, is_small, leaf_at : per tree; whether it has at most 64 leaves, and where its leaves start among all leaves.
    is_set, n_values, has_missing, n_set_words, word_at, state_at : per feature; unordered states, states without
        "missing", whether there is that state, words of its bit sets and where they and its states start.
    list_at, listed, list_tree : per feature, its nodes by ascending cut, and their trees. In ``listed``, those with
        cut >= s begin at ``start[start_at[f] + 1 + s]``, for s from -1.
    pair_at, pair_tree : per feature, the trees that test it; all trees where ``has_all_pairs``, since those are
        read faster than a list that leaves out a few.
    every_word : uint64, bit sets of all states, placed by ``word_at``.
    """

    def __init__(self, model: Ensemble, cells: Sequence[Cells]) -> None:
        flat = model.flat
        self.n_nodes = len(flat.feature)
        self.n_trees = model.n_trees
        self.order, place, self.node_end = (np.empty(self.n_nodes, np.int32) for _ in range(3))
        preorder(flat.left, flat.right, flat.roots, self.order, place, self.node_end)
        inner = flat.left[self.order] >= 0
        column = np.where(inner, flat.feature[self.order], -1)
        self.columns = np.unique(column[inner]).astype(np.int32)
        self.cells = [cells[c] for c in self.columns]
        self.n_features = len(self.columns)
        self.node_feature = np.where(inner, np.searchsorted(self.columns, column), -1).astype(np.int32)
        self.node_left = np.where(inner, place[flat.left[self.order]], -1).astype(np.int32)
        self.node_right = np.where(inner, place[flat.right[self.order]], -1).astype(np.int32)
        self.root = place[flat.roots]
        self.node_tree = np.searchsorted(self.root, np.arange(self.n_nodes), side="right").astype(np.int32) - 1
        n_leaves = np.bincount(self.node_tree[~inner], minlength=self.n_trees)
        self.is_small = (n_leaves <= SMALL_TREE).astype(np.int32)
        self.leaf_at = np.cumsum([0, *n_leaves[:-1]], dtype=np.int32)
        self.n_leaves = int(n_leaves.sum())
        self._lay_out_states()
        self._lay_out_tests(flat, inner)
        self._list_nodes()

    def _lay_out_states(self) -> None:
        self.is_set = self._per_feature(c.is_set for c in self.cells)
        self.n_values = self._per_feature(c.n_values for c in self.cells)
        self.has_missing = self._per_feature(c.missing for c in self.cells)
        n_states = self.n_values + self.has_missing
        self._never_missing = self.has_missing == 0
        self._never_missing[-1] = False
        self.n_set_words = self.is_set * ((n_states + 63) // 64)
        self.word_at = _offsets(self.n_set_words)[:-1]
        self.state_at = _offsets(n_states)[:-1]
        self.n_states = int(n_states[: self.n_features].sum())
        self.n_words = int(self.n_set_words[: self.n_features].sum())
        self.cut_at = _offsets(np.array([len(c.cuts) for c in self.cells], dtype=np.int64))
        self.cuts = np.array([cut for c in self.cells for cut in c.cuts], dtype=np.float64)
        every = [_words((1 << c.n_states) - 1, (c.n_states + 63) // 64) for c in self.cells if c.is_set]
        self.every_word = np.concatenate([*every, np.zeros(1, np.uint64)])

    def _per_feature(self, values: Any) -> NDArray[np.int32]:
        # One spare item: kernels take the address of item 0 even where there is no feature.
        return np.array([*values, 0], dtype=np.int32)

    def _lay_out_tests(self, flat: Any, inner: NDArray[np.bool_]) -> None:
        self.node_cut = np.zeros(self.n_nodes, np.int32)
        self.node_missing = np.where(inner, flat.missing[self.order], 0).astype(np.int32)
        self.node_set = np.full(self.n_nodes, -1, np.int32)
        cut = flat.cut[self.order]
        by_feature = np.argsort(self.node_feature, kind="stable")
        ends = np.searchsorted(self.node_feature[by_feature], np.arange(self.n_features + 1))
        for f, cells in enumerate(self.cells):
            nodes = by_feature[ends[f] : ends[f + 1]]
            if not cells.missing:
                self.node_missing[nodes] = 0
            elif (self.node_missing[nodes] == 0).any():
                raise InvalidInputError(f"feature {cells.name!r} may be missing, but the model has no rule for that")
            if not cells.is_set:
                self.node_cut[nodes] = cells.cut_indices(cut[nodes])
        self.set_words = np.zeros(1, np.uint64)
        self.node_test = np.zeros(self.n_nodes, np.int32)
        keys = np.stack([self.node_feature, self.node_cut, self.node_missing], axis=1).astype(np.int64)
        if any(c.is_set or c.missing for c in self.cells):
            keys = self._restrict_to_paths(flat, keys)
        sizes = keys.max(axis=0, initial=0) + 2  # cuts start at -1
        number = ((keys[:, 0] * sizes[1]) + keys[:, 1] + 1) * sizes[2] + keys[:, 2]
        self.node_test[inner] = np.unique(number[inner], return_inverse=True)[1]
        self.n_tests = int(self.node_test.max(initial=0)) + 1

    def _restrict_to_paths(self, flat: Any, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Left and right states of category and missing tests, less what an earlier test of the path took away."""
        possible = [(1 << c.n_states) - 1 if c.is_set else int(c.missing) for c in self.cells]
        undo: list[tuple[int, int, int]] = []
        side_of: dict[int, tuple[int, int]] = {}
        words: list[NDArray[np.uint64]] = []
        position = 0
        distinct: dict[tuple[int, int, int], int] = {}
        for n in range(self.n_nodes):
            while undo and undo[-1][0] <= n:
                _, f, before = undo.pop()
                possible[f] = before
            if n in side_of:
                f, states = side_of.pop(n)
                undo.append((int(self.node_end[n]), f, possible[f]))
                possible[f] = states
            f = int(self.node_feature[n])
            if f < 0 or not (self.cells[f].is_set or self.cells[f].missing):
                continue
            cells = self.cells[f]
            if cells.is_set:
                source = self.order[n]
                left = sum(1 << int(s) for s in flat.set_items[flat.set_ptr[source] : flat.set_ptr[source + 1]])
                if cells.missing and self.node_missing[n] == 1:
                    left |= 1 << cells.n_values
                sides = possible[f] & left, possible[f] & ~left
                width = int(self.n_set_words[f])
                words += [_words(side, width) for side in sides]
                self.node_set[n] = position
                position += 2 * width
                keys[n, 1] = distinct.setdefault((f, *sides), len(distinct))
            else:
                self.node_missing[n] *= possible[f]
                sides = int(self.node_missing[n] == 1), int(self.node_missing[n] == 2)
                keys[n, 2] = self.node_missing[n]
            side_of[int(self.node_left[n])] = (f, sides[0])
            side_of[int(self.node_right[n])] = (f, sides[1])
        if words:
            self.set_words = np.concatenate(words)
        return keys

    def _list_nodes(self) -> None:
        tested = np.flatnonzero(self.node_feature >= 0)
        by_cut = np.lexsort((self.node_cut[tested], self.node_feature[tested]))
        self.listed = np.append(tested[by_cut], 0).astype(np.int32)
        self.list_tree = self.node_tree[self.listed]
        feature = self.node_feature[tested]
        self.list_at = _offsets(np.bincount(feature, minlength=self.n_features))
        starts = []
        for f in range(self.n_features):
            cuts = self.node_cut[self.listed[self.list_at[f] : self.list_at[f + 1]]]
            starts.append(self.list_at[f] + np.searchsorted(cuts, np.arange(-1, self.n_values[f] + 1)))
        self.start_at = _offsets(np.array([len(s) for s in starts], dtype=np.int64))
        self.start = np.concatenate([*starts, np.zeros(1)]).astype(np.int32)
        pairs = np.unique(feature.astype(np.int64) * self.n_trees + self.node_tree[tested])
        self.has_all_pairs = 3 * len(pairs) >= self.n_features * self.n_trees
        if self.has_all_pairs:
            pairs = np.arange(self.n_features * self.n_trees)
        self.n_pairs = len(pairs)
        self.pair_tree = np.append(pairs % self.n_trees, 0).astype(np.int32)
        self.pair_at = _offsets(np.bincount(pairs // self.n_trees, minlength=self.n_features))
        self.node_pair = np.zeros(self.n_nodes, np.int32)
        self.node_pair[tested] = np.searchsorted(
            pairs, feature.astype(np.int64) * self.n_trees + self.node_tree[tested]
        )

    def states(self, values: NDArray[np.float64]) -> NDArray[np.int32]:
        """The states of one row of the model's cast values, int32 (n_features + 1,); the last item is spare.

        Raises InvalidInputError where a value is missing and that is no state.
        """
        states = np.zeros(self.n_features + 1, np.int32)
        if locate(values, self.columns, self.cut_at, self.cuts, self.is_set, self.n_values, states):
            absent = (states == self.n_values) & self._never_missing
            if not absent.any():
                return states
            name = self.cells[int(np.argmax(absent))].name
            raise InvalidInputError(f"column {name!r}: the value is missing, where that is no state of the feature")
        return states

    def weights(self) -> NDArray[np.float64]:
        """How much each feature is tested: the sum over its tests of 2^-depth, down to depth 40; exact."""
        weight = np.zeros(self.n_features)
        level = self.root
        for depth in range(40):
            level = level[self.node_feature[level] >= 0]
            weight += np.bincount(self.node_feature[level], minlength=self.n_features) * 2.0**-depth
            level = np.concatenate([self.node_left[level], self.node_right[level]])
        return weight

    def sides(self) -> NDArray[np.int32]:
        """Per node, which sides the whole domain reaches: bit 1 left, bit 2 right; 3 at leaves."""
        f = self.node_feature
        sides = (self.node_cut >= 0) + 2 * (self.node_cut < self.n_values[f] - 1)
        sides |= self.node_missing
        for n in np.flatnonzero(self.node_set >= 0):
            width = self.n_set_words[f[n]]
            at = self.node_set[n]
            sides[n] = self.set_words[at : at + width].any() + 2 * self.set_words[at + width : at + 2 * width].any()
        return np.where(f < 0, 3, sides).astype(np.int32)


def _offsets(sizes: NDArray[Any]) -> NDArray[np.int32]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)


def _words(states: int, width: int) -> NDArray[np.uint64]:
    """A bit set of states in 64-bit words."""
    return np.frombuffer(states.to_bytes(8 * width, "little"), dtype="<u8").astype(np.uint64)
