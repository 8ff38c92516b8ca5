"""Decision trees as scikit-learn estimators."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from xylogic.grow.base import Answers, ClassAnswers, NumberAnswers, Sample
from xylogic.grow.costs import Costs, class_weights, read_costs
from xylogic.grow.grower import grow
from xylogic.grow.growing import estimator_model, growth_limits, importances, sample_columns, with_values
from xylogic.grow.grown import Grown
from xylogic.grow.parameters import (
    CLASS_CRITERIA,
    NUMBER_CRITERIA,
    TREE,
    anything,
    check_parameters,
    criterion_name,
    number_of_features,
    one_of,
)
from xylogic.grow.reading import Leaf, leaf_boxes, paths, rules_text
from xylogic.grow.target import Target, class_target, number_target
from xylogic.grow.unseen import SeenLevels, seen_levels
from xylogic.model import predict
from xylogic.model.ensemble import Ensemble
from xylogic.model.tree import Tree

__all__ = ["DecisionTreeClassifier", "DecisionTreeRegressor"]


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


class DecisionTreeClassifier(ClassAnswers, SingleTree):
    def __init__(
        self,
        *,
        criterion: str = "gini",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        categorical_features: Any = "from_dtype",
        missing: str = "direction",
        max_surrogates: int = 5,
        max_bins: int = 255,
        zero_gain: str = "accept",
        priors: Any = None,
        loss_matrix: ArrayLike | None = None,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.max_bins = max_bins
        self.zero_gain = zero_gain
        self.priors = priors
        self.loss_matrix = loss_matrix

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> DecisionTreeClassifier:
        check_parameters(self, _CLASSIFIER)
        sample = self._read(X, y, sample_weight)
        self.classes_ = np.asarray(sample.classes)
        self.n_classes_ = len(self.classes_)
        totals = class_weights(sample.target, sample.weight, self.n_classes_)
        costs = read_costs(self.criterion, self.priors, self.loss_matrix, self.class_weight, totals, self.classes_)
        weight = costs.weigh(sample.target, sample.weight)
        target = class_target(sample.target, self.n_classes_, weight, criterion_name(self.criterion), costs.loss)
        self._costs = costs
        grown = self._fit(sample, target, sample.n_rows if weight is None else float(weight.sum()))
        if costs.altered is not None:
            grown = with_values(grown, costs.shares(grown.value))
        self._keep(grown, sample)
        return self

    def _ensemble(self) -> Ensemble:
        costs: Costs = self._costs
        tree = self.tree_
        if costs.loss is not None:
            tree = with_values(self.grown_, costs.scores(self.grown_.value)).tree
        return estimator_model(self, [tree], self.classes_, "average" if costs.loss is None else "sum")

    def _scores(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.grown_.value[self._leaves(values)]

    def _decide(self, values: NDArray[np.float64]) -> NDArray[np.intp]:
        return predict.decide(self._model, self._model.trees[0].value[self._leaves(values)])


class DecisionTreeRegressor(NumberAnswers, SingleTree):
    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        categorical_features: Any = "from_dtype",
        missing: str = "direction",
        max_surrogates: int = 5,
        max_bins: int = 255,
        zero_gain: str = "accept",
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.max_bins = max_bins
        self.zero_gain = zero_gain

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> DecisionTreeRegressor:
        check_parameters(self, _REGRESSOR)
        sample = self._read(X, y, sample_weight)
        target = number_target(sample.target, sample.weight, self.criterion)
        self._keep(self._fit(sample, target, sample.total_weight), sample)
        return self

    def _ensemble(self) -> Ensemble:
        return estimator_model(self, [self.tree_], None, "average")

    def _scores(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.grown_.value[self._leaves(values), 0]


_CLASSIFIER = {
    "criterion": one_of(*CLASS_CRITERIA),
    **TREE,
    "class_weight": anything(),
    "priors": anything(),
    "loss_matrix": anything(),
}
_REGRESSOR = {"criterion": one_of(*NUMBER_CRITERIA), **TREE}
