"""The estimators keep scikit-learn's contract: its own checks, without an expected failure."""

from sklearn.utils.estimator_checks import parametrize_with_checks

import xylogic as xl

TREES = [
    xl.DecisionTreeClassifier(),
    xl.DecisionTreeRegressor(),
]


@parametrize_with_checks(TREES)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
