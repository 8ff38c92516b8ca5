"""General sufficient and necessary reasons against the oracle's prime implicants and implicates."""

from __future__ import annotations

import math

import pytest

import xylogic as xl
from models import Draws
from oracle import Oracle
from test_against_oracle import batches, explain, grown_case, judge, places


def wide(oracle: Oracle, reason) -> frozenset:
    """A reason as the oracle writes it: (name, places) of each feature."""
    return frozenset(
        (name, frozenset(places(oracle, oracle.names.index(name), allowed))) for name, allowed in reason.items()
    )


def wides(oracle: Oracle, reasons) -> set[frozenset]:
    found = [wide(oracle, reason) for reason in reasons]
    assert len(set(found)) == len(found) == len(reasons)
    keys = [(reason.size, [oracle.names.index(name) for name in reason.features]) for reason in reasons]
    assert keys == sorted(keys)
    assert [key[0] for key in keys] == reasons.sizes.tolist()
    return set(found)


def is_small(oracle: Oracle) -> bool:
    return math.prod(2 ** len(states) for states in oracle.states) <= 300_000


def check_general(case, d: Draws) -> None:
    oracle, e = case.oracle(), explain(case)
    if not is_small(oracle):
        return
    questions = ["sufficient", "necessary", "shortest"]
    if d.chance(50):
        questions.reverse()
    for question in questions:
        if question == "sufficient":
            reasons = e.general_sufficient_reasons()
            assert wides(oracle, reasons) == oracle.general_sufficient_reasons()
        elif question == "necessary":
            reasons = e.general_necessary_reasons()
            assert wides(oracle, reasons) == oracle.general_necessary_reasons()
        else:
            reasons = e.general_necessary_reasons(shortest=True)
            expected = oracle.general_necessary_reasons()
            assert wides(oracle, reasons) == {reason for reason in expected if len(reason) == oracle.robustness()}
        assert reasons.status == "exact"


def check_general_limits(case, d: Draws) -> None:
    oracle = case.oracle()
    if not is_small(oracle):
        return
    truth = {"sufficient": oracle.general_sufficient_reasons(), "necessary": oracle.general_necessary_reasons()}
    for limit in (0, 1, 2, 1000):
        e = explain(case)
        for kind, ask in (
            ("sufficient", e.general_sufficient_reasons),
            ("necessary", e.general_necessary_reasons),
        ):
            reasons = ask(limit=limit)
            assert wides(oracle, reasons) <= truth[kind] and len(reasons) == min(limit, len(truth[kind]))
            if limit != len(truth[kind]):
                assert reasons.status == ("partial" if limit < len(truth[kind]) else "exact")
            assert wides(oracle, ask()) == truth[kind]
    e = explain(case, node_limit=d.pick([0, 1, 3, 10, 100]))
    for kind, ask in (("sufficient", e.general_sufficient_reasons), ("necessary", e.general_necessary_reasons)):
        reasons = ask()
        found = wides(oracle, reasons)
        assert found == truth[kind] if reasons.status == "exact" else found <= truth[kind]


@pytest.mark.parametrize("batch", batches())
def test_general_reasons(batch, record_property):
    judge([check_general], batch, record_property, "general reasons")


@pytest.mark.parametrize("batch", batches(0.2))
def test_limits(batch, record_property):
    judge([check_general_limits], batch, record_property, "general reasons within limits")


@pytest.mark.parametrize("batch", batches(0.1))
def test_many_trees(batch, record_property):
    judge([check_general], batch, record_property, "general reasons, many trees", trees=(20, 60))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("values", "n_features"), [(8, 2), (5, 3), (4, 4)])
def test_many_states(values, n_features, seed, record_property):
    check_general(grown_case(values, n_features, seed), Draws(seed))
    record_property("judged models: general reasons, many states", 1)


@pytest.mark.parametrize("seed", range(4))
def test_states_beyond_one_word(seed):
    """A categorical feature of 150 categories, and a numeric one of 90 cells."""
    d = Draws(seed)
    colours = tuple(f"c{i}" for i in range(150))
    features = [xl.Feature("colour", "categorical", colours), xl.Feature("size")]
    label = {False: {"class": "no"}, True: {"class": "yes"}}

    def sizes(low: int, high: int) -> dict:
        if high - low == 1:
            return label[d.chance(60)]
        middle = (low + high) // 2
        return {"feature": "size", "cut": middle - 0.5, "left": sizes(low, middle), "right": sizes(middle, high)}

    some = [{"feature": "colour", "in": d.some(colours, 50), "left": sizes(0, 90), "right": sizes(0, 90)}]
    model = xl.build_ensemble([xl.build_tree(tree, features, ("no", "yes")) for tree in some], voting="majority")
    row = {"colour": d.pick(colours), "size": float(d.whole(0, 89))}
    e = xl.Explainer(model).explain(row)
    flips = {
        (colour, size)
        for colour in colours
        for size in range(90)
        if model.predict([{"colour": colour, "size": size}])[0] != e.prediction
    }
    found = 0
    for reason in e.general_sufficient_reasons(limit=50):
        kept = [key for key in flips if reason.matches(dict(zip(("colour", "size"), key, strict=True)))]
        assert not kept and reason.matches(row)
        found += 1
    for reason in e.general_necessary_reasons(limit=50):
        for colour in colours if "colour" in reason else (row["colour"],):
            for size in range(90) if "size" in reason else (row["size"],):
                changed = {"colour": colour, "size": float(size)}
                if all(changed[name] not in reason[name] for name in reason):
                    assert (colour, size) in flips
        found += 1
    assert found


def test_known_answers():
    from test_known_answers import figure_1, susan_tree

    susan = xl.Explainer(susan_tree()).explain({"Age": 60.0, "Btype": "A", "Weight": "over"})
    age = {"Age": (1,)}

    def states(reasons) -> list[dict]:
        return [{name: allowed.states for name, allowed in reason.items()} for reason in reasons]

    assert states(susan.general_sufficient_reasons()) == [{**age, "Btype": (0, 1)}, {**age, "Weight": (2,)}]
    necessary = [{"Btype": (0, 1), "Weight": (0, 2)}, {"Btype": (0, 1, 2), "Weight": (2,)}]
    assert states(susan.general_necessary_reasons()) == [age, *necessary]
    assert states(susan.general_necessary_reasons(shortest=True)) == [age]
    ternary = xl.Explainer(figure_1()).explain({"X": 2, "Y": 2, "Z": 3})
    assert states(ternary.general_sufficient_reasons()) == [{"X": (1, 2), "Y": (1, 2), "Z": (2,)}]
    assert states(ternary.general_necessary_reasons()) == [{"X": (1, 2)}, {"Y": (1, 2)}, {"Z": (2,)}]


def test_known_answers_of_two_ternary_variables():
    features = [xl.Feature(name, "categorical", (1, 2, 3)) for name in "xy"]
    y = {"feature": "y", "in": [1, 2], "left": {"class": True}, "right": {"class": False}}
    model = xl.build_tree({"feature": "x", "in": [1, 2], "left": {"class": True}, "right": y}, features, (False, True))
    e = xl.Explainer(model).explain({"x": 1, "y": 1})
    assert [str(reason) for reason in e.general_sufficient_reasons()] == ["x in {1, 2}", "y in {1, 2}"]
    assert [str(reason) for reason in e.general_necessary_reasons()] == ["x in {1, 2} or y in {1, 2}"]
    assert e.general_necessary_reasons(shortest=True) == e.general_necessary_reasons()
