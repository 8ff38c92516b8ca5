"""Impurity is the loss of the best constant: told in closed form, judged by trying constants and by exact sums."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import xylogic as xl
from grow_oracle import class_loss, medians, number_loss
from xylogic.grow.criteria import CLASS_CRITERIA, NUMBER_CRITERIA, best_constant

COUNTS = st.lists(st.integers(0, 9), min_size=2, max_size=4).filter(any)
TARGETS = st.lists(st.integers(0, 9), min_size=1, max_size=7)
WEIGHTS = st.lists(st.integers(1, 5), min_size=7, max_size=7)
SYNONYMS = {"log_loss": "entropy", "friedman_mse": "squared_error"}


def mean_loss(targets, weight, constant, criterion) -> float:
    """The average loss of answering ``constant`` to everything."""
    if criterion == "absolute_error":
        losses = np.abs(targets - constant)
    elif criterion == "poisson":
        logs = [y * math.log(y / constant) if y else 0.0 for y in targets]
        losses = np.array(logs) - targets + constant
    else:
        losses = (targets - constant) ** 2
    return float(np.average(losses, weights=weight))


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
@given(counts=COUNTS)
def test_counts_have_the_impurity_of_the_definition(criterion, counts):
    exact = class_loss([Fraction(n) for n in counts], SYNONYMS.get(criterion, criterion)) / sum(counts)
    assert xl.impurity(counts, criterion) == pytest.approx(float(exact), rel=1e-14, abs=1e-15)


@pytest.mark.parametrize("criterion", NUMBER_CRITERIA)
@given(targets=TARGETS, weight=WEIGHTS)
def test_targets_have_the_impurity_of_the_definition(criterion, targets, weight):
    weight = weight[: len(targets)]
    parts = [Fraction(y) for y in targets], [Fraction(w) for w in weight]
    exact = number_loss(*parts, SYNONYMS.get(criterion, criterion)) / sum(weight)
    assert xl.impurity(targets, criterion, weights=weight) == pytest.approx(float(exact), rel=1e-12, abs=1e-14)
    repeated = np.repeat(targets, weight)
    assert xl.impurity(repeated, criterion) == pytest.approx(float(exact), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("criterion", NUMBER_CRITERIA)
@given(targets=TARGETS.filter(any), weight=WEIGHTS, other=st.floats(0.125, 9))
def test_no_constant_is_better_than_the_best(criterion, targets, weight, other):
    targets, weight = np.array(targets, float), np.array(weight[: len(targets)])
    constant = best_constant(targets, criterion, weights=weight)
    least = mean_loss(targets, weight, constant, criterion)
    assert xl.impurity(targets, criterion, weights=weight) == pytest.approx(least, rel=1e-9, abs=1e-9)
    assert least <= mean_loss(targets, weight, other, criterion) + 1e-12
    low, high = medians([Fraction(y) for y in targets], [Fraction(int(w)) for w in weight])
    if criterion == "absolute_error":
        assert constant == float(low + high) / 2


@given(counts=COUNTS, other=st.lists(st.integers(1, 9), min_size=4, max_size=4))
def test_shares_are_the_best_distribution(counts, other):
    """Of the Brier score (Gini) and of the log-loss (entropy)."""
    shares = np.array(counts) / sum(counts)
    others = np.array(other[: len(counts)]) / sum(other[: len(counts)])
    for criterion in ("gini", "entropy"):
        assert best_constant(counts, criterion) == pytest.approx(shares)

    def brier(c) -> float:
        return float(sum(p * ((np.eye(len(c))[k] - c) ** 2).sum() for k, p in enumerate(shares)))

    def log_loss(c) -> float:
        return float(sum(-p * math.log2(c[k]) for k, p in enumerate(shares) if p))

    assert xl.impurity(counts, "gini") == pytest.approx(brier(shares), abs=1e-14)
    assert brier(shares) <= brier(others) + 1e-14
    assert xl.impurity(counts, "entropy") == pytest.approx(log_loss(shares), abs=1e-14)
    assert log_loss(shares) <= log_loss(others) + 1e-14


@given(left=st.integers(0, 9), right=st.integers(0, 9), more=st.integers(0, 9))
def test_two_classes_by_gini_are_a_regression(left, right, more):
    """Twice the variance of the 0/1 label, and the gains of a split likewise."""
    labels = [0] * (left + 1) + [1] * right
    assert xl.impurity([left + 1, right]) == pytest.approx(2 * xl.impurity(labels, "squared_error"), abs=1e-15)
    sides = [labels, [0] * more + [1]]
    counts = [[side.count(0), side.count(1)] for side in sides]
    gain = xl.split_gain(np.sum(counts, axis=0), counts)
    assert gain == pytest.approx(2 * xl.split_gain(labels + sides[1], sides, "squared_error"), abs=1e-14)


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
@given(left=COUNTS, right=st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any))
def test_no_split_of_classes_loses(criterion, left, right):
    sides = [[*left, 0, 0][:4], right]
    gain = xl.split_gain(np.sum(sides, axis=0), sides, criterion)
    assert gain >= -1e-15
    shares = [[Fraction(n, sum(side)) for n in side] for side in sides]
    if criterion != "misclassification":
        assert (gain > 1e-12) == (shares[0] != shares[1])


@pytest.mark.parametrize("criterion", NUMBER_CRITERIA)
@given(left=TARGETS, right=TARGETS, weight=WEIGHTS)
def test_gain_of_numbers(criterion, left, right, weight):
    weights = [weight[: len(left)], weight[: len(right)]]
    together = weights[0] + weights[1]
    exact = [
        number_loss(
            [Fraction(y) for y in ys], [Fraction(w) for w in ws], SYNONYMS.get(criterion, criterion)
        )
        for ys, ws in [(left + right, together), (left, weights[0]), (right, weights[1])]
    ]  # fmt: skip
    expected = float((exact[0] - exact[1] - exact[2]) / sum(together))
    gain = xl.split_gain(left + right, [left, right], criterion, weights=weights)
    assert gain == pytest.approx(expected, abs=1e-12)
    assert gain >= -1e-12
    if criterion == "friedman_mse":  # as Friedman (2001) writes it
        (n_left, n_right) = map(sum, weights)
        means = [np.average(ys, weights=ws) for ys, ws in zip([left, right], weights, strict=True)]
        improvement = n_left * n_right / (n_left + n_right) * (means[0] - means[1]) ** 2
        assert gain * (n_left + n_right) == pytest.approx(improvement, abs=1e-9)


def test_a_split_may_have_more_than_two_sides():
    assert xl.split_gain([3, 3, 3], [[3, 0, 0], [0, 3, 0], [0, 0, 3]]) == pytest.approx(2 / 3)
    assert xl.split_gain([2, 2], [[2, 0], [0, 2], [0, 0]]) == 0.5


class TestPriorsAndLosses:
    def test_priors_take_the_place_of_the_shares_at_the_root(self):
        assert xl.impurity([90, 10], priors=[0.5, 0.5]) == pytest.approx(0.5)
        assert xl.impurity([9, 4], priors=[0.5, 0.5], totals=[90, 10]) == pytest.approx(2 * 0.2 * 0.8)
        assert best_constant([9, 4], priors=[1, 1], totals=[90, 10]) == pytest.approx([0.2, 0.8])

    def test_priors_equal_to_the_shares_change_nothing(self):
        plain = xl.split_gain([6, 4], [[5, 1], [1, 3]])
        assert xl.split_gain([6, 4], [[5, 1], [1, 3]], priors=[0.6, 0.4]) == pytest.approx(plain)
        assert xl.split_gain([6, 4], [[5, 1], [1, 3]], priors=[6, 4]) == pytest.approx(plain)

    def test_equal_priors_are_balanced_class_weights(self):
        sides = [[50, 2], [40, 8]]
        balanced = xl.split_gain([90, 10], sides, "entropy", weights=[100 / 180, 100 / 20])
        assert xl.split_gain([90, 10], sides, "entropy", priors=[0.5, 0.5]) == pytest.approx(balanced)

    def test_a_loss_matrix_is_the_loss_of_the_best_answer(self):
        loss = [[0, 1], [5, 0]]  # missing a row of class 1 costs 5
        assert xl.impurity([8, 2], "misclassification", loss_matrix=loss) == pytest.approx(0.8)
        assert best_constant([8, 2], "misclassification", loss_matrix=loss) == 1
        assert best_constant([8, 2], "misclassification") == 0
        assert best_constant([10, 2], "misclassification", loss_matrix=loss) == 0  # 10 against 10: the first
        assert xl.impurity([8, 2], "misclassification", loss_matrix=[[0, 1], [1, 0]]) == pytest.approx(0.2)

    def test_gini_takes_losses_as_altered_priors(self):
        loss = [[0, 1], [5, 0]]
        assert xl.impurity([8, 2], loss_matrix=loss) == pytest.approx(xl.impurity([8, 10]))
        shares = [0.7 * 1 / (0.7 * 1 + 0.3 * 5), 0.3 * 5 / (0.7 * 1 + 0.3 * 5)]
        assert xl.impurity([8, 2], priors=[0.7, 0.3], loss_matrix=loss) == pytest.approx(1 - sum(p * p for p in shares))


def refused(match: str, *args, ask=xl.impurity, **options):
    with pytest.raises(xl.InvalidInputError, match=match):
        ask(*args, **options)


def test_what_is_refused():
    refused("criterion 'mse' is unknown; accepted: gini, entropy", [1, 2], "mse")
    refused("node has weight 0", [0, 0])
    refused("node has weight 0", [1, 2], weights=[0, 0])
    refused("one dimension and at least one entry", [])
    refused("one dimension", [[1, 2]])
    refused(r"counts\[1\] is -1.0; a finite number >= 0", [1, -1])
    refused(r"counts\[0\] is nan", [math.nan, 1])
    refused(r"targets\[1\] is -0.5; a finite number >= 0", [1, -0.5], "poisson")
    refused(r"targets\[1\] is inf; a finite number is", [1, math.inf], "squared_error")
    refused("no list of numbers", ["a", "b"])
    refused("weights has 3 entries for 2 classes", [1, 2], weights=[1, 2, 3])
    refused("weights has 1 entries for 2 targets", [1, 2], "absolute_error", weights=[1])
    refused("priors belong to classes", [1, 2], "squared_error", priors=[1, 1])
    refused(r"priors\[1\] is given for a class without rows", [1, 0], priors=[1, 1])
    refused(r"loss_matrix has shape \(1, 2\)", [1, 2], loss_matrix=[[0, 1]])
    refused("loss on its diagonal", [1, 2], loss_matrix=[[1, 1], [1, 0]])
    refused("a split has 1 children", [1, 2], [[1, 2]], ask=xl.split_gain)
    refused("the children count", [1, 2], [[1, 1], [1, 0]], ask=xl.split_gain)
    refused(r"children\[1\] counts 3 classes", [1, 2], [[1, 1], [0, 1, 0]], ask=xl.split_gain)
    refused("not those of the parent", [1, 2], [[1], [3]], "squared_error", ask=xl.split_gain)
    refused("weights are 1 lists for 2", [1, 2], [[1], [2]], "squared_error", weights=[[1]], ask=xl.split_gain)


def test_constants_of_numbers():
    assert best_constant([1, 2, 6], "squared_error") == 3
    assert best_constant([1, 2, 6], "absolute_error") == 2
    assert best_constant([1, 2, 6, 8], "absolute_error") == 4
    assert best_constant([1, 2, 6], "absolute_error", weights=[1, 1, 4]) == 6
    assert xl.impurity([0, 0], "poisson") == 0
    assert xl.impurity([1e308, 1e308], "absolute_error") == 0
    refused("their sums overflow", [1e308, 1e308], "squared_error")
    refused("their sums overflow", [1e200, -1e200], "squared_error")
