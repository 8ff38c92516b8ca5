"""``xylogic grow``: what it reads, prints and saves."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris

import xylogic as xl
from xylogic.cli.app import run


@pytest.fixture
def call(capsys):
    def call(*args):
        code = run([str(arg) for arg in args])
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def iris(tmp_path):
    data = load_iris(as_frame=True)
    frame = data.data.assign(species=data.target_names[data.target], garden=["north", "south", None] * 50)
    frame.to_csv(tmp_path / "iris.csv", index=False)
    return tmp_path / "iris.csv"


def test_a_tree_of_classes(call, iris, tmp_path):
    code, out, err = call("grow", iris, "--target", "species", "--max-depth", 2, "--out", tmp_path / "tree.json")
    assert code == 0 and "the target holds classes" in err
    lines = out.splitlines()
    assert lines[0] == "xylogic DecisionTreeClassifier of species: 3 leaves, depth 2, from 150 rows of 5 columns"
    assert lines[1].startswith("accuracy: 0.96 on the rows it was grown on, 0.9")
    assert lines[2] == "if petal length (cm) <= 2.45: setosa  (50 rows; setosa 1)"
    assert lines[-1] == f"saved as {tmp_path / 'tree.json'}"
    model = xl.load(tmp_path / "tree.json")
    frame = pd.read_csv(iris)
    tree = xl.DecisionTreeClassifier(max_depth=2).fit(frame.drop(columns="species"), frame["species"])
    assert model.feature_names == tree.to_model().feature_names and model.named
    assert [f.kind for f in model.features] == ["numeric"] * 4 + ["categorical"]
    assert (model.predict(frame.drop(columns="species")) == tree.predict(frame.drop(columns="species"))).all()
    assert call("verify", tmp_path / "tree.json", iris)[0] == 0
    assert call("explain", tmp_path / "tree.json", iris, "--row", 100)[0] == 0


def test_as_json(call, iris):
    code, out, _ = call("grow", iris, "--target", "species", "--json", "--criterion", "entropy", "--missing", "level")
    document = json.loads(out)
    assert code == 0 and document["parameters"] == {"criterion": "entropy", "missing": "level"}
    assert document["rows"] == 150 and document["columns"] == 5 and document["saved"] is None
    assert document["leaves"] == len(document["rules"]) and document["score_in_training"] == 1.0
    assert 0.9 < document["score_held_out"] < 1.0
    assert json.loads(call("grow", iris, "--target", "species", "--json")[1]) == json.loads(
        call("grow", iris, "--target", "species", "--json")[1]
    )


def test_numbers_and_the_kinds_of_columns(call, tmp_path):
    data = load_diabetes(as_frame=True)
    frame = data.data.assign(target=data.target, flag=data.data["bmi"] > 0, whole=range(len(data.data)))
    frame.to_csv(tmp_path / "d.csv", index=False)
    code, out, err = call(
        "grow", tmp_path / "d.csv", "--target", "target", "--max-leaf-nodes", 5, "--out", tmp_path / "t.json"
    )
    assert code == 0 and "the target holds numbers" in err and "\nR2: 0." in out
    kinds = {feature.name: feature.kind for feature in xl.load(tmp_path / "t.json").features}
    assert (kinds["flag"], kinds["whole"], kinds["bmi"]) == ("boolean", "integer", "numeric")
    frame.to_parquet(tmp_path / "d.parquet")
    again = call(
        "grow", tmp_path / "d.parquet", "--target", "target", "--max-leaf-nodes", 5, "--out", tmp_path / "t.json"
    )
    assert again[1] == out


def test_pruned_by_cross_validation(call, iris):
    _, full, _ = call("grow", iris, "--target", "species")
    code, out, _ = call("grow", iris, "--target", "species", "--prune", "1se")
    assert code == 0 and "in 5-fold cross-validation, which chose ccp_alpha 0.0" in out
    assert len(out.splitlines()) < len(full.splitlines())
    assert call("grow", iris, "--target", "species", "--prune", "best", "--ccp-alpha", 1)[0] == 2


@pytest.mark.parametrize("missing", ["direction", "level", "surrogate", "fractional"])
def test_ways_with_missing_values(call, iris, tmp_path, missing):
    options = ["--target", "species", "--missing", missing, "--max-depth", 2]
    code, out, _ = call("grow", iris, *options)
    assert code == 0 and "if petal length (cm) <= 2.45: setosa" in out
    code, _, err = call("grow", iris, *options, "--out", tmp_path / "tree.json")
    assert code == (2 if missing == "fractional" else 0)
    assert missing != "fractional" or "--missing fractional makes no model that can be saved" in err


def test_a_level_that_the_model_has_not_seen(call, tmp_path):
    frame = pd.DataFrame({"colour": ["red", "blue", "red"] * 9, "y": ["a", "b", "a"] * 9})
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert call("grow", tmp_path / "a.csv", "--target", "y", "--out", tmp_path / "tree.json")[0] == 0
    (tmp_path / "new.csv").write_text("colour\ngreen\n")
    code, out, _ = call("explain", tmp_path / "tree.json", tmp_path / "new.csv", "--row", 0)
    assert code == 0 and "Prediction: a" in out and "colour = <other>" in out


def test_without_a_header_and_with_few_rows(call, tmp_path):
    (tmp_path / "a.csv").write_text("1,2,yes\n3,4,no\n")
    code, out, _ = call("grow", tmp_path / "a.csv", "--no-header", "--target", "x2")
    assert code == 0 and "too few rows to hold some out" in out and "if x0 <= 2: yes" in out


def test_the_task_may_be_told(call, tmp_path):
    pd.DataFrame({"a": np.arange(40), "y": np.arange(40) % 20}).to_csv(tmp_path / "a.csv", index=False)
    assert "Regressor" in call("grow", tmp_path / "a.csv", "--target", "y")[1]
    code, out, err = call("grow", tmp_path / "a.csv", "--target", "y", "--task", "classes")
    assert code == 0 and "Classifier" in out and "holds" not in err


@pytest.mark.parametrize(
    ("text", "args", "says"),
    [
        ("a,b\n1,2\n", ["--target", "c"], "has 0 columns called 'c'; there are 'a', 'b'"),
        ("a,a\n1,2\n", ["--target", "a"], "has 2 columns called 'a'"),
        ("a,a,b\n1,2,3\n", ["--target", "b"], "has two columns called 'a'"),
        ("a\n1\n", ["--target", "a"], "has no column but the target"),
        ("a,b\n", ["--target", "b"], "has no rows"),
        ("a,b\n1,2\n3\n", ["--target", "b"], "row 1 has 1 columns; 2 are expected"),
        ("a,b\n1,2\n3,NA\n", ["--target", "b"], "column 'b', row 1: the target is missing"),
        ("a,b\n1,x\n3,y\n", ["--target", "b", "--task", "numbers"], "the target is text"),
        ("a,b\n1,1.5\n3,2.5\n", ["--target", "b", "--task", "classes"], "Unknown label type"),
        ("a,b\n1,inf\n3,2.5\n", ["--target", "b", "--task", "numbers"], "infinity"),
        ("a,b\n1,x\n3,y\n", ["--target", "b", "--criterion", "mse"], "criterion is 'mse'; 'gini' or"),
        ("a,b\n1,x\n3,y\n", ["--target", "b", "--prune", "best"], "--prune holds some out and needs 10"),
        ("a,b\n1,x\n3,y\n", ["--target", "b", "--out", "model.txt"], "one that ends in .json"),
    ],
)
def test_unusable_input_is_one_line(call, tmp_path, monkeypatch, text, args, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text(text)
    code, out, err = call("grow", "a.csv", *args)
    assert (
        code == 2 and out == "" and says in err.splitlines()[-1] and err.splitlines()[-1].startswith("xylogic: error:")
    )


def test_names_that_would_steer_a_terminal_are_escaped(call, tmp_path):
    pd.DataFrame({"\x1b[31m": [0.0, 1.0], "y": ["a", "\x07"]}).to_csv(tmp_path / "a.csv", index=False)
    code, out, _ = call("grow", tmp_path / "a.csv", "--target", "y")
    assert code == 0 and "\x1b" not in out and "\x07" not in out
