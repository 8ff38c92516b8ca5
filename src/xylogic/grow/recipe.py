"""How each tree of a forest is grown.

Each tree has a seed, drawn from ``random_state``, that decides all that is random about it: trees may be grown in any
order, in any number of threads, and the forest is the same.

With ``bootstrap``, a tree draws rows with replacement, each in proportion to its weight (``sample_weight`` times class
weight), and is grown on the rows drawn, each weighing as often as it was drawn. So scikit-learn 1.9 does it, and the
same rows are drawn here. Therefore ``min_samples_split`` and ``min_samples_leaf`` count distinct rows drawn (fractions:
of all rows), while ``min_weight_fraction_leaf`` and ``min_impurity_decrease`` are shares of the draws. Without, every
tree takes all rows with their weights, and trees differ by ``max_features`` and by random cuts.

A row of weight 0 is no row. A row of whole weight w counts in expectation like w rows where as many are drawn:
``max_samples`` as a number, or as a fraction, which is one of the total weight. ``None`` draws as many rows as there
are, whatever they weigh.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.grow.bagging import Bagging, growth_seed
from xylogic.grow.base import Sample
from xylogic.grow.columns import Columns
from xylogic.grow.costs import Costs, class_weights
from xylogic.grow.fractional import grow_fractional
from xylogic.grow.grower import Limits, grow
from xylogic.grow.growing import with_values
from xylogic.grow.grown import Grown
from xylogic.grow.losses import Losses, class_losses, number_losses
from xylogic.grow.parameters import criterion_name
from xylogic.grow.pruning import pruned
from xylogic.grow.target import Target, class_target, number_target

__all__ = ["Aim", "ClassRows", "Member", "NumberRows", "Recipe"]

Floats = NDArray[np.float64]
Aim = Callable[[int, Target, NDArray[np.int32] | None, Floats | None], Target]


@dataclass(frozen=True, eq=False, slots=True)
class NumberRows:
    """The rows of a regression forest: targets float64 (n,), and weights float64 (n,) or ``None``."""

    target: NDArray[Any]
    weight: Floats | None
    criterion: str

    def weights(self, counts: NDArray[np.int64] | None) -> Floats | None:
        """The rows' weights in a tree that draws each so often, 0 for never; ``None`` for 1 each."""
        return self.weight if counts is None else counts.astype(np.float64)

    def targets(self, weight: Floats | None) -> Target:
        """What the grower takes; weights are positive."""
        return number_target(self.target, weight, criterion_name(self.criterion))

    def losses(self, rows: NDArray[np.int32]) -> Losses:
        """The same of some rows, for fractional ones."""
        return number_losses(self.target[rows], criterion_name(self.criterion))

    def finish(self, grown: Grown) -> Grown:
        """The tree as it answers."""
        return grown


@dataclass(frozen=True, eq=False, slots=True)
class ClassRows(NumberRows):
    """The rows of a classification forest: class codes and weights, the classes' included.

    ``balanced``: whether classes weigh the same in each tree's draws.
    """

    n_classes: int = 2
    costs: Costs = field(default_factory=Costs)
    balanced: bool = False

    def weights(self, counts: NDArray[np.int64] | None) -> Floats | None:
        if counts is None:
            return self.weight
        weight = counts.astype(np.float64)
        if not self.balanced:
            return weight
        drawn = class_weights(self.target, weight, self.n_classes)
        there = drawn > 0
        factor = np.divide(drawn.sum(), there.sum() * drawn, out=np.zeros_like(drawn), where=there)
        return weight * factor[self.target]

    def targets(self, weight: Floats | None) -> Target:
        return class_target(self.target, self.n_classes, weight, criterion_name(self.criterion), self.costs.loss)

    def losses(self, rows: NDArray[np.int32]) -> Losses:
        return class_losses(self.target[rows], self.n_classes, criterion_name(self.criterion), self.costs.loss)

    def finish(self, grown: Grown) -> Grown:
        if self.costs.altered is None:
            return grown
        return with_values(grown, self.costs.shares(grown.value))


@dataclass(frozen=True, eq=False, slots=True)
class Recipe:
    """What the trees of a forest share while they are grown.

    Attributes
    ----------
    sample : the rows that are drawn from.
    columns : the sample's, ranked once for all trees; ``None`` for fractional rows.
    rows : its targets and weights.
    limits : of growth, but for the weight of leaves.
    share : of the tree's weight, what a leaf must have at least.
    bag : how rows are drawn.
    ccp_alpha : what each tree is pruned at, 0 for not.
    aim : makes the target that a tree is grown for, of its number, its plain target, and its rows and their weights
        (``None``: all; 1 each).
    """

    sample: Sample
    columns: Columns | None
    rows: NumberRows
    limits: Limits
    share: float
    bag: Bagging
    ccp_alpha: float
    aim: Aim | None = None

    def grow(self, numbered: tuple[int, int]) -> Grown:
        """The tree of this number and seed; all that is random about it comes from the seed."""
        number, seed = numbered
        weight = self.rows.weights(None if self.bag.n_draws is None else self.bag.counts(seed))
        taken, total = None, float(self.bag.n_rows)
        if weight is not None:
            taken, total = np.flatnonzero(weight > 0).astype(np.int32), float(weight.sum())
        limits = replace(self.limits, min_weight_leaf=self.share * total) if self.share else self.limits
        if self.columns is None:
            grown = self._fractional(taken, weight, limits, growth_seed(seed))
        else:
            if weight is not None:
                weight = np.maximum(weight, weight[taken].min())  # the grower wants weights above 0
            target = self.rows.targets(weight)
            if self.aim is not None:
                target = self.aim(number, target, taken, weight)
            grown = grow(self.columns, target, limits, rows=taken, seed=growth_seed(seed))
        grown = self.rows.finish(grown)
        return pruned(grown, self.ccp_alpha) if self.ccp_alpha else grown

    def _fractional(self, taken: NDArray[np.int32] | None, weight: Floats | None, limits: Limits, seed: int) -> Grown:
        if taken is None:
            taken = np.arange(self.sample.n_rows, dtype=np.int32)
        part = None if weight is None else weight[taken]
        return grow_fractional(
            self.sample.values[taken], self.sample.features, self.rows.losses(taken), part, limits, seed=seed
        )


@dataclass(frozen=True, eq=False, slots=True)
class Member:
    """One tree, the seed that it was drawn and grown with, and what it was drawn from."""

    grown: Grown
    seed: int
    bag: Bagging
