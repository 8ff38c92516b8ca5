"""Tables of sums by level, those of nodes that wait among them: a child's are its parent's without its sibling's."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import doubles, ints
else:
    from xylogic.domain.machine_kernel import doubles, ints


@cython.cclass
class Tables:
    """Tables of ``size`` numbers. Table 0 is always there; 1 to ``n_tables`` are lent."""

    def __init__(self, size: cython.Py_ssize_t, n_tables: cython.int) -> None:
        self.size = size
        self.n_free = n_tables
        self.keep = {
            "numbers": np.zeros((n_tables + 1) * size),
            "free": np.arange(n_tables, -1, -1, dtype=np.int32),
        }
        self.numbers = doubles(self.keep["numbers"])
        self.free = ints(self.keep["free"])

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def at(self, table: cython.int) -> cython.p_double:
        """Where a table begins."""
        begin: cython.Py_ssize_t = table * self.size
        if cython.compiled:
            return cython.address(self.numbers[begin])
        else:
            return self.numbers[begin : begin + self.size]

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def borrow(self) -> cython.int:
        """A table that nobody has, 0 if all are lent."""
        if self.n_free == 0:
            return 0
        self.n_free -= 1
        return self.free[self.n_free]

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def give_back(self, table: cython.int) -> cython.void:
        """Take back a table that was lent; 0 is not."""
        if table > 0:
            self.free[self.n_free] = table
            self.n_free += 1

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def subtract(self, whole: cython.int, part: cython.int, n: cython.Py_ssize_t) -> cython.void:
        """Take the first ``n`` numbers of a table off those of another."""
        i: cython.Py_ssize_t
        numbers: cython.p_double = self.at(whole)
        less: cython.p_double = self.at(part)
        for i in range(n):
            numbers[i] -= less[i]
