"""Numbers and paths on the command line that no command takes."""

import pandas as pd
import pytest

import xylogic as xl
from xylogic.cli.app import run


@pytest.fixture
def files(tmp_path):
    frame = pd.DataFrame({"a": range(40), "b": [3, 1] * 20}).assign(y=[0.5, 1.5, 2.5, 1.5] * 10)
    frame.to_csv(tmp_path / "data.csv", index=False)
    frame.to_csv(tmp_path / "data.json", index=False)
    xl.DecisionTreeRegressor(max_depth=2).fit(frame[["a", "b"]], frame["y"]).to_model().save(tmp_path / "model.json")
    return tmp_path


COMMANDS = {
    "explain": ("model.json", "data.csv", "--row=0", "--band=0.5"),
    "grow": ("data.csv", "--target=y"),
    "compare": ("model.json", "model.json"),
    "update": ("model.json", "data.csv", "--target=y"),
}


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e999", "-1"])
@pytest.mark.parametrize(
    "option",
    [
        "explain --time-limit",
        "explain --band",
        "grow --ccp-alpha",
        "compare --tolerance",
        "compare --time-limit",
        "update --strength",
        "update --tolerance",
        "update --time-limit",
    ],
)
def test_numbers_that_are_not_finite_or_negative_are_refused(capsys, files, option, value):
    command, option = option.split()
    given = [str(files / word) if (files / word).exists() else word for word in COMMANDS[command]]
    assert run([command, *given, f"{option}={value}"]) == 2
    out, err = capsys.readouterr()
    assert not out and err.count("\n") >= 1 and "error: " in err


def test_a_band_may_be_open_on_one_side(capsys, files):
    model, data = str(files / "model.json"), str(files / "data.csv")
    assert run(["explain", model, data, "--row=0", "--band", "-inf", "1.9"]) == 0
    for band in ("nan,1", "1,nan", "0,1,2"):
        assert run(["explain", model, data, "--row=0", f"--band={band}"]) == 2
    assert "is not one number (epsilon) or two" in capsys.readouterr().err


def test_growing_does_not_write_on_its_data(capsys, files):
    before = (files / "data.json").read_bytes()
    assert run(["grow", str(files / "data.json"), "--target=y", "--out", str(files / "." / "data.json")]) == 2
    assert "which is read here too" in capsys.readouterr().err and (files / "data.json").read_bytes() == before
