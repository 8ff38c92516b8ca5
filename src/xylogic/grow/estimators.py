"""Decision trees as scikit-learn estimators."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from xylogic.grow.answering import answers, ends, leaves_of
from xylogic.grow.base import Answers, ClassAnswers, NumberAnswers, Sample
from xylogic.grow.costs import Costs
from xylogic.grow.expand import plain_model
from xylogic.grow.flow import Shares
from xylogic.grow.growing import estimator_model, importances, with_values
from xylogic.grow.grown import Grown
from xylogic.grow.parameters import (
    CLASS_CRITERIA,
    NUMBER_CRITERIA,
    TREE,
    anything,
    check_parameters,
    number_of_features,
    one_of,
)
from xylogic.grow.pruning import new_places, pruned, pruning_path, subtree
from xylogic.grow.reading import Leaf, leaf_boxes, paths, rules_text
from xylogic.grow.single import grow_single
from xylogic.grow.surrogates import Surrogate, Surrogates
from xylogic.grow.unseen import SeenLevels, seen_levels
from xylogic.model.ensemble import Ensemble
from xylogic.model.tree import Tree

__all__ = ["DecisionTreeClassifier", "DecisionTreeRegressor"]


class SingleTree(Answers):
    """What both kinds of tree share: growing, pruning and reading."""

    tree_: Tree
    grown_: Grown

    def _begin(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Sample:
        """Check the parameters and read the training set."""
        raise NotImplementedError

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
        self._made: Ensemble | None = None
        self._plain: Ensemble | None = None

    def _grow(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> None:
        """Fit: grow, and prune where ``ccp_alpha`` is not 0."""
        sample = self._begin(X, y, sample_weight)
        grown, costs = grow_single(self, sample)
        self._keep(pruned(grown, self.ccp_alpha) if self.ccp_alpha else grown, costs, sample)

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

        own = clone(self)
        grown, _ = grow_single(own, own._begin(X, y, sample_weight))
        path = pruning_path(grown, risk)
        return Bunch(ccp_alphas=path.alphas, impurities=path.risks, leaves=path.leaves)

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
        if self._plain is None:
            self._plain = plain_model(self, self._model, node_limit)
        return self._plain

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
        self._grow(X, y, sample_weight)
        return self

    def _begin(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Sample:
        check_parameters(self, _CLASSIFIER)
        sample = self._read(X, y, sample_weight)
        self.classes_ = np.asarray(sample.classes)
        self.n_classes_ = len(self.classes_)
        return sample

    def _ensemble(self) -> Ensemble:
        costs: Costs = self._costs
        tree = self.tree_
        if costs.loss is not None:
            tree = with_values(self.grown_, costs.scores(self.grown_.value)).tree
        return estimator_model(self, [tree], self.classes_, "average" if costs.loss is None else "sum")

    def _scores(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return answers(self.grown_, values)

    def _decide(self, values: NDArray[np.float64]) -> NDArray[np.intp]:
        costs: Costs = self._costs
        if isinstance(self.grown_.routes, Shares):
            return costs.decide(answers(self.grown_, values))
        return costs.decide(self.grown_.value)[self._leaves(values)]


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
        self._grow(X, y, sample_weight)
        return self

    def _begin(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Sample:
        check_parameters(self, _REGRESSOR)
        return self._read(X, y, sample_weight)

    def _ensemble(self) -> Ensemble:
        return estimator_model(self, [self.tree_], None, "average")

    def _scores(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return answers(self.grown_, values)[:, 0]


_CLASSIFIER = {
    "criterion": one_of(*CLASS_CRITERIA),
    **TREE,
    "class_weight": anything(),
    "priors": anything(),
    "loss_matrix": anything(),
}
_REGRESSOR = {"criterion": one_of(*NUMBER_CRITERIA), **TREE}
