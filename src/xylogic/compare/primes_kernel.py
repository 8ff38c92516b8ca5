"""The prime implicants of a function, as a set of terms.

O. Coudert and J.-C. Madre, Implicit and Incremental Computation of Primes and Essential Primes of Boolean Functions,
DAC 1992, carried over to features of many states. Let f test a feature, and let c_1 .. c_m be the distinct functions
that its states lead to. A term with the states S there and the rest t implies f if t implies the conjunction h of
those c_i that S leads to. It is prime if t is a prime of h, S is all states that lead to some c_i implied by h, and t
implies no h and c_i beyond: a conjunction that t implies as well has t among its primes. So

    primes(f) = union over the distinct conjunctions h of  states(h) x (primes(h) minus all primes(h and c_i) != h).

With two states these are primes(c_0 and c_1), and primes(c_0) and primes(c_1) without them.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.circuit.lists_kernel import Lists
    from cython.cimports.xylogic.circuit.ordered_kernel import Ordered
    from cython.cimports.xylogic.compare.terms_kernel import TermSets
    from cython.cimports.xylogic.domain.machine_kernel import ints, longs
else:
    from xylogic.circuit.lists_kernel import Lists
    from xylogic.circuit.ordered_kernel import Ordered
    from xylogic.compare.terms_kernel import TermSets
    from xylogic.domain.machine_kernel import ints, longs

AND = cython.declare(cython.int, 1)
WORD = cython.declare(cython.int, 30)  # states in an item of a label
WORD_BITS = 30


@cython.cclass
class PrimeSets:
    """The primes of functions of ``nodes``, an ordered manager of two labels whose results are lasting.

    Two passes, both level by level and without recursion: the conjunctions that are met, from the top; their primes,
    from the bottom.
    """

    nodes: Ordered
    labels: Lists  # sets of states: kind number of items + 1, item w holds the states 30 w .. 30 w + 29
    terms: TermSets
    keep: dict
    head: cython.p_int  # per level: the last function that was met there, 0 for none
    # per function: the next one of its level, its primes, where its conjunctions are written, and marks
    link: cython.p_int
    primes: cython.p_int
    written: cython.p_longlong
    mark: cython.p_int
    place: cython.p_int
    room: cython.Py_ssize_t
    # conjunctions of all functions: how many; of each one its number, label, how many lie below it, and those
    found: cython.p_int
    n_found: cython.Py_ssize_t
    found_room: cython.Py_ssize_t
    # of the function at hand: its conjunctions, and each one's conjunctions with the children
    joint: cython.p_int
    joint_room: cython.Py_ssize_t
    below: cython.p_int
    below_room: cython.Py_ssize_t
    tick: cython.int

    def __init__(self, nodes: Ordered, budget: object) -> None:
        self.nodes = nodes
        self.nodes.lasting = 1
        self.labels = Lists()
        self.labels.limit(budget)
        self.labels._grow_scratch(1 + max(nodes.sizes, default=0) // 30)
        self.terms = TermSets(nodes.n_levels, budget)
        self.keep = {"head": np.zeros(nodes.n_levels + 1, np.int32)}
        self.head = ints(self.keep["head"])
        self.room = self.n_found = self.found_room = self.joint_room = self.below_room = 0
        self.tick = 0
        self._grow_functions()
        self._grow_found(0)
        self._grow_joint()
        self._grow_below(0)
        self.primes[1] = 1

    def run(self, root: cython.int) -> int:
        """The set of the primes of ``root``, a node of ``terms``. Raises BudgetExceeded."""
        with cython.nogil:
            self.meet(root)
            self.descend()
            self.ascend()
        return self.primes[root]

    @property
    def n_sets(self) -> int:
        """Sets of terms made."""
        return self.terms.n

    def arrays(self, root: cython.int) -> tuple:
        """A set of terms as arrays: the level of each node (int32), where its edges begin (int64), labels and children
        (int32) of the edges, and the root. Children have smaller numbers; 0 is the empty set, 1 the empty term's.
        """
        n: cython.Py_ssize_t
        k: cython.Py_ssize_t
        terms: TermSets = self.terms
        marks = np.zeros(max(root, 1) + 1, np.int32)
        mark: cython.p_int = ints(marks)
        mark[0] = mark[1] = mark[root] = 1
        for n in range(root, 1, -1):
            if mark[n]:
                for k in range(terms.at[n] + 1, terms.at[n] + terms.size[n], 2):
                    mark[terms.items[k]] = 1
        kept = np.flatnonzero(marks)
        place = np.cumsum(marks, dtype=np.int32) - np.int32(1)
        sizes = terms.keep["size"][kept] // 2
        edge_at = np.zeros(len(kept) + 1, np.int64)
        np.cumsum(sizes, out=edge_at[1:])
        edges = 2 * (np.arange(edge_at[-1]) - np.repeat(edge_at[:-1], sizes)) + np.repeat(terms.keep["at"][kept], sizes)
        level = terms.keep["kinds"][kept] - np.int32(2)
        level[:2] = terms.n_levels
        items = terms.keep["items"]
        return level, edge_at, items[edges], place[items[edges + 1]], int(place[root])

    def states(self, label: cython.int) -> int:
        """The states of a label as the bits of a number."""
        k: cython.int
        found = 0
        for k in range(self.labels.size[label]):
            found |= int(self.labels.items[self.labels.at[label] + k]) << (WORD_BITS * k)
        return found

    # ---------------------------------------------------------------- room

    @cython.cfunc
    def _resized(self, name: str, dtype: object, room: cython.Py_ssize_t):
        if name not in self.keep:
            self.keep[name] = np.zeros(room, dtype)
        else:
            self.keep[name].resize(room, refcheck=False)
        self.terms._afford(sum(array.nbytes for array in self.keep.values()) + self.nodes.n_bytes)
        return self.keep[name]

    @cython.cfunc
    def _grow_functions(self):
        room: cython.Py_ssize_t = max(1024, 2 * self.nodes.n)
        self.link = ints(self._resized("link", np.int32, room))
        self.primes = ints(self._resized("primes", np.int32, room))
        self.written = longs(self._resized("written", np.int64, room))
        self.mark = ints(self._resized("mark", np.int32, room))
        self.place = ints(self._resized("place", np.int32, room))
        self.room = room

    @cython.cfunc
    def _grow_found(self, more: cython.Py_ssize_t):
        self.found_room = max(1024, 2 * self.n_found + more)
        self.found = ints(self._resized("found", np.int32, self.found_room))

    @cython.cfunc
    def _grow_joint(self):
        self.joint_room = max(256, 2 * self.joint_room)
        self.joint = ints(self._resized("joint", np.int32, self.joint_room))

    @cython.cfunc
    def _grow_below(self, room: cython.Py_ssize_t):
        self.below_room = max(256, 2 * room)
        self.below = ints(self._resized("below", np.int32, self.below_room))

    # ---------------------------------------------------------------- from the top

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def meet(self, f: cython.int) -> cython.int:
        """Put a function on its level's list, unless it stands there."""
        if f > 1 and self.link[f] == 0:
            level: cython.int = self.nodes.level[f]
            self.link[f] = self.head[level] if self.head[level] else -1
            self.head[level] = f
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def descend(self) -> cython.int:
        level: cython.int
        f: cython.int
        for level in range(self.nodes.n_levels):
            f = self.head[level]
            while f > 0:
                self.split(f)
                f = self.link[f]
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def split(self, f: cython.int) -> cython.int:
        """Write down the conjunctions of f's children, and meet them."""
        m: cython.int = self.children(f)
        n: cython.Py_ssize_t = self.conjunctions(m)
        k: cython.Py_ssize_t
        i: cython.int
        h: cython.int
        at: cython.Py_ssize_t
        if self.n_found + n * (m + 3) + 1 > self.found_room:
            with cython.gil:
                self._grow_found(n * (m + 3) + 1)
        self.written[f] = self.n_found
        self.found[self.n_found] = cython.cast(cython.int, n)
        at = self.n_found + 1
        for k in range(n):
            h = self.joint[k]
            self.meet(h)
            self.found[at] = h
            self.found[at + 1] = self.label(f, h, k * m)
            self.found[at + 2] = 0
            for i in range(m):
                if self.is_next_below(k * m, m, i, h):
                    self.found[at + 3 + self.found[at + 2]] = self.below[k * m + i]
                    self.found[at + 2] += 1
            at += 3 + self.found[at + 2]
        self.n_found = at
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_next_below(self, row: cython.Py_ssize_t, m: cython.int, i: cython.int, h: cython.int) -> cython.bint:
        """Whether h and child i, in h's ``row`` of ``below``, is not h, not false, comes first of equal ones, and is
        implied by no other such: primes of what implies it are among its own, as far as they are primes of h.
        """
        j: cython.int
        other: cython.int
        made: cython.int = self.below[row + i]
        own: cython.Py_ssize_t
        if made == h or made == 0:
            return False
        own = cython.cast(cython.Py_ssize_t, self.place[made]) * m
        for j in range(m):
            other = self.below[row + j]
            if (j < i and other == made) or (other != made and other != h and self.below[own + j] == made):
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def children(self, f: cython.int) -> cython.int:
        """Begin ``joint`` with the distinct children of f that are not false; how many there are."""
        m: cython.int = 0
        e: cython.longlong
        c: cython.int
        self.tick += 1
        for e in range(self.nodes.edge_at[f], self.nodes.edge_at[f + 1]):
            c = self.nodes.child[e]
            if c != 0 and self.mark[c] != self.tick:
                self.add_joint(c, m)
                m += 1
        return m

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def add_joint(self, h: cython.int, n: cython.Py_ssize_t) -> cython.int:
        if n >= self.joint_room:
            with cython.gil:
                self._grow_joint()
        self.mark[h] = self.tick
        self.place[h] = cython.cast(cython.int, n)
        self.joint[n] = h
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def conjunctions(self, m: cython.int) -> cython.Py_ssize_t:
        """Close the first m functions of ``joint`` under conjunction, but for false; how many there are then.

        ``below[k * m + i]`` becomes the conjunction of ``joint[k]`` and ``joint[i]``.
        """
        n: cython.Py_ssize_t = m
        k: cython.Py_ssize_t = 0
        i: cython.int
        h: cython.int
        while k < n:
            self.terms.spend()
            if (k + 1) * m > self.below_room:
                with cython.gil:
                    self._grow_below((k + 1) * m)
            for i in range(m):
                h = self.nodes.apply(AND, 0, 0, self.joint[k], self.joint[i])
                if self.nodes.n > self.room:
                    with cython.gil:
                        self._grow_functions()
                self.below[k * m + i] = h
                if h != 0 and self.mark[h] != self.tick:
                    self.add_joint(h, n)
                    n += 1
            k += 1
        return n

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def label(self, f: cython.int, h: cython.int, row: cython.Py_ssize_t) -> cython.int:
        """The label of the states of f that lead to functions implied by h; 0 if these are all states."""
        size: cython.int = self.nodes.level_size[self.nodes.level[f]]
        width: cython.int = (size + WORD - 1) // WORD
        words: cython.p_int = self.labels.scratch
        e: cython.longlong
        c: cython.int
        s: cython.int = 0
        n: cython.int = 0
        for s in range(width):
            words[s] = 0
        s = 0
        for e in range(self.nodes.edge_at[f], self.nodes.edge_at[f + 1]):
            c = self.nodes.child[e]
            if c != 0 and self.below[row + self.place[c]] == h:
                while s <= self.nodes.hi[e]:
                    words[s // WORD] |= 1 << (s % WORD)
                    s += 1
                    n += 1
            s = self.nodes.hi[e] + 1
        return 0 if n == size else self.labels.find(width + 1, width)

    # ---------------------------------------------------------------- from the bottom

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def ascend(self) -> cython.int:
        level: cython.int
        f: cython.int
        for level in range(self.nodes.n_levels - 1, -1, -1):
            f = self.head[level]
            while f > 0:
                self.primes[f] = self.assemble(level, f)
                f = self.link[f]
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def assemble(self, level: cython.int, f: cython.int) -> cython.int:
        """The primes of f from those of its conjunctions."""
        at: cython.Py_ssize_t = self.written[f]
        n: cython.Py_ssize_t = self.found[at]
        m: cython.Py_ssize_t = 0
        k: cython.Py_ssize_t
        i: cython.Py_ssize_t
        kept: cython.int
        label: cython.int
        if 2 * n > self.below_room:
            with cython.gil:
                self._grow_below(2 * n)
        at += 1
        for k in range(n):
            kept = self.primes[self.found[at]]
            label = self.found[at + 1]
            for i in range(self.found[at + 2]):
                kept = self.terms.difference(kept, self.primes[self.found[at + 3 + i]])
            at += 3 + self.found[at + 2]
            if kept:  # in order of labels, which mostly come so
                i = m
                while i > 0 and self.below[2 * i - 2] > label:
                    self.below[2 * i] = self.below[2 * i - 2]
                    self.below[2 * i + 1] = self.below[2 * i - 1]
                    i -= 1
                self.below[2 * i] = label
                self.below[2 * i + 1] = kept
                m += 1
        return self.terms.node(level, self.below, 0, m)
