"""What replaces an old tree, beside plain CART, and how both do on rows that they were not grown on."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xylogic.cli.grow import FOLDS, folds
from xylogic.cli.labelled import Rows
from xylogic.errors import InvalidInputError, XylogicError

if TYPE_CHECKING:
    from xylogic.model.ensemble import Ensemble
    from xylogic.update.compatibility import Compatibility

__all__ = ["ENOUGH", "Judged", "Maker", "judged_at_once", "judged_by_folds", "makers"]

MEASURES = ("jac", "jlu", "mae", "mse")
ENOUGH = 2 * FOLDS  # rows, to hold some out

Judge = Callable[[Any, Rows, Any], "Compatibility"]


class Maker:
    """How a kind of tree is made of rows, read once, or of some of them, with the classes of all.

    ``prune``: a rule of ``prune_cv``, by which ``choose`` prunes by folds of the rows; ``None``: no pruning.
    """

    def __init__(self, tree: Any, choose: Callable[..., Any], prune: str | None, rows: Rows) -> None:
        from xylogic.grow.single import read_sample

        self._choose, self._prune = choose, prune
        with refused():
            self._reader, self._sample = read_sample(tree, rows.X, rows.y)

    def grow(self, part: Any = None) -> Any:
        """The tree of all rows, or of those at the positions ``part``, ascending."""
        from xylogic.grow.prune import fold_rows
        from xylogic.grow.single import fitted_on

        with refused():
            if self._prune is None:
                return fitted_on(self._reader, self._sample, rows=part)
            sample = self._sample if part is None else self._sample.part(part)
            own = copy(self._reader)
            cv = folds(sample.target, sample.classes is not None)
            return self._choose(
                own, sample, fold_rows(own, cv, sample.target, sample, None), rule=self._prune
            ).estimator


@contextmanager
def refused() -> Iterator[None]:
    """Inside it, what scikit-learn refuses is refused as input, and that no row is relied on is not warned of."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="no row is relied on")
        try:
            yield
        except XylogicError:
            raise
        except ValueError as error:
            raise InvalidInputError(str(error)) from error


def makers(
    model: Ensemble,
    rows: Rows,
    parameters: dict[str, Any],
    *,
    strength: float,
    dissimilarity: str,
    tolerance: float,
    prune: str | None,
) -> dict[str, Maker]:
    """How plain CART and the compatible tree are made: in the precision of the old tree, so that cuts read alike."""
    import numpy as np

    from xylogic.grow import estimators as plain
    from xylogic.grow.prune import prune_by_folds
    from xylogic.update import estimators as compatible
    from xylogic.update.pruning import prune_compatible_by_folds

    own: dict[str, Any] = {"dissimilarity": dissimilarity, "strength": strength, **parameters}
    cart: Any
    kept: Any
    if model.classes is not None:
        cart = plain.DecisionTreeClassifier(zero_gain="refuse", **parameters)
        kept = compatible.CompatibleTreeClassifier(model, **own)
    else:
        cart = plain.DecisionTreeRegressor(zero_gain="refuse", **parameters)
        kept = compatible.CompatibleTreeRegressor(model, tolerance=tolerance, **own)
    if model.cast == "float32":
        rows = Rows(rows.X.astype(np.float32), rows.y)
    return {
        "cart": Maker(cart, prune_by_folds, prune, rows),
        "compatible": Maker(kept, prune_compatible_by_folds, prune, rows),
    }


@dataclass(frozen=True)
class Judged:
    """Trees of one kind on the rows that each is judged on; ``places``: which rows of the file these are."""

    found: Sequence[Compatibility]
    places: Sequence[Sequence[int]]

    @property
    def n_rows(self) -> int:
        return sum(one.n_rows for one in self.found)

    @property
    def n_right(self) -> int:
        """How many rows the old tree answers right."""
        return sum(one.n_correct for one in self.found)

    @property
    def old_loss(self) -> float:
        return sum(one.old_loss * one.n_rows for one in self.found) / self.n_rows

    def figures(self) -> dict[str, Any]:
        """Loss, BCP, dissimilarities and negative flips over all rows."""
        flips = sum(len(one.negative_flips) for one in self.found)
        weight = sum(float(one.weights.sum()) for one in self.found)
        figures: dict[str, Any] = {
            "loss": sum(one.loss * one.n_rows for one in self.found) / self.n_rows,
            "bcp": (self.n_right - flips) / self.n_right if self.n_right else None,
            "negative_flips": flips,
        }
        for name in MEASURES:
            total = sum(float(one.weights @ one.rows[name]) for one in self.found)
            figures[name] = total / weight if weight else None
        return figures

    def flips(self) -> list[dict[str, Any]]:
        """The rows that were right and are wrong now, by their places in the file."""
        found = [
            {**flip, "row": places[flip["row"]]}
            for one, places in zip(self.found, self.places, strict=True)
            for flip in one.to_dict()["negative_flips"]
        ]
        return sorted(found, key=lambda flip: int(flip["row"]))


def judged_at_once(judge: Judge, tree: Any, rows: Rows, reference: Any) -> Judged:
    return Judged([judge(tree, rows, reference)], [range(len(rows.X))])


def judged_by_folds(judge: Judge, maker: Maker, rows: Rows, by_class: bool) -> Judged:
    """Each row judged by the tree that was grown without it. Of classes with few rows, such a tree may know none."""
    import numpy as np

    X, y = rows.X, rows.y
    parts = list(folds(y, by_class).split(np.zeros((len(y), 1)), y))
    found = [judge(maker.grow(known), Rows(X[held], y[held]), X[known]) for known, held in parts]
    return Judged(found, [held.tolist() for _, held in parts])
