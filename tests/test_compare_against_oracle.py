"""Equivalence, regions, shares and tables of two models, judged by all cells of both.

``XYLOGIC_ORACLE_CASES`` sets the number of pairs (a tenth of it, default 150).
"""

from __future__ import annotations

import os
from fractions import Fraction

import numpy as np
import pytest

import xylogic as xl
from model_pairs import ModelPair, seeded_pair

CASES = int(os.environ.get("XYLOGIC_ORACLE_CASES", "1500")) // 10
BATCH = 20


def questions(pair: ModelPair) -> list[tuple[str, float]]:
    if pair.a.classes is None:
        return [("label", 0.0), ("label", 0.05)]
    both = pair.a.has_probabilities and pair.b.has_probabilities
    return [("label", 0.0), *([("probability", 0.0), ("probability", 0.05)] if both else [])]


def engines(pair: ModelPair, output: str) -> list[str]:
    labels = pair.a.classes is not None and len(pair.a.classes) > 1 and output == "label"
    single = len(pair.a.trees) == len(pair.b.trees) == 1
    return ["auto", "search", *(["diagram"] if labels else []), *(["walk"] if single else [])]


def check(pair: ModelPair, output: str, tolerance: float, engine: str) -> bool:
    differ = pair.differ(output, tolerance)
    found = xl.compare(pair.a, pair.b, output=output, tolerance=tolerance, engine=engine)
    assert found.equivalent == (not differ.any())
    assert bool(xl.equivalent(pair.a, pair.b, output=output, tolerance=tolerance, engine=engine)) == found.equivalent
    assert (found.witness is None) == found.equivalent
    if found.witness is not None:
        check_witness(pair, found.witness, found.equivalence.answers, output, tolerance)
    assert found.disagreement == pair.share(differ)
    assert found.status["disagreement"].status == "exact"
    check_table(pair, found, output, differ)
    check_regions(pair, found, output, differ)
    return bool(differ.any())


def check_witness(pair, row, answers, output, tolerance) -> None:
    """Both models, asked themselves, say what the answers say, and differ."""
    assert list(row) == list(pair.a.feature_names)
    for model, answer in zip((pair.a, pair.b), answers, strict=True):
        if output == "probability":
            assert answer == dict(zip(pair.a.classes, shares(pair, model, row), strict=True))
        else:
            assert model.predict([row])[0] == answer
    if output == "probability":
        assert max(abs(answers[0][label] - answers[1][label]) for label in answers[0]) > tolerance
    elif pair.a.classes is None:
        assert abs(answers[0] - answers[1]) > tolerance
    else:
        assert answers[0] != answers[1]


def shares(pair, model, row) -> list[float]:
    (found,) = model.predict_proba([row])
    return [found[model.classes.index(label)] for label in pair.a.classes]


def check_table(pair, found, output, differ) -> None:
    if pair.a.classes is None or output == "probability":
        assert sum(found.table.values()) == pair.share(differ)
        return
    a, b = (pair.answers(side, output)[:, 0] for side in (0, 1))
    for p, first in enumerate(pair.a.classes):
        for q, second in enumerate(pair.a.classes):
            if p != q:
                assert found.table.get((first, second), Fraction(0)) == pair.share((a == p) & (b == q))
            elif (first, second) in found.table:
                assert found.table[first, second] == pair.share((a == p) & (b == q))


def check_regions(pair, found, output, differ) -> None:
    regions = found.regions()
    assert regions.status == "exact"
    answers = [pair.answers(side, output) for side in (0, 1)]
    seen = np.zeros(len(differ), int)
    rows = pair.rows()
    for region in regions:
        inside = np.array([region.box.matches(row) for row in rows])
        seen += inside
        assert pair.share(inside) == region.share
        assert region.box.matches(region.row)
        for found_answers, answer in zip(answers, region.answers, strict=True):
            given = np.unique(found_answers[inside], axis=0)
            assert len(given) == 1, "an answer changes within a region"
            if output == "label" and pair.a.classes:
                assert pair.a.classes[int(given[0, 0])] == answer
    assert (seen == differ).all(), "regions overlap or leave something out"
    if len(regions) > 1:
        few = found.regions(limit=1)
        assert len(few) == 1 and few.status == "partial"


@pytest.mark.parametrize("batch", range(max(1, CASES // BATCH)))
def test_pairs_of_models(batch, record_property):
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        pair = seeded_pair(seed, trees=(1, 1) if seed // 8 % 3 == 0 else (1, 6))
        if np.prod([len(s) for s in pair.states]) > 150:
            continue
        for output, tolerance in questions(pair):
            for engine in engines(pair, output):
                try:
                    check(pair, output, tolerance, engine)
                except Exception as error:
                    raise AssertionError(
                        f"seed {seed}, {pair.how}, {output}, {tolerance}, {engine}: {error}"
                    ) from error
    record_property("judged pairs of models", BATCH)


def test_the_pairs_are_of_both_kinds():
    differing = {how: [] for how in ("same", "rewritten", "turned", "changed")}
    for seed in range(400):
        pair = seeded_pair(seed)
        if pair.how in differing:
            differing[pair.how].append(bool(pair.differ("label", 0.0).any()))
    assert not any(differing["same"] + differing["rewritten"] + differing["turned"])
    assert 0.2 < np.mean(differing["changed"]) < 0.9


def test_shares_of_forests_with_one_changed_leaf_by_search(record_property):
    """Where trees are shared, bounds on the differences of the models decide: they have to be right."""
    changed = 2  # the place of "changed" among the ways to make a pair
    for seed in range(changed, 8 * max(10, CASES // 2) + changed, 8):
        pair = seeded_pair(seed, trees=(2, 6))
        differ = pair.differ("label", 0.0)
        if len(differ) <= 5000:
            assert xl.compare(pair.a, pair.b, engine="search").disagreement == pair.share(differ), seed
    record_property("judged forests with a changed leaf", max(10, CASES // 2))
