"""Breiman's ordering theorem: where the best split of the levels respects an order, and where no order will do.

The theorem: if the loss of a side is n φ(s / n), φ concave and s one sum over its rows, some best split of the levels
is a threshold on s / n. It covers two classes and the criteria of means; the counterexamples lie outside of it.
"""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import xylogic as xl
from grow_oracle import class_loss, medians, number_loss, ordered_splits, subsets

N_CASES = 400


def class_levels(rng: random.Random, n_classes: int) -> list[list[Fraction]]:
    """The weight of each class in 2 to 6 levels, none of them empty."""
    levels = []
    while len(levels) < 2 + rng.randrange(5):
        counts = [Fraction(rng.randrange(7), rng.choice((1, 1, 1, 2, 3))) for _ in range(n_classes)]
        if sum(counts):
            levels.append(counts)
    return levels


def number_levels(rng: random.Random, least: int) -> list[tuple[list[Fraction], list[Fraction]]]:
    """The targets and weights of the rows of 2 to 6 levels."""
    levels = []
    for _ in range(2 + rng.randrange(5)):
        size = 1 + rng.randrange(4)
        targets = [Fraction(rng.randint(least, 9)) for _ in range(size)]
        levels.append((targets, [Fraction(rng.randint(1, 4)) for _ in range(size)]))
    return levels


def class_cost(levels, left, criterion) -> Fraction:
    def side(chosen) -> Fraction:
        return class_loss([sum(counts) for counts in zip(*(levels[c] for c in chosen), strict=True)], criterion)

    return side(left) + side(set(range(len(levels))) - left)


def number_cost(levels, left, criterion) -> Fraction:
    def side(chosen) -> Fraction:
        rows = [pair for c in chosen for pair in zip(*levels[c], strict=True)]
        return number_loss(*zip(*rows, strict=True), criterion)

    return side(left) + side(set(range(len(levels))) - left)


def mean(level) -> Fraction:
    targets, weight = level
    return sum(y * w for y, w in zip(targets, weight, strict=True)) / sum(weight)


def best(levels, cost, criterion, splits) -> Fraction:
    return min(cost(levels, left, criterion) for left in splits)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification"])
def test_two_classes_are_ordered_by_their_shares(criterion):
    rng = random.Random(criterion)
    for _ in range(N_CASES):
        levels = class_levels(rng, 2)
        every = range(len(levels))
        ordered = ordered_splits(every, key=lambda c: levels[c][1] / sum(levels[c]))
        difference = best(levels, class_cost, criterion, ordered) - best(levels, class_cost, criterion, subsets(every))
        assert abs(difference) < Fraction(1, 10**40), levels


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_numbers_are_ordered_by_their_means(criterion):
    rng = random.Random(criterion)
    for _ in range(N_CASES):
        levels = number_levels(rng, 0 if criterion == "poisson" else -9)
        every = range(len(levels))
        ordered = ordered_splits(every, key=lambda c: mean(levels[c]))
        difference = best(levels, number_cost, criterion, ordered) - best(
            levels, number_cost, criterion, subsets(every)
        )
        assert abs(difference) < Fraction(1, 10**40), levels


def test_absolute_error_is_not_ordered_by_means():
    levels = [([Fraction(y) for y in targets], [Fraction(1)] * len(targets)) for targets in ((0, 1, 9), (3,), (0,))]
    assert best(levels, number_cost, "absolute_error", subsets(range(3))) == 10
    assert best(levels, number_cost, "absolute_error", ordered_splits(range(3), lambda c: mean(levels[c]))) == 11


def test_absolute_error_is_not_ordered_by_medians():
    rows = {"A": [0] * 20, "B": [10] * 20, "C": [4, 4, 100], "D": [0, 0, 5, 5, 5]}
    levels = [([Fraction(y) for y in targets], [Fraction(1)] * len(targets)) for targets in rows.values()]
    assert number_cost(levels, {0, 3}, "absolute_error") == 117
    assert best(levels, number_cost, "absolute_error", subsets(range(4))) == 117
    middle = [sum(medians(*level)) / 2 for level in levels]
    assert best(levels, number_cost, "absolute_error", ordered_splits(range(4), middle.__getitem__)) == 123


def test_three_classes_are_not_ordered_by_any_share():
    counts = [(9, 1, 0), (9, 2, 0), (0, 1, 0), (5, 2, 5), (5, 2, 1), (2, 0, 1)]
    levels = [[Fraction(n) for n in level] for level in counts]
    every = range(len(levels))
    assert float(best(levels, class_cost, "gini", subsets(every))) == pytest.approx(19.98707, abs=5e-6)
    orders = (ordered_splits(every, lambda c, k=k: levels[c][k] / sum(levels[c])) for k in range(3))
    assert min(float(best(levels, class_cost, "gini", order)) for order in orders) == pytest.approx(20.02404, abs=5e-6)


def test_a_least_leaf_size_can_shut_out_every_ordered_split():
    levels = [[Fraction(n) for n in level] for level in ((2, 0), (1, 1), (6, 2))]
    sizes = [sum(level) for level in levels]

    def fits(left) -> bool:
        return 3 <= sum(sizes[c] for c in left) <= sum(sizes) - 3

    assert [left for left in subsets(range(3)) if fits(left)] == [{0, 1}]
    assert not [left for left in ordered_splits(range(3), lambda c: levels[c][1] / sizes[c]) if fits(left)]


def test_shares_of_levels_decide_through_the_public_functions():
    """The example of the note: 10 rows a level, positives A 2, B 8, C 3, D 7."""
    positive = {"A": 2, "B": 8, "C": 3, "D": 7}

    def after(left) -> float:
        sides = [
            [p := sum(positive[c] for c in side), 10 * len(side) - p] for side in (left, set(positive) - set(left))
        ]
        return xl.impurity([20, 20]) - xl.split_gain([20, 20], sides)

    order = sorted(positive, key=positive.get)
    assert order == ["A", "C", "D", "B"]
    assert [round(after(order[:k]), 3) for k in (1, 2, 3)] == [0.44, 0.375, 0.44]
    every = {left: after(left) for left in subsets("ABCD")}
    assert len(every) == 7
    assert min(every, key=every.get) == frozenset("AC")
    assert round(min(every.values()), 3) == 0.375
