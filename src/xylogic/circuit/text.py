"""Formulas in words, and in the DOT language."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

from xylogic.circuit.nnf_kernel import Circuit
from xylogic.domain.cells import Cells

__all__ = ["formula_dot", "formula_text", "literal_text", "quoted"]

_LONG = 60  # characters from which on a part that stands in two places is told once and named
_LONGEST = 1000  # from which on any part is


def formula_text(circuit: Circuit, nodes: Sequence[int], cells: Sequence[Cells]) -> str:
    """The formula at the last of ``nodes`` (what it reaches, ascending), its literals in column order.

    Parts that are long and shared are named and told below it, so the text is linear in the number of edges.
    """
    uses = Counter(child for n in nodes for child in circuit.children(n))
    text: dict[int, str] = {}
    loose: dict[int, str] = {}  # the word between the parts, where some context needs brackets
    named: list[str] = []
    for n in nodes:
        kind = circuit.kind(n)
        if kind in ("true", "false"):
            text[n], loose[n] = "always" if kind == "true" else "never", ""
            continue
        if kind == "literal":
            text[n] = literal_text(circuit, n, cells)
            loose[n] = "or" if " or " in text[n] else ""
            continue
        parts = sorted(circuit.children(n), key=lambda child: _place(circuit, child))
        words = [text[c] if loose[c] in ("", kind) else f"({text[c]})" for c in parts]
        text[n], loose[n] = f" {kind} ".join(words), kind
        if n != nodes[-1] and len(text[n]) > (_LONG if uses[n] > 1 else _LONGEST):
            named.append(f"  [{len(named) + 1}] = {text[n]}")
            text[n], loose[n] = f"[{len(named)}]", ""
    return "\n".join([text[nodes[-1]], *(["where", *named] if named else [])])


def _place(circuit: Circuit, node: int) -> tuple[int, int, tuple[tuple[int, int], ...]]:
    feature = circuit.feature(node)
    return (0, feature, circuit.runs(node)) if feature >= 0 else (1, node, ())


def literal_text(circuit: Circuit, node: int, cells: Sequence[Cells]) -> str:
    """A literal as a condition in the user's units."""
    states = itertools.chain.from_iterable(range(first, last + 1) for first, last in circuit.runs(node))
    return cells[circuit.feature(node)].describe(states)


def formula_dot(circuit: Circuit, nodes: Sequence[int], cells: Sequence[Cells]) -> str:
    lines = ["digraph formula {", "  node [shape=box];"]
    for n in nodes:
        kind = circuit.kind(n)
        shape = "" if kind in ("literal", "true", "false") else ", shape=circle"
        label = literal_text(circuit, n, cells) if kind == "literal" else kind
        lines.append(f"  n{n} [label={quoted(label)}{shape}];")
        lines += [f"  n{n} -> n{child};" for child in circuit.children(n)]
    return "\n".join([*lines, "}"]) + "\n"


def quoted(text: str) -> str:
    """A string of the DOT language."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
