"""``fingerprint``: one number for a model's function, the same wherever and in whatever form the function turns up.

The polynomial of the function over its states, at a random point, modulo a prime (M. Blum, A. Chandra, M. Wegman,
Information Processing Letters 10, 1980): two different functions of m features agree with probability at most
(m / 2^61)^2.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.compare import fingerprint_kernel
from xylogic.compare.weights import (
    PRIME,
    Pair,
    category_weight,
    cut_weight,
    label_code,
    missing_weight,
    value_code,
)
from xylogic.compile.compiling import compile_ensemble
from xylogic.convert.read import read_model
from xylogic.domain.feature import Feature
from xylogic.errors import BudgetExceeded, InvalidInputError, UnsupportedModelError
from xylogic.model.ensemble import Ensemble
from xylogic.model.predict import decide
from xylogic.model.states import model_cells

__all__ = ["fingerprint", "model_fingerprint"]

_Array = NDArray[Any]


def fingerprint(
    model: Any,
    *,
    missing: Collection[str] = (),
    time_limit: float | None = None,
    node_limit: int | None = 1_000_000,
    memory_limit: int | None = None,
) -> int:
    """A number of 122 bits that stands for the function a model computes: its labels, or its regression values.

    Models that predict the same everywhere have the same fingerprint, whatever their shape, the order of their columns,
    classes and categories, the precision they compare in, the process or the machine; different functions have
    different ones but for a probability of (features / 2^61)^2. Names of features, categories and labels count;
    features that a model has but never uses, and classes that it never answers, do not.

    Parameters
    ----------
    model : whatever ``read_model`` takes. A single tree costs O(nodes); an ensemble of several is compiled to a
        diagram, exponential in the worst case, under the limits.
    missing : names of features for which "missing" is a state, beside those that say so themselves.
    time_limit, node_limit, memory_limit : of compiling: seconds, states visited, bytes.

    Raises BudgetExceeded where the diagram does not fit the limits, UnsupportedModelError for regression ensembles of
    several trees (``equivalent`` compares those), InvalidInputError for labels that have no process-independent form,
    and what ``read_model`` raises.
    """
    return model_fingerprint(
        read_model(model), missing=missing, time_limit=time_limit, node_limit=node_limit, memory_limit=memory_limit
    )


def model_fingerprint(
    model: Ensemble, *, kinds: Mapping[str, str] | None = None, missing: Collection[str] = (), **limits: Any
) -> int:
    """``fingerprint`` of an ensemble; ``kinds``: by name, the narrower kind on which ordered features are compared."""
    states = _states(model, kinds or {}, missing)
    first, second = _of_tree(model, states) if model.n_trees == 1 else _of_diagram(model, states, limits)
    return int(first) << 61 | int(second)


class _States:
    """What a model's features can be: kinds as compared, limits, and whether "missing" is a state."""

    def __init__(self, model: Ensemble, features: Sequence[Feature], missing: _Array) -> None:
        self.model = model
        self.features = features
        self.missing = missing
        top = np.inf if model.accepts_infinite else float(np.finfo(model.cast).max)
        self.limits = np.array(model.limits or [(-top, top)] * len(features), dtype=np.float64).reshape(-1, 2)
        kinds = np.array([f.kind for f in features], dtype="U11")
        self.is_set, self.boolean = kinds == "categorical", kinds == "boolean"
        self.whole = self.boolean | (kinds == "integer")

    def normal(self, column: _Array, cut: _Array) -> _Array:
        """Cuts as float64 numbers that say what they mean on the features' domains; -inf sends nothing to the left."""
        cut = _as_float64(cut) if self.model.cast == "float32" else cut
        whole, boolean = self.whole[column], self.boolean[column]
        low, high = self.limits[column].T
        low = np.where(whole, np.ceil(low), low)
        high = np.where(whole, np.floor(high), high)
        low, high = np.where(boolean, np.maximum(low, 0.0), low), np.where(boolean, np.minimum(high, 1.0), high)
        cut = np.where(whole, np.floor(cut), cut)
        cut = np.where(cut >= high, np.inf, np.where(cut < low, -np.inf, cut))
        return cut + 0.0

    def absent(self, column: int) -> Pair:
        return missing_weight(self.features[column].name) if self.missing[column] else (0, 0)

    def sums(self, column: int, cuts: Sequence[float]) -> list[Pair]:
        """The running weights up to each of the ascending finite ``cuts`` and up to the end."""
        name, absent = self.features[column].name, self.absent(column)
        return [*(cut_weight(name, cut) for cut in cuts), ((1 - absent[0]) % PRIME, (1 - absent[1]) % PRIME)]

    def categories(self, column: int) -> list[Pair]:
        """The weight of each category; with "missing" they add up to 1. What a feature does not list but takes for
        one of its categories has the rest of the weight; without such a category, all are scaled."""
        feature, absent = self.features[column], self.absent(column)
        drawn = [category_weight(feature.name, category) for category in feature.categories]
        sums = [sum(weight[lane] for weight in drawn) for lane in (0, 1)]
        if feature.other is not None:
            place = feature.categories.index(feature.other)
            a, b = ((1 - absent[lane] - sums[lane] + drawn[place][lane]) % PRIME for lane in (0, 1))
            return [*drawn[:place], (a, b), *drawn[place + 1 :]]
        scale = [(1 - absent[lane]) * pow(sums[lane] % PRIME, -1, PRIME) % PRIME for lane in (0, 1)]
        return [(a * scale[0] % PRIME, b * scale[1] % PRIME) for a, b in drawn]


def _states(model: Ensemble, kinds: Mapping[str, str], missing: Collection[str]) -> _States:
    names = set(model.feature_names)
    if isinstance(missing, str) or not set(missing) <= names:
        raise InvalidInputError(f"missing is {missing!r}; names of features are accepted: {', '.join(names)}")
    routed = ~model.routeless if model.accepts_missing else np.zeros(len(model.features), dtype=bool)
    for feature, has_route in zip(model.features, routed.tolist(), strict=True):
        if feature.name in missing and not has_route:
            raise InvalidInputError(f"feature {feature.name!r}: {model.source} has no rule for a missing value there")
    declared = np.array([f.may_be_missing or f.name in missing for f in model.features], dtype=bool)
    features = [replace(f, kind=kinds.get(f.name, f.kind)) if kinds else f for f in model.features]
    return _States(model, features, declared & routed)


def _of_tree(model: Ensemble, states: _States) -> Pair:
    tree = model.trees[0]
    inner = np.flatnonzero(tree.left >= 0)
    column = tree.feature[inner]
    numeric = inner[~states.is_set[column]]
    ordered, cut = tree.feature[numeric], tree.cut[numeric]
    cut = states.normal(ordered, cut)
    order = np.lexsort((cut, ordered))
    ordered, cut = ordered[order], cut[order]
    new = np.ones(len(cut), dtype=bool)
    new[1:] = (ordered[1:] != ordered[:-1]) | (cut[1:] != cut[:-1])
    cuts: dict[int, list[float]] = {f: [] for f in sorted(set(column.tolist()))}
    level = []  # of each distinct cut: how many levels lie at or below it, level 0 lying below all numbers
    for f, number in zip(ordered[new].tolist(), cut[new].tolist(), strict=True):
        level.append(0 if number == -np.inf else len(cuts[f]) + 1)
        if math.isfinite(number):
            cuts[f].append(number)
    rank = np.zeros(tree.n_nodes, np.int32)
    rank[numeric[order]] = np.array(level, np.int32)[np.cumsum(new) - 1]

    weights: list[Pair] = []
    start = [0]
    for f, finite in cuts.items():
        weights += states.categories(f) if states.is_set[f] else [(0, 0), *states.sums(f, finite)]
        start.append(len(weights))
    tested = np.array(list(cuts), dtype=np.intp)
    place = np.full(len(states.features) + 1, -1, np.int32)  # of feature -1: -1
    place[tested] = np.arange(len(tested), dtype=np.int32)
    code, label = _leaf_codes(model)
    kind = states.is_set[tested] + 2 * states.missing[tested]
    absent = [states.absent(f) for f in cuts]
    found = fingerprint_kernel.tree_sums(
        place[tree.feature], tree.left, tree.right, tree.missing, tree.set_ptr, tree.set_items, rank, label,
        kind.astype(np.uint8), np.array(start, np.int32), _lanes(weights), _lanes(absent), _lanes(code),
    )  # fmt: skip
    return int(found[0]), int(found[1])


def _leaf_codes(model: Ensemble) -> tuple[list[Pair], NDArray[np.int32]]:
    """The codes of what a single tree answers, and each node's place among them."""
    value = model.votes if model.voting == "majority" else model.flat.value
    score = value + np.array(model.base)
    if model.classes is not None:
        return [label_code(label) for label in model.classes], decide(model, score).astype(np.int32)
    leaves = model.flat.left < 0
    answers, place = np.unique(score[leaves, 0], return_inverse=True)
    label = np.zeros(len(score), np.int32)
    label[leaves] = place
    return [value_code(answer) for answer in answers.tolist()], label


def _of_diagram(model: Ensemble, states: _States, limits: Mapping[str, Any]) -> Pair:
    if model.classes is None:
        raise UnsupportedModelError(
            f"{model.source} is a regression ensemble of {model.n_trees} trees, whose values are too many for a "
            "diagram; a single tree or a classifier is accepted, and equivalent compares two regression ensembles"
        )
    if len(model.classes) == 1:
        return label_code(model.classes[0])
    features = [
        replace(f, may_be_missing=bool(absent)) for f, absent in zip(states.features, states.missing, strict=True)
    ]
    cells = model_cells(model, features)
    try:
        graph = compile_ensemble(model, cells=cells, **limits).joint
    except BudgetExceeded as error:
        raise BudgetExceeded(
            f"the diagram that an ensemble's fingerprint is read from did not fit: {error}; raise the limit, or "
            "compare with equivalent",
            error.bounds,
            interrupted=error.interrupted,
        ) from error
    assert graph is not None
    start = np.zeros(len(cells) + 1, np.int32)
    weights: list[Pair] = []
    for column, cell in enumerate(cells):
        if cell.is_set:
            sums = [(0, 0)]
            for a, b in states.categories(column):
                sums.append(((sums[-1][0] + a) % PRIME, (sums[-1][1] + b) % PRIME))
        else:
            cuts = states.normal(np.full(len(cell.cuts), column), np.array(cell.cuts, dtype=np.float64)).tolist()
            *found, whole = states.sums(column, [c for c in cuts if np.isfinite(c)])
            known = iter(found)
            ends = [(0, 0) if c == -np.inf else whole if c == np.inf else next(known) for c in cuts]
            sums = [(0, 0), *ends, whole]
        weights += sums
        if cell.missing:
            weights.append((1, 1))
        start[column + 1] = len(weights)
    value = np.zeros((2, graph.n_nodes), np.int64)
    value[:, : len(model.classes)] = _lanes([label_code(label) for label in model.classes])
    fingerprint_kernel.graph_sums(
        graph.feature, graph.edge_at, graph.lo, graph.hi, graph.child, start, _lanes(weights), value
    )
    return int(value[0, graph.root]), int(value[1, graph.root])


def _lanes(pairs: Sequence[Pair]) -> NDArray[np.int64]:
    """Int64 (2, n), residues."""
    return np.ascontiguousarray(np.array(pairs, dtype=np.int64).reshape(-1, 2).T)


def _as_float64(cut: _Array) -> _Array:
    """The largest float64 numbers that round, in single precision, to at most the float32 numbers ``cut``."""
    with np.errstate(over="ignore", invalid="ignore"):
        narrow = cut.astype(np.float32)
        above = np.nextafter(narrow, np.float32(np.inf)).astype(np.float64)
        middle = cut + (above - cut) / 2  # exact; a tie goes to the even neighbour
        kept = middle.astype(np.float32) == narrow
        return np.where(
            np.isfinite(above) & np.isfinite(cut), np.where(kept, middle, np.nextafter(middle, -np.inf)), cut
        )
