"""Rashomon sets given as a list of trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from xylogic.compare.distinct import distinct, shape
from xylogic.compare.fingerprint import model_fingerprint
from xylogic.compare.reliance import Reliance
from xylogic.domain.table import Table
from xylogic.errors import InvalidInputError, UnsupportedModelError
from xylogic.model.ensemble import Ensemble
from xylogic.model.predict import decide, scores

__all__ = ["ListMembers"]


class ListMembers:
    """Single trees over the same columns; functions are numbered by first appearance."""

    def __init__(self, models: Sequence[Ensemble], n_jobs: int | None) -> None:
        if not models:
            raise InvalidInputError("the list of trees is empty; at least one is accepted")
        for position, model in enumerate(models):
            if model.n_trees != 1 or model.classes is None:
                what = "a regression model" if model.classes is None else f"an ensemble of {model.n_trees} trees"
                raise UnsupportedModelError(f"model {position} is {what}; classification trees are accepted")
            if shape(model) != shape(models[0]):
                raise InvalidInputError(
                    f"tree {position} has other columns, categories, classes or precision than tree 0; equal ones "
                    "are accepted (distinct groups models that have to be aligned)"
                )
        self.models = models
        self.n_jobs = n_jobs
        self.features = models[0].features
        self.classes = models[0].classes or ()

    @property
    def n_trees(self) -> int:
        return len(self.models)

    @cached_property
    def groups(self) -> list[list[int]]:
        return distinct(self.models, n_jobs=self.n_jobs)

    @cached_property
    def _smallest(self) -> list[Ensemble]:
        return [min((self.models[i] for i in group), key=lambda model: model.n_nodes) for group in self.groups]

    @property
    def n_functions(self) -> int:
        return len(self.groups)

    @property
    def counts(self) -> NDArray[np.int64]:
        return np.array([len(group) for group in self.groups], dtype=np.int64)

    @property
    def fingerprints(self) -> list[int]:
        return [model_fingerprint(model) for model in self._smallest]

    def functions(self) -> Iterator[Ensemble]:
        return iter(self._smallest)

    def answers(self, table: Table) -> Iterator[NDArray[np.uint8]]:
        """Each function's class: uint16 (rows, n_functions), positions in ``classes``."""
        values = self.models[0].admit(table)
        yield np.column_stack([decide(model, scores(model, values)) for model in self._smallest]).astype(np.uint16)

    def reliance(self) -> list[Reliance]:
        count = self.counts
        found = []
        for f in range(len(self.features)):
            tests = np.array([_tests(model, f) for model in self.models], dtype=bool)
            small = np.array([_tests(model, f) for model in self._smallest], dtype=bool)
            needed = np.array([t and _depends(model, f) for t, model in zip(small, self._smallest, strict=True)])
            found.append(
                Reliance(
                    trees_testing=float(tests.mean()),
                    trees_depending=float(count[needed].sum() / count.sum()),
                    functions_testing=float(small.mean()),
                    functions_depending=float(needed.mean()),
                )
            )
        return found


def _tests(model: Ensemble, feature: int) -> bool:
    tree = model.trees[0]
    return bool(((tree.left >= 0) & (tree.feature == feature)).any())


def _depends(model: Ensemble, feature: int) -> bool:
    """Whether a feature can change the answer: whether the fingerprint changes with the feature's weights."""
    names = set(model.feature_names)
    name = next(n for n in map(str, range(len(names) + 1)) if n not in names)
    features = [replace(f, name=name) if p == feature else f for p, f in enumerate(model.features)]
    return model_fingerprint(model) != model_fingerprint(replace(model, features=tuple(features)))
