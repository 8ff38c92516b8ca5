"""Plain text from finished results: what ``Explanation.to_dict()`` and a verification hold, made readable.

Rounding is for display only, and never makes two different scores look equal. Names are shown literally, except
that characters which could steer a terminal are escaped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

__all__ = ["duration", "explanation_text", "number", "printable", "scores_text", "verification_text"]

INDENT = "    "


def printable(text: object) -> str:
    """``str(text)`` with control, bidirectional and other unprintable characters as Python escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in str(text))


def number(value: Any) -> str:
    """The shortest text that reads back as the same number; whole numbers print without a fraction."""
    if isinstance(value, float):
        if math.isnan(value):
            return "missing"
        if value.is_integer() and abs(value) < 1e16:
            return str(int(value))
        return repr(float(value)).replace("inf", "infinity")
    return "missing" if value is None else printable(value)


def apart(values: Sequence[float], digits: int = 4) -> list[str]:
    """The numbers with the fewest significant digits, at least ``digits``, that keep different ones apart."""
    texts = [f"{value:.{digits}g}" for value in values]
    while digits < 17 and len(set(texts)) < len(set(values)):
        digits += 1
        texts = [f"{value:.{digits}g}" for value in values]
    return texts


def duration(seconds: float) -> str:
    """A time with its unit, to three digits at most."""
    if seconds < 0.9995:
        return f"{seconds * 1e3:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 100 else f"{seconds:.0f} s"


def count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def scores_text(scores: Mapping[Any, float], margin: float | None = None) -> str:
    """``"benign 0.03, malignant 0.97 (margin 0.94)"``."""
    texts = apart(list(scores.values()))
    line = ", ".join(f"{printable(name)} {text}" for name, text in zip(scores, texts, strict=True))
    return line if margin is None else f"{line} (margin {apart([margin])[0]})"


def condition(term: Any) -> str:
    """A term or clause on one line."""
    return printable(term["text"] if isinstance(term, Mapping) else term)


def literals(term: Any, word: str) -> list[str]:
    """A term or clause with one literal a line, joined by ``word`` where its parts are known."""
    parts = term.get("features") if isinstance(term, Mapping) else None
    if not isinstance(parts, Mapping) or not parts:
        return [INDENT + condition(term)]
    texts = [printable(part) for part in parts.values()]
    return [INDENT + texts[0], *(f"{INDENT}{word} {text}" for text in texts[1:])]


def size(term: Any) -> str:
    parts = term.get("features") if isinstance(term, Mapping) else None
    return "" if parts is None else count(len(parts), "feature")


def listed(items: Iterable[Any], most: int | None) -> list[str]:
    """One line an item, numbered, the first ``most``."""
    everything = list(items)
    shown = everything if most is None else everything[:most]
    lines = [f"{INDENT}{i}. {condition(item)}" for i, item in enumerate(shown, 1)]
    rest = len(everything) - len(shown)
    return [*lines, f"{INDENT}... and {rest} more"] if rest else lines


# One writer a question: (value, the prediction, most) -> (headline, lines under it).
Written = tuple[str, list[str]]


def one_sufficient(value: Any, prediction: str, _: int | None) -> Written:
    if value is None:
        return "A sufficient reason: none proven", []
    return f"A sufficient reason for {prediction}, {size(value)}".removesuffix(", "), literals(value, "and")


def smallest_sufficient(value: Any, prediction: str, most: int | None) -> Written:
    head, lines = one_sufficient(value, prediction, most)
    return head.replace("A sufficient", "A smallest sufficient", 1), lines


def sufficient(value: Any, prediction: str, most: int | None) -> Written:
    return f"Each sufficient reason for {prediction}: {len(value)} found", listed(value, most)


def necessary(value: Any, prediction: str, most: int | None) -> Written:
    head = f"Each necessary reason for {prediction} (leaving all its conditions can change it): {len(value)} found"
    return head, listed(value, most)


def contrastive(value: Any, _: str, most: int | None) -> Written:
    lines = []
    for target, clauses in value.items():
        lines.append(f"{INDENT}to {printable(target)}: {len(clauses)} found")
        lines += [INDENT + line for line in listed(clauses, most)]
    return "Contrastive reasons (changing these features can bring that class)", lines


def robustness(value: Any, prediction: str, _: int | None) -> Written:
    if value is None:
        return "Robustness: not proven", []
    if value in ("Infinity", math.inf):
        return f"Robustness: infinite; no change of any feature alters {prediction}", []
    return f"Robustness: {count(value, 'feature')} must change, at the least, to alter {prediction}", []


def shortest_flips(value: Any, prediction: str, most: int | None) -> Written:
    boxes = value.get("boxes", []) if isinstance(value, Mapping) else value
    head = f"Shortest flips away from {prediction}: {count(len(boxes), 'box').replace('boxs', 'boxes')}"
    if isinstance(value, Mapping) and "n_flips" in value:
        head += f" of {count(value['n_flips'], 'cell')}"
    return head, listed(boxes, most)


def counterfactual(value: Any, prediction: str, _: int | None) -> Written:
    if value is None:
        return f"Counterfactual: no allowed change alters {prediction}", []
    head = "Counterfactual, the nearest row"
    if "prediction" in value:
        head += f" that is predicted {printable(value['prediction'])}"
    if value.get("cost") is not None:
        head += f", at cost {apart([value['cost']])[0]}"
    changes = value.get("changes", {})
    return head, [f"{INDENT}{printable(name)}: {number(a)} -> {number(b)}" for name, (a, b) in changes.items()]


def names(title: str) -> Callable[[Any, str, int | None], Written]:
    def write(value: Any, _: str, __: int | None) -> Written:
        return f"{title}: {count(len(value), 'feature')}", [INDENT + ", ".join(map(printable, value))] if value else []

    return write


WRITERS: dict[str, Callable[[Any, str, int | None], Written]] = {
    "sufficient_reason": one_sufficient,
    "smallest_sufficient_reason": smallest_sufficient,
    "sufficient_reasons": sufficient,
    "necessary_reasons": necessary,
    "contrastive": contrastive,
    "robustness": robustness,
    "shortest_flips": shortest_flips,
    "counterfactual": counterfactual,
    "relevant_features": names("Relevant features, in some sufficient reason"),
    "necessary_features": names("Necessary features, in every sufficient reason"),
}


def standing(answer: Mapping[str, Any]) -> str:
    """``"[exact, 1.2 ms]"``, or ``"[partial, 10 s; lower 2, upper 5]"``."""
    text = f"{answer.get('status', 'exact')}, {duration(answer.get('seconds', 0.0))}"
    bounds = answer.get("bounds") or {}
    known = ", ".join(f"{printable(name).replace('_', ' ')} {number(value)}" for name, value in bounds.items())
    return f"[{text}; {known}]" if known else f"[{text}]"


def explanation_text(result: Mapping[str, Any], most: int | None = 10) -> str:
    """An explanation as text.

    Parameters
    ----------
    result : what ``Explanation.to_dict()`` gives; only the questions that were asked are in it.
    most : how many items of a long list are shown; ``None`` shows all.
    """
    prediction = number(result["prediction"])
    lines = [f"Model: {printable(result['model'])}", f"Prediction: {prediction}"]
    scores = result.get("scores") or {}
    if set(scores) - {"prediction"}:
        lines.append(f"Scores: {scores_text(scores, result.get('margin'))}")
    for question, answer in result.get("answers", {}).items():
        writer = WRITERS.get(question.replace("-", "_"))
        value = answer.get("value")
        if writer is None:
            head, under = f"{printable(question)}: {number(value)}", []
        else:
            head, under = writer(value, prediction, most)
        lines += ["", f"{head}  {standing(answer)}", *under]
    return "\n".join(lines)


def verification_text(result: Mapping[str, Any], most: int | None = 10) -> str:
    """A verification as text: ``ok``, ``rows_checked`` and ``mismatches`` (a list of rows with both answers)."""
    mismatches = result["mismatches"]
    verdict = "equal, bit for bit" if result["ok"] else "NOT equal"
    lines = [f"{result['rows_checked']} rows checked, {count(len(mismatches), 'mismatch').replace('hs', 'hes')}: {verdict}"]
    shown = mismatches if most is None else mismatches[:most]
    lines += [INDENT + printable(mismatch) for mismatch in shown]
    if len(shown) < len(mismatches):
        lines.append(f"{INDENT}... and {len(mismatches) - len(shown)} more")
    return "\n".join(lines)
