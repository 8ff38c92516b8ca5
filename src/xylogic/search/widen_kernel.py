"""General reasons: the widest boxes over some features that keep clear of a goal.

As with feature sets (search/reason_kernel.py), candidates are multiplied out: the search looks for a goal in a
candidate, and the box of goals that it finds (search/goals_kernel.py) is cut off all candidates, along one feature at a
time; only inclusion-maximal ones stay. A candidate without a goal is confirmed.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import bits, ints
    from cython.cimports.xylogic.search.goals_kernel import Goals
else:
    from xylogic.domain.machine_kernel import bits, ints
    from xylogic.search.goals_kernel import Goals


@cython.cclass
class Widest(Goals):
    """Enumerates the widest boxes over ``features`` that hold no goal.

    ``start`` holds the states that a box may allow; ``own``, where boxes go ``around`` the instance, its states, which
    each box must hold, else nothing, and a box must allow some state of each feature. A call that a limit or Ctrl-C
    stops leaves all that was found in place, and the next one goes on from there.
    """

    def __init__(
        self,
        features: cython.int[::1],
        at: cython.int[::1],
        free: cython.ulonglong[::1],
        around: cython.bint,
        start: cython.ulonglong[::1],
        own: cython.ulonglong[::1],
    ) -> None:
        i: cython.int
        Goals.__init__(self, features, at, free, around)
        self.keep["own"] = np.array(own, dtype=np.uint64)
        self.own = bits(self.keep["own"])
        self.room = 0
        self.work = 0
        self._grow(16)
        for i in range(self.width):
            self.boxes[i] = start[i]
        self.n_boxes = 1
        self.n_done = 0

    @cython.cfunc
    def _grow(self, room: cython.longlong):
        if self.room > 0:
            self.search.budget.check(self.search.nodes, room * (16 * self.width + 4))
        sizes = {"boxes": room * self.width + 1, "spare": room * self.width + 1, "avoids": room}
        for name, size in sizes.items():
            old = self.keep.get(name, np.zeros(0))
            new = np.zeros(size, np.int32 if name == "avoids" else np.uint64)
            new[: len(old)] = old
            self.keep[name] = new
        self.boxes = bits(self.keep["boxes"])
        self.spare = bits(self.keep["spare"])
        self.avoids = ints(self.keep["avoids"])
        self.room = room

    @property
    def found(self) -> object:
        """The boxes found so far, in that order: uint64 (n, width)."""
        return self.keep["boxes"][: self.n_done * self.width].reshape(self.n_done, self.width).copy()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def contains(
        self, outer: cython.p_ulonglong, i: cython.Py_ssize_t, inner: cython.p_ulonglong, j: cython.Py_ssize_t
    ) -> cython.bint:
        """Whether box i of one list contains box j of another."""
        q: cython.int
        for q in range(self.width):
            if inner[j * self.width + q] & ~outer[i * self.width + q]:
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def cut(
        self, box: cython.Py_ssize_t, x: cython.int, n_new: cython.Py_ssize_t, group: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """Add candidate ``box`` less ``bad``'s states of the x-th feature to ``spare``, which holds ``n_new`` boxes;
        those from ``group`` on were cut along it too. Boxes that others contain are left out. Returns the new count.

        A box cut along one feature is never within one cut along another: there it still meets ``bad``.
        """
        q: cython.int
        k: cython.Py_ssize_t
        kept: cython.Py_ssize_t
        w: cython.Py_ssize_t = self.width
        some: cython.ulonglong = 0
        for q in range(self.at[x], self.at[x + 1]):
            if self.own[q] & self.bad[q]:
                return n_new
            some |= self.boxes[box * w + q] & ~self.bad[q]
        if some == 0:
            return n_new
        if n_new + 1 >= self.room or self.n_boxes + n_new + 1 >= self.room:
            with cython.gil:
                self._grow(2 * self.room)
        for q in range(self.width):
            self.spare[n_new * w + q] = self.boxes[box * w + q]
        for q in range(self.at[x], self.at[x + 1]):
            self.spare[n_new * w + q] &= ~self.bad[q]
        self.work += self.n_boxes + n_new - group
        if self.work > 300000:
            self.work = 0
            with cython.gil:
                self.search.budget.check(self.search.nodes)
        for k in range(self.n_boxes):
            if self.avoids[k] and self.contains(self.boxes, k, self.spare, n_new):
                return n_new
        for k in range(group, n_new):
            if self.contains(self.spare, k, self.spare, n_new):
                return n_new
        kept = group
        for k in range(group, n_new + 1):
            if k == n_new or not self.contains(self.spare, n_new, self.spare, k):
                if kept != k:
                    for q in range(self.width):
                        self.spare[kept * w + q] = self.spare[k * w + q]
                kept += 1
        return kept

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def multiply(self) -> cython.int:
        """Replace the candidates that meet ``bad`` by the widest boxes within them that do not."""
        k: cython.Py_ssize_t
        x: cython.int
        q: cython.int
        n_new: cython.Py_ssize_t = 0
        group: cython.Py_ssize_t
        kept: cython.Py_ssize_t = 0
        w: cython.Py_ssize_t = self.width
        meet: cython.ulonglong
        for k in range(self.n_boxes):
            self.avoids[k] = 0
            for x in range(self.n):
                meet = 0
                for q in range(self.at[x], self.at[x + 1]):
                    meet |= self.boxes[k * w + q] & self.bad[q]
                if meet == 0:
                    self.avoids[k] = 1
                    break
        for x in range(self.n):
            group = n_new
            for k in range(self.n_done, self.n_boxes):
                if not self.avoids[k]:
                    n_new = self.cut(k, x, n_new, group)
        for k in range(self.n_boxes):
            if self.avoids[k]:
                if kept != k:
                    for q in range(self.width):
                        self.boxes[kept * w + q] = self.boxes[k * w + q]
                kept += 1
        for k in range(n_new * w):
            self.boxes[kept * w + k] = self.spare[k]
        self.n_boxes = kept + n_new
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def advance(self) -> cython.int:
        """1 a candidate was confirmed, 2 some were cut, 0 there is none left."""
        q: cython.int
        k: cython.Py_ssize_t
        word: cython.ulonglong
        w: cython.Py_ssize_t = self.width
        if self.n_done == self.n_boxes:
            return 0
        k = self.n_boxes - 1
        if self.hit(self.boxes, k):
            self.multiply()
            return 2
        for q in range(self.width):
            word = self.boxes[k * w + q]
            self.boxes[k * w + q] = self.boxes[self.n_done * w + q]
            self.boxes[self.n_done * w + q] = word
        self.n_done += 1
        return 1

    def run(self, limit: cython.longlong) -> bool:
        """Find up to ``limit`` more boxes; False once all are found."""
        kind: cython.int = 1
        with cython.nogil:
            while limit > 0 and kind != 0:
                kind = self.advance()
                if kind == 1:
                    limit -= 1
        return self.n_done < self.n_boxes
