"""``xylogic compare``: what it prints and how it exits."""

import json
import pickle
from dataclasses import replace

import joblib
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeRegressor

import xylogic as xl
from xylogic.cli.app import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two small forests, one of them reversed, a regression tree, and rows."""
    made = tmp_path_factory.mktemp("compare")
    data = load_iris(as_frame=True)
    labels = data.target_names[data.target]
    forests = [RandomForestClassifier(5, max_depth=3, random_state=k).fit(data.data, labels) for k in (0, 1)]
    for name, forest in zip(("a", "b"), forests, strict=True):
        joblib.dump(forest, made / f"{name}.joblib")
        xl.read_model(forest).save(made / f"{name}.json")
    votes = xl.read_model(forests[0]).with_voting("majority")
    votes.save(made / "votes.json")
    replace(votes, trees=votes.trees[::-1]).save(made / "turned.json")
    hard = xl.read_model(RandomForestClassifier(100, max_depth=4, random_state=0).fit(data.data, labels))
    hard.save(made / "hard.json")
    replace(hard, trees=hard.trees[::-1]).save(made / "hard_turned.json")
    X, y = load_diabetes(return_X_y=True)
    for depth in (2, 3):
        xl.read_model(DecisionTreeRegressor(max_depth=depth).fit(X, y)).save(made / f"numbers{depth}.json")
    data.data.to_csv(made / "rows.csv", index=False)
    return made


@pytest.fixture
def call(capsys, folder):
    def call(*args):
        given = [str(folder / arg) if "." in str(arg) and not str(arg).startswith("-") else str(arg) for arg in args]
        code = run(["compare", *given])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_equivalent(call):
    code, out, err = call("votes.json", "turned.json")
    assert (code, err) == (0, "")
    assert out.startswith("Equivalent  [exact, ")


def test_not_equivalent_with_witness_and_shares(call):
    code, out, _ = call("a.json", "b.json", "--data", "rows.csv", "--regions")
    assert code == 1
    assert out.startswith("NOT equivalent  [exact, ")
    assert "They differ on sepal length (cm) = " in out
    assert "% of the cells" in out and "% of the rows" in out
    assert "10 regions  [partial]" in out


def test_json(call, folder):
    code, out, _ = call("a.json", "b.json", "--json", "--regions", "3")
    found = json.loads(out)
    assert code == 1 and found["equivalent"] is False
    models = [xl.load(folder / name) for name in ("a.json", "b.json")]
    assert [m.predict([found["witness"]])[0] for m in models] == found["answers"]
    assert 0 < found["disagreement"] < 1 and found["measure"]["status"] == "exact"
    assert len(found["regions"]) == 3
    for region in found["regions"]:
        assert [m.predict([region["row"]])[0] for m in models] == region["answers"]
    assert sum(entry["share"] for entry in found["table"]) == pytest.approx(1)


def test_probabilities_and_numbers(call):
    assert call("a.json", "a.json", "--output", "probability")[0] == 0
    code, out, _ = call("numbers2.json", "numbers3.json", "--json", "--regions", "1")
    assert code == 1 and len(json.loads(out)["regions"]) == 1
    assert call("numbers2.json", "numbers3.json", "--tolerance", "1000")[0] == 0


def test_joblib_needs_trust(call):
    code, _, err = call("a.joblib", "a.json")
    assert code == 2 and "--trusted" in err
    assert call("a.joblib", "a.json", "--trusted")[0] == 0


def test_models_that_cannot_be_compared(call):
    code, out, err = call("a.json", "numbers2.json")
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1 and "Traceback" not in err
    assert call("a.json", "b.json", "--tolerance", "0.5")[0] == 2


def test_limit(call):
    code, out, _ = call("hard.json", "hard_turned.json", "--time-limit", "0")
    assert code == 3 and out.startswith("Undecided")


def test_results_pickle(folder):
    a, b = (xl.load(folder / name) for name in ("a.json", "b.json"))
    found = pickle.loads(pickle.dumps(xl.equivalent(a, b)))
    assert not found and found.witness is not None
