"""How a forest draws the rows of its trees."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from xylogic.errors import InvalidInputError
from xylogic.grow.bagging import Bagging, number_of_draws, tree_seeds


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("max_samples", [None, 7, 0.5, 60])
def test_the_draws_are_those_of_scikit_learn(weighted, max_samples):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), rng.integers(0, 2, 40)
    weight = rng.uniform(0.1, 3.0, 40) if weighted else None
    forest = RandomForestClassifier(5, max_samples=max_samples, random_state=11).fit(X, y, weight)
    bagging = Bagging(40, number_of_draws(max_samples, 40, weight), weight)
    seeds = tree_seeds(np.random.RandomState(11), 5)
    for seed, expected in zip(seeds, forest.estimators_samples_, strict=True):
        assert bagging.draw(seed).tolist() == expected.tolist()
        assert bagging.counts(seed).tolist() == np.bincount(expected, minlength=40).tolist()


def test_more_seeds_begin_with_the_fewer():
    assert tree_seeds(np.random.RandomState(3), 10)[:4] == tree_seeds(np.random.RandomState(3), 4)


def test_rows_are_drawn_in_proportion_to_their_weight():
    weight = np.array([1.0, 2.0, 5.0, 0.5])
    bagging = Bagging(4, 1000, weight)
    counts = sum(bagging.counts(seed) for seed in range(50))
    share = weight / weight.sum()
    error = np.sqrt(share * (1 - share) / counts.sum())
    assert (np.abs(counts / counts.sum() - share) < 4 * error).all()


@pytest.mark.filterwarnings("ignore:max_samples")
def test_numbers_of_draws():
    weight = np.array([0.5, 2.0, 3.5])
    assert number_of_draws(None, 3, weight) == 3
    assert number_of_draws(10, 3, weight) == 10
    assert number_of_draws(0.5, 3, weight) == 3
    assert number_of_draws(0.5, 3, None) == 1
    assert number_of_draws(0.01, 3, None) == 1
    assert number_of_draws(2.0, 3, None) == 6


def test_fractions_of_strange_weights_are_told():
    with pytest.raises(InvalidInputError, match=r"max_samples=0.5 of a total weight of 2e\+10 are 1e\+10 draws"):
        number_of_draws(0.5, 200, np.full(200, 1e8))
    with pytest.warns(UserWarning, match="are 2 draws a tree"):
        assert number_of_draws(1.0, 200, np.full(200, 0.0125)) == 2
