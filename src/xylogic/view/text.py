"""Plain text from finished results: what ``Explanation.to_dict()`` and a verification hold, made readable.

Scores are rounded for display, never so far that two different ones look equal; conditions and rows are exact. Names
are shown literally, except that characters which could steer a terminal are escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

__all__ = ["duration", "explanation_text", "number", "printable", "verification_text"]

INDENT = "    "
Result = Mapping[str, Any]
Written = tuple[str, list[str]]  # a headline, and the lines under it


def explanation_text(result: Result, most: int | None = 10) -> str:
    """An explanation as text.

    Parameters
    ----------
    result : what ``Explanation.to_dict()`` gives; only the questions that were asked are in it.
    most : how many items of a long list are shown; ``None`` shows all.
    """
    lines = [f"Model: {printable(result['model'])}", f"Prediction: {number(result['prediction'])}"]
    scores = result["scores"]
    if scores.keys() != {"prediction"}:
        texts = apart(list(scores.values()))
        shares = ", ".join(f"{printable(name)} {text}" for name, text in zip(scores, texts, strict=True))
        lines.append(f"Scores: {shares} (margin {short(result['margin'])})")
    for question, answer in result["answers"].items():
        head, under = WRITERS[question](answer, result, most)
        lines += ["", f"{head}  {standing(question, answer)}", *under]
    return "\n".join(lines)


def verification_text(result: Result, most: int | None = 10) -> str:
    """A verification as text.

    Parameters
    ----------
    result : ``ok``, ``rows_checked`` and ``mismatches``, a list of dicts ``question``, ``model``, ``source``, ``row``.
    most : how many mismatches are shown; ``None`` shows all.
    """
    found = result["mismatches"]
    verdict = "equal, bit for bit" if result["ok"] else "NOT equal"
    wrong = count(len(found), "mismatch", "mismatches")
    lines = [f"{count(result['rows_checked'], 'row')} checked, {wrong}: {verdict}"]
    for one in found[:most]:
        cells = ", ".join(f"{name} = {number(value)}" for name, value in one["row"].items())
        answers = f"{one['question']}: model {one['model']!r}, source {one['source']!r}"
        lines.append(INDENT + printable(f"{answers}, at {cells}"))
    return "\n".join([*lines, *hidden(len(found), most)])


# ---- words and numbers ------------------------------------------------------------------------------------------


def printable(text: object) -> str:
    """``str(text)`` with control, bidirectional and other unprintable characters as Python escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in str(text))


def number(value: Any) -> str:
    """The shortest text that reads back as the same value; whole numbers print without a fraction."""
    if value is None or value != value:
        return "missing"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
        return str(int(value))
    return printable(value)


def apart(values: Sequence[float], digits: int = 4) -> list[str]:
    """The numbers with the fewest significant digits, at least ``digits``, that keep different ones apart."""
    for more in range(digits, 18):
        texts = [f"{value:.{more}g}" for value in values]
        if len(set(texts)) == len(set(values)):
            break
    return texts


def short(value: Any) -> str:
    """One number, rounded for display."""
    return apart([value])[0] if isinstance(value, float) else number(value)


def duration(seconds: float) -> str:
    """A time with its unit, to three digits."""
    if seconds < 0.9995:
        return f"{seconds * 1e3:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 100 else f"{seconds:.0f} s"


def count(n: int, one: str, many: str = "") -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"


def standing(question: str, answer: Result) -> str:
    """How far an answer is proven: ``"[exact, 1.2 ms]"``, ``"[partial, 10 s; between 2 and 5 features]"``."""
    first = f"{answer['status']}, {duration(answer['seconds'])}"
    unit = "cost {}" if question == "counterfactual" else "{} features"
    return f"[{'; '.join([first, *known(answer['bounds'], unit)])}]"


def known(bounds: Result, unit: str) -> list[str]:
    """What is proven, in words; the sizes of lists stand in their headlines."""
    words = []
    if "lower" in bounds:
        lower, upper = bounds["lower"], bounds.get("upper", "Infinity")
        open_end = upper == "Infinity"
        words.append(
            unit.format(f"at least {short(lower)}" if open_end else f"between {short(lower)} and {short(upper)}")
        )
    if "cost" in bounds:
        words.append(unit.format(short(bounds["cost"])))
    if isinstance(bounds.get("found"), list):
        words.append(f"found {', '.join(map(printable, bounds['found'])) or 'none yet'}")
    return words


def hidden(n: int, most: int | None) -> list[str]:
    return [f"{INDENT}... and {n - most} more"] if most is not None and n > most else []


BREAK = "; to change it, break every condition of one"
VIOLATE = "; breaking every condition of one changes it"

# ---- one writer a question: (answer, result, most) -> headline and lines ----------------------------------------


def prediction(result: Result) -> str:
    """What is explained: the class, or the band that a regression's prediction stays in."""
    if "band" in result:
        low, high = result["band"]
        return f"a prediction from {number(low)} to {number(high)}"
    return number(result["prediction"])


def conditions(reason: Result, word: str) -> list[str]:
    """A term or clause, one condition a line."""
    first, *rest = [printable(part["text"]) for part in reason["conditions"].values()] or [printable(reason["text"])]
    return [INDENT + first, *(f"{INDENT}{word} {text}" for text in rest)]


def listed(reasons: Sequence[Result], most: int | None) -> list[str]:
    """Terms, clauses or boxes, numbered, one a line."""
    lines = [f"{INDENT}{i}. {printable(reason['text'])}" for i, reason in enumerate(reasons[:most], 1)]
    return lines + hidden(len(reasons), most)


def whole(answer: Result) -> str:
    return "all there are" if answer["status"] == "exact" else "there may be more"


def one_sufficient(answer: Result, result: Result, _: int | None) -> Written:
    reason = answer["value"]
    if reason is None:
        return "A sufficient reason: none proven", []
    size = count(len(reason["features"]), "feature")
    doubt = "" if answer["status"] == "exact" else ", perhaps not minimal"
    return f"A sufficient reason for {prediction(result)}, {size}{doubt}", conditions(reason, "and")


def smallest_sufficient(answer: Result, result: Result, most: int | None) -> Written:
    head, under = one_sufficient(answer, result, most)
    return head.replace("A sufficient", "A smallest sufficient", 1), under


def every(kind: str, advice: str = "") -> Callable[[Result, Result, int | None], Written]:
    """The writer of all reasons of a kind."""

    def write(answer: Result, result: Result, most: int | None) -> Written:
        reasons = answer["value"]
        head = f"{count(len(reasons), kind)} for {prediction(result)}, {whole(answer)}"
        return head + advice, listed(reasons, most)

    return write


def formula(title: str) -> Callable[[Result, Result, int | None], Written]:
    """The writer of a reason that is a formula."""

    def write(answer: Result, result: Result, _: int | None) -> Written:
        if answer["value"] is None:
            return f"{title}: not proven", []
        return f"{title} for {prediction(result)}", [INDENT + line for line in printable_lines(answer["value"])]

    return write


def printable_lines(text: str) -> list[str]:
    return [printable(line) for line in text.splitlines()]


def contrastive(answer: Result, _: Result, most: int | None) -> Written:
    lines = []
    for target, reasons in answer["value"].items():
        lines.append(f"{INDENT}for {printable(target)}, {len(reasons)}, {whole(answer)}")
        lines += [INDENT + line for line in listed(reasons, most)]
    return "Contrastive reasons; to reach another class, break every condition of one", lines


def robustness(answer: Result, result: Result, _: int | None) -> Written:
    value = answer["value"]
    if value is None:
        return "Robustness: not proven", []
    if value == "Infinity":
        return f"Robustness: infinite, nothing changes {prediction(result)}", []
    return f"Robustness: {count(value, 'feature')} must change, at the least, to change {prediction(result)}", []


def shortest_flips(answer: Result, result: Result, most: int | None) -> Written:
    flips = answer["value"]
    size = f"{count(flips['n_flips'], 'cell')} in {count(len(flips['boxes']), 'box', 'boxes')}"
    return f"Shortest flips away from {prediction(result)}, {size}, {whole(answer)}", listed(flips["boxes"], most)


def counterfactual(answer: Result, result: Result, _: int | None) -> Written:
    row, value = result["row"], answer["value"]
    targets = value if value is not None and value.keys() != row.keys() else {None: value}
    nearest = "the nearest row" if answer["status"] == "exact" else "a row, perhaps not the nearest,"
    heads, lines = [], []
    for target, other in targets.items():
        goal = f"predicted {printable(target)}" if target is not None else f"not predicted {prediction(result)}"
        if other is None:
            heads.append(
                f"no row within the bounds is {goal}" if answer["status"] == "exact" else f"none {goal} was found"
            )
            continue
        heads.append(f"{nearest} {goal}")
        changed = [name for name in row if number(row[name]) != number(other[name])]
        lines += [f"{INDENT}{printable(name)}: {number(row[name])} -> {number(other[name])}" for name in changed]
    return f"Counterfactual: {'; '.join(heads)}", lines


def features(title: str) -> Callable[[Result, Result, int | None], Written]:
    def write(answer: Result, _: Result, __: int | None) -> Written:
        names: Iterable[str] | None = answer["value"]
        if names is None:
            return f"{title}: not proven", []
        listing = [printable(name) for name in names]
        return f"{title}: {count(len(listing), 'feature')}", [INDENT + ", ".join(listing)] if listing else []

    return write


SCORES = ("shapley", "banzhaf", "johnston", "deegan_packel", "holler_packel", "responsibility", "expected_value")


def importance(title: str) -> Callable[[Result, Result, int | None], Written]:
    """The writer of a score for each feature."""

    def write(answer: Result, result: Result, most: int | None) -> Written:
        scores, bounds = answer["value"], answer["bounds"]
        if scores is None:
            return f"{title} importance: not proven", []
        ranked = sorted((item for item in scores.items() if item[1]), key=lambda item: -abs(item[1]))
        doubt = ""
        if answer["status"] != "exact":
            orders, share = bounds["orders"], bounds["confidence"]
            doubt = (
                f", an estimate from {orders} orders ({share:.0%} intervals up to {bounds['widest interval']:.2g} wide)"
            )
        lines = [f"{INDENT}{printable(name)}: {score:.4g}" for name, score in ranked[:most]]
        return f"{title} importance for {prediction(result)}{doubt}", lines + hidden(len(ranked), most)

    return write


WRITERS: dict[str, Callable[[Result, Result, int | None], Written]] = {
    "sufficient_reason": one_sufficient,
    "smallest_sufficient_reason": smallest_sufficient,
    "sufficient_reasons": every("sufficient reason"),
    "general_sufficient_reasons": every("general sufficient reason"),
    "necessary_reasons": every("necessary reason", BREAK),
    "general_necessary_reasons": every("general necessary reason", VIOLATE),
    "shortest_general_necessary_reasons": every("shortest general necessary reason", VIOLATE),
    "complete_reason": formula("The complete reason"),
    "general_reason": formula("The general reason"),
    "contrastive": contrastive,
    "robustness": robustness,
    "shortest_flips": shortest_flips,
    "counterfactual": counterfactual,
    "relevant_features": features("Relevant features (in some sufficient reason)"),
    "necessary_features": features("Necessary features (in every sufficient reason)"),
    **{f"{name}_importance": importance(name.replace("_", "-").title()) for name in SCORES},
    **{f"normalised_{name}_importance": importance(f"Normalised {name.replace('_', '-')}") for name in SCORES},
}
