"""What the grower asks of a criterion; each criterion is a class derived from this one.

A node's loss is its weight times its impurity, and a split's gain is how much of it the two sides save. Gains are
counted in ``unit``s, which may differ from node to node.

A side of a split is a row of doubles: its number of rows, its weight, and ``width`` sums. Where the criterion is
``additive`` (all but the absolute error) its loss is known from these.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import doubles
else:
    from xylogic.domain.machine_kernel import doubles

# Where a sweep counts the rows whose value is missing: there are none; left; right; on neither side.
NONE = 0
LEFT = 1
RIGHT = 2
APART = 3


@cython.cclass
class Criterion:
    """Losses and gains of one node at a time; ``weights`` is float64 by row, whole or on a grid, or ``None``."""

    def __init__(
        self, weights: object, n_outputs: cython.int, min_rows: cython.Py_ssize_t, min_weight: cython.double
    ) -> None:
        self.keep = {"w": np.zeros(1) if weights is None else weights}
        self.w = doubles(self.keep["w"])
        self.weighted = weights is not None
        self.n_outputs = n_outputs
        self.width = 1
        self.additive = True
        self.keep["side"] = np.zeros(2 + n_outputs)
        self.side = doubles(self.keep["side"])
        self.min_rows = min_rows
        self.min_weight = min_weight
        self.n_rows = self.held_rows = 0
        self.weight = self.loss = self.held_weight = self.gain = 0.0
        self.unit = 1.0
        self.pure = False
        # Whether constants must keep an order (of the sides: ``sign`` 1 up, -1 down, 0 none) and bounds.
        self.bounded = False
        # Whether a sweep may find a boundary between equal codes: they are looked up where it matters.
        self.loose = False
        # Whether no split gains more than the node's loss.
        self.capped = True
        # The feature that is being searched.
        self.feature = -1
        self.cuts_few = self.cuts_others = False
        # Whether a side's sums are the same whichever node is looked at, and exact.
        self.lasting = False
        self.levels = 0
        self.sign = 0
        self.lower = -np.inf
        self.upper = np.inf

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def weigh(self, rows: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.double:
        """The weight of ``rows[at:at + n]``."""
        i: cython.Py_ssize_t
        total: cython.double = 0.0
        if not self.weighted:
            return n
        for i in range(at, at + n):
            total += self.w[rows[i]]
        return total

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def roomy(
        self, n_left: cython.double, left: cython.double, n_right: cython.double, right: cython.double
    ) -> cython.bint:
        """Whether both sides have the rows and the weight that a leaf must have."""
        return (
            n_left >= self.min_rows
            and n_right >= self.min_rows
            and n_left > 0
            and n_right > 0
            and left >= self.min_weight
            and right >= self.min_weight
        )

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def ranked(self, left: cython.double, right: cython.double) -> cython.bint:
        """Whether the sides' constants lie within the bounds, and in the order that ``sign`` wants."""
        if self.sign * left > self.sign * right:
            return False
        return min(left, right) >= self.lower and max(left, right) <= self.upper

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def enter(self, nodes: cython.p_int, node: cython.int, parent: cython.int) -> cython.void:
        """Told, before ``begin``, which node comes next; ``nodes``: see Frontier. The root has the parent -1."""

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def begin(self, rows: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        """Turn to the node of ``rows[at:at + n]``; all else is asked of it. The rows ascend."""

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def hold(self, rows: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        """Set ``rows[at:at + n]`` aside: they are missing in what ``sweep`` is called on next."""

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sweep(
        self,
        order: cython.p_int,
        at: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        codes: cython.p_int,
        column: cython.Py_ssize_t,
        way: cython.int,
        bar: cython.double,
    ) -> cython.Py_ssize_t:
        """The first p for which splitting ``order[at:at + p]`` from the rest gains clearly the most, more than ``bar``.

        ``order[at:at + n]`` are the node's rows by ascending ``codes[column + row]``, without those set aside, which
        go ``way``; only boundaries between different codes count (with ``loose``: all), and, with RIGHT, the end. 0 if
        there is none; else the gain is in ``gain``. O(n).
        """
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def collect(
        self,
        rows: cython.p_int,
        at: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        codes: cython.p_int,
        column: cython.Py_ssize_t,
        table: cython.p_double,
    ) -> cython.void:
        """Add each of ``rows[at:at + n]``, the node's, to the side ``codes[column + row]`` in ``table``. O(n).

        The weights may be left out where all are 1.
        """

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def tally(
        self,
        rows: cython.p_int,
        at: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        codes: cython.p_uchar,
        n_columns: cython.Py_ssize_t,
        begin: cython.int,
        end: cython.int,
        first: cython.p_int,
        table: cython.p_double,
    ) -> cython.void:
        """``collect`` of the columns ``begin`` to ``end`` - 1 at once: ``table`` has the sides of each from ``first``.

        ``codes`` has ``n_columns`` bytes for each row. The numbers of rows may be left out where all weights are 1.
        Where the criterion is ``lasting``, the rows may be those of any node.
        """

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sweep_groups(
        self, order: cython.p_int, ends: cython.p_int, n_groups: cython.int, way: cython.int, bar: cython.double
    ) -> cython.int:
        """``sweep`` over groups of rows, those of equal codes: the number of groups left of the best boundary.

        Group k ends before ``order[ends[k]]``. Asked of criteria that are not additive or of more than one sum.
        """
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def cut_few(
        self,
        rows: cython.p_int,
        at: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        codes: cython.p_uchar,
        n_columns: cython.Py_ssize_t,
        column: cython.int,
        bar: cython.double,
    ) -> cython.int:
        """The level below a column's best cut, -1 if there is none: for few rows, where the criterion ``cuts_few``.

        There are at most 64 levels, missing ones among them; they are as good as any other here. ``levels`` tells
        which of them the rows have, as bits.
        """
        return -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def cut_others(
        self,
        rows: cython.p_int,
        at: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        keys: cython.p_uint,
        m: cython.Py_ssize_t,
        common: cython.uint,
        bar: cython.double,
    ) -> cython.Py_ssize_t:
        """``sweep`` over the node's rows by their codes, of which only ``m`` are listed, where it ``cuts_others``.

        ``keys`` ascend: a code in the upper 16 bits, and which of ``rows[at:]`` has it in the lower ones. All other
        rows have the code ``common``. How many rows go left of the best cut, 0 if there is none. O(m).
        """
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def beyond(
        self,
        rows: cython.p_int,
        at: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        codes: cython.p_int,
        column: cython.Py_ssize_t,
        last: cython.int,
        side: cython.p_double,
    ) -> cython.void:
        """Fill ``side`` for those of the node's rows ``rows[at:at + n]`` whose code is above ``last``. O(n)."""

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sum_up(self, side: cython.p_double) -> cython.void:
        """Fill ``side`` for all rows of the node."""

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def worth(
        self, left: cython.p_double, at: cython.Py_ssize_t, total: cython.p_double, of: cython.Py_ssize_t
    ) -> cython.double:
        """The gain of splitting the side at ``left[at]`` off that at ``total[of]``; -inf where a limit forbids it."""
        return 0.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def cuts(
        self,
        table: cython.p_double,
        at: cython.Py_ssize_t,
        present: cython.p_int,
        n_present: cython.int,
        missing: cython.int,
        total: cython.p_double,
        way: cython.int,
        bar: cython.double,
    ) -> cython.int:
        """``sweep`` over levels: the number of ``present`` ones to the left of the best cut, 0 if there is none.

        ``table[at:]`` has a side for each level and for the ``missing`` one, ``total`` is that of all.
        """
        i: cython.int
        j: cython.int
        stride: cython.int = 2 + self.width
        gain: cython.double
        best: cython.int = 0
        for j in range(stride):
            self.side[j] = table[at + missing * stride + j] if way == LEFT else 0.0
        for i in range(n_present if way == RIGHT else n_present - 1):
            for j in range(stride):
                self.side[j] += table[at + present[i] * stride + j]
            gain = self.worth(self.side, 0, total, 0)
            if gain > bar:
                self.gain = gain
                bar = gain + 1e-12 * self.loss
                best = i + 1
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def share(self, level: cython.p_double, at: cython.Py_ssize_t) -> cython.double:
        """What categories are ordered by."""
        return 0.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def constant(self, out: cython.p_double, at: cython.Py_ssize_t) -> cython.void:
        """Write the node's best constant, ``n_outputs`` numbers, to ``out[at:]``."""
