"""A frozen tree ensemble, and how its trees decide together."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.domain.feature import Feature
from xylogic.domain.table import Table, read_table
from xylogic.errors import InvalidInputError, InvalidModelError
from xylogic.model import admit, predict
from xylogic.model.flat import Flat, flatten
from xylogic.model.tree import Tree

__all__ = ["Ensemble", "label_array"]

_CHOICES = {
    "voting": ("majority", "average", "sum"),
    "cast": ("float32", "float64"),
    "link": ("identity", "logistic", "softmax"),
    "tie": ("first", "last"),
}


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Trees that decide together. Made by ``read_model``, ``build_tree``, ``build_ensemble`` or ``load``.

    Scores are float64 sums in tree order, starting at ``base``.

    Attributes
    ----------
    trees : the trees.
    features : the input columns, in order; ``cuts`` holds the model's own, finite and ascending.
    classes : the class labels as Python scalars; ``None`` for a regression model.
    voting : ``"average"``: score = sum of leaf values / n_trees. ``"majority"``: each tree gives one vote to the
        first maximum of its leaf value; score = votes. ``"sum"``: score = base + sum of leaf values. The largest
        score wins; a single score with two classes stands for ``classes[1]`` when positive.
    base : where the sums start, one number per output.
    cast : the precision a row is rounded to before it is compared.
    link : from a sum to probabilities.
    tie : which of equal best scores wins.
    accepts_missing, accepts_infinite : whether ``predict`` takes NaN and infinite values.
    named : whether the feature names are the source's own; else they are ``x0``, ``x1``, ...
    source : where the model came from, in words.
    limits : per feature the lowest and highest number that the source accepts, or ``None`` for all finite ones.
    """

    trees: tuple[Tree, ...]
    features: tuple[Feature, ...]
    classes: tuple[Hashable, ...] | None
    voting: str
    base: tuple[float, ...]
    cast: str
    link: str = "identity"
    tie: str = "first"
    accepts_missing: bool = False
    accepts_infinite: bool = False
    named: bool = True
    source: str = "xylogic"
    limits: tuple[tuple[float, float], ...] | None = None

    def __post_init__(self) -> None:
        for name, accepted in _CHOICES.items():
            if getattr(self, name) not in accepted:
                raise InvalidModelError(f"{name} is {getattr(self, name)!r}; accepted: {', '.join(accepted)}")
        if not self.trees:
            raise InvalidModelError("an ensemble needs at least one tree")
        _check_names(self.feature_names)
        for position, tree in enumerate(self.trees):
            if tree.feature.max() >= len(self.features):
                raise InvalidModelError(f"tree {position} tests feature {tree.feature.max()} of {len(self.features)}")
            if tree.n_outputs != self.n_outputs:
                raise InvalidModelError(
                    f"tree {position} has {tree.n_outputs} outputs where tree 0 has {self.n_outputs}"
                )
        if len(self.base) != self.n_outputs or not np.isfinite(self.base).all():
            raise InvalidModelError(
                f"base is {self.base!r}; {self.n_outputs} finite numbers are accepted, one per output"
            )
        if self.limits is not None and len(self.limits) != len(self.features):
            raise InvalidModelError(f"limits are given for {len(self.limits)} of {len(self.features)} features")
        self._check_classes()

    def _check_classes(self) -> None:
        if self.classes is None:
            if self.n_outputs != 1 or self.voting == "majority" or self.link != "identity":
                raise InvalidModelError("a regression model has one output, no majority vote and no link")
            return
        if not self.classes or len(set(self.classes)) != len(self.classes):
            raise InvalidModelError(f"classes are {self.classes!r}; distinct labels, at least one, are accepted")
        if self.is_binary_sum:
            if self.link == "softmax":
                raise InvalidModelError("link 'softmax' needs one output per class")
        elif self.n_outputs != len(self.classes) or self.link == "logistic":
            raise InvalidModelError(
                f"{len(self.classes)} classes, {self.n_outputs} outputs, voting {self.voting!r} and link {self.link!r} "
                "do not fit; one output per class is accepted, or a sum with one output for two classes"
            )

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # without what is cached

    def __repr__(self) -> str:
        kind = "regression" if self.classes is None else f"{len(self.classes)} classes"
        return (
            f"<Ensemble: {self.source}, {self.n_trees} trees, {self.n_nodes} nodes, "
            f"{len(self.features)} features, {kind}, voting {self.voting}>"
        )

    @property
    def n_outputs(self) -> int:
        return self.trees[0].n_outputs

    @property
    def n_trees(self) -> int:
        return len(self.trees)

    @property
    def n_nodes(self) -> int:
        return sum(tree.n_nodes for tree in self.trees)

    @property
    def feature_names(self) -> tuple[str, ...]:
        return tuple(feature.name for feature in self.features)

    @property
    def is_binary_sum(self) -> bool:
        """Whether the sign of one score decides between two classes."""
        return self.voting == "sum" and self.n_outputs == 1 and self.classes is not None and len(self.classes) == 2

    @property
    def has_probabilities(self) -> bool:
        """Whether ``predict_proba`` answers: there are classes, and a link where scores are summed."""
        return self.classes is not None and (self.voting != "sum" or self.link != "identity")

    @cached_property
    def flat(self) -> Flat:
        """All trees in one set of arrays; made once, O(n_nodes)."""
        return flatten(self.trees)

    @cached_property
    def votes(self) -> NDArray[np.float64]:
        """Each leaf's one vote: float64 (n_nodes, n_outputs), 1.0 at the first maximum of its value."""
        winner = np.argmax(self.flat.value, axis=1)
        return np.equal.outer(winner, np.arange(self.n_outputs)).astype(np.float64)

    @cached_property
    def routeless(self) -> NDArray[np.bool_]:
        """Per feature, whether some test of it has no way for NaN."""
        flat = self.flat
        found = np.zeros(len(self.features), dtype=bool)
        found[flat.feature[(flat.left >= 0) & (flat.missing == 0)]] = True
        return found

    def encode(self, X: Any) -> NDArray[np.float64]:
        """A table as the model sees it: float64 (n, n_features), checked, rounded to ``cast``, with category codes.

        Raises InvalidInputError, naming column and row, for what the model's source refuses.
        """
        return self.admit(read_table(X, self.features, named=self.named))

    def admit(self, table: Table) -> NDArray[np.float64]:
        """``encode`` for a table that is read already; raises InvalidInputError likewise."""
        return admit.admit(self, table)

    def apply(self, X: Any) -> NDArray[np.int32]:
        """The leaf of each row in each tree, by the source's node ids: int32 (n, n_trees). O(n * n_trees * depth)."""
        return predict.apply(self, self.encode(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class labels, or float64 numbers, shape (n,). O(n * n_trees * depth)."""
        return self.labels(predict.scores(self, self.encode(X)))

    def labels(self, score: NDArray[np.float64]) -> NDArray[Any]:
        """What ``predict`` answers for scores of shape (n, n_outputs)."""
        if self.classes is None:
            return score[:, 0]
        return label_array(self.classes)[predict.decide(self, score)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities, float64 (n, n_classes), columns as in ``classes``; a majority's are its shares of votes.

        Raises InvalidInputError for a regression model, and for a sum without a link.
        """
        if not self.has_probabilities:
            kind = "a regression model" if self.classes is None else "a sum of scores without a link"
            raise InvalidInputError(f"{self.source} is {kind} and has no class probabilities; use predict")
        return predict.probabilities(self, predict.scores(self, self.encode(X)))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The scores that decide: float64 (n,) where there is one output, else (n, n_outputs)."""
        score = predict.scores(self, self.encode(X))
        return score[:, 0] if self.n_outputs == 1 else score

    def with_voting(self, voting: str) -> Ensemble:
        """The same trees under another vote, ``"majority"`` or ``"average"``; equal scores: the first class wins.

        Raises InvalidModelError where the trees cannot vote so.
        """
        if voting == "sum" or self.voting == "sum":
            raise InvalidModelError(f"a model with voting {self.voting!r} cannot be turned into one with {voting!r}")
        return replace(self, voting=voting, tie="first")

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to ``path``, ``.json`` or compressed ``.json.gz``, atomically; ``load`` reads it back equal.

        Raises InvalidInputError for another suffix, and for labels that JSON cannot hold.
        """
        from xylogic.model.file import save

        save(self, path)


def label_array(classes: tuple[Hashable, ...]) -> NDArray[Any]:
    """The labels in a numpy array that gives each back unchanged: of their own dtype if they share one, else object."""
    kinds = {type(label) for label in classes}
    if kinds in ({bool}, {int}, {float}, {str}):
        labels = np.array(classes)
        back = labels.tolist()
        if back == list(classes) and {type(label) for label in back} == kinds:
            return labels
    labels = np.empty(len(classes), dtype=object)
    for position, label in enumerate(classes):
        labels[position] = label
    return labels


def _check_names(names: tuple[str, ...]) -> None:
    first: dict[str, int] = {}
    for position, name in enumerate(names):
        if first.setdefault(name, position) != position:
            raise InvalidModelError(f"features {first[name]} and {position} are both called {name!r}")
