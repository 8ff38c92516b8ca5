"""What the parameters of the estimators may be, as data, and the limits of growth they stand for."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from xylogic.domain.feature import Feature
from xylogic.errors import InvalidInputError

__all__ = [
    "CLASS_CRITERIA",
    "MAX_TARGET",
    "NUMBER_CRITERIA",
    "TREE",
    "Rule",
    "anything",
    "check_parameters",
    "criterion_name",
    "fraction",
    "monotone_signs",
    "number",
    "number_of_features",
    "number_of_rows",
    "one_of",
    "or_none",
    "plain",
    "whole",
]

CLASS_CRITERIA = ("gini", "entropy", "log_loss", "misclassification")
NUMBER_CRITERIA = ("squared_error", "absolute_error", "poisson", "friedman_mse")
MAX_TARGET = 1e140  # so that squares, summed over all rows, are finite


@dataclass(frozen=True, slots=True)
class Rule:
    """What a parameter may be: a test, and the same in words."""

    holds: Callable[[Any], bool]
    words: str


def one_of(*names: str) -> Rule:
    return Rule(lambda value: isinstance(value, str) and value in names, " or ".join(map(repr, names)))


def whole(least: int, most: int | None = None) -> Rule:
    """An integer from ``least`` to ``most``."""
    words = f"a whole number >= {least}" if most is None else f"a whole number from {least} to {most}"
    return Rule(lambda value: _is_whole(value) and least <= value and (most is None or value <= most), words)


def number(least: float, most: float = math.inf) -> Rule:
    """A number from ``least`` to ``most``."""
    words = f"a number >= {least:g}" if most == math.inf else f"a number from {least:g} to {most:g}"
    return Rule(lambda value: _is_number(value) and least <= plain(value) <= most, words)


def fraction(*, one: bool) -> Rule:
    """A float above 0, and up to or below 1."""
    words = f"a float above 0 and {'up to' if one else 'below'} 1"
    return Rule(
        lambda value: _is_number(value) and not _is_whole(value) and value > 0 and (value <= 1 if one else value < 1),
        words,
    )


def anything() -> Rule:
    """A parameter that is judged where the data are known."""
    return Rule(lambda _: True, "")


def or_none(rule: Rule) -> Rule:
    return Rule(lambda value: value is None or rule.holds(value), f"{rule.words} or None")


def either(*rules: Rule) -> Rule:
    return Rule(lambda value: any(rule.holds(value) for rule in rules), " or ".join(rule.words for rule in rules))


def plain(value: Any) -> Any:
    """A number as Python has it: a NumPy one of little precision would drag all it meets down to that."""
    return value.item() if isinstance(value, np.generic) else value


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


TREE: Mapping[str, Rule] = {
    "splitter": one_of("best", "random", "hist"),
    "max_depth": or_none(whole(1)),
    "min_samples_split": either(whole(2), fraction(one=True)),
    "min_samples_leaf": either(whole(1), fraction(one=False)),
    "min_weight_fraction_leaf": number(0, 0.5),
    "max_features": or_none(either(whole(1), fraction(one=True), one_of("sqrt", "log2"))),
    "random_state": Rule(
        lambda value: (
            value is None or (_is_whole(value) and 0 <= value < 2**32) or isinstance(value, np.random.RandomState)
        ),
        "a whole number from 0 to 2**32 - 1, a RandomState or None",
    ),
    "max_leaf_nodes": or_none(whole(2)),
    "min_impurity_decrease": number(0),
    "ccp_alpha": number(0),
    "categorical_features": anything(),
    "missing": one_of("direction", "level", "surrogate", "fractional"),
    "max_surrogates": whole(0, 2**31 - 1),
    "max_bins": whole(2, 255),
    "zero_gain": one_of("accept", "refuse"),
    "monotonic_cst": anything(),
}


def check_parameters(estimator: Any, rules: Mapping[str, Rule]) -> None:
    """Raise InvalidInputError for the first parameter that its rule does not hold for."""
    for name, rule in rules.items():
        value = getattr(estimator, name)
        if not rule.holds(value):
            raise InvalidInputError(f"{name} is {repr(value)[:80]}; {rule.words} is accepted")


def criterion_name(criterion: str) -> str:
    """The criterion as the grower calls it: ``"log_loss"`` is the entropy."""
    return "entropy" if criterion == "log_loss" else criterion


def number_of_rows(value: float, n_rows: int) -> int:
    """A parameter that counts rows: a float is a fraction of them, rounded up."""
    return min(int(value), n_rows + 1) if _is_whole(value) else math.ceil(plain(value) * n_rows)


def number_of_features(value: Any, n_features: int) -> int:
    """``max_features`` as a number, at least 1 and at most ``n_features``."""
    if value is None:
        return n_features
    if isinstance(value, str):
        root = math.sqrt(n_features) if value == "sqrt" else math.log2(n_features)
        return max(1, int(root))
    return min(int(value), n_features) if _is_whole(value) else max(1, int(plain(value) * n_features))


def monotone_signs(given: Any, features: Sequence[Feature], n_classes: int | None) -> list[int] | None:
    """``monotonic_cst`` as one number a feature; ``None`` where nothing is constrained.

    1: the prediction may not fall as the feature grows; -1: it may not rise; 0: it is free.

    ``given``: such numbers in column order, or a dict from column name to one. The prediction of a classifier is the
    probability of its second class.

    Raises InvalidInputError for other numbers, unknown names, categorical columns and more than two classes.
    """
    if given is None:
        return None
    names = [feature.name for feature in features]
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in names]
        if unknown:
            raise InvalidInputError(f"monotonic_cst names {unknown[0]!r}; there are {', '.join(names)}")
        given = [given.get(name, 0) for name in names]
    signs = np.asarray(given)
    if signs.shape != (len(names),):
        raise InvalidInputError(f"monotonic_cst has shape {signs.shape}; ({len(names)},), one per column, is accepted")
    odd = ~np.isin(signs, (-1, 0, 1))
    if odd.any():
        raise InvalidInputError(f"monotonic_cst has {signs[odd][0]!r}; -1, 0 and 1 are accepted")
    if not signs.any():
        return None
    if n_classes is not None and n_classes > 2:
        raise InvalidInputError(f"monotonic_cst fits numbers and two classes; there are {n_classes}")
    for feature, sign in zip(features, signs, strict=True):
        if sign and feature.categories:
            raise InvalidInputError(f"monotonic_cst: column {feature.name!r} is categorical and has no order")
    return [int(sign) for sign in signs]
