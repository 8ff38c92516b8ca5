"""model/build.py: trees made of arrays that are a tree's already."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xylogic import InvalidModelError
from xylogic.model.build import adopt_tree, make_tree


def grown(rng, n_splits, cast):
    """The arrays of a random tree, in the order a grower makes nodes: the children of a split come together."""
    n = 2 * n_splits + 1
    left = np.full(n, -1, np.int32)
    leaves = [0]
    for split in range(n_splits):
        left[leaves.pop(rng.integers(len(leaves)))] = 2 * split + 1
        leaves += [2 * split + 1, 2 * split + 2]
    inner = left >= 0
    return {
        "feature": np.where(inner, rng.integers(0, 3, n), -1).astype(np.int32),
        "cut": np.where(inner, rng.choice([-np.inf, -1.5, 0.0, 0.25, np.inf], n).astype(cast), 0.0).astype(np.float64),
        "left": left,
        "right": np.where(inner, left + 1, -1).astype(np.int32),
        "missing": np.where(inner, rng.integers(0, 3, n), 0).astype(np.int8),
        "value": np.where(inner[:, None], 0.0, rng.normal(size=(n, 2))),
    }


def slowly(arrays, cast):
    given_ = {"threshold" if name == "cut" else name: array for name, array in arrays.items()}
    return make_tree(**given_, cast=cast, n_features=3, infinite=True)


@given(st.integers(0, 2**32), st.integers(0, 12), st.sampled_from(["float32", "float64"]))
def test_both_doors_make_the_same_tree(seed, n_splits, cast):
    arrays = grown(np.random.default_rng(seed), n_splits, cast)
    copies = {name: array.copy() for name, array in arrays.items()}
    quick, slow = adopt_tree(**arrays, cast=cast, n_features=3), slowly(copies, cast)
    for one, other in zip(quick._arrays(), slow._arrays(), strict=True):
        assert one.dtype == other.dtype
        assert one.tobytes() == other.tobytes()
        assert not one.flags.writeable


@given(st.integers(0, 2**32), st.integers(1, 6), st.sampled_from(["float32", "float64"]), st.data())
def test_one_wrong_entry_is_refused_or_put_right_as_by_the_other_door(seed, n_splits, cast, data):
    arrays = grown(np.random.default_rng(seed), n_splits, cast)
    name = data.draw(st.sampled_from(sorted(arrays)))
    node = data.draw(st.integers(0, 2 * n_splits))
    wrong = {"cut": [np.nan, -0.0, 0.1, 7.0], "value": [np.nan, np.inf, 5.0]}.get(name, [-2, -1, 0, 1, 2, 3, 99])
    arrays[name][node] = data.draw(st.sampled_from(wrong))
    copies = {field: array.copy() for field, array in arrays.items()}
    try:
        slow = slowly(copies, cast)
    except InvalidModelError as error:
        with pytest.raises(InvalidModelError) as raised:
            adopt_tree(**arrays, cast=cast, n_features=3)
        assert str(raised.value) == str(error)
        return
    quick = adopt_tree(**arrays, cast=cast, n_features=3)
    for one, other in zip(quick._arrays(), slow._arrays(), strict=True):
        assert one.tobytes() == other.tobytes()
