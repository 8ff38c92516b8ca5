"""``compile_model``: the class formulas of any model that can be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from xylogic.compile.compiling import compile_ensemble
from xylogic.compile.formulas import ClassFormulas
from xylogic.convert.read import read_model

__all__ = ["compile_model"]


def compile_model(
    model: Any,
    method: str = "product",
    form: str = "joint",
    ties: str = "model",
    *,
    order: str | Sequence[str] | None = None,
    band: tuple[float, float] | None = None,
    missing: Iterable[str] = (),
    progress: bool | Callable[[int, int], None] = False,
    time_limit: float | None = None,
    node_limit: int | None = None,
    memory_limit: int | None = None,
) -> ClassFormulas:
    """The class formulas of a model: what makes it decide for each class, as decision diagrams.

    Exact for what the deployed model computes, its float sums and tie rule included. Exponential in the worst case:
    the limits make it raise BudgetExceeded.

    Parameters
    ----------
    model : whatever ``read_model`` takes.
    method : ``"product"``, the bounded threshold product. For forests that vote by majority also ``"apply"``, the
        paper's Algorithm 4 over a sorting network (diagrams of free order), and ``"sortnet"``, its Algorithm 3
        (:class:`Formula`, linear in the forest but for its sorting network).
    form : ``"joint"`` (or ``"3A"``): one diagram a class, read off one graph of all classes where ties are the
        model's; ``"pairs"`` (``"3B"``): a class's formula is the conjunction of one diagram for each other class.
    ties : ``"model"``: a class's formula says that the model predicts it, so formulas are disjoint. ``"winners"``: it
        says that the class has a top score. ``"merged"`` is the same; tied classes are merged by ``|``.
    order : the features' order: ``None`` or ``"weight"``, the most tested first; ``"search"``, by simulated annealing
        from there (seconds to a minute; up to 8 times fewer edges, no fewer on some forests: for a diagram that is
        kept); or names of features that come first. ``"apply"`` takes ``None``, names, or ``"printed"``: every tree in
        its own order, as the paper has it. ``"sortnet"`` has no order.
    band : for a regression model, the closed interval (low, high) of predictions that count as one; the labels are
        then True and False.
    missing : names of features that may be missing (NaN); without them, rows that miss a value have no state.
    progress : True for a line on stderr, or a function of (states visited, bytes in use), called twice a second.
    time_limit, node_limit, memory_limit : seconds, states visited, bytes.

    Raises InvalidInputError for unknown options, BudgetExceeded, and what ``read_model`` raises.
    """
    return compile_ensemble(
        read_model(model),
        method,
        form,
        ties,
        order=order,
        band=band,
        missing=missing,
        progress=progress,
        time_limit=time_limit,
        node_limit=node_limit,
        memory_limit=memory_limit,
    )
