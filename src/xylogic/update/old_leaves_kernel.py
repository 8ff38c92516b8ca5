"""The leaves of an old tree at a node of the growing one, and what bounds gain at most in being close to theirs.

Rows of one leaf of the old tree have one old explanation, so that all that is asked of a row is its old leaf. The
measures are those of "Backward Compatibility in Tree-Based Explanations and Enhanced CART Algorithm".
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import bits, doubles, ints, small
else:
    from xylogic.domain.machine_kernel import bits, doubles, ints, small

# The measures.
JAC = 0
JLU = 1
MAE = 2
MSE = 3

# The sides of an interval that have a bound.
BELOW = 1
ABOVE = 2


@cython.cclass
class OldLeaves:
    """Gains are counted in weight times dissimilarity, MAE and MSE without the division by twice the features.

    ``old``: see update/gain.py. Numbers of columns are in deviations above the least value of the column.
    """

    def __init__(self, old: object, n_nodes: cython.Py_ssize_t) -> None:
        n_leaves: cython.int = old.sides.shape[0]
        n_features: cython.int = old.sides.shape[1]
        n_edges: cython.int = old.first_edge[n_features]
        self.kind = old.kind
        self.pooled = old.pooled
        self.n_features = n_features
        self.keep = {
            "leaf": old.leaf,
            "relied": old.relied,
            "sides": old.sides.reshape(-1),
            "n_below": ((old.sides & BELOW) > 0).sum(axis=1).astype(np.int32),
            "n_above": ((old.sides & ABOVE) > 0).sum(axis=1).astype(np.int32),
            "n_any": (old.sides > 0).sum(axis=1).astype(np.int32),
            "lower": old.lower.reshape(-1),
            "upper": old.upper.reshape(-1),
            "edge": old.edge,
            "first_edge": old.first_edge,
            "lower_edge": old.lower_edge.reshape(-1),
            "upper_edge": old.upper_edge.reshape(-1),
            "top": old.top,
            "parent": np.empty(n_nodes + 1, np.int32),
            "tested": np.empty(n_nodes + 1, np.int32),
            "cut": np.empty(n_nodes + 1),
            "here": np.zeros(n_leaves + 1, np.int32),
            "held": np.zeros(n_leaves + 1),
            "touched": np.zeros(n_features + 1, np.int32),
            "bounded": np.zeros(n_features + 1, np.uint8),
            "low": np.zeros(n_features + 1),
            "high": np.array(old.top),
            "shared": np.zeros(4 * n_leaves + 1),
            "most": np.zeros(n_features + 1),
            "steady": np.zeros(n_features + 1, np.uint8),
            "change": np.zeros(n_leaves + 1),
            "met": np.zeros(n_edges // 64 + 1, np.uint64),
            "at_edge": np.zeros(n_edges + 1),
            "lowers": np.zeros(n_leaves + 1, np.int32),
            "uppers": np.zeros(n_leaves + 1, np.int32),
            "of_lowers": np.zeros(n_leaves + 1),
            "of_uppers": np.zeros(n_leaves + 1),
        }
        self.leaf = ints(self.keep["leaf"])
        self.relied = doubles(self.keep["relied"])
        self.sides = small(self.keep["sides"])
        self.n_below = ints(self.keep["n_below"])
        self.n_above = ints(self.keep["n_above"])
        self.n_any = ints(self.keep["n_any"])
        self.lower = doubles(self.keep["lower"])
        self.upper = doubles(self.keep["upper"])
        self.edge = doubles(self.keep["edge"])
        self.first_edge = ints(self.keep["first_edge"])
        self.lower_edge = ints(self.keep["lower_edge"])
        self.upper_edge = ints(self.keep["upper_edge"])
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
        self.most = doubles(self.keep["most"])
        self.steady = small(self.keep["steady"])
        self.change = doubles(self.keep["change"])
        self.met = bits(self.keep["met"])
        self.at_edge = doubles(self.keep["at_edge"])
        self.lowers = ints(self.keep["lowers"])
        self.uppers = ints(self.keep["uppers"])
        self.of_lowers = doubles(self.keep["of_lowers"])
        self.of_uppers = doubles(self.keep["of_uppers"])
        self.n_here = self.n_touched = 0
        self.node = 0

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
        self.find_most()

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
        for i in range(self.n_here):
            k = self.here[i]
            below = above = both = 0
            for j in range(self.n_touched):
                f = self.touched[j]
                own = self.sides[k * self.n_features + f]
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
    def find_most(self) -> cython.void:
        """For each feature, in ``most``: no split by it gains more, and where it is ``steady`` all gain this.

        O(features * old leaves at the node).
        """
        f: cython.int
        i: cython.int
        m: cython.int = self.n_features
        cell: cython.Py_ssize_t
        weight: cython.double
        below: cython.double
        above: cython.double
        most: cython.p_double = self.most
        low: cython.p_double = self.low
        high: cython.p_double = self.high
        lower: cython.p_double = self.lower
        upper: cython.p_double = self.upper
        for f in range(m):
            most[f] = 0.0
            self.steady[f] = self.kind <= JLU
        for i in range(self.n_here):
            cell = cython.cast(cython.Py_ssize_t, self.here[i]) * m
            weight = self.held[self.here[i]]
            if self.kind == JAC:
                below = weight * self.shared[4 * self.here[i]]
                above = weight * self.shared[4 * self.here[i] + 1]
                for f in range(m):
                    most[f] += below if self.sides[cell + f] else above
            elif self.kind == JLU:
                for f in range(m):
                    below = self.gain_below(f, self.here[i])
                    above = self.gain_above(f, self.here[i])
                    most[f] += weight * max(below, above)
                    self.steady[f] &= above == below
            elif self.kind == MAE:
                for f in range(m):
                    most[f] += weight * max(high[f] - upper[cell + f], lower[cell + f] - low[f], 0.0)
            else:
                for f in range(m):
                    above = max(high[f] - upper[cell + f], lower[cell + f] - low[f], 0.0)
                    most[f] += weight * above * above
        if self.kind == JAC:
            for i in range(self.n_touched):
                most[self.touched[i]] = 0.0

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def gain_below(self, f: cython.int, k: cython.int) -> cython.double:
        """How much nearer, by JLU, a row of old leaf k comes when it gets a lower bound of a feature."""
        cell: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, k) * self.n_features + f
        if self.bounded[f] & BELOW:
            return 0.0
        return self.shared[4 * k + (0 if self.sides[cell] & BELOW else 1)]

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def gain_above(self, f: cython.int, k: cython.int) -> cython.double:
        """The same of an upper bound."""
        cell: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, k) * self.n_features + f
        if self.bounded[f] & ABOVE:
            return 0.0
        return self.shared[4 * k + (2 if self.sides[cell] & ABOVE else 3)]
