"""The kernels of pruning and of surrogates are valid Python: run from source, they answer as the compiled ones do."""

from uncompiled import asked_both_ways

QUESTIONS = """
import random
import numpy as np
from grown_trees import random_grown
from xylogic import DecisionTreeClassifier, DecisionTreeRegressor, Feature
from xylogic.grow.prune import prune_cv
from xylogic.grow.pruning import pruning_path

for seed in range(8):
    grown = random_grown(random.Random(seed), 30, 3)
    for risk in ("impurity", "mistakes"):
        path = pruning_path(grown, risk)
        answers.append([path.alphas.tolist(), path.risks.tolist(), path.leaves.tolist(), path.until.tolist()])
rng = np.random.default_rng(0)
X = rng.integers(0, 90, (60, 3)).astype(float)
X[:, 1] %= 4
table = [[float(a), float(b), "abcd"[int(c) % 4]] for a, b, c in X]
y = (X[:, 0] + 30 * X[:, 1] + rng.normal(0, 9, 60) > 80).astype(int)
for row in range(0, 60, 3):
    table[row][row % 2] = None
    table[(7 * row) % 60][2] = None
for est in (DecisionTreeClassifier(missing="surrogate"), DecisionTreeRegressor(missing="surrogate", splitter="random")):
    est.set_params(max_depth=4, categorical_features=[2], random_state=0)
    weight = rng.integers(1, 4, 60)
    found = prune_cv(est, table, y, cv=3, sample_weight=weight)
    answers.append([found.alphas.tolist(), found.fold_scores.tolist(), found.estimator.predict(table).tolist()])
    routes = est.fit(table, y, sample_weight=weight).grown_.routes
    answers.append([array.tolist() for array in (
        routes.first, routes.feature, routes.cut, routes.flipped, routes.sides_at, routes.sides, routes.agreement,
        routes.adjusted)])
    answers.append(est.apply(table).tolist())
"""


def test_pruning_and_surrogates_are_the_same_compiled_and_uncompiled():
    asked_both_ways(QUESTIONS, "xylogic.grow.surrogate_kernel")
