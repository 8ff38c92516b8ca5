"""All sufficient and all necessary reasons of every row, beside the paper's numbers and a native reference."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import common
import numpy as np
import paper
import reference

import xylogic as xl


def one_round(explainer: xl.Explainer, rows: np.ndarray) -> dict[str, float]:
    """Means over the rows of one pass: `explain` + `sufficient_reasons` + `necessary_reasons`, timed together."""
    seconds, slowest, n_sr, n_nr, sizes, partial = 0.0, 0.0, 0, 0, [], 0
    for row in rows:
        start = perf_counter()
        explanation = explainer.explain(row)
        sufficient = explanation.sufficient_reasons()
        necessary = explanation.necessary_reasons()
        spent = perf_counter() - start
        seconds, slowest = seconds + spent, max(slowest, spent)
        partial += sufficient.status != "exact" or necessary.status != "exact"
        n_sr, n_nr = n_sr + len(sufficient), n_nr + len(necessary)
        if len(necessary):
            sizes.append(necessary[0].size)
    count = len(rows)
    return {
        "ms": seconds / count * 1e3,
        "max_ms": slowest * 1e3,
        "n_sr": n_sr / count,
        "n_nr": n_nr / count,
        "robustness": float(np.mean(sizes)) if sizes else math.inf,
        "partial": partial,
    }


def measure(name: str, vote: str, args: Any, program: Path | None, folder: Path) -> dict[str, Any]:
    """One data set and vote: rounds of both sides in turn, medians of their times."""
    forest, rows = common.paper_forest(args.data_dir, name)
    rows = rows[: args.rows]
    model = xl.read_model(forest)
    start = perf_counter()
    if vote == "hard":
        explainer = xl.Explainer(model.with_voting("majority"), ties="winners", time_limit=args.seconds)
    else:
        explainer = xl.Explainer(model, time_limit=args.seconds)
    explainer.explain(rows[0]).robustness()
    ready = (perf_counter() - start) * 1e3
    path = folder / f"{name}.txt"
    reference.write_forest(forest, rows, path)
    ours: list[dict[str, float]] = []
    theirs: list[dict[str, Any]] = []
    start = perf_counter()
    while len(ours) < args.rounds or (len(ours) < args.most_rounds and perf_counter() - start < args.most_seconds):
        if program is not None:
            theirs.append(reference.run(program, path, vote, args.seconds))
        ours.append(one_round(explainer, rows))
    published = paper.REASONS[name]
    paper_ms = (published["sr_s"] + published["nr_s"]) * 1e3
    last, ms = ours[-1], common.median(one["ms"] for one in ours)
    record = {
        "set": name,
        "vote": vote,
        "trees": int(published["trees"]),
        "rows": len(rows),
        "rounds": len(ours),
        "#SR": last["n_sr"],
        "#NR": last["n_nr"],
        "robustness": last["robustness"],
        "ms": ms,
        "least ms": min(one["ms"] for one in ours),
        "max ms": last["max_ms"],
        "ready ms": ready,
        "partial": last["partial"],
        "paper ms": paper_ms,
        "paper/ours": paper_ms / ms,
        "paper #SR": published["n_sr"],
        "paper #NR": published["n_nr"],
        "paper robustness": published["robustness"],
    }
    if theirs:
        reference_ms = common.median(one["ms"] for one in theirs)
        record |= {
            "reference ms": reference_ms,
            "ours/reference": ms / reference_ms if reference_ms else None,
            "within": ms <= 2 * reference_ms + 0.05,
            "least reference ms": (least := min(one["ms"] for one in theirs)),
            "within at best": record["least ms"] <= 2 * least + 0.05,
            "reference #SR": theirs[-1]["n_sr"],
            "reference #NR": theirs[-1]["n_nr"],
            "counts_equal": same_counts(last, theirs[-1]),
        }
        if vote == "soft" and not record["counts_equal"]:  # exact ties, which the reference gives to the winner?
            tied = one_round(xl.Explainer(model, ties="winners"), rows)
            record["counts_equal"] = same_counts(tied, theirs[-1])
            record["note"] = "counts_equal with ties=winners: " + ", ".join(f"{tied[key]:.2f}" for key in COUNTS)
    return record


def same_counts(ours: dict[str, float], theirs: dict[str, float]) -> bool:
    """Whether the mean counts agree to the two digits that the reference prints."""
    return all(f"{ours[key]:.2f}" == f"{theirs[key]:.2f}" for key in COUNTS)


COUNTS = ("n_sr", "n_nr", "robustness")
COLUMNS = ("set", "vote", "#SR", "#NR", "robustness", "ms", "max ms", "reference ms", "ours/reference", "within",
           "least ms", "least reference ms", "within at best", "counts_equal", "paper ms", "paper/ours")  # fmt: skip


def main() -> None:
    parser = common.parser(__doc__)
    parser.add_argument("--sets", nargs="*", default=list(paper.REASONS))
    parser.add_argument("--votes", nargs="*", default=["hard", "soft"], choices=["hard", "soft"])
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3, help="passes of each side, in turn")
    parser.add_argument("--most-rounds", type=int, default=15, help="passes while a set takes under --most-seconds")
    parser.add_argument("--most-seconds", type=float, default=4.0)
    parser.add_argument("--seconds", type=float, default=30.0, help="limit an instance")
    args = parser.parse_args()
    if args.data_dir is None:
        parser.error("the 19 sets are read from --data-dir or XYLOGIC_DATA_DIR")
    records, notes = [], []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        program, skipped = reference.build(args.reference_dir, folder)
        if program is None:
            notes.append(f"reference column skipped: {skipped}")
        for vote in args.votes:
            for name in args.sets:
                records.append(measure(name, vote, args, program, folder))
                print(common.table(records[-1:], COLUMNS).splitlines()[-1], flush=True)
    print("\n" + common.table(records, COLUMNS))
    print("\n".join(notes))
    settings = {"rows": args.rows, "seconds": args.seconds, "depth": 4}
    common.write(args.out, "reasons", settings, records, notes)


if __name__ == "__main__":
    main()
