"""domain/infer.py and domain/levels.py: what the columns of a training table are, and cells of levels not listed."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from xylogic import Feature, InvalidInputError
from xylogic.domain.infer import infer_features, infer_table, other_level
from xylogic.domain.levels import Levels
from xylogic.domain.table import read_row, read_table, read_values

NAMES = ["size", "count", "wet", "colour", "grade"]
CELLS = {
    "size": [0.5, None, 2.0],
    "count": [3, 1, 2],
    "wet": [True, False, True],
    "colour": ["red", None, "blue"],
    "grade": ["low", "high", "low"],
}


def pandas_frame():
    grade = pd.Categorical(CELLS["grade"], categories=["low", "mid", "high"])
    return pd.DataFrame({**CELLS, "grade": grade})


def polars_frame():
    return pl.DataFrame({**CELLS, "grade": pl.Series(CELLS["grade"], dtype=pl.Enum(["low", "mid", "high"]))})


@pytest.mark.parametrize(
    "make",
    [
        pandas_frame,
        polars_frame,
        lambda: pa.table(CELLS),
        lambda: pl.DataFrame(CELLS).to_dicts(),
    ],
    ids=["pandas", "polars", "pyarrow", "dicts"],
)
def test_kinds_of_columns_from_any_table(make):
    found = infer_table(make(), NAMES)
    assert [feature.kind for feature in found.features] == [
        "numeric",
        "integer",
        "boolean",
        "categorical",
        "categorical",
    ]
    assert [feature.may_be_missing for feature in found.features] == [True, False, False, True, False]
    colour, grade = found.features[3:]
    assert colour.categories == ("blue", "red", "<other>") and colour.other == "<other>"
    listed = make in (pandas_frame, polars_frame)
    assert grade.categories == (("low", "mid", "high", "<other>") if listed else ("high", "low", "<other>"))
    codes = [grade.categories.index(cell) for cell in CELLS["grade"]]
    expected = np.array([[0.5, np.nan, 2], [3, 1, 2], [1, 0, 1], [1, np.nan, 0], codes]).T
    np.testing.assert_array_equal(found.values, expected)
    assert found.values.dtype == np.float64


def test_a_polars_categorical_has_the_levels_that_are_there():
    other = pl.Series(["z", "y", "x"], dtype=pl.Categorical)  # which share one process-wide list of levels
    frame = pl.DataFrame({"a": pl.Series(["y", "b", None], dtype=pl.Categorical)})
    assert infer_table(frame, ["a"]).features[0].categories == ("b", "y", "<other>")
    assert len(other) == 3


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ([1, 2, None], "integer"),
        ([1, 2.5, None], "numeric"),
        ([True, None, False], "boolean"),
        ([True, float("nan")], "boolean"),
        ([True, 2], "numeric"),
        ([None, None], "numeric"),
        (["a", float("nan")], "categorical"),
        (np.array(["a", "b"]), "categorical"),
        ([np.int32(1), pd.NA], "integer"),
    ],
)
def test_kinds_of_cells_without_a_data_type(column, kind):
    found = infer_table([[cell] for cell in column], ["a"])
    assert found.features[0].kind == kind


def test_float32_stays_where_it_holds_every_value():
    frame = pd.DataFrame({"a": np.float32([1, 2]), "b": [True, False], "c": ["x", "y"], "d": np.int16([1, 2])})
    assert infer_table(frame, list(frame)).values.dtype == np.float32
    frame["e"] = [2**24 + 1, 0]
    assert infer_table(frame, list(frame)).values.dtype == np.float64
    assert infer_table(frame[["b", "c"]], ["b", "c"]).values.dtype == np.float64
    table = np.float32([[1, np.nan], [np.inf, -np.inf]])
    assert [f.may_be_missing for f in infer_features(table, "numeric", ["a", "b"])] == [False, True]


@pytest.mark.parametrize("marked", [["a"], [0], [True, False], np.array([True, False]), (np.int64(0),)])
def test_r028_a_column_of_numbers_marked_categorical(marked):
    """Whole numbers from 0 up are levels, -1 is missing."""
    table = np.array([[-1, 0.5], [7, 1], [2, -3]])
    found = infer_table(table, ["a", "b"], marked)
    assert found.features[0].categories == (2, 7, "<other>")
    assert found.features[1].kind == "numeric"
    np.testing.assert_array_equal(found.values[:, 0], [np.nan, 1, 0])


@pytest.mark.parametrize("bad", [-2.0, 0.5, np.inf])
def test_r028_other_numbers_are_refused_at_fit_and_after(bad):
    with pytest.raises(InvalidInputError, match=r"column 'a', row 1: .* is not a category; a whole number from 0 up"):
        infer_table(np.array([[1.0], [bad]]), ["a"], ["a"])
    features = infer_table(np.array([[1.0], [2.0]]), ["a"], ["a"]).features
    with pytest.raises(InvalidInputError, match=r"column 'a', row 1: .* is not a category; a whole number from 0 up"):
        read_table(np.array([[1.0], [bad]]), features, named=True)
    with pytest.raises(InvalidInputError, match="column 'a', row 0"):
        read_table([[bad]], features, named=True)


def test_text_is_refused_where_nothing_is_categorical():
    with pytest.raises(InvalidInputError, match="column 'b', row 1: 'x' is not a number; list the column in"):
        infer_table([[1, None], [2, "x"]], ["a", "b"], None)
    found = infer_table(pd.DataFrame({"a": pd.Categorical([3, 1])}), ["a"], None)
    assert found.features[0].kind == "integer"


@pytest.mark.parametrize("marked", ["a", 3, [0.5], ["zz"], [2], [-1], [True], [None]])
def test_columns_that_are_none_are_refused(marked):
    with pytest.raises(InvalidInputError, match="categorical_features"):
        infer_table(np.zeros((2, 2)), ["a", "b"], marked)


def test_cells_that_are_neither_numbers_nor_text():
    with pytest.raises(InvalidInputError, match=r"column 'a', row 1: .* is a dict; .*string or a real number"):
        infer_table([[1], [{"x": 1}]], ["a"])
    with pytest.raises(TypeError, match=r"column 'a', row 0: .* is a Timestamp; .* the days since some date"):
        infer_table(pd.DataFrame({"a": pd.to_datetime(["2026-01-01"])}), ["a"])
    with pytest.raises(InvalidInputError, match="column 'a', row 2: 3 is not text"):
        infer_table([["x"], [None], [3]], ["a"])
    with pytest.raises(TypeError, match=r"column 'a', row 0: .* is a list"):
        infer_table([[[1]]], ["a"], ["a"])


def test_levels_of_several_types_where_the_user_says_so():
    day = datetime.date(2026, 1, 2)
    found = infer_table([["x"], [day], [3], [2], [None]], ["a"], ["a"])
    assert found.features[0].categories == (day, 2, 3, "x", "<other>")
    np.testing.assert_array_equal(found.values[:, 0], [3, 0, 2, 1, np.nan])


def test_the_other_level_has_a_name_of_its_own():
    assert other_level(["a"]) == "<other>"
    assert other_level(["<other>", "<<other>>", 3]) == "<<<other>>>"


COLOUR = Feature("colour", "categorical", ("blue", "red", "<other>"), other="<other>")
ROOM = Feature("room", "categorical", (3, 7, "<other>"), other="<other>")


def test_r026_a_level_not_listed_is_the_other_level_and_not_missing():
    table = read_table(pd.DataFrame({"colour": ["red", "green", None]}), [COLOUR], named=True)
    np.testing.assert_array_equal(table.values[:, 0], [1, 2, np.nan])
    assert read_values(["green", float("nan"), "blue"], COLOUR)[::2] == [2.0, 0.0]
    assert read_row({"colour": "violet"}, [COLOUR], named=True).values.tolist() == [[2.0]]
    with pytest.raises(InvalidInputError, match="column 'colour', row 0: 3 is not a category; text, or None"):
        read_row([3], [COLOUR], named=True)
    plain = Feature("colour", "categorical", ("blue", "red"))
    with pytest.raises(InvalidInputError, match="'violet' is not a known category"):
        read_row(["violet"], [plain], named=True)


def test_levels_that_are_whole_numbers():
    cells = np.array([[3], [4], [-1], [7]])
    for table in (cells, cells.astype(float), cells.tolist(), cells.astype(np.uint8)[[0, 1, 3]]):
        codes = read_table(table, [ROOM], named=False).values[:, 0]
        assert codes.tolist()[:2] == [0.0, 2.0] and codes.tolist()[-1] == 1.0
    assert np.isnan(read_table(cells, [ROOM], named=False).values[2, 0])
    assert Levels(ROOM).unlisted() == 8 and Levels(COLOUR).unlisted() not in COLOUR.categories
    assert Levels(Feature("c", "categorical", ("a",))).unlisted() is None


def test_a_listed_minus_one_is_a_level():
    feature = infer_table(pd.DataFrame({"a": pd.Categorical([-1, 5])}), ["a"]).features[0]
    assert feature.categories == (-1, 5, "<other>")
    assert read_row([-1], [feature], named=False).values.tolist() == [[0.0]]


def test_other_has_to_be_a_category():
    with pytest.raises(InvalidInputError, match="other is 'x', which is not one of its categories"):
        Feature("c", "categorical", ("a",), other="x")
