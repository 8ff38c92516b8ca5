"""What classification and regression trees share: growing, pruning and reading."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from xylogic.checks import check_choice
from xylogic.grow.answering import ends, leaves_of
from xylogic.grow.base import Answers, Kept, Sample
from xylogic.grow.columns import Columns
from xylogic.grow.costs import Costs
from xylogic.grow.expand import plain_model
from xylogic.grow.growing import importances
from xylogic.grow.grown import Grown
from xylogic.grow.parameters import number_of_features
from xylogic.grow.pruning import RISKS, new_places, pruned, subtree
from xylogic.grow.reading import Leaf, leaf_boxes, paths, renamed, rules_text
from xylogic.grow.single import grow_single
from xylogic.grow.surrogates import Surrogate, Surrogates
from xylogic.grow.target import Target
from xylogic.grow.unseen import SeenLevels, seen_levels
from xylogic.model.ensemble import Ensemble
from xylogic.model.tree import Tree

__all__ = ["SingleTree"]


class SingleTree(Answers):
    """What both kinds of tree share: growing, pruning and reading."""

    tree_: Tree
    grown_: Grown

    def _begin(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Sample:
        """Check the parameters and read the training set."""
        raise NotImplementedError

    def _aim(self, target: Target, sample: Sample, columns: Columns, rows: NDArray[np.int32] | None) -> Target:
        """What growth goes by; a place for other gains. ``rows`` of the sample take part, ``None``: all."""
        return target

    def _keep(self, grown: Grown, costs: Costs, sample: Sample) -> None:
        """Become the fitted estimator."""
        self.n_outputs_ = 1
        self.max_features_ = number_of_features(self.max_features, self.n_features_in_)
        self._cast = "float32" if sample.values.dtype == np.float32 else "float64"
        self._costs = costs
        self._show(grown)
        self._seen = SeenLevels({}, {})
        if any(feature.categories for feature in sample.features):
            values = sample.values.astype(np.float64)
            row, leaf = ends(grown, values)
            self._seen = seen_levels(grown.tree, sample.features, values[row], leaf)

    def _show(self, grown: Grown) -> None:
        """Answer with this tree from now on."""
        self.grown_, self.tree_ = grown, grown.tree
        self._made, self._plain = Kept(), Kept()

    def _grow(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> None:
        """Fit: grow, and prune where ``ccp_alpha`` is not 0."""
        sample = self._begin(X, y, sample_weight)
        grown, costs = grow_single(self, sample)
        self._keep(self._prune(grown, sample) if self.ccp_alpha else grown, costs, sample)

    def _prune(self, grown: Grown, sample: Sample) -> Grown:
        """The tree pruned at ``ccp_alpha``; a place for other risks."""
        return pruned(grown, self.ccp_alpha)

    def _pruned_to(self, kept: NDArray[np.int64]) -> Any:
        """A copy with the nodes ``kept`` of the tree."""
        made = copy(self)
        made._show(subtree(self.grown_, kept))
        made._seen = self._seen.moved(new_places(self.grown_, kept))
        return made

    def cost_complexity_pruning_path(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None, *, risk: str = "impurity"
    ) -> Any:
        """The trees of least R + alpha * leaves of a training set: a Bunch of arrays, one entry a tree.

        ``ccp_alphas``, ascending from 0: tree k is the smallest one of least cost for all alphas from its own up to the
        next one; ``impurities``: its R, the sum of its leaves' risks, both per unit of weight, as in scikit-learn, and
        ``leaves``. ``risk``: ``"impurity"``, which ``ccp_alpha`` goes by, or ``"mistakes"``. Equal links make one step.
        At 0 the tree has no splits left that do not lower the risk; growing with ``ccp_alpha=0`` keeps them.
        """
        from sklearn.base import clone
        from sklearn.utils import Bunch

        check_choice("risk", risk, RISKS)
        own = clone(self)
        path = grow_single(own, own._begin(X, y, sample_weight)).path(risk)
        return Bunch(ccp_alphas=path.alphas, impurities=path.risks, leaves=path.leaves)

    @property
    def _model(self) -> Ensemble:
        """Made on first use: of a thousand rows, growing a tree takes no longer."""
        return self._made.get(self._ensemble)

    def _ensemble(self) -> Ensemble:
        raise NotImplementedError

    def _leaves(self, values: NDArray[np.float64]) -> NDArray[np.int32]:
        """The leaf of each encoded row."""
        return leaves_of(self.grown_, values)

    def to_model(self, *, node_limit: int = 100_000) -> Ensemble:
        """The same function as a frozen ``Ensemble``, for explaining, compiling and saving; exact.

        With a loss matrix its scores are the expected losses, negative, and it has no probabilities. Surrogates become
        tests of a larger tree, in which a column without missing values in training refuses them.

        Raises
        ------
        BudgetExceeded
            Where surrogates need more than ``node_limit`` nodes.
        UnsupportedModelError
            For ``missing="fractional"``: parts of a row reach many leaves, and no single one explains its answer.
        """
        self._check_fitted()
        if self.grown_.routes is None:
            return self._model
        return self._plain.get(lambda: plain_model([self.grown_], self._model, node_limit))

    @property
    def surrogates_(self) -> dict[int, tuple[Surrogate, ...]]:
        """Node -> the tests that stand in for its own where the value is missing, best first; of ``"surrogate"``."""
        self._check_fitted()
        if not isinstance(self.grown_.routes, Surrogates):
            raise AttributeError(f"a tree with missing={self.missing!r} has no surrogates")
        inner = np.flatnonzero(self.tree_.left >= 0).tolist()
        return {node: self.grown_.routes.described(node, self.features_) for node in inner}

    def apply(self, X: Any) -> NDArray[np.int64]:
        """The leaf of each row, as a node of ``tree_``: int64 (n,). O(n * depth)."""
        return self._leaves(self._values(X)).astype(np.int64)

    def decision_path(self, X: Any) -> Any:
        """The nodes that each row passes, root and leaf among them: a scipy CSR matrix of ones, (n, n_nodes)."""
        leaves = self.apply(X)
        return paths(self.tree_, leaves)

    def unseen(self, X: Any) -> NDArray[np.bool_]:
        """Which cells are answered by the rule for unseen levels: bool (n, n_features). O(n * depth).

        They hold a level that no training row had at some node that tests the column on the row's way. There the row
        follows the child of greater training weight (of equal ones the left), like all levels that the node lacks.
        """
        values = self._values(X)
        return self._seen.unseen(self.tree_, values, self._leaves(values).astype(np.int64))

    def leaves(self, feature_names: Sequence[str] | None = None) -> tuple[Leaf, ...]:
        """The leaves with the box of rows that reach each, in the order of the tree from left to right.

        With surrogates or fractional rows, the boxes are those of rows without missing values.

        ``feature_names``: what to call the columns, in order, where not by their own names.
        O(n_nodes + n_leaves * n_features).
        """
        self._check_fitted()
        model = self._model if feature_names is None else renamed(self._model, feature_names)
        return leaf_boxes(model, self.grown_)

    def rules(self, feature_names: Sequence[str] | None = None) -> str:
        """The tree as text: one line a leaf, with exact thresholds, what it answers, and its training rows."""
        return rules_text(self.leaves(feature_names), self.grown_)

    def get_depth(self) -> int:
        """Edges on the longest path from the root."""
        self._check_fitted()
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        self._check_fitted()
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Each feature's part of the impurity that all splits remove: float64 (n_features,), of sum 1 or all zero."""
        self._check_fitted()
        return importances(self.grown_, self.n_features_in_)
