"""``xylogic update``: the release decision, what it is based on, and what it saves."""

import importlib
import json
import re
import signal

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
    found = xl.compare(files / "old.json", saved, missing=()).regions(5)
    assert [region["text"] for region in document["decision_regions"]] == [str(region.box) for region in found]
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
    assert call(*given, "--out", files / "saved.json")[0] == 0
    test = pd.read_csv(files / "test.csv")  # of these rows none is wrong now that was right
    old, new = (xl.load(files / name).predict(test.drop(columns="answer")) for name in ("old.json", "saved.json"))
    (files / "saved.json").unlink()
    was_right, is_right = old == test["answer"], new == test["answer"]
    test[~was_right | is_right].to_csv(files / "test.csv", index=False)
    assert call(*given, "--test", files / "test.csv", "--strict", "--out", files / "saved.json")[0] == 0
    test[~was_right].to_csv(files / "test.csv", index=False)
    code, out, _ = call(*given, "--test", files / "test.csv", "--strict")
    assert code == 1 and "--strict has no row to judge by" in out
    assert call(*given, "--test", files / "test.csv")[0] == 0


def test_strict_mode_counts_rows_held_out(call, files):
    """A tree that fits its rows exactly is wrong on none of them."""
    given = ("update", files / "old.json", files / "new.csv", "--target", "answer")
    code, out, _ = call(*given, "--json", "--max-loss-increase", 1)
    document = json.loads(out)
    flips = document["held_out_flips"]
    assert code == 0 and document["negative_flips"] == [] and flips
    frame = pd.read_csv(files / "new.csv")
    assert [flip["truth"] for flip in flips] == frame["answer"][[flip["row"] for flip in flips]].tolist()
    assert all(flip["values"]["age"] == frame["age"][flip["row"]] for flip in flips)
    assert len(flips) == document["trees"]["compatible"]["negative_flips"]
    code, out, _ = call(*given, "--strict", "--max-loss-increase", 1)
    assert code == 1 and f"{len(flips)} of {document['right_rows']} rows of {files / 'new.csv'} that the" in out
    assert "become wrong, held out" in out and f"{len(flips)} rows of these, held out, became wrong" in out


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


@pytest.mark.parametrize("option", ["--strength", "--tolerance", "--max-loss-increase", "--time-limit"])
@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "much"])
def test_numbers_that_are_not_finite_are_refused(call, files, option, value):
    code, out, err = call("update", files / "old.json", files / "new.csv", "--target", "answer", f"{option}={value}")
    assert code == 2 and not out and value in err


def noise(path, n=500, rare=4):
    """An old tree of the sign of a column, and rows of random labels, of which one class has few."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd"))
    y = np.where(X["a"] > 0, "p", "n").astype(object)
    y[:rare] = "r"
    xl.DecisionTreeClassifier(max_depth=4).fit(X, y.astype(str)).to_model().save(path / "old.json")
    y[rare:] = rng.choice(["p", "n"], n - rare)
    X.assign(y=y).to_csv(path / "new.csv", index=False)
    return "update", path / "old.json", path / "new.csv", "--target", "y"


@pytest.mark.parametrize("rare", [1, 4])
@pytest.mark.parametrize("options", [(), ("--prune", "best")])
def test_a_rare_class_does_not_keep_rows_from_being_held_out(call, tmp_path, rare, options):
    code, out, _ = call(*noise(tmp_path, rare=rare), *options, "--json")
    document = json.loads(out)
    assert document["judged_on"] == "held-out rows, 5 folds"
    assert code == (not document["release"]) and document["trees"]["compatible"]["loss"] > 0.4
    if not options:
        assert code == 1 and "is above the old tree's" in document["reasons"][0]


def test_too_few_rows_are_no_ground_for_a_release(call, files):
    frame = pd.read_csv(files / "new.csv")
    for n, wanted in ((9, 1), (10, 0)):
        frame.head(n).to_csv(files / "few.csv", index=False)
        given = ("update", files / "old.json", files / "few.csv", "--target", "answer", "--max-loss-increase", 1)
        code, out, _ = call(*given, "--out", files / "saved.json")
        assert code == wanted and (files / "saved.json").exists() == (n == 10)
        assert ("9 rows are too few to hold some out" in out and "without --test" in out) == (n == 9)
        assert call(*given, "--test", files / "test.csv")[0] == 0


def test_without_an_explanation_to_rely_on_nothing_is_released(call, tmp_path):
    old, new = table(0, 60, numbers=True), table(1, 200, numbers=True)
    tree = xl.DecisionTreeRegressor(max_depth=2).fit(old.drop(columns="answer"), old["answer"])
    tree.to_model().save(tmp_path / "old.json")
    new.to_csv(tmp_path / "new.csv", index=False)
    given = ("update", tmp_path / "old.json", tmp_path / "new.csv", "--target", "answer")
    code, out, err = call(*given)
    off = np.median(np.abs(tree.predict(new.drop(columns="answer")) - new["answer"]))
    assert code == 1 and "warning" not in err and "explanations of 0 rows relied on" in out
    assert (
        f"no explanation is relied on: the old tree is off by more than 0 on all 200 rows (by {off:.4g} in the median)"
        "; a --tolerance is needed" in out
    )
    code, out, _ = call(*given, "--strict", "--json")
    assert code == 1 and "--strict has no row to judge by" in json.loads(out)["reasons"][-1]
    assert call(*given, "--tolerance", off)[0] == 0


def test_an_old_tree_that_is_never_right_is_not_released_from(call, files):
    frame = pd.read_csv(files / "new.csv")
    answers = xl.load(files / "old.json").predict(frame[["age", "dose", "time"]])
    frame.assign(answer=np.where(answers == "ill", "well", "ill")).to_csv(files / "new.csv", index=False)
    code, out, _ = call("update", files / "old.json", files / "new.csv", "--target", "answer")
    assert code == 1 and "the old tree answers none of the 300 rows right" in out


@pytest.mark.parametrize("where", ["_Found", "_Found.add", "_Found.regions"])
def test_ctrl_c_at_the_regions_hides_nothing(call, files, monkeypatch, where):
    """Raised once: in the search, which ends it, or beside it, where what takes no time is done again."""
    given = ("update", files / "old.json", files / "new.csv", "--target", "answer", "--max-depth", 4, "--json")
    undisturbed = json.loads(call(*given)[1])
    module = importlib.import_module("xylogic.update.release")
    owner, name = (module._Found, where.split(".")[1]) if "." in where else (module, where)
    whole, calls = getattr(owner, name), []

    def interrupted(*args):
        calls.append(name)
        if len(calls) == 1:
            signal.raise_signal(signal.SIGINT)
        return whole(*args)

    monkeypatch.setattr(owner, name, interrupted)
    code, out, err = call(*given)
    document = json.loads(out)
    assert "interrupted at the regions" in err
    if where == "_Found.add":
        assert code == 3 and document["changes"]["status"] == "partial" and document["changes"]["bounds"]["undecided"]
    else:
        assert code == 0 and document["decision_regions"] == undisturbed["decision_regions"] != []


def test_without_a_header_columns_go_by_position(call, files):
    frame = pd.read_csv(files / "new.csv")[["age", "answer", "dose", "time"]]
    frame.to_csv(files / "new.csv", index=False)
    frame.to_csv(files / "bare.csv", index=False, header=False)
    named = call("update", files / "old.json", files / "new.csv", "--target", "answer", "--json")
    code, out, err = call("update", files / "old.json", files / "bare.csv", "--target", "x1", "--no-header", "--json")
    assert "bare.csv is read without names" in err
    assert (code, json.loads(out)["trees"]) == (named[0], json.loads(named[1])["trees"])
    frame.drop(columns="time").to_csv(files / "bare.csv", index=False, header=False)
    code, _, err = call("update", files / "old.json", files / "bare.csv", "--target", "x1", "--no-header")
    assert code == 2 and "has 2 columns beside the target; the old tree takes 3, by position" in err


@pytest.mark.parametrize("name", ["old.json", "new.json", "test.json", "link.json"])
def test_a_file_that_is_read_is_not_written(call, files, name):
    for kind in ("new", "test"):
        (files / f"{kind}.csv").rename(files / f"{kind}.json")
    (files / "link.json").symlink_to(files / "old.json")
    before = (files / name).read_bytes()
    code, out, err = call(
        "update", files / "old.json", files / "new.json", "--target", "answer", "--test", files / "test.json",
        "--max-loss-increase", 1, "--out", files / name,
    )  # fmt: skip
    assert code == 2 and not out and "which is read here too" in err and (files / name).read_bytes() == before


def test_the_new_tree_takes_what_the_old_one_takes_and_shares_are_of_that(call, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"rooms": rng.integers(0, 9, 300), "old": rng.random(300) < 0.5, "area": rng.normal(size=300)})
    frame["y"] = (frame["rooms"] + frame["old"] + frame["area"] + rng.normal(size=300) > 5).astype(int)
    X, y = frame.drop(columns="y"), frame["y"]
    frame.to_csv(tmp_path / "new.csv", index=False)
    given = ("update", tmp_path / "old.json", tmp_path / "new.csv", "--target", "y", "--max-loss-increase", 1)
    for old, words in (
        (
            xl.DecisionTreeClassifier(max_depth=3).fit(X[:100], y[:100]),
            "whole numbers of rooms and truth values of old",
        ),
        (xl.DecisionTreeClassifier(max_depth=3).fit(X[:100].astype(float), y[:100]), "numbers, whole or not"),
    ):
        old.to_model().save(tmp_path / "old.json")
        code, out, _ = call(*given, "--max-depth", 5, "--out", tmp_path / "saved.json")
        assert code == 0 and f"Of all cells that the cuts of both trees make of {words}" in out
        new, model = xl.load(tmp_path / "saved.json"), old.to_model()
        assert [feature.kind for feature in new.features] == [feature.kind for feature in model.features]
        found = xl.release_changes(model, new)
        document = json.loads(call(*given, "--max-depth", 5, "--json")[1])
        assert document["changes"]["explanation"] == float(found.explanation)
        like = X if model.features[0].kind == "integer" else X.astype(float)
        ours = xl.CompatibleTreeClassifier(model, max_depth=5).fit(like, y)
        assert xl.release_changes(model, ours).explanation == found.explanation


def test_an_update_that_changes_nothing_says_so(call, tmp_path):
    frame = pd.DataFrame({"a": np.arange(40), "y": np.repeat([0, 1], 20)})
    xl.DecisionTreeClassifier().fit(frame[["a"]], frame["y"]).to_model().save(tmp_path / "old.json")
    frame.to_csv(tmp_path / "new.csv", index=False)
    code, out, _ = call(
        "update", tmp_path / "old.json", tmp_path / "new.csv", "--target", "y", "--max-loss-increase", 1
    )
    assert code == 0 and "nothing changes: every row is decided and explained as before" in out


def test_an_old_tree_of_single_precision_is_worded_shortly_everywhere(call, tmp_path):
    sklearn_tree = pytest.importorskip("sklearn.tree")
    frame = table(1, 300)
    X, y = frame.drop(columns="answer"), frame["answer"]
    model = xl.read_model(sklearn_tree.DecisionTreeClassifier(max_depth=3).fit(X[:60], y[:60]))
    model.save(tmp_path / "old.json")
    frame.to_csv(tmp_path / "new.csv", index=False)
    given = ("update", tmp_path / "old.json", tmp_path / "new.csv", "--target", "answer", "--max-depth", 4)
    code, text, _ = call(*given, "--max-loss-increase", 1, "--out", tmp_path / "saved.json", "--json")
    document = json.loads(text)
    assert code == 0 and xl.load(tmp_path / "saved.json").cast == model.cast == "float32"
    regions = [*document["decision_regions"], *document["explanation_regions"]]
    texts = [region["text"] for region in regions] + [why for region in regions for why in region["explanations"]]
    assert texts and not re.search(r"\d\.\d{9}", " ".join(texts))
    told = {str(xl.interval_explanation(model, row)) for row in X.to_numpy()}
    assert all(any(words.startswith(f"if {region['explanations'][0]}: ") for words in told) for region in regions)
    assert all(str(float(flip["values"]["age"])) in set(map(str, X["age"])) for flip in document["negative_flips"])
    X.assign(age=1e300, answer=y).to_csv(tmp_path / "new.csv", index=False)
    code, _, err = call(*given)
    assert code == 2 and "column 'age', row 0" in err
