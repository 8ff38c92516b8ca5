"""``xylogic update``: the release decision, what it is based on, and what it saves."""

import json
import sys

import numpy as np
import pandas as pd
import pytest

import xylogic as xl
from xylogic.cli.app import run


@pytest.fixture
def call(capsys):
    def call(*args):
        code = run([str(arg) for arg in args])
        return code, *capsys.readouterr()

    return call


def table(seed, n, *, numbers=False):
    """Columns that matter less and less; labels with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round(2)
    score = X[:, 0] + (X[:, 1] > 0.3) * 2 - X[:, 2] / 4 + rng.normal(size=n) / 3
    return pd.DataFrame(X, columns=["age", "dose", "time"]).assign(
        answer=score.round(2) if numbers else np.where(score > 0.5, "ill", "well")
    )


@pytest.fixture
def files(tmp_path):
    """An old tree of few rows, new rows, and rows to test on; the columns of the new rows in another order."""
    old, new, test = table(0, 60), table(1, 300), table(2, 200)
    tree = xl.DecisionTreeClassifier(max_depth=2).fit(old.drop(columns="answer"), old["answer"])
    tree.to_model().save(tmp_path / "old.json")
    new[["answer", "time", "age", "dose"]].assign(extra=1).to_csv(tmp_path / "new.csv", index=False)
    test.to_csv(tmp_path / "test.csv", index=False)
    return tmp_path


def test_a_release(call, files):
    saved = files / "saved.json"
    given = ("update", files / "old.json", files / "new.csv", "--target", "answer", "--max-depth", 4)
    code, out, err = call(*given, "--strength", 0.05, "--out", saved)
    assert code == 0 and out.startswith("Release: yes\n") and "columns that the model does not use" in err
    assert "Judged on held-out rows, 5 folds:" in out and f"saved as {saved}" in out
    assert call(*given, "--strength", 0.05, "--out", saved)[1].split("[exact")[0] == out.split("[exact")[0]
    code, text, _ = call(*given, "--strength", 0.05, "--json")
    document = json.loads(text)
    assert code == 0 and document["release"] and document["reasons"] == []
    model = xl.load(saved)
    frame = pd.read_csv(files / "new.csv")
    tree = xl.CompatibleTreeClassifier(xl.load(files / "old.json"), strength=0.05, max_depth=4)
    tree.fit(frame[["age", "dose", "time"]], frame["answer"])
    assert model.feature_names == ("age", "dose", "time") and model.named
    assert (model.predict(frame[["age", "dose", "time"]]) == tree.predict(frame[["age", "dose", "time"]])).all()
    assert document["trees"]["compatible"]["leaves"] == tree.get_n_leaves()
    assert document["changes"]["decision"] == float(xl.compare(files / "old.json", saved, missing=()).disagreement)
    assert call("compare", files / "old.json", saved)[0] == 1
    shares = sum(region["share"] for region in document["decision_regions"])
    assert 0 < shares <= document["changes"]["decision"] and len(document["decision_regions"]) <= 5
    assert not any(region["decides_otherwise"] for region in document["explanation_regions"])


def test_rows_to_test_on(call, files):
    code, text, _ = call(
        "update", files / "old.json", files / "new.csv", "--target", "answer", "--test", files / "test.csv",
        "--max-depth", 3, "--out", files / "saved.json", "--json",
    )  # fmt: skip
    assert code == 0
    document = json.loads(text)
    test = pd.read_csv(files / "test.csv")
    X, y = test.drop(columns="answer"), test["answer"]
    new = pd.read_csv(files / "new.csv")[["age", "dose", "time"]]
    found = xl.compatibility(files / "old.json", files / "saved.json", X, y, reference=new)
    ours = document["trees"]["compatible"]
    assert ours["loss"] == pytest.approx(found.loss) and document["old_tree"]["loss"] == pytest.approx(found.old_loss)
    assert ours["bcp"] == pytest.approx(found.bcp)
    assert {name: ours[name] for name in ("jac", "jlu", "mae", "mse")} == pytest.approx(
        {name: getattr(found, name) for name in ("jac", "jlu", "mae", "mse")}
    )
    assert [flip["row"] for flip in document["negative_flips"]] == [flip.row for flip in found.negative_flips]
    assert document["changes"]["on_rows"]["decision"] == pytest.approx(
        np.mean(xl.load(files / "old.json").predict(X) != xl.load(files / "saved.json").predict(X))
    )


def test_strict_mode_refuses_a_row_that_became_wrong(call, files):
    given = ("update", files / "old.json", files / "new.csv", "--target", "answer", "--max-depth", 3)
    code, out, _ = call(*given, "--test", files / "test.csv", "--strict", "--out", files / "saved.json")
    assert code == 1 and out.startswith("Release: NO\n") and not (files / "saved.json").exists()
    assert "that the old tree answers right become wrong" in out and "became wrong, of" in out
    test = pd.read_csv(files / "test.csv")  # of these rows none is wrong now that was right
    old = xl.load(files / "old.json").predict(test.drop(columns="answer"))
    test[old != test["answer"]].to_csv(files / "test.csv", index=False)
    assert call(*given, "--test", files / "test.csv", "--strict", "--out", files / "saved.json")[0] == 0


def test_strict_mode_counts_held_out_rows(call, files):
    """A tree that fits DATA in every row is judged where it has not seen it."""
    code, text, _ = call(
        "update", files / "old.json", files / "new.csv", "--target", "answer", "--max-loss-increase", 1, "--strict",
        "--json",
    )  # fmt: skip
    document = json.loads(text)
    flips = document["negative_flips"]
    assert code == 1 and flips and document["trees"]["compatible"]["negative_flips"] == len(flips)
    assert any(f"{len(flips)} of {document['right_rows']} rows" in reason for reason in document["reasons"])
    frame = pd.read_csv(files / "new.csv")
    old = xl.load(files / "old.json").predict(frame[["age", "dose", "time"]])
    assert [flip["row"] for flip in flips] == sorted({flip["row"] for flip in flips})
    for flip in flips:
        assert flip["old"] == flip["truth"] == frame["answer"][flip["row"]] == old[flip["row"]] != flip["new"]


def test_a_rare_class_leaves_rows_to_judge_by(call, tmp_path):
    """Noise that a full tree fits is not released because one class is too small for the folds."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(500, 4)), columns=list("abcd"))
    y = np.where(X["a"] > 0, "p", "n")
    y[:4] = "r"
    xl.DecisionTreeClassifier(max_depth=4).fit(X, y).to_model().save(tmp_path / "old.json")
    noise = np.where(rng.random(500) < 0.5, "p", "n")
    noise[:4] = "r"
    X.assign(t=noise).to_csv(tmp_path / "new.csv", index=False)
    for options in ((), ("--prune", "best")):
        given = ("update", tmp_path / "old.json", tmp_path / "new.csv", "--target", "t", "--json", *options)
        document = json.loads(call(*given)[1])
        assert document["judged_on"] == "held-out rows, 5 folds"
        assert document["trees"]["cart"]["loss"] > 0.4 and document["trees"]["compatible"]["loss"] > 0.4


def test_too_few_rows_are_no_ground_for_a_release(call, files):
    frame = pd.read_csv(files / "new.csv")
    frame.groupby("answer").head(4).to_csv(files / "new.csv", index=False)
    given = ("update", files / "old.json", files / "new.csv", "--target", "answer", "--max-loss-increase", 1)
    code, out, _ = call(*given)
    assert code == 1 and "8 rows are too few to hold some out, which takes 10; --test gives others" in out
    assert call(*given, "--test", files / "test.csv")[0] == 0


def test_numbers_need_a_tolerance(call, tmp_path):
    old, new = table(0, 60, numbers=True), table(1, 200, numbers=True)
    tree = xl.DecisionTreeRegressor(max_depth=2).fit(old.drop(columns="answer"), old["answer"])
    tree.to_model().save(tmp_path / "old.json")
    new.to_csv(tmp_path / "new.csv", index=False)
    given = ("update", tmp_path / "old.json", tmp_path / "new.csv", "--target", "answer", "--max-depth", 4)
    code, out, err = call(*given)
    assert code == 1 and "the old tree is off by more than 0 on all rows" in out and "--tolerance" in out
    assert "no row is relied on" in err
    assert call(*given, "--tolerance", 0.5)[0] == 0


@pytest.mark.parametrize("option", ["--max-loss-increase", "--strength", "--tolerance", "--time-limit"])
@pytest.mark.parametrize("value", ["nan", "inf", "x"])
def test_numbers_that_are_none_are_refused(call, files, option, value):
    code, out, err = call("update", files / "old.json", files / "new.csv", "--target", "answer", option, value)
    assert code == 2 and f"'{value}' is not a finite number" in err and not out


def test_no_file_that_is_read_is_written_over(call, files):
    given = ("update", files / "old.json", files / "new.csv", "--target", "answer")
    code, _, err = call(*given, "--out", files / "old.json")
    assert code == 2 and "old.json, which is read; another file is accepted" in err
    assert xl.load(files / "old.json").classes == ("ill", "well")


def test_an_interrupt_among_the_regions_is_told(call, files, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["xylogic.compare.comparison"], "_largest", interrupted)
    given = ("update", files / "old.json", files / "new.csv", "--target", "answer", "--max-depth", 4)
    code, out, _ = call(*given, "--max-loss-increase", 1)
    assert code == 3 and "was not listed to the end  [partial]" in out


def test_without_a_header_columns_go_by_position(call, files):
    given = ("update", files / "old.json", files / "bare.csv", "--target", "x3", "--no-header", "--max-depth", 3)
    frame = pd.read_csv(files / "new.csv")[["age", "dose", "time", "answer"]]
    frame.to_csv(files / "bare.csv", index=False, header=False)
    code, _, _ = call(*given, "--out", files / "saved.json")
    assert code == 0 and xl.load(files / "saved.json").feature_names == ("age", "dose", "time")


def test_more_loss_than_allowed_is_refused(call, files):
    given = ("update", files / "old.json", files / "new.csv", "--target", "answer", "--max-depth", 1)
    code, out, _ = call(*given, "--max-loss-increase", -0.5)
    assert code == 1 and "is above the old tree's" in out
    assert call(*given, "--max-loss-increase", 1)[0] == 0


def test_numbers_and_pruning(call, tmp_path):
    old, new = table(0, 60, numbers=True), table(1, 200, numbers=True)
    xl.DecisionTreeRegressor(max_depth=2).fit(old.drop(columns="answer"), old["answer"]).to_model().save(
        tmp_path / "old.json"
    )
    new.to_csv(tmp_path / "new.csv", index=False)
    given = ("update", tmp_path / "old.json", tmp_path / "new.csv", "--target", "answer", "--tolerance", 0.5, "--json")
    document = json.loads(call(*given, "--prune", "1se")[1])
    whole = json.loads(call(*given)[1])
    assert document["loss_name"] == "mean squared error"
    assert document["trees"]["compatible"]["leaves"] < whole["trees"]["compatible"]["leaves"]
    assert document["trees"]["compatible"]["loss"] < document["old_tree"]["loss"]


def test_a_budget_leaves_a_partial_answer(call, files, monkeypatch):
    monkeypatch.setattr("xylogic.update.release._BLOCK", 4)  # looks at the clock after so few pairs
    code, out, _ = call(
        "update", files / "old.json", files / "new.csv", "--target", "answer", "--max-depth", 4, "--time-limit", 0
    )
    assert code == 3 and "[partial" in out and "were not reached" in out


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda frame: frame.drop(columns="age"), "missing 'age'"),
        (lambda frame: frame.assign(age=["x", *frame["age"][1:]]), "column 'age', row 0: 'x' is not a number"),
        (lambda frame: frame.assign(dose=[None, *frame["dose"][1:]]), "column 'dose', row 0: the value is missing"),
        (lambda frame: frame.assign(time=[np.inf, *frame["time"][1:]]), "column 'time', row 0: inf is infinite"),
        (lambda frame: frame.assign(answer="dead"), "'dead' is no class of the old tree"),
        (lambda frame: frame[frame["answer"] == "ill"], "classes 'well' only in the old tree"),
    ],
)
def test_rows_that_are_not_for_the_old_tree(call, files, change, words):
    change(pd.read_csv(files / "new.csv")).to_csv(files / "new.csv", index=False)
    code, out, err = call("update", files / "old.json", files / "new.csv", "--target", "answer")
    assert code == 2 and words in err and not out


def test_an_old_tree_without_names_takes_columns_by_position(call, files):
    frame = table(1, 300)
    X, y = frame.drop(columns="answer").to_numpy(), (frame["answer"] == "ill").to_numpy().astype(int)
    xl.DecisionTreeClassifier(max_depth=2).fit(X[:60], y[:60]).to_model().save(files / "old.json")
    frame.assign(answer=y).to_csv(files / "new.csv", index=False)
    given = ("update", files / "old.json", files / "new.csv", "--target", "answer", "--out", files / "saved.json")
    code, _, err = call(*given, "--max-loss-increase", 1)
    assert code == 0 and "taken by position" in err
    assert not xl.load(files / "saved.json").named


def test_a_forest_and_a_tolerance_for_classes_are_refused(call, files):
    frame = table(1, 100)
    forest = xl.RandomForestClassifier(3).fit(frame.drop(columns="answer"), frame["answer"])
    xl.read_model(forest).save(files / "forest.json")
    code, _, err = call("update", files / "forest.json", files / "new.csv", "--target", "answer")
    assert code == 2 and "a model of one tree is accepted" in err
    code, _, err = call("update", files / "old.json", files / "new.csv", "--target", "answer", "--tolerance", 1)
    assert code == 2 and "--tolerance is for numbers" in err
