"""One side of the peer benchmark in a process of its own: reads pickled requests on stdin, answers on stdout.

`python peer_worker.py SIDE` with ("forest", forest) first, then ("ask", question, row, seconds). An answer is
("done", seconds, value), ("unsupported", why) or ("failed", why). What the sides print goes nowhere.
"""

from __future__ import annotations

import os
import pickle
import sys
from time import perf_counter
from typing import Any

import numpy as np

Value = dict[str, Any]
"""features: list of int; box: {feature: (lo, hi)} meaning lo < x <= hi, or None for the row's own values;
row: the changed row of a contrastive answer, or None; note: str."""


class UnsupportedError(Exception):
    """The side has no such question."""


def answer(features: Any, *, box: dict[int, tuple[float, float]] | None = None, row: Any = None, **more: Any) -> Value:
    """An answer in the common form."""
    changed = None if row is None else [float(value) for value in row]
    return {"features": sorted(int(f) for f in features), "box": box, "row": changed, **more}


class Xylogic:
    """The project itself, on the deployed (soft) or the majority vote."""

    def __init__(self, forest: Any, vote: str) -> None:
        import xylogic as xl

        model = xl.read_model(forest)
        self.explainer = xl.Explainer(model if vote == "soft" else model.with_voting("majority"))
        self.names = {name: position for position, name in enumerate(model.feature_names)}

    def ask(self, question: str, row: np.ndarray, seconds: float) -> Value:
        explanation = self.explainer.explain(row)
        if question in ("sufficient", "smallest"):
            term = explanation.sufficient_reason(minimum=question == "smallest")
            return answer(self.names[name] for name in term.features)
        if question == "contrastive":
            return answer(self.names[name] for name in next(explanation.iter_necessary_reasons()).features)
        if question == "shortest contrastive":
            flips = explanation.shortest_flips(limit=1)
            if not len(flips):
                return answer(())
            changed = flips.rows(1)[0]
            values = np.array([changed[name] for name in self.names], float)
            return answer(np.flatnonzero(values != row), row=values)
        start, seen = perf_counter(), set()
        sufficient = question == "stream sufficient"
        for reason in explanation.iter_sufficient_reasons() if sufficient else explanation.iter_necessary_reasons():
            seen.add(reason.features)
            if perf_counter() - start > seconds:
                break
        return answer((), count=len(seen), spent=perf_counter() - start)


class PyXAI:
    """PyXAI 2 with its theory of threshold orders; it explains the majority vote."""

    def __init__(self, forest: Any) -> None:
        from pyxai import Explaining, Learning, Tools

        Tools.set_verbose(0)
        _, model = Learning.ModelIO.import_models(forest, instances_type="tabular")
        self.explainer = Explaining.initialize(model, features_type={"numerical": Learning.DEFAULT})
        self.conditions, self.classes = model.map_id_binaries_to_features, len(forest.classes_)

    def ask(self, question: str, row: np.ndarray, seconds: float) -> Value:
        self.explainer.set_instance(row)
        if question == "sufficient":
            literals = self.explainer.sufficient_reason(time_limit=seconds)
        elif question == "smallest":
            literals = self.explainer.minimal_sufficient_reason(time_limit=seconds)
        elif question == "shortest contrastive" and self.classes == 2:
            literals = self.explainer.minimal_contrastive_reason(n=1, time_limit=seconds)
        else:
            raise UnsupportedError("no such question, or for two classes only")
        if literals is None:
            raise RuntimeError("PyXAI returned None")
        if question != "shortest contrastive":
            box = self._box(literals)
            return answer(box, box=box)
        flipped = set(literals)
        given = self.explainer.binary_representation
        box = self._box([-literal if literal in flipped else literal for literal in given])
        return answer({self.conditions[abs(literal)][0] - 1 for literal in literals}, box=box)

    def _box(self, literals: Any) -> dict[int, tuple[float, float]]:
        box: dict[int, tuple[float, float]] = {}
        for literal in literals:
            number, operator, cut = self.conditions[abs(literal)]
            if operator.name != "GT":
                raise RuntimeError(f"an unexpected condition: {operator}")
            low, high = box.get(number - 1, (-np.inf, np.inf))
            box[number - 1] = (max(low, cut), high) if literal > 0 else (low, min(high, cut))
        return box


class Loop:
    """The plain loops of oracles.py over a peer's oracle."""

    def __init__(self, forest: Any, kind: str) -> None:
        import oracles

        self.loops = oracles
        self.oracle = oracles.HardVote(forest) if kind == "python-sat" else oracles.SoftVote(forest)

    def ask(self, question: str, row: np.ndarray, seconds: float) -> Value:
        flip = self.oracle.explain(row)
        if question == "sufficient":
            return answer(self.loops.sufficient(flip, len(row)))
        if question == "smallest":
            return answer(self.loops.smallest(flip, row))
        if question == "contrastive":
            features, changed = self.loops.necessary(flip, row, frozenset(range(len(row))))
            return answer(features, row=changed)
        raise UnsupportedError("no such question")

    def refute(self, features: list[int], row: np.ndarray) -> Value:
        """A counterexample to "these features suffice", if the oracle knows one."""
        return answer(features, row=self.oracle.explain(row)(frozenset(features)))


def make(side: str, forest: Any) -> Any:
    """The side by its name, ready for `forest`."""
    if side.startswith("xylogic"):
        return Xylogic(forest, "soft" if "soft" in side else "hard")
    return PyXAI(forest) if side == "PyXAI" else Loop(forest, side)


def main() -> None:
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    worker: Any = None
    while True:
        try:
            kind, *rest = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            start = perf_counter()
            if kind == "forest":
                worker, value = make(sys.argv[1], rest[0]), None
            else:
                value = worker.refute(*rest) if kind == "refute" else worker.ask(*rest)
            reply: tuple[Any, ...] = ("done", perf_counter() - start, value)
        except UnsupportedError as error:
            reply = ("unsupported", str(error))
        except Exception as error:
            reply = ("failed", f"{type(error).__name__}: {error}")
        pickle.dump(reply, channel)
        channel.flush()


if __name__ == "__main__":
    main()
