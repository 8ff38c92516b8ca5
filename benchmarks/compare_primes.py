"""Prime implicants of the paper's gadget trees: Table 1 of "Efficient & Correct Predictive Equivalence for Decision
Trees" with every column, beside ours, and far beyond it.

The baselines make the prime implicants (BCF) one by one and run in processes of their own, until one takes longer than
`--seconds` or more than `--gigabytes`; larger r are then not asked of it. Times are processor seconds of one thread;
ours, from the tree to the exact count, is the least of several.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable
from time import process_time
from typing import Any

import bcf_baselines
import common
from compare_trees import gadget

import xylogic as xl

SECONDS = 300.0  # until a baseline is not asked for more
SMALL = tuple(range(3, 11))
LARGE = (200, 500, 1000, 10_000)
MOST_COVERED = 8  # the largest r whose minimum form is asked for
PAPER: dict[int, dict[str, Any]] = {  # Table 1, seconds on a MacBook M3 Pro
    3: {"SymPy": 0.13, "BCF": 0.01, "BCF_0": 4, "BCF_1": 22},
    4: {"SymPy": 0.57, "BCF": 0.07, "BCF_0": 5, "BCF_1": 46},
    5: {"SymPy": 39.60, "BCF": 0.84, "BCF_0": 6, "BCF_1": 94},
    6: {"SymPy": 2789.45, "BCF": 11.28, "BCF_0": 7, "BCF_1": 190},
    7: {"SymPy": "> 150000", "BCF": 161.25, "BCF_0": 8, "BCF_1": 382},
    8: {"BCF": 2264.62, "BCF_0": 9, "BCF_1": 766},
    9: {"BCF": 64458.55, "BCF_0": 10, "BCF_1": 1534},
}
BASELINES: dict[str, Callable[..., int]] = {
    "SymPy": bcf_baselines.sympy_form,
    "consensus": bcf_baselines.iterated_consensus,
    "Quine-McCluskey": bcf_baselines.quine_mccluskey,
}


def _asked(pipe: Any, name: str, r: int, gigabytes: float) -> None:
    """In a process of its own: the number of terms of both classes, and the time it took."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (int(gigabytes * 2**30),) * 2)
    except (ImportError, ValueError):  # not on every platform
        pass
    start = process_time()
    try:
        counts = [BASELINES[name](bcf_baselines.gadget_paths(r, label), 2 * r + 1) for label in (0, 1)]
        pipe.send((counts, process_time() - start))
    except ImportError:
        pipe.send("not installed")
    except MemoryError:
        pipe.send("memory")


def baseline(name: str, r: int, seconds: float, gigabytes: float) -> tuple[list[int], float] | str:
    """The counts of both classes and the seconds, or why there are none."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=_asked, args=(sender, name, r, gigabytes))
    process.start()
    sender.close()
    try:
        if not receiver.poll(seconds):
            return f"> {seconds:g}"
        return receiver.recv()
    except EOFError:
        return "memory"
    finally:
        process.terminate()
        process.join()


def ours(r: int, rounds: int) -> common.Record:
    """Counts, and the seconds from the tree to each count."""
    tree = gadget(r)
    record: common.Record = {"r": r, "nodes": 6 * r + 3, "features": 2 * r + 1}
    for label in (0, 1):
        spent = []
        for _ in range(rounds):
            start = process_time()
            primes = xl.prime_implicants(tree, label)
            count = primes.count
            spent.append(process_time() - start)
        expected = 3 * 2**r - 2 if label else r + 1
        record[f"BCF_{label}"] = str(count) if count < 10**6 else "3 * 2^r - 2"
        record[f"right_{label}"] = count == expected
        record[f"ours_{label}"] = min(spent)
    if r <= MOST_COVERED:
        start = process_time()
        dnf = primes.minimum_dnf(time_limit=300)
        record["minimum DNF"] = process_time() - start
        record["minimum terms"] = f"{len(dnf)} ({dnf.status.status})"
    return record


def run(options: Any) -> dict[str, Any]:
    """Settings, records and notes."""
    seconds = options.seconds or SECONDS
    gigabytes = float(getattr(options, "gigabytes", 4.0))
    notes = ["columns 'paper: ...' are quoted from the paper; its machine is another one"]
    records, stopped = [], set()
    for r in (*SMALL, *LARGE):
        record = ours(r, 5 if r <= 1000 else 2)
        for column in ("SymPy", "BCF"):
            record[f"paper: {column}"] = PAPER.get(r, {}).get(column)
        for name in BASELINES:
            if name in stopped or r not in SMALL:
                continue
            found = baseline(name, r, seconds, gigabytes)
            if isinstance(found, str):
                record[name] = found
                stopped.add(name)
                continue
            counts, record[name] = found
            if name != "SymPy" and counts != [r + 1, 3 * 2**r - 2]:
                notes.append(f"{name} counts {counts} at r = {r}")
        records.append(record)
        print(common.table([record], COLUMNS).splitlines()[-1], file=sys.stderr, flush=True)
    settings = {"seconds": seconds, "gigabytes": gigabytes}
    return {"settings": settings, "records": records, "notes": notes}


COLUMNS = (
    "r", "nodes", "features", "BCF_0", "BCF_1", "ours_0", "ours_1", "minimum DNF", "minimum terms", "paper: SymPy",
    "paper: BCF", *BASELINES, "right_0", "right_1",
)  # fmt: skip


def main() -> None:
    parser = common.parser(__doc__)
    parser.add_argument("--seconds", type=float, default=300.0, help="of a baseline on one tree")
    parser.add_argument("--gigabytes", type=float, default=4.0, help="of a baseline")
    options = parser.parse_args()
    found = run(options)
    common.write(options.out, "compare_primes", found["settings"], found["records"], found["notes"])
    print(common.table(found["records"], COLUMNS))
    print("\n".join(found["notes"]))


if __name__ == "__main__":
    main()
