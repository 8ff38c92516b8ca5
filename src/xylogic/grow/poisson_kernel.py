"""Half the mean Poisson deviance of targets >= 0, for constants above 0."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython

if cython.compiled:
    from cython.cimports.libc.math import INFINITY, fabs, log1p
    from cython.cimports.xylogic.grow.criterion_kernel import APART, LEFT, RIGHT
    from cython.cimports.xylogic.grow.numbers_kernel import Numbers
else:
    from math import fabs, log1p
    from math import inf as INFINITY

    from xylogic.grow.criterion_kernel import APART, LEFT, RIGHT
    from xylogic.grow.numbers_kernel import Numbers


@cython.cclass
class Poisson(Numbers):
    """A side whose targets are all 0 has no constant above 0: such splits are not made."""

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def begin(self, rows: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        i: cython.Py_ssize_t
        x: cython.double
        w: cython.double
        self.place(rows, at, n, False)
        self.unit = 1.0 / self.step
        self.loss = 0.0
        if self.pure:
            return
        for i in range(at, at + n):
            x = self.grid[rows[i]]
            w = self.w[rows[i]] if self.weighted else 1.0
            self.loss += self.deviance(x, w, self.total / self.weight)

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def deviance(self, total: cython.double, weight: cython.double, mean: cython.double) -> cython.double:
        """What rows of this sum and weight lose by ``mean`` in place of their own: never negative, small ones exact.

        total * log(own / mean) - total + weight * mean, in d = own / mean - 1.
        """
        expected: cython.double = weight * mean
        d: cython.double = (total - expected) / expected
        if fabs(d) < 1e-3:
            return expected * d * d * (1.0 / 2.0 - d * (1.0 / 6.0 - d * (1.0 / 12.0 - d * (1.0 / 20.0 - d / 30.0))))
        return expected * ((1.0 + d) * log1p(d) - d) if d > -1.0 else expected

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def gained(
        self, left_sum: cython.double, left: cython.double, total: cython.double, weight: cython.double
    ) -> cython.double:
        if left_sum <= 0.0 or total - left_sum <= 0.0:
            return -INFINITY
        if self.bounded and not self.orderly(left_sum, left, total - left_sum, weight - left):
            return -INFINITY
        return self.deviance(left_sum, left, total / weight) + self.deviance(
            total - left_sum, weight - left, total / weight
        )

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
        p: cython.Py_ssize_t
        row: cython.int
        best: cython.Py_ssize_t = 0
        n_left: cython.Py_ssize_t = self.held_rows if way == LEFT else 0
        n_total: cython.Py_ssize_t = n + (self.held_rows if way == LEFT or way == RIGHT else 0)
        sum_left: cython.double = self.held_total if way == LEFT else 0.0
        left: cython.double = self.held_weight if way == LEFT else 0.0
        total: cython.double = self.total - (self.held_total if way == APART else 0.0)
        weight: cython.double = self.weight - (self.held_weight if way == APART else 0.0)
        gain: cython.double
        for p in range(1, n + 1 if way == RIGHT else n):
            row = order[at + p - 1]
            sum_left += self.grid[row]
            left += self.w[row] if self.weighted else 1.0
            if self.loose or codes[column + order[at + p]] != codes[column + row]:
                if self.roomy(n_left + p, left, n_total - n_left - p, weight - left):
                    gain = self.gained(sum_left, left, total, weight)
                    if gain > bar:
                        self.gain = gain
                        bar = gain + 1e-12 * self.loss
                        best = p
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def worth(
        self, left: cython.p_double, at: cython.Py_ssize_t, total: cython.p_double, of: cython.Py_ssize_t
    ) -> cython.double:
        if not self.roomy(left[at], left[at + 1], total[of] - left[at], total[of + 1] - left[at + 1]):
            return -INFINITY
        return self.gained(left[at + 2], left[at + 1], total[of + 2], total[of + 1])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def constant(self, out: cython.p_double, at: cython.Py_ssize_t) -> cython.void:
        out[at] = self.mean
