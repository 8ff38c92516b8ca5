"""Random small problems to grow on, with everything that tends to go wrong: ties, neighbours, gaps, weights, limits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from grow_oracle import CLASSES, NUMBERS, Problem
from models import Draws
from xylogic import Feature
from xylogic.grow.columns import read_columns
from xylogic.grow.grower import Limits, grow
from xylogic.grow.target import class_target, number_target

POOLS = [(0, 1), (0, 1, 2, 3), (-2.5, 0, 0.5, 1e6), (0.1, 0.2, 0.3), (1.0, 1.0000001192092896, 1.0000002384185791),
         (-math.inf, -1, 0, math.inf), (16777216, 16777218, 3e38, -3e38), (0.0, -0.0, 1e-45, 1e-30)]  # fmt: skip
WEIGHTS = [(1,), (1, 2, 3), (2, 4), (0.1, 0.2, 0.3), (0.25, 1.75, 1 / 3), (0.01, 1, 100)]
TARGETS = [(0, 1), (0, 1, 2, 5), (0, 3, 3, 7, 100), (0.1, 0.2, 0.3, 0.7), (1e6, 1e6 + 1, 1e6 + 3)]


@dataclass
class Case:
    """A problem and the limits to grow it under; ``precision`` of the columns."""

    problem: Problem
    limits: Limits
    precision: str

    def grown(self, problem: Problem | None = None, **more):
        return grow_problem(problem or self.problem, self.limits, self.precision, **more)

    def __str__(self) -> str:
        return f"\nproblem = {self.problem!r}\nlimits = {self.limits!r}\nprecision = {self.precision!r}\n"


def table(problem: Problem, precision: str) -> np.ndarray:
    """The columns as the grower takes them."""
    held = [[math.nan if value is None else value for value in column] for column in problem.columns]
    return np.array(held, dtype=precision).T.reshape(problem.n_rows, len(held)).copy()


def grow_problem(problem: Problem, limits: Limits, precision: str, *, mode: str = "exact", **more):
    """The tree that is grown; ``more`` goes to ``grow``."""
    features = [
        Feature(f"x{j}", "categorical", tuple(range(n))) if n else Feature(f"x{j}")
        for j, n in enumerate(problem.levels)
    ]
    weight = None
    if any(w != 1 for w in problem.weight):
        weight = np.array([float(w) for w in problem.weight])
    if problem.criterion in CLASSES:
        matrix = None if problem.matrix is None else np.array(problem.matrix, dtype=np.float64)
        codes = np.array(problem.target, dtype=np.int32)
        target = class_target(codes, problem.n_classes, weight, problem.criterion, matrix)
    else:
        target = number_target(np.array([float(y) for y in problem.target]), weight, problem.criterion)
    return grow(read_columns(table(problem, precision), features, mode=mode), target, limits, **more)


def plain(number: float) -> Fraction:
    """The decimal or the third that is meant."""
    return Fraction(number).limit_denominator(10_000)


def draw_column(d: Draws, n: int, precision: str) -> tuple[list, int]:
    levels = d.pick([0, 0, 0, 2, 3, 4, 5])
    if levels:
        column: list = [d.whole(0, levels - 1) for _ in range(n)]
    else:
        pool = [float(np.array(value, precision)) for value in d.pick(POOLS)]
        column = [d.pick(pool) for _ in range(n)]
    if d.chance(35):
        column = [None if d.chance(30) else value for value in column]
    return column, levels


def draw_problem(d: Draws, precision: str, criterion: str | None = None) -> Problem:
    n = d.whole(1, 11)
    criterion = criterion or d.pick([*CLASSES, *NUMBERS])
    pairs = [draw_column(d, n, precision) for _ in range(d.whole(1, 3))]
    pool = d.pick(WEIGHTS)
    weight = [plain(d.pick(pool)) for _ in range(n)]
    columns, levels = [column for column, _ in pairs], [levels for _, levels in pairs]
    if criterion in CLASSES:
        n_classes = d.whole(1, 4)
        matrix = None
        if criterion == "misclassification" and d.chance(40):
            losses = [[Fraction(d.whole(0, 4)) for _ in range(n_classes)] for _ in range(n_classes)]
            matrix = [[Fraction(0) if i == j else losses[i][j] for j in range(n_classes)] for i in range(n_classes)]
        target: list = [d.whole(0, n_classes - 1) for _ in range(n)]
        return Problem(columns, levels, target, weight, criterion, n_classes, matrix)
    numbers = d.pick(TARGETS)
    target = [plain(d.pick(numbers)) for _ in range(n)]
    if criterion == "poisson" and not any(target):
        target[0] = Fraction(1)
    return Problem(columns, levels, target, weight, criterion)


def draw_limits(d: Draws, problem: Problem) -> Limits:
    chosen: dict = {}
    total = float(problem.weigh(range(problem.n_rows)))
    if d.chance(25):
        chosen["max_depth"] = d.whole(0, 3)
    if d.chance(25):
        chosen["min_samples_leaf"] = d.whole(1, 4)
    if d.chance(20):
        chosen["min_samples_split"] = d.whole(2, 6)
    if d.chance(15):
        chosen["min_weight_leaf"] = total * d.pick([0.1, 0.25])
    if d.chance(15):
        chosen["min_impurity_decrease"] = d.pick([1e-3, 0.05, 0.2])
    if d.chance(25):
        chosen["max_leaf_nodes"] = d.whole(2, 5)
    if d.chance(30):
        chosen["zero_gain"] = False
    if d.chance(20):
        chosen["missing"] = "level"
    if d.chance(25) and not any(problem.levels) and problem.n_classes in (0, 2):
        chosen["monotone"] = tuple(d.pick([-1, 0, 1]) for _ in problem.levels)
    return Limits(**chosen)


def draw_case(d: Draws, criterion: str | None = None) -> Case:
    precision = d.pick(["float64", "float32"])
    problem = draw_problem(d, precision, criterion)
    return Case(problem, draw_limits(d, problem), precision)
