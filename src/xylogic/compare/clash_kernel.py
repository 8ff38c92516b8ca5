"""Boxes of cells in which two models answer as a claim says: branch and bound over the forest of both.

The first rows of the claim's game must hold (``n_needed``). One more, the *lead*, follows from these together: what
both models share cancels in it, so that it bounds best and shows where they differ. The last ones, *rules*, refute a
box where no tree brings anything to any of them.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython

if cython.compiled:
    from cython.cimports.xylogic.search.dive_kernel import Search
else:
    from xylogic.search.dive_kernel import Search

NONE = cython.declare(cython.int, 0)  # no cell of a box is claimed
SURE = cython.declare(cython.int, 1)  # every cell is
OPEN = cython.declare(cython.int, 2)


@cython.cclass
class Clash:
    """One claim's search. ``decide()`` says of a box in which every tree is down to one leaf whether it is claimed;
    ``sink()`` takes a claimed box, and ends the search by answering true. Boxes are disjoint.

    ``whole``: only boxes are taken in which every tree is down to one leaf.
    """

    search: Search
    n_needed: cython.int
    lead: cython.int
    first_rule: cython.int
    n_rules: cython.int
    whole: cython.bint
    decide: object
    sink: object
    undecided: cython.bint

    def __init__(
        self,
        search: Search,
        n_needed: cython.int,
        lead: cython.int,
        first_rule: cython.int,
        n_rules: cython.int,
        whole: cython.bint,
        decide: object,
        sink: object,
    ) -> None:
        self.search = search
        self.n_needed = n_needed
        self.lead = lead
        self.first_rule = first_rule
        self.n_rules = n_rules
        self.whole = whole
        self.decide = decide
        self.sink = sink
        self.undecided = False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def judge(self) -> cython.int:
        i: cython.int
        state: cython.int = SURE
        for i in range(self.search.n_active):
            if self.search.high_sum[i] < self.search.never[self.search.first + i]:
                return NONE
        for i in range(self.n_needed):
            if self.search.low_sum[i] < self.search.sure[self.search.first + i]:
                state = OPEN
        if state == OPEN and self.n_rules and self.is_ruled_out():
            return NONE
        return state

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_ruled_out(self) -> cython.bint:
        i: cython.int
        t: cython.int
        for i in range(self.first_rule, self.first_rule + self.n_rules):
            for t in range(self.search.n_trees):
                if self.search.high[i * self.search.n_trees + t] > 0:
                    return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def focus(self) -> cython.int:
        """The row to decide next: the lead while trees differ in it, then the one of the least room."""
        i: cython.int
        best: cython.int = 0
        room: cython.longlong
        least: cython.longlong = 0
        some: cython.bint = False
        if self.lead >= 0 and self.search.high_sum[self.lead] > self.search.low_sum[self.lead]:
            return self.lead
        for i in range(self.n_needed):
            if self.search.low_sum[i] < self.search.sure[self.search.first + i]:
                room = self.search.high_sum[i] - self.search.never[self.search.first + i]
                if not some or room < least:
                    some = True
                    least = room
                    best = i
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def choose(self) -> cython.int:
        """The node to branch on: the test that weighs most in the row in focus; -1 when every tree is at a leaf."""
        t: cython.int
        k: cython.int
        n: cython.int
        test: cython.int
        best: cython.int = -1
        n_touched: cython.int = 0
        weight: cython.longlong
        most: cython.longlong = 0
        row: cython.int = self.focus()
        at: cython.Py_ssize_t = row * self.search.n_trees
        for t in range(self.search.n_trees):
            if self.search.mask[t] and self.search.low[at + t] != self.search.high[at + t]:
                n = self.search.at[t]
                if n < 0:
                    n = self.search.crossing(t, row)
                    self.search.at[t] = n
                test = self.search.node_test[n]
                if self.search.votes[test] == 0:
                    self.search.touched[n_touched] = test
                    n_touched += 1
                weight = self.search.votes[test] + self.search.high[at + t] - self.search.low[at + t]
                self.search.votes[test] = weight
                if weight > most:
                    most = weight
                    best = n
        for k in range(n_touched):
            self.search.votes[self.search.touched[k]] = 0
        return best if best >= 0 else self.undecided_node()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def undecided_node(self) -> cython.int:
        t: cython.int
        n: cython.int
        for t in range(self.search.n_trees):
            n = self.search.lowest(t)
            if self.search.node_left[n] >= 0:
                return n
        return -1

    @cython.cfunc
    def settled(self) -> cython.int:
        return SURE if self.decide() else NONE

    @cython.cfunc
    def taken(self) -> cython.int:
        self.undecided = False
        return 1 if self.sink() else 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def dive(self) -> cython.int:
        n: cython.int
        k: cython.longlong
        stop: cython.int
        state: cython.int = self.judge()
        while True:
            self.undecided = state != NONE
            if state == OPEN or (state == SURE and self.whole):
                self.search.tick()
                n = self.choose() if state == OPEN else self.undecided_node()
                if n >= 0:
                    if self.search.frame_top >= self.search.frame_room:
                        with cython.gil:
                            self.search._grow_frames()
                    k = self.search.frame_top
                    self.search.frame_top += 1
                    self.search.frame_trail[k] = self.search.trail_top
                    self.search.frame_box[k] = self.search.box_top
                    self.search.frame_node[k] = n
                    self.search.frame_side[k] = 1
                    self.search.enter(n, 0)
                    state = self.judge()
                    continue
                if state == OPEN:
                    with cython.gil:
                        state = self.settled()
            if state == SURE:
                with cython.gil:
                    stop = self.taken()
                if stop:
                    return 1
            if self.search.frame_top == 0:
                self.undecided = False
                return 0
            self.search.frame_top -= 1
            k = self.search.frame_top
            self.search.undo(self.search.frame_trail[k], self.search.frame_box[k])
            self.search.enter(self.search.frame_node[k], self.search.frame_side[k])
            state = self.judge()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def start(self, free: cython.p_ulonglong) -> cython.int:
        self.search.mode = 0
        self.search.priced = False
        self.search.begin(0, free)
        return self.dive()

    def run(self, free: cython.ulonglong[::1]) -> bool:
        """Whether ``sink`` ended the search; its box is then still the search's. ``free``: bit set of all features."""
        stopped: cython.int
        with cython.nogil:
            if cython.compiled:
                stopped = self.start(cython.address(free[0]))
            else:
                stopped = self.start(free)
        return stopped != 0

    def left_over(self, sink: object) -> None:
        """After :meth:`run` was stopped: call ``sink()`` at each box that is not decided yet, as the search's."""
        k: cython.longlong
        if self.undecided:
            sink()
        while self.search.frame_top > 0:
            self.search.frame_top -= 1
            k = self.search.frame_top
            self.search.undo(self.search.frame_trail[k], self.search.frame_box[k])
            self.search.enter(self.search.frame_node[k], self.search.frame_side[k])
            if self.judge() != NONE:
                sink()
