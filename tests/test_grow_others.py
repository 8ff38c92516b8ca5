"""Columns of which only the rows without the commonest value are sorted give the trees that sorted columns give."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xylogic.domain.feature import Feature
from xylogic.grow.columns import RANKED, SORTED, read_columns
from xylogic.grow.grower import Limits, grow
from xylogic.grow.target import class_target, number_target
from xylogic.grow.twister_kernel import how_often, whole_numbers


def grown(table, target, limits, rows, seed, looked_at):
    columns = read_columns(table, [Feature(f"x{j}") for j in range(table.shape[1])], max_features=looked_at)
    kinds = set(columns.kind.tolist())
    tree = grow(columns, target, limits, rows=rows, seed=seed)
    parts = [getattr(tree.tree, part) for part in ("feature", "cut", "left", "right", "missing")]
    parts += [tree.n_rows, tree.weight, tree.impurity, tree.value, tree.gain]
    return kinds, [part.tolist() for part in parts]


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
@given(
    seed=st.integers(0, 2**31),
    n=st.sampled_from([80, 150, 700, 2500]),
    common=st.floats(0.0, 1.0),
    n_values=st.sampled_from([70, 200, 300, 3000]),
    weighted=st.booleans(),
    min_rows=st.sampled_from([1, 1, 3, 20]),
    min_weight=st.sampled_from([0.0, 0.0, 5.5]),
    zero_gain=st.booleans(),
)
def test_the_commonest_value_may_be_left_out(
    criterion, seed, n, common, n_values, weighted, min_rows, min_weight, zero_gain
):
    random = np.random.default_rng(seed)
    table = random.integers(0, n_values, (n, 16)).astype(np.float64)
    table[random.random(table.shape) < common] = random.integers(0, n_values)
    table[:75, :12] = np.arange(75)[:, np.newaxis] * 2  # more values than columns of few have
    weight = random.integers(1, 5, n).astype(np.float64) if weighted else None
    rows = np.sort(random.choice(n, random.integers(2, n + 1), replace=False)).astype(np.int32)
    if criterion == "gini":
        target = class_target(random.integers(0, 2, n).astype(np.int32), 2, weight, criterion)
    else:
        target = number_target(random.integers(0, 9, n) / 7.0, weight, criterion)
    limits = Limits(max_features=2, min_samples_leaf=min_rows, min_weight_leaf=min_weight, zero_gain=zero_gain)
    with_order, by_order = grown(table, target, limits, rows, seed, None)
    without, by_others = grown(table, target, limits, rows, seed, 2)
    assert SORTED in with_order and RANKED in without
    assert by_others == by_order


@pytest.mark.parametrize("below", [1, 2, 5, 4096, 4097, 2**31 - 1])
@given(seed=st.integers(0, 2**32 - 1), n_draws=st.integers(0, 1500))
def test_draws_are_those_of_numpy(below, seed, n_draws):
    drawn = np.empty(n_draws + 1, np.int64)
    whole_numbers(seed, below, drawn)
    expected = np.random.RandomState(seed).randint(below, size=n_draws)
    assert drawn[:-1].tolist() == expected.tolist()
    if below < 5000:
        assert how_often(seed, below, n_draws).tolist() == np.bincount(expected, minlength=below).tolist()


FOREST = """
import sys, warnings
sys.path.insert(0, sys.argv[1])
if sys.argv[2] == "source":
    import uncompiled
    uncompiled.install()
    warnings.simplefilter("ignore")  # of numbers that wrap around
import numpy as np
import xylogic as xl

random = np.random.default_rng(0)
X = np.where(random.random((200, 24)) < 0.4, 0.0, random.integers(0, 200, (200, 24)))
forest = xl.RandomForestClassifier(2, random_state=0, max_features=3).fit(X, X[:, 0] + X[:, 1] > 120)
print([(grown.tree.feature.tolist(), grown.tree.cut.tolist(), grown.gain.tolist()) for grown in forest.grown_])
"""


def test_forests_grow_alike_from_source():
    folder = str(Path(__file__).parent)
    compiled, source = (
        subprocess.run(
            [sys.executable, "-c", FOREST, folder, how], capture_output=True, text=True, timeout=300, check=True
        ).stdout
        for how in ("compiled", "source")
    )
    assert compiled == source != ""
