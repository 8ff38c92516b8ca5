"""Fingerprints: what the definition says, equal for equal functions and for those only."""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

import xylogic as xl
from function_cases import changed, normal_pieces, transformed
from models import Draws, seeded_case
from oracle import Oracle, predicted, scores_of
from xylogic.compare import modular_kernel
from xylogic.compare.fingerprint import _as_float64
from xylogic.compare.weights import (
    PRIME,
    category_weight,
    cut_weight,
    label_code,
    missing_weight,
    value_code,
)
from xylogic.errors import BudgetExceeded, InvalidInputError, UnsupportedModelError
from xylogic.model.build import make_ensemble, make_tree


def by_definition(model) -> int:
    """The sum over all cells of the label's code times the product of the cell's weights."""
    oracle = Oracle(model)
    answers = predicted(model, oracle.scores)
    lanes = []
    for lane in (0, 1):
        weights = [[w[lane] for w in state_weights(oracle, position)] for position in range(len(oracle.names))]
        codes = [
            (value_code(float(a)) if model.classes is None else label_code(model.classes[a]))[lane] for a in answers
        ]
        total = 0
        for cell, code in zip(oracle.cells.tolist(), codes, strict=True):
            total += code * math.prod(weights[i][s] for i, s in enumerate(cell))
        lanes.append(total % PRIME)
    return lanes[0] << 61 | lanes[1]


def state_weights(oracle, position) -> list[tuple[int, int]]:
    feature, states = oracle.features[position], oracle.states[position]
    absent = missing_weight(feature.name) if any(s.kind == "missing" for s in states) else (0, 0)
    rest = tuple((1 - a) % PRIME for a in absent)
    if feature.kind == "categorical":
        drawn = [category_weight(feature.name, c) for c in feature.categories]
        scale = [rest[lane] * pow(sum(d[lane] for d in drawn), -1, PRIME) for lane in (0, 1)]
        found = [tuple(d[lane] * scale[lane] % PRIME for lane in (0, 1)) for d in drawn]
    else:
        ends = normal_pieces(oracle.model, feature, states)
        upto = [(0, 0), *(cut_weight(feature.name, end) for end in ends[:-1]), rest]
        found = [tuple((b - a) % PRIME for a, b in zip(*pair, strict=True)) for pair in itertools.pairwise(upto)]
    return found + ([absent] if absent != (0, 0) else [])


@pytest.mark.parametrize("chunk", range(4))
def test_the_number_is_what_the_definition_says(chunk):
    for seed in range(chunk * 150, (chunk + 1) * 150):
        case = seeded_case(seed, trees=(1, 1 if seed % 3 else 3))
        if case.model.n_trees > 1 and case.model.classes is None:
            continue
        assert xl.fingerprint(case.model) == by_definition(case.model), case


@pytest.mark.parametrize("chunk", range(4))
def test_equal_functions_agree_and_others_do_not(chunk, record_property):
    equal = different = 0
    for seed in range(chunk * 450, (chunk + 1) * 450):
        d = Draws(seed)
        case = seeded_case(seed, trees=(1, 1))
        if case.model.n_trees > 1:
            continue
        model = case.model
        known = xl.fingerprint(model)
        oracle = Oracle(model)
        for _ in range(7):
            assert xl.fingerprint(transformed(d, case)) == known, case
            other = changed(d, model)
            same = bool((predicted(model, oracle.scores) == predicted(other, scores_of(other, oracle.table))).all())
            assert (xl.fingerprint(other) == known) == same, case
            equal, different = equal + 1 + same, different + (not same)
    record_property("judged equal pairs", equal)
    record_property("judged pairs that differ", different)
    assert equal >= 2500 and different > 2000


def test_arithmetic():
    numbers = [0, 1, 2, PRIME - 1, PRIME - 2, 2**31, 2**31 - 1, 2**60, 2**30, *range(3**20, 3**38, 3**38 // 50)]
    for a, b in itertools.product((n % PRIME for n in numbers), repeat=2):
        inverse = pow(b, -1, PRIME) if b else 0
        assert modular_kernel.self_test(a, b) == (a * b % PRIME, (a + b) % PRIME, (a - b) % PRIME, inverse)


def test_weights_that_are_zero_are_counted_not_divided_by():
    from xylogic.compare.fingerprint_kernel import tree_sums

    # x <= level 2 -> (x <= level 1 -> A, B), C, where the levels up to 2 weigh 0 together
    ints = lambda *numbers: np.array(numbers, np.int32)  # noqa: E731
    found = tree_sums(
        ints(0, 0, -1, -1, -1), ints(1, 2, -1, -1, -1), ints(4, 3, -1, -1, -1), np.zeros(5, np.int8),
        np.zeros(6, np.int32), ints(), ints(2, 1, 0, 0, 0), ints(0, 0, 0, 1, 2), np.zeros(1, np.uint8), ints(0, 4),
        np.array([[0, 5, 0, 1], [0, 7, 3, 1]]), np.zeros((2, 1), np.int64), np.array([[100, 10, 1], [100, 10, 1]]),
    )  # fmt: skip
    assert found.tolist() == [5 * 100 - 5 * 10 + 1, 7 * 100 - 4 * 10 + 1 - 3]


def test_integer_cuts_in_one_gap_and_other_orders_of_columns_categories_and_classes():
    def tree(cut, names, kinds, levels, classes):
        features = [xl.Feature(n, kinds[n], levels if kinds[n] == "categorical" else ()) for n in names]
        nodes = {"feature": "n", "cut": cut, "left": {"class": "no"}, "right": {
            "feature": "c", "in": ["A", "O"], "left": {"class": "yes"}, "right": {"class": "no"}}}  # fmt: skip
        return xl.build_tree(nodes, features, classes)

    kinds = {"n": "integer", "c": "categorical"}
    a = tree(2.2, ("n", "c"), kinds, ("A", "B", "O"), ("no", "yes"))
    b = tree(2.7, ("c", "n"), kinds, ("O", "A", "B"), ("yes", "no"))
    c = tree(3.0, ("c", "n"), kinds, ("O", "A", "B"), ("yes", "no"))
    d = tree(2.2, ("n", "c"), kinds, ("A", "C", "O"), ("no", "yes"))
    numeric = tree(2.2, ("n", "c"), {**kinds, "n": "numeric"}, ("A", "B", "O"), ("no", "yes"))
    assert xl.fingerprint(a) == xl.fingerprint(b)
    assert len({xl.fingerprint(m) for m in (a, c, d, numeric)}) == 4


def test_single_and_double_precision_agree_where_they_compute_the_same():
    rng = np.random.default_rng(0)
    cuts = np.concatenate([rng.normal(size=500), rng.normal(size=200) * 1e-40, [0.0, 1.0, 16777216.0, -1.0]])
    cuts = cuts.astype(np.float32).astype(np.float64)
    wide = _as_float64(cuts)
    assert (wide.astype(np.float32) == cuts).all()
    assert (np.nextafter(wide, np.inf).astype(np.float32) > cuts).all()
    for cut, same in zip(cuts[:50], wide[:50], strict=True):
        nodes = lambda c: {"feature": "x", "cut": float(c), "left": {"value": 0.0}, "right": {"value": 1.0}}  # noqa: E731
        narrow = xl.build_tree(nodes(cut), ["x"], cast="float32")
        assert xl.fingerprint(narrow) == xl.fingerprint(xl.build_tree(nodes(same), ["x"]))
        assert xl.fingerprint(narrow) != xl.fingerprint(xl.build_tree(nodes(cut), ["x"]))


def test_a_chain_of_100000_tests():
    depth = 100_000
    step, n = np.arange(depth), 2 * depth + 1

    def chain(last):
        feature, cut, left, right = np.full(n, -1), np.zeros(n), np.full(n, -1), np.full(n, -1)
        feature[2 * step], cut[2 * step] = step % 3, depth - step
        left[2 * step], right[2 * step] = 2 * step + 2, 2 * step + 1
        value = (np.arange(n) % 5.0)[:, None]
        value[-1] = last
        tree = make_tree(feature, cut, left, right, value, missing=[0] * n, cast="float64", n_features=3)
        return make_ensemble([tree], list(map(xl.Feature, "abc")), None, voting="average", cast="float64")

    known = xl.fingerprint(chain(9.0))
    assert xl.fingerprint(chain(9.0)) == known != xl.fingerprint(chain(8.0))


def test_a_category_that_stands_for_all_others():
    def tree(levels, other, left):
        nodes = {"feature": "c", "in": left, "left": {"class": 0}, "right": {"class": 1}}
        return xl.build_tree(nodes, [xl.Feature("c", "categorical", tuple(levels), other=other)])

    a, b = tree("AB", "B", ["A"]), tree("CAB", "B", ["A"])
    assert xl.fingerprint(a) == xl.fingerprint(b)
    c, d = tree("ABC", "B", ["A", "C"]), tree("ABC", "A", ["A", "C"])
    assert len({xl.fingerprint(m) for m in (a, c, d)}) == 3
    assert xl.fingerprint(tree("AB", "A", ["A"])) != xl.fingerprint(a) != xl.fingerprint(tree("AB", None, ["A"]))


def test_an_ensemble_agrees_with_the_single_tree_of_its_function():
    leaf = [{"class": c} for c in "ab"]
    one = xl.build_tree({"feature": "x", "cut": 1.0, "left": leaf[0], "right": leaf[1]}, ["x", "y"])
    two = xl.build_tree({"feature": "y", "cut": 1.0, "left": leaf[0], "right": leaf[1]}, ["x", "y"])
    vote = xl.build_ensemble([one, one, two], voting="majority")
    assert xl.fingerprint(vote) == xl.fingerprint(one) != xl.fingerprint(two)


def test_what_is_refused():
    regression = xl.build_tree({"feature": "x", "cut": 1.0, "left": {"value": 0.1}, "right": {"value": 0.2}}, ["x"])
    with pytest.raises(UnsupportedModelError, match="regression ensemble of 2 trees"):
        xl.fingerprint(xl.build_ensemble([regression, regression]))
    with pytest.raises(InvalidInputError, match="no rule for a missing value"):
        xl.fingerprint(regression, missing=["x"])
    with pytest.raises(InvalidInputError, match="names of features"):
        xl.fingerprint(regression, missing=["z"])
    with pytest.raises(InvalidInputError, match="complex"):
        xl.fingerprint(xl.build_tree({"class": 1j}, ["x"], classes=[1j, 2j]))
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(30, random_state=0).fit(X, y)
    with pytest.raises(BudgetExceeded, match="did not fit"):
        xl.fingerprint(forest, node_limit=10)


def test_every_process_finds_the_same_number():
    program = (
        "import xylogic as xl; print(xl.fingerprint(xl.build_tree({'feature': 'naïve', 'cut': 0.1, "
        "'left': {'class': 'a'}, 'right': {'class': 'b'}}, ['naïve'])))"
    )
    run = [sys.executable, "-X", "utf8", "-c", program]
    found = {
        subprocess.run(
            run, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert found == {"5255794355712502529265171693198406476\n"}
