"""What both kinds of forest share: growing trees in threads, and answering; ``recipe.py`` says how a tree is grown."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from xylogic.errors import InvalidInputError
from xylogic.grow.answering import answers, leaves_of
from xylogic.grow.bagging import Bagging, fingerprint, number_of_draws, out_of_bag, tree_seeds
from xylogic.grow.base import Answers, Kept, Sample
from xylogic.grow.columns import Columns
from xylogic.grow.expand import plain_model
from xylogic.grow.growing import growth_limits, importances, sample_columns
from xylogic.grow.grown import Grown
from xylogic.grow.parameters import TREE, Rule, or_none, plain, whole
from xylogic.grow.reading import paths
from xylogic.grow.recipe import Aim, Member, NumberRows, Recipe
from xylogic.grow.single import check_fractional
from xylogic.model import predict
from xylogic.model.ensemble import Ensemble
from xylogic.model.tree import Tree

__all__ = ["FOREST", "Forest"]

Floats = NDArray[np.float64]
MOST = 2**31 - 1
_BLOCK = 2000  # rows that are worth a thread


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


_FLAG = Rule(lambda value: isinstance(value, bool | np.bool_), "True or False")

FOREST: Mapping[str, Rule] = {
    **TREE,
    "n_estimators": whole(1, MOST),
    "bootstrap": _FLAG,
    "oob_score": Rule(lambda value: _FLAG.holds(value) or callable(value), "True, False or a function"),
    "n_jobs": or_none(Rule(lambda value: _is_whole(value) and 0 < abs(value) <= MOST, "a whole number, not 0,")),
    "verbose": whole(0, MOST),
    "warm_start": _FLAG,
    "max_samples": or_none(
        Rule(
            lambda value: (
                (_is_whole(value) and 1 <= value <= MOST)
                or (isinstance(value, float | np.floating) and 0 < plain(value) < np.inf)
            ),
            "a whole number of rows, a float that is a fraction of their weight,",
        )
    ),
}


class Forest(Answers):
    """What both kinds of forest share: drawing, growing, and answering out of bag."""

    _members: tuple[Member, ...]

    def _grow(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> None:
        """Grow the trees, or as many more as ``n_estimators`` asks for, and become the fitted forest."""
        from sklearn.utils import check_random_state

        before = self._members if self._further() else ()
        self._check_numbers(len(before))
        sample = self._read(X, y, sample_weight)
        rows = self._rows(sample)
        bag = self._bag(sample, rows.weight, 0 if sample_weight is None else np.asarray(sample_weight).size)
        if self.oob_score and any(member.bag.data != bag.data for member in before):
            raise InvalidInputError(
                "oob_score: some trees were grown on other rows, to which these are not out of bag; "
                "grow a forest further on the rows it was grown on, or set oob_score=False"
            )
        limits, columns = growth_limits(self, sample, 0.0), None
        if self.missing == "fractional":
            check_fractional(self, limits)
        else:
            columns = sample_columns(self, sample)
        aim = self._aim(sample, columns)
        recipe = Recipe(sample, columns, rows, limits, plain(self.min_weight_fraction_leaf), bag, self.ccp_alpha, aim)
        seeds = tree_seeds(check_random_state(self.random_state), self.n_estimators)[len(before) :]
        new = [
            Member(grown, seed, bag)
            for grown, seed in zip(
                self._in_parallel(recipe.grow, list(enumerate(seeds, len(before)))), seeds, strict=True
            )
        ]
        self._become(sample, (*before, *new))
        if self.oob_score:
            self._score_out_of_bag(sample, bag)

    def _aim(self, sample: Sample, columns: Columns | None) -> Aim | None:
        """What trees are grown for, where it is not the targets alone."""
        return None

    def _further(self) -> bool:
        """Whether ``fit`` adds to the trees that there are."""
        return bool(self.warm_start) and self.__sklearn_is_fitted__()

    def _check_numbers(self, n_before: int) -> None:
        if not self.bootstrap:
            for name in ("max_samples", "oob_score"):
                if getattr(self, name):
                    raise InvalidInputError(f"{name} is {getattr(self, name)!r}, which needs bootstrap=True")
        if n_before >= self.n_estimators:
            raise InvalidInputError(
                f"n_estimators is {self.n_estimators}, and with warm_start fit only adds trees to the {n_before} that "
                "there are: ask for more, or set warm_start=False to grow them anew"
            )

    def _read_training(self, X: Any) -> Any:
        if self._further():  # by the columns, categories and precision of the trees that there are
            return self.features_, self._values(X).astype(self._cast)
        return super()._read_training(X)

    def _bag(self, sample: Sample, weight: Floats | None, n_given: int) -> Bagging:
        n_draws = None
        if self.bootstrap:
            n_draws = number_of_draws(self.max_samples, sample.n_rows, weight)
        if weight is not None and weight.min() == weight.max():
            weight = None
        return Bagging(
            sample.n_rows,
            n_draws,
            weight,
            sample.rows,
            n_given,
            data=fingerprint(sample.values, sample.target, sample.weight),
        )

    def _in_parallel(self, one: Any, arguments: Any) -> list[Any]:
        from joblib import Parallel, delayed, effective_n_jobs

        if effective_n_jobs(self.n_jobs) == 1 and not self.verbose:
            return [one(argument) for argument in arguments]
        run = Parallel(n_jobs=self.n_jobs, verbose=self.verbose, prefer="threads")
        return list(run(delayed(one)(argument) for argument in arguments))

    def _in_blocks(self, ask: Any, values: Floats) -> NDArray[Any]:
        """``ask`` of all rows, some rows a thread."""
        from joblib import effective_n_jobs

        n_blocks = min(effective_n_jobs(self.n_jobs), len(values) // _BLOCK)
        if n_blocks < 2:
            return np.asarray(ask(values))
        return np.concatenate(self._in_parallel(ask, np.array_split(values, n_blocks)))

    def _rows(self, sample: Sample) -> NumberRows:
        """The targets and weights that trees are grown on."""
        raise NotImplementedError

    def _become(self, sample: Sample, members: tuple[Member, ...]) -> None:
        self._members = members
        self._cast = "float32" if sample.values.dtype == np.float32 else "float64"
        self.n_outputs_ = 1
        self._made, self._plain = Kept(), Kept()

    @property
    def _model(self) -> Ensemble:
        """Made on first use."""
        return self._made.get(self._ensemble)

    def _ensemble(self) -> Ensemble:
        raise NotImplementedError

    def _score_out_of_bag(self, sample: Sample, bag: Bagging) -> None:
        raise NotImplementedError

    def _tree_answer(self, grown: Grown, values: Floats) -> Floats:
        """What one tree adds to the answers of encoded rows, which are the mean: (n, n_outputs)."""
        return answers(grown, values)

    def _sum(self, values: Floats, of: Any) -> Floats:
        """The sum over the trees, in their order, of what ``of`` a grown tree and the rows is."""
        grown = self.grown_
        total: Floats = of(grown[0], values)
        for tree in grown[1:]:
            total = total + of(tree, values)
        return total

    @property
    def _is_routed(self) -> bool:
        """Whether missing values go ways that the trees alone do not tell."""
        return any(member.grown.routes is not None for member in self._members)

    def _out_of_bag(self, sample: Sample, bag: Bagging) -> Floats:
        """The mean answer of the trees that did not draw a row, (n_rows, n_outputs); warns of rows that all drew."""
        values = sample.values.astype(np.float64)
        found = out_of_bag(
            [member.seed for member in self._members],
            bag,
            lambda position, rows: self._tree_answer(self._members[position].grown, values[rows]),
        )
        n_without = int(np.isnan(found[:, 0]).sum())
        if n_without:
            warnings.warn(
                f"{n_without} of {len(found)} rows were drawn by every tree and have no out-of-bag answer: it is NaN, "
                "and they do not score; more trees would help",
                UserWarning,
                stacklevel=5,
            )
        return found

    def _out_of_bag_score(self, sample: Sample, found: Floats, truth: Any, answer: Any, score: Any) -> float:
        """``score`` of the rows that have an out-of-bag answer, or what ``oob_score`` says of them."""
        known = ~np.isnan(found[:, 0])
        if not known.any():
            return float("nan")
        if callable(self.oob_score):
            return self.oob_score(truth[known], answer[known])
        return score(truth[known], answer[known], sample_weight=None if sample.weight is None else sample.weight[known])

    @property
    def grown_(self) -> tuple[Grown, ...]:
        """The trees with the statistics of their nodes."""
        self._check_fitted()
        return tuple(member.grown for member in self._members)

    @property
    def trees_(self) -> tuple[Tree, ...]:
        """The trees."""
        return tuple(grown.tree for grown in self.grown_)

    @property
    def estimators_samples_(self) -> list[NDArray[np.int64]]:
        """Per tree the rows of ``X`` that it was grown on, as drawn; made anew each time."""
        self._check_fitted()
        return [member.bag.samples(member.seed) for member in self._members]

    @property
    def feature_importances_(self) -> Floats:
        """Each feature's part of the impurity that a tree's splits remove, averaged over the trees that have any.

        float64 (n_features,), of sum 1 or all zero. Columns of many values are favoured;
        ``sklearn.inspection.permutation_importance`` does not do so.
        """
        parts = [importances(grown, self.n_features_in_) for grown in self.grown_]
        total = np.sum(parts, axis=0)
        return np.asarray(total / total.sum() if total.any() else total)

    def to_model(self, *, node_limit: int = 100_000) -> Ensemble:
        """The same function as a frozen ``Ensemble``, for explaining, compiling and saving; exact.

        Where a loss matrix decides about averages, its scores are expected losses, negative, without probabilities.

        Raises
        ------
        BudgetExceeded
            Where the surrogates of a tree need more than ``node_limit`` nodes.
        UnsupportedModelError
            For ``missing="fractional"``.
        """
        self._check_fitted()
        if not self._is_routed:
            return self._model
        return self._plain.get(lambda: plain_model(self.grown_, self._model, node_limit))

    def apply(self, X: Any) -> NDArray[np.int64]:
        """The leaf of each row in each tree, as nodes of ``trees_``: int64 (n, n_trees). O(n * n_trees * depth)."""
        values = self._values(X)
        if self._is_routed:
            return np.column_stack([leaves_of(grown, values) for grown in self.grown_]).astype(np.int64)
        return self._in_blocks(partial(predict.apply, self._model), values).astype(np.int64)

    def decision_path(self, X: Any) -> tuple[Any, NDArray[np.int64]]:
        """The nodes that each row passes: a scipy CSR matrix of ones, (n, n_nodes of all trees), and where trees begin.

        Columns ``start[t]`` to ``start[t + 1]`` are the nodes of tree t.
        """
        from scipy.sparse import hstack

        leaves = self.apply(X)
        parts = [paths(tree, column) for tree, column in zip(self.trees_, leaves.T, strict=True)]
        return hstack(parts, format="csr"), np.cumsum([0, *(part.shape[1] for part in parts)])
