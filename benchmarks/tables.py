"""Render benchmarks/results/*.json as docs/benchmarks.md."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import common
import compare_page
import update_page

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
INTRODUCTION = """# Benchmarks

Made by `python benchmarks/tables.py` from the files in `benchmarks/results/`;
[benchmarks/README.md](../benchmarks/README.md) says how to run them.
Both sides of a comparison ran in turn in one run, on a machine with two cores that others used at the same time:
trust the ratios, not the milliseconds.
"""
REASONS = """\
Mean milliseconds a row for `explain(x)`, all sufficient and all necessary reasons; up to 100 test rows, depth 4,
floor(log2 F) + 1 columns a split. *reference*: a native prototype built for this very processor, without checks of
the input, on the same forests and rows. *within*: ours <= 2 x reference + 0.05 ms, by the medians of the passes;
*at best*: by the least of them, which other work on the machine disturbs less. *paper*: its own forests (WEKA)
and machine, after a compilation of up to 53 minutes a class that is not counted. *counts_equal*: the mean counts
and the robustness are the reference's to two digits; the reference gives ties to the decided class, so for the soft
vote, where ours follow scikit-learn's rule, sets with exact ties are counted once more with `ties="winners"`."""
PEERS = """\
100 trees, random_state 0, 70/30 split, the first test rows. Time-out {seconds:g} s an answer; a side is not asked
again on a forest after one to four of them (*late*) or some time in all, so *rows* may be few. PyXAI and python-sat
explain the majority vote, so they are compared with `xylogic hard`; dtai-veritas as the oracle of a deletion loop is
compared with `xylogic soft`, which explains `forest.predict`. *wrong for predict*: answers that `forest.predict`
contradicts, found by search; those of the hard vote answer another question than the deployed model does.
*peer refuted*: our reasons to which the peer's oracle knows a counterexample. PyXAI's contrastive question exists
for two classes only."""
CIRCUITS = """\
Forests of the paper's settings (depth 4, floor(log2 F) + 1 columns a split unless *sqrt*, scikit-learn's default, is
named), majority votes and `ties="winners"` unless *soft* is named; each compilation in a process of its own, at most
{seconds:g} s and {GiB:g} GiB. Different forests than the paper's (WEKA), so compare sizes in magnitude; its machine was
a Xeon E5-2670 and its language Python."""
CIRCUIT_TABLES = {
    1: ("Table 1: Algorithm 3, formulas of all classes", (
        "set", "trees", "all nodes log2", "seconds log2", "per forest node log2", "all nodes sqrt", "seconds sqrt",
        "all nodes of 1000 trees", "seconds of 1000 trees", "MB of 1000 trees", "paper nodes", "paper per forest node",
        "paper s", "paper ADD nodes", "paper ADD s")),
    2: ("Table 2: class formulas as conjunctions of diagrams, means a class", (
        "set", "trees", "product nodes", "product edges", "product s", "product MB", "reference hard nodes",
        "reference hard s", "soft nodes", "soft s", "reference soft nodes", "reference soft s", "sqrt nodes", "sqrt s",
        "apply nodes", "apply s", "apply stopped", "CUDD nodes", "CUDD seconds", "paper nodes", "paper s", "rows",
        "tied rows")),
    3: ("Table 3: milliseconds a row, from diagrams and by search", (
        "set", "diagram ready s", "diagram stopped", *(f"{engine} {question} ms" for question in (
            "complete reason", "general reason", "sufficient", "necessary", "robustness", "general sufficient",
            "general necessary", "shortest general necessary") for engine in ("diagram", "search")),
        "shortest general necessary #", "paper sr_s", "paper nr_s", "paper sgnr_s")),
    4: ("Table 4: one diagram a class (3A) beside conjunctions (3B); contrastive reasons", (
        "set", "trees", "3A nodes", "3A s", "3B nodes", "3B s", "diagram ms a target", "search ms a target",
        "#CE a target", "paper nodes_3a", "paper nodes_3b", "paper s_3b", "paper ce_s", "paper n_ce")),
}  # fmt: skip
CIRCUIT_NOTES = {
    3: [
        """\
Where does compiling pay? For sufficient, necessary and contrastive reasons and robustness of a row on none of these
forests: the search is the faster even beside diagrams of 50 edges (a row from a diagram costs 0.1 ms and some 10 ns an
edge). It pays for the complete reason on diagrams below a thousand edges, for the general reason as a formula (linear
in the diagram; by search it is a disjunction of too many terms, so that column is left out), and for every question
about the whole model. Where a diagram stopped, the search still answered every question about a row."""
    ]
}
GROWING = {
    "trees": (
        "Growing one tree",
        """\
20 columns of float32; the target depends on six of them, with noise. Processor milliseconds of one thread, medians over
rounds in turn; a fit of less than 50 ms is repeated in each for so long. *times faster*: than scikit-learn, whose trees
have the same splits but where gains tie exactly (*same answers*, of 10,000 training rows). *reference*: a native
prototype built for this very processor, for two classes by Gini and squared error. LightGBM and scikit-learn's
histogram trees sort the values into 255 bins first: another, coarser search.""",
    ),
    "forests": (
        "Growing forests",
        "Processor milliseconds of one thread, and held-out scores, medians and means over seeds.",
    ),
    "pruning": (
        "Pruning by cross-validation",
        """\
`prune_cv` grows once and once per fold and scores all alphas in one sweep; GridSearchCV, as in the course note
"Decision trees", grows for every alpha and fold.""",
    ),
    "memory": (
        "Memory of growing",
        """\
Peak of the process beyond what it held before the fit; two classes by Gini, depth 8; each fit in its own process.""",
    ),
    "accuracy": (
        "How accurate single trees are",
        """\
Means over the same splits. *ours*, *scikit-learn*: fully grown, which takes texts as subsets of levels or, as their
codes, as numbers; *pruned*: by `prune_cv`; *as rpart*: rpart's settings (splits of 20 rows, leaves of 7, cp 0.01,
surrogates).""",
    ),
    "categories": (
        "Many categories",
        """\
Best split of one column at the root: as it is searched for where there are more than 8 levels (in the order of each
class' share, then single levels change sides; for the absolute error in the order of the medians), and by all subsets.
*gap*: what the former gains less, of the latter. For two classes and squared error the order is optimal.""",
    ),
}
SCALING = """\
Soft vote; medians over 6 rows; *stopped*: rows on which the time limit ended the question.

![cost along trees, depth, features and rows](scaling.png)"""


def ran(document: dict[str, Any]) -> str:
    """One line on the circumstances, and the script's own notes."""
    machine = document["machine"]
    packages = ", ".join(f"{name} {version}" for name, version in machine["packages"].items())
    line = f"{machine['processor']}, {machine['processors']} cores, load {machine['load_before']} before; "
    line += f"Python {machine['python']}, {packages}."
    return "\n".join([line, *(f"Note: {note}." for note in document["notes"])])


def rounded(record: dict[str, Any], columns: Sequence[str]) -> dict[str, Any]:
    """The columns of a record; missing flags stay blank."""
    return {column: record.get(column) for column in columns}


def reasons(document: dict[str, Any]) -> str:
    """All reasons of every row."""
    columns = ("set", "trees", "rows", "#SR", "#NR", "robustness", "ms", "max ms", "reference ms", "ours/reference",
               "within", "least ms", "least reference ms", "within at best", "counts_equal", "paper #SR", "paper #NR",
               "paper ms", "paper/ours")  # fmt: skip
    headings = {
        "hard": 'Majority votes, `ties="winners"`',
        "soft": 'scikit-learn\'s own vote (mean of probabilities), `ties="model"`',
    }
    parts = [REASONS]
    for vote, heading in headings.items():
        held = [record for record in document["records"] if record["vote"] == vote]
        shown = columns if vote == "hard" else columns[:-4]
        if held:
            parts.append(f"### {heading}\n\n" + common.table([rounded(record, shown) for record in held], shown))
    return "\n\n".join(parts)


def peers(document: dict[str, Any]) -> str:
    """Three questions beside the peers."""
    settings = document["settings"]
    columns = ("set", "depth", "side", "rows", "median ms", "max ms", "late", "failed", "size", "slower than xylogic",
               "wrong for its vote", "wrong for predict")  # fmt: skip
    tried = ("seen by sampling", "peer tried", "peer refuted")
    streamed = ("set", "depth", "side", "rows", "reasons", "reasons a second")
    questions: dict[str, tuple[str, tuple[str, ...]]] = {
        "sufficient": ("One sufficient reason", columns + tried),
        "smallest": ("A smallest sufficient reason", columns + tried),
        "contrastive": ("One contrastive reason", (*columns, "cannot flip")),
        "shortest contrastive": (
            "A contrastive reason of fewest features, with a changed row",
            (*columns, "cannot flip"),
        ),
        "stream sufficient": ("Sufficient reasons, streamed", streamed),
        "stream necessary": ("Necessary reasons, streamed", streamed),
    }
    parts = [PEERS.format(**settings)]
    for question, (heading, shown) in questions.items():
        held = [record for record in document["records"] if record["question"] == question]
        if held:
            lines = [late(rounded(record, shown), record) for record in held]
            parts.append(f"### {heading}\n\n" + common.table(lines, shown))
    return "\n\n".join(parts)


def late(line: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
    """The line with "> time-out" where a time is missing because of one."""
    for column in ("median ms", "max ms"):
        if column in line and line[column] is None and record["late"]:
            line[column] = f"> {record['time-out s'] * 1e3:,.0f}"
    if record.get("at least"):
        line["slower than xylogic"] = f"> {record['at least']:,.0f}"
    return line


def circuits(number: int) -> Callable[[dict[str, Any]], str]:
    """One of the paper's four tables."""

    def render(document: dict[str, Any]) -> str:
        columns = CIRCUIT_TABLES[number][1]
        shown = [c for c in columns if any(record.get(c) is not None for record in document["records"])]
        lines = common.table([rounded(record, shown) for record in document["records"]], shown)
        return "\n\n".join([CIRCUITS.format(**document["settings"]), *CIRCUIT_NOTES.get(number, []), lines])

    return render


def scaling(document: dict[str, Any]) -> str:
    """Growth along four axes."""
    asked = ("nodes", "ready ms", "sufficient ms", "sufficient max ms", "sufficient stopped", "smallest ms",
             "smallest stopped", "robustness ms", "robustness stopped", "peak MB", "peak MB beyond the forest",
             "note")  # fmt: skip
    many = ("rows", "threads", "s", "rows a second", "peak MB", "peak MB beyond the forest", "note")
    parts = [SCALING]
    for axis in ("trees", "depth", "features", "rows"):
        shown = many if axis == "rows" else (axis, *asked)
        held = [rounded(record, shown) for record in document["records"] if record["axis"] == axis]
        if held:
            parts.append(f"### {axis}\n\n" + common.table(held, shown))
    return "\n\n".join(parts)


def import_time(document: dict[str, Any]) -> str:
    """Start-up."""
    shown = ("what", "median ms", "max ms", "target ms", "within")
    return common.table([rounded(record, shown) for record in document["records"]], shown)


def growing(part: str) -> Callable[[dict[str, Any]], str]:
    """One part of the growing benchmark."""

    def render(document: dict[str, Any]) -> str:
        return "\n\n".join([GROWING[part][1], common.table(document["records"])])

    return render


SECTIONS = {
    "reasons": ("All reasons of an instance", reasons),
    "peers": ("Beside other explainers", peers),
    **{f"circuits_{number}": (heading, circuits(number)) for number, (heading, _) in CIRCUIT_TABLES.items()},
    **{f"grow_{part}": (heading, growing(part)) for part, (heading, _) in GROWING.items()},
    **compare_page.SECTIONS,
    **update_page.SECTIONS,
    "scaling": ("How cost grows", scaling),
    "import_time": ("Start-up", import_time),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=common.RESULTS)
    parser.add_argument("--page", type=Path, default=PAGE)
    args = parser.parse_args()
    parts = [INTRODUCTION]
    for name, (heading, render) in SECTIONS.items():
        path = args.results / f"{name}.json"
        if path.exists():
            document = json.loads(path.read_text(encoding="utf-8"))
            parts.append(f"## {heading}\n\n{render(document)}\n\n{ran(document)}\n")
    args.page.parent.mkdir(parents=True, exist_ok=True)
    args.page.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
