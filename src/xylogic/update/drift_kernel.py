"""What the cuts of a sweep gain in dissimilarity to an old tree's explanations, by running sums."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython

if cython.compiled:
    from cython.cimports.libc.math import fabs
    from cython.cimports.xylogic.update.old_leaves_kernel import ABOVE, BELOW, JLU, MSE, OldLeaves
else:
    from math import fabs

    from xylogic.update.old_leaves_kernel import ABOVE, BELOW, JLU, MSE, OldLeaves


@cython.cclass
class Drift(OldLeaves):
    """``OldLeaves`` that goes through candidates."""

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def trace(
        self,
        f: cython.int,
        order: cython.p_int,
        at: cython.Py_ssize_t,
        places: cython.p_int,
        cuts: cython.p_double,
        n_cuts: cython.Py_ssize_t,
        gains: cython.p_double,
    ) -> cython.void:
        """Fill ``gains`` for ascending cuts, each between ``order[at + places - 1]`` and the row after it.

        ``f`` is the feature that ``most`` was asked of last. O(1) a row and a cut, and one walk over the old leaves.
        """
        if self.kind == JLU:
            self.trace_sets(order, at, places, n_cuts, gains)
        elif self.kind == MSE:
            self.trace_squares(f, order, at, places, cuts, n_cuts, gains)
        else:
            self.trace_distances(f, order, at, places, cuts, n_cuts, gains)

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def trace_sets(
        self,
        order: cython.p_int,
        at: cython.Py_ssize_t,
        places: cython.p_int,
        n_cuts: cython.Py_ssize_t,
        gains: cython.p_double,
    ) -> cython.void:
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        k: cython.int
        leaf: cython.p_int = self.leaf
        relied: cython.p_double = self.relied
        change: cython.p_double = self.change
        gained: cython.double = self.base
        i = at
        for c in range(n_cuts):
            while i < at + places[c]:
                k = leaf[order[i]]
                if k >= 0:
                    gained += relied[order[i]] * change[k]
                i += 1
            gains[c] = gained

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def trace_squares(
        self,
        f: cython.int,
        order: cython.p_int,
        at: cython.Py_ssize_t,
        places: cython.p_int,
        cuts: cython.p_double,
        n_cuts: cython.Py_ssize_t,
        gains: cython.p_double,
    ) -> cython.void:
        """With four running sums: weights, and weights times old bounds, on either side."""
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        k: cython.int
        w: cython.double
        v: cython.double
        leaf: cython.p_int = self.leaf
        relied: cython.p_double = self.relied
        held: cython.p_double = self.held
        cell: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, f) * self.n_leaves
        lower: cython.p_double = self.lower
        upper: cython.p_double = self.upper
        low: cython.double = self.low[f]
        high: cython.double = self.high[f]
        left: cython.double = 0.0
        right: cython.double = 0.0
        uppers: cython.double = 0.0
        lowers: cython.double = 0.0
        for i in range(self.n_here):
            k = self.here[i]
            right += held[k]
            lowers += held[k] * lower[cell + k]
        i = at
        for c in range(n_cuts):
            while i < at + places[c]:
                k = leaf[order[i]]
                if k >= 0:
                    w = relied[order[i]]
                    left += w
                    uppers += w * upper[cell + k]
                    right -= w
                    lowers -= w * lower[cell + k]
                i += 1
            v = cuts[c]
            gains[c] = (high - v) * (left * (high + v) - 2.0 * uppers) + (low - v) * (right * (low + v) - 2.0 * lowers)

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def trace_distances(
        self,
        f: cython.int,
        order: cython.p_int,
        at: cython.Py_ssize_t,
        places: cython.p_int,
        cuts: cython.p_double,
        n_cuts: cython.Py_ssize_t,
        gains: cython.p_double,
    ) -> cython.void:
        """The distance to an old bound is v less it where the cut has passed it, else the reverse.

        ``slope`` * v + ``level`` sums up the distances from the cut, ``before`` those from the node's own bounds.
        """
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        k: cython.int
        w: cython.double
        v: cython.double
        bound: cython.double
        leaf: cython.p_int = self.leaf
        relied: cython.p_double = self.relied
        held: cython.p_double = self.held
        left: cython.p_double = self.left
        passed: cython.p_uchar = self.passed
        by_lower: cython.p_int = self.by_lower
        by_upper: cython.p_int = self.by_upper
        n_leaves: cython.Py_ssize_t = self.n_leaves
        cell: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, f) * n_leaves
        lower: cython.p_double = self.lower
        upper: cython.p_double = self.upper
        low: cython.double = self.low[f]
        high: cython.double = self.high[f]
        slope: cython.double = 0.0
        level: cython.double = 0.0
        before: cython.double = 0.0
        next_lower: cython.Py_ssize_t = cell
        next_upper: cython.Py_ssize_t = cell
        for i in range(self.n_here):
            k = self.here[i]
            left[k] = 0.0
            passed[k] = 0
            slope -= held[k]
            level += held[k] * lower[cell + k]
            before += held[k] * fabs(low - lower[cell + k])
        i = at
        for c in range(n_cuts):
            v = cuts[c]
            while i < at + places[c]:
                k = leaf[order[i]]
                if k >= 0:
                    w = relied[order[i]]
                    left[k] += w
                    before += w * (fabs(high - upper[cell + k]) - fabs(low - lower[cell + k]))
                    bound = -w if passed[k] & BELOW else w
                    slope += bound
                    level -= bound * lower[cell + k]
                    bound = w if passed[k] & ABOVE else -w
                    slope += bound
                    level -= bound * upper[cell + k]
                i += 1
            while next_lower < cell + n_leaves and lower[cell + by_lower[next_lower]] <= v:
                k = by_lower[next_lower]
                next_lower += 1
                if held[k] > 0.0:
                    passed[k] |= BELOW
                    w = 2.0 * (held[k] - left[k])
                    slope += w
                    level -= w * lower[cell + k]
            while next_upper < cell + n_leaves and upper[cell + by_upper[next_upper]] <= v:
                k = by_upper[next_upper]
                next_upper += 1
                if held[k] > 0.0:
                    passed[k] |= ABOVE
                    w = 2.0 * left[k]
                    slope += w
                    level -= w * upper[cell + k]
            gains[c] = before - (slope * v + level)
