"""A tree's nodes, and what each column may still be on a path through one or two trees."""

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.xylogic.domain.machine_kernel import bits, doubles, ints
else:
    from xylogic.domain.machine_kernel import bits, doubles, ints


@cython.cclass
class Nodes:
    """Tree arrays; ``tree`` is an object that has them: int32 (n_nodes,) unless said otherwise.

    feature : the column tested; -1 at leaves. left, right : the children. cut : float64, numbers <= cut go left.
    way : bit 1: a missing value goes left, bit 2: right. label : what a leaf answers; -1 at tests.
    set_at : where a category test's left codes begin in ``words``, uint64, as a bit set.
    """

    def __init__(self, tree: object) -> None:
        self.keep = tree
        self.n_nodes = len(tree.feature)
        self.feature, self.left, self.right = ints(tree.feature), ints(tree.left), ints(tree.right)
        self.way, self.set_at, self.label = ints(tree.way), ints(tree.set_at), ints(tree.label)
        self.cut, self.words = doubles(tree.cut), bits(tree.words)


@cython.cclass
class Path:
    """One set of values per column: numbers in (low, high] or categories, and perhaps "missing"; with undo.

    ``domain`` has the sets to start with: ``low``, ``high``, float64, ``missing``, int32 (n_columns,), and ``full``,
    uint64, bit sets of ``width[c]`` words at ``word_at[c]`` where ``is_set[c]``. ``room``, ``word_room``: how many
    narrowings, and words of sets, can wait to be undone.
    """

    def __init__(self, domain: object, room: int, word_room: int) -> None:
        low, high, missing, word = domain.low.copy(), domain.high.copy(), domain.missing.copy(), domain.full.copy()
        column, was_missing = np.empty(room + 1, np.int32), np.empty(room + 1, np.int32)
        was_low, was_high, was_word = np.empty(room + 1), np.empty(room + 1), np.empty(word_room + 1, np.uint64)
        self.keep = (domain, low, high, missing, word, column, was_low, was_high, was_missing, was_word)
        self.is_set, self.width, self.word_at = ints(domain.is_set), ints(domain.width), ints(domain.word_at)
        self.low, self.high, self.missing, self.word = doubles(low), doubles(high), ints(missing), bits(word)
        self.saved_column, self.saved_missing = ints(column), ints(was_missing)
        self.saved_low, self.saved_high, self.saved_word = doubles(was_low), doubles(was_high), bits(was_word)
        self.n_saved = 0
        self.n_saved_words = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sides(self, tree: Nodes, node: cython.int) -> cython.int:
        """Where the test at a node can send what is left: bit 1 left, bit 2 right."""
        c: cython.int = tree.feature[node]
        found: cython.int = 0
        k: cython.int
        cut: cython.double
        word: cython.ulonglong
        if self.missing[c]:
            found = tree.way[node]
        if self.is_set[c]:
            for k in range(self.width[c]):
                word = self.word[self.word_at[c] + k]
                if word & tree.words[tree.set_at[node] + k]:
                    found |= 1
                if word & ~tree.words[tree.set_at[node] + k]:
                    found |= 2
                if found == 3:
                    break
            return found
        cut = tree.cut[node]
        if self.low[c] < cut and self.low[c] < self.high[c]:
            found |= 1
        if cut < self.high[c] and self.low[c] < self.high[c]:
            found |= 2
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def narrow(self, tree: Nodes, node: cython.int, side: cython.int) -> cython.void:
        """Keep what the test at a node sends to one side: 1 left, 2 right."""
        c: cython.int = tree.feature[node]
        k: cython.int
        at: cython.int
        cut: cython.double
        left: cython.ulonglong
        n: cython.int = self.n_saved
        self.saved_column[n] = c
        self.saved_missing[n] = self.missing[c]
        self.n_saved = n + 1
        if not tree.way[node] & side:
            self.missing[c] = 0
        if self.is_set[c]:
            for k in range(self.width[c]):
                at = self.word_at[c] + k
                self.saved_word[self.n_saved_words + k] = self.word[at]
                left = tree.words[tree.set_at[node] + k]
                self.word[at] &= left if side == 1 else ~left
            self.n_saved_words += self.width[c]
            return
        self.saved_low[n] = self.low[c]
        self.saved_high[n] = self.high[c]
        cut = tree.cut[node]
        if side == 1:
            self.high[c] = min(self.high[c], cut)
        else:
            self.low[c] = max(self.low[c], cut)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def undo(self) -> cython.void:
        """Take the last narrowing back."""
        n: cython.int = self.n_saved - 1
        c: cython.int = self.saved_column[n]
        k: cython.int
        self.n_saved = n
        self.missing[c] = self.saved_missing[n]
        if self.is_set[c]:
            self.n_saved_words -= self.width[c]
            for k in range(self.width[c]):
                self.word[self.word_at[c] + k] = self.saved_word[self.n_saved_words + k]
            return
        self.low[c] = self.saved_low[n]
        self.high[c] = self.saved_high[n]

    def box(self) -> object:
        """Copies of (low, high, missing, word)."""
        return tuple(array.copy() for array in self.keep[1:5])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def same_tests(
    one: Nodes, a: cython.int, two: Nodes, b: cython.int, path: Path, stack_a: cython.p_int, stack_b: cython.p_int
) -> cython.bint:
    """Whether the trees below two nodes have the same tests and labels. O(nodes below)."""
    top: cython.int = 1
    c: cython.int
    k: cython.int
    stack_a[0] = a
    stack_b[0] = b
    while top:
        top -= 1
        a = stack_a[top]
        b = stack_b[top]
        while True:
            c = one.feature[a]
            if c != two.feature[b] or one.label[a] != two.label[b] or one.cut[a] != two.cut[b]:
                return False
            if one.way[a] != two.way[b]:
                return False
            if c < 0:
                break
            if path.is_set[c]:
                for k in range(path.width[c]):
                    if one.words[one.set_at[a] + k] != two.words[two.set_at[b] + k]:
                        return False
            stack_a[top] = one.right[a]
            stack_b[top] = two.right[b]
            top += 1
            a = one.left[a]
            b = two.left[b]
    return True
