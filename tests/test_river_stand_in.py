"""The reader of River's trees on stand-ins of its classes, so that it is tested where River is not installed."""

from __future__ import annotations

import random

import pytest

import xylogic as xl


class LeafMajorityClass:
    depth, splitters = 0, None

    def __init__(self, stats):
        self.stats = stats

    @property
    def total_weight(self):
        return sum(self.stats.values()) if self.stats else 0

    def prediction(self, x, *, tree=None):
        total = sum(self.stats.values())
        return {label: weight * (1 / total) for label, weight in self.stats.items()} if total else dict(self.stats)


class LeafNaiveBayes(LeafMajorityClass):
    pass


class LeafMean:
    splitters = None

    def __init__(self, mean, n):
        self.mean, self.total_weight = mean, n

    def prediction(self, x, *, tree=None):
        return self.mean


class NumericBinaryBranch:
    def __init__(self, feature, threshold, left, right):
        self.feature, self.threshold, self.children = feature, threshold, [left, right]

    def way(self, x):
        return int(x[self.feature] > self.threshold)


class NominalBinaryBranch:
    def __init__(self, feature, value, left, right):
        self.feature, self.value, self.children = feature, value, [left, right]

    def way(self, x):
        return int(x[self.feature] != self.value)


class NominalMultiwayBranch:
    def __init__(self, feature, by_category):
        self.feature, self.children = feature, list(by_category.values())
        self._mapping = {category: place for place, category in enumerate(by_category)}

    def way(self, x):
        return self._mapping[x[self.feature]]


class NumericMultiwayBranch:
    def __init__(self, feature, children):
        self.feature, self.children = feature, children


class HoeffdingTreeClassifier:
    leaf_prediction, nominal_attributes = "mc", None

    def __init__(self, root, classes=()):
        self._root, self.classes = root, set(classes)

    def leaf(self, x):
        node = self._root
        while hasattr(node, "children"):
            try:
                node = node.children[node.way(x)]
            except KeyError:
                node = max(node.children, key=weight)
        return node

    def predict_proba_one(self, x):
        return {**dict.fromkeys(sorted(self.classes), 0.0), **self.leaf(x).prediction(x)}


class HoeffdingTreeRegressor(HoeffdingTreeClassifier):
    leaf_prediction = "mean"

    def predict_one(self, x):
        return self.leaf(x).prediction(x)

    predict_proba_one = None


class HoeffdingAdaptiveTreeClassifier(HoeffdingTreeClassifier):
    pass


for stand_in in list(globals().values()):
    if isinstance(stand_in, type):
        stand_in.__module__ = "river.tree"


def weight(node):
    return sum(map(weight, node.children)) if hasattr(node, "children") else node.total_weight


def random_tree(rng: random.Random, depth: int, leaf):
    kind = rng.choice(["leaf", "number", "category", "branches"]) if depth else "leaf"
    if kind == "leaf":
        return leaf()
    if kind == "number":
        parts = [random_tree(rng, depth - 1, leaf) for _ in "lr"]
        return NumericBinaryBranch(rng.choice("ab"), rng.choice([-1, 0.1, 0.5]), *parts)
    if kind == "category":
        parts = [random_tree(rng, depth - 1, leaf) for _ in "lr"]
        return NominalBinaryBranch("c", rng.choice(["red", "green"]), *parts)
    chosen = rng.sample(["red", "green", "blue", "grey"], rng.randint(1, 4))
    return NominalMultiwayBranch("c", {category: random_tree(rng, depth - 1, leaf) for category in chosen})


def random_row(rng: random.Random):
    row = {
        "a": rng.choice([-2, -1, 0.1, 0.3, 9]),
        "b": rng.choice([0.1, 0.5, 0.7]),
        "c": rng.choice(["red", "blue", "?"]),
    }
    return {name: value for name, value in row.items() if rng.random() < 0.8}


@pytest.mark.parametrize("seed", range(60))
def test_random_trees(seed):
    """Numbers, categories with two branches and with one each, unknown categories, missing features."""
    rng = random.Random(seed)
    labels = ["x", "y", "z"]
    if seed % 2:
        source = HoeffdingTreeRegressor(random_tree(rng, 4, lambda: LeafMean(rng.gauss(0, 1), rng.randrange(4))))
    else:
        root = random_tree(rng, 4, lambda: LeafMajorityClass({k: rng.randrange(4) for k in rng.sample(labels, 2)}))
        source = HoeffdingTreeClassifier(root, labels)
    rows = [random_row(rng) for _ in range(25)]
    source.nominal_attributes = ["c"]
    model = xl.read_model(source, feature_names=["c", "b", "a"])
    table = [{name: row.get(name) for name in "abc"} for row in rows]
    if seed % 2:
        assert model.predict(table).tolist() == [source.predict_one(row) for row in rows]
        return
    shares = [source.predict_proba_one(row) for row in rows]
    assert model.classes == ("x", "y", "z")
    assert model.predict(table).tolist() == [max(share, key=share.get) for share in shares]
    assert model.predict_proba(table).tolist() == [list(share.values()) for share in shares]


def test_ties_of_an_adaptive_tree_go_by_its_own_order_of_classes():
    class Order(set):
        def __iter__(self):
            return iter(["b", "a"])

    for stats, classes, answer in [({"a": 1, "b": 1}, ("b", "a"), "b"), ({"a": 2, "b": 1}, ("a", "b"), "a")]:
        source = HoeffdingAdaptiveTreeClassifier(LeafMajorityClass(stats))
        source.classes = Order("ab")
        model = xl.read_model(source)
        assert (model.classes, model.predict([[0]]).tolist()) == (classes, [answer])


def test_a_tree_100_000_deep_is_read_saved_and_loaded(tmp_path):
    """R077: nothing recurses."""
    node = LeafMajorityClass({0: 1.0})
    for t in reversed(range(100_000)):
        node = NumericBinaryBranch("t", float(t), LeafMajorityClass({t % 2: 1.0}), node)
    model = xl.read_model(HoeffdingTreeClassifier(node, [0, 1]))
    assert model.trees[0].depth == 100_000
    model.save(tmp_path / "deep.json.gz")
    loaded = xl.load(tmp_path / "deep.json.gz")
    rows = [[5.0], [99_998.0], [1e9]]
    assert loaded.predict(rows).tolist() == model.predict(rows).tolist() == [1, 0, 0]
    assert xl.tree_bounds(loaded, rows)[0].ravel().tolist() == [4.0, 99_997.0, 99_999.0]
    found = xl.compatibility(model, loaded, rows, [1, 0, 1])
    assert (found.bcp, found.jac, found.mse) == (1, 0, 0)


def test_where_rows_without_the_feature_go():
    """To the child of more weight, the left one of equals."""
    for weights, answer in [((1, 1), "l"), ((1, 2), "r"), ((2, 1), "l")]:
        leaves = [LeafMajorityClass({label: w}) for label, w in zip("lr", weights, strict=True)]
        model = xl.read_model(HoeffdingTreeClassifier(NumericBinaryBranch("a", 0, *leaves), "lr"))
        assert model.predict([{"a": None}, {"a": -1}, {"a": 1}]).tolist() == [answer, "l", "r"]
        assert not model.features[0].may_be_missing


@pytest.mark.parametrize(
    ("root", "words"),
    [
        (LeafNaiveBayes({0: 1}), "node 0 a LeafNaiveBayes, which does not answer alike"),
        (NumericMultiwayBranch("a", [LeafMajorityClass({0: 1})]), "node 0 is a NumericMultiwayBranch; tests of"),
        (
            NumericBinaryBranch("a", 0, LeafMajorityClass({0: 1}), NominalBinaryBranch("a", 1, *[LeafMean(0, 1)] * 2)),
            "node 3 a LeafMean|column 'a' as a number and as a category",
        ),
    ],
)
def test_refusals(root, words):
    with pytest.raises(xl.UnsupportedModelError, match=words):
        xl.read_model(HoeffdingTreeClassifier(root, [0, 1]))


def test_nothing_learned_and_other_objects():
    with pytest.raises(xl.NotFittedError, match="learned no row"):
        xl.read_model(HoeffdingTreeRegressor(None))

    class Forest:
        __module__ = "river.forest"

    with pytest.raises(xl.UnsupportedModelError, match="a River Hoeffding tree"):
        xl.read_model(Forest())


def test_codes_of_categories_do_not_depend_on_the_table():
    """R081: a later table with fewer, other or new categories means the same by them."""
    leaves = {category: LeafMajorityClass({category: w}) for category, w in zip("bca", (1, 1, 5), strict=True)}
    model = xl.read_model(HoeffdingTreeClassifier(NominalMultiwayBranch("c", leaves), "abc"))
    assert model.features[0].categories == ("a", "b", "c", "<other>")
    assert model.predict([{"c": "c"}, {"c": "b"}]).tolist() == ["c", "b"]
    assert model.predict([{"c": "new"}, {"c": None}]).tolist() == ["a", "a"], "the branch of most weight"
