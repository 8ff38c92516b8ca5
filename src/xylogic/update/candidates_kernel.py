"""The boundaries of a sweep that gain enough in loss to be looked at for another reason."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import doubles, ints
    from cython.cimports.xylogic.grow.classes_kernel import Classes
    from cython.cimports.xylogic.grow.criterion_kernel import Criterion
    from cython.cimports.xylogic.grow.squares_kernel import Squares
else:
    from xylogic.domain.machine_kernel import doubles, ints
    from xylogic.grow.classes_kernel import Classes
    from xylogic.grow.criterion_kernel import Criterion
    from xylogic.grow.squares_kernel import Squares


@cython.cclass
class Candidates(Criterion):
    """Lists boundaries by the gains of ``loss``, which is Squares or Classes; ``columns``: see grow/columns.py."""

    def __init__(self, loss: object, columns: object, weights: object) -> None:
        Criterion.__init__(self, weights, loss.n_outputs, loss.min_rows, loss.min_weight)
        self.inner = loss
        self.squares = loss if isinstance(loss, Squares) else None
        self.classes = loss if isinstance(loss, Classes) else None
        self.width = loss.width
        self.additive = loss.additive
        self.n_all = columns.codes.shape[1]
        self.keep["columns"] = columns
        self.keep["codes"] = columns.codes.reshape(-1)
        self.keep["places"] = np.zeros(self.n_all + 1, np.int32)
        self.keep["listed"] = np.zeros(self.n_all + 1)
        self.codes = ints(self.keep["codes"])
        self.places = ints(self.keep["places"])
        self.listed = doubles(self.keep["listed"])
        self.single_class = False

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def list_squares(
        self, order: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t, bar: cython.double
    ) -> cython.Py_ssize_t:
        """List the boundaries that gain more than ``bar`` in loss: ``places``, and gains in ``listed``."""
        p: cython.Py_ssize_t
        row: cython.int
        column: cython.Py_ssize_t = self.feature * self.n_all
        n_listed: cython.Py_ssize_t = 0
        first: cython.Py_ssize_t = max(self.min_rows, 1)
        last: cython.Py_ssize_t = n - first
        weight: cython.double = self.weight
        mean: cython.double = self.squares.total / weight
        sum_left: cython.double = 0.0
        left: cython.double = 0.0
        d: cython.double
        grid: cython.p_double = self.squares.grid
        w: cython.p_double = self.w
        weighted: cython.bint = self.weighted
        codes: cython.p_int = self.codes
        for p in range(1, last + 1):
            row = order[at + p - 1]
            sum_left += grid[row]
            left += w[row] if weighted else 1.0
            d = sum_left - left * mean
            if d * d * weight > bar * (left * (weight - left)):
                if p < first or codes[column + order[at + p]] == codes[column + row]:
                    continue
                if left < self.min_weight or weight - left < self.min_weight:
                    continue
                self.places[n_listed] = cython.cast(cython.int, p)
                self.listed[n_listed] = d * d * weight / (left * (weight - left))
                n_listed += 1
        return n_listed

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def list_classes(
        self, order: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t, bar: cython.double
    ) -> cython.Py_ssize_t:
        """``list_squares`` for classes, and for nodes whose rows are alike, where no boundary gains in loss."""
        p: cython.Py_ssize_t
        k: cython.int
        row: cython.int
        column: cython.Py_ssize_t = self.feature * self.n_all
        n_listed: cython.Py_ssize_t = 0
        first: cython.Py_ssize_t = max(self.min_rows, 1)
        last: cython.Py_ssize_t = n - first
        weight: cython.double = self.weight
        left: cython.double = 0.0
        w: cython.double = 1.0
        gain: cython.double = 0.0
        counts: cython.p_double = self.listed
        n_classes: cython.int = 0
        alike: cython.bint = self.single_class
        codes: cython.p_int = self.codes
        if not alike:
            n_classes = self.classes.n_classes
            counts = self.classes.left
            for k in range(n_classes):
                counts[k] = 0.0
        for p in range(1, last + 1):
            row = order[at + p - 1]
            if self.weighted:
                w = self.w[row]
            left += w
            if not alike:
                counts[self.classes.y[row]] += w
            if p < first or codes[column + order[at + p]] == codes[column + row]:
                continue
            if left < self.min_weight or weight - left < self.min_weight:
                continue
            if not alike:
                gain = (
                    self.loss
                    - self.classes.lost(counts, 0, counts, n_classes, left)
                    - self.classes.lost(self.classes.count, 0, counts, 0, weight - left)
                )
                if gain < self.classes.grain:
                    gain = 0.0
            if gain > bar:
                self.places[n_listed] = cython.cast(cython.int, p)
                self.listed[n_listed] = gain
                n_listed += 1
        return n_listed
