"""Reads DATA for an old tree: its columns, and the true answers as it has them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xylogic.cli.data import match_names, quoted
from xylogic.cli.output import say
from xylogic.cli.training import Training, read_training
from xylogic.errors import InvalidInputError

if TYPE_CHECKING:
    from xylogic.model.ensemble import Ensemble

__all__ = ["Rows", "read_rows"]


@dataclass(frozen=True)
class Rows:
    """A file as the old tree sees it: float64 (n, n_features) in its columns' order, and the true answers."""

    X: Any
    y: Any


def read_rows(path: Path, target: str, model: Ensemble, header: bool) -> Rows:
    """The rows of a file for a model; raises InvalidInputError, naming column and row, for what it does not take."""
    import numpy as np

    from xylogic.update.reading import finite_values

    training = read_training(path, target, header=header)
    places = columns(path, training, model)
    X = np.empty((len(training.table), len(places)))
    for column, place in enumerate(places):
        X[:, column] = [number(cell, training.names[place], row) for row, cell in enumerate(training.table[:, place])]
    finite_values(model, X)
    return Rows(X, answers(training, target, model))


def columns(path: Path, training: Training, model: Ensemble) -> list[int]:
    """Where the file has each of the model's columns: by name where both have names, else by position."""
    wanted, names = list(model.feature_names), training.names
    if training.named and (model.named or set(wanted) <= set(names)):
        return match_names(path, names, wanted)
    if len(names) != len(wanted):
        raise InvalidInputError(
            f"{path} has {len(names)} columns beside the target; the old tree takes {len(wanted)}, by position"
        )
    who = f"{path} is read without names" if not training.named else "the old tree has no column names"
    say(f"{who}: the columns of {path} are taken by position")
    return list(range(len(wanted)))


def number(cell: Any, name: str, row: int) -> float:
    if cell is None:
        raise InvalidInputError(f"column {name!r}, row {row}: the value is missing; a finite number is accepted")
    try:
        return float(cell)
    except (TypeError, ValueError):
        raise InvalidInputError(f"column {name!r}, row {row}: {cell!r} is not a number") from None


def answers(training: Training, target: str, model: Ensemble) -> Any:
    """The true answers: numbers, or labels as the model has them."""
    import numpy as np

    if model.classes is None:
        return training.numbers()
    by_text = {str(label): label for label in model.classes}
    labels = []
    for row, given in enumerate(training.target):
        label = by_text.get(str(given))
        if label is None:
            raise InvalidInputError(
                f"column {target!r}, row {row}: {given!r} is no class of the old tree; it knows {quoted(list(by_text))}"
            )
        labels.append(label)
    return np.array(labels)
