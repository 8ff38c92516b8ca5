"""The command line: what it prints, where, and how it exits."""

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import xylogic as xl
from xylogic.cli.app import run
from xylogic.cli.questions import QUESTIONS, chosen

SOURCE = Path(xl.__file__).resolve().parent.parent
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SOURCE)}


class Done:
    """How one call ended."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def document(self):
        def refuse(constant):
            raise AssertionError(f"{constant} is not JSON")

        return json.loads(self.out, parse_constant=refuse)


@pytest.fixture
def call(capsys):
    def call(*args):
        code = run([str(arg) for arg in args])
        return Done(code, *capsys.readouterr())

    return call


@pytest.fixture(scope="module")
def iris(tmp_path_factory):
    """A folder with a small named forest as joblib and JSON, and its rows as csv."""
    folder = tmp_path_factory.mktemp("iris")
    frame = load_iris(as_frame=True)
    labels = frame.target_names[frame.target]
    forest = RandomForestClassifier(10, max_depth=3, random_state=0).fit(frame.data, labels)
    joblib.dump(forest, folder / "model.joblib")
    xl.read_model(forest).save(folder / "model.json")
    frame.data.to_csv(folder / "data.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def hard(tmp_path_factory):
    """A forest whose reasons no one finishes listing, and its rows."""
    folder = tmp_path_factory.mktemp("hard")
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 30)), rng.integers(0, 2, 600)
    forest = RandomForestClassifier(100, random_state=0).fit(X, y)
    xl.read_model(forest).save(folder / "model.json")
    pd.DataFrame(X[:2]).to_csv(folder / "data.csv", index=False)
    return folder


def test_explain_as_text(call, iris):
    done = call("explain", iris / "model.json", iris / "data.csv", "--row", 60)
    assert done.code == 0
    assert done.err == ""
    assert "Prediction: versicolor" in done.out
    assert "sufficient reason" in done.out and "Robustness" in done.out and "Counterfactual" in done.out


def test_explain_as_json(call, iris):
    args = ["explain", iris / "model.json", iris / "data.csv", "--row", 60, "--json"]
    done = call(*args, "--question", "sufficient-reason")
    assert done.code == 0
    assert done.document["prediction"] == "versicolor"
    assert list(done.document["answers"]) == ["sufficient_reason"]
    assert set(done.document["row"]) == set(load_iris().feature_names)


@pytest.mark.parametrize("question", [*QUESTIONS, "all"])
def test_every_question(call, iris, question):
    args = ["explain", iris / "model.json", iris / "data.csv", "--row", 60, "--question", question]
    assert call(*args).code == 0
    answers = call(*args, "--json").document["answers"]
    asked = set(chosen([question], classes=True)) - {"prediction"}
    assert {name.replace("_", "-") for name in answers} >= asked
    assert all(answer["status"] == "exact" for answer in answers.values())


def test_answers_are_those_of_python(call, iris):
    done = call("explain", iris / "model.json", iris / "data.csv", "--row", 3, "--question", "all", "--json")
    row = pd.read_csv(iris / "data.csv").iloc[3]
    e = xl.Explainer(xl.load(iris / "model.json")).explain(row)
    assert done.document["answers"]["robustness"]["value"] == e.robustness()
    assert len(done.document["answers"]["sufficient_reasons"]["value"]) == len(e.sufficient_reasons())
    assert len(done.document["answers"]["necessary_reasons"]["value"]) == len(e.necessary_reasons())


def test_target(call, iris):
    args = ["explain", iris / "model.json", iris / "data.csv", "--row", 0, "--question", "counterfactual"]
    assert "virginica" in call(*args, "--target", "virginica").out
    done = call(*args, "--target", "rose")
    assert (done.code, done.out) == (2, "")
    assert "'rose'" in done.err and "'setosa', 'versicolor', 'virginica'" in done.err


def test_target_of_another_type_than_text(call, tmp_path):
    model = DecisionTreeClassifier().fit(pd.DataFrame({"a": [0, 1, 2]}), [-1, 0, 7])
    xl.read_model(model).save(tmp_path / "model.json")
    (tmp_path / "data.csv").write_text("a\n0\n")
    args = ["explain", tmp_path / "model.json", tmp_path / "data.csv", "--row", 0, "--question", "counterfactual"]
    done = call(*args, "--target", "7", "--json")
    assert done.code == 0
    assert done.document["answers"]["counterfactual"]["value"] is not None


@pytest.mark.parametrize("question", ["necessary-reasons", "shortest-flips"])
def test_limit_is_no_failure(call, iris, question):
    def items(*limit):
        done = call(*args, *limit)
        assert done.code == 0
        value = done.document["answers"][question.replace("-", "_")]["value"]
        return value if isinstance(value, list) else value["boxes"]

    args = ["explain", iris / "model.json", iris / "data.csv", "--row", 60, "--question", question, "--json"]
    assert len(items()) > 1
    assert len(items("--limit", 1)) == 1


# Regression


@pytest.fixture(scope="module")
def diabetes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("diabetes")
    frame = load_diabetes(as_frame=True)
    xl.read_model(DecisionTreeRegressor(max_depth=4).fit(frame.data, frame.target - 150)).save(folder / "model.json")
    frame.data.to_csv(folder / "data.csv", index=False)
    return folder


@pytest.mark.parametrize("band", [["-200", "2e2"], ["-300,300"], ["20"], ["1e2"]])
def test_band(call, diabetes, band):
    args = ["explain", "--band", *band, diabetes / "model.json", diabetes / "data.csv", "--row", 0]
    done = call(*args, "--question", "all")
    assert done.code == 0, done.err


def test_regression_without_a_band_is_refused_with_advice(call, diabetes):
    done = call("explain", diabetes / "model.json", diabetes / "data.csv", "--row", 0)
    assert done.code == 2 and "--band" in done.err
    assert call("explain", diabetes / "model.json", diabetes / "data.csv", "--row", 0, "--band", "wide").code == 2


# Verify


def test_verify_against_the_source(call, iris):
    done = call("verify", iris / "model.joblib", iris / "data.csv", "--trusted")
    assert done.code == 0
    assert "0 mismatches" in done.out and "RandomForestClassifier" in done.out
    document = call("verify", iris / "model.joblib", iris / "data.csv", "--trusted", "--json").document
    assert document["ok"] is True and document["mismatches"] == [] and document["rows_checked"] > 150


def test_verify_of_our_own_file_is_against_the_reference(call, iris):
    done = call("verify", iris / "model.json", iris / "data.csv")
    assert done.code == 0
    assert "reference" in done.out and "150 rows checked, 0 mismatches" in done.out


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_a_mismatch_is_a_negative_verdict(call, iris, monkeypatch, as_json):
    from xylogic.convert import verify

    row = dict.fromkeys(load_iris().feature_names, float("nan"))
    mismatch = verify.Mismatch(row, "predict", "setosa", "virginica")
    monkeypatch.setattr(verify, "verify_model", lambda *_, **__: verify.Verification(False, 151, [mismatch]))
    done = call("verify", iris / "model.joblib", iris / "data.csv", "--trusted", *as_json)
    assert done.code == 1
    assert "setosa" in done.out and "virginica" in done.out
    if as_json:
        assert done.document["mismatches"][0]["row"]["sepal length (cm)"] is None


# Bad input: exit code 2, nothing on stdout, one line on stderr


def refused(done, *words):
    assert done.code == 2
    assert done.out == ""
    *notes, error = done.err.splitlines()
    assert error.startswith("xylogic: error: ")
    assert all(note.startswith("xylogic: ") for note in notes)
    assert "Traceback" not in done.err
    for word in words:
        assert word in error


def test_a_pickle_needs_trust(call, iris):
    refused(call("explain", iris / "model.joblib", iris / "data.csv", "--row", 0), "trusted")
    assert call("explain", iris / "model.joblib", iris / "data.csv", "--row", 0, "--trusted").code == 0


@pytest.mark.parametrize(
    "args",
    [
        ["frobnicate"],
        ["explain"],
        ["explain", "model.json", "data.csv"],
        ["explain", "model.json", "data.csv", "--row", "-1"],
        ["explain", "model.json", "data.csv", "--row", "0", "--question", "why"],
        ["explain", "nowhere.json", "data.csv", "--row", "0"],
        ["explain", "model.json", "nowhere.csv", "--row", "0"],
        ["explain", "model.json", "data.csv", "--row", "150"],
        ["explain", "data.csv", "data.csv", "--row", "0"],
        ["verify", "model.json", "model.json"],
    ],
)
def test_unusable_calls(call, iris, monkeypatch, args):
    monkeypatch.chdir(iris)
    refused(call(*args))


def test_r093_unknown_options_are_refused_by_name(call, iris):
    refused(call("explain", iris / "model.json", iris / "data.csv", "--row", 0, "--colour", "red"), "--colour")


def test_r093_save_load_save_gives_the_same_bytes(iris, tmp_path):
    xl.load(iris / "model.json").save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (iris / "model.json").read_bytes()


def test_r094_wrong_columns_are_listed_in_one_message(call, iris, tmp_path):
    frame = pd.read_csv(iris / "data.csv").rename(columns={"petal width (cm)": "petal width"})
    frame.to_csv(tmp_path / "data.csv", index=False)
    done = call("explain", iris / "model.json", tmp_path / "data.csv", "--row", 0)
    refused(done, "missing 'petal width (cm)'", "extra 'petal width'")


def without_times(text):
    return re.sub(r"[\d.e-]+ m?s\b|\"seconds\": [\d.e-]+", "TIME", text)


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_r095_column_order_of_the_file_does_not_matter(call, iris, tmp_path, as_json):
    frame = pd.read_csv(iris / "data.csv")
    frame[frame.columns[::-1]].to_csv(tmp_path / "data.csv", index=False)
    one = call("explain", iris / "model.json", iris / "data.csv", "--row", 60, "--question", "all", *as_json)
    two = call("explain", iris / "model.json", tmp_path / "data.csv", "--row", 60, "--question", "all", *as_json)
    assert one.code == two.code == 0
    assert without_times(one.out) == without_times(two.out)


def test_r095_without_a_header_the_run_says_so(call, iris, tmp_path):
    frame = pd.read_csv(iris / "data.csv")
    frame.to_csv(tmp_path / "data.csv", index=False, header=False)
    done = call("explain", iris / "model.json", tmp_path / "data.csv", "--row", 60, "--no-header")
    assert done.code == 0 and "by position" in done.err
    refused(call("explain", iris / "model.json", tmp_path / "data.csv", "--row", 60), "--no-header")


def test_r096_a_deep_tree_works(call, tmp_path):
    values = np.arange(1300.0)
    tree = DecisionTreeClassifier(random_state=0).fit(pd.DataFrame({"a": values, "b": 0.0}), values % 2)
    assert tree.get_depth() > 600
    xl.read_model(tree).save(tmp_path / "model.json")
    (tmp_path / "data.csv").write_text("a,b\n700,0\n")
    done = call("explain", tmp_path / "model.json", tmp_path / "data.csv", "--row", 0, "--question", "all")
    assert done.code == 0, done.err
    assert call("verify", tmp_path / "model.json", tmp_path / "data.csv").code == 0


def test_r097_missing_fields_as_in_python(call, tmp_path):
    frame = pd.DataFrame({"a": [1, 2, 3, np.nan] * 5, "b": [0.0, 1.0, 0.0, 1.0] * 5, "c": [3.0, 3.0, 1.0, 1.0] * 5})
    tree = DecisionTreeClassifier(random_state=0).fit(frame, ["u", "v", "w", "x"] * 5)
    model = xl.read_model(tree)
    model.save(tmp_path / "model.json")
    path = tmp_path / "data.csv"
    path.write_text("a,b,c\n,1,3\nNA,1,3\n0,1,3\n")
    expected = model.predict(pd.read_csv(path)).tolist()
    calls = [call("explain", tmp_path / "model.json", path, "--row", row, "--json") for row in range(3)]
    assert [done.document["prediction"] for done in calls] == expected
    assert [done.document["row"]["a"] for done in calls] == [None, None, 0]
    assert expected[0] == tree.predict(pd.read_csv(path))[0]


def test_r097_missing_where_the_model_takes_none(call, tmp_path):
    xl.build_tree({"feature": "age", "cut": 55, "left": {"class": "no"}, "right": {"class": "yes"}}, ["age"]).save(
        tmp_path / "model.json"
    )
    (tmp_path / "data.csv").write_text("age,left\n60,1\n,2\n")
    done = call("explain", tmp_path / "model.json", tmp_path / "data.csv", "--row", 1)
    refused(done, "column 'age', row 1: the value is missing")


def test_r098_byte_order_mark_and_line_ends(call, iris, tmp_path):
    lines = (iris / "data.csv").read_text().splitlines()
    text = "\r\n".join([f'"target",{lines[0]}', *(f"yes,{line}" for line in lines[1:])])
    (tmp_path / "data.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
    (tmp_path / "data.csv.gz").write_bytes(gzip.compress(b"\xef\xbb\xbf" + "\r\n".join(lines).encode()))
    plain = call("explain", iris / "model.json", iris / "data.csv", "--row", 60)
    for name in ("data.csv", "data.csv.gz"):
        done = call("explain", iris / "model.json", tmp_path / name, "--row", 60)
        assert done.code == 0
        assert without_times(done.out) == without_times(plain.out)


def test_parquet(call, iris, tmp_path):
    pd.read_csv(iris / "data.csv").to_parquet(tmp_path / "data.parquet")
    plain = call("explain", iris / "model.json", iris / "data.csv", "--row", 60)
    done = call("explain", iris / "model.json", tmp_path / "data.parquet", "--row", 60)
    assert without_times(done.out) == without_times(plain.out)


def test_text_in_a_number_names_column_row_and_value(call, iris, tmp_path):
    lines = (iris / "data.csv").read_text().splitlines()
    lines[3] = "5.0,wide,1.4,0.2"
    (tmp_path / "data.csv").write_text("\n".join(lines))
    for command in (["explain", "--row", 2], ["verify"]):
        done = call(command[0], iris / "model.json", tmp_path / "data.csv", *command[1:])
        refused(done, "'sepal width (cm)'", "row 2", "'wide'")


def test_infinity_is_refused_at_the_door(call, iris, tmp_path):
    (tmp_path / "data.csv").write_text((iris / "data.csv").read_text().splitlines()[0] + "\n1,1e39,1,-inf\n")
    done = call("explain", iris / "model.json", tmp_path / "data.csv", "--row", 0)
    refused(done, "column 'sepal width (cm)', row 0", "1e+39")


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": "xylogic"}', "[" * 100_000, "\x00"])
def test_a_broken_model_file_is_refused(call, iris, tmp_path, content):
    (tmp_path / "model.json").write_text(content)
    refused(call("explain", tmp_path / "model.json", iris / "data.csv", "--row", 0))
    (tmp_path / "model.joblib").write_text(content)
    refused(call("verify", tmp_path / "model.joblib", iris / "data.csv", "--trusted"))


def test_r085_r088_r108_names_of_any_kind(call, tmp_path):
    names = ['a<b & "c"', "k:v", "two\nlines", "\x1b[31mred", "", "käse 🧀", "\u202eabc", "7"]
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, len(names))), columns=names)
    y = np.where(X.sum(axis=1) > 0, "<script>", "it's \x1b[0m")
    xl.read_model(RandomForestClassifier(5, random_state=0).fit(X, y)).save(tmp_path / "model.json")
    X.to_csv(tmp_path / "data.csv", index=False)
    args = ["explain", tmp_path / "model.json", tmp_path / "data.csv", "--row", 0, "--question", "all"]
    done = call(*args)
    assert done.code == 0, done.err
    assert all(character.isprintable() or character == "\n" for character in done.out)
    done = call(*args, "--json")
    assert set(done.document["row"]) == set(names)
    assert set(done.document["scores"]) == set(y)
    assert done.out.isascii()


def test_a_fault_of_ours_is_one_line(call, iris, monkeypatch):
    from xylogic import explain

    monkeypatch.setattr(explain.Explainer, "explain", lambda *_: 1 / 0)
    done = call("explain", iris / "model.json", iris / "data.csv", "--row", 0)
    assert done.code == 70
    assert re.fullmatch(r"xylogic: internal error: ZeroDivisionError: division by zero \(.*:\d+\).*\n", done.err)


# Limits and interrupts


def test_a_time_limit_gives_a_partial_answer(call, hard):
    args = ["explain", hard / "model.json", hard / "data.csv", "--row", 0, "--question", "necessary-reasons"]
    done = call(*args, "--time-limit", 0.2, "--json")
    assert done.code == 3
    assert done.document["answers"]["necessary_reasons"]["status"] == "partial"
    done = call(*args, "--time-limit", 0.2)
    assert done.code == 3 and "partial" in done.out


def test_a_proof_that_is_not_reached_leaves_its_bounds(call, hard):
    args = ["explain", hard / "model.json", hard / "data.csv", "--row", 0, "--question", "smallest-sufficient-reason"]
    done = call(*args, "--time-limit", 0.2, "--json")
    assert done.code == 3
    answer = done.document["answers"]["smallest_sufficient_reason"]
    assert answer["status"] == "partial" and answer["bounds"]


def process(*args, **options):
    command = [sys.executable, "-m", "xylogic.cli", *map(str, args)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, text=True, env=ENVIRONMENT, **pipes, **options)


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_interrupt_prints_what_is_known(hard):
    args = ["explain", hard / "model.json", hard / "data.csv", "--row", 0, "--question", "necessary-reasons"]
    running = process(*args)
    time.sleep(4)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode in (3, 130)
    assert "Traceback" not in err
    assert "necessary-reasons: 1 s" in err  # progress, on stderr alone
    assert "Prediction" in out


def test_closed_pipe_is_quiet(iris):
    running = process("explain", iris / "model.json", iris / "data.csv", "--row", 0)
    running.stdout.close()
    err = running.stderr.read()
    running.wait(timeout=60)
    assert "Traceback" not in err and "Exception" not in err


def test_narrow_terminals_get_escapes_not_errors(tmp_path):
    xl.build_tree({"feature": "käse", "cut": 1, "left": {"class": "ja"}, "right": {"class": "nö"}}, ["käse"]).save(
        tmp_path / "model.json"
    )
    (tmp_path / "data.csv").write_text("käse\n2\n", encoding="utf-8")
    command = [sys.executable, "-m", "xylogic.cli", "explain", "model.json", "data.csv", "--row", "0"]
    environment = {**ENVIRONMENT, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run(command, capture_output=True, cwd=tmp_path, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert rb"n\xf6" in done.stdout


# Demo


@pytest.fixture
def brief(monkeypatch):
    monkeypatch.setattr("xylogic.cli.demo.TIME_LIMIT", 0.2)


def test_demo(call, brief):
    done = call("demo")
    assert done.code == 0
    assert "100 trees" in done.out and "0 mismatches" in done.out
    assert "sufficient reason" in done.out and "necessary reason" in done.out
    assert "Next" in done.out


def test_demo_as_json(call, brief):
    done = call("demo", "--json")
    assert done.code == 0
    assert done.document["verification"]["ok"] is True
    assert len(done.document["explanations"]) >= 2
