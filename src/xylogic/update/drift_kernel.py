"""What the cuts of a sweep gain in dissimilarity to an old tree's explanations, by running sums."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython

if cython.compiled:
    from cython.cimports.libc.math import fabs
    from cython.cimports.xylogic.domain.machine_kernel import bit, lowest_bit
    from cython.cimports.xylogic.update.old_leaves_kernel import JLU, MSE, OldLeaves
else:
    from math import fabs

    from xylogic.domain.machine_kernel import bit, lowest_bit
    from xylogic.update.old_leaves_kernel import JLU, MSE, OldLeaves


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

        O(1) a row and a cut, and one walk over the old leaves.
        """
        if self.kind == JLU:
            self.trace_sets(f, order, at, places, n_cuts, gains)
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
        f: cython.int,
        order: cython.p_int,
        at: cython.Py_ssize_t,
        places: cython.p_int,
        n_cuts: cython.Py_ssize_t,
        gains: cython.p_double,
    ) -> cython.void:
        """All rows get a lower bound at first; each that is passed gets an upper one in its place."""
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        k: cython.int
        below: cython.double
        leaf: cython.p_int = self.leaf
        relied: cython.p_double = self.relied
        change: cython.p_double = self.change
        gained: cython.double = 0.0
        for i in range(self.n_here):
            k = self.here[i]
            below = self.gain_below(f, k)
            gained += self.held[k] * below
            change[k] = self.gain_above(f, k) - below
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
        cell: cython.Py_ssize_t
        m: cython.Py_ssize_t = self.n_features
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
            lowers += held[k] * lower[k * m + f]
        i = at
        for c in range(n_cuts):
            while i < at + places[c]:
                k = leaf[order[i]]
                if k >= 0:
                    w = relied[order[i]]
                    cell = k * m + f
                    left += w
                    uppers += w * upper[cell]
                    right -= w
                    lowers -= w * lower[cell]
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
        """``slope`` * v + ``level`` sums up the distances from the cut v, ``before`` those from the node's own bounds.

        A leaf's lower bound is passed before any of its rows, its upper bound after all of them: old bounds turn from
        above the cut to below it with all of the leaf's weight.
        """
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        k: cython.int
        w: cython.double
        v: cython.double
        cell: cython.Py_ssize_t
        m: cython.Py_ssize_t = self.n_features
        leaf: cython.p_int = self.leaf
        relied: cython.p_double = self.relied
        held: cython.p_double = self.held
        lower: cython.p_double = self.lower
        upper: cython.p_double = self.upper
        edge: cython.p_double = self.edge
        low: cython.double = self.low[f]
        high: cython.double = self.high[f]
        slope: cython.double = 0.0
        level: cython.double = 0.0
        before: cython.double = 0.0
        n_lowers: cython.int = self.list_edges(f, self.lower_edge, self.lowers, self.of_lowers)
        n_uppers: cython.int = self.list_edges(f, self.upper_edge, self.uppers, self.of_uppers)
        next_lower: cython.int = 0
        next_upper: cython.int = 0
        for i in range(self.n_here):
            k = self.here[i]
            cell = k * m + f
            slope -= held[k]
            level += held[k] * lower[cell]
            before += held[k] * fabs(low - lower[cell])
        i = at
        for c in range(n_cuts):
            v = cuts[c]
            while next_lower < n_lowers and edge[self.lowers[next_lower]] <= v:
                w = 2.0 * self.of_lowers[next_lower]
                slope += w
                level -= w * edge[self.lowers[next_lower]]
                next_lower += 1
            while i < at + places[c]:
                k = leaf[order[i]]
                if k >= 0:
                    w = relied[order[i]]
                    cell = k * m + f
                    slope -= 2.0 * w
                    level += w * (lower[cell] + upper[cell])
                    before += w * (fabs(high - upper[cell]) - fabs(low - lower[cell]))
                i += 1
            while next_upper < n_uppers and edge[self.uppers[next_upper]] < v:
                w = 2.0 * self.of_uppers[next_upper]
                slope += w
                level -= w * edge[self.uppers[next_upper]]
                next_upper += 1
            gains[c] = before - (slope * v + level)

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def list_edges(
        self, f: cython.int, edge_of: cython.p_int, edges: cython.p_int, weights: cython.p_double
    ) -> cython.int:
        """The bounds of the old leaves here, ascending and each once, and the weight of the leaves that have it."""
        i: cython.int
        e: cython.int
        k: cython.int
        n: cython.int = 0
        first: cython.int = self.first_edge[f]
        n_words: cython.int = (self.first_edge[f + 1] - first + 63) >> 6
        word: cython.ulonglong
        met: cython.pointer[cython.ulonglong] = self.met
        at_edge: cython.p_double = self.at_edge
        held: cython.p_double = self.held
        for i in range(n_words):
            met[i] = 0
        for i in range(self.n_here):
            k = self.here[i]
            e = edge_of[cython.cast(cython.Py_ssize_t, k) * self.n_features + f]
            word = bit(e & 63)
            if met[e >> 6] & word:
                at_edge[e] += held[k]
            else:
                met[e >> 6] |= word
                at_edge[e] = held[k]
        for i in range(n_words):
            word = met[i]
            while word:
                e = 64 * i + lowest_bit(word)
                word &= word - 1
                edges[n] = first + e
                weights[n] = at_edge[e]
                n += 1
        return n
