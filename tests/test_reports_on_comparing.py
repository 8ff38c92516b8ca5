"""What a new user of the comparing functions ran into."""

import pytest

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
