"""convert/read.py: what read_model takes, unwraps and refuses."""

import subprocess
import sys
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    HistGradientBoostingRegressor,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomTreesEmbedding,
    VotingClassifier,
)
from sklearn.exceptions import NotFittedError as SklearnNotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeRegressor

from xylogic import (
    InvalidInputError,
    InvalidModelError,
    NotFittedError,
    UnsupportedModelError,
    build_tree,
    read_model,
    verify_model,
)
from xylogic.convert import sklearn as reader

IRIS = load_iris(return_X_y=True)


def assert_same(source, X=None):
    model = read_model(source)
    verdict = verify_model(model, source, X, n=200)
    assert verdict, str(verdict)
    return model


class Derived(RandomForestClassifier):
    """A user's subclass."""


Moved = type("Moved", (DecisionTreeRegressor,), {"__module__": "another.place"})


class Contrary(RandomForestClassifier):
    def predict(self, X):
        return super().predict(X)[::-1]


class Soft(DecisionTreeClassifier):
    def predict_proba(self, X, check_input=True):
        return super().predict_proba(X, check_input) * 0.9


def test_r012_models_are_known_by_inheritance():
    """R012: subclasses and moved classes work; one that predicts otherwise is found out and refused."""
    X, y = IRIS
    model = assert_same(Derived(5, random_state=0).fit(X, y))
    assert model.source == "scikit-learn Derived"
    assert_same(Moved(random_state=0).fit(X, y))
    for kind in (Contrary, Soft):
        with pytest.raises(UnsupportedModelError, match=f"a {kind.__name__} .* does not predict as the scikit-learn"):
            read_model(kind(max_depth=2, random_state=0).fit(X, y))


def test_r012_unknown_versions_are_tried_and_checked(monkeypatch):
    source = DecisionTreeClassifier(random_state=0).fit(*IRIS)
    asked = []
    monkeypatch.setattr(reader, "NEWEST_KNOWN", (0, 0))
    monkeypatch.setattr("xylogic.convert.verify.spot_check", lambda model, source: asked.append(source) or True)
    read_model(source)
    assert asked == [source]


def test_r015_wrappers_are_unwrapped_or_named():
    """R015: a fitted search is unwrapped; errors name what was received and what is accepted."""
    X, y = IRIS
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}, cv=2)
    with pytest.raises(NotFittedError, match="this GridSearchCV is not fitted"):
        read_model(search)
    search.fit(X, y)
    assert read_model(search).source == "scikit-learn DecisionTreeClassifier"
    assert verify_model(search, search, X)
    nested = GridSearchCV(RandomizedSearchCV(DecisionTreeClassifier(), {"max_depth": [2]}, n_iter=1, cv=2), {}, cv=2)
    assert verify_model(read_model(nested.fit(X, y)), nested, X)
    with pytest.raises(UnsupportedModelError, match="refit=False"):
        read_model(clone(search).set_params(refit=False).fit(X, y))


@pytest.mark.parametrize(
    "source",
    [
        GradientBoostingClassifier(n_estimators=2),
        HistGradientBoostingRegressor(max_iter=2),
        AdaBoostClassifier(n_estimators=2),
        BaggingClassifier(n_estimators=2),
        IsolationForest(n_estimators=2),
        RandomTreesEmbedding(n_estimators=2),
        VotingClassifier([("tree", DecisionTreeClassifier())]),
        LogisticRegression(),
    ],
    ids=lambda source: type(source).__name__,
)
def test_other_models_are_refused_by_name(source):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        source.fit(*IRIS)
    says = rf"received a {type(source).__name__} \(from sklearn.*\); accepted: a fitted scikit-learn DecisionTree"
    with pytest.raises(UnsupportedModelError, match=says) as caught:
        read_model(source)
    assert isinstance(caught.value, TypeError) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "source", [None, 3, {"feature": "x"}, np.zeros(3), BaseEstimator(), pytest.param(object(), id="object")], ids=str
)
def test_other_objects_are_refused(source):
    with pytest.raises(UnsupportedModelError, match=f"received a {type(source).__name__} "):
        read_model(source)
    with pytest.raises(UnsupportedModelError, match="received the class RandomForestClassifier and not a model"):
        read_model(RandomForestClassifier)
    with pytest.raises(UnsupportedModelError, match="received a Tree "):
        read_model(DecisionTreeClassifier().fit(*IRIS).tree_)


@pytest.mark.parametrize(
    "source", [DecisionTreeClassifier(), ExtraTreeRegressor(), RandomForestClassifier(), ExtraTreesRegressor()], ids=str
)
def test_r100_before_fit(source):
    """R100: a named error, ours and scikit-learn's at once."""
    with pytest.raises(NotFittedError, match=f"this {type(source).__name__} is not fitted; call fit first") as caught:
        read_model(clone(source))
    assert isinstance(caught.value, SklearnNotFittedError)


def test_several_outputs_are_refused():
    X, y = IRIS
    for source in (DecisionTreeClassifier(), RandomForestRegressor(3)):
        with pytest.raises(UnsupportedModelError, match="has 2 outputs; models of one output are accepted"):
            read_model(source.fit(X, np.stack([y, y], axis=1)))
    column = RandomForestRegressor(3, random_state=0).fit(X, y.astype(float))
    assert_same(column, X)


def test_names_from_the_source():
    X, y = IRIS
    frame = pd.DataFrame(X, columns=["a", "b<c", 'd "e"', ""])
    source = RandomForestClassifier(3, random_state=0).fit(frame, y)
    model = assert_same(source, frame)
    assert model.named and model.feature_names == ("a", "b<c", 'd "e"', "")
    shuffled = frame[["", "b<c", "a", 'd "e"']]
    assert np.array_equal(model.predict(shuffled), source.predict(frame))
    assert np.array_equal(model.predict(X), source.predict(frame))
    assert read_model(source.fit(pd.DataFrame(X), y)).feature_names == ("x0", "x1", "x2", "x3")


@pytest.mark.parametrize(
    "names",
    [list("abcd"), tuple("abcd"), np.array(list("abcd")), pd.Index(list("abcd")), iter("abcd")],
    ids=lambda n: type(n).__name__,
)
def test_r102_given_names(names):
    """R102, R108: any sequence of str, its length checked at once."""
    model = read_model(DecisionTreeClassifier().fit(*IRIS), feature_names=names)
    assert model.feature_names == tuple("abcd") and model.named
    assert all(type(name) is str for name in model.feature_names)


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (list("abc"), "feature_names has 3 names; the model has 4 features"),
        (list("abca"), r"feature_names\[0\] and \[3\] are both 'a'"),
        (["a", "b", ["c"], "d"], r"feature_names\[2\] is \['c'\]; a str is accepted"),
        (["a", "b", None, "d"], r"feature_names\[2\] is None"),
        ("abcd", "feature_names is 'abcd'; a sequence"),
        (7, "feature_names is 7"),
    ],
)
def test_r102_r107_r108_names_that_do_not_fit(names, says):
    with pytest.raises(InvalidInputError, match=says):
        read_model(DecisionTreeClassifier().fit(*IRIS), feature_names=names)
    with pytest.raises(InvalidInputError, match=says):
        read_model(build_tree({"class": 0}, ["p", "q", "r", "s"]), feature_names=names)


def test_r108_integer_names_become_text():
    assert read_model(DecisionTreeClassifier().fit(*IRIS), feature_names=range(4)).feature_names == tuple("0123")


def test_an_ensemble_is_returned_as_it_is():
    model = build_tree({"class": 0}, ["x"])
    assert read_model(model) is model


def test_paths(tmp_path):
    source = RandomForestClassifier(3, random_state=0).fit(*IRIS)
    model = read_model(source)
    model.save(tmp_path / "m.json")
    joblib.dump(source, tmp_path / "m.joblib")
    for path in (tmp_path / "m.json", str(tmp_path / "m.json")):
        assert verify_model(read_model(path), source)
    with pytest.raises(InvalidInputError, match=r"is a joblib or pickle file, and opening it runs code.*trusted=True"):
        read_model(tmp_path / "m.joblib")
    assert verify_model(read_model(tmp_path / "m.joblib", trusted=True), source)
    (tmp_path / "bad.pkl").write_bytes(b"\x80\x05garbage")
    with pytest.raises(InvalidModelError, match=r"bad.pkl' cannot be opened"):
        read_model(tmp_path / "bad.pkl", trusted=True)
    with pytest.raises(FileNotFoundError):
        read_model(tmp_path / "none.joblib", trusted=True)
    (tmp_path / "bad.txt").write_text("?")
    with pytest.raises(InvalidModelError, match="is not JSON"):
        read_model(tmp_path / "bad.txt", trusted=True)


def test_nothing_of_scikit_learn_is_imported_for_other_models():
    code = (
        "import sys, xylogic as xl\n"
        "model = xl.read_model(xl.build_tree({'class': 0}, ['x']))\n"
        "model.predict([[1.0]])\n"
        "try: xl.read_model(object())\n"
        "except xl.UnsupportedModelError: pass\n"
        "heavy = {'sklearn', 'pandas', 'narwhals', 'scipy', 'joblib'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
