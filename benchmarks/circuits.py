"""Forests as circuits: Tables 1 to 4 of the circuits paper on scikit-learn forests of its settings, beside its numbers,
a native reference of the threshold product, and CUDD on the binary sets."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import common
import paper
import reference

WORKER = Path(__file__).with_name("circuit_worker.py")
BINARY = ("mofn-3-7-10", "threeOf9", "xd6")
WIDE_GROUPS = ("glass2", "wine-recognition", "ionosphere", "appendicitis")  # the reference needs larger groups there
REACHED_BY_APPLY = ("iris", "banknote", "segment", *BINARY)
QUESTIONS = ["sufficient", "necessary", "robustness", "general sufficient", "general necessary",
             "shortest general necessary"]  # fmt: skip


class Runner:
    """Runs jobs in processes of their own."""

    def __init__(self, args: Any) -> None:
        self.args = args

    def __call__(self, job: str, name: str, **more: Any) -> dict[str, Any]:
        wanted = {"job": job, "set": name, "data": str(self.args.data_dir), "seconds": self.args.seconds,
                  "bytes": int(self.args.gib * 2**30), **more}  # fmt: skip
        command = [sys.executable, str(WORKER), json.dumps(wanted)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=wanted["seconds"] * 4 + 300
            )
        except subprocess.TimeoutExpired:
            return {"stopped": "the process took too long"}
        if done.returncode != 0:
            return {"stopped": (done.stderr.strip().splitlines() or ["the process died"])[-1]}
        return json.loads(done.stdout)


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def table1(run: Runner, name: str) -> dict[str, Any]:
    """Algorithm 3: circuits of all classes."""
    published = paper.ALGORITHM_3[name]
    record: dict[str, Any] = {"set": name, "trees": int(published["trees"])}
    for columns in ("log2", "sqrt"):
        found = run("compiled", name, method="sortnet", trees=int(published["trees"]), columns=columns)
        record |= {f"{key} {columns}": found.get(key) for key in ("all nodes", "seconds", "MB", "stopped")}
        if "all nodes" in found:
            record[f"per forest node {columns}"] = found["all nodes"] / found["forest nodes"]
    record |= {
        "paper nodes": published["nnf_nodes"],
        "paper per forest node": published["nnf_nodes"] / published["forest_nodes"],
        "paper s": published["nnf_s"],
        "paper ADD nodes": published["add_nodes"],
        "paper ADD s": published["add_s"],
    }
    large = run("compiled", name, method="sortnet", trees=1000)
    return record | {f"{key} of 1000 trees": large.get(key) for key in ("all nodes", "seconds", "MB", "stopped")}


def table2(run: Runner, name: str, product: Path | None, folder: Path) -> dict[str, Any]:
    """Class formulas as conjunctions of decision graphs, by Algorithm 4 and by the threshold product."""
    published = paper.CONJUNCTIONS[name]
    record: dict[str, Any] = {"set": name, "trees": int(published["trees"])}
    ways = {
        "apply": {"method": "apply", "form": "3B"},
        "product": {"method": "product", "form": "3B"},
        "joint": {"method": "product", "form": "joint", "ties": "model"},
        "soft": {"method": "product", "form": "3B", "vote": "soft", "seconds": run.args.seconds / 2},
        "sqrt": {"method": "product", "form": "3B", "columns": "sqrt", "seconds": run.args.seconds / 2},
    }
    for way, how in ways.items():
        found = run("compiled", name, **how)
        if "stopped" in found:
            record[f"{way} stopped"] = found["stopped"]
            continue
        whole = way == "joint"
        record[f"{way} nodes"] = found["all nodes"] if whole else mean(found["nodes"])
        record[f"{way} edges"] = found["all edges"] if whole else mean(found["edges"])
        record[f"{way} s"] = found["seconds"] / (1 if whole else found["classes"])
        record[f"{way} MB"] = found["MB"]
    if product is not None:
        forest, rows = common.paper_forest(run.args.data_dir, name)
        path = folder / f"{name}.txt"
        reference.write_forest(forest, rows, path)
        cap = 100_000 if name in WIDE_GROUPS else 2000
        for vote in ("hard", "soft"):
            found = reference.run_product(product, path, vote, cap, run.args.seconds / (1 if vote == "hard" else 4))
            record |= {f"reference {vote} {key}": value for key, value in found.items()}
    if name in BINARY:
        found = run("cudd", name)
        record |= {f"CUDD {key}": found.get(key) for key in ("nodes", "seconds", "stopped")}
    found = run("ties", name)
    record |= {"rows": found.get("rows"), "tied rows": found.get("tied")}
    return record | {"paper nodes": published["nodes_3b"], "paper s": published["s_3b"]}


def table3(run: Runner, name: str) -> dict[str, Any]:
    """Reasons of a row from the diagram and by search."""
    published = paper.REASONS[name]
    record: dict[str, Any] = {"set": name, "trees": int(published["trees"])}
    for engine in ("diagram", "search"):
        formulas = ["complete reason", "general reason"][: 2 if engine == "diagram" else 1]  # too many terms by search
        found = run("explained", name, engine=engine, questions=[*formulas, *QUESTIONS], rows=run.args.rows)
        if "stopped" in found:
            record[f"{engine} stopped"] = found["stopped"]
            continue
        record |= {f"{engine} {question} ms": value for question, value in found["ms"].items()}
        record |= {f"{question} #": value for question, value in found["count"].items() if question in QUESTIONS}
        record[f"{engine} ready s"] = found["ready"]
    return record | {f"paper {key}": value for key, value in published.items()}


def table4(run: Runner, name: str) -> dict[str, Any]:
    """Algorithm 3A beside 3B, and contrastive explanations, where there are more than two classes."""
    published = paper.GRAPHS[name]
    record: dict[str, Any] = {"set": name, "trees": int(published["trees"])}
    for form in ("3A", "3B"):
        found = run("compiled", name, method="product", form=form)
        if "stopped" in found:
            record[f"{form} stopped"] = found["stopped"]
        else:
            record |= {f"{form} nodes": mean(found["nodes"]), f"{form} s": found["seconds"] / found["classes"]}
    for engine in ("diagram", "search"):
        found = run("explained", name, engine=engine, questions=["contrastive"], rows=run.args.rows)
        if "stopped" in found:
            record[f"{engine} stopped"] = found["stopped"]
        else:
            others = len(read_classes(run, name)) - 1
            record |= {f"{engine} ms a target": found["ms"]["contrastive"] / others,
                       "#CE a target": found["count"]["contrastive"] / others}  # fmt: skip
    return record | {f"paper {key}": value for key, value in published.items()}


def read_classes(run: Runner, name: str) -> set[int]:
    return set(common.read_table(run.args.data_dir, name)[1].tolist())


def main() -> None:
    parser = common.parser(__doc__)
    parser.add_argument("--sets", nargs="*", default=list(paper.REASONS))
    parser.add_argument("--tables", nargs="*", type=int, default=[1, 2, 3, 4])
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60.0, help="limit a compilation, and a question")
    parser.add_argument("--gib", type=float, default=6.0, help="limit of memory")
    args = parser.parse_args()
    if args.data_dir is None:
        parser.error("the 19 sets are read from --data-dir or XYLOGIC_DATA_DIR")
    run = Runner(args)
    notes: list[str] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        product, skipped = reference.build(args.reference_dir, folder, "product")
        if product is None:
            notes.append(f"reference columns skipped: {skipped}")
        tables = {1: table1, 2: lambda run, name: table2(run, name, product, folder), 3: table3, 4: table4}
        for number in args.tables:
            records = []
            for name in args.sets:
                if number == 4 and name not in paper.GRAPHS:
                    continue
                record = tables[number](run, name)
                records.append(record)
                print({key: _short(value) for key, value in record.items()}, flush=True)
                settings = {"rows": args.rows, "seconds": args.seconds, "GiB": args.gib, "depth": 4}
                common.write(args.out, f"circuits_{number}", settings, records, notes)


def _short(value: Any) -> Any:
    return float(f"{value:.4g}") if isinstance(value, float) else value


if __name__ == "__main__":
    main()
