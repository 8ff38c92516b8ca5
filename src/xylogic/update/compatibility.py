"""``compatibility``: what replacing one tree by another changes, in answers and in explanations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from xylogic.domain.sheet import some
from xylogic.errors import InvalidInputError
from xylogic.model.ensemble import Ensemble
from xylogic.model.predict import apply
from xylogic.update.bounds import leaf_bounds
from xylogic.update.dissimilarity import KINDS, check_jlu, dissimilarities
from xylogic.update.pairing import pair
from xylogic.update.reading import finite_table, finite_values, read_tree
from xylogic.update.reference import Reference
from xylogic.update.relied import answers, cells_of, check_tolerance, is_right, read_targets, row_weights, scaled

__all__ = ["Compatibility", "NegativeFlip", "compatibility"]

_CELLS = 2**21  # leaves times columns, compared at once


@dataclass(frozen=True)
class NegativeFlip:
    """A row that the old tree answers right and the new one wrong.

    Attributes
    ----------
    row : its position in the table.
    values : its values by column, as they were given.
    truth, old, new : the true answer and those of the trees.
    """

    row: int
    values: dict[str, Any]
    truth: Any
    old: Any
    new: Any

    def __str__(self) -> str:
        return f"row {self.row}: {self.old!r} became {self.new!r}, the truth is {self.truth!r}"


@dataclass(frozen=True, eq=False)
class Compatibility:
    """What replacing one tree by another changes on n rows. ``str()`` is a report of it.

    Attributes
    ----------
    bcp : compatibility of predictions: of the rows that the old tree answers right, the share that the new one does
        too; ``None`` where the old tree answers none right.
    jac, jlu, mae, mse : mean dissimilarities of the explanations over the rows that count, by weight; ``None`` where no
        row counts. They are the means of ``rows``.
    loss, old_loss : of the new and of the old tree, the ``loss_name``: ``"error rate"`` or ``"mean squared error"``.
    n_rows, n_correct : the number of rows, and of those that the old tree answers right.
    rows : kind ("jac", "jlu", "mae", "mse") -> float64 (n,), each row's dissimilarity.
    weights : float64 (n,), how much each row counts.
    old_right, new_right : bool (n,), which rows either tree answers right.
    negative_flips : the rows that were right and are wrong now, in order.
    """

    loss_name: str
    loss: float
    old_loss: float
    rows: Mapping[str, NDArray[np.float64]]
    weights: NDArray[np.float64]
    old_right: NDArray[np.bool_]
    new_right: NDArray[np.bool_]
    negative_flips: tuple[NegativeFlip, ...]

    @property
    def n_rows(self) -> int:
        return len(self.weights)

    @property
    def n_correct(self) -> int:
        return int(np.count_nonzero(self.old_right))

    @property
    def bcp(self) -> float | None:
        kept = int(np.count_nonzero(self.old_right & self.new_right))
        return kept / self.n_correct if self.n_correct else None

    @cached_property
    def jac(self) -> float | None:
        return self._mean("jac")

    @cached_property
    def jlu(self) -> float | None:
        return self._mean("jlu")

    @cached_property
    def mae(self) -> float | None:
        return self._mean("mae")

    @cached_property
    def mse(self) -> float | None:
        return self._mean("mse")

    def _mean(self, kind: str) -> float | None:
        weights = scaled(self.weights)
        total = float(weights.sum())
        return float(weights @ self.rows[kind]) / total if total else None

    @property
    def ok(self) -> bool:
        """Whether no row that was right is wrong now."""
        return not self.negative_flips

    def refuse_flips(self) -> None:
        """Raise InvalidInputError, naming the first rows, unless ``ok``."""
        if self.negative_flips:
            first = "; ".join(map(str, self.negative_flips[:3]))
            raise InvalidInputError(
                f"the new tree is wrong on {len(self.negative_flips)} of the {self.n_correct} rows that the old one "
                f"answers right ({first}); a tree that is wrong on none of them is accepted"
            )

    def __str__(self) -> str:
        lines = [
            f"{self.loss_name}: {self.loss:.6g} (old tree: {self.old_loss:.6g})",
            f"right before, right now: {_shown(self.bcp)} of {self.n_correct} rows, "
            f"{len(self.negative_flips)} became wrong",
            "mean dissimilarity of explanations: "
            + ", ".join(f"{kind.upper()} {_shown(getattr(self, kind))}" for kind in KINDS),
        ]
        return "\n".join([*lines, *map(str, self.negative_flips[:10]), *self._unlisted()])

    def _unlisted(self) -> list[str]:
        more = len(self.negative_flips) - 10
        return [f"and {more} more rows"] if more > 0 else []

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: the figures, and the negative flips row by row."""
        figures = {name: getattr(self, name) for name in ("n_rows", "n_correct", "loss", "old_loss", "bcp", *KINDS)}
        return {"loss_name": self.loss_name, **figures, "negative_flips": [vars(flip) for flip in self.negative_flips]}


def _shown(number: float | None) -> str:
    return "undefined" if number is None else f"{number:.6g}"


def compatibility(
    old: Any,
    new: Any,
    X: Any,
    y: Any,
    *,
    tolerance: float = 0.0,
    reference: Any = None,
    weights: ArrayLike | None = None,
    jlu: str = "pooled",
) -> Compatibility:
    """Measure, on n rows, what replacing one tree by another changes in answers and explanations.

    Parameters
    ----------
    old, new : two models of one tree, anything ``read_model`` takes, over the same columns (by name, in any order) and
        the same classes (by label).
    X, y : the rows, finite numbers, and their true labels or numbers.
    tolerance : of regression trees: right is what is off by at most so much.
    reference : the rows whose range and deviations bounds are measured by, as a table; ``None``: X itself. For a test
        set, the data that the new tree was grown on.
    weights : n numbers from 0 up, or n booleans, in place of "the old tree is right": how much each row's explanation
        counts. Rates of right answers do not ask for it.
    jlu : ``"pooled"`` or ``"mean"``, see ``dissimilarities``.

    Raises
    ------
    UnsupportedModelError (several trees, categorical columns), InvalidInputError (columns or classes that differ, rows
    that are missing, infinite or not as many as y, labels that no tree knows, options).

    Notes
    -----
    The measures of "Backward Compatibility in Tree-Based Explanations and Enhanced CART Algorithm", and the
    compatibility score of Bansal et al., "Updates in Human-AI Teams" (2019). O(n * (depth + n_features) + n_nodes).
    """
    check_jlu(jlu)
    tolerance = check_tolerance(tolerance)
    before, after, class_of = pair(read_tree(old, "the old tree"), read_tree(new, "the new tree"))
    table = finite_table(before, X)
    values = before.admit(table)
    measure = Reference.of(values if reference is None else finite_values(before, reference))
    targets = read_targets(y, len(values), before.classes)
    _refuse_unknown(before, targets, y)
    given = [answers(before, values), answers(after, values)]
    if class_of:
        given[1] = np.array(class_of)[given[1]]
    right = [is_right(one, targets, tolerance) for one in given]
    misses = [one - targets for one in given] if before.classes is None else [~one for one in right]
    flipped = np.flatnonzero(right[0] & ~right[1])
    return Compatibility(
        loss_name="error rate" if before.classes is not None else "mean squared error",
        loss=float(np.square(misses[1], dtype=np.float64).mean()),
        old_loss=float(np.square(misses[0], dtype=np.float64).mean()),
        rows=_by_kind(before, after, values, measure, jlu),
        weights=right[0].astype(np.float64) if weights is None else row_weights(weights, len(values)),
        old_right=right[0],
        new_right=right[1],
        negative_flips=_flips(before, table.values, flipped, *(column[flipped] for column in (targets, *given))),
    )


def _refuse_unknown(model: Ensemble, targets: NDArray[Any], y: Any) -> None:
    if model.classes is not None and (targets < 0).any():
        row = int(np.argmax(targets < 0))
        raise InvalidInputError(
            f"y, row {row}: {cells_of(y)[row]!r} is no class of these trees; accepted: "
            + some(map(repr, model.classes))
        )


def _by_kind(
    before: Ensemble, after: Ensemble, values: NDArray[np.float64], reference: Reference, jlu: str
) -> dict[str, NDArray[np.float64]]:
    """Each row's dissimilarities, which are those of its two leaves."""
    m = len(before.features)
    leaves, places = [], []
    for model in (before, after):
        distinct, place = np.unique(apply(model, values)[:, 0], return_inverse=True)
        leaves.append(leaf_bounds(model.trees[0], distinct, m))
        places.append(place)
    pairs, of_row = np.unique(np.stack(places), axis=1, return_inverse=True)
    found = {kind: np.empty(pairs.shape[1]) for kind in KINDS}
    step = max(_CELLS // max(m, 1), 1)
    for start in range(0, pairs.shape[1], step):
        block = slice(start, start + step)
        a, b = (bounds.take(place) for bounds, place in zip(leaves, pairs[:, block], strict=True))
        for kind in KINDS:
            found[kind][block] = dissimilarities(kind, a, b, reference, jlu=jlu)
    return {kind: amounts[of_row] for kind, amounts in found.items()}


def _flips(
    model: Ensemble, values: NDArray[np.float64], rows: NDArray[np.intp], *columns: NDArray[Any]
) -> tuple[NegativeFlip, ...]:
    """The flips of ``rows``, from their true, old and new answers."""
    named = [
        column.tolist() if model.classes is None else [model.classes[code] for code in column.tolist()]
        for column in columns
    ]
    scalars = [{"integer": int, "boolean": bool}.get(feature.kind, float) for feature in model.features]
    cells = [
        {name: scalar(cell) for name, scalar, cell in zip(model.feature_names, scalars, row, strict=True)}
        for row in values[rows].tolist()
    ]
    return tuple(map(NegativeFlip, rows.tolist(), cells, *named))
