"""What a bound on the cost of changes still allows in a box."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import bit
    from cython.cimports.xylogic.search.box_kernel import Box
else:
    from xylogic.domain.machine_kernel import bit
    from xylogic.search.box_kernel import Box


@cython.cclass
class Reach(Box):
    """A :class:`Box` whose changes from the instance cost something, at most ``bound``."""

    def __init__(self, forest: object, games: object, work: object, budget: object) -> None:
        Box.__init__(self, forest, games, work, budget)
        self.bound = self.total = 0.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def own_side(self, n: cython.int) -> cython.int:
        """The side (0 left, 1 right) of node n's test that the instance takes."""
        f: cython.int = self.node_feature[n]
        s: cython.int = self.x[f]
        if self.is_set[f]:
            return self.set_words[self.node_set[n] + (s >> 6)] & bit(s & 63) == 0
        if s == self.n_values[f] and self.has_missing[f]:
            return self.node_missing[n] >> 1
        return s > self.node_cut[n]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def affordable(self) -> cython.int:
        """Whether the box costs no more than the bound; fixes the features that would make it cost more."""
        f: cython.int
        total: cython.double = 0.0
        room: cython.double
        for f in range(self.n_features):
            total += self.box_cost[f]
        self.total = total
        if total > self.bound:
            return 0
        room = self.bound * (1.0 + 1e-12) - total
        self.prepare()
        for f in range(self.n_features):
            self.loose[f] = not self.is_fixed(f) and self.holds_x(f)
            if self.loose[f] and self.step[f] > room:
                self.fix(f)
                self.loose[f] = 0
        self.settle()
        return 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def far_state(self, n: cython.int, own: cython.int) -> cython.int:
        """The cheapest state of node n's feature beyond its test, seen from the instance's side; -1 if there is none.

        Where "missing" plays a part, or states have no order, it stands for any change: the own state.
        """
        f: cython.int = self.node_feature[n]
        s: cython.int
        if self.is_set[f] or self.missing[f]:
            return self.x[f]
        if own == 0:
            s = self.next_up[self.state_at[f] + self.node_cut[n] + 1]
            return s if s <= self.hi[f] else -1
        s = self.next_down[self.state_at[f] + self.node_cut[n]]
        return s if s >= self.lo[f] else -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def own_value(self, t: cython.int, i: cython.int) -> cython.longlong:
        """The greatest value of tree t in constraint i while all loose features stay.

        Notes the tests of loose features on the way, of each feature and direction the one that is cheapest to cross.
        """
        n: cython.int = self.at[t] if self.at[t] >= 0 else ~self.at[t]
        f: cython.int
        k: cython.int
        side: cython.int
        state: cython.int
        top: cython.int = 0
        at: cython.Py_ssize_t = (self.first + i) * self.n_nodes
        most: cython.longlong = 0
        empty: cython.bint = True
        self.n_noted = 0
        while True:
            while self.node_left[n] >= 0:
                side = self.sides(n)
                f = self.node_feature[n]
                if side == 3 and self.loose[f]:
                    side = self.own_side(n)
                    state = self.far_state(n, side)
                    if state >= 0:
                        for k in range(self.n_noted):
                            if self.noted_feature[k] == f and (self.noted[k] > self.x[f]) == (state > self.x[f]):
                                if abs(state - self.x[f]) < abs(self.noted[k] - self.x[f]):
                                    self.noted[k] = state
                                state = -1
                                break
                        if state >= 0:
                            self.noted_feature[self.n_noted] = f
                            self.noted[self.n_noted] = state
                            self.n_noted += 1
                    side += 1
                elif side == 3:
                    self.stack[top] = self.node_right[n]
                    top += 1
                    side = 1
                n = self.node_left[n] if side == 1 else self.node_right[n]
            if empty or self.high_below[at + n] > most:
                most = self.high_below[at + n]
                empty = False
            if top == 0:
                return most
            top -= 1
            n = self.stack[top]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def rate(self, f: cython.int) -> cython.void:
        """From the gains at the states of loose feature f: ``gain``, all that it can bring, and ``pace``, the most
        that it brings per unit of cost. It moves up or down, not both."""
        at: cython.int = self.state_at[f]
        s: cython.int = self.x[f]
        last: cython.int
        direction: cython.int
        total: cython.double
        self.gain[f] = 0.0
        self.pace[f] = 0.0
        if self.is_set[f] or self.missing[f]:
            # The own state stands for any change, see far_state.
            self.gain[f] = self.bonus[at + s]
            self.pace[f] = self.gain[f] / max(self.step[f], 1e-200)
            self.bonus[at + s] = 0.0
            return
        for direction in range(-1, 2, 2):
            s = self.x[f]
            last = self.hi[f] if direction > 0 else self.lo[f]
            total = 0.0
            while s != last:
                s += direction
                if self.bonus[at + s] > 0.0:
                    total += self.bonus[at + s]
                    self.bonus[at + s] = 0.0
                    self.pace[f] = max(self.pace[f], total / max(self.cost[at + s], 1e-200))
            self.gain[f] = max(self.gain[f], total)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def within_reach(self, i: cython.int) -> cython.bint:
        """Whether constraint i could hold after the changes that the bound still pays for.

        A tree's value grows only if a loose feature crosses a test on the way that the tree takes while all loose
        features stay. So each feature brings at most the gains of the trees where it crosses such a test, and what
        all of them bring within the bound is a knapsack, of which a fractional optimum is taken.
        """
        t: cython.int
        f: cython.int
        k: cython.int
        best: cython.int
        picks: cython.int
        u: cython.Py_ssize_t
        gain: cython.longlong
        total: cython.longlong = self.high_sum[i]
        room: cython.double = self.bound * (1.0 + 1e-12) - self.total
        reach: cython.double
        for t in range(self.n_trees):
            if self.mask[t] == 0 or not self.is_small[t]:
                continue
            u = i * self.n_trees + t
            gain = self.high[u] - self.own_value(t, i)
            if gain > 0:
                total -= gain
                for k in range(self.n_noted):
                    self.bonus[self.state_at[self.noted_feature[k]] + self.noted[k]] += gain
        for f in range(self.n_features):
            self.gain[f] = 0.0
            if self.loose[f]:
                self.rate(f)
        reach = cython.cast(cython.double, total)
        for picks in range(64):
            best = -1
            for f in range(self.n_features):
                if self.gain[f] > 0.0 and (best < 0 or self.pace[f] > self.pace[best]):
                    best = f
            if best < 0:
                return reach + 1e-9 * abs(reach) + 1.0 >= self.never[self.first + i]
            if self.gain[best] > self.pace[best] * room:
                reach += self.pace[best] * room
                return reach + 1e-9 * abs(reach) + 1.0 >= self.never[self.first + i]
            reach += self.gain[best]
            room -= self.gain[best] / self.pace[best]
            self.gain[best] = 0.0
        return True
