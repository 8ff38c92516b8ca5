"""domain/table.py: the border for all input."""

import datetime
import decimal
import fractions

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from xylogic import Feature, InvalidInputError
from xylogic.domain.table import read_row, read_table

FEATURES = (Feature("age"), Feature("blood", "categorical", ("A", "B", "O")), Feature("smokes", "boolean"))
NUMBERS = (Feature("a"), Feature("b"))
DATA = {"age": [30.5, None], "blood": ["O", None], "smokes": [True, None]}
EXPECTED = [[30.5, 2.0, 1.0], [np.nan] * 3]


def read(X, features=FEATURES, named=True):
    return read_table(X, features, named=named).values


def rows_of(data):
    return [dict(zip(data, cells, strict=True)) for cells in zip(*data.values(), strict=True)]


@pytest.mark.parametrize(
    "make",
    [
        pd.DataFrame,
        lambda d: pd.DataFrame(d).convert_dtypes(),
        lambda d: pd.DataFrame(d).astype({"blood": "category"}),
        lambda d: pd.DataFrame(d).astype(object),
        lambda d: pd.DataFrame(d)[["smokes", "age", "blood"]],
        pl.DataFrame,
        lambda d: pl.DataFrame(d).with_columns(pl.col("blood").cast(pl.Categorical)).select("blood", "smokes", "age"),
        pa.table,
        rows_of,
        lambda d: [{name: row[name] for name in ("blood", "age", "smokes")} for row in rows_of(d)],
        lambda d: [list(row.values()) for row in rows_of(d)],
        lambda d: tuple(tuple(row.values()) for row in rows_of(d)),
        lambda d: np.array([list(row.values()) for row in rows_of(d)], dtype=object),
    ],
)
def test_every_kind_of_table(make):
    values = read(make(DATA))
    assert values.dtype == np.float64 and values.flags.c_contiguous
    np.testing.assert_array_equal(values, EXPECTED)


def test_r105_none_nan_and_na_are_one_missing_state():
    """R105: in number, category and boolean columns alike."""
    for gap in (None, np.nan, float("nan"), np.float32("nan"), pd.NA, pd.NaT, decimal.Decimal("nan"), np.ma.masked):
        assert np.isnan(read([[gap, gap, gap]])).all()
        assert np.isnan(read(pd.DataFrame([[gap] * 3], columns=list(DATA), dtype=object))).all()
    masked = np.ma.masked_array([[1.0, 2.0]], mask=[[False, True]])
    np.testing.assert_array_equal(read(masked, NUMBERS), [[1.0, np.nan]])
    np.testing.assert_array_equal(
        read(pl.DataFrame({"a": [1, None], "b": [None, 2.5]}), NUMBERS), [[1, np.nan], [np.nan, 2.5]]
    )


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "float64", "longdouble", "int8", "int64", "uint64", "bool", object]
)
def test_numeric_dtypes(dtype):
    assert read(np.array([[1, 0]], dtype=dtype), NUMBERS).tolist() == [[1.0, 0.0]]


def test_numbers_of_other_types():
    given = [[fractions.Fraction(1, 4), decimal.Decimal("0.5")], [np.int8(3), np.float32(0.25)], [2**60 + 1, True]]
    assert read(given, NUMBERS).tolist() == [[0.25, 0.5], [3.0, 0.25], [float(2**60 + 1), 1.0]]
    with pytest.raises(InvalidInputError, match="column 'a', row 1: 1000"):
        read([[1, 1], [10**400, 1]], NUMBERS)


def test_the_callers_array_is_copied():
    X = np.zeros((2, 2))
    values = read(X, NUMBERS)
    X[:] = 7
    assert values.tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, rows_of])
def test_r094_one_message_lists_missing_and_extra_columns(make):
    """R094: reorder by name; if impossible, one message."""
    np.testing.assert_array_equal(read(make({"b": [2.0], "a": [1.0]}), NUMBERS), [[1.0, 2.0]])
    with pytest.raises(InvalidInputError, match="the columns do not fit: missing 'b'; extra 'c', 'd'"):
        read(make({"c": [0.0], "a": [1.0], "d": [1.0]}), NUMBERS)


def test_r108_duplicate_columns_are_refused_with_both_positions():
    for frame in (pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]), pa.table([[1], [2], [3]], names=["a", "b", "a"])):
        for named in (True, False):
            with pytest.raises(InvalidInputError, match=r"duplicated 'a' \(columns 0, 2\)"):
                read(frame, NUMBERS, named=named)


def test_r095_names_decide_where_both_sides_have_them():
    """R095: without names on one side, position and a count check."""
    frame = pd.DataFrame({"q": [1.0], "p": [2.0]})
    made_up = (Feature("x0"), Feature("x1"))
    assert read(frame, made_up, named=False).tolist() == [[1.0, 2.0]]
    assert read(pd.DataFrame([[1.0, 2.0]]), NUMBERS).tolist() == [[1.0, 2.0]]  # integer column names are none
    assert read(pd.DataFrame({"x1": [1.0], "x0": [2.0]}), made_up, named=False).tolist() == [[2.0, 1.0]]
    assert read([{"x1": 1.0, "x0": 2.0}], made_up, named=False).tolist() == [[2.0, 1.0]]
    for X in (frame[["q"]], np.zeros((1, 3)), [[1]], pd.DataFrame([[1.0]])):
        with pytest.raises(InvalidInputError, match=r"there are \d columns; 2 are accepted: 'x0', 'x1'"):
            read(X, made_up, named=False)
    with pytest.raises(InvalidInputError, match="missing 'x0'; extra 'y'"):
        read([{"x1": 1.0, "y": 2.0}], made_up, named=False)
    many = tuple(Feature(f"f{i}") for i in range(30))
    with pytest.raises(InvalidInputError, match="'f9' and 20 more"):
        read(np.zeros((1, 2)), many)


def test_r101_r107_a_stray_text_is_named_by_column_and_row():
    """R101, R107: never an error deep inside."""
    for X in (
        pd.DataFrame({"a": [1.0, "abc"], "b": [1, 2]}),
        pl.DataFrame({"a": ["1", "abc"], "b": [1, 2]})
        .with_row_index()
        .select(pl.when(pl.col("index") == 1).then("a").alias("a"), "b"),
        [[1, 2], ["abc", 3]],
        [{"a": 1, "b": 2}, {"a": "abc", "b": 2}],
        np.array([[1, 2], ["abc", 3]], dtype=object),
    ):
        with pytest.raises(
            InvalidInputError, match="column 'a', row 1: 'abc' is not a number; a finite number, or None"
        ):
            read(X, NUMBERS)
    for odd in ([1], {"v": 1}, 1j, datetime.date(2020, 1, 1), b"1", "1", object(), np.datetime64("2020-01-01")):
        with pytest.raises(InvalidInputError, match=r"column 'b', row 0: .* is not a number"):
            read([[1.0, odd]], NUMBERS)
    with pytest.raises(InvalidInputError, match="column 'b', row 0"):
        read(pd.DataFrame({"a": [1.0], "b": pd.to_datetime(["2020-01-01"])}), NUMBERS)
    with pytest.raises(InvalidInputError, match="column 'a', row 0"):
        read(np.array([["1", "2"]]), NUMBERS)


def test_r101_r047_unseen_categories_are_named():
    with pytest.raises(
        InvalidInputError, match="column 'blood', row 1: 'AB' is not a known category; accepted: 'A', 'B', 'O'"
    ):
        read([[1, "A", 0], [1, "AB", 0]])
    with pytest.raises(InvalidInputError, match=r"column 'blood', row 0: \['A'\] is not a known category"):
        read([[1, ["A"], 0]])


def test_r068_categories_of_any_type():
    for levels in [(1, 2, 3), (True, False), (0.5, 1.5), ("", "nan", "None"), ("red", 1, 2.5), ((1, 2), (3, 4))]:
        feature = (Feature("c", "categorical", levels),)
        assert read([{"c": level} for level in levels], feature).ravel().tolist() == list(range(len(levels)))
    codes = (Feature("c", "categorical", (1, 2, 3)),)
    assert read(np.array([[3.0], [1.0]]), codes).tolist() == [[2.0], [0.0]]
    assert read(pd.DataFrame({"c": [3, 1]}), codes).tolist() == [[2.0], [0.0]]


def test_booleans():
    for yes in (True, np.True_, 1, 1.0):
        assert read([[1, "A", yes]])[0, 2] == 1.0
    with pytest.raises(InvalidInputError, match=r"column 'smokes', row 0: 0.5 is not a boolean; True, False, 1 or 0"):
        read([[1, "A", 0.5]])


@pytest.mark.parametrize(
    ("X", "says"),
    [
        (np.zeros(3), r"X has 1 dimensions; .* pass x.reshape\(1, -1\)"),
        (np.zeros((1, 2, 3)), "X has 3 dimensions"),
        (np.array(1.0), "X has 0 dimensions"),
        (scipy.sparse.csr_matrix(np.eye(2)), "X is a sparse matrix, .* X.toarray()"),
        (scipy.sparse.coo_array(np.eye(2)), "sparse matrix"),
        (pl.DataFrame({"a": [1], "b": [2]}).lazy(), "lazy table; collect it first"),
        ([1.0, 2.0], "row 0 of X is a float"),
        (["ab"], "row 0 of X is a str"),
        ([[1, 2], [1]], "row 1 of X has 1 cells where row 0 has 2"),
        ([[1, 2], {"a": 1}], "row 1 of X is a dict"),
        ([{"a": 1, "b": 2}, {"a": 1}], "rows 0 and 1 differ in their columns: 'b'"),
        (5, "X is a int; accepted: a 2-D numpy array"),
        (None, "X is a NoneType"),
        ("file.csv", "X is a str"),
        ({"a": [1], "b": [2]}, "X is a dict"),
        (pd.Series([1.0, 2.0]), "X"),
    ],
)
def test_other_shapes_are_refused(X, says):
    with pytest.raises(InvalidInputError, match=says):
        read(X, NUMBERS)


@pytest.mark.parametrize(
    "x",
    [
        np.array([1.0, 2.0]),
        [1.0, 2.0],
        (1.0, 2.0),
        {"b": 2.0, "a": 1.0},
        pd.Series({"b": 2.0, "a": 1.0}),
        pd.Series([1.0, 2.0]),
        pd.DataFrame({"b": [2.0], "a": [1.0]}),
        pd.DataFrame({"b": [2.0], "a": [1.0]}).iloc[0],
        pl.DataFrame({"b": [2.0], "a": [1.0]}),
        pl.Series([1.0, 2.0]),
        pa.array([1.0, 2.0]),
        pa.table({"b": [2.0], "a": [1.0]}),
        [[1.0, 2.0]],
        [{"b": 2.0, "a": 1.0}],
        np.array([[1.0, 2.0]]),
        next(pd.DataFrame({"a": [1.0], "b": [2.0]}).itertuples(index=False)),
    ],
    ids=lambda x: type(x).__name__,
)
def test_every_kind_of_row(x):
    assert read_row(x, NUMBERS, named=True).values.tolist() == [[1.0, 2.0]]


@pytest.mark.parametrize(
    ("x", "says"),
    [
        ([[1, 2], [3, 4]], "row 0 of X|x has 2 rows"),
        (np.zeros((2, 2)), "x has 2 rows; one row is accepted"),
        (np.zeros((0, 2)), "x has 0 rows"),
        (pd.DataFrame({"a": [1, 2], "b": [1, 2]}), "x has 2 rows"),
        ({"a": 1}, "missing 'b'"),
        ({"a": 1, "b": 2, "c": 3}, "extra 'c'"),
        (pd.Series([1, 2, 3], index=["a", "b", "a"]), r"duplicated 'a' \(columns 0, 2\)"),
        ([1.0], "there are 1 columns; 2 are accepted"),
        (3.0, "X is a float"),
        ("ab", "X is a str"),
        ([1, "x"], "column 'b', row 0: 'x'"),
    ],
)
def test_what_is_no_row_is_refused(x, says):
    with pytest.raises(InvalidInputError, match=says):
        read_row(x, NUMBERS, named=True)


def test_no_rows():
    for X in ([], np.empty((0, 2)), pd.DataFrame({"a": [], "b": []}), pl.DataFrame({"b": [], "a": []})):
        assert read(X, NUMBERS).shape == (0, 2)


def test_r108_names_are_data():
    names = ["a[0]", "x<y", "k:v", "two\nlines", "", 'height "cm"', "naïve \\ ☃", "\t"]
    features = tuple(Feature(name) for name in names)
    row = {name: float(i) for i, name in enumerate(reversed(names))}
    expected = [list(range(len(names)))[::-1]]
    for X in ([row], pd.DataFrame([row]), pl.DataFrame([row]), pa.Table.from_pylist([row])):
        assert read(X, features).tolist() == expected
