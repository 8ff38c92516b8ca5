"""model/file.py: exact round trips, and files from strangers."""

import gzip
import json
import math
import os
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from models import seeded_case
from xylogic import Feature, InvalidInputError, InvalidModelError, build_ensemble, build_tree, load
from xylogic.model.build import make_ensemble, make_tree

FIELDS = ("feature", "cut", "left", "right", "missing", "set_ptr", "set_items", "value")
HOSTILE_NAMES = [
    "a[0]",
    "x<y",
    "k:v",
    "two\nlines",
    "",
    'height "cm"',
    "naïve \\ ☃ \U0001f333",
    "\x00\x1f",
    "\ud800",
    "</script>",
]


def example():
    """Every field of the format in use."""
    blood = Feature("blood", "categorical", ("A", 2, 1.5, False), mutable=False, cost=2, other=1.5)
    age = Feature("age", "integer", scale=10, lower=-math.inf, upper=99)
    nodes = {
        "feature": "age", "cut": 0.1, "missing": "left",
        "left": {"feature": "blood", "in": ["A", 1.5], "left": {"value": [1 / 3, 5e-324, 0]}, "right": {"class": 7}},
        "right": {"class": "x"},
    }  # fmt: skip
    tree = build_tree(nodes, [blood, age], ["x", 7, -0.5])
    return build_ensemble([tree, tree], voting="sum", base=[0.1, 1e308, -2], link="softmax", tie="last")


def assert_equal(a, b):
    for name in ("features", "classes", "voting", "base", "cast", "link", "tie", "accepts_missing", "accepts_infinite",
                 "named", "source", "limits"):  # fmt: skip
        assert getattr(a, name) == getattr(b, name), name
    assert list(map(type, a.classes or ())) == list(map(type, b.classes or ()))
    for one, other in zip(a.trees, b.trees, strict=True):
        for name in FIELDS:
            ours, theirs = getattr(one, name), getattr(other, name)
            assert ours.dtype == theirs.dtype and ours.shape == theirs.shape and ours.tobytes() == theirs.tobytes(), (
                name
            )


def test_files_of_version_1_have_no_other(tmp_path):
    example().save(tmp_path / "new.json")
    record = json.loads((tmp_path / "new.json").read_text())
    assert (record["version"], record["features"][0].pop("other"), record["features"][1].pop("other")) == (2, 1.5, None)
    record["version"] = 1
    (tmp_path / "old.json").write_text(json.dumps(record))
    old = load(tmp_path / "old.json")
    assert [feature.other for feature in old.features] == [None, None]
    assert old.features[0].categories == ("A", 2, 1.5, False)


@pytest.mark.parametrize("suffix", [".json", ".json.gz", ".JSON"])
def test_r093_r077_save_load_save_gives_the_same_bytes(tmp_path, suffix):
    """R093, R077: the loaded model equals the saved one in every bit."""
    model = example()
    first, second = tmp_path / f"m{suffix}", str(tmp_path / f"n{suffix}")
    model.save(first)
    again = load(first)
    assert_equal(model, again)
    again.save(second)
    assert first.read_bytes() == Path(second).read_bytes()
    assert sorted(os.listdir(tmp_path)) == sorted([first.name, Path(second).name])


@pytest.mark.parametrize("seed", range(40))
def test_any_model_survives(tmp_path, seed):
    model = seeded_case(seed).model
    model.save(tmp_path / "m.json")
    assert_equal(model, load(tmp_path / "m.json"))


def test_every_float_survives(tmp_path):
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2**64, size=4000, dtype=np.uint64).view(np.float64)
    odd = np.concatenate([bits[np.isfinite(bits)], [5e-324, -5e-324, 1.7976931348623157e308, 0.1, -0.0, 2**53 + 2.0]])
    n = len(odd)
    inner = np.arange(n)
    left = np.concatenate([inner + n, np.full(n + 1, -1)])
    right = np.concatenate([inner + 1, np.full(n + 1, -1)])
    right[n - 1] = 2 * n
    cuts = np.concatenate([odd, np.zeros(n + 1)])
    cuts[:2] = np.inf, -np.inf
    tree = make_tree(
        np.zeros(2 * n + 1, int), cuts, left, right, np.concatenate([np.zeros(n), odd, [1.0]]),
        missing=np.zeros(2 * n + 1, int), cast="float64", n_features=1,
    )  # fmt: skip
    model = make_ensemble([tree], [Feature("x")], None, voting="average", cast="float64", limits=((-np.inf, 1e300),))
    model.save(tmp_path / "m.json.gz")
    assert_equal(model, load(tmp_path / "m.json.gz"))


def test_r011_r108_names_are_escaped(tmp_path):
    """R011, R108: quotes, backslashes, newlines, non-ASCII; any JSON reader takes the file."""
    nodes = {"feature": HOSTILE_NAMES[-1], "cut": 0, "left": {"class": '<b> "'}, "right": {"class": "\\n\ud800"}}
    model = build_tree(nodes, HOSTILE_NAMES)
    model.save(tmp_path / "m.json")
    text = (tmp_path / "m.json").read_bytes()
    assert max(text) < 128
    record = json.loads(text)
    assert [feature["name"] for feature in record["features"]] == HOSTILE_NAMES
    assert_equal(model, load(tmp_path / "m.json"))


def test_r087_r096_a_deep_tree_is_saved_and_loaded(tmp_path):
    """R087, R077, R096: 100,000 deep, in seconds."""
    n = 100_000
    nodes = np.arange(n)
    tree = make_tree(
        np.zeros(2 * n + 1, int), np.concatenate([-nodes, np.zeros(n + 1)]),
        np.concatenate([nodes + 1, np.full(n + 1, -1)]),
        np.concatenate([np.arange(n + 1, 2 * n + 1), np.full(n + 1, -1)]),
        np.arange(2 * n + 1.0), missing=np.zeros(2 * n + 1, int), cast="float64", n_features=1,
    )  # fmt: skip
    model = make_ensemble([tree], [Feature("x")], None, voting="average", cast="float64")
    start = time.perf_counter()
    model.save(tmp_path / "m.json.gz")
    again = load(tmp_path / "m.json.gz")
    assert time.perf_counter() - start < 20
    assert again.trees[0].depth == n
    assert again.predict([[-2.0 * n], [5.0]]).tolist() == [n, n + 1]
    assert_equal(model, again)


def test_only_our_suffixes_are_written(tmp_path):
    for name in ("m.txt", "m", "m.json.zip", "m.gz"):
        with pytest.raises(InvalidInputError, match=r"ends in .json or .json.gz"):
            example().save(tmp_path / name)
    assert os.listdir(tmp_path) == []


def test_labels_that_json_cannot_hold(tmp_path):
    for label in (None, (1, 2), b"b", float("inf")):
        model = build_tree({"class": "a"}, ["x"], ["a", label])
        (tmp_path / "m.json").write_text("before")
        with pytest.raises(InvalidInputError, match=r"class .* cannot be saved; str, int, bool and finite float"):
            model.save(tmp_path / "m.json")
        assert (tmp_path / "m.json").read_text() == "before"
    with pytest.raises(InvalidInputError, match=r"feature 'x': category None|'x': category .* cannot be saved"):
        build_tree({"value": 1}, [Feature("x", "categorical", ((1,),))]).save(tmp_path / "m.json")


def test_a_failure_leaves_what_was_there(tmp_path, monkeypatch):
    target = tmp_path / "m.json"
    target.write_text("before")
    monkeypatch.setattr("xylogic.model.file._tree_record", lambda tree: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        example().save(target)
    assert target.read_text() == "before" and os.listdir(tmp_path) == ["m.json"]
    with pytest.raises(OSError):
        example().save(tmp_path / "nowhere" / "m.json")


def test_a_link_is_followed(tmp_path):
    (tmp_path / "real.json").write_text("")
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    example().save(tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert_equal(example(), load(tmp_path / "real.json"))


def test_the_suffix_does_not_matter_on_reading(tmp_path):
    example().save(tmp_path / "m.json.gz")
    (tmp_path / "other.bin").write_bytes((tmp_path / "m.json.gz").read_bytes())
    assert_equal(example(), load(tmp_path / "other.bin"))
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.json")


# --- hostile files


@pytest.fixture
def record(tmp_path):
    example().save(tmp_path / "m.json")
    return json.loads((tmp_path / "m.json").read_text())


def refuse(tmp_path, content, says):
    path = tmp_path / "hostile.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    with pytest.raises(InvalidModelError, match=says) as caught:
        load(path)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"\x00" * 100, "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"\x80\x04\x95", "is not JSON"),
        (b"[" * 10**6, "is not JSON"),
        (b'{"a":' * 10**5, "is not JSON"),
        (b"9" * 10_000, "is not JSON"),
        (b"NaN", "is not JSON: NaN"),
        (b'{"format": 1, "format": 2}', "a key stands twice"),
        (b"[]", "is not a saved xylogic model"),
        (b"{}", "is not a saved xylogic model"),
        (b'{"format": "other"}', "is not a saved xylogic model"),
        (b'{"format": "xylogic model"}', "version is None"),
        (b'{"format": "xylogic model", "version": true}', "version is True"),
        (
            b'{"format": "xylogic model", "version": 3}',
            "version is 3; this xylogic reads up to 2, a newer one is needed",
        ),
        (b'{"format": "xylogic model", "version": 1}', "field '.*' is missing"),
        (b'{"format": "xylogic model", "version": 2}', "field '.*' is missing"),
        (b"\x1f\x8b", "damaged gzip"),
        (b"\x1f\x8b\x08\x00" + bytes(20), "damaged gzip"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_no_model_at_all(tmp_path, content, says):
    refuse(tmp_path, content, says)


def test_cut_short_anywhere(tmp_path):
    for name in ("m.json", "m.json.gz"):
        example().save(tmp_path / name)
        whole = (tmp_path / name).read_bytes()
        for end in range(1, len(whole) - 2, max(1, len(whole) // 60)):
            refuse(tmp_path, whole[:end], "is not JSON|damaged gzip")


def test_every_field_missing_or_of_another_type(tmp_path, record):
    """Each field in turn removed, and replaced by each kind of value: refused in our words or read, nothing else."""
    others = [None, True, 0, -1, 1.5, 10**400, "x", "inf", [], [[]], [None], [1e400], ["x"], {}, [{}], [-1], [10**30]]
    targets = [(record, key) for key in record] + [(record["features"][0], k) for k in record["features"][0]]
    targets += [(record["trees"][1], key) for key in record["trees"][1]]
    for place, key in targets:
        kept = place.pop(key)
        refuse(tmp_path, record, f"field '{key}' is missing|not a saved|version is None")
        for other in others:
            place[key] = other
            (tmp_path / "odd.json").write_text(json.dumps(record))
            try:
                load(tmp_path / "odd.json")
            except InvalidModelError as error:
                assert len(str(error)) < 500
        place[key] = kept
    record["colour"] = 1
    refuse(tmp_path, record, "the model: field 'colour' is unknown")
    del record["colour"]
    record["trees"][0]["nodes"] = []
    refuse(tmp_path, record, "tree 0: field 'nodes' is unknown")


@pytest.mark.parametrize(
    ("field", "node", "value", "says"),
    [
        ("left", 0, 0, "tree 1, node 0: has the root as its child"),
        ("left", 0, 4, "tree 1, node 4: has 2 parents"),
        ("left", 0, 999, "tree 1, node 0: has child 999; the tree has 5 nodes"),
        ("left", 0, 10**9, "tree 1, node 0: has child 1000000000"),
        ("right", 1, 1, "tree 1, node 1: has 2 parents|not reached"),
        ("left", 0, -1, "tree 1, node 0: has only one child|value has"),
        ("left", 2, 3, "tree 1: value has 9 numbers for 2 leaves"),
        ("left", 0, 1.0, r"tree 1: left\[0\] is a float"),
        ("left", 0, True, r"tree 1: left\[0\] is a bool"),
        ("left", 0, "1", r"tree 1: left\[0\] is a str"),
        ("left", 0, 10**30, "tree 1: left holds a number that no node can have"),
        ("feature", 0, 2, "tree 1, node 0: tests feature 2 of 2"),
        ("feature", 0, -7, "tree 1, node 0: tests feature -7"),
        ("feature", 1, 1, "tree 1, node 1: tests category codes of feature 1"),
        ("cut", 0, "nan", "tree 1: cut holds text"),
        ("cut", 0, None, r"tree 1: cut\[0\] is a NoneType"),
        ("cut", 0, 10**400, "tree 1: cut holds an integer too large"),
        ("missing", 0, 3, "tree 1, node 0: has missing route 3"),
        ("value", 0, "inf", r"tree 1, node \d: is a leaf with value"),
        ("sets", 0, [1, 0, 4], "tree 1, node 1: lists category code 4"),
        ("sets", 0, [1, -1], "tree 1, node 1: category codes"),
        ("sets", 0, [1], "tree 1, node 1: category codes"),
        ("sets", 0, [], "node -1"),
        ("sets", 0, [9, 0], "node 9 of 5"),
        ("sets", 0, "x", r"tree 1: sets\[0\] is a str"),
        ("sets", 0, [2, 0], "tree 1, node 2: is a leaf with a category set|node 1: has threshold|node 1: compares"),
    ],
)
def test_damaged_trees_are_named(tmp_path, record, field, node, value, says):
    record["trees"][1][field][node] = value
    refuse(tmp_path, record, says)


def test_cycles_and_orphans(tmp_path, record):
    tree = record["trees"][0]
    tree["left"], tree["right"] = [-1, 2, -1, -1, -1], [-1, 1, -1, -1, -1]
    tree["value"] = [0.0] * 12
    refuse(tmp_path, record, "tree 0, node 1: is not reached|has 2 parents")
    tree["left"] = tree["right"] = tree["feature"] = tree["cut"] = tree["missing"] = tree["value"] = tree["sets"] = []
    refuse(tmp_path, record, "tree 0: 0 left and 0 right")
    record["trees"] = []
    refuse(tmp_path, record, "an ensemble needs at least one tree")


def test_models_that_do_not_fit_together(tmp_path, record):
    for changes, says in [
        ({"classes": ["x", 7]}, "2 classes, 3 outputs"),
        ({"classes": ["x", "x", "y"]}, "distinct labels"),
        ({"classes": [[], 1, 2]}, r"classes\[0\] is a list"),
        ({"base": ["inf", 0, 0]}, "base is"),
        ({"voting": "?"}, "voting is '\\?'"),
        ({"cast": "?"}, "cast is '\\?'"),
        ({"limits": [0, 1]}, "limits has 2 numbers"),
        ({"features": record["features"][:1]}, "tests feature 1 of 1"),
        ({"features": [*record["features"], record["features"][0]]}, "features 0 and 2 are both called 'blood'"),
        ({"features": [{**record["features"][0], "kind": "numeric"}, record["features"][1]]}, "feature 'blood'"),
    ]:
        refuse(tmp_path, {**record, **changes}, says)


def test_a_claim_of_a_billion_nodes_costs_nothing(tmp_path, record):
    record["trees"][0]["sets"] = [[10**9, 1]]
    record["trees"][0]["left"][0] = 2**31
    tracemalloc.start()
    refuse(tmp_path, record, "tree 0")
    assert tracemalloc.get_traced_memory()[1] < 10**7
    tracemalloc.stop()


def test_a_gzip_bomb_is_read_within_bounds(tmp_path):
    path = tmp_path / "bomb.json.gz"
    with gzip.open(path, "wb", 1) as file:
        for _ in range(200):
            file.write(b" " * 2**20)
    assert path.stat().st_size < 2**20
    tracemalloc.start()
    with pytest.raises(InvalidModelError, match="holds more than"):
        load(path)
    assert tracemalloc.get_traced_memory()[1] < 2**28
    tracemalloc.stop()
    example().save(tmp_path / "m.json")
    with pytest.raises(InvalidModelError, match="holds more than 100 bytes"):
        load(tmp_path / "m.json", max_bytes=100)
