"""The cuts that growth makes, as numbers in the measure of explanations."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import doubles, ints, longs
    from cython.cimports.xylogic.grow.column_kernel import BINNED
    from cython.cimports.xylogic.grow.freeze_kernel import between, single_below
else:
    from xylogic.domain.machine_kernel import doubles, ints, longs
    from xylogic.grow.column_kernel import BINNED
    from xylogic.grow.freeze_kernel import between, single_below


@cython.cclass
class Cuts:
    """Of ``columns``, without missing values and categories: see grow/columns.py.

    ``single`` or ``wide`` is their table, the other one is empty. ``lowest``, ``scale``: a cut's number is how many
    deviations, ``scale``, it is above its column's least value.
    """

    def __init__(
        self,
        columns: object,
        single: cython.const[cython.float][:, :],
        wide: cython.const[cython.double][:, :],
        lowest: object,
        scale: object,
    ) -> None:
        self.single = single
        self.wide = wide
        self.is_single = columns.is_single
        self.n_rows = columns.codes.shape[1]
        self.keep = {
            "columns": columns,
            "codes": columns.codes.reshape(-1),
            "highest_with": np.array(columns.values),
            "lowest_with": np.array(columns.lowest),
            "lowest": np.array(lowest, dtype=np.float64),
            "scale": np.array(scale, dtype=np.float64),
        }
        self.codes = ints(self.keep["codes"])
        self.kind = ints(columns.kind)
        self.value_at = longs(columns.value_at)
        self.highest_with = doubles(self.keep["highest_with"])
        self.lowest_with = doubles(self.keep["lowest_with"])
        self.lowest = doubles(self.keep["lowest"])
        self.scale = doubles(self.keep["scale"])

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def between_rows(self, f: cython.int, below: cython.int, above: cython.int) -> cython.double:
        """The number of the cut between two rows."""
        column: cython.Py_ssize_t = f * self.n_rows
        if self.kind[f] == BINNED:
            below, above = self.codes[column + below], self.codes[column + above]
        return self.between(f, below, above)

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def between(self, f: cython.int, below: cython.int, above: cython.int) -> cython.double:
        """The number of the cut that grow/freeze_kernel.py makes between two rows, or codes of a BINNED column."""
        cut: cython.double
        if self.kind[f] == BINNED:
            cut = between(self.highest_with[self.value_at[f] + below], self.lowest_with[self.value_at[f] + above])
        elif self.is_single:
            cut = between(float(self.single[below, f]), float(self.single[above, f]))
        else:
            cut = between(self.wide[below, f], self.wide[above, f])
        if self.is_single:
            cut = float(single_below(cut))
        return (cut * 0.5 - self.lowest[f] * 0.5) / self.scale[f] * 2.0  # halves, lest a difference overflow
