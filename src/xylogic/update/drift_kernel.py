"""What splits gain in dissimilarity to an old tree's explanations, one node and one feature at a time.

Rows of one leaf of the old tree have one old explanation, so that all that is asked of a row is its old leaf. The
equations are those of "Backward Compatibility in Tree-Based Explanations and Enhanced CART Algorithm".
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.libc.math import fabs
    from cython.cimports.xylogic.domain.machine_kernel import doubles, ints, small
else:
    from math import fabs

    from xylogic.domain.machine_kernel import doubles, ints, small

# The measures.
JAC = 0
JLU = 1
MAE = 2
MSE = 3

# The sides of an interval that have a bound.
BELOW = 1
ABOVE = 2


@cython.cclass
class Drift:
    """Gains are counted in weight times dissimilarity, MAE and MSE without the division by twice the features.

    ``old``: see update/gain.py. Numbers of columns are in deviations above the least value of the column.
    """

    def __init__(self, old: object, n_nodes: cython.Py_ssize_t) -> None:
        n_features: cython.int = old.sides.shape[0]
        n_leaves: cython.int = old.sides.shape[1]
        self.kind = old.kind
        self.pooled = old.pooled
        self.n_features = n_features
        self.n_leaves = n_leaves
        self.keep = {
            "leaf": old.leaf,
            "relied": old.relied,
            "sides": old.sides.reshape(-1),
            "used": old.used,
            "n_below": ((old.sides & BELOW) > 0).sum(axis=0).astype(np.int32),
            "n_above": ((old.sides & ABOVE) > 0).sum(axis=0).astype(np.int32),
            "n_any": (old.sides > 0).sum(axis=0).astype(np.int32),
            "lower": old.lower.reshape(-1),
            "upper": old.upper.reshape(-1),
            "by_lower": old.by_lower.reshape(-1),
            "by_upper": old.by_upper.reshape(-1),
            "top": old.top,
            "parent": np.zeros(n_nodes + 1, np.int32),
            "tested": np.zeros(n_nodes + 1, np.int32),
            "cut": np.zeros(n_nodes + 1),
            "here": np.zeros(n_leaves + 1, np.int32),
            "held": np.zeros(n_leaves + 1),
            "touched": np.zeros(n_features + 1, np.int32),
            "bounded": np.zeros(n_features + 1, np.uint8),
            "low": np.zeros(n_features + 1),
            "high": np.array(old.top),
            "shared": np.zeros(4 * n_leaves + 1),
            "change": np.zeros(n_leaves + 1),
            "left": np.zeros(n_leaves + 1),
            "passed": np.zeros(n_leaves + 1, np.uint8),
        }
        self.leaf = ints(self.keep["leaf"])
        self.relied = doubles(self.keep["relied"])
        self.sides = small(self.keep["sides"])
        self.used = small(self.keep["used"])
        self.n_below = ints(self.keep["n_below"])
        self.n_above = ints(self.keep["n_above"])
        self.n_any = ints(self.keep["n_any"])
        self.lower = doubles(self.keep["lower"])
        self.upper = doubles(self.keep["upper"])
        self.by_lower = ints(self.keep["by_lower"])
        self.by_upper = ints(self.keep["by_upper"])
        self.top = doubles(self.keep["top"])
        self.parent = ints(self.keep["parent"])
        self.tested = ints(self.keep["tested"])
        self.cut = doubles(self.keep["cut"])
        self.here = ints(self.keep["here"])
        self.held = doubles(self.keep["held"])
        self.touched = ints(self.keep["touched"])
        self.bounded = small(self.keep["bounded"])
        self.low = doubles(self.keep["low"])
        self.high = doubles(self.keep["high"])
        self.shared = doubles(self.keep["shared"])
        self.change = doubles(self.keep["change"])
        self.left = doubles(self.keep["left"])
        self.passed = small(self.keep["passed"])
        self.n_here = self.n_touched = 0
        self.node = 0
        self.steady = False
        self.outside = self.base = 0.0
        # Of a sweep; those named ``far`` are of bounds that the cut has not passed.
        self.f = 0
        self.cell = 0
        self.gained = self.before = 0.0
        self.left_weight = self.left_bounds = self.right_weight = self.right_bounds = 0.0
        self.far_left_weight = self.far_left_bounds = self.far_right_weight = self.far_right_bounds = 0.0
        self.next_lower = self.next_upper = 0

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def enter(
        self, node: cython.int, parent: cython.int, f: cython.int, on_left: cython.bint, cut: cython.double
    ) -> cython.void:
        """Turn to ``node``, on this side of its parent's test; the root has the parent -1."""
        self.node = node
        self.parent[node] = parent
        self.tested[node] = 2 * f + on_left
        self.cut[node] = cut

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def turn(self, rows: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        """Find the box of the node, and how much of ``rows[at:at + n]``, its rows, each old leaf has."""
        i: cython.Py_ssize_t
        j: cython.int
        k: cython.int
        leaf: cython.p_int = self.leaf
        held: cython.p_double = self.held
        relied: cython.p_double = self.relied
        for j in range(self.n_here):
            held[self.here[j]] = 0.0
        self.n_here = 0
        for i in range(at, at + n):
            k = leaf[rows[i]]
            if k >= 0:
                if held[k] == 0.0:
                    self.here[self.n_here] = k
                    self.n_here += 1
                held[k] += relied[rows[i]]
        self.find_box()
        if self.kind <= JLU:
            self.weigh_sets()

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def find_box(self) -> cython.void:
        """From the tests above the node; of each side of a feature the nearest one is the tightest."""
        j: cython.int
        f: cython.int
        side: cython.int
        node: cython.int = self.node
        for j in range(self.n_touched):
            f = self.touched[j]
            self.bounded[f] = 0
            self.low[f] = 0.0
            self.high[f] = self.top[f]
        self.n_touched = 0
        while self.parent[node] >= 0:
            f = self.tested[node] >> 1
            side = ABOVE if self.tested[node] & 1 else BELOW
            if self.bounded[f] == 0:
                self.touched[self.n_touched] = f
                self.n_touched += 1
            if not self.bounded[f] & side:
                self.bounded[f] |= side
                if side == ABOVE:
                    self.high[f] = self.cut[node]
                else:
                    self.low[f] = self.cut[node]
            node = self.parent[node]

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def weigh_sets(self) -> cython.void:
        """What one more element gains against each old leaf: in ``shared``, four numbers a leaf.

        Below and above, each where the old explanation has the element and where it has not.
        """
        i: cython.int
        j: cython.int
        k: cython.int
        f: cython.int
        own: cython.int
        both: cython.int
        n_below: cython.int = 0
        n_above: cython.int = 0
        below: cython.int
        above: cython.int
        for j in range(self.n_touched):
            own = self.bounded[self.touched[j]]
            n_below += own & BELOW
            n_above += (own & ABOVE) >> 1
        self.outside = 0.0
        for i in range(self.n_here):
            k = self.here[i]
            below = above = both = 0
            for j in range(self.n_touched):
                f = self.touched[j]
                own = self.sides[f * self.n_leaves + k]
                both += own > 0
                own &= self.bounded[f]
                below += own & BELOW
                above += (own & ABOVE) >> 1
            if self.kind == JAC:
                self.gain_of_element(4 * k, both, self.n_any[k] + self.n_touched - both, 1.0)
            elif self.pooled:
                both = below + above
                own = self.n_below[k] + self.n_above[k] + n_below + n_above - both
                self.gain_of_element(4 * k, both, own, 1.0)
                self.gain_of_element(4 * k + 2, both, own, 1.0)
            else:
                self.gain_of_element(4 * k, below, self.n_below[k] + n_below - below, 0.5)
                self.gain_of_element(4 * k + 2, above, self.n_above[k] + n_above - above, 0.5)
            self.outside += self.held[k] * self.shared[4 * k + 1]

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def gain_of_element(
        self, at: cython.Py_ssize_t, both: cython.int, either: cython.int, share: cython.double
    ) -> cython.void:
        """The fall of a Jaccard distance when the new set gets an element, which the old one has, or has not.

        ``both`` elements are in both sets, ``either`` in at least one.
        """
        n: cython.double = either
        if either == 0:
            self.shared[at] = 0.0
            self.shared[at + 1] = -share
            return
        self.shared[at] = share / n
        self.shared[at + 1] = -share * both / (n * (n + 1.0))

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def most(self, f: cython.int) -> cython.double:
        """No split by a feature gains more; where ``steady``, all gain this. O(old leaves at the node)."""
        i: cython.int
        k: cython.int
        own: cython.int = self.bounded[f]
        cell: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, f) * self.n_leaves
        below: cython.double
        above: cython.double
        total: cython.double = 0.0
        low: cython.double = self.low[f]
        high: cython.double = self.high[f]
        sides: cython.p_uchar = self.sides
        held: cython.p_double = self.held
        shared: cython.p_double = self.shared
        self.steady = False
        if self.kind == JAC:
            self.steady = True
            if own:
                return 0.0
            total = self.outside
            if self.used[f]:
                for i in range(self.n_here):
                    k = self.here[i]
                    if sides[cell + k]:
                        total += held[k] * (shared[4 * k] - shared[4 * k + 1])
            return total
        if self.kind == JLU:
            if self.pooled and not self.used[f] and not own:
                self.steady = True
                return self.outside
            self.base = 0.0
            self.steady = True
            for i in range(self.n_here):
                k = self.here[i]
                below = above = 0.0
                if not own & BELOW:
                    below = shared[4 * k + (0 if sides[cell + k] & BELOW else 1)]
                if not own & ABOVE:
                    above = shared[4 * k + 2 + (0 if sides[cell + k] & ABOVE else 1)]
                self.base += held[k] * below
                self.change[k] = above - below
                self.steady = self.steady and above == below
                total += held[k] * max(below, above)
            return total
        if not self.used[f]:
            return 0.0
        for i in range(self.n_here):
            k = self.here[i]
            above = max(high - self.upper[cell + k], 0.0)
            below = max(self.lower[cell + k] - low, 0.0)
            above = max(above, below)
            total += held[k] * (above * above if self.kind == MSE else above)
        return total

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def start(self, f: cython.int) -> cython.void:
        """Begin a sweep over a feature that ``most`` was asked of last: all rows are right of the cut."""
        i: cython.int
        k: cython.int
        lower: cython.double
        self.f = f
        self.cell = cython.cast(cython.Py_ssize_t, f) * self.n_leaves
        self.gained = self.base
        self.left_weight = self.left_bounds = self.right_weight = self.right_bounds = 0.0
        self.far_left_weight = self.far_left_bounds = self.far_right_weight = self.far_right_bounds = 0.0
        self.before = 0.0
        self.next_lower = self.next_upper = 0
        if self.kind == JLU:
            return
        for i in range(self.n_here):
            k = self.here[i]
            lower = self.lower[self.cell + k]
            self.left[k] = 0.0
            self.passed[k] = 0
            if self.kind == MSE:
                self.right_weight += self.held[k]
                self.right_bounds += self.held[k] * lower
            else:
                self.far_right_weight += self.held[k]
                self.far_right_bounds += self.held[k] * lower
                self.before += self.held[k] * fabs(self.low[f] - lower)

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def cross(self, row: cython.int) -> cython.void:
        """The row comes to the left of the cut."""
        k: cython.int = self.leaf[row]
        w: cython.double
        lower: cython.double
        upper: cython.double
        if k < 0:
            return
        w = self.relied[row]
        if self.kind == JLU:
            self.gained += w * self.change[k]
            return
        lower = self.lower[self.cell + k]
        upper = self.upper[self.cell + k]
        if self.kind == MSE:
            self.left_weight += w
            self.left_bounds += w * upper
            self.right_weight -= w
            self.right_bounds -= w * lower
            return
        self.left[k] += w
        self.before += w * (fabs(self.high[self.f] - upper) - fabs(self.low[self.f] - lower))
        if self.passed[k] & BELOW:
            self.right_weight -= w
            self.right_bounds -= w * lower
        else:
            self.far_right_weight -= w
            self.far_right_bounds -= w * lower
        if self.passed[k] & ABOVE:
            self.left_weight += w
            self.left_bounds += w * upper
        else:
            self.far_left_weight += w
            self.far_left_bounds += w * upper

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def gain(self, v: cython.double) -> cython.double:
        """What the cut at ``v`` gains, between the rows that have crossed and the others; cuts have to ascend.

        O(1), and all cuts together one walk over the old leaves for MAE.
        """
        high: cython.double = self.high[self.f]
        low: cython.double = self.low[self.f]
        if self.kind == JLU:
            return self.gained
        if self.kind == MSE:
            return (high - v) * (self.left_weight * (high + v) - 2.0 * self.left_bounds) + (low - v) * (
                self.right_weight * (low + v) - 2.0 * self.right_bounds
            )
        self.advance(v)
        return self.before - (
            v * (self.left_weight + self.right_weight - self.far_left_weight - self.far_right_weight)
            - (self.left_bounds + self.right_bounds)
            + (self.far_left_bounds + self.far_right_bounds)
        )

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def advance(self, v: cython.double) -> cython.void:
        """Note which old bounds the cut has passed: of those the distance is v less the bound, of others the reverse."""
        k: cython.int
        w: cython.double
        bound: cython.double
        while self.next_lower < self.n_leaves:
            k = self.by_lower[self.cell + self.next_lower]
            bound = self.lower[self.cell + k]
            if bound > v:
                break
            self.next_lower += 1
            if self.held[k] > 0.0:
                self.passed[k] |= BELOW
                w = self.held[k] - self.left[k]
                self.far_right_weight -= w
                self.far_right_bounds -= w * bound
                self.right_weight += w
                self.right_bounds += w * bound
        while self.next_upper < self.n_leaves:
            k = self.by_upper[self.cell + self.next_upper]
            bound = self.upper[self.cell + k]
            if bound > v:
                break
            self.next_upper += 1
            if self.held[k] > 0.0:
                self.passed[k] |= ABOVE
                w = self.left[k]
                self.far_left_weight -= w
                self.far_left_bounds -= w * bound
                self.left_weight += w
                self.left_bounds += w * bound
