"""``xylogic explain``."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any

from xylogic.cli.data import read_one
from xylogic.cli.output import BUDGET, DONE, INTERRUPTED, print_json
from xylogic.cli.questions import ask, chosen
from xylogic.errors import InvalidInputError
from xylogic.view.text import explanation_text

__all__ = ["explain_file"]


def explain_file(
    path: Path,
    data: Path,
    *,
    row: int,
    questions: Iterable[str],
    as_json: bool,
    time_limit: float | None,
    limit: int | None,
    ties: str,
    target: str | None,
    band: float | tuple[float, float] | None,
    trusted: bool,
    header: bool,
) -> int:
    """Answer the questions on one row of a data file; the exit code."""
    from xylogic.convert.read import read_model
    from xylogic.explain import Explainer

    model = read_model(path, trusted=trusted)
    if model.classes is None and band is None:
        raise InvalidInputError(f"{path} is a regression model: give --band LO HI, or --band EPS")
    label = None if target is None else as_class(target, model.classes)
    values = read_one(data, model, row, header=header)
    explainer = Explainer(model, ties=ties, time_limit=time_limit, band=band)
    try:
        explanation = explainer.explain(values)
    except InvalidInputError as error:
        # The engine saw a table of one row.
        raise InvalidInputError(f"{data}: {str(error).replace(', row 0:', f', row {row}:')}") from error
    finished = ask(explanation, chosen(questions, classes=model.classes is not None), label, limit)
    result = explanation.to_dict()
    if as_json:
        print_json(result)
    else:
        print(explanation_text(result))
    if not finished:
        return INTERRUPTED
    return BUDGET if unproven(result["answers"], limit) else DONE


def as_class(text: str, classes: tuple[Hashable, ...] | None) -> Hashable:
    """The class label that prints as ``text``."""
    for label in classes or ():
        if str(label) == text:
            return label
    accepted = "none, the model is a regression" if classes is None else ", ".join(map(repr, map(str, classes)))
    raise InvalidInputError(f"--target {text!r} is not a class; accepted: {accepted}")


def unproven(answers: Mapping[str, Mapping[str, Any]], limit: int | None) -> bool:
    """Whether an answer is partial for another reason than the ``--limit`` that the user gave."""
    for answer in answers.values():
        value = answer["value"]
        items = value.get("boxes") if isinstance(value, Mapping) else value
        full = limit is not None and isinstance(items, list) and len(items) >= limit
        if answer["status"] != "exact" and not full:
            return True
    return False
