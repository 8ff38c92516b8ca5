"""The ways to a score agree: counts and quadrature, all orders, conflict sets and circuits, and the estimate."""

from __future__ import annotations

import json
import pickle
import random
from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier

import xylogic as xl
from xylogic.budget import Budget
from xylogic.importance import game as games
from xylogic.importance.conflicts import minimal
from xylogic.importance.indices import counted_scores, exact_scores, pivot_scores, reason_scores
from xylogic.importance.order import components, orders
from xylogic.importance.sampling import sample_pivots


def random_sets(seed: int, n: int, most: int) -> list[int]:
    source = random.Random(seed)
    return minimal({source.randint(1, 2**n - 1) for _ in range(source.randint(1, most))}, Budget())


def hit(sets: list[int], coalition: int) -> bool:
    return all(one & coalition for one in sets)


@pytest.mark.parametrize("seed", range(40))
def test_counts_and_quadrature_agree(seed: int) -> None:
    n = 3 + seed % 9
    game = games.game_of_conflicts(random_sets(seed, n, 12), range(n), Budget())
    for index in ("shapley", "banzhaf"):
        exact = counted_scores(game.diagram, game.n_players, index, Budget())
        floats = pivot_scores(game.diagram, game.n_players, index, Budget())
        assert floats == pytest.approx([float(score) for score in exact], abs=1e-15)
        assert (floats > 0).all()


@pytest.mark.parametrize("seed", range(40))
def test_diagrams_are_the_game_in_every_order(seed: int) -> None:
    n = 3 + seed % 6
    sets = random_sets(seed, n, 10)
    for order in [*orders(sets, n), random.Random(seed).sample(range(n), n)]:
        game = games._game_in_order(sets, order, range(n), Budget())
        assert set(game.players) == {f for f in range(n) if any(s >> f & 1 for s in sets)}
        diagram = game.diagram
        for coalition in range(2**n):
            node = diagram.root
            while node > 1:
                present = coalition >> game.players[diagram.level[node]] & 1
                node = int(diagram.high[node] if present else diagram.low[node])
            assert (node == 1) == hit(sets, coalition)


def test_components_are_apart() -> None:
    assert components([0b11, 0b1100, 0b110, 0b110000]) == [(0b1111, [0b11, 0b1100, 0b110]), (0b110000, [0b110000])]


def test_a_node_limit_ends_the_attempts() -> None:
    source = random.Random(0)
    sets = minimal({sum(1 << f for f in source.sample(range(24), 6)) for _ in range(200)}, Budget())
    size = games.game_of_conflicts(sets, range(24), Budget()).diagram.n_nodes
    assert size > 4000
    with pytest.raises(xl.BudgetExceeded, match=f"limit of {size // 2} search nodes"):
        games.game_of_conflicts(sets, range(24), Budget(node_limit=size // 2))


def test_scores_of_a_list_and_of_a_family_are_one_formula() -> None:
    sets = random_sets(5, 8, 9)
    game = games.game_of_conflicts(sets, range(8), Budget())
    wins = [s for s in range(256) if hit(sets, s)]
    reasons = minimal(wins, Budget())
    for index in ("deegan-packel", "holler-packel", "responsibility"):
        found = dict(zip(game.players, exact_scores(game, index, Budget()), strict=True))
        for f, score in found.items():
            mine = [r for r in reasons if r >> f & 1]
            expected = {
                "deegan-packel": sum(Fraction(1, r.bit_count() * len(reasons)) for r in mine),
                "holler-packel": Fraction(len(mine), len(reasons)),
                "responsibility": max(Fraction(1, r.bit_count()) for r in mine),
            }
            assert score == expected[index]
    assert reason_scores("holler-packel", *(({2: 4}), [{2: 1}, {2: 4}])) == [Fraction(1, 4), 1]


@pytest.fixture(scope="module")
def wine() -> tuple[RandomForestClassifier, np.ndarray]:
    X, y = load_wine(return_X_y=True)
    return RandomForestClassifier(25, max_depth=4, random_state=0, n_jobs=1).fit(X, y), X


def test_limits_turn_shapley_into_an_estimate_that_says_so(wine) -> None:
    forest, X = wine
    exact = xl.Explainer(forest).explain(X[59]).importance()
    assert exact.status == "exact" and sum(exact.fractions.values()) == 1
    limited = xl.Explainer(forest, node_limit=60)
    e = limited.explain(X[59])
    estimate = e.importance(samples=2000, random_state=1)
    status = e.status["shapley_importance"]
    assert estimate.status == status.status == "partial"
    assert status.bounds["orders"] == 2000 and 0 < status.bounds["widest interval"] < 0.2
    for name, score in exact.items():
        low, high = estimate.intervals[name]
        assert low <= score <= high and low <= estimate[name] <= high
    assert sum(estimate.values()) == pytest.approx(1, abs=1e-9)
    again = limited.explain(X[59]).importance(samples=2000, random_state=1)
    assert again == estimate and again.intervals == estimate.intervals
    assert limited.explain(X[59]).importance(samples=2000, random_state=2) != estimate
    with pytest.raises(xl.BudgetExceeded):
        e.importance("banzhaf")
    assert "an estimate" in str(e)
    assert json.loads(json.dumps(e.to_dict()))["answers"]["shapley_importance"]["status"] == "partial"
    kept = pickle.loads(pickle.dumps(estimate))
    assert kept == estimate and kept.intervals == estimate.intervals and kept.status == "partial"


@pytest.mark.parametrize("known", [0, 5, 1000])
def test_intervals_hold_the_true_values(wine, known: int) -> None:
    """95 % each, by Clopper and Pearson's bound: of 13 features and 20 seeds at most a few may lie outside."""
    forest, X = wine
    e = xl.Explainer(forest, engine="search").explain(X[59])
    exact = list(e.importance().values())
    work, decision = e._enumeration(e._decision.flip), e._decision
    conflicts = sorted(work.conflicts())[:known]
    names = [cells.name for cells in decision.engine.forest.cells]
    truth = np.array([e.importance()[name] for name in names])
    assert len(exact) == len(names)
    outside = 0
    for seed in range(20):
        found = sample_pivots(decision.engine, decision.flip, decision.states, conflicts, 200, seed, Budget())
        outside += int(((truth < found.low) | (truth > found.high)).sum())
        if known == 1000:
            assert found.controlled and found.values == pytest.approx(truth, abs=1e-12)
    assert outside <= 13


def test_circuits_and_search_give_one_game(wine) -> None:
    forest, X = wine
    small = RandomForestClassifier(6, max_depth=4, random_state=0).fit(X, forest.predict(X))
    for row in X[[0, 59, 130]]:
        by_search, by_circuit = (xl.Explainer(small, engine=name).explain(row) for name in ("search", "diagram"))
        for index in ("shapley", "banzhaf", "johnston", "responsibility"):
            assert by_search.importance(index).fractions == by_circuit.importance(index).fractions


def test_many_rows_at_once(wine) -> None:
    forest, X = wine
    what = ("prediction", "shapley_importance", "deegan_packel_importance")
    found = xl.Explainer(forest).explain_many(X[:2], what)
    for row, answers in zip(X[:2], found, strict=True):
        e = xl.Explainer(forest).explain(row)
        assert answers["shapley_importance"] == e.importance() and answers["status"] == "exact"
        assert answers["deegan_packel_importance"] == e.importance("deegan-packel")
    (limited,) = xl.Explainer(forest, node_limit=60).explain_many(X[59:60], what[:2])
    assert limited["status"] == "partial"
