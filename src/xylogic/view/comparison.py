"""Plain text from a finished comparison of two models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xylogic.view.text import count, duration, number, printable, short

__all__ = ["comparison_text"]

INDENT = "    "
Result = Mapping[str, Any]


def comparison_text(result: Result, most: int | None = 10) -> str:
    """A comparison as text.

    Parameters
    ----------
    result : what ``Comparison.to_dict()`` (or ``Equivalence.to_dict()``) gives; with ``regions``, a list of what
        ``Region.to_dict()`` gives, and ``regions_status``, where regions were asked for.
    most : how many regions are shown; ``None`` shows all.
    """
    verdict = {True: "Equivalent", False: "NOT equivalent", None: "Undecided"}[result["equivalent"]]
    lines = [f"{verdict}  [{result['status']}, {duration(result['seconds'])}, {result['engine']}]"]
    if "margin" in result["bounds"]:
        lines.append(
            f"{INDENT}where they differ, the first model's margin is at most {short(result['bounds']['margin'])}"
        )
    if result["witness"] is not None:
        row = ", ".join(f"{name} = {number(value)}" for name, value in result["witness"].items())
        lines.append(f"They differ on {printable(row)}: {_against(result['answers'])}")
    lines += _shares(result)
    if "regions" in result:
        found = result["regions"]
        lines += ["", f"{count(len(found), 'region')}  [{result['regions_status']}]"]
        lines += [
            f"{INDENT}{printable(one['text'])}: {_against(one['answers'])} ({percent(one['share'])})"
            for one in found[:most]
        ]
        if most is not None and len(found) > most:
            lines.append(f"{INDENT}and {len(found) - most} more")
    return "\n".join(lines)


def _shares(result: Result) -> list[str]:
    lines = []
    if "disagreement" in result:
        bounds = result["measure"]["bounds"]
        share = percent(result["disagreement"])
        if bounds:
            share = f"{percent(bounds['lower'])} to {percent(bounds['upper'])}"
        lines.append(f"They differ on {share} of the cells that the cuts of both make")
        lines += [
            f"{INDENT}{number(entry['first'])} against {number(entry['second'])}: {percent(entry['share'])}"
            for entry in result["table"]
            if entry["first"] != entry["second"]
        ]
    if result.get("disagreement_on_X") is not None:
        lines.append(f"They differ on {percent(result['disagreement_on_X'])} of the rows")
    return lines


def _against(answers: Any) -> str:
    first, second = (_answer(answer) for answer in answers)
    return f"{first} against {second}"


def _answer(answer: Any) -> str:
    if isinstance(answer, Mapping):
        return ", ".join(f"{printable(label)} {share!r}" for label, share in answer.items())
    return number(answer)


def percent(share: float) -> str:
    """A share in percent, to four digits."""
    return f"{100 * share:.4g} %"
