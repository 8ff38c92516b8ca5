"""Prime implicants against brute force, and the known answers of the paper."""

from __future__ import annotations

import itertools
import os

import numpy as np
import pytest

import xylogic as xl
from gadgets import gadget
from models import Draws, draw_case
from oracle import Oracle
from xylogic import Feature, build_tree

CASES = int(os.environ.get("XYLOGIC_ORACLE_CASES", "600"))
BATCH = 25
MOST_BOXES = 2**16  # that the oracle looks at for one class


def boxes_of(oracle: Oracle) -> int:
    return int(np.prod([2 ** len(states) for states in oracle.states], dtype=object))


def places(term, oracle: Oracle) -> frozenset:
    """A term as the oracle writes it, by asking which values are in its sets."""
    named = set()
    for name, allowed in term.items():
        i = oracle.names.index(name)
        inside = [oracle.value(i, state.sample()) in allowed for state in oracle.states[i]]
        named.add((name, frozenset(np.flatnonzero(inside).tolist())))
    return frozenset(named)


def as_term(wide: frozenset, oracle: Oracle, model) -> xl.Term:
    """A box of the oracle as a term over the model's own states."""
    from xylogic.domain.cells import StateSet
    from xylogic.model.states import model_cells

    cells = {c.name: c for c in model_cells(model)}
    return xl.Term({name: StateSet(cells[name], tuple(sorted(states))) for name, states in wide})


def small_case(seed: int, **wanted):
    """A random case of at most ``MOST_BOXES`` boxes."""
    for attempt in itertools.count():
        case = draw_case(Draws(1000 * seed + attempt), **wanted)
        if boxes_of(Oracle(case.model)) <= MOST_BOXES:
            return case


@pytest.mark.parametrize("batch", range(CASES // BATCH))
def test_primes_are_the_widest_boxes(batch):
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        case = small_case(seed, regression=False)
        oracle = Oracle(case.model)
        for position, label in enumerate(case.model.classes):
            expected = oracle.prime_implicants(oracle.predictions == position)
            primes = xl.prime_implicants(case.model, label)
            listed = list(primes)
            assert {places(term, oracle) for term in listed} == expected, f"seed {seed}{case}"
            assert len(listed) == len(set(listed)) == len(primes) == primes.count == len(expected)
            assert [len(term) for term in listed] == sorted(map(len, listed))
            assert primes.smallest() == (listed[0] if listed else None) and bool(primes) == bool(listed)
            assert all(
                term in primes and as_term(places(term, oracle), oracle, case.model) in primes for term in listed
            )


@pytest.mark.parametrize("seed", range(40))
def test_membership_is_of_primes_only(seed):
    """Terms one state wider or narrower than a prime are none."""
    case = small_case(seed, regression=False)
    oracle = Oracle(case.model)
    label = case.model.classes[0]
    primes = xl.prime_implicants(case.model, label)
    expected = oracle.prime_implicants(oracle.predictions == 0)
    for wide in expected:
        sets = dict(wide)
        for i, name in enumerate(oracle.names):
            every = frozenset(range(len(oracle.states[i])))
            for state in every:
                changed = sets.get(name, every) ^ {state}
                if changed:
                    other = frozenset({**sets, name: changed}.items())
                    normal = frozenset((n, s) for n, s in other if len(s) < len(oracle.states[oracle.names.index(n)]))
                    assert (as_term(other, oracle, case.model) in primes) == (normal in expected)


@pytest.mark.parametrize("seed", range(10))
def test_primes_of_a_band(seed):
    case = small_case(seed, regression=True)
    oracle = Oracle(case.model)
    low, high = np.quantile(oracle.predictions, [0.25, 0.75]).tolist()
    inside = (low <= oracle.predictions) & (oracle.predictions <= high)
    for label in (True, False):
        primes = xl.prime_implicants(case.model, label, band=(low, high))
        assert {places(term, oracle) for term in primes} == oracle.prime_implicants(inside == label)


def table_of_two(d: Draws, states: int, kind: str) -> tuple[xl.Ensemble, np.ndarray]:
    """A tree over two features of many states, and its table: bool (states, states)."""
    table = np.array([[d.chance(50) for _ in range(6)] for _ in range(6)])[
        np.ix_(*([d.whole(0, 5) for _ in range(states)] for _ in range(2)))
    ]

    def chain(name: str, leaves: list, first: int = 0) -> dict:
        """The leaf of each state, by a balanced tree of tests."""
        if len(leaves) == 1:
            return leaves[0]
        half = len(leaves) // 2
        parts = {"left": chain(name, leaves[:half], first), "right": chain(name, leaves[half:], first + half)}
        if kind == "categorical":
            return {"feature": name, "in": list(range(first, first + half)), **parts}
        return {"feature": name, "cut": first + half - 0.5, **parts}

    rows = [chain("y", [{"class": bool(cell)} for cell in row]) for row in table]
    categories = tuple(range(states)) if kind == "categorical" else ()
    features = [Feature(name, kind, categories) for name in ("x", "y")]
    return build_tree(chain("x", rows), features, [False, True]), table


@pytest.mark.parametrize("states", [5, 31, 70])
@pytest.mark.parametrize("kind", ["categorical", "numeric"])
def test_many_states(states, kind):
    """The widest rectangles of a table: the sets of columns that some rows have in common, and all rows that do."""
    for seed in range(4):
        model, table = table_of_two(Draws(seed), states, kind)
        rows = {frozenset(np.flatnonzero(row).tolist()) for row in table}
        common = set(rows)
        for row in rows:
            common |= {row & other for other in common}
        every = frozenset(range(states))
        expected = set()
        for columns in (common | {every}) - {frozenset()}:
            holding = frozenset(x for x in every if columns <= set(np.flatnonzero(table[x]).tolist()))
            if holding and frozenset.intersection(*(frozenset(np.flatnonzero(table[x])) for x in holding)) == columns:
                expected.add((holding, columns))
        found = {
            tuple(frozenset(v for v in every if name not in term or v in term[name]) for name in ("x", "y"))
            for term in xl.prime_implicants(model, True)
        }
        assert found == expected, f"seed {seed}"


# ---------------------------------------------------------------- the paper's trees


def or_tree(root: str, below: str) -> xl.Ensemble:
    """T1 and T2 of Figure 1: x1 or x2."""
    leaf = {"feature": below, "cut": 0.5, "left": {"class": 0}, "right": {"class": 1}}
    nodes = {"feature": root, "cut": 0.5, "left": leaf, "right": {"class": 1}}
    return build_tree(nodes, [Feature("x1", "boolean"), Feature("x2", "boolean")], [0, 1])


def test_running_example():
    trees = or_tree("x1", "x2"), or_tree("x2", "x1")
    for tree in trees:
        assert {str(term) for term in xl.prime_implicants(tree, 1)} == {"x1 = True", "x2 = True"}
        assert [str(term) for term in xl.prime_implicants(tree, 0)] == ["x1 = False and x2 = False"]
    assert xl.prime_implicants(trees[0], 1) == xl.prime_implicants(trees[1], 1)
    assert xl.prime_implicants(trees[0], 1) != xl.prime_implicants(trees[1], 0)


@pytest.mark.parametrize("r, one", list(enumerate([1, 4, 10, 22, 46, 94, 190, 382, 766, 1534])))
def test_gadget_counts(r, one):
    tree = gadget(r)
    assert xl.prime_implicants(tree, 1).count == one
    assert xl.prime_implicants(tree, 0).count == r + 1


def test_gadgets_of_the_second_table():
    for r in (200, 500, 1000):
        primes = xl.prime_implicants(gadget(r), 1)
        assert primes.count == 3 * 2**r - 2
        assert len(primes.smallest()) == 2
        assert sorted(len(term) for term in itertools.islice(primes, 6)) == [2, 2, 3, 3, 3, 3]
        with pytest.raises(OverflowError):
            len(primes)
        assert primes and {f"x{f}": True for f in range(1, 2 * r + 2, 2)} in primes
        assert {f"x{f}": True for f in range(1, 2 * r + 1, 2)} not in primes
        assert {"x1": False, "x2": True} in primes and {"x1": False} not in primes
        assert xl.prime_implicants(gadget(r), 0).count == r + 1


def test_gadgets_with_their_columns_in_any_order():
    columns = (np.random.RandomState(0).permutation(2001) + 1).tolist()
    assert xl.prime_implicants(gadget(1000, columns=columns), 1).count == 3 * 2**1000 - 2


def test_gadgets_beyond_the_tables():
    """20,001 features: no step goes as deep as the tree."""
    primes = xl.prime_implicants(gadget(10_000), 1)
    assert primes.count == 3 * 2**10_000 - 2
    assert repr(primes) == "<Primes: about 2^10001, in 40,003 nodes>"
