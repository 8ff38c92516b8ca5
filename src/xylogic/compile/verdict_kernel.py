"""What bounds on the constraints' sums decide, and for which sums the decision is right."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import ints, longs
else:
    from xylogic.domain.machine_kernel import ints, longs

FAR = cython.declare(cython.longlong, 2**62)  # beyond any sum


@cython.cclass
class Verdict:
    """The constraints of ``question`` (see ``compile/votes.py``); :meth:`decide` leaves the sums that its label is
    right for in ``child_least`` and ``child_most``, one interval per constraint.
    """

    def __init__(self, question: object) -> None:
        self.width = len(question.plus)
        self.n_classes = question.n_classes
        self.unresolved = question.n_labels
        classes = max(1, self.n_classes)
        self.given = {
            "plus": question.plus,
            "minus": question.minus,
            "sure": question.sure,
            "never": question.never,
            "loser": np.zeros(classes, np.int32),
            "clear": np.zeros(classes, np.int64),
            "child_least": np.zeros(self.width, np.int64),
            "child_most": np.zeros(self.width, np.int64),
        }
        given = self.given
        self.plus, self.minus = ints(given["plus"]), ints(given["minus"])
        self.sure, self.never = longs(given["sure"]), longs(given["never"])
        self.loser, self.clear = ints(given["loser"]), longs(given["clear"])
        self.child_least, self.child_most = longs(given["child_least"]), longs(given["child_most"])

    def decide_one(self, top: cython.longlong, gained: cython.longlong) -> cython.int:
        """The label that one constraint gives, or -1; the sums it is right for."""
        if gained >= self.sure[0]:
            self.child_least[0] = self.sure[0]
            self.child_most[0] = FAR
            return 0 if self.n_classes else 1
        if gained + top < self.never[0]:
            self.child_least[0] = -FAR
            self.child_most[0] = self.never[0] - top - 1
            return 1 if self.n_classes else 0
        if top == 0 and gained >= self.never[0]:
            self.child_least[0] = self.never[0]
            self.child_most[0] = self.sure[0] - 1
            return self.unresolved
        return -1

    def decide(self, top: cython.p_longlong, gained: cython.p_longlong, at: cython.Py_ssize_t) -> cython.int:
        """The label that all completions of a state share, or -1; the sums (``child_least``, ``child_most``) for
        which it is right. ``top``: the most that each constraint's sum can still grow."""
        if self.width == 1:
            return self.decide_one(top[0], gained[at])
        if self.n_classes:
            return self.elect(top, gained, at)
        return self.hold_all(top, gained, at)

    def hold_all(self, top: cython.p_longlong, gained: cython.p_longlong, at: cython.Py_ssize_t) -> cython.int:
        p: cython.int
        fails: cython.int = -1
        n_sure: cython.int = 0
        done: cython.bint = True
        clear: cython.longlong = 0
        for p in range(self.width):
            self.child_least[p] = -FAR
            self.child_most[p] = FAR
            done = done and top[p] == 0
            if gained[at + p] >= self.sure[p]:
                n_sure += 1
                self.child_least[p] = self.sure[p]
            elif gained[at + p] + top[p] < self.never[p] and (
                fails < 0 or self.never[p] - top[p] - gained[at + p] > clear
            ):
                fails = p
                clear = self.never[p] - top[p] - gained[at + p]
        if fails >= 0:
            for p in range(self.width):
                self.child_least[p] = -FAR
            self.child_most[fails] = self.never[fails] - top[fails] - 1
            return 0
        if n_sure == self.width:
            return 1
        if not done:
            return -1
        for p in range(self.width):
            if gained[at + p] < self.sure[p]:
                self.child_least[p] = self.never[p]
                self.child_most[p] = self.sure[p] - 1
        return self.unresolved

    def elect(self, top: cython.p_longlong, gained: cython.p_longlong, at: cython.Py_ssize_t) -> cython.int:
        p: cython.int
        c: cython.int
        lost: cython.int
        alive: cython.int = self.n_classes
        done: cython.bint = True
        margin: cython.longlong
        for c in range(self.n_classes):
            self.loser[c] = -1
        for p in range(self.width):
            done = done and top[p] == 0
            if gained[at + p] >= self.sure[p]:
                lost = self.minus[p]
                margin = gained[at + p] - self.sure[p]
            elif gained[at + p] + top[p] < self.never[p]:
                lost = self.plus[p]
                margin = self.never[p] - top[p] - gained[at + p] - 1
            else:
                continue
            if self.loser[lost] < 0:
                alive -= 1
            elif margin <= self.clear[lost]:
                continue
            self.loser[lost] = p
            self.clear[lost] = margin
        if alive > 1 and not done:
            return -1
        for p in range(self.width):
            self.child_least[p] = -FAR
            self.child_most[p] = FAR
            if alive > 1 and self.never[p] <= gained[at + p] < self.sure[p]:
                self.child_least[p] = self.never[p]
                self.child_most[p] = self.sure[p] - 1
        lost = self.unresolved
        for c in range(self.n_classes):
            p = self.loser[c]
            if p < 0:
                if alive == 1:
                    lost = c
            elif self.minus[p] == c:
                self.child_least[p] = self.sure[p]
            else:
                self.child_most[p] = self.never[p] - top[p] - 1
        return lost
