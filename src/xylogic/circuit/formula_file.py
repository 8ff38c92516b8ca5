"""Formulas as versioned JSON."""

from __future__ import annotations

from os import PathLike
from typing import Any

from xylogic.circuit.formula import Formula
from xylogic.circuit.nnf_kernel import FALSE, TRUE, Circuit
from xylogic.circuit.records import cells_of, cells_records, read_json, write_json
from xylogic.errors import InvalidInputError

__all__ = ["from_dict", "load", "save", "to_dict"]

FORMAT, VERSION = "xylogic formula", 1


def to_dict(formula: Formula) -> dict[str, Any]:
    """JSON-ready: features, and the nodes, children before parents.

    Node 0 is *false*, node 1 *true*; then each listed node is a literal, ``[feature, [first state, last state], ...]``,
    or a gate, ``["and" or "or", child, ...]``. The root is the last number.
    """
    circuit = formula.circuit
    number = {FALSE: 0, TRUE: 1}
    nodes: list[list[Any]] = []
    for n in formula.nodes.tolist():
        if n > TRUE:
            number[n] = len(nodes) + 2
            if circuit.kind(n) == "literal":
                nodes.append([circuit.feature(n), *(list(run) for run in circuit.runs(n))])
            else:
                nodes.append([circuit.kind(n), *(number[child] for child in circuit.children(n))])
    return {
        "format": FORMAT,
        "version": VERSION,
        "cells": cells_records(formula.cells),
        "nodes": nodes,
        "root": number[formula.root],
    }


def save(formula: Formula, path: str | PathLike[str]) -> None:
    """See ``Formula.save``. O(edges)."""
    write_json(to_dict(formula), path)


def load(path: str | PathLike[str]) -> Formula:
    """See ``Formula.load``. O(edges)."""
    return from_dict(read_json(path, FORMAT, VERSION))


def from_dict(record: dict[str, Any]) -> Formula:
    """The formula of :func:`to_dict`. Raises InvalidInputError for any other content."""
    try:
        cells = cells_of(record["cells"])
        circuit = Circuit([c.n_states for c in cells])
        made = [FALSE, TRUE]
        for node in record["nodes"]:
            made.append(_node(circuit, made, node))
        root = record["root"]
        if type(root) is not int or not 0 <= root < len(made):
            raise ValueError(f"root {root!r} is no node")
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise InvalidInputError(f"the file holds no formula: {error}") from error
    return Formula(circuit, made[root], cells)


def _node(circuit: Circuit, made: list[int], node: list[Any]) -> int:
    first, *rest = node
    if first in ("and", "or"):
        if any(type(child) is not int or not 0 <= child < len(made) for child in rest):
            raise ValueError(f"node {len(made)} has children that do not come before it")
        children = [made[child] for child in rest]
        return int(circuit.conjunction(children) if first == "and" else circuit.disjunction(children))
    if type(first) is not int or not 0 <= first < circuit.n_features:
        raise ValueError(f"node {len(made)} is of feature {first!r}")
    states, end = 0, -1
    for lo, hi in rest:
        if not (type(lo) is type(hi) is int and end < lo <= hi < circuit.n_states[first]):
            raise ValueError(f"node {len(made)}: {lo!r} to {hi!r} is no run of states")
        states |= (2 << hi) - (1 << lo)
        end = hi
    return int(circuit.literal_of(first, states))
