"""Random forests as scikit-learn estimators; ``recipe.py`` says how their trees are grown."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import accuracy_score, r2_score

from xylogic.errors import InvalidInputError
from xylogic.grow.answering import answers
from xylogic.grow.bagging import Bagging
from xylogic.grow.base import ClassAnswers, NumberAnswers, Sample
from xylogic.grow.costs import Costs, class_weights, read_costs
from xylogic.grow.forest_base import FOREST, Forest
from xylogic.grow.growing import estimator_model, with_values
from xylogic.grow.grown import Grown
from xylogic.grow.parameters import CLASS_CRITERIA, NUMBER_CRITERIA, anything, check_parameters, one_of
from xylogic.grow.recipe import ClassRows, NumberRows
from xylogic.model import predict
from xylogic.model.ensemble import Ensemble

__all__ = ["RandomForestClassifier", "RandomForestRegressor"]

Floats = NDArray[np.float64]


class RandomForestClassifier(ClassAnswers, Forest):
    """A forest of classification trees.

    Parameters
    ----------
    n_estimators : number of trees.
    criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_features,
        max_leaf_nodes, min_impurity_decrease, ccp_alpha, monotonic_cst, categorical_features, missing,
        max_surrogates, max_bins, zero_gain, priors, loss_matrix : as in ``DecisionTreeClassifier``.
        ``min_samples_split`` and ``min_samples_leaf`` count distinct rows drawn (a fraction: of all rows),
        ``min_weight_fraction_leaf`` and ``min_impurity_decrease`` are shares of a tree's draws. Priors and losses
        weigh classes as ``class_weight`` does.
    splitter : ``"best"``, ``"hist"``, or ``"random"`` cuts; the last, with ``bootstrap=False``, make extremely
        randomized trees (Geurts, Ernst, Wehenkel 2006).
    voting : ``"average"`` of the trees' class shares, or ``"majority"`` of their classes, one vote a tree. Equal
        counts: the first class.
    bootstrap : whether each tree draws its rows (bagging, Breiman 1996) or takes all.
    max_samples : how many draws: a number, a fraction of the total weight, or ``None`` for the number of rows.
    oob_score : whether rows are answered by the trees that did not draw them; True for accuracy, weighted by
        ``sample_weight``, or a function of true and predicted labels.
    n_jobs : threads, as in joblib; ``fit``, ``predict`` and the like. It changes no result.
    random_state : a whole number, a ``RandomState``, or ``None``.
    verbose : joblib's.
    warm_start : whether a second ``fit`` adds trees to those there are, up to ``n_estimators``. On the same rows, with
        a number as ``random_state``, the forest is then the one grown at once. A batch of other rows has to have the
        same columns and no new class. An ``n_estimators`` that adds no tree is refused.
    class_weight : a dict from label to weight; ``"balanced"``; or ``"balanced_subsample"``, balanced on the draws of
        each tree.

    Attributes
    ----------
    classes_, n_classes_, n_features_in_, feature_names_in_, n_outputs_ : as in scikit-learn.
    trees_, grown_ : the trees, and with their nodes' statistics.
    oob_score_ : the score of out-of-bag answers, over the rows of positive weight that have one.
    oob_decision_function_ : float64 (n, n_classes), mean class shares, or shares of votes, by the trees that did not
        draw the row; NaN where there are none, and at rows of weight 0.
    """

    classes_: NDArray[Any]

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: Any = None,
        splitter: str = "best",
        voting: str = "average",
        categorical_features: Any = "from_dtype",
        missing: str = "direction",
        max_surrogates: int = 5,
        max_bins: int = 255,
        zero_gain: str = "accept",
        priors: Any = None,
        loss_matrix: ArrayLike | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.splitter = splitter
        self.voting = voting
        self.categorical_features = categorical_features
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.max_bins = max_bins
        self.zero_gain = zero_gain
        self.priors = priors
        self.loss_matrix = loss_matrix

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> RandomForestClassifier:
        """Grow the forest on a table, (n, n_features), and class labels, (n,); weights are float (n,), not negative.

        O(n_estimators * n * (n_features + max_features * depth)). Raises InvalidInputError.
        """
        check_parameters(self, _CLASSIFIER)
        self._grow(X, y, sample_weight)
        return self

    def _rows(self, sample: Sample) -> ClassRows:
        labels = np.asarray(sample.classes).tolist()
        classes: NDArray[Any] = self.classes_ if self._further() else np.asarray(sample.classes)
        places = {label: place for place, label in enumerate(classes.tolist())}
        new = [label for label in labels if label not in places]
        if new:
            raise InvalidInputError(
                f"y has the class {new[0]!r}, which the trees that there are do not know; with warm_start the classes "
                f"of the first fit are accepted: {', '.join(map(repr, places))}"
            )
        codes = np.array([places[label] for label in labels])[sample.target]
        by_tree = isinstance(self.class_weight, str) and self.class_weight == "balanced_subsample"
        if by_tree and self.priors is not None:
            raise InvalidInputError("priors and class_weight are both given; priors set what the classes weigh alone")
        own = self.class_weight if not by_tree else None if self.bootstrap else "balanced"
        totals = class_weights(codes, sample.weight, len(classes))
        totals[totals == 0] = 1.0  # of a class that a later batch lacks: no row asks for its factor
        costs = read_costs(self.criterion, self.priors, self.loss_matrix, own, totals, classes)
        self.classes_, self.n_classes_, self._costs = classes, len(classes), costs
        return ClassRows(
            codes,
            costs.weigh(codes, sample.weight),
            self.criterion,
            len(classes),
            costs,
            balanced=by_tree and self.bootstrap,
        )

    def _ensemble(self) -> Ensemble:
        costs: Costs = self._costs
        if costs.loss is None:
            return estimator_model(self, self.trees_, self.classes_, self.voting)
        trees = [with_values(grown, costs.scores(grown.value)).tree for grown in self.grown_]
        return estimator_model(self, trees, self.classes_, "sum" if self.voting == "average" else "majority")

    @property
    def _shares(self) -> Ensemble:
        """The model that tells probabilities: the one that decides, unless that one sums expected losses."""
        if self._model.voting != "sum":
            return self._model
        return estimator_model(self, self.trees_, self.classes_, "average")

    def _tree_answer(self, grown: Grown, values: Floats) -> Floats:
        shares = answers(grown, values)
        return np.eye(self.n_classes_)[self._costs.decide(shares)] if self.voting == "majority" else shares

    def _scores(self, values: Floats) -> Floats:
        if self._is_routed:
            return self._sum(values, self._tree_answer) / len(self._members)
        model = self._shares
        return self._in_blocks(lambda part: predict.probabilities(model, predict.scores(model, part)), values)

    def _decide(self, values: Floats) -> NDArray[np.intp]:
        model = self._model
        if not self._is_routed:
            return self._in_blocks(lambda part: predict.decide(model, predict.scores(model, part)), values)
        if model.voting == "sum":
            return self._sum(values, lambda grown, part: self._costs.scores(answers(grown, part))).argmax(axis=1)
        return self._scores(values).argmax(axis=1)

    def _score_out_of_bag(self, sample: Sample, bag: Bagging) -> None:
        found = self._out_of_bag(sample, bag)
        decided = found.argmax(axis=1) if self.voting == "majority" else self._costs.decide(found)
        truth = np.asarray(sample.classes)[sample.target]
        self.oob_decision_function_ = bag.spread(found)
        self.oob_score_ = self._out_of_bag_score(sample, found, truth, self.classes_[decided], accuracy_score)


class RandomForestRegressor(NumberAnswers, Forest):
    """A forest of regression trees; it answers with the mean of theirs.

    Parameters
    ----------
    oob_score : True for the coefficient of determination, or a function of true and predicted numbers.

    The others are those of ``RandomForestClassifier``.

    Attributes
    ----------
    oob_prediction_ : float64 (n,), the mean of the trees that did not draw the row; NaN where there are none, and at
        rows of weight 0.

    The others are those of ``RandomForestClassifier``, but for the classes.
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: Any = None,
        splitter: str = "best",
        categorical_features: Any = "from_dtype",
        missing: str = "direction",
        max_surrogates: int = 5,
        max_bins: int = 255,
        zero_gain: str = "accept",
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.splitter = splitter
        self.categorical_features = categorical_features
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.max_bins = max_bins
        self.zero_gain = zero_gain

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> RandomForestRegressor:
        """Grow the forest on a table, (n, n_features), and finite numbers, (n,); otherwise as the classifier's."""
        check_parameters(self, _REGRESSOR)
        self._grow(X, y, sample_weight)
        return self

    def _rows(self, sample: Sample) -> NumberRows:
        return NumberRows(sample.target, sample.weight, self.criterion)

    def _ensemble(self) -> Ensemble:
        return estimator_model(self, self.trees_, None, "average")

    def _scores(self, values: Floats) -> Floats:
        if self._is_routed:
            return self._sum(values, answers)[:, 0] / len(self._members)
        model = self._model
        return self._in_blocks(lambda part: predict.scores(model, part)[:, 0], values)

    def _score_out_of_bag(self, sample: Sample, bag: Bagging) -> None:
        found = self._out_of_bag(sample, bag)
        self.oob_prediction_ = bag.spread(found[:, 0])
        self.oob_score_ = self._out_of_bag_score(sample, found, sample.target, found[:, 0], r2_score)


_CLASSIFIER = {
    "criterion": one_of(*CLASS_CRITERIA),
    **FOREST,
    "voting": one_of("average", "majority"),
    "class_weight": anything(),
    "priors": anything(),
    "loss_matrix": anything(),
}
_REGRESSOR = {"criterion": one_of(*NUMBER_CRITERIA), **FOREST}
