"""What classification and regression trees share: growing, pruning and reading."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.grow.base import Answers, Sample
from xylogic.grow.grower import grow
from xylogic.grow.growing import growth_limits, importances, sample_columns
from xylogic.grow.grown import Grown
from xylogic.grow.parameters import number_of_features
from xylogic.grow.reading import Leaf, leaf_boxes, paths, rules_text
from xylogic.grow.target import Target
from xylogic.grow.unseen import SeenLevels, seen_levels
from xylogic.model import predict
from xylogic.model.ensemble import Ensemble
from xylogic.model.tree import Tree

__all__ = ["SingleTree"]


class SingleTree(Answers):
    """What both kinds of tree share: growing, pruning and reading."""

    tree_: Tree
    grown_: Grown

    def _fit(self, sample: Sample, target: Target, weight: float) -> Grown:
        """Grow and prune; ``weight``: of all rows."""
        self.max_features_ = number_of_features(self.max_features, self.n_features_in_)
        limits = growth_limits(self, sample, weight)
        return grow(sample_columns(self, sample), target, limits, seed=self._seed())

    def _keep(self, grown: Grown, sample: Sample) -> None:
        """Become the fitted estimator."""
        self.n_outputs_ = 1
        self.grown_, self.tree_ = grown, grown.tree
        self._cast = "float32" if sample.values.dtype == np.float32 else "float64"
        self._made: Ensemble | None = None
        self._seen = SeenLevels({}, {})
        if any(feature.categories for feature in sample.features):
            values = sample.values.astype(np.float64)
            self._seen = seen_levels(grown.tree, sample.features, values, self._leaves(values).astype(np.int64))

    @property
    def _model(self) -> Ensemble:
        """Made on first use: of a thousand rows, growing a tree takes no longer."""
        if self._made is None:
            self._made = self._ensemble()
        return self._made

    def _ensemble(self) -> Ensemble:
        raise NotImplementedError

    def _leaves(self, values: NDArray[np.float64]) -> NDArray[np.int32]:
        """The leaf of each encoded row."""
        return predict.apply(self._model, values)[:, 0]

    def to_model(self) -> Ensemble:
        """The same function as a frozen ``Ensemble``, for explaining, compiling and saving; exact.

        With a loss matrix its scores are the expected losses, negative, and it has no probabilities.
        """
        self._check_fitted()
        return self._model

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

    def leaves(self) -> tuple[Leaf, ...]:
        """The leaves with the box of rows that reach each, in the order of the tree from left to right.

        O(n_leaves * n_features).
        """
        self._check_fitted()
        return leaf_boxes(self._model, self.grown_)

    def rules(self) -> str:
        """The tree as text: one line a leaf, with exact thresholds, what it answers, and its training rows."""
        return rules_text(self.leaves())

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
