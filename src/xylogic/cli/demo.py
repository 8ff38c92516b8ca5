"""``xylogic demo``: a real forest on real data, read, verified and explained."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from xylogic._version import __version__
from xylogic.cli.output import DONE, NEGATIVE, Progress, print_json
from xylogic.cli.questions import ask
from xylogic.cli.verify import as_document
from xylogic.view.text import duration, explanation_text, verification_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["demonstrate"]

TIME_LIMIT = 3.0  # seconds, for each question
LIMIT = 5
QUESTIONS = ("sufficient-reason", "smallest-sufficient-reason", "necessary-reasons", "robustness", "counterfactual")
NEXT = """\
Next, with a model of your own:
    joblib.dump(model, "model.joblib")      a fitted scikit-learn tree or forest
    xylogic verify model.joblib data.csv --trusted
    xylogic explain model.joblib data.csv --row 0 --trusted
Or in Python:
    import xylogic as xl
    explanation = xl.Explainer(xl.read_model(model)).explain(row)
    print(explanation.sufficient_reason())"""


def demonstrate(as_json: bool) -> int:
    """Fit, read, verify, explain; the exit code tells whether the import was exact."""
    steps: dict[str, float] = {}
    with Progress("fit"):
        start = time.perf_counter()
        forest, names, rows, labels = fitted()
        steps["fit"] = time.perf_counter() - start

    from xylogic.convert.read import read_model
    from xylogic.convert.verify import verify_model
    from xylogic.explain import Explainer

    start = time.perf_counter()
    model = read_model(forest, feature_names=names)
    steps["read"] = time.perf_counter() - start
    with Progress("verify"):
        start = time.perf_counter()
        checked = as_document(verify_model(model, forest, rows))
        steps["verify"] = time.perf_counter() - start
    share = float((model.predict(rows) == labels).mean())
    if not as_json:
        print(f"xylogic {__version__}, on the breast cancer data of scikit-learn")
        print(f"Fitted {model.source}, {model.n_trees} trees, in {duration(steps['fit'])}")
        print(f"Right on {share:.1%} of {len(rows)} test rows")
        print(f"Read in {duration(steps['read'])}: {model.n_nodes} nodes")
        print(f"Verified in {duration(steps['verify'])}: {verification_text(checked)}")

    explainer = Explainer(model, time_limit=TIME_LIMIT)
    results = []
    for title, place in shown(model.decision_function(rows)):
        explanation = explainer.explain(rows[place])
        ask(explanation, QUESTIONS, limit=LIMIT)
        results.append(explanation.to_dict())
        if not as_json:
            print(f"\n-- Test row {place}, {title} --\n{explanation_text(results[-1])}")
    if as_json:
        print_json(
            {
                "version": __version__,
                "model": model.source,
                "n_trees": model.n_trees,
                "n_nodes": model.n_nodes,
                "accuracy": share,
                "verification": checked,
                "seconds": steps,
                "explanations": results,
            }
        )
    else:
        print(f"\n{NEXT}")
    return DONE if checked["ok"] else NEGATIVE


def shown(scores: NDArray[np.float64]) -> list[tuple[str, int]]:
    """The rows to explain: the two whose best two scores are nearest to each other, and the first."""
    ordered = scores.copy()
    ordered.sort(axis=1)
    margin = ordered[:, -1] - ordered[:, -2]
    first, second, *_ = (int(place) for place in margin.argsort(kind="stable"))
    return [("the closest call", first), ("the next closest", second), ("the first", 0)]


def fitted() -> tuple[Any, list[str], Any, Any]:
    """The forest, the column names, and the test rows with their labels."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import train_test_split

    data = load_breast_cancer()
    parts = train_test_split(data.data, data.target_names[data.target], random_state=0)
    forest = RandomForestClassifier(n_estimators=100, random_state=0).fit(parts[0], parts[2])
    return forest, [str(name) for name in data.feature_names], parts[1], parts[3]
