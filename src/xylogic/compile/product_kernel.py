"""The bounded threshold product: from sums of edge-valued diagrams to an ordered diagram of who wins.

Depth first over the levels; a state is a multiset of nodes (what is left of each group of trees) and the sums so far.
Bounds on the rest decide early. A result is kept with the interval of sums, one per constraint, for which it is right:
the intersection of the children's intervals, shifted by what the edges add. So one entry serves many sums, and real
leaf values work like votes. Multisets are told apart by the sum of 128-bit random words.
"""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.circuit.nodes_kernel import Nodes
    from cython.cimports.xylogic.compile.sums_kernel import Sums
    from cython.cimports.xylogic.compile.verdict_kernel import FAR, Verdict
    from cython.cimports.xylogic.domain.machine_kernel import bits, ints, longs
else:
    from xylogic.circuit.nodes_kernel import Nodes
    from xylogic.compile.sums_kernel import Sums
    from xylogic.compile.verdict_kernel import FAR, Verdict
    from xylogic.domain.machine_kernel import bits, ints, longs

CHECK_EVERY = cython.declare(cython.longlong, 4096)  # states
GAVE_UP = cython.declare(cython.int, -2)
MOST_FORGOTTEN = 16  # times that what is known is given up for room; then the budget ends the product
ALL_BITS = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


@cython.cclass
class Product(Verdict):
    """One product of ``groups``, nodes of ``sums``, into ``nodes``; see ``compile/votes.py`` for ``question``.

    With ``question.n_classes`` = k > 0 the labels are the classes 0 .. k - 1, else 0 (some constraint fails) and
    1 (all hold); the label behind them stands for sums so close that only the model's own arithmetic can tell.
    """

    def __init__(self, sums: Sums, nodes: Nodes, question: object, budget: object) -> None:
        self.sums, self.nodes, self.budget = sums, nodes, budget
        Verdict.__init__(self, question)
        self.states = self.unchecked = 0
        self.forgotten = 0
        depth, width = sums.n_levels + 2, self.width
        self.keep = {
            **{name: np.zeros(depth, np.int32) for name in ("n_testing", "n_other", "frame_level", "frame_out")},
            **{name: np.zeros(2 * depth, np.uint64) for name in ("frame_key", "other_key")},
            **{name: np.zeros(depth * width, np.int64) for name in ("other_top", "gained", "step", "least", "most")},
            **{name: np.zeros(sum(sums.sizes) + 1, np.int32) for name in ("out_hi", "out_child")},
            "child_top": np.zeros(width, np.int64),
        }
        keep = self.keep
        self.n_testing, self.n_other = ints(keep["n_testing"]), ints(keep["n_other"])
        self.frame_level, self.frame_out = ints(keep["frame_level"]), ints(keep["frame_out"])
        self.frame_key, self.other_key = bits(keep["frame_key"]), bits(keep["other_key"])
        self.other_top, self.gained, self.step = longs(keep["other_top"]), longs(keep["gained"]), longs(keep["step"])
        self.least, self.most = longs(keep["least"]), longs(keep["most"])
        self.out_hi, self.out_child = ints(keep["out_hi"]), ints(keep["out_child"])
        self.child_top = longs(keep["child_top"])
        self.n_slots = self.n_entries = self.entry_room = 0
        self.slot_mask = 0
        self._grow_slots()
        self._grow_entries()

    @property
    def n_bytes(self) -> int:
        """Bytes of all arrays, those of ``sums`` and ``nodes`` included."""
        return sum(array.nbytes for array in self.keep.values()) + self.sums.n_bytes + self.nodes.n_bytes

    # ---------------------------------------------------------------- room

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _forgets(self, more: cython.Py_ssize_t) -> cython.bint:
        """Forget what is known, which costs time only, if ``more`` bytes would make it half of what is allowed."""
        if self.budget.memory_limit is None or self.forgotten == MOST_FORGOTTEN or self.n_entries < 2**16:
            return False
        known = sum(self.keep[name].nbytes for name in ("slot_key", "slot_entry", "entry_bounds")) + 8 * self.entry_room
        if known + more <= self.budget.memory_limit // 2:
            return False
        self.keep["slot_entry"].fill(0)
        self.n_slots = 0
        self.n_entries = 1
        self.forgotten += 1
        return True

    @cython.cfunc
    def _resized(self, name: str, dtype: object, room: cython.Py_ssize_t):
        if name not in self.keep:
            self.keep[name] = np.zeros(room, dtype)
        else:
            self.keep[name].resize(room, refcheck=False)
        return self.keep[name]

    @cython.cfunc
    def _grow_slots(self):
        if self.slot_mask and self._forgets(20 * (self.slot_mask + 1)):
            return
        old_mask: cython.ulonglong = self.slot_mask
        old_key = self.keep.pop("slot_key", None)
        old_entry = self.keep.pop("slot_entry", None)
        room: cython.Py_ssize_t = 2 * (old_mask + 1) if old_mask else 4096
        k: cython.ulonglong
        j: cython.ulonglong
        self.budget.check(0, self.n_bytes + 30 * room)
        self.slot_key = bits(self._resized("slot_key", np.uint64, 2 * room))
        self.slot_entry = ints(self._resized("slot_entry", np.int32, room))
        self.slot_mask = room - 1
        if old_mask == 0:
            return
        keys: cython.p_ulonglong = bits(old_key)
        entries: cython.p_int = ints(old_entry)
        with cython.nogil:
            for k in range(old_mask + 1):
                if entries[k]:
                    j = cython.cast(cython.ulonglong, keys[2 * k]) & self.slot_mask
                    while self.slot_entry[j]:
                        j = (j + 1) & self.slot_mask
                    self.slot_key[2 * j] = keys[2 * k]
                    self.slot_key[2 * j + 1] = keys[2 * k + 1]
                    self.slot_entry[j] = entries[k]

    @cython.cfunc
    def _grow_entries(self):
        room: cython.Py_ssize_t = max(1024, 2 * self.entry_room)
        if room > 2**22:
            room = 3 * self.entry_room // 2
        if self.entry_room and self._forgets((8 + 16 * self.width) * (room - self.entry_room)):
            return
        self.budget.check(0, self.n_bytes + (8 + 16 * self.width) * (room - self.entry_room))
        self.entry_next = ints(self._resized("entry_next", np.int32, room))
        self.entry_node = ints(self._resized("entry_node", np.int32, room))
        self.entry_bounds = longs(self._resized("entry_bounds", np.int64, room * 2 * self.width))
        self.entry_room = room
        self.n_entries = max(1, self.n_entries)  # entry 0 is none

    # ---------------------------------------------------------------- states

    def push(self, d: cython.int, n: cython.int) -> cython.void:
        """Frame d from the nodes ``ids[:n]``; its ``gained`` and ``frame_key`` are set by the caller."""
        level_of: cython.p_int = self.sums.level
        width: cython.Py_ssize_t = self.width
        i: cython.int
        p: cython.Py_ssize_t
        node: cython.int
        level: cython.int = self.sums.n_levels
        at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, d) * self.n_groups
        testing: cython.int = 0
        other: cython.int = 0
        a: cython.ulonglong = 0
        b: cython.ulonglong = 0
        for i in range(n):
            level = min(level, level_of[self.ids[i]])
        for p in range(width):
            self.other_top[d * width + p] = 0
            self.least[d * width + p] = -FAR
            self.most[d * width + p] = FAR
        for i in range(n):
            node = self.ids[i]
            if level_of[node] == level:
                self.testing[at + testing] = self.sums.edge_at[node]
                testing += 1
            else:
                self.other[at + other] = node
                other += 1
                a = (a + cython.cast(cython.ulonglong, self.sums.first_word[node])) & ALL_BITS
                b = (b + cython.cast(cython.ulonglong, self.sums.second_word[node])) & ALL_BITS
                for p in range(width):
                    self.other_top[d * width + p] += self.sums.top[node * width + p]
        self.frame_level[d] = level
        self.n_testing[d] = testing
        self.n_other[d] = other
        self.other_key[2 * d] = a
        self.other_key[2 * d + 1] = b

    def find(self, a: cython.ulonglong, b: cython.ulonglong) -> cython.longlong:
        """The slot of a key, or the empty one where it would stand."""
        k: cython.ulonglong = a & self.slot_mask
        while self.slot_entry[k]:
            if self.slot_key[2 * k] == a and self.slot_key[2 * k + 1] == b:
                break
            k = (k + 1) & self.slot_mask
        return cython.cast(cython.longlong, k)

    def store(self, d: cython.int, node: cython.int) -> cython.int:
        """Keep the result of frame d."""
        width: cython.Py_ssize_t = self.width
        p: cython.Py_ssize_t
        k: cython.longlong
        at: cython.Py_ssize_t
        if self.n_entries >= self.entry_room or 10 * self.n_slots > 7 * cython.cast(cython.Py_ssize_t, self.slot_mask):
            with cython.gil:
                if self.n_entries >= self.entry_room:
                    self._grow_entries()
                else:
                    self._grow_slots()
        k = self.find(
            cython.cast(cython.ulonglong, self.frame_key[2 * d]),
            cython.cast(cython.ulonglong, self.frame_key[2 * d + 1]),
        )
        if self.slot_entry[k] == 0:
            self.n_slots += 1
            self.slot_key[2 * k] = self.frame_key[2 * d]
            self.slot_key[2 * k + 1] = self.frame_key[2 * d + 1]
        self.entry_next[self.n_entries] = self.slot_entry[k]
        self.entry_node[self.n_entries] = node
        at = self.n_entries * 2 * width
        for p in range(width):
            self.entry_bounds[at + p] = self.least[d * width + p]
            self.entry_bounds[at + width + p] = self.most[d * width + p]
        self.slot_entry[k] = cython.cast(cython.int, self.n_entries)
        self.n_entries += 1
        return 0

    def search(self) -> cython.int:
        """The node of the state in ``ids``, ``gained[:width]`` and ``frame_key[:2]``, or GAVE_UP."""
        width: cython.Py_ssize_t = self.width
        d: cython.int = 0
        out: cython.int = 0
        hi: cython.int
        result: cython.int
        i: cython.int
        n: cython.int
        entry: cython.int
        level: cython.int
        p: cython.Py_ssize_t
        f: cython.Py_ssize_t  # the frame's first number
        at: cython.Py_ssize_t
        e: cython.longlong
        c: cython.Py_ssize_t
        a: cython.ulonglong
        b: cython.ulonglong
        bound: cython.longlong
        testing: cython.p_longlong = self.testing
        edge_hi: cython.p_int = self.sums.hi
        edge_child: cython.p_int = self.sums.child
        worth: cython.p_longlong = self.sums.worth
        top: cython.p_longlong = self.sums.top
        first_word: cython.p_ulonglong = self.sums.first_word
        second_word: cython.p_ulonglong = self.sums.second_word
        step: cython.p_longlong = self.step
        child_top: cython.p_longlong = self.child_top
        gained: cython.p_longlong = self.gained
        self.push(0, self.n_groups)
        self.frame_out[0] = 0
        while True:
            f = d * width
            at = cython.cast(cython.Py_ssize_t, d) * self.n_groups
            n = self.n_testing[d]
            hi = edge_hi[testing[at]]
            a = self.other_key[2 * d]
            b = self.other_key[2 * d + 1]
            for p in range(width):
                step[f + p] = 0
                child_top[p] = self.other_top[f + p]
            for i in range(n):
                e = testing[at + i]
                hi = min(hi, edge_hi[e])
                c = edge_child[e]
                for p in range(width):
                    step[f + p] += worth[e * width + p]
                if c:
                    a = (a + cython.cast(cython.ulonglong, first_word[c])) & ALL_BITS
                    b = (b + cython.cast(cython.ulonglong, second_word[c])) & ALL_BITS
                    for p in range(width):
                        child_top[p] += top[c * width + p]
            # The child's sums stand where its frame would have them.
            for p in range(width):
                gained[f + width + p] = gained[f + p] + step[f + p]
            result = self.decide(child_top, gained, f + width)
            if result < 0:
                entry = self.slot_entry[self.find(a, b)]
                while entry:
                    e = cython.cast(cython.longlong, entry) * 2 * width
                    p = 0
                    while (
                        p < width
                        and self.entry_bounds[e + p] <= gained[f + width + p] <= self.entry_bounds[e + width + p]
                    ):
                        p += 1
                    if p == width:
                        break
                    entry = self.entry_next[entry]
                if entry:
                    result = self.entry_node[entry]
                    e = cython.cast(cython.longlong, entry) * 2 * width
                    for p in range(width):
                        self.child_least[p] = self.entry_bounds[e + p]
                        self.child_most[p] = self.entry_bounds[e + width + p]
            if result < 0:
                self.states += 1
                if self.states == self.most_states:
                    return GAVE_UP
                self.unchecked += 1
                if self.unchecked >= CHECK_EVERY:
                    self.unchecked = 0
                    with cython.gil:
                        self.budget.check(self.states, self.n_bytes)
                n = self.n_other[d]
                for i in range(n):
                    self.ids[i] = self.other[at + i]
                for i in range(self.n_testing[d]):
                    c = edge_child[testing[at + i]]
                    if c:
                        self.ids[n] = cython.cast(cython.int, c)
                        n += 1
                d += 1
                self.frame_key[2 * d] = a
                self.frame_key[2 * d + 1] = b
                self.frame_out[d] = out
                self.push(d, n)
                continue
            while True:
                # Edge ``hi`` of frame d leads to ``result``, right for the sums child_least .. child_most.
                for p in range(width):
                    bound = self.child_least[p] - step[f + p]
                    if bound > self.least[f + p]:
                        self.least[f + p] = bound
                    bound = self.child_most[p] - step[f + p]
                    if bound < self.most[f + p]:
                        self.most[f + p] = bound
                self.out_hi[out] = hi
                self.out_child[out] = result
                out += 1
                level = self.frame_level[d]
                if hi < self.sums.level_size[level] - 1:
                    for i in range(self.n_testing[d]):
                        if edge_hi[testing[at + i]] == hi:
                            testing[at + i] += 1
                    break
                result = self.nodes.make(level, self.out_hi, self.out_child, self.frame_out[d], out - self.frame_out[d])
                out = self.frame_out[d]
                self.store(d, result)
                if d == 0:
                    return result
                for p in range(width):
                    self.child_least[p] = self.least[f + p]
                    self.child_most[p] = self.most[f + p]
                d -= 1
                f = d * width
                at = cython.cast(cython.Py_ssize_t, d) * self.n_groups
                hi = edge_hi[testing[at]]
                for i in range(self.n_testing[d]):
                    hi = min(hi, edge_hi[testing[at + i]])

    def run(self, groups: object, constant: object, most_states: cython.longlong = 0) -> object:
        """The node of the sum of ``groups`` (node numbers, none 0) and ``constant``, int64 (width,).

        ``None`` where that takes ``most_states`` states, if given.
        """
        self.most_states = most_states
        self.n_groups = len(groups)
        depth = self.sums.n_levels + 2
        result: cython.int
        n: cython.int
        a: cython.ulonglong = 0
        b: cython.ulonglong = 0
        self.keep["ids"] = np.array([*groups, 0], np.int32)
        self.keep["testing"] = np.zeros(depth * self.n_groups + 1, np.int64)
        self.keep["other"] = np.zeros(depth * self.n_groups + 1, np.int32)
        self.ids, self.other = ints(self.keep["ids"]), ints(self.keep["other"])
        self.testing = longs(self.keep["testing"])
        self.keep["gained"][: self.width] = constant
        for p in range(self.width):
            self.child_top[p] = 0
        for n in groups:
            a = (a + cython.cast(cython.ulonglong, self.sums.first_word[n])) & ALL_BITS
            b = (b + cython.cast(cython.ulonglong, self.sums.second_word[n])) & ALL_BITS
            for p in range(self.width):
                self.child_top[p] += self.sums.top[n * self.width + p]
        result = self.decide(self.child_top, self.gained, 0)
        if result >= 0:
            return result
        self.frame_key[0] = a
        self.frame_key[1] = b
        with cython.nogil:
            result = self.search()
        return None if result == GAVE_UP else result
