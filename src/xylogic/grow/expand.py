"""A tree with surrogates as a plain one that answers the same.

Surrogates ask about one feature only where another is missing, which a plain node cannot. So a test whose value may be
missing becomes: is it missing? if not, the test; if so, the first surrogate, in the same way; and so on. Each way leads
to a copy of the node's subtrees. What is known on a way (numbers between two cuts, some categories, missing or not) is
not asked again, which keeps the copies small. Copies it must be, since the trees of a model share no nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.feature import Feature
from xylogic.errors import BudgetExceeded, UnsupportedModelError
from xylogic.grow.grown import Grown
from xylogic.grow.surrogates import Surrogates
from xylogic.model.build import as_cut, feature_cuts, make_tree
from xylogic.model.ensemble import Ensemble
from xylogic.model.reach import Open, open_column
from xylogic.model.tree import Tree

__all__ = ["expanded", "plain_model"]

_NOTHING = Open(0.0, 0.0, frozenset(), False)
_MISSING = Open(0.0, 0.0, frozenset(), True)

_State = dict[int, Open]  # what is known of the features asked so far


class _Task(NamedTuple):
    """A copy of ``node`` to be made, from its surrogate ``place`` on (-1: from its own test), under ``parent``."""

    node: int
    place: int
    state: _State
    parent: int
    side: int


class _Sides(NamedTuple):
    """What of a feature a test sends left, right, and nowhere; the number or codes by which ``x <= cut`` tells."""

    left: Open
    right: Open
    neither: Open
    cut: float
    codes: frozenset[int]


@dataclass(slots=True)
class _Made:
    """The nodes made so far."""

    feature: list[int] = field(default_factory=list)
    cut: list[float] = field(default_factory=list)
    children: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    missing: list[int] = field(default_factory=list)
    origin: list[int] = field(default_factory=list)
    sets: dict[int, list[int]] = field(default_factory=dict)


def expanded(
    grown: Grown,
    value: NDArray[np.float64],
    features: Sequence[Feature],
    cast: str,
    *,
    node_limit: int = 100_000,
    before: int = 0,
) -> tuple[Tree, NDArray[np.int64]]:
    """The plain tree, with ``value``, float64 (n_nodes, n_outputs), at the leaves, and which leaf each of its is of.

    Features that may not be missing refuse NaN. A node that misses k surrogates' values has k + 2 ways, and ways
    multiply down the tree: the size is exponential in the depth at worst.

    Raises BudgetExceeded, which holds the number of nodes made, before these and the nodes made ``before`` are more
    than ``node_limit``.
    """
    assert isinstance(grown.routes, Surrogates)
    tree, routes = grown.tree, grown.routes
    upto = as_cut(routes.cut, cast, infinite=True)
    start = {j: open_column(feature, feature.may_be_missing) for j, feature in enumerate(features)}
    made = _Made()
    tasks = [_Task(0, -1, {}, -1, 0)]
    while tasks:
        node, place, state, parent, side = tasks.pop()
        at = len(made.feature)
        if before + at >= node_limit:
            raise BudgetExceeded(
                f"the surrogates need more than node_limit={node_limit} nodes as tests of plain trees; raise it, "
                "grow with fewer max_surrogates, a lower max_depth or a higher ccp_alpha, or with missing='direction'",
                {"nodes": before + at},
            )
        if parent >= 0:
            made.children[side][parent] = at
        while True:  # until something has to be asked
            children = (int(tree.left[node]), int(tree.right[node]))
            if children[0] < 0:
                _add(made, -1, 0.0, frozenset(), 0, node)
                break
            larger = 0 if tree.missing[node] == 1 else 1
            if place == routes.first[node + 1]:
                node, place = children[larger], -1
                continue
            feature = int(tree.feature[node] if place < 0 else routes.feature[place])
            now = state.get(feature, start[feature])
            last = _next(routes, node, place, state) == routes.first[node + 1]
            sides = _split(tree, routes, upto, features[feature], node, place, now)
            ways = [way for way in sides[:3] if not way.is_empty]
            if not ways:  # it is missing
                place = int(routes.first[node]) if place < 0 else place + 1
                continue
            if len(ways) == 1 and not now.missing:
                if ways[0] is sides.neither:
                    place += 1
                else:
                    node, place = children[0 if ways[0] is sides.left else 1], -1
                continue
            whole = now._replace(missing=False)
            if now.missing and not (last and sides.neither.is_empty):  # ask whether it is missing
                _add(made, feature, np.inf, whole.codes, 2, node)
                _push(tasks, at, [(node, place, {**state, feature: part}) for part in (whole, _MISSING)])
                break
            if len(ways) == 1:  # known on one side, and missing, which goes with the larger side
                if ways[0] is (sides.left, sides.right)[larger]:
                    node, place = children[larger], -1
                    continue
                _add(made, feature, np.inf, whole.codes, 2, node)
                _push(tasks, at, [(node, place, {**state, feature: part}) for part in (whole, _MISSING)])
                break
            if sides.neither.is_empty:
                parts = [sides.left, sides.right]
                if now.missing:
                    parts[larger] = parts[larger]._replace(missing=True)
                pair = [(children[k], -1, {**state, feature: parts[k]}) for k in (0, 1)]
                if not sides.codes and sides.left.low > sides.right.low:  # numbers above the cut go left
                    pair, larger = pair[::-1], 1 - larger
                way = 0 if not start[feature].missing else 2 if not now.missing else larger + 1
                _add(made, feature, sides.cut, sides.codes, way, node)
                _push(tasks, at, pair)
                break
            # Categories that know no side: those of one side first, then the other.
            chosen = sides.left if not sides.left.is_empty else sides.right
            rest = whole._replace(codes=whole.codes - chosen.codes)
            _add(made, feature, 0.0, chosen.codes, 2 if start[feature].missing else 0, node)
            _push(tasks, at, [(node, place, {**state, feature: part}) for part in (chosen, rest)])
            break
    origin = np.array(made.origin)
    plain = make_tree(
        made.feature,
        made.cut,
        *made.children,
        value[origin],
        missing=made.missing,
        cast=cast,
        n_features=len(features),
        sets=made.sets,
        infinite=True,
    )
    return plain, origin


def plain_model(grown: Sequence[Grown], model: Ensemble, node_limit: int) -> Ensemble:
    """``model``, of trees with more routes than their nodes tell, as one that answers as ``grown`` do.

    Raises BudgetExceeded as ``expanded`` does, of all trees together, and UnsupportedModelError for fractional rows.
    """
    if not all(isinstance(own.routes, Surrogates) for own in grown):
        raise UnsupportedModelError(
            "missing='fractional' sends a row with a missing value down both sides of a test and averages the leaves, "
            "so no leaf, and no set of tests, explains its answer; predict is exact, and trees grown with "
            "missing='direction', 'level' or 'surrogate' can be explained"
        )
    trees: list[Tree] = []
    before = 0
    for own, tree in zip(grown, model.trees, strict=True):
        trees.append(expanded(own, tree.value, model.features, model.cast, node_limit=node_limit, before=before)[0])
        before += trees[-1].n_nodes
    cuts = feature_cuts(trees, len(model.features))
    features = tuple(replace(feature, cuts=own) for feature, own in zip(model.features, cuts, strict=True))
    return replace(model, trees=tuple(trees), features=features)


def _next(routes: Surrogates, node: int, place: int, state: _State) -> int:
    """The next surrogate of ``node`` that may know something."""
    following = int(routes.first[node]) if place < 0 else place + 1
    while following < routes.first[node + 1] and state.get(int(routes.feature[following])) == _MISSING:
        following += 1
    return following


def _split(
    tree: Tree, routes: Surrogates, upto: NDArray[np.float64], feature: Feature, node: int, place: int, now: Open
) -> _Sides:
    """What the node's test (``place`` -1), or a surrogate, makes of the known part of ``now``."""
    if feature.categories:
        if place < 0:
            left = frozenset(tree.left_codes(node).tolist())
            right = now.codes - left
        else:
            left, right = (frozenset(codes) for codes in routes.side_of(place, feature))
        parts = [now.codes & left, now.codes & right, now.codes - left - right]
        opens = [Open(now.low, now.high, codes, False) for codes in parts]
        return _Sides(opens[0], opens[1], opens[2], 0.0, parts[0])
    cut = float(tree.cut[node] if place < 0 else upto[place])
    below = Open(now.low, min(now.high, cut), now.codes, False)
    above = Open(max(now.low, cut), now.high, now.codes, False)
    if place >= 0 and routes.flipped[place]:
        below, above = above, below
    return _Sides(below, above, _NOTHING, cut, frozenset())


def _add(made: _Made, feature: int, cut: float, codes: frozenset[int], missing: int, origin: int) -> None:
    if codes:
        made.sets[len(made.feature)] = sorted(codes)
    made.feature.append(feature)
    made.cut.append(0.0 if codes else cut)
    made.missing.append(missing)
    made.origin.append(origin)
    for children in made.children:
        children.append(-1)


def _push(tasks: list[_Task], parent: int, pair: Sequence[tuple[int, int, _State]]) -> None:
    tasks.extend(_Task(*pair[side], parent, side) for side in (1, 0))
