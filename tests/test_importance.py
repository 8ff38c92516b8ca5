"""Importance against the definitions: all six indices over all subsets, on random trees and forests."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import xylogic as xl
from models import HypothesisDraws, draw_case, seeded_case
from oracle import Oracle
from power_oracle import expected_value_scores, power_indices

INDICES = ("shapley", "banzhaf", "johnston", "deegan-packel", "holler-packel", "responsibility")


def explained(case, engine: str = "auto") -> xl.Explanation:
    return xl.Explainer(case.model, engine=engine, **case.explainer_options()).explain(case.row)


def check(case) -> None:
    oracle = case.oracle()
    expected = power_indices(oracle.sufficient_masks(), oracle.names)
    relevant = oracle.relevant_features()
    for engine in ("auto", "diagram"):
        e = explained(case, engine)
        for index in INDICES:
            found = e.importance(index)
            assert found.fractions == expected[index], (engine, index)
            assert found == {name: float(score) for name, score in expected[index].items()}
            assert found.status == "exact" and list(found) == oracle.names
            assert {name for name, score in found.items() if score > 0} == relevant
            total = sum(expected[index].values())
            wanted = {name: score / total if total else score for name, score in expected[index].items()}
            assert e.importance(index, normalised=True).fractions == wanted
        # The sum rules; of a decision that nothing changes, all scores are 0.
        whole = Fraction(1 if relevant else 0)
        assert sum(e.importance("shapley").fractions.values()) == whole
        assert sum(e.importance("deegan-packel").fractions.values()) == whole


@pytest.mark.parametrize("seed", range(120))
def test_trees_and_forests(seed: int) -> None:
    check(seeded_case(seed))


@pytest.mark.parametrize("seed", range(100))
def test_single_trees(seed: int) -> None:
    check(seeded_case(seed, trees=(1, 1)))


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_whatever_hypothesis_thinks_of(data) -> None:
    check(draw_case(HypothesisDraws(data.draw)))


@pytest.mark.parametrize("seed", range(80))
def test_expected_values(seed: int) -> None:
    case = seeded_case(seed)
    oracle, e = case.oracle(), explained(case)
    if case.classes is None:
        scores = oracle.scores[:, 0]
    elif oracle.scores.shape[1] == 1:
        scores = oracle.scores[:, 0] * (1 if e.prediction == case.model.classes[1] else -1)
    else:
        scores = oracle.scores[:, list(case.model.classes).index(e.prediction)]
    random = np.random.default_rng(seed)
    even = [np.full(len(states), 1 / len(states)) for states in oracle.states]
    drawn = [random.dirichlet(np.ones(len(states))) for states in oracle.states]
    size = max(1.0, float(np.abs(oracle.scores).max()))
    for weights, marginals in ((even, None), (drawn, dict(zip(oracle.names, drawn, strict=True)))):
        found = e.importance("expected-value", marginals=marginals)
        expected = expected_value_scores(oracle, scores, weights)
        assert found == pytest.approx(expected, abs=1e-9 * size, rel=1e-6)
        chances = np.prod([w[oracle.cells[:, i]] for i, w in enumerate(weights)], axis=0)
        mean = float(chances @ scores)
        assert sum(found.values()) == pytest.approx(scores[oracle.at] - mean, abs=1e-9 * size, rel=1e-6)


def rewritten(oracle: Oracle, classes: tuple) -> dict:
    """The tree of the same function that tests every cut of every feature, the features from last to first."""
    label = dict(zip(map(tuple, oracle.cells.tolist()), oracle.predictions.tolist(), strict=True))

    def below(chosen: tuple[int, ...]) -> dict:
        position = len(oracle.names) - 1 - len(chosen)
        if position < 0:
            return {"class": classes[label[chosen[::-1]]]}
        feature, states = oracle.features[position], oracle.states[position]
        branches = [below((*chosen, place)) for place in range(len(states))]
        if feature.kind == "categorical":
            parts = [([category], branch) for category, branch in zip(feature.categories, branches, strict=True)]
            return {"feature": feature.name, "branches": parts}
        node = branches.pop()
        for state in states[-2::-1]:
            node = {"feature": feature.name, "cut": state.high, "left": branches.pop(), "right": node}
        return node

    return below(())


@pytest.mark.parametrize("seed", range(90))
def test_equivalent_trees_score_alike_at_every_instance(seed: int) -> None:
    """Theorems 6, 9 and 10 of the paper on predictive equivalence: trees that compute the same function have the same
    weak sufficient sets at every instance, hence the same scores."""
    case = seeded_case(seed, trees=(1, 1), regression=False, voting="majority")
    oracle = Oracle(case.model)
    if case.routes or len(oracle.cells) > 400 or any(len(states) < 2 for states in oracle.states):
        return
    nodes = rewritten(oracle, case.model.classes)
    other = xl.build_tree(nodes, case.features, case.model.classes, cast=case.cast)
    a, b = xl.Explainer(case.model), xl.Explainer(other)
    for row in oracle.rows(range(0, len(oracle.cells), max(1, len(oracle.cells) // 10))):
        for index in INDICES:
            assert a.explain(row).importance(index) == b.explain(row).importance(index)
