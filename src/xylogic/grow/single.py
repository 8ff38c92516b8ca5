"""One tree from an estimator's parameters and a training set."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from xylogic.errors import InvalidInputError
from xylogic.grow.base import Sample
from xylogic.grow.columns import Columns
from xylogic.grow.costs import Costs, class_weights, read_costs
from xylogic.grow.fractional import grow_fractional
from xylogic.grow.grower import grow
from xylogic.grow.growing import growth_limits, sample_columns, with_values
from xylogic.grow.grown import Grown
from xylogic.grow.losses import class_losses, number_losses
from xylogic.grow.parameters import criterion_name
from xylogic.grow.pruning import PruningPath, pruning_path
from xylogic.grow.target import Weights, class_target, number_target

__all__ = ["Single", "check_fractional", "fitted_on", "grow_single", "read_sample"]


class Single(NamedTuple):
    """A grown tree, and how its leaves answer."""

    grown: Grown
    costs: Costs

    def path(self, risk: str) -> PruningPath:
        """``pruning_path``; ``"mistakes"`` are counted by the loss matrix, if there is one."""
        if risk == "mistakes" and self.costs.loss is not None:
            return pruning_path(self.grown, self.costs.losses(self.grown.weight, self.grown.value))
        return pruning_path(self.grown, risk)


def grow_single(
    estimator: Any,
    sample: Sample,
    *,
    rows: NDArray[np.intp] | None = None,
    columns: Columns | None = None,
    seed: int | None = None,
) -> Single:
    """The tree, not pruned, of the sample's ``rows`` (positions, ascending; ``None``: all).

    ``columns``: ``sample_columns`` of the whole sample, where they are there already; bins are made anew for ``rows``.
    ``seed``: in place of the next one of ``random_state``.
    Raises InvalidInputError for parameters that do not fit the sample or each other.
    """
    seed = estimator._seed() if seed is None else seed
    part = sample if rows is None else sample.part(rows)
    costs = _costs(estimator, part)
    weight = costs.weigh(part.target, part.weight)
    limits = growth_limits(estimator, part, part.n_rows if weight is None else float(weight.sum()))
    criterion = criterion_name(estimator.criterion)
    if estimator.missing == "fractional":
        check_fractional(estimator, limits)
        if part.classes is None:
            losses = number_losses(part.target, criterion)
        else:
            losses = class_losses(part.target, len(part.classes), criterion, costs.loss)
        grown = grow_fractional(part.values, part.features, losses, weight, limits, seed=seed)
    else:
        own = columns is None or (rows is not None and columns.mode == "hist")
        if columns is None or own:
            sample, rows, columns = part, None, sample_columns(estimator, part)
        if sample.classes is None:
            target = number_target(sample.target, None, criterion)
        else:
            target = class_target(sample.target, len(sample.classes), None, criterion, costs.loss)
        # The weights' unit is that of the rows that take part, so that a fold is grown as if alone.
        weights = Weights.of(weight)
        target = replace(target, weights=weights if rows is None else weights.among(rows, sample.n_rows))
        kept = None if rows is None else rows.astype(np.int32)
        target = estimator._aim(target, sample, columns, kept)
        grown = grow(columns, target, limits, rows=kept, spend=own, seed=seed)
    if costs.altered is not None:
        grown = with_values(grown, costs.shares(grown.value))
    return Single(grown, costs)


def read_sample(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> tuple[Any, Sample]:
    """An unfitted copy of a tree that has read a training set, and the set; raises as ``fit`` does."""
    from sklearn.base import clone

    own = clone(estimator)
    return own, own._begin(X, y, sample_weight)


def fitted_on(
    reader: Any,
    sample: Sample,
    *,
    rows: NDArray[np.intp] | None = None,
    columns: Columns | None = None,
    seed: int | None = None,
) -> Any:
    """A fitted copy of the tree ``reader`` that has read ``sample``; parameters as of ``grow_single``.

    It has the classes of the whole sample, be there no row of some of them among ``rows``.
    """
    own = copy(reader)
    grown, costs = grow_single(own, sample, rows=rows, columns=columns, seed=seed)
    part = sample if rows is None else sample.part(rows)
    own._keep(own._prune(grown, part) if own.ccp_alpha else grown, costs, part)
    return own


def _costs(estimator: Any, sample: Sample) -> Costs:
    if sample.classes is None:
        return Costs()
    totals = class_weights(sample.target, sample.weight, len(sample.classes))
    totals[totals == 0] = 1.0  # of a class that a fold lacks: no row asks for its factor
    return read_costs(
        estimator.criterion, estimator.priors, estimator.loss_matrix, estimator.class_weight, totals, sample.classes
    )


def check_fractional(estimator: Any, limits: Any) -> None:
    """Raise InvalidInputError for parameters that ``missing="fractional"`` does not go with."""
    for name, wanted, given in (
        ("splitter", "best", estimator.splitter),
        ("monotonic_cst", None, None if limits.monotone is None else estimator.monotonic_cst),
    ):
        if given != wanted:
            raise InvalidInputError(f"{name} is {given!r}; with missing='fractional' {wanted!r} is accepted")
    if estimator.criterion == "absolute_error":
        raise InvalidInputError(
            "criterion 'absolute_error' predicts medians, which missing='fractional' cannot average; "
            "'squared_error' is accepted"
        )
