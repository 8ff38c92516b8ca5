"""The search engine: one model's searches, kept ready for reuse."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from xylogic.budget import Budget
from xylogic.domain.cells import Cells
from xylogic.model.ensemble import Ensemble
from xylogic.model.sums import Constraint, Scores, beats
from xylogic.search.dive_kernel import Search
from xylogic.search.forest import Forest
from xylogic.search.games import Games
from xylogic.search.masks import ForestMasks, GameMasks, fits
from xylogic.search.reason_kernel import Reasons
from xylogic.search.sets import bit_set
from xylogic.search.shallow_kernel import Shallow
from xylogic.search.work import Work

__all__ = ["Engine", "Goal", "States"]

_KEPT = 256  # goals whose tables are kept
States = NDArray[np.int32]  # a state per feature of the forest


@dataclass(frozen=True)
class Goal:
    """What to look for. ``kind``: "flip", "partition" (flips, by disjoint games), "keep" (no flip), "target" or "band"
    (a flip out of it; "within": no flip).

    ``winners``: class positions that count as one, the decision's own; ``target``: a class position; ``band``: the
    closed interval that a regression leaves. ``ties``: "model", "winners" or "merged" (see API of ``Explainer``).
    """

    kind: str
    ties: str = "model"
    winners: tuple[int, ...] = ()
    target: int = -1
    band: tuple[float, float] = (-np.inf, np.inf)

    def __hash__(self) -> int:
        return hash((self.kind, self.target, self.band))  # goals are few and looked up often

    @property
    def opposite(self) -> Goal:
        """The rows where the decision stays, of a goal that is a change of it."""
        return replace(self, kind="within" if self.kind == "band" else "keep")


class Engine:
    """Answers about one model over one list of cells, without compilation. Safe to share between threads."""

    def __init__(self, model: Ensemble, cells: Sequence[Cells]) -> None:
        self.model = model
        self.forest = Forest(model, cells)
        self.scores = Scores(model, self.forest.order)
        varying = [f for f, c in enumerate(self.forest.cells) if c.n_states > 1]
        self.width = max(1, (self.forest.n_features + 63) // 64)
        self.varying = bit_set(varying, self.width)
        self.order = np.argsort(self.forest.weights(), kind="stable").astype(np.int32)  # lightest first
        self._games: dict[Goal, tuple[Games, GameMasks | None]] = {}
        self._idle: dict[Goal, list[tuple[Search, Work]]] = {}
        self._forest_masks: ForestMasks | None = None
        self.idle_reasons: list[Reasons] = []
        self._lock = threading.Lock()

    def search(self, goal: Goal, x: States, budget: Budget) -> Borrowed:
        """A search for ``goal`` from instance ``x``, borrowed by ``with``: (search, its scratch arrays)."""
        return Borrowed(self, goal, x, budget)

    def take(self, goal: Goal, budget: Budget) -> tuple[Search, Work]:
        """An idle search for ``goal``, or a new one."""
        try:
            return self._idle[goal].pop()
        except (KeyError, IndexError):
            games, masks = self._tables(goal, budget)
            work = Work(self.forest, games)
            if masks is None:
                return Search(self.forest, games, work, budget), work
            return Shallow(self.forest, games, work, budget, masks), work

    def give_back(self, goal: Goal, search: Search, work: Work) -> None:
        self._idle.setdefault(goal, []).append((search, work))

    def _tables(self, goal: Goal, budget: Budget) -> tuple[Games, GameMasks | None]:
        """The games of a goal and, where they fit, the masks of the fast search; made once for all searches."""
        with self._lock:
            if goal not in self._games:
                while len(self._games) >= _KEPT:  # bands around predictions: a goal for each row
                    oldest = next(iter(self._games))
                    del self._games[oldest]
                    self._idle.pop(oldest, None)
                games = Games(self.forest, self.scores, self._constraints(goal), budget)
                self._games[goal] = games, self._masks(games)
            return self._games[goal]

    def _masks(self, games: Games) -> GameMasks | None:
        if not fits(self.forest, games):
            return None
        if self._forest_masks is None:
            self._forest_masks = ForestMasks(self.forest)
        return GameMasks(self.forest, self._forest_masks, games)

    def leaf_goals(self, goal: Goal) -> NDArray[np.bool_]:
        """Of a model of one tree: whether ``goal`` holds at each leaf, by the model's own sums; bool (n_nodes,)."""
        sums = (self.scores.base + self.scores.values) / self.scores.divisor
        holds = np.zeros(len(sums), dtype=bool)
        for game in self._constraints(goal):
            every = self.forest.node_feature < 0
            for c in game:
                a = sums[:, c.plus] if c.plus >= 0 else c.level
                b = sums[:, c.minus] if c.minus >= 0 else c.level
                every = every & ((a > b) | ((a == b) & (not c.strict)))
            holds |= every
        return holds

    def _constraints(self, goal: Goal) -> list[list[Constraint]]:
        if goal.kind == "band":
            low, high = goal.band
            below = [[Constraint(-1, 0, True, low)]] if np.isfinite(low) else []
            above = [[Constraint(0, -1, True, high)]] if np.isfinite(high) else []
            return below + above
        if goal.kind == "within":
            low, high = goal.band
            inside = [Constraint(0, -1, False, low)] if np.isfinite(low) else []
            inside += [Constraint(-1, 0, False, high)] if np.isfinite(high) else []
            return [inside]
        classes = range(len(self.model.classes or ()))
        others = [c for c in classes if c not in goal.winners]
        if goal.kind == "target":
            strict = None if goal.ties == "model" else False
            return [[beats(self.model, goal.target, c, strict) for c in classes if c != goal.target]]
        if goal.kind == "keep":
            strict = None if goal.ties == "model" else False
            return [[beats(self.model, w, c, strict) for c in classes if c != w] for w in goal.winners]
        if goal.kind == "flip":
            strict = None if goal.ties == "model" else True
            return [[beats(self.model, c, w, strict) for w in goal.winners] for c in others]
        # Disjoint games: the first best class, which every winner falls short of.
        return [
            [
                beats(self.model, c, other, True if other in goal.winners and goal.ties != "model" else None)
                for other in classes
                if other != c
            ]
            for c in others
        ]


class Borrowed:
    """A search lent for one question."""

    def __init__(self, engine: Engine, goal: Goal, x: States, budget: Budget) -> None:
        self._engine, self._goal, self._x, self._budget = engine, goal, x, budget

    def __enter__(self) -> tuple[Search, Work]:
        self._search, self._work = self._engine.take(self._goal, self._budget)
        self._search.restart(self._budget)
        if self._work.instance is not self._x:
            self._search.set_instance(self._x)
            self._work.instance = self._x
        return self._search, self._work

    def __exit__(self, *stop: object) -> None:
        if self._work.restricted[-1]:
            self._work.restricted[:] = 0
        self._search.restart(None)
        self._engine.give_back(self._goal, self._search, self._work)
