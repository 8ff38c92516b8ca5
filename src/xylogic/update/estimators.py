"""Trees that replace an old one, as scikit-learn estimators."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from xylogic.errors import InvalidInputError
from xylogic.grow.base import Sample
from xylogic.grow.columns import Columns
from xylogic.grow.estimators import DecisionTreeClassifier, DecisionTreeRegressor
from xylogic.grow.grown import Grown
from xylogic.grow.parameters import CLASS_CRITERIA, anything, check_parameters, number, one_of
from xylogic.grow.pruning import pruned, pruning_path
from xylogic.grow.single import grow_single
from xylogic.grow.target import Target
from xylogic.grow.tree_base import SingleTree
from xylogic.model.ensemble import Ensemble
from xylogic.update.against import AgainstOld, place_columns, read_against, warn_unrelied
from xylogic.update.compatibility import Compatibility, compatibility
from xylogic.update.dissimilarity import JLU_WAYS, KINDS
from xylogic.update.gain import compatible_target
from xylogic.update.objective import Way, check_risk, training_risks
from xylogic.update.reading import read_tree

__all__ = ["STRENGTH", "CompatibleTreeClassifier", "CompatibleTreeRegressor"]

STRENGTH = number(0, 1e100)


class CompatibleTree(SingleTree):
    """What both kinds of compatible tree share."""

    # What plain trees may be told, and these may not.
    splitter = "best"
    monotonic_cst = None
    categorical_features: Any = "from_dtype"
    missing = "direction"
    max_surrogates = 5
    max_bins = 255
    zero_gain = "refuse"

    old: Any
    dissimilarity: str
    strength: float
    jlu: str
    tolerance: float = 0.0

    @contextmanager
    def relying_on(self, relied: ArrayLike | None) -> Iterator[None]:
        """Inside it, training sets are read with the user's choice of rows."""
        self._relied = relied
        try:
            yield
        finally:
            del self._relied

    def _keeps_classes(self) -> bool:
        return self.old is not None

    def _put_to_old(self, sample: Sample) -> Sample:
        """The training set with what the old tree says of it."""
        relied = getattr(self, "_relied", None)
        if self.old is None:
            if relied is not None:
                raise InvalidInputError("relied is given and old is None; an old tree has explanations to rely on")
            self.old_: Ensemble | None = None
            return sample
        self.old_ = read_tree(self.old, "the old tree")
        found = read_against(self.old_, sample, self._is_named, self.tolerance, relied)
        if self.strength and not found.relied_weight.any():
            warn_unrelied(self.old_, relied, stacklevel=6)
        return found

    @property
    def _is_named(self) -> bool:
        return hasattr(self, "feature_names_in_")

    def rows_for_old(self, sample: Sample) -> NDArray[np.float64]:
        """The rows of a training set that this tree has read, in the columns of the old tree: float64 (n, m)."""
        assert self.old_ is not None
        place = place_columns(self.old_, sample, self._is_named)
        return np.ascontiguousarray(sample.values[:, np.argsort(place)], dtype=np.float64)

    def _aim(self, target: Target, sample: Sample, columns: Columns, rows: NDArray[np.int32] | None) -> Target:
        if not isinstance(sample, AgainstOld):
            return target
        return compatible_target(
            target, sample, columns, rows, kind=self.dissimilarity, jlu=self.jlu, strength=float(self.strength)
        )

    def compatibility(
        self, X: Any, y: Any, *, reference: Any = None, weights: ArrayLike | None = None
    ) -> Compatibility:
        """What replacing ``old`` by this tree changes on n rows; see ``xylogic.compatibility``.

        ``reference``: the training set, where X is another one.
        """
        self._check_fitted()
        if self.old_ is None:
            raise InvalidInputError("old is None; a tree that was grown against an old one is accepted")
        return compatibility(
            self.old_, self, X, y, tolerance=self.tolerance, reference=reference, weights=weights, jlu=self.jlu
        )

    def objective(self, X: Any, y: Any, *, reference: Any = None, weights: ArrayLike | None = None) -> float:
        """What the tree was grown to make small, on n rows: its loss and ``strength`` times the mean dissimilarity.

        The loss is the error rate or the mean squared error. All else as in ``compatibility``.
        """
        found = self.compatibility(X, y, reference=reference, weights=weights)
        drift: float | None = getattr(found, self.dissimilarity)
        return found.loss + (float(self.strength) * drift if drift else 0.0)

    def _risks(self, grown: Grown, sample: Sample, risk: str) -> str | NDArray[np.float64]:
        if not isinstance(sample, AgainstOld):
            return "mistakes" if risk == "loss" and sample.classes is not None else "impurity"
        return training_risks(grown, sample, Way.of(self), risk)

    def _prune(self, grown: Grown, sample: Sample) -> Grown:
        return pruned(grown, self.ccp_alpha, self._risks(grown, sample, "loss"))

    def cost_complexity_pruning_path(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None, *, risk: str = "loss"
    ) -> Any:
        """The trees of least objective + alpha * leaves of a training set: a Bunch of arrays, one entry a tree.

        ``ccp_alphas``, ascending from 0: tree k is the smallest one of least cost for all alphas from its own up to the
        next one; ``impurities``: its objective; ``leaves``. ``risk``: what the objective counts besides dissimilarity,
        ``"loss"``, the error rate or mean squared error, which ``ccp_alpha`` goes by, or ``"impurity"``.
        """
        from sklearn.base import clone
        from sklearn.utils import Bunch

        check_risk(risk)
        own = clone(self)
        sample = own._begin(X, y, sample_weight)
        grown = grow_single(own, sample).grown
        path = pruning_path(grown, own._risks(grown, sample, risk))
        return Bunch(ccp_alphas=path.alphas, impurities=path.risks, leaves=path.leaves)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters. Those of ``old`` are not among them: it is fitted, and stays as it is."""
        return super().get_params(deep=False)

    def __sklearn_clone__(self) -> Any:
        """An unfitted copy that shares ``old``, which ``sklearn.base.clone`` would have made unfitted."""
        from sklearn.base import clone

        given = self.get_params()
        given.pop("old")
        made = type(self)(self.old, **{name: clone(value, safe=False) for name, value in given.items()})
        for name in ("_metadata_request", "_sklearn_output_config"):
            if name in self.__dict__:
                setattr(made, name, clone(self.__dict__[name], safe=False))
        return made

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.old is None
        tags.input_tags.categorical = self.old is None
        return tags


class CompatibleTreeClassifier(CompatibleTree, DecisionTreeClassifier):
    """A classification tree that replaces an old one and keeps to its explanations: CART-BCTX.

    Growth takes the split of the greatest total gain: that in loss as in CART, plus ``strength`` times what it lowers
    the mean dissimilarity of old and new explanations, over the rows that the old tree answers right.

    Parameters
    ----------
    old : the old tree, fitted: anything of one tree that ``read_model`` takes, over columns of numbers; of River's,
        those whose leaves answer by class shares (``leaf_prediction="mc"``) or by the mean (``"mean"``). Copies made by
        ``clone`` and grid searches share it as it is. ``None``: there is none, and the tree is plain CART.
    dissimilarity : ``"mse"``, ``"mae"``, ``"jac"`` or ``"jlu"``; see ``dissimilarities``.
    strength : how much dissimilarity counts, >= 0, in units of the loss for each unit of dissimilarity; at 0 the tree
        is that of ``DecisionTreeClassifier`` with ``zero_gain="refuse"``. With it trees grow larger, as splits are made
        for the explanations alone; ``max_leaf_nodes`` and ``ccp_alpha`` hold that back. See ``update_path`` to choose.
    jlu : ``"pooled"`` or ``"mean"``, how ``"jlu"`` joins both sides.
    criterion : ``"gini"``, ``"entropy"`` (or ``"log_loss"``), ``"misclassification"``.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_features, random_state,
    max_leaf_nodes : as in ``DecisionTreeClassifier``; with ``max_leaf_nodes`` the split of the greatest total gain is
        made first.
    ccp_alpha : the price of a leaf in pruning: the smallest tree of least objective + ccp_alpha * leaves is kept, where
        the objective is the error rate plus ``strength`` times the mean dissimilarity. At 0 nothing is pruned.
    min_impurity_decrease : the least total gain of a split.
    class_weight : as in ``DecisionTreeClassifier``; it weighs losses, not explanations.

    Attributes
    ----------
    old_ : the old tree as an ``Ensemble``; ``None`` where there is none.
    classes_, tree_, grown_, ... : as in ``DecisionTreeClassifier``; a node's ``gain`` is the total one. A class of
        which no row is left is kept where a row of ``sample_weight`` 0 declares it; its probability is 0.

    Notes
    -----
    "Backward Compatibility in Tree-Based Explanations and Enhanced CART Algorithm", Algorithms 2 and 3. A split has to
    gain more than 1e-12; gains so close are equal, and then the lowest column and the lowest cut win. A node of one
    class is split where explanations gain by it. O(n * n_features * depth) after sorting, for every dissimilarity.
    """

    priors = None
    loss_matrix = None

    def __init__(
        self,
        old: Any = None,
        *,
        dissimilarity: str = "mse",
        strength: float = 0.005,
        jlu: str = "pooled",
        criterion: str = "gini",
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
    ) -> None:
        self.old = old
        self.dissimilarity = dissimilarity
        self.strength = strength
        self.jlu = jlu
        self.criterion = criterion
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

    def fit(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None, *, relied: ArrayLike | None = None
    ) -> CompatibleTreeClassifier:
        """Grow the tree on table ``X``, (n, n_features) of finite numbers, and ``y``, (n,) labels of the old tree.

        ``relied``: n numbers from 0 up, or booleans, in place of "the old tree is right": how much each row's old
        explanation counts; ``sample_weight`` multiplies it. Where nobody relies on any row, the tree is plain CART, and
        a UserWarning says so.

        Raises InvalidInputError for bad parameters, values that are missing or infinite, categories, and columns and
        classes that are not those of the old tree; UnsupportedModelError for an old model of several trees.
        """
        with self.relying_on(relied):
            self._grow(X, y, sample_weight)
        return self

    def _begin(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Sample:
        check_parameters(self, {**_OWN, "criterion": one_of(*CLASS_CRITERIA)})
        return self._put_to_old(super()._begin(X, y, sample_weight))


class CompatibleTreeRegressor(CompatibleTree, DecisionTreeRegressor):
    """A regression tree that replaces an old one; all else as in :class:`CompatibleTreeClassifier`.

    Parameters
    ----------
    strength : in units of the loss, here the square of those of ``y``: where ``y`` is multiplied by 10, a strength of
        100 times as much grows the same tree. Scale ``y``, or choose the strength by ``update_path``.
    tolerance : the old tree is right where it is off by at most so much. At 0 hardly any row is, and no explanation is
        relied on.
    criterion : ``"squared_error"``.
    """

    def __init__(
        self,
        old: Any = None,
        *,
        dissimilarity: str = "mse",
        strength: float = 0.005,
        tolerance: float = 0.0,
        jlu: str = "pooled",
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
    ) -> None:
        self.old = old
        self.dissimilarity = dissimilarity
        self.strength = strength
        self.tolerance = tolerance
        self.jlu = jlu
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha

    def fit(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None, *, relied: ArrayLike | None = None
    ) -> CompatibleTreeRegressor:
        """Grow the tree on table ``X``, (n, n_features), and ``y``, (n,) finite numbers; see the classifier."""
        with self.relying_on(relied):
            self._grow(X, y, sample_weight)
        return self

    def _begin(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Sample:
        check_parameters(self, {**_OWN, "criterion": one_of("squared_error")})
        return self._put_to_old(super()._begin(X, y, sample_weight))


_OWN = {
    "old": anything(),
    "dissimilarity": one_of(*KINDS),
    "strength": STRENGTH,
    "jlu": one_of(*JLU_WAYS),
    "tolerance": number(0, 1e300),
}
