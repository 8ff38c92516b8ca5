"""What this room accepts: one tree over columns of finite numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.convert.read import read_model
from xylogic.domain.table import Table, read_table
from xylogic.errors import InvalidInputError, UnsupportedModelError
from xylogic.model.ensemble import Ensemble

__all__ = ["finite_table", "finite_values", "read_tree", "refuse_infinite"]


def read_tree(source: Any, name: str = "tree") -> Ensemble:
    """A model of a single tree without categorical columns, from anything ``read_model`` takes.

    Raises UnsupportedModelError, calling the model ``name``, for several trees and for categorical columns: the bounds
    of an explanation are numbers.
    """
    model = read_model(source)
    if model.n_trees != 1:
        raise UnsupportedModelError(f"{name} has {model.n_trees} trees; a model of one tree is accepted")
    for feature in model.features:
        if feature.kind == "categorical":
            raise UnsupportedModelError(
                f"{name}: column {feature.name!r} is categorical, and an interval has no categories; "
                "trees over numbers (0 and 1 for two categories, say) are accepted"
            )
    return model


def finite_values(model: Ensemble, X: Any) -> NDArray[np.float64]:
    """The rows of ``X`` as ``model`` sees them: float64 (n, n_features), rounded to its precision.

    Raises InvalidInputError as ``Ensemble.encode`` does, and for missing and infinite values.
    """
    return model.admit(finite_table(model, X))


def finite_table(model: Ensemble, X: Any) -> Table:
    """The rows of ``X`` as they are given; raises InvalidInputError for missing and infinite values."""
    table = read_table(X, model.features, named=model.named, missing=False)
    refuse_infinite(table)
    return table


def refuse_infinite(table: Table) -> None:
    """Raise InvalidInputError at the first value that is missing or infinite."""
    finite = np.isfinite(table.values)
    if not finite.all():
        row, column = np.argwhere(~finite)[0].tolist()
        value = float(table.values[row, column])
        what = "the value is missing" if value != value else f"{value!r} is infinite"
        raise InvalidInputError(
            f"column {table.names[column]!r}, row {row}: {what}, and the bounds of explanations are compared in "
            "standard deviations; finite numbers are accepted"
        )
