"""One measurement of the circuit benchmark in a process of its own: a JSON job as argument, a JSON answer on stdout.

A process for each, so that its memory peak is its own and a limit of memory ends nothing else.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import common
import numpy as np

import xylogic as xl

Job = dict[str, Any]
Answer = dict[str, Any]


def mebibytes() -> float:
    """The peak of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def prepared(job: Job) -> tuple[Any, np.ndarray, xl.Ensemble]:
    """Forest, test rows and model of the job."""
    forest, rows = common.paper_forest(Path(job["data"]), job["set"], job.get("trees"), job.get("columns", "log2"))
    model = xl.read_model(forest)
    return forest, rows, model.with_voting("majority") if job.get("vote", "hard") == "hard" else model


def compiled(job: Job) -> Answer:
    """Class formulas by the job's method and form: nodes and edges of each, seconds in all, memory."""
    _, rows, model = prepared(job)
    tiny = xl.build_tree({"feature": "x", "cut": 0, "left": {"class": 0}, "right": {"class": 1}}, ["x"])
    xl.compile_model(tiny.with_voting("majority"), job["method"])  # loads what is loaded on first use
    before = mebibytes()
    start = perf_counter()
    formulas = xl.compile_model(
        model, job["method"], job.get("form", "joint"), job.get("ties", "winners"), order=job.get("order"),
        time_limit=job["seconds"], memory_limit=job["bytes"],
    )  # fmt: skip
    each = [formulas[label] for label in formulas]
    seconds = perf_counter() - start
    answer = {
        "seconds": seconds,
        "classes": len(each),
        "nodes": [formula.n_nodes for formula in each],
        "edges": [formula.n_edges for formula in each],
        "all nodes": formulas.n_nodes,
        "all edges": formulas.n_edges,
        "forest nodes": model.n_nodes,
        "MB": mebibytes() - before,
    }
    predicted = model.predict(rows)
    for label, formula in zip(formulas, each, strict=True):
        own = formula.evaluate(rows)[predicted == label]
        assert own.all(), f"class {label!r}: a row that the model gives this class is no model of its formula"
    return answer


def ties(job: Job) -> Answer:
    """The share of test rows with tied classes."""
    _, rows, model = prepared(job)
    scores = np.sort(model.predict_proba(rows), axis=1)
    return {"rows": len(rows), "tied": int((scores[:, -1] == scores[:, -2]).sum())}


def explained(job: Job) -> Answer:
    """Mean seconds a row of each question from one engine, and what preparing the engine took."""
    _, rows, model = prepared(job)
    rows = rows[: job["rows"]]
    start = perf_counter()
    explainer = xl.Explainer(model, ties=job.get("ties", "winners"), engine=job["engine"], time_limit=job["seconds"])
    explainer.explain(rows[0]).complete_reason()
    ready = perf_counter() - start
    spent: dict[str, float] = {}
    counts: dict[str, float] = {}
    for row in rows:
        for question in job["questions"]:
            explanation = explainer.explain(row)  # anew, so that no question lives on the answers of another
            start = perf_counter()
            found = QUESTIONS[question](explanation)
            spent[question] = spent.get(question, 0.0) + perf_counter() - start
            counts[question] = counts.get(question, 0.0) + found
    n = len(rows)
    return {
        "ready": ready,
        "rows": n,
        "ms": {question: 1e3 * value / n for question, value in spent.items()},
        "count": {question: value / n for question, value in counts.items()},
        "MB": mebibytes(),
    }


QUESTIONS: dict[str, Callable[[xl.Explanation], float]] = {
    "complete reason": lambda e: e.complete_reason().n_nodes,
    "general reason": lambda e: e.general_reason().n_nodes,
    "sufficient": lambda e: len(e.sufficient_reasons()),
    "necessary": lambda e: len(e.necessary_reasons()),
    "robustness": lambda e: e.robustness(),
    "general sufficient": lambda e: len(e.general_sufficient_reasons()),
    "general necessary": lambda e: len(e.general_necessary_reasons()),
    "shortest general necessary": lambda e: len(e.general_necessary_reasons(shortest=True)),
    "contrastive": lambda e: sum(len(reasons) for reasons in e.contrastive().values()),
}


def cudd(job: Job) -> Answer:
    """The hard vote of a forest on binary columns as a BDD, by CUDD: trees one after the other, a BDD per count."""
    from dd.cudd import BDD

    forest, _, _ = prepared(job)
    manager = BDD()
    manager.configure(reordering=True)
    start = perf_counter()
    manager.declare(*(f"x{f}" for f in range(forest.n_features_in_)))
    need = len(forest.estimators_) // 2 + 1
    at_least = [manager.true] + [manager.false] * need
    for member in forest.estimators_:
        vote = _vote(manager, member.tree_)
        for k in range(need, 0, -1):
            at_least[k] = manager.ite(vote, at_least[k - 1], at_least[k])
    return {"seconds": perf_counter() - start, "nodes": at_least[need].dag_size, "MB": mebibytes()}


def _vote(manager: Any, tree: Any) -> Any:
    """The tree's vote for the second class."""
    made: dict[int, Any] = {}
    for node in range(tree.node_count - 1, -1, -1):  # children have larger numbers
        if tree.children_left[node] < 0:
            made[node] = manager.true if np.argmax(tree.value[node][0]) else manager.false
        else:
            low, high = made[tree.children_left[node]], made[tree.children_right[node]]
            made[node] = manager.ite(manager.var(f"x{tree.feature[node]}"), high, low)
    return made[0]


JOBS = {"compiled": compiled, "ties": ties, "explained": explained, "cudd": cudd}

if __name__ == "__main__":
    wanted = json.loads(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (wanted["bytes"] + 2**30, wanted["bytes"] + 2**30))
    try:
        outcome = JOBS[wanted["job"]](wanted)
    except (xl.BudgetExceeded, MemoryError) as stop:
        outcome = {"stopped": str(stop) or "out of memory", "MB": mebibytes()}
    print(json.dumps(outcome))
