"""The sections of docs/benchmarks.md on comparing models, from results/compare_*.json."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any

import common

GADGETS = """\
The gadget trees of "Efficient & Correct Predictive Equivalence for Decision Trees" (6 r + 3 nodes, 2 r + 1 features;
r = 50,000 has 100,001 levels), extending its Table 2: is a partial row sufficient (*WAXp*), one sufficient reason
(*AXp*), are two trees equal (*PE*; *PE changed*: one leaf differs, the last that the walk comes to). Microseconds from
Python on prepared trees; *prepare*: once a tree; *explainer AXp*: `explain(x).sufficient_reason()` with the row's
checks. *C++*: a native prototype. The paper's machine is another one."""
WRITTEN = """\
Algorithms 1-5 as written, in Python (`search/tree_logic.py`), beside the walk."""
PAIRS = "Equivalent pairs of other shapes, made by rewriting, and the worst pair found."
PRIMES = """\
Its Table 1: how many prime implicants the classes of the gadget trees have. Seconds; *ours*: from the tree to the exact
count, without listing; *SymPy*, *Quine-McCluskey*, *consensus*: explicit baselines, stopped where they take longer than
`--seconds`; *minimum DNF*: with the proof."""
RASHOMON = """\
Rashomon sets as treefarms and PRAXIS store them: how many trees, how many functions. *read and count*: processor
seconds until the functions are counted; *largest shift*: the largest change of a feature's share of reliance when equal
functions count once; *by expansion*: functions found by listing all trees."""
DISTINCT = """\
100,000 trees drawn from the largest set, grouped. Wall-clock seconds; workers start cold and unpickle their trees."""
FORESTS = """\
Forests of scikit-learn (100 trees of depth 8, and of any depth) on ten data sets against other versions of themselves.
*undecided*: within {seconds:g} s. A forest whose trees are summed in another order answers otherwise on exact ties."""
GAMES = "Shapley values of all-ones rows of the gadget trees: largest error against the closed form."
SCORES = """\
Shapley values of the sufficiency game on rows of forests of 100 trees: exact, or an estimate after {seconds:g} s with
its widest 95 % interval."""


def with_key(document: dict[str, Any], key: str, value: Any = None) -> str:
    """The records that have ``key`` (of that value), with the columns that any of them fills."""
    held = [r for r in document["records"] if key in r and value in (None, r[key])]
    shown = [c for c in dict.fromkeys(c for r in held for c in r) if c != "table"]
    shown = [c for c in shown if any(r.get(c) is not None for r in held)]
    return common.table([{c: r.get(c) for c in shown} for r in held], shown)


def gadgets(document: dict[str, Any]) -> str:
    """Single trees."""
    texts = {"gadgets": GADGETS, "as written": WRITTEN, "pairs": PAIRS}
    return "\n\n".join(f"{text}\n\n{with_key(document, 'table', name)}" for name, text in texts.items())


def primes(document: dict[str, Any]) -> str:
    """Table 1."""
    return f"{PRIMES}\n\n{with_key(document, 'r')}"


def rashomon(document: dict[str, Any]) -> str:
    """Sets of models, and many models on a cluster."""
    sets = [r for r in document["records"] if "trees" in r]
    cluster = [r for r in document["records"] if "trees" not in r]
    return f"{RASHOMON}\n\n{common.table(sets)}\n\n{DISTINCT}\n\n{common.table(cluster)}"


def forests(document: dict[str, Any]) -> str:
    """Verdicts by how the other forest was made."""
    by_variant: dict[str, list[dict[str, Any]]] = {}
    for record in document["records"]:
        by_variant.setdefault(record["variant"], []).append(record)
    lines = [
        {
            "the other forest": variant,
            "equivalent": sum(r["verdict"] is True for r in records),
            "not": sum(r["verdict"] is False for r in records),
            "with a witness": sum(bool(r["witness"]) for r in records),
            "undecided": sum(r["verdict"] is None for r in records),
            "median s": median(r["seconds"] for r in records),
            "max s": max(r["seconds"] for r in records),
        }
        for variant, records in by_variant.items()
    ]
    return f"{FORESTS.format(**document['settings'])}\n\n{common.table(lines)}"


def importance(document: dict[str, Any]) -> str:
    """Corrected importance."""
    scores = SCORES.format(**document["settings"])
    return f"{GAMES}\n\n{with_key(document, 'r')}\n\n{scores}\n\n{with_key(document, 'set')}"


SECTIONS: dict[str, tuple[str, Callable[[dict[str, Any]], str]]] = {
    "compare_gadgets": ("Comparing and explaining single trees", gadgets),
    "compare_primes": ("Prime implicants", primes),
    "compare_rashomon": ("Many trees, fewer functions", rashomon),
    "compare_forests": ("Is it the same forest?", forests),
    "compare_importance": ("Importance", importance),
}
