"""Importance where the answers are known: the paper's gadget trees, worked examples, and where SHAP scores mislead."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import factorial

import pytest

import xylogic as xl
from test_known_answers import susan_tree

ONE = {"class": 1}
ZERO = {"class": 0}


def gadget(r: int):
    """The tree of Theorem 1 of the paper on predictive equivalence: 6r + 3 nodes, 2r + 1 binary features."""

    def test(feature: int, zero: dict, one: dict) -> dict:
        return {"feature": f"x{feature}", "cut": 0.5, "left": zero, "right": one}

    nodes = test(2 * r + 1, ZERO, ONE)
    for k in range(r, 0, -1):
        nodes = test(2 * k - 1, test(2 * k, ZERO, ONE), test(2 * k, ONE, nodes))
    return xl.build_tree(nodes, [xl.Feature(f"x{i + 1}", "boolean") for i in range(2 * r + 1)], (0, 1))


def at_ones(r: int, **limits) -> xl.Explanation:
    return xl.Explainer(gadget(r), **limits).explain([1] * (2 * r + 1))


def table(names: str, ones: str):
    """The tree that tests all binary features in turn and has class 1 at the given rows."""
    rows = set(ones.split())

    def below(prefix: str) -> dict:
        if len(prefix) == len(names):
            return ONE if prefix in rows else ZERO
        return {"feature": names[len(prefix)], "cut": 0.5, "left": below(prefix + "0"), "right": below(prefix + "1")}

    return xl.build_tree(below(""), [xl.Feature(name, "boolean") for name in names], (0, 1))


# r -> index -> score of a feature of a pair, and of the last feature
KNOWN = {
    1: {"shapley": "1/6 2/3", "banzhaf": "1/4 3/4", "johnston": "1/2 2", "deegan-packel": "1/4 1/2"},
    2: {"shapley": "7/60 8/15", "banzhaf": "3/16 9/16", "johnston": "7/6 13/3", "deegan-packel": "1/6 1/3"},
    3: {"shapley": "19/210 16/35", "banzhaf": "9/64 27/64", "johnston": "17/6 10", "deegan-packel": "1/8 1/4"},
}
for _r, _scores in KNOWN.items():
    _scores |= {"holler-packel": "1/2 1", "responsibility": f"1/{_r + 1} 1/{_r + 1}"}


@pytest.mark.parametrize("r", KNOWN)
@pytest.mark.parametrize("engine", ["auto", "diagram"])
def test_gadgets(r: int, engine: str) -> None:
    e = at_ones(r, engine=engine)
    for index, expected in KNOWN[r].items():
        pair, last = map(Fraction, expected.split())
        assert list(e.importance(index).fractions.values()) == [pair] * (2 * r) + [last], index


def closed_form(r: int) -> tuple[Fraction, Fraction]:
    last = Fraction(4**r * factorial(r) ** 2, factorial(2 * r + 1))
    return (1 - last) / (2 * r), last


@pytest.mark.parametrize("engine", ["auto", "diagram"])
def test_gadget_of_thirty(engine: str) -> None:
    """2^30 sufficient reasons, listed nowhere."""
    e = at_ones(30, engine=engine)
    pair, last = closed_form(30)
    assert set(list(e.importance().fractions.values())[:-1]) == {pair}
    assert e.importance().fractions["x61"] == last
    assert f"{float(pair):.10f} {float(last):.10f}" == "0.0140030976 0.1598141412"
    assert e.importance("banzhaf").fractions["x61"] == Fraction(3, 4) ** 30
    assert e.importance("banzhaf").fractions["x7"] == Fraction(1, 4) * Fraction(3, 4) ** 29
    assert e.importance("deegan-packel").fractions["x61"] == Fraction(1, 31)
    assert e.importance("deegan-packel").fractions["x1"] == Fraction(1, 62)
    assert e.importance("holler-packel").fractions["x1"] == Fraction(1, 2)
    assert set(e.importance("responsibility").fractions.values()) == {Fraction(1, 31)}
    with pytest.raises(xl.BudgetExceeded, match="61 are relevant, at most 20"):
        e.importance("johnston")


def test_gadget_of_two_hundred_is_integrated() -> None:
    e = at_ones(200)
    pair, last = closed_form(200)
    found = e.importance()
    assert found.fractions is None and found.status == "exact"
    assert abs(found["x401"] - last) < 1e-13 and abs(found["x1"] - pair) < 1e-13
    assert e.importance("deegan-packel").fractions["x401"] == Fraction(1, 201)


def test_the_gadget_game_is_small() -> None:
    e = at_ones(30)
    game = e._enumeration(e._decision.flip).game(xl.Explainer(gadget(1))._new_budget())
    assert game.diagram.n_nodes - 2 == 2 * 30 + 1


def test_susan() -> None:
    e = xl.Explainer(susan_tree()).explain({"Age": 60.0, "Btype": "A", "Weight": "over"})
    expected = {"shapley": "2/3 1/6 1/6", "banzhaf": "3/4 1/4 1/4", "johnston": "2 1/2 1/2"}
    for index, scores in expected.items():
        assert list(e.importance(index).fractions.values()) == list(map(Fraction, scores.split()))


def test_figure_1_of_the_paper_on_predictive_equivalence() -> None:
    """T1 and T2 are x1 or x2: equal scores everywhere. Theorem 3: any weak sufficient set wins, no other one does."""
    trees = [table(names, "01 10 11") for names in ("ab", "ba")]
    expected = {(1, 1): "1/2 1/2", (0, 1): "0 1", (0, 0): "1/2 1/2", (1, 0): "1 0"}
    johnston = {(1, 1): "1 1", (0, 1): "0 2", (0, 0): "1/2 1/2", (1, 0): "2 0"}
    for tree, row in itertools.product(trees, expected):
        named = dict(zip("ab", row, strict=True))
        explainer = xl.Explainer(tree)
        e = explainer.explain(named)
        for index, scores in (("shapley", expected), ("banzhaf", expected), ("johnston", johnston)):
            found = e.importance(index).fractions
            assert [found[name] for name in "ab"] == list(map(Fraction, scores[row].split()))
        for size in range(3):
            for kept in itertools.combinations("ab", size):
                partial = {name: named[name] for name in kept}
                wins = any(set(reason.features) <= set(kept) for reason in e.sufficient_reasons())
                assert (explainer.is_sufficient(partial) == e.prediction) == wins


def test_expected_values_count_a_feature_that_decides_nothing() -> None:
    e = xl.Explainer(table("abc", "000 011 111")).explain([1, 1, 1])
    assert e.importance("expected-value") == pytest.approx({"a": -1 / 24, "b": 1 / 3, "c": 1 / 3}, abs=1e-15)
    assert e.importance().fractions == {"a": Fraction(0), "b": Fraction(1, 2), "c": Fraction(1, 2)}
    assert e.relevant_features() == ("b", "c")


def test_expected_values_miss_a_feature_that_decides() -> None:
    ones = "0000 0010 0101 1000 1001 1010 1011 1101 1110 1111"
    e = xl.Explainer(table("abcd", ones)).explain([1, 1, 1, 1])
    shap = e.importance("expected-value")
    assert shap == pytest.approx({"a": 3 / 8, "b": -1 / 24, "c": 0.0, "d": 1 / 24}, abs=1e-15)
    assert [reason.features for reason in e.sufficient_reasons()] == [("a", "c"), ("a", "d")]
    assert e.importance().fractions == {"a": Fraction(2, 3), "b": Fraction(0), "c": Fraction(1, 6), "d": Fraction(1, 6)}


def test_constant_model_and_one_relevant_feature() -> None:
    constant = xl.Explainer(table("ab", "00 01 10 11")).explain([0, 1])
    one = xl.Explainer(table("ab", "10 11")).explain([0, 1])
    for index in ("shapley", "banzhaf", "johnston", "deegan-packel", "holler-packel", "responsibility"):
        assert constant.importance(index).fractions == {"a": 0, "b": 0}
        assert constant.importance(index, normalised=True).fractions == {"a": 0, "b": 0}
        assert one.importance(index, normalised=True).fractions == {"a": 1, "b": 0}
    assert one.importance("shapley")["a"] == one.importance("banzhaf")["a"] == 1


def test_features_that_decide_nothing_change_no_score_but_raw_johnston() -> None:
    tree = gadget(2)
    features = [*tree.features, *(xl.Feature(f"idle{i}") for i in range(1100))]
    nodes = table("ab", "01 10 11")
    wide = xl.build_tree(
        {"feature": "a", "cut": 0.5, "left": {"feature": "b", "cut": 0.5, "left": ZERO, "right": ONE}, "right": ONE},
        [*nodes.features, *features[5:]],
        (0, 1),
    )
    e = xl.Explainer(wide).explain({"a": 1, "b": 1, **{f.name: 0.0 for f in features[5:]}})
    assert e.importance()["a"] == e.importance("banzhaf")["a"] == 0.5
    assert e.importance("johnston", normalised=True)["a"] == 0.5
    with pytest.raises(xl.InvalidInputError, match="normalised=True"):
        e.importance("johnston")


def test_bad_arguments_are_named() -> None:
    e = at_ones(1)
    with pytest.raises(xl.InvalidInputError, match="'shap'; accepted: shapley, banzhaf"):
        e.importance("shap")
    with pytest.raises(xl.InvalidInputError, match="marginals go with"):
        e.importance("shapley", marginals={"x1": [0.5, 0.5]})
    with pytest.raises(xl.InvalidInputError, match="no feature 'y'"):
        e.importance("expected-value", marginals={"y": [0.5, 0.5]})
    with pytest.raises(xl.InvalidInputError, match=r"'x1': .* is no distribution"):
        e.importance("expected-value", marginals={"x1": [0.5, 0.6]})
    with pytest.raises(xl.InvalidInputError, match="samples is 0"):
        e.importance(samples=0)


def test_a_deep_tree() -> None:
    """A chain of cuts on x, class 1 between every other pair of them if y is 1: x and y decide together."""
    depth = 20_000
    nodes: dict = {"class": 0}
    y = {"feature": "y", "cut": 0.5, "left": ZERO, "right": ONE}
    for i in range(depth, 0, -1):
        nodes = {"feature": "x", "cut": float(i), "left": y if i % 2 else ZERO, "right": nodes}
    e = xl.Explainer(xl.build_tree(nodes, [xl.Feature("x"), xl.Feature("y", "boolean")], (0, 1))).explain([0.5, 1])
    assert e.importance().fractions == {"x": Fraction(1, 2), "y": Fraction(1, 2)}
    shap = e.importance("expected-value")
    share = (depth // 2) / (depth + 1)  # of x's cells that ask y
    assert sum(shap.values()) == pytest.approx(1 - share / 2)
    assert shap["y"] == pytest.approx((1 / 2 + share / 2) / 2)
