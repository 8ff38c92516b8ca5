"""Explains the same rows in a pool of processes, started as the first argument says; run by a test, in its folder."""

import multiprocessing
import sys

from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier

import xylogic as xl


def explain(job):
    forest, rows = job
    explainer = xl.Explainer(forest)
    return [list(map(str, explainer.explain(row).sufficient_reasons())) for row in rows]


if __name__ == "__main__":
    X, y = load_wine(return_X_y=True)
    forest = RandomForestClassifier(10, max_depth=3, random_state=0).fit(X, y)
    rows = [X[i] for i in range(0, 170, 25)]
    expected = explain((forest, rows))
    with multiprocessing.get_context(sys.argv[1]).Pool(4 if sys.argv[1] == "fork" else 2) as pool:
        assert pool.map(explain, [(forest, rows)] * 12) == [expected] * 12
    print("equal")
