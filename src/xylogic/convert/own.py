"""Our own estimators: they turn into models themselves; here they are recognised, and asked when verified."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.feature import Feature
from xylogic.domain.levels import Levels
from xylogic.errors import InvalidInputError
from xylogic.model.ensemble import Ensemble

__all__ = ["ask_own", "from_library", "is_own"]


def from_library(source: Any, library: str) -> bool:
    """Whether the class of ``source``, or one that it derives from, is defined in ``library``; imports nothing."""
    return any(base.__module__.partition(".")[0] == library for base in type(source).__mro__)


def is_own(source: Any) -> bool:
    """Whether ``source`` is one of our estimators, or of a class derived from one."""
    return hasattr(source, "to_model") and not isinstance(source, type) and from_library(source, "xylogic")


def ask_own(estimator: Any) -> Callable[[NDArray[np.float64]], dict[str, NDArray[Any]]]:
    """A function from encoded rows to the answers of an estimator of ours, by question.

    It is asked as users ask it: categories in words, a level that it does not know for ``Feature.other``.
    """
    model = estimator.to_model()
    decode = _decoder(model)
    same_nodes = _same_nodes(model, estimator)

    def ask(rows: NDArray[np.float64]) -> dict[str, NDArray[Any]]:
        if np.isnan(rows[:, model.routeless]).any():
            # An expansion of surrogates refuses on purpose what its estimator would answer.
            raise InvalidInputError("a value is missing in a column that had none in training")
        table = decode(rows)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that plain rows have no column names
            answers = {"predict": np.asarray(estimator.predict(table))}
            if hasattr(estimator, "predict_proba"):
                answers["predict_proba"] = np.asarray(estimator.predict_proba(table))
            if same_nodes:
                answers["apply"] = estimator.apply(table).reshape(len(rows), -1)
        return answers

    return ask


def _same_nodes(model: Ensemble, estimator: Any) -> bool:
    """Whether the model's trees are those of the estimator, node by node; they may be an expansion of them."""
    own = [estimator.tree_] if hasattr(estimator, "tree_") else list(estimator.trees_)
    return len(own) == model.n_trees and all(
        np.array_equal(a.left, b.left) for a, b in zip(own, model.trees, strict=True)
    )


def _decoder(model: Ensemble) -> Callable[[NDArray[np.float64]], Any]:
    if not any(feature.categories for feature in model.features):
        return lambda rows: rows
    words = [_words(feature) for feature in model.features]

    def decode(rows: NDArray[np.float64]) -> list[list[Any]]:
        columns = [
            cells if known is None else [None if code != code else known[int(code)] for code in cells]
            for known, cells in zip(words, rows.T.tolist(), strict=True)
        ]
        return [list(row) for row in zip(*columns, strict=True)]

    return decode


def _words(feature: Feature) -> list[Any] | None:
    """A cell for each code."""
    if not feature.categories:
        return None
    unlisted = Levels(feature).unlisted()
    return [unlisted if level == feature.other else level for level in feature.categories]
