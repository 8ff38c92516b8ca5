"""Text from finished results: dicts in, readable lines out; no engine is asked."""

import math

import numpy as np
import pytest

import xylogic as xl
from xylogic.view.text import apart, duration, explanation_text, number, printable, verification_text


def term(**conditions):
    texts = {name.replace("_", " "): text for name, text in conditions.items()}
    return {
        "text": " and ".join(texts.values()) or "(always)",
        "features": list(texts),
        "conditions": {name: {"text": text} for name, text in texts.items()},
    }


def clause(**conditions):
    made = term(**conditions)
    return {**made, "text": " or ".join(part["text"] for part in made["conditions"].values()) or "(never)"}


def answer(value, status="exact", seconds=0.0012, **bounds):
    return {"status": status, "seconds": seconds, "bounds": bounds, "value": value}


def result(**answers):
    return {
        "model": "scikit-learn RandomForestClassifier, 100 trees, voting average",
        "prediction": "malignant",
        "scores": {"benign": 0.03, "malignant": 0.97},
        "margin": 0.94,
        "row": {"age": 60.0, "area": 107.1, "group": "A", "left": None},
        "answers": answers,
    }


def lines(**answers):
    return explanation_text(result(**answers)).splitlines()[4:]


def test_head():
    assert explanation_text(result()).splitlines() == [
        "Model: scikit-learn RandomForestClassifier, 100 trees, voting average",
        "Prediction: malignant",
        "Scores: benign 0.03, malignant 0.97 (margin 0.94)",
    ]


def test_sufficient_reason():
    reason = term(worst_area="106.1 < worst area <= 114.45", age="age > 55")
    assert lines(sufficient_reason=answer(reason)) == [
        "A sufficient reason for malignant, 2 features  [exact, 1.2 ms]",
        "    106.1 < worst area <= 114.45",
        "    and age > 55",
    ]
    assert lines(sufficient_reason=answer(term())) == [
        "A sufficient reason for malignant, 0 features  [exact, 1.2 ms]",
        "    (always)",
    ]
    partial = lines(sufficient_reason=answer(reason, "partial", 5.0))
    assert partial[0] == "A sufficient reason for malignant, 2 features, perhaps not minimal  [partial, 5 s]"


def test_smallest_sufficient_reason_without_proof_tells_its_bounds():
    assert lines(smallest_sufficient_reason=answer(None, "partial", 10.0, lower=9, upper=30)) == [
        "A smallest sufficient reason: none proven  [partial, 10 s; between 9 and 30 features]"
    ]


def test_lists_are_numbered_and_cut():
    reasons = [clause(**{f"x{i}": f"x{i} > {i}"}) for i in range(12)]
    text = lines(necessary_reasons=answer(reasons))
    assert text[0].startswith("12 necessary reasons for malignant, all there are; ")
    assert text[1] == "    1. x0 > 0"
    assert text[-2:] == ["    10. x9 > 9", "    ... and 2 more"]
    everything = explanation_text(result(necessary_reasons=answer(reasons)), most=None)
    assert "12. x11 > 11" in everything and "more" not in everything
    partial = lines(sufficient_reasons=answer(reasons[:1], "partial", found=1))
    assert partial[0] == "1 sufficient reason for malignant, there may be more  [partial, 1.2 ms]"


def test_contrastive():
    value = {"benign": [clause(age="age > 55", area="area <= 3")], "unknown": []}
    assert lines(contrastive=answer(value)) == [
        "Contrastive reasons; to reach another class, break every condition of one  [exact, 1.2 ms]",
        "    for benign, 1, all there are",
        "        1. age > 55 or area <= 3",
        "    for unknown, 0, all there are",
    ]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (answer(1), "Robustness: 1 feature must change, at the least, to change malignant  [exact, 1.2 ms]"),
        (answer(2), "Robustness: 2 features must change, at the least, to change malignant  [exact, 1.2 ms]"),
        (answer("Infinity"), "Robustness: infinite, nothing changes malignant  [exact, 1.2 ms]"),
        (
            answer(None, "partial", 2.0, lower=3, upper="Infinity"),
            "Robustness: not proven  [partial, 2 s; at least 3 features]",
        ),
    ],
)
def test_robustness(given, text):
    assert lines(robustness=given) == [text]


def test_shortest_flips():
    value = {"n_flips": 12, "boxes": [term(age="age <= 55"), term(area="area > 9")]}
    assert lines(shortest_flips=answer(value)) == [
        "Shortest flips away from malignant, 12 cells in 2 boxes, all there are  [exact, 1.2 ms]",
        "    1. age <= 55",
        "    2. area > 9",
    ]


def test_counterfactual_shows_what_changes():
    other = {"age": 55.0, "area": 107.1, "group": "B", "left": None}
    assert lines(counterfactual=answer(other, cost=1.25)) == [
        "Counterfactual: the nearest row not predicted malignant  [exact, 1.2 ms; cost 1.25]",
        "    age: 60 -> 55",
        "    group: A -> B",
    ]
    assert lines(counterfactual=answer({"benign": other}, "partial", cost=1.25))[0] == (
        "Counterfactual: a row, perhaps not the nearest, predicted benign  [partial, 1.2 ms; cost 1.25]"
    )
    assert lines(counterfactual=answer(other, "partial", lower=0.5, upper=1.25))[0].endswith(
        "[partial, 1.2 ms; cost between 0.5 and 1.25]"
    )
    assert lines(counterfactual=answer(None, cost="Infinity"))[0].startswith(
        "Counterfactual: no row within the bounds is not predicted malignant"
    )


def test_feature_lists():
    assert lines(relevant_features=answer(["age", "area"]), necessary_features=answer([])) == [
        "Relevant features (in some sufficient reason): 2 features  [exact, 1.2 ms]",
        "    age, area",
        "",
        "Necessary features (in every sufficient reason): 0 features  [exact, 1.2 ms]",
    ]
    assert lines(relevant_features=answer(None, "partial", found=["age"])) == [
        "Relevant features (in some sufficient reason): not proven  [partial, 1.2 ms; found age]"
    ]


def test_regression_has_no_scores():
    text = explanation_text(
        {**result(), "prediction": 152.13333333333333, "scores": {"prediction": 152.13333333333333}}
    )
    assert text.splitlines()[1:] == ["Prediction: 152.13333333333333"]


def test_verification():
    assert verification_text({"ok": True, "rows_checked": 1, "mismatches": []}) == (
        "1 row checked, 0 mismatches: equal, bit for bit"
    )
    wrong = {"question": "predict", "model": "a", "source": "b", "row": {"x": 1.0, "y": None}}
    text = verification_text({"ok": False, "rows_checked": 7, "mismatches": [wrong, wrong, wrong]}, most=1)
    assert text.splitlines() == [
        "7 rows checked, 3 mismatches: NOT equal",
        "    predict: model 'a', source 'b', at x = 1, y = missing",
        "    ... and 2 more",
    ]


@pytest.mark.parametrize(
    "names",
    [
        np.array(["a", "b", "c"]),
        pytest.param("pandas", id="pandas index"),
        ("a", "b", "c"),
        [0, 1, 2],
    ],
)
def test_r085_names_of_any_sequence(names):
    from sklearn.tree import DecisionTreeClassifier

    if isinstance(names, str):
        names = pytest.importorskip("pandas").Index(["a", "b", "c"])
    tree = DecisionTreeClassifier(random_state=0).fit(np.eye(3), np.array(["u", "v", "w"]))
    e = xl.Explainer(xl.read_model(tree, feature_names=names)).explain([1.0, 0.0, 0.0])
    e.sufficient_reasons()
    text = str(e)
    assert "Prediction: u" in text and "Scores: u 1, v 0, w 0" in text
    assert any(f"{name} <= 0.5" in text for name in names)


def test_r086_each_number_has_a_name_and_a_unit():
    text = explanation_text(
        result(
            robustness=answer(2),
            shortest_flips=answer({"n_flips": 1, "boxes": [term(age="age <= 55")]}),
            counterfactual=answer({**result()["row"], "age": 5.0}, cost=0.5),
            smallest_sufficient_reason=answer(None, "partial", 61.0, lower=2, upper=3),
        )
    )
    for words in (
        "margin 0.94",
        "2 features",
        "1 cell in 1 box",
        "cost 0.5",
        "1.2 ms",
        "between 2 and 3 features",
        "61 s",
    ):
        assert words in text


def test_r088_names_are_shown_literally_and_cannot_steer_a_terminal():
    hostile = {'a<b & "c"': "1", "\x1b[31m": "2", "two\nlines": "3", "\u202eleft": "4", "\ud800": "5"}
    reason = term(**{name: f"{name} > {value}" for name, value in hostile.items()})
    text = explanation_text(
        {
            **result(sufficient_reasons=answer([reason])),
            "prediction": "<script>",
            "scores": {"<script>": 1.0, "\r": 0.0},
        }
    )
    assert 'a<b & "c" > 1' in text and "Prediction: <script>" in text
    for escaped in (r"\x1b[31m > 2", r"two\nlines > 3", r"\u202eleft > 4", r"\ud800 > 5", r"\r 0"):
        assert escaped in text
    assert all(character.isprintable() for line in text.split("\n") for character in line)


def test_r092_many_classes_need_no_more_than_text():
    scores = {f"class {i}": i / 66 for i in range(12)}
    assert "class 11 0.1667" in explanation_text({**result(), "scores": scores})


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([0.001, 0.004], ["0.001", "0.004"]),
        ([0.5000001, 0.4999999], ["0.5000001", "0.4999999"]),
        ([0.1 + 0.2, 0.7], ["0.3", "0.7"]),
        ([1.0, 0.0], ["1", "0"]),
        ([0.3, 0.1 + 0.2], ["0.29999999999999999", "0.30000000000000004"]),
        ([0.5, 0.5], ["0.5", "0.5"]),
        ([], []),
    ],
)
def test_r091_scores_have_the_fewest_digits_that_keep_them_apart(values, texts):
    assert apart(values) == texts


@pytest.mark.parametrize("value", [0.001, 0.1, 1e-310, 17.990000000000002, -3.5, 1e16, 1e300, 123456789.5])
def test_r091_numbers_read_back_exactly(value):
    assert float(number(value)) == value


def test_r091_whole_numbers_print_whole():
    assert [number(v) for v in (3.0, 7, True, -0.0, math.inf, None, math.nan, "a")] == [
        "3", "7", "True", "0", "inf", "missing", "missing", "a",
    ]  # fmt: skip


def test_r091_cuts_of_one_feature_stay_apart():
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(random_state=0).fit([[0.001], [0.002], [0.003]], [0, 1, 0])
    e = xl.Explainer(xl.read_model(tree, feature_names=["rate"])).explain([0.002])
    assert str(e.sufficient_reason()) == "0.0015 < rate <= 0.0025"


def test_durations():
    assert [duration(s) for s in (1.2e-5, 0.0012, 0.25, 0.9999, 1.234, 61.5, 3600)] == [
        "0.012 ms", "1.2 ms", "250 ms", "1 s", "1.23 s", "61.5 s", "3600 s",
    ]  # fmt: skip


def test_printable_keeps_letters_of_all_scripts():
    assert printable("Größe 数 ж") == "Größe 数 ж"
