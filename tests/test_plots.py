"""Pictures: what is drawn where, on whose axes; nothing global is touched."""

from __future__ import annotations

import io
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

import xylogic as xl
from xylogic.view.canvas import class_colours
from xylogic.view.tree_plot import lay_out

NUMBERS = [xl.Feature("x1"), xl.Feature("x2")]
NOTE = {
    "feature": "x1", "cut": 0.44,
    "left": {"feature": "x2", "cut": 0.315, "left": {"class": 1}, "right": {"class": 0}},
    "right": {"feature": "x2", "cut": 0.485, "left": {"class": 0}, "right": {"class": 1}},
}  # fmt: skip


def model(node=NOTE, features=NUMBERS, classes=(0, 1), **options):
    return xl.build_ensemble([xl.build_tree(node, features, classes)], voting="average", **options)


def chain(n: int):
    """A tree that is n tests deep."""
    nodes = [{"feature": "x1", "cut": float(k), "left": {"class": k % 2}} for k in range(n)]
    nodes[-1]["right"] = {"class": 1}
    listed = {k: {**node, "right": node.get("right", k + 1)} for k, node in enumerate(nodes)}
    return xl.build_ensemble([xl.build_tree(listed, NUMBERS, (0, 1))], voting="average")


def texts(ax) -> list[str]:
    return [text.get_text().strip() for text in ax.texts]


def saved(ax) -> bytes:
    file = io.BytesIO()
    ax.figure.savefig(file, format="png", dpi=40)
    return file.getvalue()


class TestTree:
    def test_every_node_is_shown_with_the_root_on_top(self):
        ax = xl.plot_tree(model())
        yes, no, *boxes = texts(ax)
        assert (yes, no) == ("yes", "no")
        assert boxes == ["x1 <= 0.44", "x2 <= 0.315", "x2 <= 0.485", "1: 100 %", "0: 100 %", "0: 100 %", "1: 100 %"]
        places = [text.get_position() for text in ax.texts[2:]]
        assert [y for _, y in places] == [0, -1, -1, -2, -2, -2, -2]
        assert [x for x, _ in places] == [1.5, 0.5, 2.5, 0, 1, 2, 3]
        assert ax.get_title() == ""
        assert saved(ax)

    def test_given_axes_are_drawn_on(self):
        ax = Figure().add_subplot()
        assert xl.plot_tree(model(), ax) is ax
        assert xl.plot_tree(model(), ax=ax) is ax

    def test_text_fits_small_axes(self):
        """No two boxes of one level overlap."""
        ax = Figure(figsize=(3, 2)).add_subplot()
        xl.plot_tree(model(), ax)
        ax.figure.draw_without_rendering()
        boxes = [text.get_bbox_patch().get_window_extent() for text in ax.texts[2:]]
        for i, one in enumerate(boxes):
            assert not any(one.overlaps(other) for other in boxes[i + 1 :])

    def test_what_is_deeper_is_collapsed_and_counted(self):
        ax = xl.plot_tree(model(), max_depth=1)
        assert texts(ax)[2:] == ["x1 <= 0.44", "x2 <= 0.315", "x2 <= 0.485", "2 nodes hidden", "2 nodes hidden"]
        assert ax.get_title() == "4 of 7 nodes hidden"
        assert texts(xl.plot_tree(model(), max_depth=0)) == ["x1 <= 0.44", "6 nodes hidden"]
        assert xl.plot_tree(model(), max_nodes=3).get_title() == "4 of 7 nodes hidden"
        assert xl.plot_tree(model(), max_nodes=5).get_title() == "2 of 7 nodes hidden"

    def test_a_deep_tree(self):
        """Far deeper than Python recurses."""
        ax = xl.plot_tree(chain(20_000), max_nodes=41)
        assert ax.get_title() == "39960 of 40001 nodes hidden"
        assert len(ax.texts) == 2 + 41 + 1
        assert saved(ax)

    def test_a_leaf_alone(self):
        assert texts(xl.plot_tree(model({"class": 0}))) == ["0: 100 %"]

    def test_shares_read_100_only_where_they_are(self):
        leaves = {"feature": "x1", "cut": 0, "left": {"value": [0.99996, 0.00004]}, "right": {"value": [3, 1]}}
        assert texts(xl.plot_tree(model(leaves)))[3:] == ["0: 99.996 %", "0: 75 %"]

    def test_purer_leaves_are_stronger(self):
        leaves = {"feature": "x1", "cut": 0, "left": {"value": [0.9, 0.1]}, "right": {"value": [0.6, 0.4]}}
        ax = xl.plot_tree(model(leaves))
        strong, weak = (np.array(text.get_bbox_patch().get_facecolor())[:3] for text in ax.texts[3:])
        assert (strong < weak).all()

    def test_categories_and_missing_values(self):
        features = [xl.Feature("colour", "categorical", tuple("abcdefg"), may_be_missing=True), xl.Feature("x2")]
        five = {
            "feature": "colour",
            "in": list("abcde"),
            "missing": "left",
            "left": {"class": 0},
            "right": {"class": 1},
        }
        one = {"feature": "colour", "in": ["g"], "missing": "right", "left": {"class": 0}, "right": {"class": 1}}
        assert texts(xl.plot_tree(model(five, features)))[2] == "colour in {a, b, c, 2 more} or missing"
        assert texts(xl.plot_tree(model(one, features)))[2] == "colour = g"

    def test_missing_apart(self):
        apart = model({"feature": "x1", "cut": 0, "missing": "right", "left": {"class": 0}, "right": {"class": 1}})
        for cut, words in ((np.inf, "x1 is known"), (-np.inf, "x1 is missing")):
            tree = replace(apart.trees[0], cut=np.array([cut, 0, 0]))
            assert texts(xl.plot_tree(replace(apart, trees=(tree,))))[2] == words

    def test_numbers(self):
        node = {"feature": "x1", "cut": 1 / 3, "left": {"value": 1234.5678}, "right": {"value": -1}}
        one = xl.build_ensemble([xl.build_tree(node, NUMBERS, cast="float64")], voting="average")
        assert texts(xl.plot_tree(one, digits=4))[2:] == ["x1 <= 0.3333", "1235", "-1"]
        assert texts(xl.plot_tree(one))[2:] == ["x1 <= 0.3333333333333333", "1234.5678", "-1"]

    def test_names_are_shown_as_they_are(self):
        features = [xl.Feature("a$b$ \u202e"), xl.Feature("x2")]
        node = {"feature": features[0].name, "cut": 1, "left": {"class": "$x$"}, "right": {"class": "y"}}
        ax = xl.plot_tree(model(node, features, ("$x$", "y")))
        assert texts(ax)[2:4] == ["a$b$ \\u202e <= 1", "$x$: 100 %"]
        assert saved(ax)

    def test_a_grown_tree_tells_its_rows(self):
        rows = [{"age": 1, "group": "a"}, {"age": 2, "group": "a"}, {"age": 3, "group": "b"}, {"age": 4, "group": "b"}]
        ax = xl.plot_tree(xl.DecisionTreeClassifier(max_depth=1).fit(rows, ["no", "no", "no", "yes"]))
        assert texts(ax)[2:] == [
            "age <= 3.5\n4 rows, impurity 0.375\nno: 75 %",
            "no: 100 %\n3 rows, impurity 0",
            "yes: 100 %\n1 row, impurity 0",
        ]

    def test_a_costly_mistake_outvotes_the_shares(self):
        tree = xl.DecisionTreeClassifier(max_depth=1, loss_matrix=[[0, 1], [9, 0]])
        ax = xl.plot_tree(tree.fit([[0.0], [0.0], [0.0], [1.0]], [0, 0, 1, 0]))
        assert texts(ax)[3].startswith("1: 33.3 %")

    def test_alternating_labels(self):
        """A report: 1300 points in a row, each of the other class, and the viewer ran out of recursion."""
        X = np.arange(1300.0)[:, None]
        ax = xl.plot_tree(xl.DecisionTreeClassifier().fit(X, np.arange(1300) % 2))
        assert ax.get_title() == "2472 of 2599 nodes hidden"

    def test_what_is_refused(self):
        for options in ({"tree": 1}, {"tree": -1}, {"max_depth": -1}, {"max_nodes": 0}, {"max_depth": 1.5}):
            with pytest.raises(xl.InvalidInputError):
                xl.plot_tree(model(), **options)
        with pytest.raises(xl.UnsupportedModelError):
            xl.plot_tree(object())

    def test_places_of_a_lopsided_tree(self):
        layout = lay_out(chain(3).trees[0], None, 100)
        assert layout.n_slots == 4
        assert layout.depth.tolist() == [0, 1, 1, 2, 2, 3, 3]
        assert layout.x.tolist() == [0.875, 0, 1.75, 1, 2.5, 2, 3]


class TestPartition:
    def test_every_cell_has_the_colour_of_its_class(self):
        ax = xl.plot_partition(model())
        (mesh, borders) = ax.collections
        painted = np.asarray(mesh.get_array())  # rows of x2: up to .315, .485 and beyond; columns of x1: .44, beyond
        zero, one = 1 - 0.3 * (1 - class_colours(2))
        expected = [[one, zero], [zero, zero], [zero, one]]
        assert painted == pytest.approx(np.array(expected))
        lines = {tuple(np.round(line.ravel(), 3)) for line in borders.get_segments()}
        low = ax.get_ylim()[0]
        assert (0.44, round(low, 3), 0.44, 0.315) in lines
        assert all(0.44 in line[::2] or line[1] in (0.315, 0.485) for line in lines)
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("x1", "x2")
        assert saved(ax)

    def test_points_are_drawn_in_their_classes_colours(self):
        X, y = np.array([[0, 0], [1, 1], [0.5, 0.2], [np.nan, 1]]), [0, 1, 1, 0]
        plain = xl.read_model(model())
        ax = xl.plot_partition(plain, X[:3], y[:3])
        zero, one = ax.collections[2:]
        assert zero.get_offsets().tolist() == [[0, 0]]
        assert one.get_offsets().tolist() == [[1, 1], [0.5, 0.2]]
        assert tuple(one.get_facecolor()[0][:3]) == pytest.approx(to_rgb("#E69F00"))
        assert [text.get_text() for text in ax.get_legend().get_texts()] == ["0", "1"]
        assert ax.get_xlim() == pytest.approx((-0.05, 1.05))

    def test_other_features_are_held(self):
        node = {"feature": "x3", "cut": 5, "left": NOTE, "right": {"class": 1}}
        deep = model(node, [*NUMBERS, xl.Feature("x3")])
        with pytest.raises(xl.InvalidInputError, match="the model has 3 features; name the two"):
            xl.plot_partition(deep)
        with pytest.raises(xl.InvalidInputError, match="what values have the other features, 'x3' first"):
            xl.plot_partition(deep, features=("x1", "x2"))
        same = xl.plot_partition(deep, features=("x1", 1), at=[0, 0, 4]).collections[0].get_array()
        assert np.array_equal(same, xl.plot_partition(model()).collections[0].get_array())
        other = (
            xl.plot_partition(deep, features=("x1", "x2"), at={"x1": 0, "x2": 0, "x3": 6}).collections[0].get_array()
        )
        assert len(np.unique(np.asarray(other).reshape(-1, 3), axis=0)) == 1

    def test_regression_has_a_colour_bar(self):
        node = {"feature": "x1", "cut": 1, "left": {"value": 2.0}, "right": {"value": 5.0}}
        one = xl.build_ensemble([xl.build_tree(node, NUMBERS)], voting="average")
        ax = xl.plot_partition(one, [[0, 0], [2, 1]], [1.0, 6.0])
        assert np.asarray(ax.collections[0].get_array()).tolist() == [[2, 5]]
        assert len(ax.figure.axes) == 2
        assert saved(ax)

    def test_categories_stand_side_by_side(self):
        features = [xl.Feature("colour", "categorical", ("red", "green", "blue")), xl.Feature("x2")]
        node = {"feature": "colour", "in": ["green"], "left": {"class": 0}, "right": {"class": 1}}
        ax = xl.plot_partition(model(node, features), [["red", 1.0], ["green", 2.0]], [1, 0])
        assert [text.get_text() for text in ax.get_xticklabels()] == ["red", "green", "blue"]
        assert np.asarray(ax.collections[0].get_array()).shape == (1, 3, 3)

    def test_many_cuts_are_drawn_on_even_steps(self):
        ax = xl.plot_partition(chain(50), resolution=20)
        assert np.asarray(ax.collections[0].get_array()).shape == (1, 20, 3)
        assert np.asarray(xl.plot_partition(chain(50)).collections[0].get_array()).shape == (1, 51, 3)

    def test_what_is_refused(self):
        for features in (("x1", "x1"), ("x1", "x9"), (0, 2), ("x1",), (True, 2.5)):
            with pytest.raises(xl.InvalidInputError):
                xl.plot_partition(model(), features=features)
        with pytest.raises(xl.InvalidInputError, match="one target for each of the 1 rows"):
            xl.plot_partition(model(), [[0, 0]], [1, 2])


class TestPruning:
    RESULT = SimpleNamespace(
        alphas=np.array([0.0, 0.01, 0.02, 0.3]), leaves=np.array([9, 5, 3, 1]),
        scores=np.array([0.9, 0.93, 0.92, 0.6]), errors=np.array([0.01, 0.02, 0.01, 0.0]), best_alpha=0.01,
    )  # fmt: skip

    def test_steps_leaves_and_choice(self):
        ax = xl.plot_pruning(self.RESULT)
        steps, points, chosen = ax.lines
        assert steps.get_drawstyle() == "steps-post"
        assert points.get_xdata().tolist() == [0, 0.01, 0.02, 0.3]
        assert set(chosen.get_xdata()) == {0.01}
        assert texts(ax) == ["9", "5", "3", "1", "leaves"]
        assert saved(ax)

    def test_a_root_alone(self):
        alone = SimpleNamespace(alphas=[0.0], leaves=[1], scores=[0.5], errors=[0.1], best_alpha=0.0)
        assert saved(xl.plot_pruning(alone))


def test_pyplot_is_not_touched():
    code = (
        "import sys, xylogic as xl\n"
        "node = {'feature': 'a', 'cut': 1, 'left': {'class': 0}, 'right': {'class': 1}}\n"
        "tree = xl.build_tree(node, [xl.Feature('a'), xl.Feature('b')], (0, 1))\n"
        "model = xl.build_ensemble([tree], voting='average')\n"
        "xl.plot_tree(model), xl.plot_partition(model)\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    for draw in (xl.plot_tree, xl.plot_partition):
        with pytest.raises(xl.MissingLibraryError, match=r"pip install 'xylogic\[plot\]'"):
            draw(model())
    with pytest.raises(ImportError):
        xl.plot_pruning(TestPruning.RESULT)
