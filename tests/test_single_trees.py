"""Single trees: Algorithms 2-4 as written, the near-linear ways and all rows agree.

``XYLOGIC_ORACLE_CASES``, two for each tree, sets how many are tried (default 1500).
"""

from __future__ import annotations

import itertools
import math
import os

import numpy as np
import pytest

from gadgets import gadget
from models import Draws, seeded_case
from tree_pairs import TreePair, seeded_pair
from xylogic import Explainer, Feature, build_ensemble, build_tree
from xylogic.reason.partial import PartialRow
from xylogic.search import tree_logic
from xylogic.search.given import given_row, given_states
from xylogic.search.single import Single
from xylogic.search.single_kernel import Question

CASES = int(os.environ.get("XYLOGIC_ORACLE_CASES", "1500")) // 2


def user_value(cells, x: float):
    """A number of the table in the user's words."""
    kind = cells.feature.kind
    if math.isnan(x):
        return x
    return (
        cells.feature.categories[int(x)]
        if kind == "categorical"
        else {"integer": int, "boolean": bool}.get(kind, float)(x)
    )


def draw_partial(d: Draws, cells, table: np.ndarray) -> tuple[dict, np.ndarray]:
    """Some columns as value, set of values or interval, and which rows of the table it allows."""
    allowed, partial = np.ones(len(table), dtype=bool), {}
    for c, column in zip(cells, table.T, strict=True):
        values = np.unique(column)
        if d.chance(40):
            continue
        chosen = d.some(values.tolist(), 40) or [d.pick(values.tolist())]
        numbers = sorted(x for x in chosen if not math.isnan(x))
        if c.feature.kind in ("numeric", "integer") and numbers and d.chance(50):
            partial[c.name] = (user_value(c, numbers[0]), user_value(c, numbers[-1]))
            allowed &= (column >= numbers[0]) & (column <= numbers[-1])
        else:
            chosen = chosen if len(chosen) > 1 or d.chance(50) else chosen[0]
            listed = chosen if isinstance(chosen, list) else [chosen]
            words = [user_value(c, x) for x in listed]
            partial[c.name] = set(words) if isinstance(chosen, list) else words[0]
            allowed &= np.isin(column, listed) | (np.isnan(column) & any(map(math.isnan, listed)))
    return partial, allowed


def least_sets(sets) -> set[frozenset]:
    sets = {frozenset(s) for s in sets}
    return {s for s in sets if not any(other < s for other in sets)}


def check(seed: int) -> None:
    pair: TreePair = seeded_pair(seed)
    d = Draws(seed)
    single, tree = pair.singles()[0], tree_logic.DecisionTree(pair.a, pair.cells(pair.a))
    predicted = pair.predicted(pair.a)
    labels = np.searchsorted(single.answers, predicted)
    n_labels = len(single.answers)
    partial, allowed = draw_partial(d, tree.cells, pair.table)
    known = tree_logic.assignment(partial, tree.cells)
    given = given_states(single.domain, PartialRow(partial, tree.cells).allowed)
    question = Question(single.nodes, single.domain, given)
    group = np.arange(n_labels, dtype=np.int32)

    possible = set(labels[allowed].tolist())
    found = question.leaves(group, np.zeros(n_labels, np.int32), n_labels)
    assert {int(single.label[leaf]) for leaf in found} == possible and len(found) == len(possible)

    def word(label: int):
        answer = single.answers[label]
        return answer if pair.a.classes is None else pair.a.classes[answer]

    forced = word(next(iter(possible))) if len(possible) == 1 else None
    assert tree_logic.is_some_waxp(known, tree) == forced
    for label in range(n_labels):
        skip = np.zeros(n_labels, np.int32)
        skip[label] = 1
        assert (question.leaves(group, skip, 1) == []) == (possible == {label})
        assert tree_logic.is_waxp(known, word(label), tree) == (possible == {label})
        bad = (group != label).astype(np.int32)
        order = np.arange(single.domain.n_columns, dtype=np.int32)
        kept = question.sufficient(bad, order, given.known)
        if possible != {label}:
            assert kept is None
            with pytest.raises(ValueError, match="does not force"):
                tree_logic.find_axp(known, word(label), tree)
        else:
            assert np.flatnonzero(kept).tolist() == [
                lit.feature for lit in tree_logic.find_axp(known, word(label), tree)
            ]
    check_row(pair, single, d, labels)


def check_row(pair: TreePair, single: Single, d: Draws, labels: np.ndarray) -> None:
    """Deletion in any order, and the contrastive sets, of one row."""
    i = d.whole(0, len(pair.table) - 1)
    row, n = pair.table[i], single.domain.n_columns
    question = Question(single.nodes, single.domain, given_row(single.domain, row))
    bad = (np.arange(len(single.answers)) != labels[i]).astype(np.int32)
    same = (pair.table == row) | (np.isnan(pair.table) & np.isnan(row))
    flips = labels != labels[i]
    everything = np.ones(n + 1, np.int32)

    order = np.array(sorted(range(n), key=lambda _: d.whole(0, 99)), dtype=np.int32)
    kept = list(range(n))
    for c in order.tolist():
        fewer = [k for k in kept if k != c]
        if not (flips & same[:, fewer].all(axis=1)).any():
            kept = fewer
    assert np.flatnonzero(question.sufficient(bad, order, everything)).tolist() == kept

    changed = least_sets(np.flatnonzero(~same[j]).tolist() for j in np.flatnonzero(flips))
    ends, columns = question.all_changes(bad, 10**6)
    found = [columns[a:b].tolist() for a, b in itertools.pairwise([0, *ends.tolist()])]
    assert least_sets(found) == changed
    assert question.fewest_changes(bad) == min(map(len, changed), default=-1)
    if len(columns):
        assert question.all_changes(bad, len(columns) - 1) is None


def test_against_all_rows(record_property):
    for seed in range(CASES):
        check(seed)
    record_property("judged single trees", CASES)


def test_gadget_of_the_paper():
    single = Single(gadget(50))
    ones = Question(single.nodes, single.domain, given_row(single.domain, np.ones(101)))
    bad = np.array([1, 0], np.int32)
    order = np.arange(101, dtype=np.int32)
    everything = np.ones(102, np.int32)
    # of each pair the later one stays, since the earlier one is let go of first
    assert np.flatnonzero(ones.sufficient(bad, order, everything)).tolist() == [*range(1, 100, 2), 100]
    assert np.flatnonzero(ones.sufficient(bad, order[::-1].copy(), everything)).tolist() == [*range(0, 100, 2), 100]
    ends, columns = ones.all_changes(bad, 1000)
    assert np.diff([0, *ends]).tolist() == [2] * 50 + [1] and columns.tolist() == list(range(101))
    assert ones.fewest_changes(bad) == 1


def answers(e) -> list:
    """What an explanation says, as far as a single tree answers by itself."""
    found = [str(e.sufficient_reason()), e.robustness(), [str(r) for r in e.necessary_reasons()]]
    found += [e.relevant_features(), e.necessary_features()]
    if e._voice.model.classes:
        found.append({label: [str(r) for r in reasons] for label, reasons in e.contrastive().items()})
    return found


def test_explainer_answers_as_the_search_does(record_property):
    for seed in range(CASES // 5):
        case = seeded_case(seed, trees=(1, 1))
        fast = Explainer(case.model, **case.explainer_options())
        slow = Explainer(case.model, engine="search", **case.explainer_options())
        assert answers(fast.explain(case.row)) == answers(slow.explain(case.row)), seed
        assert len(fast._trees) == (case.model.n_trees == 1) and not slow._trees
        if case.classes is None:
            continue
        d = Draws(seed)
        partial = {name: value for name, value in case.row.items() if d.chance(50)}
        rows = fast.possible_classes(partial)
        assert list(rows) == list(slow.possible_classes(partial))
        assert fast.is_sufficient(partial) == slow.is_sufficient(partial)
        for label, row in rows.items():
            assert case.model.predict([row]).tolist() == [label]
            assert all(row[name] == value or value != value for name, value in partial.items())
    record_property("judged single trees, explained", CASES // 5)


def test_leaves_that_tie():
    """ties="merged" and "winners" differ from "model" on a single tree only where leaf values tie."""
    features = [Feature("x"), Feature("y")]
    tied = {"feature": "y", "cut": 0.5, "left": {"value": [1.0, 1.0, 0.0]}, "right": {"value": [0.0, 1.0, 0.5]}}
    nodes = {"feature": "x", "cut": 0.5, "left": tied, "right": {"value": [0.2, 0.3, 0.5]}}
    model = build_ensemble([build_tree(nodes, features, ("a", "b", "c"))], voting="average")
    row = {"x": 0.0, "y": 0.0}

    def terms(ties: str, row) -> str:
        return str(Explainer(model, ties=ties).explain(row).sufficient_reason())

    assert [terms(ties, row) for ties in ("model", "winners", "merged")] == ["x <= 0.5 and y <= 0.5"] * 2 + ["x <= 0.5"]
    other = {"x": 0.0, "y": 1.0}
    assert [terms(ties, other) for ties in ("model", "winners", "merged")] == ["x <= 0.5 and y > 0.5"] + [
        "x <= 0.5"
    ] * 2
