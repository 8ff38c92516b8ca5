"""What a single tree answers by visiting each node at most once: forced classes, reasons, contrastive changes.

A tree is a ``search.single.Single``: no path contradicts itself, and each test knows what its path leaves to its
column. What is given of a column therefore meets what a child's path allows as soon as it meets what the test sends
there of that. ``given`` is a ``search.given.Given``.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import bits, doubles, ints
    from cython.cimports.xylogic.search.path_kernel import Nodes
else:
    from xylogic.domain.machine_kernel import bits, doubles, ints
    from xylogic.search.path_kernel import Nodes

FREE = cython.declare(cython.int, 0)  # a column that may be anything
FIXED = cython.declare(cython.int, 1)  # one that stays as it is given
OPEN = cython.declare(cython.int, 2)  # one that is given, and not yet known to be needed


@cython.final
@cython.cclass
class Question:
    """What is given of the columns, put to one tree. Not to be shared between threads. All methods O(n_nodes)."""

    def __init__(self, tree: Nodes, domain: object, given: object) -> None:
        single = tree.keep
        n = tree.n_nodes
        state, head = np.zeros(domain.n_columns + 1, np.int32), np.empty(domain.n_columns + 1, np.int32)
        stack, mark, node, owner, link = (np.empty(n + 1, np.int32) for _ in range(5))
        self.keep = (domain, given, state, head, stack, mark, node, owner, link)
        self.tree, self.n_columns = tree, domain.n_columns
        self.low, self.high = doubles(single.low), doubles(single.high)
        self.is_set, self.width, self.word_at = ints(domain.is_set), ints(domain.width), ints(domain.word_at)
        self.at, self.least, self.most = ints(given.at), doubles(given.low), doubles(given.high)
        self.missing, self.word = ints(given.missing), bits(given.words)
        self.state, self.head, self.stack, self.mark = ints(state), ints(head), ints(stack), ints(mark)
        self.node, self.owner, self.link = ints(node), ints(owner), ints(link)
        self.n_waiting = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sides(self, n: cython.int) -> cython.int:
        """Where the test at node n sends what is given: bit 1 left, bit 2 right."""
        c: cython.int = self.tree.feature[n]
        found: cython.int = self.tree.way[n] if self.missing[c] else 0
        k: cython.int
        at: cython.int
        cut: cython.double
        if self.is_set[c]:
            at = self.tree.set_at[n]
            for k in range(self.width[c]):
                if self.word[self.word_at[c] + k] & self.tree.words[at + k]:
                    found |= 1
                if self.word[self.word_at[c] + k] & self.tree.words[at + self.width[c] + k]:
                    found |= 2
            return found
        cut = min(max(self.tree.cut[n], self.low[n]), self.high[n])
        k = self.beyond(self.low[n], self.at[c], self.at[c + 1])
        if k < self.at[c + 1] and max(self.least[k], self.low[n]) < min(self.most[k], cut):
            found |= 1
        k = self.beyond(cut, k, self.at[c + 1])
        if k < self.at[c + 1] and max(self.least[k], cut) < min(self.most[k], self.high[n]):
            found |= 2
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def beyond(self, number: cython.double, k: cython.int, stop: cython.int) -> cython.int:
        """The first given interval from k on that does not end at or below a number."""
        middle: cython.int
        while k < stop:
            middle = (k + stop) >> 1
            if self.most[middle] > number:
                stop = middle
            else:
                k = middle + 1
        return k

    def leaves(self, group: cython.int[::1], skip: cython.int[::1], most: cython.int) -> object:
        """The first leaf reached of each group of labels that ``skip`` does not mark, ``most`` of them; marks them.

        ``group`` maps labels to groups. Algorithm 3 with most = 1.
        """
        found: list = []
        leaf: cython.int
        self.stack[0] = 0
        self.n_waiting = 1
        of_label: cython.p_int = ints(group)
        passed: cython.p_int = ints(skip)
        while len(found) < most:
            with cython.nogil:
                leaf = self.next_leaf(of_label, passed)
            if leaf < 0:
                break
            found.append(leaf)
            passed[of_label[self.tree.label[leaf]]] = 1
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def next_leaf(self, group: cython.p_int, passed: cython.p_int) -> cython.int:
        n: cython.int
        sides: cython.int
        while self.n_waiting:
            self.n_waiting -= 1
            n = self.stack[self.n_waiting]
            while self.tree.feature[n] >= 0:
                sides = self.sides(n)
                if sides == 3:
                    self.stack[self.n_waiting] = self.tree.right[n]
                    self.n_waiting += 1
                n = self.tree.right[n] if sides == 2 else self.tree.left[n]
            if not passed[group[self.tree.label[n]]]:
                return n
        return -1

    def sufficient(self, bad: cython.int[::1], order: cython.int[::1], is_given: cython.int[::1]) -> object:
        """Algorithm 4, columns tried in ``order``: int32 (n_columns + 1,), 1 for each column that has to stay; ``None``
        where what is given does not force a label that ``bad`` does not mark. ``is_given``: per column.

        Edges that contradict what is given wait at their column until that is let go of, so that each node is visited
        once; where another label is found behind one, what has begun to wait since then is taken back.
        """
        k: cython.Py_ssize_t
        c: cython.int
        n: cython.int
        ok: cython.bint
        is_bad: cython.p_int = ints(bad)
        with cython.nogil:
            for c in range(self.n_columns + 1):
                self.state[c] = OPEN if is_given[c] else FREE
                self.head[c] = -1
            self.n_waiting = 0
            ok = self.explore(0, is_bad)
        if not ok:
            return None
        with cython.nogil:
            for k in range(order.shape[0]):
                c = order[k]
                if self.state[c] != OPEN:
                    continue
                self.state[c] = FREE
                n = self.n_waiting
                ok = self.behind(c, is_bad)
                if ok:
                    continue
                self.state[c] = FIXED
                while self.n_waiting > n:
                    self.n_waiting -= 1
                    self.head[self.owner[self.n_waiting]] = self.link[self.n_waiting]
        return (self.keep[2] == 1).astype(np.int32)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def behind(self, c: cython.int, bad: cython.p_int) -> cython.bint:
        """Whether no bad leaf is found behind the edges that wait at column c."""
        edge: cython.int = self.head[c]
        while edge >= 0:
            if not self.explore(self.node[edge], bad):
                return False
            edge = self.link[edge]
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def explore(self, n: cython.int, bad: cython.p_int) -> cython.bint:
        """Whether no bad leaf is reached from node n; edges against open columns begin to wait."""
        c: cython.int
        sides: cython.int
        other: cython.int
        top: cython.int = 1
        self.stack[0] = n
        while top:
            top -= 1
            n = self.stack[top]
            while self.tree.feature[n] >= 0:
                c = self.tree.feature[n]
                sides = 3 if self.state[c] == FREE else self.sides(n)
                if sides == 3:
                    self.stack[top] = self.tree.right[n]
                    top += 1
                    n = self.tree.left[n]
                    continue
                other = self.tree.right[n] if sides == 1 else self.tree.left[n]
                n = self.tree.left[n] if sides == 1 else self.tree.right[n]
                if self.state[c] == OPEN:
                    self.node[self.n_waiting] = other
                    self.owner[self.n_waiting] = c
                    self.link[self.n_waiting] = self.head[c]
                    self.head[c] = self.n_waiting
                    self.n_waiting += 1
            if bad[self.tree.label[n]]:
                return False
        return True

    def fewest_changes(self, bad: cython.int[::1]) -> int:
        """The size of a smallest set of columns whose change reaches a bad leaf; -1: there is none."""
        best: cython.int
        is_bad: cython.p_int = ints(bad)
        with cython.nogil:
            best = self.changes(is_bad, self.stack, self.stack, 0, 0)
        return best

    def all_changes(self, bad: cython.int[::1], room: cython.longlong) -> object:
        """The columns that each bad leaf contradicts: (ends, columns), the sets of columns one behind another, int32;
        ``None`` where they have more than ``room`` columns in all."""
        ends, columns = np.zeros(self.tree.n_nodes + 1, np.int32), np.zeros(room + self.n_columns + 1, np.int32)
        end: cython.p_int = ints(ends)
        out: cython.p_int = ints(columns)
        is_bad: cython.p_int = ints(bad)
        n_sets: cython.int
        with cython.nogil:
            n_sets = self.changes(is_bad, end, out, 1, room)
        if n_sets < 0:
            return None
        ends = ends[:n_sets].copy()
        return ends, columns[: ends[n_sets - 1] if n_sets else 0].copy()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def changes(
        self, bad: cython.p_int, ends: cython.p_int, columns: cython.p_int, listed: cython.bint, room: cython.longlong
    ) -> cython.int:
        """A walk over all nodes that counts the columns contradicted on the path; ``mark``: those, ``state``: whether
        a column is one, ``owner``, ``node``: open right children and how many columns are contradicted above them."""
        n: cython.int = 0
        c: cython.int
        k: cython.int
        sides: cython.int
        top: cython.int = 0
        depth: cython.int = 0  # columns contradicted so far
        best: cython.int = -1
        n_sets: cython.int = 0
        total: cython.longlong = 0
        for c in range(self.n_columns + 1):
            self.state[c] = 0
        while True:
            while self.tree.feature[n] >= 0:
                c = self.tree.feature[n]
                sides = 3 if self.state[c] else self.sides(n)
                self.node[top] = self.tree.right[n]
                self.owner[top] = depth
                self.link[top] = -1 if sides & 2 else c
                top += 1
                n = self.tree.left[n]
                if not sides & 1:
                    self.mark[depth] = c
                    self.state[c] = 1
                    depth += 1
                if best >= 0 and depth >= best and not listed:
                    break
            if self.tree.feature[n] < 0 and bad[self.tree.label[n]]:
                if listed:
                    if total + depth > room:
                        return -1
                    for k in range(depth):
                        columns[total + k] = self.mark[k]
                    total += depth
                    ends[n_sets] = cython.cast(cython.int, total)
                elif best < 0 or depth < best:
                    best = depth
                n_sets += 1
            while True:
                if top == 0:
                    return n_sets if listed else best
                top -= 1
                n = self.node[top]
                while depth > self.owner[top]:
                    depth -= 1
                    self.state[self.mark[depth]] = 0
                c = self.link[top]
                if c >= 0:
                    self.mark[depth] = c
                    self.state[c] = 1
                    depth += 1
                if listed or best < 0 or depth < best:
                    break


def least_sets(
    starts: cython.int[::1],
    members: cython.int[::1],
    order: cython.int[::1],
    first: cython.int,
    last: cython.int,
    frequency: cython.int[::1],
    head: cython.int[::1],
    link: cython.int[::1],
    seen: cython.int[::1],
    kept: cython.int[::1],
) -> None:
    """Mark in ``kept`` the sets ``order[first:last]`` (by ascending size) that include no other; equal ones once.

    Set s has the members ``members[starts[s]:starts[s + 1]]``. ``head`` and ``link``, -1 at the start, list the sets
    kept so far by their rarest member; ``frequency`` counts a member's sets; ``seen`` is scratch, 0. O(n^2) at worst.
    """
    k: cython.Py_ssize_t
    i: cython.int
    j: cython.int
    s: cython.int
    t: cython.int
    rarest: cython.int
    holds: cython.bint
    with cython.nogil:
        for k in range(first, last):
            s = order[k]
            rarest = -1
            for i in range(starts[s], starts[s + 1]):
                seen[members[i]] = 1
                if rarest < 0 or frequency[members[i]] < frequency[rarest]:
                    rarest = members[i]
            holds = False
            for i in range(starts[s], starts[s + 1]):
                t = head[members[i]]
                while t >= 0 and not holds:
                    holds = True
                    for j in range(starts[t], starts[t + 1]):
                        if not seen[members[j]]:
                            holds = False
                            break
                    t = link[t]
                if holds:
                    break
            for i in range(starts[s], starts[s + 1]):
                seen[members[i]] = 0
            if not holds:
                kept[s] = 1
                if rarest >= 0:
                    link[s] = head[rarest]
                    head[rarest] = s
