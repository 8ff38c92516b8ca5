"""Surrogate splits: tests of other features that stand in for a node's own where its value is missing.

The rules are CART's (Breiman et al. 1984, 5.3) as rpart has them (Therneau and Atkinson, "An introduction to recursive
partitioning using the RPART routines", section 5).
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import doubles, ints, small
    from cython.cimports.xylogic.grow.column_kernel import BINNED, CATEGORY, SORTED
    from cython.cimports.xylogic.grow.criterion_kernel import LEFT, RIGHT
    from cython.cimports.xylogic.grow.frontier_kernel import FEATURE, N_INTS, WAY
    from cython.cimports.xylogic.grow.grower_kernel import Grower
else:
    from xylogic.domain.machine_kernel import doubles, ints, small
    from xylogic.grow.column_kernel import BINNED, CATEGORY, SORTED
    from xylogic.grow.criterion_kernel import LEFT, RIGHT
    from xylogic.grow.frontier_kernel import FEATURE, N_INTS, WAY
    from xylogic.grow.grower_kernel import Grower

# The columns of the table of surrogates that are whole numbers ...
NODE = cython.declare(cython.int, 0)
OF = cython.declare(cython.int, 1)
FLIP = cython.declare(cython.int, 2)
SIDES_AT = cython.declare(cython.int, 3)
N_WHOLE = cython.declare(cython.int, 4)
# ... and numbers.
AGREE = cython.declare(cython.int, 0)
ADJUSTED = cython.declare(cython.int, 1)
UPTO = cython.declare(cython.int, 2)
N_REAL = cython.declare(cython.int, 3)


@cython.cclass
class SurrogateGrower(Grower):
    """Grows a tree and finds the surrogates of each split, best first, at most ``most`` of them.

    ``found`` holds them afterwards: ``ints`` (n_found, N_WHOLE), ``doubles`` (n_found, N_REAL) and ``sides``. Numbers
    up to UPTO go left, or right if FLIP; of categories ``sides`` has each level's side at SIDES_AT: 1 left, 0 right,
    2 none. AGREE: of all weight with a known value of the node's own feature, the part that a surrogate sends to the
    same side; ADJUSTED: the same less the larger side's part, relative to the smaller side's.
    """

    def __init__(self, columns: object, criterion: object, rows, order, options: object, seed, budget: object) -> None:
        Grower.__init__(self, columns, criterion, rows, order, options, seed, budget)
        self.most = min(options.max_surrogates, max(0, self.n_features - 1))
        self.n_found = self.n_sides = self.found_room = self.sides_room = 0
        self.lost = False
        kind = np.asarray(columns.kind)
        n_codes = np.asarray(columns.n_codes)
        widest: cython.Py_ssize_t = int(n_codes[kind == CATEGORY].max(initial=0)) + 1
        few: cython.Py_ssize_t = int(n_codes[(kind == CATEGORY) | (kind == BINNED)].max(initial=0)) + 1
        self.found = {
            "ints": np.zeros(0, np.int32),
            "doubles": np.zeros(0),
            "sides": np.zeros(0, np.uint8),
        }
        self.arrays["by_code"] = np.zeros(4 * few)
        self.arrays["node_sides"] = np.zeros((self.most + 1) * widest, np.uint8)
        self.arrays["best"] = np.zeros((self.most + 1) * N_WHOLE, np.int32)
        self.arrays["score"] = np.zeros((self.most + 1) * N_REAL)
        self.arrays["table"] = np.require(columns.table, np.float64, ["C", "W"]).reshape(-1)
        self.arrays["lowest"] = columns.lowest
        self.widest = widest
        self.by_code = doubles(self.arrays["by_code"])
        self.node_sides = small(self.arrays["node_sides"])
        self.best = ints(self.arrays["best"])
        self.score = doubles(self.arrays["score"])
        self.table = doubles(self.arrays["table"])
        self.lowest = doubles(self.arrays["lowest"])
        self.make_room()

    @cython.cfunc
    def make_room(self):
        """Room for twice as many surrogates, and for those of one more node in any case."""
        try:
            for name, width in (("ints", N_WHOLE), ("doubles", N_REAL)):
                more = np.zeros((self.found_room + self.most + 1) * width, self.found[name].dtype)
                self.found[name] = np.concatenate([self.found[name], more])
            more = np.zeros(self.sides_room + (self.most + 1) * self.widest, np.uint8)
            self.found["sides"] = np.concatenate([self.found["sides"], more])
        except MemoryError:
            self.lost = True
            return
        self.found_room = 2 * self.found_room + self.most + 1
        self.sides_room = 2 * self.sides_room + (self.most + 1) * self.widest
        self.found_at = ints(self.found["ints"])
        self.doubles_found = doubles(self.found["doubles"])
        self.sides_at = small(self.found["sides"])

    def grow(self) -> None:
        Grower.grow(self)
        if self.lost:
            raise MemoryError("no memory for the surrogates of a tree")

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def settle(self, node: cython.int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        """Rows whose value is missing go where the first surrogate with a known value sends them, else with most."""
        i: cython.Py_ssize_t
        f: cython.int
        row: cython.int
        n_best: cython.int = 0
        primary: cython.int = self.nodes.ints[cython.cast(cython.Py_ssize_t, node) * N_INTS + FEATURE]
        w: cython.double
        missing: cython.bint = False
        self.on_left = self.on_right = 0.0
        for i in range(at, at + n):
            row = self.rows[i]
            w = self.criterion.w[row] if self.criterion.weighted else 1.0
            if self.side[row] == 1:
                self.on_left += w
            elif self.side[row] == 0:
                self.on_right += w
            else:
                missing = True
        self.nodes.ints[cython.cast(cython.Py_ssize_t, node) * N_INTS + WAY] = (
            LEFT if self.on_left >= self.on_right else RIGHT
        )
        if self.most > 0 and not self.lost:
            for f in range(self.n_features):
                if f != primary:
                    n_best = self.rank(f, at, n, n_best)
        if missing:
            for i in range(at, at + n):
                row = self.rows[i]
                if self.side[row] == 2:
                    self.side[row] = self.stand_in(row, n_best)
        self.keep_best(node, n_best)

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def stand_in(self, row: cython.int, n_best: cython.int) -> cython.uchar:
        """The side that the surrogates send a row to; the larger one if none of them knows."""
        k: cython.int
        f: cython.int
        code: cython.int
        side: cython.uchar
        x: cython.double
        for k in range(n_best):
            f = self.best[k * N_WHOLE + OF]
            code = self.codes[f * self.n_all + row]
            if code == self.n_codes[f]:
                continue
            if self.kind[f] == CATEGORY:
                side = self.node_sides[k * self.widest + code]
                if side == 2:
                    continue
                return side
            x = self.table[cython.cast(cython.Py_ssize_t, row) * self.n_features + f]
            return 1 if (x <= self.score[k * N_REAL + UPTO]) != (self.best[k * N_WHOLE + FLIP] != 0) else 0
        return 1 if self.on_left >= self.on_right else 0

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def rank(self, f: cython.int, at: cython.Py_ssize_t, n: cython.Py_ssize_t, n_best: cython.int) -> cython.int:
        """Put the best test of a feature in its place among the best of the node; how many these are then."""
        k: cython.int
        last: cython.int = self.most
        agree: cython.double
        # The last place is where a test is written first.
        self.best[last * N_WHOLE + OF] = f
        if self.kind[f] == CATEGORY:
            agree = self.by_level(f, at, n)
        elif self.kind[f] == BINNED:
            agree = self.by_value(f, at, n)
        elif self.kind[f] == SORTED:
            agree = self.by_row(f, self.order, self.slot[f] * self.n_rows + at, n)
        else:
            self.sort_rows(f, at, n)
            agree = self.by_row(f, self.scratch, 0, n)
        if agree - max(self.on_left, self.on_right) <= 1e-10 * min(self.on_left, self.on_right):
            return n_best
        self.score[last * N_REAL + AGREE] = agree
        k = min(n_best, self.most - 1)
        if n_best == self.most and agree <= self.score[k * N_REAL + AGREE]:
            return n_best
        while k > 0 and self.score[(k - 1) * N_REAL + AGREE] < agree:
            self.copy(k - 1, k)
            k -= 1
        self.copy(last, k)
        return min(n_best + 1, self.most)

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def copy(self, place: cython.int, to: cython.int) -> cython.void:
        """Write one of the best tests to another place."""
        j: cython.Py_ssize_t
        for j in range(N_WHOLE):
            self.best[to * N_WHOLE + j] = self.best[place * N_WHOLE + j]
        for j in range(N_REAL):
            self.score[to * N_REAL + j] = self.score[place * N_REAL + j]
        for j in range(self.widest):
            self.node_sides[to * self.widest + j] = self.node_sides[place * self.widest + j]

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def by_row(self, f: cython.int, order: cython.p_int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.double:
        """The greatest weight that a cut of ``order[at:at + n]`` sends to the same side; 0 if there is no cut."""
        i: cython.Py_ssize_t
        row: cython.int
        code: cython.int
        before: cython.int = -1
        last: cython.int = 0
        column: cython.Py_ssize_t = f * self.n_all
        left: cython.double = 0.0
        right: cython.double = 0.0
        up_left: cython.double = 0.0
        up_right: cython.double = 0.0
        found: cython.double = 0.0
        low: cython.double
        high: cython.double
        w: cython.double
        n_both: cython.Py_ssize_t = 0
        n_up: cython.Py_ssize_t = 0
        for i in range(at, at + n):
            row = order[i]
            if self.side[row] == 2 or self.codes[column + row] == self.n_codes[f]:
                continue
            w = self.criterion.w[row] if self.criterion.weighted else 1.0
            n_both += 1
            if self.side[row] == 1:
                left += w
            else:
                right += w
        for i in range(at, at + n):
            row = order[i]
            code = self.codes[column + row]
            if self.side[row] == 2 or code == self.n_codes[f]:
                continue
            if code != before and n_up >= 2 and n_both - n_up >= 2:
                low = self.table[cython.cast(cython.Py_ssize_t, last) * self.n_features + f]
                high = self.table[cython.cast(cython.Py_ssize_t, row) * self.n_features + f]
                found = self.better(found, left, right, up_left, up_right, low, high)
            w = self.criterion.w[row] if self.criterion.weighted else 1.0
            n_up += 1
            if self.side[row] == 1:
                up_left += w
            else:
                up_right += w
            before = code
            last = row
        return found

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def better(
        self,
        found: cython.double,
        left: cython.double,
        right: cython.double,
        up_left: cython.double,
        up_right: cython.double,
        low: cython.double,
        high: cython.double,
    ) -> cython.double:
        """Note the cut between two values if it agrees on more weight than ``found``; the greater of both."""
        straight: cython.double = up_left + (right - up_right)
        flipped: cython.double = up_right + (left - up_left)
        middle: cython.double = low / 2.0 + high / 2.0
        if straight <= found and flipped <= found:
            return found
        self.score[self.most * N_REAL + UPTO] = middle if low <= middle and middle < high else low
        self.best[self.most * N_WHOLE + FLIP] = 1 if flipped > straight else 0
        return max(straight, flipped)

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def tabulate(self, f: cython.int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Fill ``by_code`` with the weight and number of rows on each side, code by code; how many rows there are."""
        i: cython.Py_ssize_t
        row: cython.int
        code: cython.int
        column: cython.Py_ssize_t = f * self.n_all
        n_both: cython.Py_ssize_t = 0
        for i in range(4 * cython.cast(cython.Py_ssize_t, self.n_codes[f])):
            self.by_code[i] = 0.0
        for i in range(at, at + n):
            row = self.rows[i]
            code = self.codes[column + row]
            if self.side[row] == 2 or code == self.n_codes[f]:
                continue
            self.by_code[4 * code + self.side[row]] += self.criterion.w[row] if self.criterion.weighted else 1.0
            self.by_code[4 * code + 2 + self.side[row]] += 1.0
            n_both += 1
        return n_both

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def by_value(self, f: cython.int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.double:
        """``by_row`` where there are few values."""
        code: cython.int
        before: cython.int = -1
        left: cython.double = 0.0
        right: cython.double = 0.0
        up_left: cython.double = 0.0
        up_right: cython.double = 0.0
        n_up: cython.double = 0.0
        here: cython.double
        low: cython.double
        high: cython.double
        found: cython.double = 0.0
        n_both: cython.Py_ssize_t = self.tabulate(f, at, n)
        for code in range(self.n_codes[f]):
            right += self.by_code[4 * code]
            left += self.by_code[4 * code + 1]
        for code in range(self.n_codes[f]):
            here = self.by_code[4 * code + 2] + self.by_code[4 * code + 3]
            if here == 0.0:
                continue
            if n_up >= 2 and n_both - n_up >= 2:
                low = self.values[self.value_at[f] + before]
                high = self.lowest[self.value_at[f] + code]
                found = self.better(found, left, right, up_left, up_right, low, high)
            n_up += here
            up_right += self.by_code[4 * code]
            up_left += self.by_code[4 * code + 1]
            before = code
        return found

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def by_level(self, f: cython.int, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.double:
        """The weight that agrees where each level goes to the side of most of its weight; 0 without two rows a side."""
        code: cython.int
        side: cython.int
        right: cython.double
        left: cython.double
        found: cython.double = 0.0
        n_left: cython.double = 0.0
        n_right: cython.double = 0.0
        to: cython.Py_ssize_t = self.most * self.widest
        self.tabulate(f, at, n)
        for code in range(self.n_codes[f]):
            right = self.by_code[4 * code]
            left = self.by_code[4 * code + 1]
            side = 2 if left + right == 0.0 else 1 if left >= right else 0
            self.node_sides[to + code] = cython.cast(cython.uchar, side)
            if side == 1:
                n_left += self.by_code[4 * code + 2] + self.by_code[4 * code + 3]
            elif side == 0:
                n_right += self.by_code[4 * code + 2] + self.by_code[4 * code + 3]
            found += max(left, right)
        return found if n_left >= 2 and n_right >= 2 else 0.0

    @cython.cfunc
    @cython.nogil
    @cython.final
    @cython.exceptval(check=False)
    def keep_best(self, node: cython.int, n_best: cython.int) -> cython.void:
        """Write down the surrogates of a node."""
        k: cython.int
        j: cython.int
        f: cython.int
        to: cython.Py_ssize_t
        agree: cython.double
        fewer: cython.double = min(self.on_left, self.on_right)
        if n_best == 0:
            return
        if self.n_found + n_best > self.found_room or self.n_sides + n_best * self.widest > self.sides_room:
            with cython.gil:
                self.make_room()
            if self.lost:
                return
        for k in range(n_best):
            f = self.best[k * N_WHOLE + OF]
            to = self.n_found * N_WHOLE
            self.found_at[to + NODE] = node
            self.found_at[to + OF] = f
            self.found_at[to + FLIP] = self.best[k * N_WHOLE + FLIP]
            self.found_at[to + SIDES_AT] = -1
            if self.kind[f] == CATEGORY:
                self.found_at[to + FLIP] = 0
                self.score[k * N_REAL + UPTO] = 0.0
                self.found_at[to + SIDES_AT] = cython.cast(cython.int, self.n_sides)
                for j in range(self.n_codes[f]):
                    self.sides_at[self.n_sides + j] = self.node_sides[k * self.widest + j]
                self.n_sides += self.n_codes[f]
            to = self.n_found * N_REAL
            agree = self.score[k * N_REAL + AGREE]
            self.doubles_found[to + AGREE] = agree / (self.on_left + self.on_right)
            self.doubles_found[to + ADJUSTED] = (agree - max(self.on_left, self.on_right)) / fewer
            self.doubles_found[to + UPTO] = self.score[k * N_REAL + UPTO]
            self.n_found += 1
