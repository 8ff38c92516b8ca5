"""Trees and small forests rewritten into other trees of the same function, and the same with one changed leaf.

``XYLOGIC_ORACLE_CASES`` sets the number of pairs of each kind (a tenth of it, default 150).
"""

from __future__ import annotations

import os

import numpy as np
import pytest

import oracle
import rewrites
import xylogic as xl
from models import CLASS_NAMES, Column, Draws
from tree_pairs import draw_columns, every_row
from xylogic import build_ensemble, build_tree

CASES = int(os.environ.get("XYLOGIC_ORACLE_CASES", "1500")) // 10
BATCH = 50


def models_of(seed: int):
    """A model, one of the same function, and that one with a leaf of one tree changed; and the kind of model."""
    d = Draws(seed)
    cast, routes, regression = d.pick(["float64", "float32"]), d.chance(40), d.chance(25)
    columns = draw_columns(d, cast, routes, d.whole(1, 4))
    classes = None if regression else d.pick(CLASS_NAMES)[: d.whole(2, 4)]
    numbers = [{"value": float(k)} for k in (1, 2, 4)]  # sums of them do not round
    leaves = numbers if regression else [{"class": label} for label in classes]
    inside = rewrites.everything(columns, routes)
    trees = [
        rewrites.draw_tree(d, columns, inside, lambda d: d.pick(leaves), d.whole(1, 4))
        for _ in range(1 if seed % 2 else d.whole(2, 5))
    ]
    if any(isinstance(tree, dict) for tree in trees):  # a leaf has no rule for missing values
        return None
    same = [rewrites.rewritten(d, tree, columns, inside) for tree in trees]
    changed = list(same)
    t = d.whole(0, len(trees) - 1)
    changed[t] = rewrites.with_a_leaf_changed(d, same[t], leaves)
    if any(isinstance(tree, dict) for tree in [*same, *changed]):
        return None
    voting = "sum" if regression else "majority" if seed % 4 < 2 else "average"

    def made(parts):
        built = [
            build_tree(rewrites.written(tree, columns, routes), [c.feature for c in columns], classes, cast=cast)
            for tree in parts
        ]
        return build_ensemble(built, voting=voting)

    return made(trees), made(same), made(changed), columns


def rows_of(models, columns: list[Column]) -> np.ndarray:
    absent = sorted({f.name for model in models for f in model.features if f.may_be_missing})
    return every_row(models, absent)


def answers(model, rows) -> np.ndarray:
    return oracle.predicted(model, oracle.scores_of(model, rows))


def check(seed: int) -> str | None:
    found = models_of(seed)
    if found is None:
        return None
    *models, columns = found
    rows = rows_of(models, columns)
    first, same, changed = (answers(model, rows) for model in models)
    assert (first == same).all(), "the pair was made wrongly"
    alike = xl.equivalent(models[0], models[1])
    assert alike and alike.witness is None
    differ = first != changed
    other = xl.equivalent(models[0], models[2])
    assert bool(other) == (not differ.any())
    comparison = xl.compare(models[0], models[2])
    if differ.any():
        one, two = (model.predict([other.witness])[0] for model in (models[0], models[2]))
        assert (one, two) == other.answers and one != two
        assert comparison.disagreement > 0
        assert sum(region.share for region in comparison.regions()) == comparison.disagreement
    if len(models[0].trees) == 1:
        marks = [xl.fingerprint(model) for model in models]
        assert marks[0] == marks[1] and (marks[0] == marks[2]) == (not differ.any())
    return f"{'tree' if len(models[0].trees) == 1 else 'forest'}, {'other' if differ.any() else 'same all the same'}"


@pytest.mark.parametrize("batch", range(max(1, CASES // BATCH)))
def test_pairs(batch, record_property):
    counts: dict[str, int] = {}
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        try:
            kind = check(seed)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error!r}") from error
        if kind is not None:
            counts[kind] = counts.get(kind, 0) + 1
    assert sum(counts.values()) > BATCH // 3
    record_property("judged equivalent pairs", sum(counts.values()))
    for kind, number in counts.items():
        record_property(f"judged pairs with a changed leaf ({kind})", number)
