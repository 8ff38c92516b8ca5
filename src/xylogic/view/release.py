"""Plain text from a finished update: may the new tree be released, and what does it change?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xylogic.domain.sheet import some
from xylogic.view.comparison import percent
from xylogic.view.text import count, duration, number, printable

__all__ = ["release_text"]

INDENT = "    "
Result = Mapping[str, Any]
ROWS = (
    ("bcp", "right before, right now"),
    ("negative_flips", "rows that became wrong"),
    ("jac", "JAC"),
    ("jlu", "JLU"),
    ("mae", "MAE"),
    ("mse", "MSE"),
)


def release_text(result: Result, most: int | None = 10) -> str:
    """What ``xylogic update --json`` prints, as text; ``most`` negative flips are listed, ``None``: all."""
    lines = ["Release: yes" if result["release"] else "Release: NO"]
    lines += [f"{INDENT}{printable(reason)}" for reason in result["reasons"]]
    lines += ["", *_figures(result), ""]
    what = f"{result['right_rows']} that the old tree answers right"
    lines += _flips(result["negative_flips"], f"of {printable(result['flips_on'])} became wrong, of {what}", most)
    if result["held_out_flips"] is not None:
        lines += _flips(result["held_out_flips"], f"of these, held out, became wrong, of {what}", most)
    lines += ["", *_changes(result)]
    if result["saved"] is not None:
        lines += ["", f"saved as {printable(result['saved'])}"]
    return "\n".join(lines)


def _flips(flips: Sequence[Result], what: str, most: int | None) -> list[str]:
    lines = [f"{count(len(flips), 'row')} {what}"]
    lines += [
        f"{INDENT}row {flip['row']}: {number(flip['old'])} became {number(flip['new'])}, "
        f"the truth is {number(flip['truth'])}"
        for flip in flips[:most]
    ]
    more = 0 if most is None else len(flips) - most
    return [*lines, f"{INDENT}and {more} more"] if more > 0 else lines


def _figures(result: Result) -> list[str]:
    """The three trees side by side."""
    old, cart, new = result["old_tree"], result["trees"]["cart"], result["trees"]["compatible"]
    table = [("", "old", "CART", "compatible")]
    for name, title in (("leaves", "leaves"), ("loss", result["loss_name"]), *ROWS):
        table.append((title, _shown(old.get(name, "")), _shown(cart[name]), _shown(new[name])))
    widths = [max(len(row[place]) for row in table) for place in range(4)]
    lines = [
        row[0].ljust(widths[0]) + "".join(f"  {cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        for row in table
    ]
    about = (
        f"compatible: {result['dissimilarity'].upper()}, strength {result['strength']:g}, explanations of "
        f"{count(result['relied_rows'], 'row')} relied on"
    )
    return [
        f"{count(result['rows'], 'row')} of {count(result['columns'], 'column')}; {about}",
        f"Judged on {printable(result['judged_on'])}:",
        *(INDENT + line.rstrip() for line in lines),
    ]


def _shown(value: Any) -> str:
    if value is None:
        return "undefined"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _changes(result: Result) -> list[str]:
    found = result["changes"]
    lines = [
        f"Of the rows of {printable(result['flips_on'])}",
        *_parts(found["on_rows"]),
        f"Of all cells that the cuts of both trees make{_domain(result['kinds'])}"
        f"  [{found['status']}, {duration(found['seconds'])}]",
    ]
    if "undecided" in found["bounds"]:
        lines.append(f"{INDENT}at least, as {percent(found['bounds']['undecided'])} were not reached:")
    lines += _parts(found)
    lines += (
        [f"{INDENT}nothing changes: every row is decided and explained as before"] if found["changes_nothing"] else []
    )
    lines += _listed("Decided otherwise", result["decision_regions"], _decision)
    return lines + _listed("Decided alike, explained otherwise", result["explanation_regions"], _explanation)


def _domain(kinds: Mapping[str, str]) -> str:
    """Which numbers the cells hold; columns are of the old tree's kinds."""
    parts = []
    for kind, words in (("integer", "whole numbers"), ("boolean", "truth values")):
        names = [printable(name) for name, own in kinds.items() if own == kind]
        parts += [f"{words} of {some(names)}"] if names else []
    if not parts:
        return " of numbers, whole or not"
    rest = len(kinds) - sum(kind in ("integer", "boolean") for kind in kinds.values())
    return f" of {' and '.join(parts)}{', and of numbers, whole or not, elsewhere' if rest else ''}"


def _parts(shares: Result) -> list[str]:
    return [
        f"{INDENT}{percent(shares['decision'])} are decided otherwise",
        f"{INDENT}{percent(shares['explanation'])} are explained by other intervals, "
        f"{percent(shares['feature_sets'])} by other columns",
    ]


def _listed(title: str, regions: Sequence[Result], line: Any) -> list[str]:
    if not regions:
        return []
    return [f"{title}, the largest regions:", *(f"{INDENT}{printable(line(region))}" for region in regions)]


def _decision(region: Result) -> str:
    old, new = (number(answer) for answer in region["decisions"])
    return f"{region['text']}: {old} becomes {new} ({percent(region['share'])})"


def _explanation(region: Result) -> str:
    before, after = region["explanations"]
    return f"{before} becomes {after} ({percent(region['share'])})"
