"""``compile_model``: a model's class formulas, by the method, form and tie rule that are asked for."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from xylogic.budget import Budget
from xylogic.checks import check_choice, names_in
from xylogic.circuit.combine import relabelled
from xylogic.circuit.conjunction import Conjunction
from xylogic.circuit.diagram import Diagram
from xylogic.compile.apply import compile_apply
from xylogic.compile.formulas import ClassFormulas
from xylogic.compile.order import by_weight
from xylogic.compile.product import product_graph, searched_order
from xylogic.compile.sortnet import compile_sortnet
from xylogic.compile.trees import Forest, Trees
from xylogic.compile.votes import Question, band_of, election, wins, wins_against
from xylogic.domain.cells import Cells
from xylogic.errors import InvalidInputError
from xylogic.model.ensemble import Ensemble
from xylogic.model.states import model_cells
from xylogic.model.sums import Scores

__all__ = ["compile_ensemble"]

_FORMS = {"joint": "joint", "3A": "joint", "pairs": "pairs", "3B": "pairs"}
_ALGORITHM = {"joint": "3A", "pairs": "3B"}
_TIES = ("model", "merged", "winners")


@dataclass(frozen=True, eq=False)
class _Job:
    """What a method is asked for, checked."""

    model: Ensemble
    cells: tuple[Cells, ...]
    form: str
    ties: str
    order: str | Sequence[str] | None
    band: tuple[float, float] | None
    budget: Budget


def compile_ensemble(
    model: Ensemble,
    method: str = "product",
    form: str = "joint",
    ties: str = "model",
    *,
    order: str | Sequence[str] | None = None,
    band: tuple[float, float] | None = None,
    cells: Sequence[Cells] | None = None,
    missing: Iterable[str] = (),
    progress: bool | Callable[[int, int], None] = False,
    time_limit: float | None = None,
    node_limit: int | None = None,
    memory_limit: int | None = None,
) -> ClassFormulas:
    """See ``xylogic.compile_model``; ``cells``: the states to compile over, one per feature (default: the model's)."""
    accepted = {"method": tuple(METHODS), "form": tuple(_FORMS), "ties": _TIES}
    for name, value in (("method", method), ("form", form), ("ties", ties)):
        check_choice(name, value, accepted[name])
    if (band is None) != (model.classes is not None):
        raise InvalidInputError(
            "a regression model needs band=(low, high), the predictions that count as one; a classifier takes none"
        )
    if band is not None:
        band = _checked(band)
    if order is not None and not isinstance(order, str):
        order = _listed(order)
    budget = _Watched(progress, time_limit, node_limit, memory_limit)
    if cells is None:
        cells = model_cells(model, missing=names_in("missing", missing, model.feature_names))
    return METHODS[method](_Job(model, tuple(cells), _FORMS[form], ties, order, band, budget))


def _checked(band: Any) -> tuple[float, float]:
    try:
        low, high = (float(end) for end in band)
        if low <= high and low < float("inf") and high > float("-inf"):
            return low, high
    except (TypeError, ValueError):
        pass
    raise InvalidInputError(f"band is {band!r}; two numbers (low, high) with low <= high are accepted")


def _listed(order: Any) -> list[str]:
    """An order given as any sequence of names."""
    try:
        names = list(order)
    except TypeError:
        names = [order]
    if not all(isinstance(name, str) for name in names):
        raise InvalidInputError(f"order is {order!r}; feature names are accepted")
    return [str(name) for name in names]


def _by_product(job: _Job) -> ClassFormulas:
    """The bounded threshold product (see ``compile/product.py``)."""
    model, cells, form, ties, budget = job.model, job.cells, job.form, job.ties, job.budget
    scores = Scores(model)
    forest = Forest(model, cells, scores)
    labels: Sequence[Hashable] = (False, True) if model.classes is None else model.classes
    how: dict[str, Any] = {"method": "product", "form": form, "ties": ties}

    def trees_for(question: Question) -> Trees:
        return Trees(forest, _order(job.order, forest, scores, question, budget), budget)

    if model.classes is None:
        assert job.band is not None
        question = band_of(scores, *job.band)
    elif len(labels) == 1:
        question = wins(model, scores, 0, None)
    elif form == "joint" and ties == "model":
        question = election(model, scores)
    else:
        strict = None if ties == "model" else False
        trees = trees_for(election(model, scores))
        others = [[c for c in range(len(labels)) if c != winner] for winner in range(len(labels))]
        if form == "joint":
            graphs = [
                [product_graph(trees, scores, wins(model, scores, c, strict), budget)] for c in range(len(labels))
            ]
        else:
            graphs = [
                [product_graph(trees, scores, wins_against(model, scores, c, other, strict), budget) for other in rest]
                for c, rest in enumerate(others)
            ]
        formulas = [[Diagram(graph, cells) for graph in row] for row in graphs]
        made = [row[0] if len(row) == 1 else Conjunction(row) for row in formulas]
        return ClassFormulas(model, cells, labels, made.__getitem__, **how)
    joint = product_graph(trees_for(question), scores, question, budget)
    if len(labels) == 1:  # the graph is that of a conjunction of nothing, true
        return ClassFormulas(model, cells, labels, lambda _: Diagram(joint, cells), **how)

    def formula(position: int) -> Diagram:
        chosen = [int(label == position) for label in range(joint.n_labels)]
        return Diagram(relabelled(joint, chosen, 2, Budget()), cells)

    return ClassFormulas(model, cells, labels, formula, **how, joint=joint)


def _by_apply(job: _Job) -> ClassFormulas:
    """Algorithms 3A and 3B (see ``compile/apply.py``)."""
    cells, order = job.cells, job.order
    preferred = None
    if order is not None and order != "printed":
        named = _named(order, [c.name for c in cells], "None, 'printed'")
        preferred = [*named, *(f for f in range(len(cells)) if f not in named)]
    printed = order == "printed"
    found = compile_apply(
        job.model, cells, job.ties, _ALGORITHM[job.form], preferred, printed=printed, budget=job.budget
    )
    diagrams = [[Diagram(graph, cells) for graph in graphs] for graphs in found.values()]
    made = [row[0] if len(row) == 1 else Conjunction(row) for row in diagrams]
    return ClassFormulas(job.model, cells, tuple(found), made.__getitem__, method="apply", form=job.form, ties=job.ties)


def _by_sortnet(job: _Job) -> ClassFormulas:
    """Algorithm 3 (see ``compile/sortnet.py``)."""
    if job.order is not None:
        raise InvalidInputError(f"order is {job.order!r}; a formula has no order of features: None is accepted")
    found = compile_sortnet(job.model, job.cells, job.ties, budget=job.budget)
    made = list(found.values())
    return ClassFormulas(
        job.model, job.cells, tuple(found), made.__getitem__, method="sortnet", form=job.form, ties=job.ties
    )


METHODS: dict[str, Callable[[_Job], ClassFormulas]] = {
    "product": _by_product,
    "apply": _by_apply,
    "sortnet": _by_sortnet,
}


def _order(
    order: str | Sequence[str] | None, forest: Forest, scores: Scores, question: Question, budget: Budget
) -> tuple[int, ...]:
    """The features that are tested, in the order that is asked for."""
    heaviest = by_weight(forest.weight, forest.tested, forest.first)
    if order is None or order == "weight":
        return heaviest
    if order == "search":
        return searched_order(forest, heaviest, scores, question, budget)
    first = _named(order, [c.name for c in forest.cells], "None, 'weight', 'search'")
    return tuple(f for f in [*first, *(f for f in heaviest if f not in first)] if forest.tested[f])


def _named(order: str | Sequence[str], names: Sequence[str], also: str) -> list[int]:
    """The features that an order names."""
    if isinstance(order, str) or len(set(order)) != len(order) or not set(order) <= set(names):
        raise InvalidInputError(
            f"order is {order!r}; {also} or distinct feature names are accepted: {', '.join(names)}"
        )
    return [names.index(name) for name in order]


class _Watched(Budget):
    """A budget that tells now and then how far the work is."""

    def __init__(self, progress: bool | Callable[[int, int], None], *limits: Any) -> None:
        super().__init__(*limits)
        self._tell = progress if callable(progress) else (_write if progress else None)
        self._told = 0.0

    def check(self, nodes: int = 0, memory: int = 0) -> None:
        super().check(nodes, memory)
        if self._tell is not None and nodes and time.monotonic() - self._told > 0.5:
            self._told = time.monotonic()
            self._tell(nodes, memory)


def _write(states: int, memory: int) -> None:
    sys.stderr.write(f"\rcompiling: {states:,} states, {memory / 2**20:,.0f} MiB")
    sys.stderr.flush()
