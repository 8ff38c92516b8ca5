"""Brute force: every question answered by enumerating all cells, straight from the definitions.

Nothing here is clever and nothing is shared with the library: an ensemble is read as the arrays of its trees, one
concrete row stands for each cell, and the recipe of the model (sums in tree order, / n, argmax, tie rule) is written
down again. Definitions: a sufficient reason is a subset-minimal set of features whose values force the decision; a
necessary reason is a subset-minimal set of features that some change of exactly these can flip.

Three readings of a tie:

- ``"model"``: the decision is the predicted class; target t is reached where t is predicted.
- ``"winners"``: the decision is that the row's class has a top score; t is reached where t has a top score.
- ``"merged"``: the decision is that some class of W has a top score, W being the classes tied at the row.

A regressor decides whether ``lo <= prediction <= hi``.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np

INF = math.inf


def is_missing(value) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def cast_number(value, cast: str) -> float:
    """The number that the model compares."""
    return float(np.float32(value)) if cast == "float32" else float(value)


def next_number(value: float, cast: str) -> float:
    """The number after ``value`` in the cast domain."""
    if cast == "float32":
        return float(np.nextafter(np.float32(value), np.float32(np.inf)))
    return float(np.nextafter(value, np.inf))


def next_integer(value: float, cast: str) -> int:
    """The first integer of the cast domain above ``value``: beyond 2**24 single precision leaves integers out."""
    number = math.floor(value) + 1
    return number if cast_number(number, cast) == number else int(next_number(value, cast))


# ---------------------------------------------------------------- prediction


def walk(model, tree, table: np.ndarray) -> np.ndarray:
    """The leaf of every row of ``table`` (cast values, codes, NaN = missing), all rows one step at a time."""
    rows = np.arange(len(table))
    node = np.zeros(len(table), dtype=np.int64)
    kinds = np.array([feature.kind == "categorical" for feature in model.features])
    n_codes = max([1, *(len(feature.categories) for feature in model.features)])
    listed = np.zeros((len(tree.left), n_codes), dtype=bool)
    for number in range(len(tree.left)):
        listed[number, list(tree.set_items[tree.set_ptr[number] : tree.set_ptr[number + 1]])] = True
    while True:
        inner = tree.left[node] >= 0
        if not inner.any():
            return node
        feature = np.where(inner, tree.feature[node], 0)
        x = table[rows, feature]
        missing = np.isnan(x)
        if (inner & missing & (tree.missing[node] == 0)).any():
            raise AssertionError("a missing value reached a node without a route for it")
        code = np.where(missing | ~kinds[feature], 0, x).astype(np.int64)
        left = np.where(kinds[feature], listed[node, code], x <= tree.cut[node])
        left = np.where(missing, tree.missing[node] == 1, left)
        node = np.where(inner, np.where(left, tree.left[node], tree.right[node]), node)


def scores_of(model, table: np.ndarray) -> np.ndarray:
    """Scores of every row, float64 (rows, outputs): counts of votes, means or sums, added in tree order."""
    outputs = model.trees[0].value.shape[1]
    base = np.asarray(model.base, dtype=np.float64) if model.voting == "sum" else np.zeros(outputs)
    total = np.repeat(base.reshape(1, -1), len(table), axis=0)
    for tree in model.trees:
        value = tree.value[walk(model, tree, table)]
        if model.voting == "majority":
            vote = np.zeros_like(value)
            vote[np.arange(len(table)), value.argmax(axis=1)] = 1.0
            value = vote
        total = total + value
    return total / len(model.trees) if model.voting == "average" else total


def top_scores(model, scores: np.ndarray) -> np.ndarray:
    """Which classes have a top score, bool (rows, classes)."""
    if scores.shape[1] == 1:
        return np.column_stack([scores[:, 0] <= 0, scores[:, 0] >= 0])
    return scores == scores.max(axis=1, keepdims=True)


def predicted(model, scores: np.ndarray) -> np.ndarray:
    """Positions of the predicted classes, or the numbers that a regressor predicts."""
    if model.classes is None:
        return scores[:, 0]
    top = top_scores(model, scores)
    if model.tie == "first":
        return top.argmax(axis=1)
    return top.shape[1] - 1 - top[:, ::-1].argmax(axis=1)


# ---------------------------------------------------------------- cells


@dataclass(frozen=True)
class State:
    """One state of one feature: numbers of a cell (low, high], a category, or "missing".

    ``lowest`` and ``highest`` are the ends of the cell within the feature's domain (the cast domain, the integers,
    or 0 and 1); they may be infinite.
    """

    number: int
    kind: str
    low: float = -INF
    high: float = INF
    lowest: float = -INF
    highest: float = INF
    code: int = -1

    def sample(self) -> float:
        """A value of the state as it stands in a table of numbers."""
        if self.kind == "missing":
            return math.nan
        if self.kind == "category":
            return float(self.code)
        return next((end for end in (self.highest, self.lowest) if math.isfinite(end)), 0.0)


def cuts_of(model, position: int) -> list[float]:
    """The distinct finite cuts of one feature, read from the trees."""
    found: set[float] = set()
    for tree in model.trees:
        nodes = (np.asarray(tree.left) >= 0) & (np.asarray(tree.feature) == position)
        found |= {float(cut) + 0.0 for cut in np.asarray(tree.cut)[nodes] if math.isfinite(cut)}
    return sorted(found)


def states_of(feature, cuts: list[float], cast: str, missing: bool) -> list[State]:
    """All states of a feature, each holding at least one value, numbered from 0; missing is the last."""
    states: list[State] = []
    if feature.kind == "categorical":
        states = [State(code, "category", code=code) for code in range(len(feature.categories))]
    else:
        for low, high in zip([-INF, *cuts], [*cuts, INF], strict=True):
            lowest = next_number(low, cast) if math.isfinite(low) else low
            highest = high
            if feature.kind != "numeric":
                lowest = next_integer(low, cast) if math.isfinite(low) else low
                highest = math.floor(high) if math.isfinite(high) else high
            if feature.kind == "boolean":
                lowest, highest = max(lowest, 0), min(highest, 1)
            if lowest <= highest:
                states.append(State(len(states), "number", low, high, lowest, highest))
    return states + ([State(len(states), "missing")] if missing else [])


def refine(features, options) -> list:
    """The model's features with the user's options (a list of features, or name -> options) put over them."""
    if options is None:
        return list(features)
    if not isinstance(options, dict):
        return list(options)
    return [replace(feature, **options.get(feature.name, {})) for feature in features]


class Oracle:
    """All answers about one model and (where one is given) one row.

    Parameters
    ----------
    model : an ``Ensemble``, small.
    row : dict name -> raw value, or None where only partial rows are asked about.
    features, ties, missing, band : as of ``Explainer``.
    known_missing : names that may be missing in a partial row.
    """

    def __init__(self, model, row=None, *, features=None, ties="model", missing=(), band=None, known_missing=()):
        self.model, self.row, self.ties = model, row, ties
        self.features = refine(model.features, features)
        self.names = [feature.name for feature in self.features]
        self.cuts = [cuts_of(model, position) for position in range(len(self.names))]
        absent = {name for name in self.names if row is not None and is_missing(row[name])}
        absent |= {feature.name for feature in self.features if feature.may_be_missing}
        absent |= set(missing or ()) | set(known_missing)
        self.states = [
            states_of(feature, cuts, model.cast, feature.name in absent)
            for feature, cuts in zip(self.features, self.cuts, strict=True)
        ]
        #: cells as positions in the lists of states, int (cells, features)
        self.cells = np.array(list(itertools.product(*(range(len(states)) for states in self.states))), dtype=np.int64)
        samples = [np.array([state.sample() for state in states]) for states in self.states]
        self.table = np.column_stack([values[self.cells[:, i]] for i, values in enumerate(samples)])
        self.scores = scores_of(model, self.table)
        self.predictions = predicted(model, self.scores)
        if model.classes is not None:
            self.top = top_scores(model, self.scores)
        if row is not None:
            self._compare_with_row(row, band)

    def _compare_with_row(self, row, band) -> None:
        self.origin = np.array([self.place(i, row[name]) for i, name in enumerate(self.names)])
        self.at = int((self.cells == self.origin).all(axis=1).argmax())
        different = self.cells != self.origin
        #: bit mask of the features in which each cell differs from the row's
        self.changed = different @ (1 << np.arange(len(self.names)))
        self.size = different.sum(axis=1)
        self.prediction = self.label(self.predictions[self.at])
        if self.model.classes is None:
            low, high = band if isinstance(band, tuple) else (self.prediction - band, self.prediction + band)
            inside = (low <= self.predictions) & (self.predictions <= high)
            self.flip = inside != inside[self.at]
        elif self.ties == "model":
            self.flip = self.predictions != self.predictions[self.at]
        elif self.ties == "winners":
            self.flip = ~self.top[:, self.predictions[self.at]]
        else:
            self.flip = ~self.top[:, self.top[self.at]].any(axis=1)

    # -- where values lie

    def place(self, position: int, value) -> int:
        """The position, in its feature's list, of the state that a raw value is in."""
        feature = self.features[position]
        for place, state in enumerate(self.states[position]):
            if is_missing(value) or state.kind == "missing":
                if is_missing(value) and state.kind == "missing":
                    return place
            elif state.kind == "category":
                if feature.categories[state.code] == value:
                    return place
            elif state.low < cast_number(value, self.model.cast) <= state.high:
                return place
        raise ValueError(f"{value!r} is in no state of {feature.name!r}")

    def cell(self, row) -> int:
        """The number of the cell that a complete row is in."""
        places = [self.place(i, row[name]) for i, name in enumerate(self.names)]
        return int((self.cells == places).all(axis=1).argmax())

    def value(self, position: int, number: float):
        """A number of the table as the value that a user would write."""
        feature = self.features[position]
        if math.isnan(number):
            return math.nan
        if feature.kind == "categorical":
            return feature.categories[int(number)]
        return {"numeric": float, "integer": int, "boolean": bool}[feature.kind](number)

    def values(self, position: int, place: int) -> list:
        """Raw values of one state: its ends, and for single precision values that only round into it."""
        state, feature = self.states[position][place], self.features[position]
        if state.kind == "missing":
            return [math.nan, None]
        if state.kind == "category":
            return [feature.categories[state.code]]
        ends = {end for end in (state.lowest, state.highest, state.sample()) if math.isfinite(end)}
        values = [self.value(position, end) for end in sorted(ends)]
        if feature.kind == "numeric" and self.model.cast == "float32":
            for end in sorted(ends):
                step = float(np.spacing(np.abs(np.float32(end))))
                near = [end - 0.4 * step, end + 0.4 * step]
                values += [value for value in near if state.low < cast_number(value, "float32") <= state.high]
        return values

    def rows(self, cells) -> list[dict]:
        """One concrete row for each of the given cells."""
        return [
            {
                name: self.value(i, number)
                for i, (name, number) in enumerate(zip(self.names, self.table[c], strict=True))
            }
            for c in cells
        ]

    def label(self, position):
        """The class at a position, or the number that a regressor predicts."""
        return float(position) if self.model.classes is None else self.model.classes[int(position)]

    def named(self, mask: int) -> frozenset[str]:
        return frozenset(name for i, name in enumerate(self.names) if mask >> i & 1)

    # -- reasons

    def reachable(self, wanted: np.ndarray) -> np.ndarray:
        """For each set of features (as a mask): can changing these, all or some, lead into a wanted cell?"""
        possible = np.zeros(1 << len(self.names), dtype=bool)
        possible[self.changed[wanted]] = True
        for i in range(len(self.names)):
            for mask in range(len(possible)):
                if mask >> i & 1 and possible[mask ^ (1 << i)]:
                    possible[mask] = True
        return possible

    def minimal(self, holds: np.ndarray) -> set[frozenset[str]]:
        """The subset-minimal masks among those that hold (an upward closed family)."""
        return {
            self.named(mask)
            for mask in range(len(holds))
            if holds[mask] and not any(mask >> i & 1 and holds[mask ^ (1 << i)] for i in range(len(self.names)))
        }

    def sufficient_masks(self) -> np.ndarray:
        """For each set of features: do the row's values there force the decision?"""
        return ~self.reachable(self.flip)[::-1]

    def sufficient_reasons(self) -> set[frozenset[str]]:
        return self.minimal(self.sufficient_masks())

    def is_sufficient_set(self, names) -> bool:
        return bool(self.sufficient_masks()[sum(1 << self.names.index(name) for name in names)])

    def necessary_reasons(self) -> set[frozenset[str]]:
        return self.minimal(self.reachable(self.flip))

    def smallest(self) -> int:
        return min(len(reason) for reason in self.sufficient_reasons())

    def relevant_features(self) -> set[str]:
        return set().union(*self.sufficient_reasons())

    def necessary_features(self) -> set[str]:
        return set(self.names).intersection(*self.sufficient_reasons())

    # -- complete and general reason, as the cells where they hold

    def shaped(self, cells: np.ndarray) -> np.ndarray:
        """One value a cell, with an axis for each feature."""
        return cells.reshape([len(states) for states in self.states])

    def complete_reason(self, flip: np.ndarray | None = None) -> np.ndarray:
        """The cells from which no flip is reached by changing only features that differ from the row's already."""
        flip = self.flip if flip is None else flip
        holds = np.zeros(len(self.cells), dtype=bool)
        for cell in range(len(self.cells)):
            kept = self.cells[cell] == self.origin
            own = (self.cells[:, kept] == self.origin[kept]).all(axis=1)
            holds[cell] = not flip[own].any()
        return holds

    def general_reason(self, flip: np.ndarray | None = None) -> np.ndarray:
        """The cells from which no flip is reached by taking some features back to the row's states."""
        reached = self.shaped(self.flip if flip is None else flip)
        for axis in range(len(self.names)):
            reached = reached | np.take(reached, [self.origin[axis]], axis=axis)
        return ~reached.reshape(-1)

    def prime_implicants(self, models: np.ndarray) -> set[frozenset]:
        """The widest boxes within a set of cells; each a set of (name, places), of the features that it limits."""
        return {self.wide(box) for box in self.widest(models)}

    def prime_implicates(self, models: np.ndarray) -> set[frozenset]:
        """The strongest clauses that a set of cells implies: what the widest boxes of the other cells leave out."""
        found = set()
        for box in self.widest(~models):
            left_out = tuple(2 ** len(states) - 1 - kept for kept, states in zip(box, self.states, strict=True))
            found.add(self.wide(left_out, absent=0))
        return found

    def wide(self, box, absent: int | None = None) -> frozenset:
        named = set()
        for i, kept in enumerate(box):
            if kept != (2 ** len(self.states[i]) - 1 if absent is None else absent):
                named.add((self.names[i], frozenset(s for s in range(len(self.states[i])) if kept >> s & 1)))
        return frozenset(named)

    def widest(self, cells: np.ndarray) -> list[tuple[int, ...]]:
        """The inclusion-maximal boxes within a set of cells, as a mask of states for each feature."""
        inside = self.shaped(cells)
        for axis, states in enumerate(self.states):
            whole = np.ones_like(np.take(inside, [0], axis=axis))
            for place in range(len(states)):  # the boxes of the first states, and each of them with one state more
                whole = np.concatenate([whole, whole & np.take(inside, [place], axis=axis)], axis=axis)
            inside = whole
        widest = inside.copy()
        for axis, states in enumerate(self.states):
            masks = np.arange(2 ** len(states))
            np.moveaxis(widest, axis, 0)[0] = False
            for place in range(len(states)):
                lacks = masks[masks >> place & 1 == 0]
                wider = np.take(inside, lacks | 1 << place, axis=axis)
                np.moveaxis(widest, axis, 0)[lacks] &= ~np.moveaxis(wider, axis, 0)
        return [tuple(int(mask) for mask in box) for box in np.argwhere(widest)]

    @staticmethod
    def variable_minimal(reasons: set[frozenset]) -> set[frozenset]:
        names = {reason: frozenset(name for name, _ in reason) for reason in reasons}
        return {reason for reason in reasons if not any(other < names[reason] for other in names.values())}

    def general_sufficient_reasons(self) -> set[frozenset]:
        return self.variable_minimal(self.prime_implicants(self.general_reason()))

    def general_necessary_reasons(self) -> set[frozenset]:
        return self.variable_minimal(self.prime_implicates(self.general_reason()))

    # -- targets, distances, flips

    def targets(self) -> list:
        """The classes that may be asked for: those that the row does not have."""
        if self.model.classes is None:
            return []
        winners = {self.prediction}
        if self.ties != "model":
            winners = {self.label(c) for c in np.flatnonzero(self.top[self.at])}
        return [label for label in self.model.classes if label not in winners]

    def reached(self, target=None) -> np.ndarray:
        """The cells where the decision has changed, or where the target class is reached."""
        if target is None:
            return self.flip
        if target not in self.targets():
            raise ValueError(f"{target!r} is no target of this row")
        position = self.model.classes.index(target)
        return self.predictions == position if self.ties == "model" else self.top[:, position]

    def contrastive(self, target) -> set[frozenset[str]]:
        return self.minimal(self.reachable(self.reached(target)))

    def robustness(self) -> float:
        return min(self.size[self.flip].tolist(), default=INF)

    def shortest_flips(self) -> set[int]:
        """The cells at the smallest number of changes that flip."""
        return set(np.flatnonzero(self.flip & (self.size == self.robustness())).tolist())

    # -- the nearest counterfactual

    def scale(self, position: int) -> float:
        """What a change is divided by: as given, else the range of the cuts, else 1."""
        cuts = self.cuts[position] or [0.0]
        return self.features[position].scale or (cuts[-1] - cuts[0]) or 1.0

    def move(self, position: int, place: int) -> tuple[float, float]:
        """Cost of taking one feature to a state, and what a rounding of the new value may add to it."""
        feature, state = self.features[position], self.states[position][place]
        if place == self.origin[position]:
            return 0.0, 0.0
        if not feature.mutable:
            return INF, 0.0
        lower = -INF if feature.lower is None else feature.lower
        upper = INF if feature.upper is None else feature.upper
        lowest, highest = max(state.lowest, lower), min(state.highest, upper)
        if feature.kind in ("integer", "boolean"):
            lowest = math.ceil(lowest) if math.isfinite(lowest) else lowest
            highest = math.floor(highest) if math.isfinite(highest) else highest
        if state.kind == "number" and lowest > highest:
            return INF, 0.0
        if state.kind != "number" or is_missing(self.row[self.names[position]]):
            return feature.cost, 0.0
        here = float(self.row[self.names[position]])
        there = highest if here > highest else lowest
        scale = self.scale(position)
        rounding = float(np.spacing(np.abs(np.float32(there)))) if self.model.cast == "float32" else 1e-12 * abs(there)
        return feature.cost * abs(there - here) / scale, feature.cost * rounding / scale

    def costs(self) -> tuple[np.ndarray, np.ndarray]:
        """Cost of the nearest row of every cell, and its allowance for rounding."""
        total, allowance = np.zeros(len(self.cells)), np.zeros(len(self.cells))
        for i, states in enumerate(self.states):
            moves = np.array([self.move(i, place) for place in range(len(states))])
            total += moves[self.cells[:, i], 0]
            allowance += moves[self.cells[:, i], 1]
        return total, allowance

    def nearest(self, target=None) -> tuple[float, float]:
        """Cost of the nearest counterfactual (inf: none exists) and the allowance for rounding."""
        total, allowance = self.costs()
        wanted = self.reached(target)
        if not wanted.any() or math.isinf(total[wanted].min()):
            return INF, 0.0
        best = np.flatnonzero(wanted)[total[wanted].argmin()]
        return float(total[best]), float(allowance[wanted & np.isfinite(total)].max())

    def cost_of(self, row) -> float:
        """Cost of a concrete row, by the formula; checks that nothing forbidden was changed."""
        total = 0.0
        for position, (name, feature) in enumerate(zip(self.names, self.features, strict=True)):
            old, new = self.row[name], row[name]
            if (is_missing(old) and is_missing(new)) or old == new:
                continue
            assert feature.mutable, f"{name} may not change"
            numbers = feature.kind != "categorical" and not is_missing(new)
            if numbers:
                assert feature.lower is None or new >= feature.lower, f"{name} = {new!r} is under its lower bound"
                assert feature.upper is None or new <= feature.upper, f"{name} = {new!r} is over its upper bound"
                assert feature.kind == "numeric" or new == int(new), f"{name} = {new!r} is no integer"
            if not numbers or is_missing(old):
                total += feature.cost
            else:
                total += feature.cost * abs(float(new) - float(old)) / self.scale(position)
        return total

    # -- partial rows

    def allowed(self, position: int, value) -> set[int]:
        """The places of the states that one entry of a partial row allows."""
        if isinstance(value, (set, frozenset)):
            return {self.place(position, item) for item in value}
        if not isinstance(value, tuple):
            return {self.place(position, value)}
        low, high = (cast_number(end, self.model.cast) for end in value)
        return {
            place
            for place, state in enumerate(self.states[position])
            if state.kind == "number" and max(low, state.lowest) <= min(high, state.highest)
        }

    def possible_classes(self, partial) -> set:
        """The classes predicted somewhere among the completions of a partial row."""
        keep = np.ones(len(self.cells), dtype=bool)
        for name, value in partial.items():
            position = self.names.index(name)
            keep &= np.isin(self.cells[:, position], sorted(self.allowed(position, value)))
        return {self.label(position) for position in np.unique(self.predictions[keep])}

    def forced(self, partial):
        """The class that a partial row forces, else None."""
        possible = self.possible_classes(partial)
        return possible.pop() if len(possible) == 1 else None
