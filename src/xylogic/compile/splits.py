"""The tests of a model's trees as sets of states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.cells import Cells, runs
from xylogic.errors import InvalidInputError
from xylogic.model.ensemble import Ensemble
from xylogic.model.flat import Flat

__all__ = ["Sides", "Splits"]

_Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Sides:
    """One side of some tests as sets of states: the runs (first, last) of test t, ascending, are
    ``runs[2 * at[t] : 2 * at[t + 1]]``; int32. Behind the runs stands a spare item."""

    at: NDArray[np.int32]
    runs: NDArray[np.int32]


class Splits:
    """The distinct tests of ``model`` over the states of ``cells`` (one per model feature).

    Attributes
    ----------
    of_node : int32 (n_nodes,), the test of each node of ``model.flat``; -1 at leaves.
    feature : int32 (n_splits + 1,), the feature of each test; the last item is spare.
    left, right : the states that each test sends to either side, together all states; one may be empty.
    """

    def __init__(self, model: Ensemble, cells: Sequence[Cells]) -> None:
        flat = model.flat
        self.of_node = np.full(len(flat.feature), -1, np.int32)
        inner = flat.left >= 0
        features: list[int] = []
        sides: list[list[_Side]] = [[], []]
        for f, c in enumerate(cells):
            nodes = np.flatnonzero(inner & (flat.feature == f))
            if not len(nodes):
                continue
            missing = flat.missing[nodes].astype(np.int64) if c.missing else np.zeros(len(nodes), np.int64)
            if c.missing and (missing == 0).any():
                raise InvalidInputError(f"feature {c.name!r} may be missing, but the model has no rule for that")
            which, left, right = (_category_tests if c.is_set else _threshold_tests)(flat, c, nodes, missing)
            self.of_node[nodes] = which + len(features)
            features += [f] * len(left[0])
            sides[0].append(left)
            sides[1].append(right)
        self.feature = np.array([*features, 0], np.int32)
        self.left, self.right = _joined(sides[0]), _joined(sides[1])

    @property
    def n_splits(self) -> int:
        return len(self.feature) - 1


_Side = tuple[_Ints, _Ints]  # the number of runs of each test, and all runs (n, 2)


def _threshold_tests(flat: Flat, c: Cells, nodes: _Ints, missing: _Ints) -> tuple[_Ints, _Side, _Side]:
    """Per node its test, and both sides of the tests: states up to the cut, maybe "missing", and the others."""
    keys = c.cut_indices(flat.cut[nodes]).astype(np.int64) * 3 + missing
    distinct, which = np.unique(keys, return_inverse=True)
    cut, route = distinct // 3, distinct % 3
    last, absent = np.full(len(cut), c.n_values - 1), np.full(len(cut), c.n_values)
    left = np.stack([np.zeros_like(cut), cut, absent, absent], axis=1).reshape(-1, 2, 2)
    right = np.stack([cut + 1, last, absent, absent], axis=1).reshape(-1, 2, 2)
    has_left = np.stack([cut >= 0, route == 1], axis=1)
    has_right = np.stack([cut < last, route == 2], axis=1)
    return which, (has_left.sum(axis=1), left[has_left]), (has_right.sum(axis=1), right[has_right])


def _category_tests(flat: Flat, c: Cells, nodes: _Ints, missing: _Ints) -> tuple[_Ints, _Side, _Side]:
    which = np.empty(len(nodes), np.int64)
    found: dict[tuple[int, ...], int] = {}
    for place, (n, route) in enumerate(zip(nodes.tolist(), missing.tolist(), strict=True)):
        codes = flat.set_items[flat.set_ptr[n] : flat.set_ptr[n + 1]].tolist()
        which[place] = found.setdefault((*codes, c.n_values) if route == 1 else tuple(codes), len(found))
    left = [runs(states) for states in found]
    right = [runs([s for s in range(c.n_states) if s not in set(states)]) for states in found]
    return which, _side(left), _side(right)


def _side(tests: Sequence[Sequence[tuple[int, int]]]) -> _Side:
    return np.array([len(t) for t in tests]), np.array([run for t in tests for run in t], np.int64).reshape(-1, 2)


def _joined(sides: Sequence[_Side]) -> Sides:
    counts = np.concatenate([np.zeros(1, np.int64), *(count for count, _ in sides)])
    flat = np.concatenate([*(ends.ravel() for _, ends in sides), np.zeros(1, np.int64)])
    return Sides(np.cumsum(counts).astype(np.int32), flat.astype(np.int32))
