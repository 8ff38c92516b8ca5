"""The oracle judged by itself: dualities, a prediction written a second time, and answers worked out by hand."""

from __future__ import annotations

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest

from models import seeded_case
from oracle import Oracle, cast_number, is_missing
from xylogic import Feature

SEEDS = range(200)


def plain_prediction(model, row):
    """The recipe for one row, in plain Python floats."""
    totals = list(model.base) if model.voting == "sum" else [0.0] * model.trees[0].value.shape[1]
    for tree in model.trees:
        node = 0
        while tree.left[node] >= 0:
            feature = model.features[tree.feature[node]]
            value = row[feature.name]
            if is_missing(value):
                left = tree.missing[node] == 1
            elif feature.kind == "categorical":
                listed = tree.set_items[tree.set_ptr[node] : tree.set_ptr[node + 1]]
                left = feature.categories.index(value) in list(listed)
            else:
                left = cast_number(value, model.cast) <= tree.cut[node]
            node = tree.left[node] if left else tree.right[node]
        leaf = [float(number) for number in tree.value[node]]
        if model.voting == "majority":
            totals[leaf.index(max(leaf))] += 1.0
        else:
            totals = [total + number for total, number in zip(totals, leaf, strict=True)]
    if model.voting == "average":
        totals = [total / len(model.trees) for total in totals]
    if model.classes is None:
        return totals[0]
    if len(totals) == 1:
        return model.classes[totals[0] > 0 or (totals[0] == 0 and model.tie == "last")]
    winners = [label for label, total in zip(model.classes, totals, strict=True) if total == max(totals)]
    return winners[0 if model.tie == "first" else -1]


@pytest.mark.parametrize("seed", SEEDS)
def test_predictions_of_cells_equal_the_plain_recipe(seed):
    case = seeded_case(seed)
    oracle = case.oracle()
    for cell in range(0, len(oracle.cells), 7):
        for choice in range(2):
            places = oracle.cells[cell]
            row = {
                name: oracle.values(i, place)[choice % len(oracle.values(i, place))]
                for i, (name, place) in enumerate(zip(oracle.names, places, strict=True))
            }
            assert oracle.cell(row) == cell
            assert plain_prediction(case.model, row) == oracle.label(oracle.predictions[cell]), f"{case} {row}"
    assert plain_prediction(case.model, case.row) == oracle.prediction


def minimal_hitting_sets(sets, names):
    found = []
    for size in range(len(names) + 1):
        for chosen in map(frozenset, itertools.combinations(names, size)):
            if all(chosen & one for one in sets) and not any(smaller <= chosen for smaller in found):
                found.append(chosen)
    return set(found)


@pytest.mark.parametrize("seed", SEEDS)
def test_dualities(seed):
    oracle = seeded_case(seed).oracle()
    sufficient, necessary = oracle.sufficient_reasons(), oracle.necessary_reasons()
    assert sufficient == minimal_hitting_sets(necessary, oracle.names)
    assert necessary == minimal_hitting_sets(sufficient, oracle.names) or not oracle.flip.any()
    assert oracle.robustness() == min(map(len, necessary), default=math.inf)
    assert {oracle.named(oracle.changed[cell]) for cell in oracle.shortest_flips()} == {
        reason for reason in necessary if len(reason) == oracle.robustness()
    }
    assert not oracle.flip[oracle.at]
    if oracle.ties == "model" and oracle.model.classes:
        changes = set().union(*(oracle.contrastive(target) for target in oracle.targets()))
        assert necessary == {one for one in changes if not any(other < one for other in changes)}


@pytest.mark.parametrize("seed", SEEDS)
def test_every_sufficient_reason_forces_the_class_and_no_part_of_it_does(seed):
    case = seeded_case(seed, regression=False)
    oracle = case.oracle(ties="model")
    for reason in oracle.sufficient_reasons():
        # a sufficient reason fixes the row's cells, and so do its values
        assert oracle.forced({name: case.row[name] for name in reason}) == oracle.prediction
        for name in reason:
            assert oracle.forced({other: case.row[other] for other in reason - {name}}) is None


@pytest.mark.parametrize("seed", SEEDS)
def test_nearest_counterfactual_is_the_cheapest_of_a_grid(seed):
    """Costs add up over features, so the cheapest value of each state is found one feature at a time."""
    case = seeded_case(seed, options=True, regression=False)
    oracle = case.oracle()

    def cheapest(position, place):
        name, feature = oracle.names[position], oracle.features[position]
        grid = [*oracle.values(position, place), feature.lower, feature.upper]
        costs = [math.inf]
        for value in grid:
            try:
                if oracle.place(position, value) == place:
                    costs.append(oracle.cost_of({**case.row, name: value}))
            except (AssertionError, ValueError, TypeError):
                continue  # forbidden, or a bound that does not apply
        return min(costs)

    moves = [[cheapest(i, place) for place in range(len(states))] for i, states in enumerate(oracle.states)]
    for i, place in enumerate(oracle.origin):
        moves[i][place] = 0.0
    costs = [sum(moves[i][place] for i, place in enumerate(oracle.cells[cell])) for cell in np.flatnonzero(oracle.flip)]
    cost, allowance = oracle.nearest()
    best = min(costs, default=math.inf)
    assert best == cost or abs(cost - best) <= allowance + 1e-9


def hand_made(features, trees, classes, **settings):
    """An ensemble as bare arrays: (feature, cut, left, right, value) per node."""
    made = []
    for nodes in trees:
        feature, cut, left, right, value = (np.array(column) for column in zip(*nodes, strict=True))
        n = len(nodes)
        empty = {"missing": np.zeros(n), "set_ptr": np.zeros(n + 1, int), "set_items": np.zeros(0, int)}
        made.append(SimpleNamespace(feature=feature, cut=cut, left=left, right=right, value=value, **empty))
    given = {"voting": "average", "base": (0.0,) * len(classes), "cast": "float64", "tie": "first", **settings}
    return SimpleNamespace(trees=made, features=features, classes=classes, **given)


def stump(position, cut, left, right):
    return [(position, cut, 1, 2, [0.0, 0.0]), (-1, 0.0, -1, -1, left), (-1, 0.0, -1, -1, right)]


def test_known_answers_of_a_conjunction():
    # three stumps vote; class "b" needs two of three features above 0
    features = tuple(Feature(name) for name in "xyz")
    trees = [stump(i, 0.0, [1.0, 0.0], [0.0, 1.0]) for i in range(3)]
    model = hand_made(features, trees, ("a", "b"), voting="majority")
    oracle = Oracle(model, {"x": 1.0, "y": 1.0, "z": -1.0})
    assert oracle.prediction == "b"
    assert oracle.sufficient_reasons() == {frozenset("xy")}
    assert oracle.necessary_reasons() == {frozenset("x"), frozenset("y")}
    assert oracle.robustness() == 1 and len(oracle.shortest_flips()) == 2
    assert oracle.relevant_features() == oracle.necessary_features() == {"x", "y"}
    assert oracle.nearest()[0] == 1.0
    all_high = Oracle(model, {"x": 1.0, "y": 1.0, "z": 1.0})
    pairs = {frozenset("xy"), frozenset("xz"), frozenset("yz")}
    assert all_high.sufficient_reasons() == all_high.necessary_reasons() == all_high.contrastive("a") == pairs
    assert all_high.robustness() == 2 and len(all_high.shortest_flips()) == 3
    assert all_high.forced({"x": 1.0, "z": 1.0}) == "b"
    assert all_high.possible_classes({"x": 1.0, "z": (-1.0, 0.0)}) == {"a", "b"}
    assert all_high.forced({"x": {-1.0, 0.0}, "z": (-1.0, 0.0)}) == "a"


def test_three_readings_of_a_tie():
    # two stumps, two votes: at (1, -1) both classes have one
    features = (Feature("x"), Feature("y"))
    trees = [stump(i, 0.0, [1.0, 0.0], [0.0, 1.0]) for i in range(2)]
    model = hand_made(features, trees, ("a", "b"), voting="majority")
    tied = {"x": 1.0, "y": -1.0}
    assert Oracle(model, tied).prediction == "a"
    assert Oracle(model, tied).sufficient_reasons() == {frozenset("y")}
    assert Oracle(model, tied, ties="winners").sufficient_reasons() == {frozenset("y")}
    assert Oracle(model, tied, ties="merged").sufficient_reasons() == {frozenset()}
    both = {"x": 1.0, "y": 1.0}
    assert Oracle(model, both).robustness() == 1
    assert Oracle(model, both, ties="winners").robustness() == 2
    assert Oracle(model, both, ties="winners").contrastive("a") == {frozenset("x"), frozenset("y")}
    last = hand_made(features, trees, ("a", "b"), voting="majority", tie="last")
    assert Oracle(last, tied).prediction == "b"
    assert Oracle(last, tied).targets() == ["a"] and Oracle(last, tied, ties="winners").targets() == []


def test_rounding_decides_ties():
    # 0.1 + 0.2 is above 0.3 in float64, in one order of the trees only
    features = (Feature("x"),)
    leaves = [[(-1, 0.0, -1, -1, [number, 0.0])] for number in (0.1, 0.2)] + [stump(0, 0.0, [0.0, 0.3], [0.0, 0.0])]
    model = hand_made(features, leaves, ("a", "b"), voting="sum")
    oracle = Oracle(model, {"x": -1.0}, ties="winners")
    assert oracle.prediction == "a" and oracle.targets() == ["b"]
    assert oracle.contrastive("b") == set()


def test_integers_leave_cells_empty():
    features = (Feature("x", "integer"),)
    trees = [stump(0, 2.2, [1.0, 0.0], [0.0, 1.0]), stump(0, 2.7, [1.0, 0.0], [0.0, 1.0])]
    model = hand_made(features, trees, ("a", "b"))
    oracle = Oracle(model, {"x": 1})
    assert [(state.lowest, state.highest) for state in oracle.states[0]] == [(-math.inf, 2), (3, math.inf)]
    assert oracle.nearest() == (pytest.approx((3 - 1) / 0.5), pytest.approx(0, abs=1e-10))


def test_counterfactual_costs_in_single_precision():
    cut = float(np.float32(0.1))
    model = hand_made((Feature("x"),), [stump(0, cut, [1.0, 0.0], [0.0, 1.0])], ("a", "b"), cast="float32")
    assert Oracle(model, {"x": 0.1}).prediction == "a"
    after = float(np.nextafter(np.float32(cut), np.float32(1)))
    assert Oracle(model, {"x": 0.1}).nearest()[0] == after - 0.1
    assert Oracle(model, {"x": 1.1}).nearest()[0] == 1.1 - cut
    bounded = {"x": {"upper": 0.05, "cost": 3.0, "scale": 2.0}}
    assert Oracle(model, {"x": 1.1}, features=bounded).nearest()[0] == 3.0 * (1.1 - 0.05) / 2.0
    assert Oracle(model, {"x": 1.1}, features={"x": {"lower": 0.2}}).nearest()[0] == math.inf
    assert Oracle(model, {"x": 1.1}, features={"x": {"mutable": False}}).nearest()[0] == math.inf
