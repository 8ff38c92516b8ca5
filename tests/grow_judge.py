"""Judges a grown tree by ``grow_oracle``: every node's rows, statistics and split, and where growing stopped.

Where gains tie, the first split in this order must be taken: features ascending; missing right, cuts ascending, missing
apart behind them; then missing left, cuts ascending. Gains tie within 1e-12 of the node's loss.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from grow_oracle import CLASSES, TIE, Problem, Split, gain_of, medians, splits_of

Bounds = tuple[Fraction | None, Fraction | None]


class Judge:
    """One grown tree and the problem it was grown on.

    precision : ``"float32"`` or ``"float64"``, of the columns.
    """

    def __init__(self, problem: Problem, grown, limits, *, precision: str = "float64") -> None:
        self.problem, self.grown, self.limits = problem, grown, limits
        self.tree = grown.tree
        self.precision = precision
        self.rows = self.reached()
        # Sums are exact, but targets are rounded to fit: the finer, the less the weights take of a double's bits.
        self.noise = 1e-9 if max(problem.weight) <= 100 * min(problem.weight) else 1e-6
        if problem.criterion == "poisson" and min(problem.target) > 1000:  # and its targets keep their distance from 0
            self.noise = 1e-4
        self.bounds: dict[int, Bounds] = {0: (None, None)}
        self.choices: dict[int, list[tuple[Fraction, Split]]] = {}

    def judge(self) -> int:
        """Checks everything; the number of nodes judged."""
        depth = [0] * self.tree.n_nodes
        for node in range(self.tree.n_nodes):
            self.check_statistics(node)
            self.choices[node] = self.allowed(node, depth[node])
            if self.tree.left[node] < 0:
                if self.limits.max_leaf_nodes is None:
                    assert not self.choices[node], f"node {node} is a leaf, but {self.choices[node][0]} is allowed"
                continue
            for child in (int(self.tree.left[node]), int(self.tree.right[node])):
                assert child > node, "a child comes before its parent"
                depth[child] = depth[node] + 1
            self.check_split(node)
        if self.limits.max_leaf_nodes is not None:
            self.check_best_first()
        return self.tree.n_nodes

    def judge_allowed(self) -> int:
        """Checks statistics, and that each split is one of those allowed, the best or not; the number of nodes."""
        depth = [0] * self.tree.n_nodes
        for node in range(self.tree.n_nodes):
            self.check_statistics(node)
            self.choices[node] = self.allowed(node, depth[node], every=True)
            if self.tree.left[node] >= 0:
                children = [int(self.tree.left[node]), int(self.tree.right[node])]
                depth[children[0]] = depth[children[1]] = depth[node] + 1
                self.made(node)
                self.check_missing(node)
                self.narrow(node, *(frozenset(self.rows[child]) for child in children))
        return self.tree.n_nodes

    # ---- rows

    def goes_left(self, node: int, row: int) -> bool:
        value = self.problem.columns[self.tree.feature[node]][row]
        if value is None:
            assert self.tree.missing[node] in (1, 2), f"node {node} has no way for a missing value"
            return self.tree.missing[node] == 1
        if self.problem.levels[self.tree.feature[node]]:
            return value in self.tree.left_codes(node)
        return value <= self.tree.cut[node]

    def reached(self) -> list[list[int]]:
        """The rows that reach each node, by the tree's own tests."""
        rows: list[list[int]] = [[] for _ in range(self.tree.n_nodes)]
        for row in range(self.problem.n_rows):
            node = 0
            while True:
                rows[node].append(row)
                if self.tree.left[node] < 0:
                    break
                node = int(self.tree.left[node] if self.goes_left(node, row) else self.tree.right[node])
        return rows

    # ---- statistics

    def check_statistics(self, node: int) -> None:
        rows, problem = self.rows[node], self.problem
        assert rows, f"no row reaches node {node}"
        assert self.grown.n_rows[node] == len(rows), f"node {node}: {self.grown.n_rows[node]} rows for {len(rows)}"
        weight = problem.weigh(rows)
        assert math.isclose(self.grown.weight[node], weight, rel_tol=1e-12), f"node {node}: weight"
        impurity = problem.loss(rows) / weight
        scale = float(problem.loss(range(problem.n_rows)) / problem.weigh(range(problem.n_rows)))
        told = float(self.grown.impurity[node])
        assert math.isclose(told, impurity, rel_tol=self.noise, abs_tol=1e-12 * scale), f"node {node}: impurity {told}"
        value = self.grown.value[node]
        if problem.criterion in CLASSES:
            shares = [float(share) for share in problem.shares(rows)]
            assert np.allclose(value, shares, rtol=1e-12, atol=1e-15), f"node {node}: {value} for shares {shares}"
        elif problem.criterion == "absolute_error":
            low, high = medians([Fraction(problem.target[i]) for i in rows], [problem.weight[i] for i in rows])
            assert math.isclose(value[0], (low + high) / 2, rel_tol=1e-9, abs_tol=1e-12), f"node {node}: median"
        else:
            assert math.isclose(value[0], problem.shares(rows)[0], rel_tol=1e-9, abs_tol=1e-12), f"node {node}: mean"
        if self.tree.left[node] < 0:
            assert np.array_equal(self.tree.value[node], value), f"leaf {node} answers {self.tree.value[node]}"
            assert self.grown.gain[node] == 0

    # ---- splits

    def allowed(self, node: int, depth: int, every: bool = False) -> list[tuple[Fraction, Split]]:
        """Every split that the limits let the node have, with its gain, in the order of ties.

        A least decrease is asked of the best of them, as that is the one to be made, unless of ``every`` one.
        """
        limits, rows = self.limits, self.rows[node]
        loss = self.problem.loss(rows)
        if limits.max_depth is not None and depth >= limits.max_depth:
            return []
        if len(rows) < limits.min_samples_split or loss == 0:
            return []
        found = []
        for feature in range(len(self.problem.columns)):
            splits = list(splits_of(self.problem, rows, feature))
            for split in sorted(splits, key=lambda split: split.missing == "left"):
                if self.fits(split, self.bounds[node]):
                    gain = gain_of(self.problem, rows, split)
                    assert gain > -TIE * loss, "a split loses"
                    if limits.zero_gain or gain > TIE * loss:
                        found.append((gain, split))
        least = (Fraction(limits.min_impurity_decrease) - TIE) * self.problem.weigh(range(self.problem.n_rows))
        if every:
            return [(gain, split) for gain, split in found if gain >= least]
        return found if max((gain for gain, _ in found), default=Fraction(-1)) >= least else []

    def fits(self, split: Split, bounds: Bounds) -> bool:
        """Whether both sides are large enough, and their constants in the order and the bounds they must have."""
        limits, sides = self.limits, (split.left, split.right)
        if any(len(side) < limits.min_samples_leaf for side in sides):
            return False
        if any(
            self.problem.weigh(tuple(side)) < Fraction(limits.min_weight_leaf).limit_denominator(10**6)
            for side in sides
        ):
            return False
        if self.problem.criterion == "poisson" and any(not any(self.problem.target[i] for i in s) for s in sides):
            return False  # no constant above 0 is the best
        if limits.monotone is None:
            return True
        left, right = (self.problem.shares(tuple(side))[-1] for side in sides)
        sign = int(limits.monotone[split.feature])
        low, high = bounds
        if (low is not None and min(left, right) < low) or (high is not None and max(left, right) > high):
            return False
        return sign * left <= sign * right

    def made(self, node: int) -> tuple[Fraction, Split]:
        """The node's split, one of the allowed ones."""
        left, right = (frozenset(self.rows[child]) for child in (self.tree.left[node], self.tree.right[node]))
        found = next((pair for pair in self.choices[node] if {left, right} == pair[1].parts), None)
        assert found is not None, f"node {node}: {sorted(left)} | {sorted(right)} is not allowed"
        return found

    def check_split(self, node: int) -> None:
        rows, tree = self.rows[node], self.tree
        left, right = (frozenset(self.rows[child]) for child in (tree.left[node], tree.right[node]))
        choices, made = self.choices[node], self.made(node)
        tie = TIE * self.problem.loss(rows)
        expected = choices[0]
        for gain, split in choices:
            if gain > expected[0] + tie:
                expected = gain, split
        told = float(self.grown.gain[node])
        assert math.isclose(
            told, made[0], rel_tol=self.noise, abs_tol=self.noise / 10 * float(self.problem.loss(rows))
        ), f"node {node}: gain {told}"
        feature = int(tree.feature[node])
        assert abs(made[0] - expected[0]) <= 2 * tie, f"node {node}: gains {float(made[0])}, {expected} would be best"
        assert feature == expected[1].feature, f"node {node}: feature {feature}, {expected} comes first"
        if not self.problem.levels[feature]:
            assert {left, right} == expected[1].parts, f"node {node}: {made} taken, {expected} comes first"
        self.check_cut(node, left)
        self.check_missing(node)
        self.narrow(node, left, right)

    def check_cut(self, node: int, left: frozenset[int]) -> None:
        """The cut is the column's last number up to the midpoint; the low value where there is none between the two.

        Beside -inf it is the lowest finite number, unless that is a value of the column.
        """
        feature, cut = int(self.tree.feature[node]), float(self.tree.cut[node])
        column = self.problem.columns[feature]
        if self.problem.levels[feature]:
            return
        low = max((column[i] for i in left if column[i] is not None), default=None)
        high = min((column[i] for i in self.rows[node] if i not in left and column[i] is not None), default=None)
        if low is None or high is None:
            assert cut == (math.inf if high is None else -math.inf), f"node {node}: missing apart, at cut {cut}"
            return
        assert low <= cut < high, f"node {node}: cut {cut} does not part {low} from {high}"
        middle = low / 2 + high / 2
        if not low <= middle < high:
            middle = low
        if self.precision == "float32":
            single = np.float32(middle)
            middle = float(single if float(single) <= middle else np.nextafter(single, np.float32(-np.inf)))
        lowest = float(np.finfo(self.precision).min)
        if middle == -math.inf and lowest not in column:
            middle = lowest
        assert cut == middle, f"node {node}: cut {cut} between {low} and {high}"

    def check_missing(self, node: int) -> None:
        """Where no row misses the value, missing ones go to the heavier child, of equal ones to the left."""
        column = self.problem.columns[self.tree.feature[node]]
        assert self.tree.missing[node] in (1, 2)
        children = [self.rows[child] for child in (self.tree.left[node], self.tree.right[node])]
        left, right = map(self.problem.weigh, children)
        heavier = 1 if left >= right else 2
        if left == right and any(w.denominator > 10 for w in self.problem.weight):
            return  # thirds are rounded, and one side may get to be the heavier
        if all(column[i] is not None for i in self.rows[node]):
            assert self.tree.missing[node] == heavier, f"node {node}: missing values go to the lighter child"
        levels = self.problem.levels[self.tree.feature[node]]
        present = {column[i] for i in self.rows[node]}
        for level in set(range(levels)) - present:
            assert (level in self.tree.left_codes(node)) == (heavier == 1), f"node {node}: level {level} is absent"

    def narrow(self, node: int, left: frozenset[int], right: frozenset[int]) -> None:
        """The bounds of the children's constants: what lies between the two, after a test that must keep an order."""
        low, high = self.bounds[node]
        self.bounds[int(self.tree.left[node])] = self.bounds[int(self.tree.right[node])] = (low, high)
        sign = 0 if self.limits.monotone is None else int(self.limits.monotone[self.tree.feature[node]])
        if not sign:
            return
        middle = sum((self.problem.shares(tuple(side))[-1] for side in (left, right)), Fraction(0)) / 2
        lower, upper = self.tree.right[node], self.tree.left[node]
        if sign < 0:
            lower, upper = upper, lower
        self.bounds[int(lower)] = (middle, high)
        self.bounds[int(upper)] = (low, middle)

    # ---- the order of growing

    def check_best_first(self) -> None:
        """The leaves that were split are those of greatest gain, up to the number of leaves allowed."""

        def best(node: int) -> Fraction:
            return max((gain for gain, _ in self.choices[node]), default=Fraction(-1))

        open_nodes, n_leaves = [0], 1
        while True:
            willing = [node for node in open_nodes if self.choices[node]]
            if not willing or n_leaves == self.limits.max_leaf_nodes:
                break
            top = max(map(best, willing))
            tied = [n for n in willing if abs(best(n) - top) <= TIE * max(self.problem.loss(self.rows[0]), 1)]
            node = next((node for node in tied if self.tree.left[node] >= 0), None)
            assert node is not None, f"leaf {tied[0]} gains {float(top)}, the most, and was not split"
            open_nodes.remove(node)
            open_nodes += [int(self.tree.left[node]), int(self.tree.right[node])]
            n_leaves += 1
        assert all(self.tree.left[node] < 0 for node in open_nodes), "more was split than is allowed"


def repeated(problem: Problem) -> Problem:
    """The same problem with every row as often as its whole weight says."""
    times = [int(w) for w in problem.weight]
    order = [i for i, n in enumerate(times) for _ in range(n)]
    return reordered(problem, order, weight=[Fraction(1)] * len(order))


def reordered(problem: Problem, order: Sequence[int], weight: list[Fraction] | None = None) -> Problem:
    """The rows in another order."""
    return Problem(
        [[column[i] for i in order] for column in problem.columns],
        problem.levels,
        [problem.target[i] for i in order],
        [problem.weight[i] for i in order] if weight is None else weight,
        problem.criterion,
        problem.n_classes,
        problem.matrix,
    )
