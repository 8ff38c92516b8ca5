"""convert/pipeline.py: scalers and a model, explained in the original columns."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.ensemble import ExtraTreesRegressor, GradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer, PowerTransformer, RobustScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

from xylogic import (
    InvalidInputError,
    InvalidModelError,
    NotFittedError,
    UnsupportedModelError,
    read_model,
    verify_model,
)

X, Y = load_iris(return_X_y=True)
RNG = np.random.default_rng(0)
HARD = np.column_stack([X, np.full(len(X), 5.0), RNG.normal(size=len(X)) * 1e-8, X[:, 0] * 1e12 - 3e12, X[:, 1] % 1])
FOREST = RandomForestClassifier(8, random_state=0)

CHAINS = [
    [StandardScaler()],
    [StandardScaler(with_mean=False)],
    [StandardScaler(with_std=False)],
    [StandardScaler(with_mean=False, with_std=False)],
    [MinMaxScaler()],
    [MinMaxScaler((-3, 7), clip=True)],
    [MaxAbsScaler()],
    [RobustScaler()],
    [RobustScaler(with_centering=False, unit_variance=True, quantile_range=(10, 90))],
    [RobustScaler(with_scaling=False)],
    ["passthrough", StandardScaler(), None, MinMaxScaler(clip=True), RobustScaler(), MaxAbsScaler()],
]


def chained(steps, last):
    return Pipeline([*((f"s{i}", step) for i, step in enumerate(steps)), ("model", last)])


def assert_same(source, data=None):
    model = read_model(source)
    verdict = verify_model(model, source, data, n=300)
    assert verdict, str(verdict)
    return model


def check_every_cut(model, source):
    """Each cut is the largest float64 that goes left: the source agrees on it and on its neighbours."""
    base = X[:1] if len(model.features) == 4 else HARD[:1]
    for column, feature in enumerate(model.features):
        cuts = np.array(feature.cuts)
        rows = np.repeat(base, 3 * len(cuts), axis=0)
        rows[:, column] = np.concatenate([cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf)])
        if len(rows):
            assert np.array_equal(model.predict(rows), source.predict(rows))
            scaled = rows if len(source.steps) == 1 else source[:-1].transform(rows)
            assert np.array_equal(model.apply(rows), source[-1].apply(scaled).reshape(len(rows), -1))


@pytest.mark.parametrize("steps", CHAINS, ids=lambda steps: ", ".join(map(str, steps)))
@pytest.mark.parametrize("data", [X, HARD], ids=["iris", "hard"])
def test_scaled_forests_bit_for_bit(steps, data):
    source = chained(steps, FOREST).fit(data, Y)
    model = assert_same(source, data)
    assert model.cast == "float64" and model.voting == "average"
    check_every_cut(model, source)


@pytest.mark.parametrize(
    "last", [DecisionTreeClassifier(), DecisionTreeRegressor(), ExtraTreeClassifier(), ExtraTreesRegressor(5)], ids=str
)
def test_every_kind_of_model(last):
    source = make_pipeline(StandardScaler(), MinMaxScaler(), last.set_params(random_state=0)).fit(X, Y)
    model = assert_same(source, X)
    assert model.source == f"scikit-learn Pipeline (StandardScaler, MinMaxScaler, {type(last).__name__})"


def test_scalers_fitted_in_float32():
    source = make_pipeline(MinMaxScaler(), RobustScaler(), FOREST).fit(HARD.astype(np.float32), Y)
    assert source[0].scale_.dtype == np.float32
    check_every_cut(assert_same(source, HARD), source)


def test_missing_values_pass_through():
    gaps = X.copy()
    gaps[RNG.random(X.shape) < 0.2] = np.nan
    source = make_pipeline(StandardScaler(), MinMaxScaler(clip=True), FOREST).fit(gaps, Y)
    model = assert_same(source, gaps)
    assert model.accepts_missing
    refusing = make_pipeline(StandardScaler(), ExtraTreeClassifier(splitter="best", random_state=0)).fit(X, Y)
    assert not assert_same(refusing, X).accepts_missing


def test_a_column_without_any_value():
    gaps = np.column_stack([X, np.full(len(X), np.nan)])
    with np.errstate(all="ignore"):
        source = make_pipeline(StandardScaler(), FOREST).fit(gaps, Y)
    assert_same(source, gaps)


def test_numbers_that_the_pipeline_refuses_are_refused():
    source = make_pipeline(StandardScaler(), FOREST).fit(X, Y)
    model = assert_same(source)
    low, high = model.limits[0]
    row = X[0].copy()
    for value, fine in [(high, True), (np.nextafter(high, np.inf), False), (low, True), (-1.7e308, False)]:
        row[0] = value
        if fine:
            assert model.predict([row]).tolist() == source.predict([row]).tolist()
        else:
            with pytest.raises(ValueError, match=r"infinity|too large"):
                source.predict([row])
            with pytest.raises(InvalidInputError, match=r"column 'x0', row 0: .* is infinite or too large"):
                model.predict([row])
    clipped = read_model(make_pipeline(MinMaxScaler(clip=True), FOREST).fit(X, Y))
    assert clipped.limits[0] == (-1.7976931348623157e308, 1.7976931348623157e308)


def test_clipping_makes_far_cuts_constant():
    """A cut at or beyond the clipped range sends every number the same way."""
    source = make_pipeline(MinMaxScaler(clip=True), DecisionTreeClassifier(max_depth=2, random_state=0)).fit(X, Y)
    source[-1].tree_.threshold[0]  # a cut inside the range
    source[0].feature_range = (0.9, 1.0)  # everything is now clipped to at least 0.9
    model = assert_same(source, X)
    assert len(model.features[source[-1].tree_.feature[0]].cuts) == 0


def test_names_of_the_original_columns():
    frame = pd.DataFrame(X, columns=list("abcd"))
    source = make_pipeline(StandardScaler(), FOREST).fit(frame, Y)
    model = assert_same(source, frame)
    assert model.named and model.feature_names == tuple("abcd")
    with sklearn.config_context(transform_output="pandas"):
        assert_same(make_pipeline(StandardScaler(), FOREST).fit(frame, Y), frame)
    framed = make_pipeline(StandardScaler(), FOREST).set_output(transform="pandas")
    assert_same(framed.fit(frame, Y), frame)
    unnamed = read_model(framed.fit(X, Y))
    assert not unnamed.named and unnamed.feature_names == ("x0", "x1", "x2", "x3")


def test_no_scaler_at_all():
    source = chained(["passthrough", None], FOREST).fit(X, Y)
    model = assert_same(source, X)
    assert model.cast == "float32" and model.limits is None


def test_r015_searches_around_and_inside_a_pipeline():
    source = GridSearchCV(make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0)), {}, cv=2).fit(X, Y)
    assert_same(source, X)
    inside = make_pipeline(StandardScaler(), GridSearchCV(DecisionTreeClassifier(random_state=0), {}, cv=2)).fit(X, Y)
    assert_same(inside, X)


class Doubled(StandardScaler):
    def transform(self, X, copy=None):
        return 2 * super().transform(X, copy)


class Renamed(StandardScaler):
    """Inherits transform as it is."""


@pytest.mark.parametrize(
    "step",
    [PCA(2), Normalizer(), PowerTransformer(), Doubled(), ColumnTransformer([("s", StandardScaler(), [0, 1])])],
    ids=str,
)
def test_r015_other_steps_are_refused_by_name(step):
    """R015: refuse with the exact step, and say which are allowed."""
    source = Pipeline([("ok", StandardScaler()), ("odd", step), ("tree", DecisionTreeClassifier())]).fit(X, Y)
    says = f"step 'odd' of the pipeline is a {type(step).__name__}; allowed before the model are 'passthrough', None, "
    with pytest.raises(UnsupportedModelError, match=says):
        read_model(source)


def test_other_last_steps_are_refused_by_name():
    for last in (GradientBoostingClassifier(n_estimators=1), make_pipeline(DecisionTreeClassifier())):
        with pytest.raises(UnsupportedModelError, match=f"step 'model' of the pipeline is a {type(last).__name__}"):
            read_model(chained([StandardScaler()], last).fit(X, Y))
    with pytest.raises(UnsupportedModelError, match="step 'model' of the pipeline is a str"):
        read_model(chained([StandardScaler()], "passthrough"))


def test_derived_scalers_that_keep_transform():
    assert_same(make_pipeline(Renamed(), FOREST).fit(X, Y), X)


def test_unfitted_steps():
    with pytest.raises(NotFittedError, match="step 's0' of the pipeline is not fitted"):
        read_model(chained([StandardScaler()], DecisionTreeClassifier()))
    with pytest.raises(NotFittedError, match="this DecisionTreeClassifier is not fitted"):
        read_model(chained([StandardScaler().fit(X)], DecisionTreeClassifier()))


def test_tampered_scalers_are_refused():
    source = make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0)).fit(X, Y)
    source[0].scale_ = -source[0].scale_
    with pytest.raises(UnsupportedModelError, match="order of numbers"):
        read_model(source)
    source[0].scale_ = np.full(4, np.nan)
    with pytest.raises(UnsupportedModelError, match=r"turn every number in column . into NaN"):
        read_model(source)
    with pytest.raises(InvalidModelError, match="StandardScaler has 2 columns, the model 4"):
        read_model(make_pipeline(StandardScaler().fit(X[:, :2]), DecisionTreeClassifier().fit(X, Y)))


def test_constant_forests_have_no_cuts():
    source = make_pipeline(StandardScaler(), RandomForestClassifier(3, max_depth=1, min_samples_leaf=140)).fit(X, Y)
    assert assert_same(source, X).n_nodes == 3


def test_integers_are_exact_and_float32_is_not_promised():
    source = make_pipeline(StandardScaler(), FOREST).fit((X * 10).astype(int), Y)
    whole = (X * 10).astype(int)
    assert np.array_equal(read_model(source).predict_proba(whole), source.predict_proba(whole))
