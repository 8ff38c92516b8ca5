"""Reads the node dicts of ``build_tree`` into one flat list."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from xylogic.domain.feature import Feature
from xylogic.errors import InvalidModelError

__all__ = ["Node", "collect_nodes"]

MAX_NODES = 10_000_000
_FORMS: tuple[tuple[set[str], set[str]], ...] = (  # the keys each kind of node must and may have
    ({"class"}, set()),
    ({"value"}, set()),
    ({"feature", "cut", "left", "right"}, {"missing", "compare"}),
    ({"feature", "in", "left", "right"}, {"missing"}),
    ({"feature", "branches"}, {"missing"}),
)
_FORMS_IN_WORDS = (
    "accepted: {feature, cut, left, right}, {feature, in, left, right}, {feature, branches}, {class} or {value}, "
    "and for tests also missing, with a cut also compare"
)
_WAYS = {"left": 1, "right": 2}


@dataclass(slots=True)
class Node:
    """One binary node; ``name`` is how errors call it; a leaf has a ``label`` (one class) or a ``value``."""

    name: str
    feature: int = -1
    cut: float = 0.0
    strict: bool = False
    codes: tuple[int, ...] = ()
    left: int = -1
    right: int = -1
    missing: int = 0
    label: tuple[Any, ...] = ()
    value: tuple[float, ...] = ()


class _Link(dict[str, Any]):
    """One of the two-way tests that stand for a node with ``branches``; ``name`` is that node's."""

    name = ""


def collect_nodes(nodes: Any, features: Sequence[Feature]) -> list[Node]:
    """The nodes of a tree, root first, in the order that ``build_tree`` documents. O(n_nodes).

    Raises InvalidModelError, naming the node.
    """
    keyed = _keyed(nodes)
    places = {feature.name: position for position, feature in enumerate(features)}
    found: list[Node] = []
    given: dict[Any, int] = {}  # key -> place in `found`
    # The nested dicts on the path from the root, to tell a cycle; held, since a freed one's id is given again.
    above: dict[int, Any] = {}
    # (node or key, its parent, its side); side "" takes a dict off the path again
    stack: list[tuple[Any, Node | None, str]] = [(nodes if keyed is None else _root(keyed), None, "root")]
    while stack:
        reference, parent, side = stack.pop()
        if side == "":
            del above[reference]
            continue
        if len(found) >= MAX_NODES:
            raise InvalidModelError(f"the tree has more than {MAX_NODES} nodes")
        if isinstance(reference, Mapping):
            name, raw = getattr(reference, "name", f"node {len(found)}"), reference
            if id(raw) in above:
                raise InvalidModelError(f"{name} is its own descendant")
            above[id(raw)] = raw
            stack.append((id(raw), None, ""))
        else:
            name, raw = _look_up(keyed, reference, given, parent)
            given[reference] = len(found)
        _check_form(raw, name)
        if "branches" in raw:
            raw = _as_links(raw, name)
        node = _read_node(raw, name, features, places)
        if parent is not None:
            setattr(parent, side, len(found))
        found.append(node)
        if node.feature >= 0:
            stack += [(raw["right"], node, "right"), (raw["left"], node, "left")]
    if keyed is None:
        return found
    unused = [key for key in keyed if key not in given]
    if unused:
        raise InvalidModelError(f"node {unused[0]!r} is not reached from the root: it is cut off or on a cycle")
    return _in_order(found, [given[key] for key in keyed])


def _keyed(nodes: Any) -> dict[Any, Any] | None:
    """The nodes by their key, or ``None`` for nested dicts."""
    if isinstance(nodes, list | tuple) and nodes:
        return dict(enumerate(nodes))
    if isinstance(nodes, Mapping) and nodes:
        return dict(nodes) if all(isinstance(node, Mapping) for node in nodes.values()) else None
    raise InvalidModelError(f"nodes is {_short(nodes)}; nested dicts, or a list or dict of nodes, is accepted")


def _root(keyed: dict[Any, Any]) -> Any:
    """The key of the first node that is nobody's child; others like it are found not to be reached."""
    children: set[Any] = set()
    seen: set[int] = set()
    stack = list(keyed.values())
    while stack:
        raw = stack.pop()
        if isinstance(raw, Mapping):
            if id(raw) in seen:
                continue
            seen.add(id(raw))
            stack += [raw.get("left"), raw.get("right")]
            branches = raw.get("branches")
            if isinstance(branches, list | tuple):
                stack += [pair[1] for pair in branches if isinstance(pair, list | tuple) and len(pair) == 2]
        elif _is_key(raw):
            children.add(raw)
    for key in keyed:
        if key not in children:
            return key
    raise InvalidModelError("every node is the child of another: the nodes are on a cycle, and there is no root")


def _look_up(keyed: dict[Any, Any] | None, key: Any, given: dict[Any, int], parent: Node | None) -> tuple[str, Any]:
    at = "the root" if parent is None else f"{parent.name}: its child"
    if keyed is None:
        raise InvalidModelError(f"{at} is {_short(key)}; a dict is accepted; {_FORMS_IN_WORDS}")
    if not _is_key(key) or key not in keyed:
        raise InvalidModelError(f"{at} is {_short(key)}, which is none of the {len(keyed)} nodes")
    if key in given:
        raise InvalidModelError(f"{at} {key!r} is another node's child too, or on a cycle")
    return f"node {key!r}", keyed[key]


def _check_form(raw: Any, name: str) -> None:
    if not isinstance(raw, Mapping):
        raise InvalidModelError(f"{name} is {_short(raw)}; {_FORMS_IN_WORDS}")
    keys = set(raw)
    if not any(needed <= keys <= needed | optional for needed, optional in _FORMS):
        raise InvalidModelError(f"{name} has the keys {_short(list(raw))}; {_FORMS_IN_WORDS}")


def _as_links(raw: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A node with ``branches`` as a chain of two-way tests, each of which sends one branch left."""
    branches, missing = raw["branches"], raw.get("missing")
    if not isinstance(branches, list | tuple) or len(branches) < 2:
        raise InvalidModelError(
            f"{name} has branches {_short(branches)}; a list of at least two (categories, child) is accepted"
        )
    for pair in branches:
        if (
            not isinstance(pair, list | tuple)
            or len(pair) != 2
            or not isinstance(pair[0], Collection)
            or isinstance(pair[0], str)
        ):
            raise InvalidModelError(f"{name} has branch {_short(pair)}; (list of categories, child) is accepted")
    if "missing" in raw and (type(missing) is not int or not 0 <= missing < len(branches)):
        raise InvalidModelError(
            f"{name} has missing {_short(missing)}; the position of one of its branches is accepted"
        )
    listed = [category for categories, _ in branches for category in categories]
    rest: Any = branches[-1][1]
    for position in range(len(branches) - 2, -1, -1):
        link = _Link(
            {"feature": raw["feature"], "in": branches[position][0], "left": branches[position][1], "right": rest}
        )
        link.name = name
        if "missing" in raw:
            link["missing"] = "left" if position == missing else "right"
        rest = link
    rest["partition"] = listed
    return rest


def _read_node(raw: Mapping[str, Any], name: str, features: Sequence[Feature], places: Mapping[str, int]) -> Node:
    if "class" in raw:
        return Node(name, label=(_plain(raw["class"]),))
    if "value" in raw:
        return Node(name, value=_value(raw["value"], name))
    column = raw["feature"]
    if not isinstance(column, str) or column not in places:
        raise InvalidModelError(f"{name} tests feature {_short(column)}; the features are {_short(list(places))}")
    node = Node(name, feature=places[column])
    feature = features[node.feature]
    if "cut" in raw:
        node.cut, node.strict = _cut(raw["cut"], name, feature), raw.get("compare", "<=") == "<"
        if raw.get("compare", "<=") not in ("<=", "<"):
            raise InvalidModelError(f"{name} has compare {_short(raw['compare'])}; '<=' or '<' is accepted")
    else:
        node.codes = _codes(raw["in"], name, feature)
        if "partition" in raw and len(_codes(raw["partition"], name, feature)) != len(feature.categories):
            left_out = [c for c in feature.categories if c not in raw["partition"]]
            raise InvalidModelError(
                f"{name} has no branch for {_short(left_out)} of {column!r}; branches part all categories"
            )
    if "missing" in raw:
        if raw["missing"] not in ("left", "right"):
            raise InvalidModelError(f"{name} has missing {_short(raw['missing'])}; 'left' or 'right' is accepted")
        node.missing = 1 if raw["missing"] == "left" else 2
    return node


def _cut(cut: Any, name: str, feature: Feature) -> float:
    if feature.kind == "categorical":
        raise InvalidModelError(f"{name} compares {feature.name!r} with a number, but it is categorical; use 'in'")
    number = _finite(cut)
    if number is not None:
        return number
    raise InvalidModelError(f"{name} has cut {_short(cut)}; a finite number is accepted")


def _codes(categories: Any, name: str, feature: Feature) -> tuple[int, ...]:
    """The codes of the listed categories, each listed once."""
    if feature.kind != "categorical":
        raise InvalidModelError(
            f"{name} tests categories of {feature.name!r}, which is {feature.kind}; declare it as "
            f"Feature({feature.name!r}, 'categorical', categories=(...))"
        )
    if not isinstance(categories, Collection) or isinstance(categories, str | Mapping) or not categories:
        raise InvalidModelError(f"{name} has the categories {_short(categories)}; a list of at least one is accepted")
    known = {category: code for code, category in enumerate(feature.categories)}
    codes = []
    for category in map(_plain, categories):
        if not _is_key(category, bools=True) or category not in known:
            raise InvalidModelError(
                f"{name} lists {_short(category)}; the categories of {feature.name!r} are {_short(list(known))}"
            )
        codes.append(known[category])
    if len(set(codes)) != len(codes):
        raise InvalidModelError(f"{name} lists a category of {feature.name!r} twice")
    return tuple(codes)


def _value(value: Any, name: str) -> tuple[float, ...]:
    cells = value.tolist() if isinstance(value, np.ndarray) else value
    numbers = [_finite(cell) for cell in (cells if isinstance(cells, list | tuple) else [cells])]
    if not numbers or None in numbers:
        raise InvalidModelError(f"{name} has value {_short(value)}; a finite number or a list of them is accepted")
    return tuple(number for number in numbers if number is not None)


def _finite(thing: Any) -> float | None:
    """``thing`` as a float if it is a finite number (a bool is none)."""
    if not isinstance(thing, Real) or thing is True or thing is False:
        return None
    try:
        number = float(thing)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _in_order(found: list[Node], places: list[int]) -> list[Node]:
    """``found`` reordered: the root, then the given nodes in the order of their keys, then those that links added."""
    order = [0, *(place for place in places if place != 0)]
    order += sorted(set(range(len(found))) - set(order))
    new = {old: position for position, old in enumerate(order)} | {-1: -1}
    for node in found:
        node.left, node.right = new[node.left], new[node.right]
    return [found[old] for old in order]


def _is_key(thing: Any, bools: bool = False) -> bool:
    try:
        hash(thing)
    except TypeError:
        return False
    return bools or not isinstance(thing, bool)


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _short(thing: Any) -> str:
    shown = repr(thing)
    return shown if len(shown) <= 200 else f"{shown[:200]}..."
