"""One walk over the nodes of a River tree, without recursion, and what reading it needs of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from xylogic.errors import UnsupportedModelError

__all__ = ["Branch", "Walk", "kin", "walk_nodes"]


@dataclass(slots=True)
class Branch:
    """An inner node: a number goes to the first of two ``children`` (by number in the walk) if it is <= ``cut``.

    ``categories``: of a nominal test, the category of each child, or of the first of two; ``None`` of a numeric one.
    ``is_chain``: whether there is a child for each category. ``heaviest``: which child has seen most weight.
    """

    key: Any
    children: list[int]
    cut: float = 0.0
    categories: tuple[Any, ...] | None = None
    is_chain: bool = False
    heaviest: int = 0


@dataclass(slots=True)
class Walk:
    """The nodes by number, in preorder. ``keys``: how the rows call their columns, in order of appearance;
    ``nominal``: those that leaves watch as categories. ``has_alternates``: whether an adaptive tree grows others."""

    branches: dict[int, Branch] = field(default_factory=dict)
    leaves: dict[int, Any] = field(default_factory=dict)
    keys: tuple[Any, ...] = ()
    nominal: frozenset[Any] = frozenset()
    has_alternates: bool = False


def kin(thing: Any) -> frozenset[str]:
    """The names of the classes of ``thing`` that River defines."""
    kind: Any = type(thing)
    return _kin(kind)


@lru_cache(maxsize=256)
def _kin(kind: Any) -> frozenset[str]:
    return frozenset(base.__name__ for base in kind.__mro__ if base.__module__.partition(".")[0] == "river")


def walk_nodes(source: Any) -> Walk:
    """All nodes of the main tree. O(n_nodes).

    Raises UnsupportedModelError, naming the node, for leaves that are not constant and for tests of another kind.
    """
    walk = Walk()
    watched, tested = dict[Any, bool](), dict[Any, None]()
    raw = dict[int, Any]()
    waiting: list[tuple[Any, Branch | None]] = [(source._root, None)]
    while waiting:
        node, above = waiting.pop()
        number = len(raw)
        raw[number] = node
        if above is not None:
            above.children.append(number)
        for key, splitter in (getattr(node, "splitters", None) or {}).items():
            watched[key] = watched.get(key, False) or not splitter.is_numeric
        if not hasattr(node, "children"):
            _refuse_model(source, node, number)
            walk.leaves[number] = node
            tested.update(dict.fromkeys(sorted(getattr(node, "_disabled_attrs", ()), key=str)))
            continue
        walk.has_alternates |= getattr(node, "_alternate_tree", None) is not None
        branch = walk.branches[number] = _branch(node, number)
        tested[branch.key] = None
        waiting += [(child, branch) for child in reversed(node.children)]
    _weigh(walk, raw)
    walk.keys = tuple({**watched, **tested})
    if all(type(key) is int for key in walk.keys):
        walk.keys = tuple(sorted(walk.keys))
    walk.nominal = frozenset(key for key, is_nominal in watched.items() if is_nominal)
    return walk


def _branch(node: Any, number: int) -> Branch:
    kinds = kin(node)
    if "NumericBinaryBranch" in kinds:
        return Branch(node.feature, [], cut=float(node.threshold))
    if "NominalBinaryBranch" in kinds:
        return Branch(node.feature, [], categories=(node.value,))
    if "NominalMultiwayBranch" in kinds:
        by_child = {child: category for category, child in node._mapping.items()}
        return Branch(node.feature, [], categories=tuple(by_child[c] for c in range(len(by_child))), is_chain=True)
    raise UnsupportedModelError(
        f"node {number} is a {type(node).__name__}; tests of numbers with two branches, and of categories, are accepted"
    )


def _refuse_model(source: Any, leaf: Any, number: int) -> None:
    """Raise UnsupportedModelError if a leaf does not give one answer to all its rows."""
    kinds = kin(leaf)
    setting = source.leaf_prediction
    is_class_leaf = "LeafMajorityClass" in kinds
    adaptive = "AdaLeafClassifier" in kinds  # derives from a naive Bayes leaf, and goes by the tree's setting
    bayes = any("NaiveBayes" in name for name in kinds)
    if (is_class_leaf and (setting == "mc" if adaptive else not bayes)) or (
        "LeafMean" in kinds and "LeafModel" not in kinds
    ):
        return
    raise UnsupportedModelError(
        f"leaf_prediction is {setting!r} and node {number} a {type(leaf).__name__}, which does not answer alike to all "
        "its rows; trees made with leaf_prediction='mc' (classes) or 'mean' (numbers) are accepted"
    )


def _weigh(walk: Walk, raw: dict[int, Any]) -> None:
    """Find each branch's heaviest child, from the leaves up, adding weights as River does."""
    weight = dict[int, Any]()
    for number in reversed(raw):
        branch = walk.branches.get(number)
        if branch is None:
            weight[number] = raw[number].total_weight
            continue
        own = [weight[child] for child in branch.children]
        # A branch of an extremely fast tree weighs what it has seen itself.
        weight[number] = raw[number].total_weight if "BaseEFDTBranch" in kin(raw[number]) else sum(own)
        branch.heaviest = own.index(max(own))
