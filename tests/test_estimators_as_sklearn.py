"""The estimators keep scikit-learn's contract: its own checks, without an expected failure."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import xylogic as xl

TREES = [
    xl.DecisionTreeClassifier(),
    xl.DecisionTreeRegressor(),
    xl.DecisionTreeClassifier(missing="level", splitter="hist", criterion="entropy"),
    xl.DecisionTreeClassifier(missing="surrogate", criterion="misclassification"),
    xl.DecisionTreeClassifier(missing="fractional"),
    xl.DecisionTreeRegressor(missing="level", splitter="random", criterion="absolute_error"),
    xl.DecisionTreeRegressor(missing="surrogate", ccp_alpha=1e-3),
    xl.DecisionTreeRegressor(missing="fractional"),
]


@pytest.mark.filterwarnings("ignore:SCIPY_ARRAY_API")
@parametrize_with_checks(TREES)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
