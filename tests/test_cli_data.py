"""DATA files: csv, csv.gz and parquet, matched to a model's columns."""

import gzip
import math
from types import SimpleNamespace

import numpy as np
import pytest

from xylogic.cli.data import MISSING, read_one, read_rows
from xylogic.domain.feature import Feature
from xylogic.errors import InvalidInputError


def model(*features, named=True):
    """What reading a file needs to know of a model."""
    features = [Feature(feature) if isinstance(feature, str) else feature for feature in features]
    return SimpleNamespace(features=tuple(features), feature_names=tuple(f.name for f in features), named=named)


@pytest.fixture
def write(tmp_path):
    def write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_rows_come_in_the_models_order(write):
    table = read_rows(write("b,a\n1,2\n3,4\n"), model("a", "b"))
    assert table.dtype == np.float64
    assert table.tolist() == [[2.0, 1.0], [4.0, 3.0]]


def test_r095_column_order_of_the_file_does_not_matter(write):
    one = read_rows(write("x1,x2\n1,2\n3,4\n", "one.csv"), model("x1", "x2"))
    two = read_rows(write("x2,x1\n2,1\n4,3\n", "two.csv"), model("x1", "x2"))
    assert one.tobytes() == two.tobytes()


def test_r095_without_a_header_the_count_is_checked_and_the_run_says_so(write, capsys):
    path = write("1,2\n3,4\n")
    assert read_rows(path, model("x1", "x2"), header=False).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert "by position" in capsys.readouterr().err
    for wrong in (model("x1"), model("x1", "x2", "x3")):
        with pytest.raises(InvalidInputError, match="row 0 has 2 columns"):
            read_rows(path, wrong, header=False)


def test_r094_one_message_lists_missing_and_extra_columns(write):
    with pytest.raises(InvalidInputError, match=r"missing 'b', 'c'; extra 'B', 'd'"):
        read_rows(write("B,a,d\n1,2,3\n"), model("a", "b", "c"))


def test_extra_columns_are_left_out_and_named(write, capsys):
    assert read_one(write("id,a,target\n7,1,yes\n"), model("a"), 0) == {"a": 1.0}
    assert "'id', 'target'" in capsys.readouterr().err


def test_doubled_columns_are_refused_with_both_positions(write):
    with pytest.raises(InvalidInputError, match="'a' at positions 0 and 2"):
        read_rows(write("a,b,a\n1,2,3\n"), model("a", "b"))


def test_a_model_without_names_takes_columns_by_position(write, capsys):
    nameless = model("x0", "x1", named=False)
    assert read_rows(write("b,a\n1,2\n"), nameless).tolist() == [[1.0, 2.0]]
    assert "by position" in capsys.readouterr().err
    assert read_rows(write("x1,x0\n1,2\n"), nameless).tolist() == [[2.0, 1.0]]
    assert read_rows(write("0,1\n1,2\n"), nameless).tolist() == [[1.0, 2.0]]
    with pytest.raises(InvalidInputError, match="3 columns"):
        read_rows(write("a,b,target\n1,2,0\n"), nameless)
    with pytest.raises(InvalidInputError, match="--no-header"):
        read_rows(write("5.1,3.5\n4.9,3.0\n"), nameless)


@pytest.mark.parametrize("word", ["", "NA", "NaN", "nan", "null"])
def test_r097_missing_words(write, word):
    one, two, three = read_rows(write(f"a,b,c\n1,{word},3\n1,NA,3\n1,0,3\n"), model("a", "b", "c")).tolist()
    assert math.isnan(one[1]) and math.isnan(two[1])
    assert three == [1.0, 0.0, 3.0]


def test_r097_same_as_pandas(write):
    pandas = pytest.importorskip("pandas")
    path = write("a,b\n" + "".join(f"{word},1\n" for word in sorted(MISSING)) + "0,2\n1e-3,3\n")
    np.testing.assert_array_equal(read_rows(path, model("a", "b")), pandas.read_csv(path).to_numpy(dtype=float))


def test_r097_a_known_category_wins_over_a_missing_word(write):
    country = Feature("country", "categorical", categories=("DE", "NA"))
    rows = read_rows(write("country,n\nNA,1\n,2\nDE,NA\n"), model(country, "n"))
    assert rows[0] == ["NA", 1.0]
    assert math.isnan(rows[1][0])
    assert rows[2][0] == "DE" and math.isnan(rows[2][1])


def test_categories_that_are_no_text(write):
    grade = Feature("grade", "categorical", categories=(1, 2))
    assert read_one(write("grade\n2\n"), model(grade), 0) == {"grade": 2}
    assert read_one(write("grade\n2.0\n"), model(grade), 0) == {"grade": 2}
    with pytest.raises(InvalidInputError, match=r"column 'grade', row 0: unknown category '3'; known: '1', '2'"):
        read_one(write("grade\n3\n"), model(grade), 0)


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_r098_byte_order_mark_line_ends_and_quotes(write, ends):
    text = ends.join(['"target","a ""x"", y",b', 'yes,1,"2"', "", "no,3,4", ""])
    rows = read_rows(write("\ufeff" + text), model('a "x", y', "b"))
    assert rows.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    first = read_one(write("\ufeffa,b" + ends + "1,2"), model("a", "b"), 0)
    assert first == {"a": 1.0, "b": 2.0}


def test_csv_gz(write):
    path = write(gzip.compress(b"\xef\xbb\xbfa\r\n1\r\n2\r\n"), "data.csv.gz")
    assert read_rows(path, model("a")).tolist() == [[1.0], [2.0]]
    cut = write(path.read_bytes()[:-9], "cut.csv.gz")
    with pytest.raises(InvalidInputError, match="not a whole gzip file"):
        read_rows(cut, model("a"))
    with pytest.raises(InvalidInputError, match="not a whole gzip file"):
        read_rows(write("a\n1\n", "plain.csv.gz"), model("a"))


def test_parquet(tmp_path, capsys):
    polars = pytest.importorskip("polars")
    path = tmp_path / "data.parquet"
    polars.DataFrame({"kind": ["u", None], "b": [True, False], "a": [1, None], "left": [0, 0]}).write_parquet(path)
    kind = Feature("kind", "categorical", categories=("u", "v"))
    rows = read_rows(path, model("a", "b", kind))
    assert rows[0] == [1.0, 1.0, "u"]
    assert math.isnan(rows[1][0]) and rows[1][1] == 0.0 and math.isnan(rows[1][2])
    assert "'left'" in capsys.readouterr().err
    path.write_bytes(b"PAR1 not really")
    with pytest.raises(InvalidInputError, match="cannot be read as parquet"):
        read_rows(path, model("a"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("a,b\n", "has no rows"),
        ("a,b\n1,2\n1\n", "row 1 has 1 columns; 2 are expected"),
        ("a,b\n1,2\n1,2,3\n", "row 1 has 3 columns; 2 are expected"),
        ("a,b\n1,2\n1,x y\n", "column 'b', row 1: 'x y' is not a number"),
        ("a,b\n1,1_000\n", "column 'b', row 0: '1_000' is not a number"),
        ('a,b\n1,"2\n', "unexpected end of data"),
        (b"a,b\n1,\xff\n", "not UTF-8"),
        ("\n".join(["a;b", "1;2"]), "missing 'a', 'b'; extra 'a;b'"),
    ],
)
def test_what_cannot_be_read_is_named(write, content, message):
    with pytest.raises(InvalidInputError, match=message):
        read_rows(write(content), model("a", "b"))


def test_one_row_reads_no_further(write):
    path = write("a\n1\n2\nbad\n")
    assert read_one(path, model("a"), 1) == {"a": 2.0}
    with pytest.raises(InvalidInputError, match="column 'a', row 2: 'bad'"):
        read_one(path, model("a"), 2)
    with pytest.raises(InvalidInputError, match="no row 3; it has rows 0 to 2"):
        read_one(path, model("a"), 3)


def test_numbers_keep_their_bits(write):
    texts = ["0.1", "1e-320", "-0.0", "17.990000000000002", "1E5", "inf", " 2 ", "true", "FALSE"]
    rows = read_rows(write("a\n" + "\n".join(texts) + "\n"), model("a"))
    expected = [0.1, 1e-320, -0.0, 17.990000000000002, 1e5, math.inf, 2.0, 1.0, 0.0]
    assert rows[:, 0].tobytes() == np.array(expected).tobytes()
