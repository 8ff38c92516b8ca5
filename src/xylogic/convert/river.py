"""Reads River's Hoeffding trees; seen in the sources of River 0.26.

It compares ``x[feature] <= threshold`` in float64. A row without the feature goes to the child that has seen most
weight, the first of equals; so does, where each category has a branch, one that has none. Leaves answer by class shares
(``leaf_prediction="mc"``) or by the mean (``"mean"``). Of an adaptive tree the main tree is read: the alternate trees
that it grows in the background, and asks as well while it has them, are not.

River keeps no list of columns: they are those that the leaves watch and the tests name, in that order; columns numbered
from 0 are positions.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic import errors
from xylogic.convert.river_nodes import Branch, Walk, kin, walk_nodes
from xylogic.domain.feature import Feature
from xylogic.domain.infer import other_level
from xylogic.domain.levels import Levels
from xylogic.domain.sheet import some
from xylogic.errors import InvalidInputError, UnsupportedModelError
from xylogic.model.build import make_ensemble, make_tree
from xylogic.model.ensemble import Ensemble

__all__ = ["ask_river", "is_hoeffding_tree", "is_known_version", "read_river"]

NEWEST_KNOWN = (0, 26)
_CLASSIFIER, _REGRESSOR = "HoeffdingTreeClassifier", "HoeffdingTreeRegressor"
_ADAPTIVE = {"HoeffdingAdaptiveTreeClassifier", "HoeffdingAdaptiveTreeRegressor"}


def is_hoeffding_tree(source: Any) -> bool:
    """Whether ``source`` is one of River's Hoeffding trees with one answer, or of a class derived from one."""
    return bool(kin(source) & {_CLASSIFIER, _REGRESSOR}) and "iSOUPTreeRegressor" not in kin(source)


def is_known_version() -> bool:
    """Whether the River in use is one that this reader was tested with."""
    version = getattr(sys.modules.get("river"), "__version__", "0.0")
    major, minor = str(version).split(".")[:2]
    return (int(major), int(minor)) <= NEWEST_KNOWN


def read_river(source: Any, feature_names: Sequence[str] | None = None) -> Ensemble:
    """A Hoeffding tree, extremely fast or adaptive too, as an Ensemble. O(n_nodes * log n_nodes).

    Parameters
    ----------
    source : a HoeffdingTreeClassifier or HoeffdingTreeRegressor, or of a class derived from one.
    feature_names : all columns, in order. Columns that River knows by name have to be among them; columns that it knows
        by number get these names.

    Raises
    ------
    NotFittedError before the first row; UnsupportedModelError for leaves that answer by naive Bayes or by a model, and
    for numeric tests of more than two branches; InvalidInputError for names that do not fit.
    """
    if source._root is None:
        raise errors.NotFittedError(f"this {type(source).__name__} has learned no row yet; call learn_one first")
    walk = walk_nodes(source)
    numbered, names = _columns(walk, feature_names)
    place = _places(walk.keys, names, numbered)
    nominal = [*walk.nominal, *(source.nominal_attributes or ())]
    levels = _levels(walk, place, _places(nominal, names, numbered).values())
    classes, values = _leaf_values(source, walk)
    tree = _Binary(walk, place, levels, values)
    features = [
        Feature(name, "categorical", levels[column], other=levels[column][-1]) if column in levels else Feature(name)
        for column, name in enumerate(names)
    ]
    kind = type(source).__name__
    return make_ensemble(
        [tree.made(len(names), [len(levels.get(column, ())) for column in range(len(names))])],
        features,
        classes,
        voting="average",
        cast="float64",
        accepts_missing=True,
        accepts_infinite=True,
        named=not numbered or feature_names is not None,
        source=f"River {kind}, its main tree" if walk.has_alternates else f"River {kind}",
    )


def _columns(walk: Walk, feature_names: Sequence[str] | None) -> tuple[bool, list[str]]:
    """Whether River knows the columns by number, and the columns' names."""
    numbered = bool(walk.keys) and all(type(key) is int and key >= 0 for key in walk.keys)
    width = max(walk.keys) + 1 if numbered else 0
    if feature_names is None:
        return numbered, [f"x{p}" for p in range(width)] if numbered else [str(key) for key in walk.keys] or ["x0"]
    names = list(feature_names)
    lost = [] if numbered else [repr(str(key)) for key in walk.keys if str(key) not in set(names)]
    if width > len(names) or lost:
        wanted = f"{width} or more names" if numbered else f"all columns of the tree, also {some(lost)},"
        raise InvalidInputError(f"feature_names has {len(names)} names; {wanted} are accepted")
    return numbered, names


def _places(keys: Iterable[Any], names: Sequence[str], numbered: bool) -> dict[Any, int]:
    """The column of each key that has one."""
    where = {name: position for position, name in enumerate(names)}
    found = {key: key if numbered and type(key) is int else where.get(str(key), -1) for key in keys}
    return {key: column for key, column in found.items() if 0 <= column < len(names)}


def _levels(walk: Walk, place: dict[Any, int], nominal: Iterable[int]) -> dict[int, tuple[Any, ...]]:
    """The categories of each nominal column: those tested, and one for all others."""
    tested: dict[int, dict[Any, None]] = {column: {} for column in nominal}
    numeric = set()
    for branch in walk.branches.values():
        column = place[branch.key]
        if branch.categories is None:
            numeric.add(column)
        else:
            tested.setdefault(column, {}).update(dict.fromkeys(branch.categories))
    for key, column in place.items():
        if column in numeric and column in tested:
            raise UnsupportedModelError(
                f"the tree tests column {key!r} as a number and as a category; one of the two is accepted"
            )
    levels = {column: _in_order(list(found)) for column, found in tested.items()}
    return {column: (*found, other_level(found)) for column, found in levels.items()}


def _in_order(labels: list[Any]) -> list[Any]:
    try:
        return sorted(labels)
    except TypeError:  # of several types: as they came
        return labels


def _leaf_values(source: Any, walk: Walk) -> tuple[list[Any] | None, dict[int, list[float]]]:
    """The classes, and what each leaf answers."""
    if _REGRESSOR in kin(source):
        return None, {node: [0.0 + float(leaf.prediction({}, tree=source))] for node, leaf in walk.leaves.items()}
    shares = {node: _shares(source, leaf.prediction({}, tree=source)) for node, leaf in walk.leaves.items()}
    classes = _in_order(list(source.classes))
    if any(_winner(classes, share) != max(share, key=lambda c: share[c]) for share in shares.values()):
        classes = list(source.classes)  # an adaptive tree breaks ties by the order of its set of classes
    return classes, {node: [share[label] for label in classes] for node, share in shares.items()}


def _winner(classes: list[Any], share: dict[Any, float]) -> Any:
    return max(classes, key=lambda label: share[label])


def _shares(source: Any, prediction: dict[Any, float] | None) -> dict[Any, float]:
    """The class shares that River makes of one leaf's, with its own arithmetic, in its own order of classes."""
    if not kin(source) & _ADAPTIVE:
        return {**dict.fromkeys(_in_order(list(source.classes)), 0.0), **(prediction or {})}
    if prediction is None:
        raise UnsupportedModelError("a leaf of the tree has seen no row yet, and River answers nothing there")
    share = {label: 0.0 + prediction.get(label, 0.0) for label in source.classes}
    total = sum(share.values())
    if total == 0 or math.isnan(total):
        return share
    return {label: value * (1 / total) for label, value in share.items()}


class _Binary:
    """River's nodes as binary ones; a test with a branch for each category becomes a chain of tests of one each."""

    def __init__(
        self, walk: Walk, place: dict[Any, int], levels: dict[int, tuple[Any, ...]], values: dict[int, list[float]]
    ) -> None:
        self.rows: list[tuple[int, float, int]] = []  # column, cut, way of missing values
        self.left: list[int] = []
        self.right: list[int] = []
        self.sets: dict[int, list[int]] = {}
        self.values: dict[int, list[float]] = {}
        waiting: list[tuple[int, list[int] | None, int]] = [(0, None, 0)]  # a node, and where to hang it
        while waiting:
            node, side, parent = waiting.pop()
            if node in values:
                self.values[self._add(side, parent)] = values[node]
                continue
            branch = walk.branches[node]
            column = place[branch.key]
            *tests, (_, last) = _chain(branch, levels.get(column, ()))
            hung = []
            for code, child in tests:
                made = self._add(side, parent, column, branch.cut, 1 if branch.is_chain else branch.heaviest)
                if branch.categories is not None:
                    self.sets[made] = [code]
                hung.append((child, self.left, made))
                side, parent = self.right, made
            waiting += [(last, side, parent), *reversed(hung)]

    def _add(self, side: list[int] | None, parent: int, column: int = -1, cut: float = 0.0, way: int = -1) -> int:
        """A new node, hung below ``parent``; ``way`` 0 or 1: missing values go left or right."""
        node = len(self.rows)
        self.rows.append((column, cut, way + 1))
        self.left.append(-1)
        self.right.append(-1)
        if side is not None:
            side[parent] = node
        return node

    def made(self, n_features: int, n_codes: Sequence[int]) -> Any:
        width = len(next(iter(self.values.values())))
        value = np.zeros((len(self.rows), width))
        for node, answer in self.values.items():
            value[node] = answer
        column, cut, way = zip(*self.rows, strict=True)
        return make_tree(
            column, cut, self.left, self.right, value, missing=way, cast="float64", n_features=n_features,
            sets=self.sets, n_codes=n_codes, infinite=True,
        )  # fmt: skip


def _chain(branch: Branch, levels: Sequence[Any]) -> list[tuple[int, int]]:
    """(category code, child) in the order of tests; what passes none of them goes to the last child."""
    if not branch.is_chain:
        code = -1 if branch.categories is None else levels.index(branch.categories[0])
        return [(code, branch.children[0]), (-1, branch.children[1])]
    code_of = {level: position for position, level in enumerate(levels)}
    rest = branch.children[branch.heaviest]
    given = zip(branch.categories or (), branch.children, strict=True)
    return [*sorted((code_of[category], child) for category, child in given if child != rest), (-1, rest)]


def ask_river(source: Any, model: Ensemble) -> Callable[[NDArray[np.float64]], dict[str, NDArray[Any]]]:
    """A function from encoded rows to River's answers by question; of an adaptive tree, those of its main tree.

    A missing value is a feature that the row does not have; a level that the model does not list is put as another one.
    """
    walk = walk_nodes(source)
    numbered, _ = _columns(walk, model.feature_names)
    known = {str(key): key for key in walk.keys}
    keys = [place if numbered else known.get(name, name) for place, name in enumerate(model.feature_names)]
    words = [
        [*feature.categories[:-1], Levels(feature).unlisted()] if feature.categories else None
        for feature in model.features
    ]
    is_regressor = _REGRESSOR in kin(source)

    def shares(x: dict[Any, Any]) -> Any:
        if not walk.has_alternates:
            return source.predict_one(x) if is_regressor else source.predict_proba_one(x)
        *_, leaf = source._root.walk(x)
        answer = leaf.prediction(x, tree=source)
        return answer if is_regressor else _shares(source, answer)

    def ask(rows: NDArray[np.float64]) -> dict[str, NDArray[Any]]:
        given = [
            {
                key: cell if levels is None else levels[int(cell)]
                for key, levels, cell in zip(keys, words, row, strict=True)
                if cell == cell
            }
            for row in rows.tolist()
        ]
        try:
            found = [shares(x) for x in given]
        except RecursionError as error:
            raise InvalidInputError("the tree is too deep for River to answer") from error
        if is_regressor:
            return {"predict": np.array(found, dtype=np.float64)}
        labels = np.empty(len(found), dtype=object)
        labels[:] = [max(share, key=share.get) for share in found]
        order = model.classes or ()
        return {"predict": labels, "predict_proba": np.array([[share[label] for label in order] for share in found])}

    return ask
