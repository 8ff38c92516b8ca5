"""Losses around medians of what lies on either side of many boundaries, from sums over buckets of the targets.

A node's rows by target are cut into buckets. How many rows of each group a bucket has, and their sum, is found in one
pass; then the bucket that a side's median lies in, and the median within it, takes O(sqrt(n)) for each boundary.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import doubles, ints
else:
    from xylogic.domain.machine_kernel import doubles, ints

MOST = cython.declare(cython.int, 256)  # groups
BUCKETS = cython.declare(cython.int, 256)


@cython.cclass
class Medians:
    """``value`` of places 1 to n ascends, in whole numbers of which sums are exact; all rows weigh the same."""

    def __init__(self, n: cython.Py_ssize_t) -> None:
        self.keep = {
            "group_at": np.zeros(n + 2, np.int32),
            "counts": np.zeros((MOST + 1) * (BUCKETS + 1)),
            "sums": np.zeros((MOST + 1) * (BUCKETS + 1)),
            "count": np.zeros(2 * BUCKETS + 2),
            "sum": np.zeros(2 * BUCKETS + 2),
        }
        self.group_at = ints(self.keep["group_at"])
        self.counts = doubles(self.keep["counts"])
        self.sums = doubles(self.keep["sums"])
        self.count = doubles(self.keep["count"])
        self.sum = doubles(self.keep["sum"])
        self.shift = self.n_buckets = 0

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def pays(self, n: cython.Py_ssize_t, n_groups: cython.int) -> cython.bint:
        """Whether this is faster than to go through all rows in order of their groups."""
        return n_groups < MOST and n >= 12 * n_groups + 100

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def summed(self, value: cython.p_double, n: cython.Py_ssize_t, n_groups: cython.int) -> cython.void:
        """Fill the buckets from ``group_at``; none has been moved to the left yet."""
        i: cython.Py_ssize_t
        b: cython.Py_ssize_t
        cell: cython.Py_ssize_t
        self.shift = 3
        while (n >> self.shift) >= BUCKETS or (n >> self.shift) > 2 << self.shift:
            self.shift += 1
        self.n_buckets = (n >> self.shift) + 1
        for i in range(self.n_buckets * (n_groups + 1)):
            self.counts[i] = self.sums[i] = 0.0
        for b in range(self.n_buckets):
            self.count[b] = self.sum[b] = 0.0
            self.count[BUCKETS + b] = self.sum[BUCKETS + b] = 0.0
        for i in range(1, n + 1):
            b = i >> self.shift
            cell = self.group_at[i] * self.n_buckets + b
            self.counts[cell] += 1.0
            self.sums[cell] += value[i]
        cell = 0
        for i in range(n_groups + 1):
            for b in range(self.n_buckets):
                self.count[BUCKETS + b] += self.counts[cell + b]
                self.sum[BUCKETS + b] += self.sums[cell + b]
            cell += self.n_buckets

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def loss(
        self, value: cython.p_double, n: cython.Py_ssize_t, group: cython.int, right: cython.bint
    ) -> cython.double:
        """The loss of the groups up to ``group``, or of those above: their distance to their median."""
        b: cython.Py_ssize_t
        i: cython.Py_ssize_t
        of: cython.Py_ssize_t = BUCKETS if right else 0
        n_all: cython.double = 0.0
        total: cython.double = 0.0
        below: cython.double = 0.0
        sum_below: cython.double = 0.0
        for b in range(of, of + self.n_buckets):
            n_all += self.count[b]
            total += self.sum[b]
        if n_all == 0.0:
            return 0.0
        b = of
        while 2.0 * (below + self.count[b]) < n_all:
            below += self.count[b]
            sum_below += self.sum[b]
            b += 1
        i = max((b - of) << self.shift, 1)
        while True:
            if (self.group_at[i] > group) == right:
                if 2.0 * (below + 1.0) >= n_all:
                    break
                below += 1.0
                sum_below += value[i]
            i += 1
        return (total - sum_below) - sum_below - value[i] * (n_all - 2.0 * below)

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def move(self, group: cython.int) -> cython.void:
        """Move a group to the left."""
        b: cython.Py_ssize_t
        cell: cython.Py_ssize_t = group * self.n_buckets
        for b in range(self.n_buckets):
            self.count[b] += self.counts[cell + b]
            self.sum[b] += self.sums[cell + b]
            self.count[BUCKETS + b] -= self.counts[cell + b]
            self.sum[BUCKETS + b] -= self.sums[cell + b]
