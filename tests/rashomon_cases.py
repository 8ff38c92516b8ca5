"""AND/OR graphs of trees in the shapes that treefarms and PRAXIS keep them in, and their full expansion."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np

from models import Draws


class Recorded:
    """A stand-in for a fitted TREEFARMS: what of it is read."""

    def __init__(self, storage, metrics, columns=None, n_rows=4):
        self.model_set = SimpleNamespace(storage=storage, available_metrics=metrics)
        if columns is not None:
            import pandas as pd

            frame = {name: [0, 1] * (n_rows // 2) for name in columns} | {"target": [0, 1] * (n_rows // 2)}
            self.dataset = pd.DataFrame(frame)


class ExportingPraxis:
    """A stand-in for a fitted PRAXIS."""

    def __init__(self, graph):
        self.graph = graph

    def export_andor_graph(self):
        return self.graph


def draw_treefarms(d: Draws, n_features: int, n_classes: int = 2) -> Recorded:
    """A random storage: OR nodes shared by several parents, none with trees that test a feature twice."""
    storage: list[dict] = []
    known: dict[frozenset, list[int]] = {}

    def node(left: frozenset, depth: int) -> int:
        if known.get(left) and d.chance(50):
            return d.pick(known[left])
        place = len(storage)
        storage.append({})
        terminal = not left or depth == 0 or d.chance(30)
        mapping: dict[str, list] = {}
        if left and depth and (not terminal or d.chance(30)):
            for feature in d.some(sorted(left), 60) or [min(left)]:
                below = left - {feature}
                mapping[str(feature)] = [
                    [node(below, depth - 1), node(below, depth - 1)] for _ in range(d.pick([1, 1, 2]))
                ]
        count = int(terminal) + sum(
            storage[a]["count"] * storage[b]["count"] for pairs in mapping.values() for a, b in pairs
        )
        prediction = d.whole(0, n_classes - 1) if terminal else 0
        storage[place] = {"count": count, "mapping": mapping, "prediction": prediction, "terminal": terminal}
        known.setdefault(left, []).append(place)
        return place

    roots = [node(frozenset(range(n_features)), d.whole(1, 3)) for _ in range(d.whole(1, 3))]
    roots = sorted(set(roots))
    values = [[d.pick([0.1, 0.2, 0.3]), 3, 2] for _ in roots]
    return Recorded(storage, {"metric_pointers": roots, "metric_values": values}, [f"f{i}" for i in range(n_features)])


def expand_treefarms(source: Recorded) -> list:
    """Every tree of the set, as a label or (feature, no, yes)."""
    storage = source.model_set.storage

    def trees(n: int) -> list:
        node = storage[n]
        found = [node["prediction"]] if node["terminal"] else []
        for feature, pairs in node["mapping"].items():
            for yes, no in pairs:
                found += [(int(feature), a, b) for a in trees(no) for b in trees(yes)]
        return found

    return [tree for root in source.model_set.available_metrics["metric_pointers"] for tree in trees(root)]


def draw_praxis(d: Draws, n_features: int) -> dict:
    """A random export: OR nodes with budgets, some of whose pairs of trees pass them."""
    graph: dict = {"root_trie_id": 0, "trie_nodes": [], "split_nodes": [], "leaf_nodes": []}
    known: dict[frozenset, list[int]] = {}

    def node(left: frozenset, depth: int) -> int:
        if known.get(left) and d.chance(40):
            return d.pick(known[left])
        number = len(graph["trie_nodes"])
        entry = {"id": number, "budget": d.whole(4, 12), "min_objective": 0, "subproblem_size": 9}
        entry |= {"leaf_ids": [], "split_ids": []}
        graph["trie_nodes"].append(entry)
        for label in d.some([0, 1], 60) if left and depth else [d.whole(0, 1)]:
            entry["leaf_ids"].append(len(graph["leaf_nodes"]))
            leaf = {"id": len(graph["leaf_nodes"]), "parent_trie_id": number, "prediction": label}
            graph["leaf_nodes"].append(leaf | {"loss": d.whole(1, 4), "subproblem_size": 9})
        for feature in d.some(sorted(left), 60) if depth else []:
            below = left - {feature}
            yes, no = node(below, depth - 1), node(below, depth - 1)
            entry["split_ids"].append(len(graph["split_nodes"]))
            split = {"id": len(graph["split_nodes"]), "parent_trie_id": number, "feature": feature}
            graph["split_nodes"].append(split | {"left_trie_id": yes, "right_trie_id": no, "min_objective": 0})
        known.setdefault(left, []).append(number)
        return number

    node(frozenset(range(n_features)), d.whole(1, 3))
    return graph


def expand_praxis(graph: dict) -> list:
    """Every tree, as a label or (feature, no, yes)."""

    def trees(n: int) -> list:
        entry = graph["trie_nodes"][n]
        leaves = [graph["leaf_nodes"][i] for i in entry["leaf_ids"]]
        found = [(leaf["prediction"], leaf["loss"]) for leaf in leaves]
        for split in (graph["split_nodes"][i] for i in entry["split_ids"]):
            for (no, a), (yes, b) in itertools.product(trees(split["right_trie_id"]), trees(split["left_trie_id"])):
                if a + b <= entry["budget"]:
                    found.append(((split["feature"], no, yes), a + b))
        return found

    return [tree for tree, _ in trees(graph["root_trie_id"])]


def rows_of(n_features: int) -> np.ndarray:
    return np.array(list(itertools.product([0, 1], repeat=n_features)))


def answer(tree, row) -> int:
    while isinstance(tree, tuple):
        tree = tree[2] if row[tree[0]] else tree[1]
    return tree


def leaves(tree) -> int:
    return leaves(tree[1]) + leaves(tree[2]) if isinstance(tree, tuple) else 1


def features_of(tree) -> set:
    return {tree[0]} | features_of(tree[1]) | features_of(tree[2]) if isinstance(tree, tuple) else set()


def depends(table: tuple, n_features: int) -> set:
    """The features that a function, given by its values on ``rows_of``, depends on."""
    grid = np.array(table).reshape((2,) * n_features)
    return {f for f in range(n_features) if (grid.take(0, axis=f) != grid.take(1, axis=f)).any()}
