"""Decision trees as scikit-learn estimators."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from xylogic.grow.answering import answers
from xylogic.grow.base import ClassAnswers, NumberAnswers, Sample
from xylogic.grow.costs import Costs
from xylogic.grow.flow import Shares
from xylogic.grow.growing import estimator_model, with_values
from xylogic.grow.parameters import (
    CLASS_CRITERIA,
    NUMBER_CRITERIA,
    TREE,
    anything,
    check_parameters,
    one_of,
)
from xylogic.grow.tree_base import SingleTree
from xylogic.model.ensemble import Ensemble

__all__ = ["DecisionTreeClassifier", "DecisionTreeRegressor"]


class DecisionTreeClassifier(ClassAnswers, SingleTree):
    """A classification tree grown by CART (Breiman, Friedman, Olshen and Stone, 1984); scikit-learn's parameters.

    Tables are numpy arrays, lists, or pandas, polars and pyarrow frames, with numbers, truth values, categories and
    text; missing and infinite values are always taken. Trees compare in float64, in float32 where fitted on float32.

    Parameters
    ----------
    criterion : ``"gini"``, ``"entropy"`` (or ``"log_loss"``), ``"misclassification"``.
    splitter : ``"best"``; ``"hist"``: the best of the cuts between at most ``max_bins`` bins a column; ``"random"``:
        the best of one random cut a column.
    max_depth, max_leaf_nodes : ``None`` is no limit; with ``max_leaf_nodes`` the best split is made first.
    min_samples_split, min_samples_leaf : rows of positive weight, whatever they weigh; a float is a part of all.
    min_weight_fraction_leaf : a part of the total weight that each leaf must have.
    max_features : how many columns each split looks at: a number, a part, ``"sqrt"``, ``"log2"``, ``None`` for all.
    random_state : decides which columns and random cuts are looked at; else nothing here is random.
    min_impurity_decrease : the least part of the total weight times impurity that a split must remove: a split of a
        node of weight w into l and r removes ``(w * impurity - l * impurity_l - r * impurity_r) / total weight``.
    class_weight : dict from label to factor, or ``"balanced"``, by which a row of weight 2 counts as two rows.
    ccp_alpha : minimal cost-complexity pruning; see ``pruning_path``.
    monotonic_cst : 1, -1 or 0 for each column, or a dict from names: whether the probability of the second class must
        rise or fall with it; for two classes.
    categorical_features : ``"from_dtype"``: columns of categorical data types and text; or their names, positions or
        a mask; or ``None``. Levels not seen in training are one level more, told apart from missing. Levels that a
        node's training rows lack go to its child of greater weight, of equal ones to the left; in columns of more
        than 64 levels that child is the right one.
    missing : how missing values are routed. ``"direction"``: each split tries both sides, and "missing or not" as a
        split; ``"level"``: in categorical columns missing is one more level; ``"surrogate"``: CART's surrogate splits,
        at most ``max_surrogates`` each; ``"fractional"``: C4.5's way, down both sides. Where a node had none in
        training, they go to the child of greater weight.
    zero_gain : whether a split that removes no impurity may be made, ``"accept"`` or ``"refuse"``.
    priors : the classes' shares in the population, in the order of ``classes_`` or as a dict; they sum to 1.
    loss_matrix : (n_classes, n_classes), the loss of answering class j to a row of class k. Answers minimise the
        expected loss, and trees grow as rpart's do.

    Attributes
    ----------
    classes_, n_classes_, n_features_in_, feature_names_in_, n_outputs_, max_features_, feature_importances_ : as in
        scikit-learn.
    features_ : tuple of ``Feature``, what the columns are.
    tree_ : the ``Tree``; its leaves answer class shares.
    grown_ : ``tree_`` with the training rows, weight, impurity, class shares and gain of every node.

    Notes
    -----
    O(n * n_features * depth) after sorting. Gains within 1e-12 of the node's impurity are equal; then the lowest
    column, the lowest cut, and missing on the right win, so neither the order of rows nor a common factor of weights
    matters, whole weights are repeated rows, and a row of weight 0 is no row.
    """

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
        """Grow the tree on table ``X``, (n, n_features), and ``y``, (n,) labels of any kind that can be sorted.

        Raises InvalidInputError for bad parameters and, naming column and row, for cells that cannot be read;
        scikit-learn's ValueErrors for tables and targets of wrong shapes.
        """
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
    """A regression tree grown by CART; all else as in :class:`DecisionTreeClassifier`.

    Parameters
    ----------
    criterion : ``"squared_error"`` (``"friedman_mse"`` is the same), ``"absolute_error"``, ``"poisson"``.
    monotonic_cst : 1, -1 or 0 for each column, or a dict from names: whether the prediction must rise or fall with it.

    Attributes
    ----------
    tree_ : the ``Tree``; its leaves answer the mean of their targets, for the absolute error the median.
    """

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
        """Grow the tree on table ``X``, (n, n_features), and ``y``, (n,) finite numbers; errors as the classifier's."""
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
