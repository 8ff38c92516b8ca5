"""One tree, prepared for questions that are polynomial in its size."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.cells import Cells
from xylogic.errors import InvalidInputError, InvalidModelError
from xylogic.model import predict
from xylogic.model.ensemble import Ensemble
from xylogic.model.states import model_cells
from xylogic.model.tree import Tree
from xylogic.search.pair_kernel import spread
from xylogic.search.path_kernel import Nodes, Path
from xylogic.search.trim_kernel import settle, trim

__all__ = ["Domain", "Single", "leaf_scores", "prepared"]

_prepared: WeakKeyDictionary[Ensemble, Single] = WeakKeyDictionary()


class Domain:
    """What every column may be, as the arrays that :class:`~xylogic.search.path_kernel.Path` starts from."""

    def __init__(self, cells: Sequence[Cells]) -> None:
        self.cells = tuple(cells)
        self.n_columns = len(self.cells)
        # One spare item: kernels take the address of item 0 even where there is no column.
        self.is_set = np.array([*(c.is_set for c in self.cells), 0], dtype=np.int32)
        self.n_codes = np.array([*(c.n_values if c.is_set else 0 for c in self.cells), 0], dtype=np.int32)
        self.width = (self.n_codes + 63) // 64
        self.word_at = (np.cumsum(self.width) - self.width).astype(np.int32)
        self.missing = np.array([*(c.missing for c in self.cells), 0], dtype=np.int32)
        self.low = np.full(self.n_columns + 1, -np.inf)
        self.high = np.full(self.n_columns + 1, np.inf)
        self.full = np.full(int(self.width.sum()) + 1, 2**64 - 1, np.uint64)
        odd = np.flatnonzero(self.n_codes % 64)
        self.full[self.word_at[odd] + self.width[odd] - 1] >>= (64 - self.n_codes[odd] % 64).astype(np.uint64)

    def like(self, other: Domain) -> bool:
        """Whether both have the same columns, as far as walks can tell."""
        return self is other or (
            np.array_equal(self.n_codes, other.n_codes) and np.array_equal(self.missing, other.missing)
        )

    def cuts(self, columns: NDArray[np.int32], cuts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Cuts on the domain's own numbers: whole ones for integers, 0 for booleans, infinite where they part none."""
        kinds = np.array([*(c.feature.kind for c in self.cells), ""])
        lowest = np.array([*(c.limits[0] for c in self.cells), 0.0])
        highest = np.array([*(c.limits[1] for c in self.cells), 0.0])
        boolean = kinds == "boolean"
        lowest[boolean], highest[boolean] = np.maximum(lowest[boolean], 0.0), np.minimum(highest[boolean], 1.0)
        whole = np.where(kinds[columns] == "numeric", cuts, np.floor(cuts))
        return np.where(cuts >= highest[columns], np.inf, np.where(cuts < lowest[columns], -np.inf, whole))


class Single:
    """The one tree of ``model`` over the values of ``cells`` (one per model feature; ``None``: the model's own).

    Tests that their path decides are gone, and so is every test both of whose sides are the same tree. Nodes are in
    preorder; arrays are int32 (n_nodes,) unless said otherwise. Read only, shared by all questions. O(n_nodes).

    Attributes
    ----------
    domain : the columns.
    feature, cut, left, right, way, set_at, words, label : see :class:`~xylogic.search.path_kernel.Nodes`; the words of
        a set are its left codes that the path allows, and behind them its right ones.
    parent, end : -1 at the root; the node behind the last one below.
    source : the node of the model's tree, or, where the same tree came more than once, one of those.
    code : uint64, a hash of the tree below each node.
    low, high : float64, the interval that the path leaves to the tested column.
    answers : what a label stands for. Classes: their positions. Regression: the distinct numbers, ascending. With
        ``by="score"``: the distinct rows of scores, float64 (n_labels, n_outputs). With ``by="leaf"``: the leaves, as
        nodes of the model's tree.
    """

    def __init__(self, model: Ensemble, cells: Sequence[Cells] | None = None, *, by: str = "label") -> None:
        if model.n_trees != 1:
            raise InvalidModelError(f"the model has {model.n_trees} trees; a single tree is accepted")
        # The model itself is not kept, so that `prepared` holds on to none.
        self.domain = Domain(model_cells(model) if cells is None else cells)
        self._trim(model.trees[0], self._answer(model, by))
        self.nodes = Nodes(self)

    @cached_property
    def span(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The least and the greatest label below each node."""
        low, high = np.empty(self.n_nodes), np.empty(self.n_nodes)
        spread(self.nodes, np.arange(len(self.answers), dtype=np.float64), low, high)
        return low, high

    @property
    def n_nodes(self) -> int:
        return len(self.feature)

    def _answer(self, model: Ensemble, by: str) -> NDArray[np.int32]:
        """Each leaf's label; -1 at tests."""
        inner = model.trees[0].left >= 0
        scores = leaf_scores(model)
        labels = np.full(len(inner), -1, np.int32)
        self.answers: NDArray[Any]
        if by == "leaf":
            self.answers = np.flatnonzero(~inner)
            labels[~inner] = np.arange(len(self.answers))
        elif by == "score":
            self.answers, labels[~inner] = np.unique(scores[~inner], axis=0, return_inverse=True)
        elif model.classes is None:
            self.answers, labels[~inner] = np.unique(scores[~inner, 0], return_inverse=True)
        else:
            self.answers = np.arange(len(model.classes))
            labels[~inner] = predict.decide(model, scores[~inner])
        return labels

    def _trim(self, tree: Tree, labels: NDArray[np.int32]) -> None:
        domain = self.domain
        inner = tree.left >= 0
        way = tree.missing.astype(np.int32)
        lost = inner & (way == 0) & (domain.missing[tree.feature] == 1)
        if lost.any():
            name = domain.cells[tree.feature[np.argmax(lost)]].name
            raise InvalidInputError(f"feature {name!r} may be missing, but the model has no rule for that")
        cut = np.where(inner, domain.cuts(tree.feature, tree.cut), 0.0)
        set_at, words = _packed(tree, domain)
        raw = SimpleNamespace(
            feature=tree.feature.copy(), left=tree.left.copy(), right=tree.right.copy(), way=way, set_at=set_at,
            label=labels, cut=cut, words=words,
        )  # fmt: skip
        n = len(inner)
        out = SimpleNamespace(**{name: np.zeros(n, np.int32) for name in (*_COPIED, "label")})
        out.cut, out.low, out.high = (np.zeros(n) for _ in range(3))
        out.words = np.zeros(2 * len(words), np.uint64)
        path = Path(domain, n, len(words))
        n = trim(Nodes(raw), path, out)
        trimmed = SimpleNamespace(**{name: array[:n].copy() for name, array in vars(out).items() if name != "words"})
        trimmed.words = out.words
        links = SimpleNamespace(**{name: np.empty(n + 1, np.int32) for name in _LINKS})
        links.code, links.below = np.empty(n, np.uint64), np.empty(n, np.uint64)
        links.cut_bits = trimmed.cut.view(np.uint64)
        n, self.depth = settle(Nodes(trimmed), path, links)
        self.left, self.right, self.parent, self.end, self.code = (
            array[:n].copy() for array in (links.left, links.right, links.parent, links.end, links.code)
        )
        at = links.order[:n]
        self.feature, self.label, self.source = trimmed.feature[at], trimmed.label[at], trimmed.source[at]
        self.cut, self.low, self.high = trimmed.cut[at], trimmed.low[at], trimmed.high[at]
        self.way, self.set_at, self.words = trimmed.way[at], trimmed.set_at[at], out.words


_COPIED = ("feature", "left", "right", "way", "set_at", "source", "parent")
_LINKS = ("order", "left", "right", "parent", "end", "stands", "stack_a", "stack_b")


def leaf_scores(model: Ensemble) -> NDArray[np.float64]:
    """The scores of a one-tree model at each of its leaves: float64 (n_nodes, n_outputs); of no use at tests."""
    return np.array(model.base) + (model.votes if model.voting == "majority" else model.flat.value)


def prepared(model: Ensemble) -> Single:
    """The model's tree over its own cells, labelled by class or number; made once."""
    found = _prepared.get(model)
    if found is None:
        found = _prepared[model] = Single(model)
    return found


def _packed(tree: Tree, domain: Domain) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
    """Where each category test's left codes begin, and the codes as bit sets."""
    width = np.where(tree.feature >= 0, domain.width[tree.feature], 0)
    set_at = (np.cumsum(width) - width).astype(np.int32)
    words = np.zeros(int(width.sum()) + 1, np.uint64)
    test = np.repeat(np.arange(len(width)), np.diff(tree.set_ptr))
    codes = tree.set_items.astype(np.int64)
    np.bitwise_or.at(words, set_at[test] + codes // 64, np.left_shift(np.uint64(1), (codes % 64).astype(np.uint64)))
    return set_at, words
