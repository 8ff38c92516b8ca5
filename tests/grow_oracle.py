"""Brute force for growing: every split of a node tried, from the definitions, in exact arithmetic.

Nothing here is clever and nothing is shared with the library. Rows are numbered; a node is a list of rows; a split is a
set of rows that go left. Losses are Fractions, and Decimals of 60 digits where a logarithm is in them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction

CLASSES = ("gini", "entropy", "misclassification")
NUMBERS = ("squared_error", "absolute_error", "poisson")
LOGARITHMIC = ("entropy", "poisson")
TIE = Fraction(1, 10**12)  # of a node's loss: gains nearer than this count as equal


def decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


def log(number: Fraction) -> Fraction:
    """The natural logarithm to 60 digits."""
    with localcontext() as context:
        context.prec = 60
        return Fraction(decimal(number).ln())


LOG_2 = log(Fraction(2))


# ---------------------------------------------------------------- losses


def class_loss(
    held: Sequence[Fraction], criterion: str, matrix: Sequence[Sequence[Fraction]] | None = None
) -> Fraction:
    """Weight times impurity, from the weight of each class."""
    total = sum(held, Fraction(0))
    if not total:
        return Fraction(0)
    if criterion == "gini":
        return total - sum(w * w for w in held) / total
    if criterion == "entropy":
        return sum((w * log(total / w) for w in held if w), Fraction(0)) / LOG_2
    return min(expected_losses(held, matrix))


def expected_losses(held: Sequence[Fraction], matrix: Sequence[Sequence[Fraction]] | None = None) -> list[Fraction]:
    """The loss of answering each class to all rows."""
    if matrix is None:
        return [sum(held, Fraction(0)) - w for w in held]
    return [sum((w * row[j] for w, row in zip(held, matrix, strict=True)), Fraction(0)) for j in range(len(held))]


def number_loss(targets: Sequence[Fraction], weight: Sequence[Fraction], criterion: str) -> Fraction:
    """Weight times impurity, from targets and their weights."""
    pairs = list(zip(targets, weight, strict=True))
    total = sum(weight, Fraction(0))
    if not total:
        return Fraction(0)
    if criterion == "absolute_error":
        return min(sum((w * abs(y - c) for y, w in pairs), Fraction(0)) for c in targets)
    mean = sum((w * y for y, w in pairs), Fraction(0)) / total
    if criterion == "squared_error":
        return sum((w * (y - mean) ** 2 for y, w in pairs), Fraction(0))
    return sum((w * y * log(y / mean) for y, w in pairs if y), Fraction(0))


def medians(targets: Sequence[Fraction], weight: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """The lowest and the highest weighted median."""
    held = sorted((y, w) for y, w in zip(targets, weight, strict=True) if w)
    total = sum(weight, Fraction(0))
    low = next(y for y, _ in held if 2 * sum(w for v, w in held if v <= y) >= total)
    high = next(y for y, _ in reversed(held) if 2 * sum(w for v, w in held if v >= y) >= total)
    return low, high


# ---------------------------------------------------------------- problems


@dataclass
class Problem:
    """Rows to grow on.

    columns : per feature its values: numbers, codes of levels, or None where missing.
    levels : per feature its number of levels; 0 where it holds numbers.
    target : class numbers, or the targets.
    weight : one positive weight per row.
    matrix : the loss matrix of misclassification.
    """

    columns: list[list[float | int | None]]
    levels: list[int]
    target: list[int] | list[Fraction]
    weight: list[Fraction]
    criterion: str
    n_classes: int = 0
    matrix: list[list[Fraction]] | None = None
    known: dict[tuple[int, ...], Fraction] = field(default_factory=dict, repr=False)

    @property
    def n_rows(self) -> int:
        return len(self.target)

    def weigh(self, rows: Sequence[int]) -> Fraction:
        return sum((self.weight[i] for i in rows), Fraction(0))

    def held(self, rows: Sequence[int]) -> list[Fraction]:
        """The weight of each class."""
        return [self.weigh([i for i in rows if self.target[i] == k]) for k in range(self.n_classes)]

    def loss(self, rows: Sequence[int]) -> Fraction:
        """The weight of the rows times their impurity."""
        key = tuple(sorted(rows))
        if key not in self.known:
            if self.criterion in CLASSES:
                self.known[key] = class_loss(self.held(key), self.criterion, self.matrix)
            else:
                targets, weight = [Fraction(self.target[i]) for i in key], [self.weight[i] for i in key]
                self.known[key] = number_loss(targets, weight, self.criterion)
        return self.known[key]

    def shares(self, rows: Sequence[int]) -> list[Fraction]:
        """What a monotone constraint compares: class shares, the mean, or the median halfway between the two."""
        total = self.weigh(rows)
        if self.criterion in CLASSES:
            return [w / total for w in self.held(rows)]
        targets, weight = [Fraction(self.target[i]) for i in rows], [self.weight[i] for i in rows]
        if self.criterion == "absolute_error":
            return [sum(medians(targets, weight), Fraction(0)) / 2]
        return [sum((y * w for y, w in zip(targets, weight, strict=True)), Fraction(0)) / total]


@dataclass(frozen=True)
class Split:
    """One way to part the rows of a node.

    ``place`` orders the splits of one feature: the position of the last value on the left, or the number of values for
    "missing apart". ``low`` and ``high`` are the values that the cut lies between. ``codes``: the levels on the left.
    """

    feature: int
    place: int
    missing: str  # "left", "right", or "" where no row of the node misses the value
    left: frozenset[int]
    right: frozenset[int]
    low: float = -math.inf
    high: float = math.inf
    codes: frozenset[int] = frozenset()

    @property
    def parts(self) -> frozenset[frozenset[int]]:
        return frozenset((self.left, self.right))


def splits_of(problem: Problem, rows: Sequence[int], feature: int) -> Iterator[Split]:
    """Every split of one feature, in the order that ties are broken by: low cuts first, missing right before left."""
    column = problem.columns[feature]
    known = [i for i in rows if column[i] is not None]
    lacking = frozenset(i for i in rows if column[i] is None)
    values = sorted({column[i] for i in known})
    sides: tuple[str, ...] = ("right", "left") if lacking else ("",)

    def part(place: int, chosen: frozenset, side: str, **more) -> Split:
        left = frozenset(i for i in known if column[i] in chosen)
        right = frozenset(known) - left
        if side == "left":
            left |= lacking
        else:
            right |= lacking
        return Split(feature, place, side, left, right, **more)

    if problem.levels[feature]:
        for place, chosen in enumerate(subsets(values)):
            for side in sides:
                yield part(place, chosen, side, codes=chosen)
        place = 2 ** max(len(values) - 1, 0)
    else:
        for place in range(len(values) - 1):
            for side in sides:
                chosen = frozenset(values[: place + 1])
                yield part(place, chosen, side, low=values[place], high=values[place + 1])
        place = len(values)
    if lacking and known:
        yield part(place, frozenset(values), "right", low=math.inf, codes=frozenset(values))


def subsets(levels: Sequence[int]) -> Iterator[frozenset[int]]:
    """Each of the 2^(q-1) - 1 ways to part the levels, as the side that holds the first of them."""
    for size in range(1, len(levels)):
        for others in itertools.combinations(levels[1:], size - 1):
            yield frozenset((levels[0], *others))


def ordered_splits(levels: Sequence[int], key) -> Iterator[frozenset[int]]:
    """The q - 1 ways to part the levels that respect an order."""
    order = sorted(levels, key=key)
    for size in range(1, len(order)):
        yield frozenset(order[:size])


def gain_of(problem: Problem, rows: Sequence[int], split: Split) -> Fraction:
    """How much a split lowers weight times impurity."""
    return problem.loss(rows) - problem.loss(tuple(split.left)) - problem.loss(tuple(split.right))


def all_splits(problem: Problem, rows: Sequence[int]) -> list[Split]:
    return [split for feature in range(len(problem.columns)) for split in splits_of(problem, rows, feature)]
