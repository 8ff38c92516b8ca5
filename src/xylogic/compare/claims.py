"""What it takes that two models differ, as sums over their joint forest: one claim for each way of differing.

Needed rows of a claim are constraints of one model (see ``model/sums.py``) or bounds on a difference of both. The
lead is the sum of the two rows "a prefers p to q" and "b prefers q to p": where trees are shared, it is 0. A rule says
that no tree prefers anything: float sums of equally many, in equal order, of which none is greater, are not greater.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xylogic.compare.joint import Joint
from xylogic.compare.question import Question
from xylogic.model.ensemble import Ensemble
from xylogic.model.sums import Constraint, Scores, beats, needs

__all__ = ["Claim", "Claims"]

_FAR = 2**61
_ROUNDOFF = Fraction(1, 2**53)
Worth = NDArray[np.int64]


@dataclass
class Claim:
    """One way of differing.

    Attributes
    ----------
    way : of labels the positions (p, q) that the models answer; of numbers (column, 1 if the first is greater, else
        -1), the first column that differs.
    worths : int64 (n_nodes,) for each row, by node of ``joint.model.flat``; first those needed, then the lead, if
        there is one, then the rules.
    """

    way: tuple[int, int]
    worths: list[Worth] = field(default_factory=list)
    sure: list[int] = field(default_factory=list)
    never: list[int] = field(default_factory=list)
    n_needed: int = 0
    lead: int = -1
    n_rules: int = 0

    def need(self, worth: Worth, sure: int, never: int) -> None:
        self._add(worth, sure, never)
        self.n_needed += 1

    def lead_by(self, worth: Worth, never: int) -> None:
        self.lead = len(self.worths)
        self._add(worth, _FAR, never)

    def rule(self, worth: Worth) -> None:
        self._add(worth, -_FAR, -_FAR)
        self.n_rules += 1

    def _add(self, worth: Worth, sure: int, never: int) -> None:
        self.worths.append(worth)
        self.sure.append(max(min(sure, _FAR), -_FAR))
        self.never.append(max(min(never, _FAR), -_FAR))

    def is_hopeless(self, roots: NDArray[np.int32]) -> bool:
        """Whether some row can never hold, by each tree's best leaf."""
        best = (int(np.maximum.reduceat(worth, roots).sum()) for worth in self.worths)
        return any(most < never for most, never in zip(best, self.never, strict=True))


class _Side:
    """One model's part of the joint forest's leaves."""

    def __init__(self, model: Ensemble, values: NDArray[np.float64]) -> None:
        self.model, self.values = model, values
        self.scores = Scores(model)
        self.fixed = np.floor(values * self.scores.scale).astype(np.int64)
        self.norm = model.n_trees if model.voting != "sum" else 1

    def row(self, c: Constraint) -> tuple[Worth, int, int]:
        worth = np.zeros(len(self.fixed), np.int64)
        worth += self.fixed[:, c.plus] if c.plus >= 0 else 0
        worth -= self.fixed[:, c.minus] if c.minus >= 0 else 0
        return worth, *needs(c, self.scores)

    def difference(self, c: Constraint) -> NDArray[np.float64]:
        plus = self.values[:, c.plus] if c.plus >= 0 else 0.0
        return np.asarray(plus - (self.values[:, c.minus] if c.minus >= 0 else 0.0) + np.zeros(len(self.values)))


class Claims:
    """All claims of a question."""

    def __init__(self, question: Question, joint: Joint) -> None:
        self.question, self.joint = question, joint
        pair = question.pair
        self._a, self._b = _Side(pair.left, joint.values[0]), _Side(pair.right, joint.values[1])
        common = math.gcd(self._a.norm, self._b.norm)
        # Sums are weighed so that both count alike: a difference of answers is that of weighed sums, by the unit.
        self._weights = self._b.norm // common, self._a.norm // common
        self._unit = Fraction(self._a.norm * self._b.norm, common)
        weighed = self._weights[0] * self._a.scores.size + self._weights[1] * self._b.scores.size
        scale = max(self._a.scores.scale, self._b.scores.scale)
        self._exact = self._a.scores.exact and self._b.scores.exact and 2 * weighed * scale < 2.0**52
        self._scale = Fraction(scale if self._exact else math.ldexp(1.0, 56 - math.frexp(weighed)[1]))
        self._n_trees = len(joint.model.trees)
        alike = pair.left.voting == pair.right.voting and pair.left.n_outputs == pair.right.n_outputs
        self._in_order = joint.in_order and alike and pair.class_of == tuple(range(len(pair.class_of)))

    def __iter__(self) -> Iterator[Claim]:
        question = self.question
        if question.kind != "label" and not self._is_linear():
            claim = Claim((-1, 0))
            claim.need(np.zeros(len(self.joint.model.flat.feature), np.int64), _FAR, -_FAR)
            yield claim
            return
        for way in question.ways():
            yield self._labels(*way) if question.kind == "label" else self._numbers(*way)

    def holds(self, claim: Claim, a: Any, b: Any) -> bool:
        """Whether the models' answers are as the claim says."""
        return bool(self.question.differ(a, b)) if claim.way[0] < 0 else self.question.holds(claim.way, a, b)

    def _is_linear(self) -> bool:
        pair = self.question.pair
        return self.question.kind == "number" or "sum" not in (pair.left.voting, pair.right.voting)

    def margin(self, claim: Claim) -> float:
        """A bound on the first model's margin, per tree where trees vote, on the rows that a claim of labels holds."""
        worth = claim.worths[claim.lead]
        most = int(np.maximum.reduceat(worth, self.joint.model.flat.roots).sum()) - min(0, claim.never[claim.lead])
        return float((most + self._slack) / self._scale / self._unit)

    # ---- labels

    def _labels(self, p: int, q: int) -> Claim:
        """The first model says p, the second q."""
        a, b = self._a, self._b
        of = list(self.question.pair.class_of)
        theirs = {p: of.index(p), q: of.index(q)}
        claim = Claim((p, q))
        for other in [q, *(k for k in range(len(of)) if k not in (p, q))]:
            claim.need(*a.row(beats(a.model, p, other, None)))
            claim.need(*b.row(beats(b.model, theirs[q], of.index(p if other == q else other), None)))
        self._lead(claim, beats(a.model, p, q, None), beats(b.model, theirs[q], theirs[p], None))
        if self._in_order and a.model.tie == b.model.tie:
            self._rule_labels(claim, p, q)
        return claim

    def _lead(self, claim: Claim, first: Constraint, second: Constraint) -> None:
        wa, wb = self._weights
        worth = wa * self._a.difference(first) + wb * self._b.difference(second)
        least = Fraction(0)
        for weight, side, constraint in ((wa, self._a, first), (wb, self._b, second)):
            never = needs(constraint, side.scores)[1]
            slack = 0 if side.scores.exact else side.model.n_trees
            least += weight * Fraction(never - slack) / Fraction(side.scores.scale)
        claim.lead_by(self._whole(worth), math.floor(least * self._scale - self._slack))

    def _rule_labels(self, claim: Claim, p: int, q: int) -> None:
        base_a, base_b = self._a.scores.base, self._b.scores.base
        if self._a.model.is_binary_sum:
            sign = 1 if p == 1 else -1
            if sign * base_a[0] <= sign * base_b[0]:
                claim.rule(_signs(sign * (self._a.values[:, 0] - self._b.values[:, 0])))
        elif base_a[p] <= base_b[p] and base_b[q] <= base_a[q]:
            claim.rule(_signs(self._a.values[:, p] - self._b.values[:, p]))
            claim.rule(_signs(self._b.values[:, q] - self._a.values[:, q]))

    # ---- numbers

    def _numbers(self, column: int, sign: int) -> Claim:
        """Column ``column`` is the first to differ, and the first model's number is the greater one (sign 1)."""
        claim = Claim((column, sign))
        claim.need(*self._exceeds(column, sign))
        for earlier in self.question.earlier(column):
            for side in (1, -1):
                worth, sure, never = self._exceeds(earlier, side)
                claim.need(-worth, 1 - never, 1 - sure)
        if self._in_order:
            base = self._a.scores.base[column] - self._b.scores.base[column]
            if sign * base <= 0:
                claim.rule(_signs(sign * (self._a.values[:, column] - self._b.values[:, column])))
        return claim

    def _exceeds(self, column: int, sign: int) -> tuple[Worth, int, int]:
        """The difference of a column, times ``sign``, is greater than the tolerance: worth, sure, never."""
        wa, wb = self._weights
        other = list(self.question.pair.class_of).index(column) if self.question.pair.class_of else column
        worth = sign * (wa * self._a.values[:, column] - wb * self._b.values[:, other])
        base = wa * Fraction(float(self._a.scores.base[column])) - wb * Fraction(float(self._b.scores.base[other]))
        tolerance = self.question.tolerance
        least = (Fraction(tolerance) * self._unit - sign * base) * self._scale
        rounding = sum(
            weight * (4 if self._exact else side.model.n_trees + 16) * Fraction(side.scores.size)
            for weight, side in ((wa, self._a), (wb, self._b))
        )
        slack = self._slack + 2 * rounding * _ROUNDOFF * self._scale
        sure = math.floor(least + slack) + 1
        if self._exact and tolerance == 0.0:
            # Equal sums give equal numbers; other sums, of as many trees, other ones.
            never = math.floor(least) + 1
            return self._whole(worth), never if wa == wb else sure, never
        return self._whole(worth), sure, math.ceil(least - slack)

    @property
    def _slack(self) -> int:
        """What fixed point may lose in a weighed sum."""
        return 0 if self._exact else self._n_trees + 256

    def _whole(self, worth: NDArray[np.float64]) -> Worth:
        return np.floor(worth * float(self._scale)).astype(np.int64)


def _signs(worth: NDArray[np.float64]) -> Worth:
    return np.sign(worth).astype(np.int64)
