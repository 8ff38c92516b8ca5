"""What a new user of the comparing functions ran into."""

import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import xylogic as xl
from xylogic import InvalidInputError


def stump(cut):
    return xl.build_tree({"feature": "x", "cut": cut, "left": {"class": "a"}, "right": {"class": "b"}}, ["x"])


ONE, OTHER = stump(1.0), stump(2.0)
FOREST = xl.build_ensemble([ONE, OTHER, ONE], voting="majority")


def test_no_regions_wanted_is_no_proof_that_there_are_none():
    assert xl.compare(ONE, OTHER).regions(0).status == "partial"
    assert xl.compare(ONE, ONE).regions(0).status == "exact"


@pytest.mark.parametrize("limit", [-1, 1.5, "3", True])
@pytest.mark.parametrize("other", [ONE, OTHER, FOREST])
def test_how_many_regions_is_checked(other, limit):
    with pytest.raises(InvalidInputError, match=r"limit is .*whole number"):
        xl.compare(ONE, other).regions(limit)


@pytest.mark.parametrize("missing", [3, [["x"]], "y", [None]])
@pytest.mark.parametrize(
    "ask",
    [
        lambda missing: xl.equivalent(ONE, OTHER, missing=missing),
        lambda missing: xl.compare(ONE, FOREST, missing=missing),
        lambda missing: xl.is_monotone(ONE, "x", missing=missing),
        lambda missing: xl.distinct([ONE, OTHER], missing=missing),
        lambda missing: xl.fingerprint(ONE, missing=missing),
        lambda missing: xl.prime_implicants(ONE, "a", missing=missing),
        lambda missing: xl.compile_model(ONE, missing=missing),
    ],
)
def test_names_of_features_that_may_be_missing_are_checked(ask, missing):
    with pytest.raises(InvalidInputError, match=r"missing (is|names)"):
        ask(missing)


@pytest.mark.parametrize("n_jobs", [0, "a", 1.5])
def test_the_number_of_workers_is_checked(n_jobs):
    asks = [
        lambda: xl.distinct([ONE, OTHER], n_jobs=n_jobs),
        lambda: xl.compare_many([(ONE, OTHER)], n_jobs=n_jobs),
        lambda: xl.RashomonSet.from_trees([ONE, OTHER], n_jobs=n_jobs),
        lambda: xl.Explainer(ONE).explain_many([{"x": 0.0}], n_jobs=n_jobs),
    ]
    for ask in asks:
        with pytest.raises(InvalidInputError, match="n_jobs"):
            ask()


@pytest.mark.parametrize("models", [None, 3, "models.json", ONE])
def test_many_models_are_a_list(models):
    for ask in (xl.distinct, xl.RashomonSet.from_trees):
        with pytest.raises(InvalidInputError, match="a list of"):
            ask(models)


def test_pairs_are_pairs():
    for pairs, words in ((ONE, "pairs is"), ([ONE, OTHER], "a pair is"), ([(ONE, OTHER, ONE)], "pair 0 has 3 models")):
        with pytest.raises(InvalidInputError, match=words):
            xl.compare_many(pairs)


def test_options_of_importance_are_checked():
    e = xl.Explainer(ONE).explain({"x": 0.0})
    with pytest.raises(InvalidInputError, match="normalised is 'yes'"):
        e.importance(normalised="yes")
    with pytest.raises(InvalidInputError, match="marginals is '3'"):
        e.importance("expected-value", marginals=3)


@pytest.mark.parametrize("random_state", ["a", -1, 1.5])
def test_the_seed_of_an_estimate_is_checked_though_the_answer_is_exact(random_state):
    with pytest.raises(InvalidInputError, match="random_state is"):
        xl.Explainer(ONE).explain({"x": 0.0}).importance(random_state=random_state)


def test_a_tolerance_is_checked_the_second_time_too():
    twin = stump(1.0)
    assert xl.equivalent(ONE, twin)
    for tolerance in (None, "", -1.0):
        with pytest.raises(InvalidInputError, match="tolerance"):
            xl.equivalent(ONE, twin, tolerance=tolerance)


def test_a_share_of_zero_is_a_proof():
    wide = xl.build_ensemble([ONE, OTHER, OTHER], voting="majority")
    found = xl.compare(FOREST, ONE, engine="search", time_limit=0.0)
    assert found.equivalence.status.status == "partial"
    found._limits = (None, None, None)
    assert found.disagreement == 0 and found.equivalent
    assert not xl.compare(wide, ONE).equivalent


def test_direction_is_a_truth_value():
    with pytest.raises(InvalidInputError, match="increasing is 'no'"):
        xl.is_monotone(ONE, "x", increasing="no")


def test_rows_are_put_to_a_model_without_names_by_those_it_was_aligned_with():
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0], "b": [9.0, 9.0, 0.0, 0.0]})
    nameless = DecisionTreeClassifier(max_depth=1).fit(frame[["a", "b"]].to_numpy(), [0, 0, 1, 1])
    named = DecisionTreeClassifier(max_depth=1).fit(frame[["a", "b"]], [0, 0, 1, 1])
    for table in (frame, frame[["b", "a"]]):
        assert xl.compare(nameless, named, table).disagreement_on_X == 0
        assert xl.compare(named, nameless, table).disagreement_on_X == 0
    with pytest.raises(InvalidInputError, match="'b'"):
        xl.compare(nameless, named, frame[["a"]])


def test_a_missing_value_of_a_witness_is_null_in_json():
    def routed(way):
        node = {"feature": "x", "cut": 1.0, "left": {"class": "a"}, "right": {"class": "b"}, "missing": way}
        return xl.build_tree(node, [xl.Feature("x", may_be_missing=True)])

    found = xl.equivalent(routed("left"), routed("right"))
    assert found.witness["x"] != found.witness["x"] and found.to_dict()["witness"] == {"x": None}
    (region,) = xl.compare(routed("left"), routed("right")).regions()
    assert region.to_dict()["row"] == {"x": None}
